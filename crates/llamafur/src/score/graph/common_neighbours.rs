//! Common neighbours: two pages are expected to link the more neighbours they share.
//!
//! CN(s, t) = |Γ(s) ∩ Γ(t)|, with Γ(s) the pages that s links to or that link to s: M. E. J. Newman, “Clustering and
//! preferential attachment in growing networks”, Physical Review E 64, 025102, 2001,
//! <https://doi.org/10.1103/PhysRevE.64.025102>. It is a measure of expectedness: unexpectedness is −CN.

use super::{Neighbours, shared, unexpected};
use crate::Error;
use crate::graph::PageId;
use crate::score::{Reason, Score, Scorer, Side};
use std::sync::Arc;

pub(in crate::score) const COMMON_NEIGHBOURS: Scorer = Scorer {
    name: "cn",
    about: "how many neighbours the two pages share",
    inputs: "graph",
    cites: "Liben-Nowell & Kleinberg 2003",
    takes_model: false,
    reads_link: false,
    open: |inputs, _, progress| Ok(Arc::new(CommonNeighbours::new(inputs.neighbours(progress)?))),
};

/// Scores links by how many neighbours their ends share.
#[derive(Debug, Clone)]
pub struct CommonNeighbours {
    neighbours: Arc<Neighbours>,
}

impl CommonNeighbours {
    /// A scorer for the links of this graph.
    pub fn new(neighbours: Arc<Neighbours>) -> CommonNeighbours {
        CommonNeighbours { neighbours }
    }
}

impl Score for CommonNeighbours {
    fn name(&self) -> &str {
        COMMON_NEIGHBOURS.name
    }

    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        Ok(self.neighbours.map_common(source, targets, |_, common| unexpected(common.len() as f64)))
    }

    fn reason(&self, source: PageId, target: PageId, _: Side) -> Result<Option<Reason>, Error> {
        Ok(Some(Reason::new(self.name(), shared(&self.neighbours, source, target))))
    }
}
