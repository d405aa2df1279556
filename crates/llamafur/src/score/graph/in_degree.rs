//! In-degree: a link to a page that few link to is unexpected, whatever page it is on.
//!
//! unexpectedness(s, t) = −ln(1 + d(t)), with d(t) the number of pages that link to t. Pages get links in proportion to
//! those they have, so d(t) says how expected t is as a target by its fame alone: A.-L. Barabási & R. Albert,
//! “Emergence of Scaling in Random Networks”, Science 286, 1999, <https://doi.org/10.1126/science.286.5439.509>. The
//! logarithm, natural and of 1 more, makes factors into differences and keeps a page without links at 0.

use super::unexpected;
use crate::Error;
use crate::graph::{Neighbours, PageId};
use crate::interrupt;
use crate::score::{Reason, Score, Scorer, Side, Suffix};
use std::sync::Arc;

pub(in crate::score) const IN_DEGREE: Scorer = Scorer {
    name: "in-degree",
    about: "how many pages link to the target, few being unexpected",
    inputs: "graph",
    cites: "Barabási & Albert 1999",
    model: None,
    suffix: Suffix::None,
    reads_link: false,
    open: |inputs, _, progress| Ok(Arc::new(InDegree::new(inputs.neighbours(progress)?))),
};

/// A scorer of links by the in-degree of the target.
#[derive(Debug, Clone)]
pub(crate) struct InDegree {
    neighbours: Arc<Neighbours>,
}

impl InDegree {
    /// Creates a scorer by the number of links to each page.
    pub(crate) fn new(neighbours: Arc<Neighbours>) -> InDegree {
        InDegree { neighbours }
    }
}

impl Score for InDegree {
    fn name(&self) -> &str {
        IN_DEGREE.name
    }

    fn score(&self, _: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        let score = |&target: &PageId| {
            interrupt::check()?;
            let num_links = self.neighbours.in_degree(target)?;
            Ok(unexpected((1.0 + f64::from(num_links)).ln()))
        };
        targets.iter().map(score).collect()
    }

    fn reason(&self, _: PageId, target: PageId, side: Side) -> Result<Option<Reason>, Error> {
        let text = match (self.neighbours.in_degree(target)?, side) {
            (0 | 1, Side::Odd) => "no other page links there".into(),
            (links, Side::Odd) => format!("only {links} pages link there"),
            (1, Side::Expected) => "1 page links there".into(),
            (links, Side::Expected) => format!("{links} pages link there"),
        };
        Ok(Some(Reason::new(self.name(), text)))
    }
}
