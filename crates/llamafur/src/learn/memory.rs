//! Checks whether a matrix fits into the free memory.

use super::{LearnConf, Method};
use crate::error::Error;
use crate::remedy::{Remedy, Step};

/// Fails unless the memory that a learner needs fits into nine tenths of the free memory; the error says what would
/// help.
pub(super) fn expect_memory(conf: &LearnConf, num_categories: usize, needed: u64) -> Result<(), Error> {
    let free = free_memory();
    if needed <= free / 10 * 9 {
        return Ok(());
    }
    let LearnConf { method, ensemble, .. } = *conf;
    let fewer_categories = Remedy::run(Step::Cleanse);
    let (form, remedy) = match (method, ensemble) {
        (Method::Factored, Some(1)) => {
            ("factored", Remedy::either([Remedy::Lower { setting: "rank" }, fewer_categories]))
        }
        (Method::Factored, _) => {
            let lower_rank = Remedy::Lower { setting: "rank" };
            ("factored", Remedy::either([Remedy::set("ensemble", "1"), lower_rank, fewer_categories]))
        }
        _ => ("dense", Remedy::either([Remedy::set("method", "factored"), fewer_categories])),
    };
    Err(Error::Memory { method: method.name(), form, num_categories, needed, free, remedy })
}

/// Returns the bytes available without swapping, within the limits of the process's group.
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
        let expect = |method, needed| expect_memory(&LearnConf::default().method(method), 4_000_000, needed);
        expect(Method::Paper, 400).unwrap();
        let remedy = |method| expect(method, 1 << 60).unwrap_err().remedy();
        let cleanse = Remedy::run(Step::Cleanse);
        let paper = Remedy::either([Remedy::set("method", "factored"), cleanse.clone()]);
        assert_eq!(remedy(Method::Paper), Some(paper));
        let lower_rank = Remedy::Lower { setting: "rank" };
        let factored = Remedy::either([Remedy::set("ensemble", "1"), lower_rank, cleanse]);
        assert_eq!(remedy(Method::Factored), Some(factored));
    }
}
