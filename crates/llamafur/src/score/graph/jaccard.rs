//! Jaccard's coefficient: two pages are expected to link the larger the part of their neighbours that both have.
//!
//! J(s, t) = |Γ(s) ∩ Γ(t)| / |Γ(s) ∪ Γ(t)|, with Γ(s) the pages that s links to or that link to s, and 0 where neither
//! has any: D. Liben-Nowell & J. Kleinberg, “The link-prediction problem for social networks”, Journal of the American
//! Society for Information Science and Technology 58, 2007, <https://doi.org/10.1002/asi.20591>. It is a
//! measure of expectedness: unexpectedness is −J.

use super::{Neighbours, shared, unexpected};
use crate::Error;
use crate::graph::PageId;
use crate::score::{Reason, Score, Scorer, Side};
use std::sync::Arc;

pub(in crate::score) const JACCARD: Scorer = Scorer {
    name: "jaccard",
    about: "the part of the two pages' neighbours that both have",
    inputs: "graph",
    cites: "Liben-Nowell & Kleinberg 2003",
    takes_model: false,
    reads_link: false,
    open: |inputs, _, progress| Ok(Arc::new(Jaccard::new(inputs.neighbours(progress)?))),
};

/// Scores links by the part of their ends' neighbours that both have.
#[derive(Debug, Clone)]
pub struct Jaccard {
    neighbours: Arc<Neighbours>,
}

impl Jaccard {
    /// A scorer for the links of this graph.
    pub fn new(neighbours: Arc<Neighbours>) -> Jaccard {
        Jaccard { neighbours }
    }
}

/// J(s, t) of two pages that have these neighbours in common.
pub(super) fn part(neighbours: &Neighbours, source: PageId, target: PageId, common: &[PageId]) -> f64 {
    let of_either = neighbours.of(source).len() + neighbours.of(target).len() - common.len();
    common.len() as f64 / of_either.max(1) as f64
}

impl Score for Jaccard {
    fn name(&self) -> &str {
        JACCARD.name
    }

    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        let part = |target, common: &[PageId]| unexpected(part(&self.neighbours, source, target, common));
        Ok(self.neighbours.map_common(source, targets, part))
    }

    fn reason(&self, source: PageId, target: PageId, _: Side) -> Result<Option<Reason>, Error> {
        Ok(Some(Reason::new(self.name(), shared(&self.neighbours, source, target))))
    }
}
