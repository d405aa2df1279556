//! Asking before taking: whether a matrix fits into the memory that is free.

/// A matrix is too large for this machine.
#[derive(Debug, thiserror::Error)]
#[error(
    "a dense matrix over {num_categories} categories takes {} and {} of memory are free: \
     take `--method factored` ({} at rank {rank}), or fewer categories",
    human_bytes(*needed), human_bytes(*free), human_bytes(factored_bytes(*num_categories, *rank))
)]
pub struct MemoryError {
    /// Categories on either side.
    pub num_categories: usize,
    /// Bytes that the matrix takes.
    pub needed: u64,
    /// Bytes that are free.
    pub free: u64,
    /// The rank that the factored matrix would have.
    pub rank: usize,
}

/// Bytes that the factored learner takes: two tables, each with its squared gradients.
fn factored_bytes(num_categories: usize, rank: usize) -> u64 {
    (num_categories * rank * 4 * 4) as u64
}

/// Fails unless a dense matrix with so many bytes a cell fits into nine tenths of the free memory.
///
/// # Errors
/// If it does not fit; the error says what would help.
pub fn expect_memory(num_categories: usize, cell_bytes: u64, rank: usize) -> Result<(), MemoryError> {
    let cells = (num_categories as u64).saturating_mul(num_categories as u64);
    let (needed, free) = (cells.saturating_mul(cell_bytes), free_memory());
    if needed <= free / 10 * 9 { Ok(()) } else { Err(MemoryError { num_categories, needed, free, rank }) }
}

/// Bytes that can be had without swapping, within the limits of the process's group.
fn free_memory() -> u64 {
    let Ok(mut system) = sysinfo::System::new() else {
        // A system that does not tell: let the allocation itself decide.
        return u64::MAX;
    };
    system.refresh_memory();
    let group = system.cgroup_limits().map_or(u64::MAX, |limits| limits.free_memory);
    system.available_memory().min(group)
}

/// A number of bytes as people say it: `1.6 GB`.
pub fn human_bytes(bytes: u64) -> String {
    let mut value = bytes as f64;
    for unit in ["bytes", "kB", "MB", "GB"] {
        if value < 999.95 {
            return if unit == "bytes" { format!("{bytes} bytes") } else { format!("{value:.1} {unit}") };
        }
        value /= 1000.0;
    }
    format!("{value:.1} TB")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_beyond_any_machine_is_refused_with_a_way_out() {
        expect_memory(10, 4, 32).unwrap();
        let message = expect_memory(4_000_000_000, 8, 32).unwrap_err().to_string();
        assert!(message.contains("--method factored"), "{message}");
    }

    #[test]
    fn bytes_are_said_as_people_say_them() {
        let said = [0, 999, 1000, 1_600_000_000, 40_000_000_000, 5_000_000_000_000].map(human_bytes);
        assert_eq!(said, ["0 bytes", "999 bytes", "1.0 kB", "1.6 GB", "40.0 GB", "5.0 TB"]);
    }
}
