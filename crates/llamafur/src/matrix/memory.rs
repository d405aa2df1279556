//! Asking before taking: whether a matrix fits into the memory that is free.

use crate::learn::{LearnConf, Method};

/// A matrix is too large for this machine.
#[derive(Debug, thiserror::Error)]
#[error(
    "learning a {form} matrix over {num_categories} categories by {method} takes {} of memory, and {} are free: \
     {way_out}, or have fewer categories (`llamafur cleanse`)",
    human_bytes(*needed), human_bytes(*free)
)]
pub struct MemoryError {
    /// The learner.
    pub method: Method,
    /// Dense, sparse or factored.
    pub form: &'static str,
    /// Categories on either side.
    pub num_categories: usize,
    /// Bytes that learning takes.
    pub needed: u64,
    /// Bytes that are free.
    pub free: u64,
    /// What would help.
    pub way_out: String,
}

/// Whether so many bytes fit into nine tenths of the free memory; if not, how many are free.
pub(crate) fn fits(needed: u64) -> Result<(), u64> {
    let free = free_memory();
    if needed <= free / 10 * 9 { Ok(()) } else { Err(free) }
}

/// Fails unless what a learner takes fits.
///
/// # Errors
/// If it does not; the error says what would help.
pub(crate) fn expect_memory(
    conf: &LearnConf,
    form: &'static str,
    num_categories: usize,
    needed: u64,
) -> Result<(), MemoryError> {
    fits(needed).map_err(|free| {
        let LearnConf { method, rank, ensemble, .. } = *conf;
        let way_out = match method {
            Method::Factored => match ensemble {
                Some(1) => "take a smaller --rank".into(),
                _ => "take `--ensemble 1` or a smaller --rank".into(),
            },
            _ => {
                let factored = human_bytes(Method::Factored.matrix_bytes(num_categories, rank));
                format!("take `--method factored` ({factored} at rank {rank})")
            }
        };
        MemoryError { method, form, num_categories, needed, free, way_out }
    })
}

/// Bytes that can be had without swapping, within the limits of the process's group.
pub(crate) fn free_memory() -> u64 {
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
        let expect = |method, form, needed| {
            expect_memory(&LearnConf::default().method(method), form, 4_000_000, needed)
        };
        expect(Method::Paper, "dense", 400).unwrap();
        let refused = |method, form| expect(method, form, 1 << 60).unwrap_err().to_string();
        let (paper, factored) = (refused(Method::Paper, "sparse"), refused(Method::Factored, "factored"));
        let parts = [
            "a sparse matrix over 4000000 categories by paper takes 1152921.5 TB",
            "--method factored",
            "cleanse",
        ];
        assert!(parts.iter().all(|part| paper.contains(part)), "{paper}");
        assert!(factored.contains("smaller --rank"), "{factored}");
    }

    #[test]
    fn bytes_are_said_as_people_say_them() {
        let said = [0, 999, 1000, 1_600_000_000, 40_000_000_000, 5_000_000_000_000].map(human_bytes);
        assert_eq!(said, ["0 bytes", "999 bytes", "1.0 kB", "1.6 GB", "40.0 GB", "5.0 TB"]);
    }
}
