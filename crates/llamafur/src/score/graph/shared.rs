//! All that the neighbours which two pages share say about them, found in one go.

use super::{Neighbours, adamic_adar, jaccard, resource_allocation};
use crate::graph::PageId;

/// What two pages share. Every field is a measure of expectedness.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shared {
    /// How many neighbours: |Γ(s) ∩ Γ(t)|.
    pub common: usize,
    /// Adamic–Adar: Σ 1/ln |Γ(d)| over the neighbours d that they share.
    pub adamic_adar: f64,
    /// Resource allocation: Σ 1/|Γ(d)|.
    pub resource_allocation: f64,
    /// The part of the neighbours of either that both have: |Γ(s) ∩ Γ(t)| / |Γ(s) ∪ Γ(t)|.
    pub jaccard: f64,
}

impl Neighbours {
    /// What a page shares with each of `targets`, in their order: as much work as one of the scorers alone.
    pub fn shared(&self, source: PageId, targets: &[PageId]) -> Vec<Shared> {
        self.map_common(source, targets, |target, common| Shared {
            common: common.len(),
            adamic_adar: adamic_adar::sum(self, common),
            resource_allocation: resource_allocation::sum(self, common),
            jaccard: jaccard::part(self, source, target, common),
        })
    }
}
