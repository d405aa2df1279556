//! The numbers that describe a set of judgments.

use super::{Class, Judgments};
use serde::Serialize;

/// Numbers of records, links and queries.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Counts {
    /// Records in the file.
    pub records: u64,
    /// Distinct judged links.
    pub pairs: u64,
    /// Pages with judged links.
    pub queries: usize,
    /// Pages that can be measured: with relevant and irrelevant links.
    pub with_both_kinds: usize,
    /// Mean number of relevant links of such a page; NaN if there is none.
    pub mean_relevant: f64,
    /// Mean number of judged links of such a page.
    pub mean_judged: f64,
    /// Judged links of each class, the most expected first, on all pages.
    pub classes: [u64; 4],
}

impl Counts {
    pub(super) fn of(judgments: &Judgments) -> Counts {
        let mut classes = [0; 4];
        judgments
            .queries
            .iter()
            .flat_map(|query| &query.links)
            .for_each(|link| classes[link.class.index()] += 1);
        let both: Vec<_> = judgments.with_both_kinds().collect();
        let num = both.len() as f64;
        Counts {
            records: judgments.account.records,
            pairs: judgments.account.found,
            queries: judgments.queries.len(),
            with_both_kinds: both.len(),
            mean_relevant: both.iter().map(|query| query.num_relevant()).sum::<usize>() as f64 / num,
            mean_judged: both.iter().map(|query| query.links.len()).sum::<usize>() as f64 / num,
            classes,
        }
    }

    /// Returns the share of a class among all judged links, measured or not.
    pub fn share(&self, class: Class) -> f64 {
        self.classes[class.index()] as f64 / self.pairs as f64
    }
}
