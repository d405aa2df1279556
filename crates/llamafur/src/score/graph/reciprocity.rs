//! Reciprocity: a link to a page that links back is expected.
//!
//! unexpectedness(s, t) = 0 if t links to s, 1 if not. Links of Wikipedia are reciprocated far more often than by
//! chance: V. Zlatić, M. Božičević, H. Štefančić & M. Domazet, “Wikipedias: Collaborative web-based encyclopedias as
//! complex networks”, Physical Review E 74, 016115, 2006, <https://doi.org/10.1103/PhysRevE.74.016115>.

use crate::Error;
use crate::corpus::Corpus;
use crate::graph::PageId;
use crate::interrupt;
use crate::score::{Reason, Score, Scorer, Side, Suffix, title_in_reason};
use std::sync::Arc;

pub(in crate::score) const RECIPROCITY: Scorer = Scorer {
    name: "reciprocity",
    about: "whether the target links back",
    inputs: "graph",
    cites: "",
    model: None,
    suffix: Suffix::None,
    reads_link: false,
    open: |inputs, _, _| Ok(Arc::new(Reciprocity::new(inputs.corpus()))),
};

/// A scorer of links by whether the target links back.
#[derive(Debug, Clone)]
pub(crate) struct Reciprocity {
    corpus: Corpus,
}

impl Reciprocity {
    /// Creates a scorer for the links of a corpus; the targets' links are read when scoring.
    pub(crate) fn new(corpus: &Corpus) -> Reciprocity {
        Reciprocity { corpus: corpus.clone() }
    }
}

impl Score for Reciprocity {
    fn name(&self) -> &str {
        RECIPROCITY.name
    }

    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        let score = |&target: &PageId| {
            interrupt::check()?;
            let is_answered = self.corpus.links(target)?.binary_search(&source).is_ok();
            Ok(Some(if is_answered { 0.0 } else { 1.0 }))
        };
        targets.iter().map(score).collect()
    }

    fn reason(&self, source: PageId, target: PageId, side: Side) -> Result<Option<Reason>, Error> {
        let is_answered = self.corpus.links(target)?.binary_search(&source).is_ok();
        let links = match (is_answered, side) {
            (false, Side::Odd) => "does not link back",
            (true, Side::Expected) => "links back",
            _ => return Ok(None),
        };
        Ok(Some(Reason::new(self.name(), format!("{} {links}", title_in_reason(&self.corpus, target)?))))
    }
}
