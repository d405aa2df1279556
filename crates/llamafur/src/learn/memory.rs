//! Asking before taking: whether a matrix fits into the memory that is free.

use super::{LearnConf, Method};
use crate::error::Error;
use crate::remedy::{Remedy, Step};

/// Whether so many bytes fit into nine tenths of the free memory; if not, how many are free.
pub(super) fn fits(needed: u64) -> Result<(), u64> {
    let free = free_memory();
    if needed <= free / 10 * 9 { Ok(()) } else { Err(free) }
}

/// Fails unless what a learner takes fits.
///
/// # Errors
/// If it does not; the error says what would help.
pub(super) fn expect_memory(
    conf: &LearnConf,
    form: &'static str,
    num_categories: usize,
    needed: u64,
) -> Result<(), Error> {
    fits(needed).map_err(|free| {
        let LearnConf { method, ensemble, .. } = *conf;
        let fewer_categories = Remedy::run(Step::Cleanse);
        let remedy = match method {
            Method::Factored => match ensemble {
                Some(1) => Remedy::either([Remedy::Lower { setting: "rank" }, fewer_categories]),
                _ => Remedy::either([
                    Remedy::set("ensemble", "1"),
                    Remedy::Lower { setting: "rank" },
                    fewer_categories,
                ]),
            },
            _ => Remedy::either([Remedy::set("method", "factored"), fewer_categories]),
        };
        Error::Memory { method: method.name(), form, num_categories, needed, free, remedy }
    })
}

/// Bytes available without swapping, within the limits of the process's group.
pub(super) fn free_memory() -> u64 {
    let Ok(mut system) = sysinfo::System::new() else {
        // A system that does not report it: let the allocation itself decide.
        return u64::MAX;
    };
    system.refresh_memory();
    let group = system.cgroup_limits().map_or(u64::MAX, |limits| limits.free_memory);
    system.available_memory().min(group)
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
        let remedy = |method, form| expect(method, form, 1 << 60).unwrap_err().remedy();
        let cleanse = Remedy::run(Step::Cleanse);
        let paper = Remedy::either([Remedy::set("method", "factored"), cleanse.clone()]);
        assert_eq!(remedy(Method::Paper, "sparse"), Some(paper));
        let lower_rank = Remedy::Lower { setting: "rank" };
        let factored = Remedy::either([Remedy::set("ensemble", "1"), lower_rank, cleanse]);
        assert_eq!(remedy(Method::Factored, "factored"), Some(factored));
    }
}
