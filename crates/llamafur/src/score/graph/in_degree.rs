//! In-degree: a link to a page that few link to is unexpected, whatever page it is on.
//!
//! unexpectedness(s, t) = −ln(1 + d(t)), with d(t) how many pages link to t. Pages get
//! links in proportion to those they have, so d(t) says how expected t is as a target by its fame alone: A.-L. Barabási
//! & R. Albert, “Emergence of Scaling in Random Networks”, Science 286, 1999, <https://doi.org/10.1126/science.286.5439.509>.
//! The logarithm, natural and of 1 more, makes factors into differences and keeps a page without links at 0.

use super::unexpected;
use crate::Error;
use crate::graph::PageId;
use crate::score::{Score, Scorer};
use crate::storage::Csr;

pub(in crate::score) const IN_DEGREE: Scorer = Scorer {
    name: "in-degree",
    about: "how many pages link to the target, few being unexpected",
    inputs: "graph",
    cites: "Barabási & Albert 1999",
    takes_model: false,
    reads_link: false,
    open: |inputs, _, _| Ok(Box::new(InDegree::new(inputs.corpus().all_links()?))),
};

/// Scores links by how many others have the same target.
#[derive(Debug, Clone)]
pub struct InDegree {
    /// How many pages link to each page.
    num_links: Vec<u32>,
}

impl InDegree {
    /// A scorer for these links; it takes 4 bytes a page.
    pub fn new(links: Csr<'_, PageId>) -> InDegree {
        let mut num_links = vec![0u32; links.num_rows()];
        for target in links.values() {
            num_links[target.index()] += 1;
        }
        InDegree { num_links }
    }
}

impl Score for InDegree {
    fn name(&self) -> &str {
        IN_DEGREE.name
    }

    fn score(&self, _: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        let expectedness = |target: &PageId| (1.0 + f64::from(self.num_links[target.index()])).ln();
        Ok(targets.iter().map(|target| unexpected(expectedness(target))).collect())
    }
}
