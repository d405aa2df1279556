//! Resource allocation: each neighbour that two pages share passes on what it has, in equal parts to all its neighbours.
//!
//! RA(s, t) = Σ_{d ∈ Γ(s) ∩ Γ(t)} 1/|Γ(d)|, with Γ(d) the pages that d links to or that link to d: T. Zhou, L. Lü &
//! Y.-C. Zhang, “Predicting missing links via local information”, European Physical Journal B 71, 2009,
//! <https://doi.org/10.1140/epjb/e2009-00335-8>. It is Adamic–Adar with |Γ(d)| for its logarithm: hubs count for less. It is a measure of expectedness: unexpectedness is −RA.

use super::{Neighbours, shared, unexpected};
use crate::Error;
use crate::graph::PageId;
use crate::score::{Reason, Score, Scorer, Side};
use std::sync::Arc;

pub(in crate::score) const RESOURCE_ALLOCATION: Scorer = Scorer {
    name: "ra",
    about: "resource allocation: as aa, but those with many neighbours count for less",
    inputs: "graph",
    cites: "Zhou, Lü & Zhang 2009",
    takes_model: false,
    reads_link: false,
    open: |inputs, _, progress| Ok(Arc::new(ResourceAllocation::new(inputs.neighbours(progress)?))),
};

/// Scores links by the neighbours that their ends share, each counting for one part among its own.
#[derive(Debug, Clone)]
pub struct ResourceAllocation {
    neighbours: Arc<Neighbours>,
}

impl ResourceAllocation {
    /// A scorer for the links of this graph.
    pub fn new(neighbours: Arc<Neighbours>) -> ResourceAllocation {
        ResourceAllocation { neighbours }
    }
}

/// Σ 1/|Γ(d)| over these pages.
pub(super) fn sum(neighbours: &Neighbours, common: &[PageId]) -> f64 {
    common.iter().fold(0.0, |sum, &page| sum + 1.0 / neighbours.of(page).len() as f64)
}

impl Score for ResourceAllocation {
    fn name(&self) -> &str {
        RESOURCE_ALLOCATION.name
    }

    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        let neighbours = &self.neighbours;
        Ok(neighbours.map_common(source, targets, |_, common| unexpected(sum(neighbours, common))))
    }

    fn reason(&self, source: PageId, target: PageId, _: Side) -> Result<Option<Reason>, Error> {
        Ok(Some(Reason::new(self.name(), shared(&self.neighbours, source, target))))
    }
}
