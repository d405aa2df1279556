//! Adamic–Adar: two pages that share neighbours are expected to link, the more so the fewer neighbours those have.
//!
//! AA(s, t) = Σ_{d ∈ Γ(s) ∩ Γ(t)} 1/ln |Γ(d)|, with Γ(d) the pages that d links to or that link to d: L. A. Adamic &
//! E. Adar, “Friends and Neighbors on the Web”, Social Networks 25, 2003, section 4,
//! <https://doi.org/10.1016/S0378-8733(03)00009-1>, on the symmetric graph as the footnote in section 6 of the LlamaFur
//! paper says. It is a measure of expectedness: unexpectedness is −AA.
//!
//! s and t are neighbours of each page that they share, so |Γ(d)| ≥ 2 and the logarithm is positive. Terms are added in
//! the order of the pages: the same sum whichever way the common neighbours are found.

use super::{Neighbours, shared, unexpected};
use crate::Error;
use crate::graph::PageId;
use crate::score::{Reason, Score, Scorer, Side};
use std::sync::Arc;

pub(in crate::score) const ADAMIC_ADAR: Scorer = Scorer {
    name: "aa",
    about: "Adamic–Adar: how many neighbours the two pages share, those with few neighbours counting more",
    inputs: "graph",
    cites: "Adamic & Adar 2003",
    takes_model: false,
    reads_link: false,
    open: |inputs, _, progress| Ok(Arc::new(AdamicAdar::new(inputs.neighbours(progress)?))),
};

/// Scores links by the neighbours that their ends share, those with few neighbours counting more.
#[derive(Debug, Clone)]
pub struct AdamicAdar {
    neighbours: Arc<Neighbours>,
}

impl AdamicAdar {
    /// A scorer for the links of this graph.
    pub fn new(neighbours: Arc<Neighbours>) -> AdamicAdar {
        AdamicAdar { neighbours }
    }

    /// AA(s, t) for each t of `targets`, whether or not s links to it.
    pub fn expectedness(&self, source: PageId, targets: &[PageId]) -> Vec<f64> {
        self.neighbours.map_common(source, targets, |_, common| sum(&self.neighbours, common))
    }
}

/// Σ 1/ln |Γ(d)| over these pages.
pub(super) fn sum(neighbours: &Neighbours, common: &[PageId]) -> f64 {
    // Not `Sum`, which begins with −0.
    common.iter().fold(0.0, |sum, &page| sum + neighbours.rarity(page))
}

impl Score for AdamicAdar {
    fn name(&self) -> &str {
        ADAMIC_ADAR.name
    }

    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        let neighbours = &self.neighbours;
        Ok(neighbours.map_common(source, targets, |_, common| unexpected(sum(neighbours, common))))
    }

    fn reason(&self, source: PageId, target: PageId, _: Side) -> Result<Option<Reason>, Error> {
        Ok(Some(Reason::new(self.name(), shared(&self.neighbours, source, target))))
    }
}
