//! M2: by how much a document uses its words more than the documents beside it.
//!
//! M2(d) = Σ_t max(0, tf(t, d) − tf(t, R))/m, with m the number of terms in the dictionary and tf the normalised term
//! frequency: the frequency of a term, in R of all documents together, divided by that of the most frequent one.
//! F. Jacquenet & C. Largeron, “Discovering unexpected documents in corpora”, Knowledge-Based Systems 22(6), 2009,
//! <https://doi.org/10.1016/j.knosys.2009.05.009>, as section 6 of the LlamaFur paper has it.
//!
//! # Differences from the paper
//! None; its authors' program takes d's own counts out of R and keeps the highest frequency of R with them.

use super::result_set::Retrieval;
use crate::Error;
use crate::corpus::Corpus;
use crate::graph::PageId;
use crate::score::{Reason, Score, Scorer, Side};
use crate::words::Words;
use std::sync::Arc;

pub(super) const SCORER: Scorer = Scorer {
    name: "m2",
    about: "M2: by how much the target uses its words more than the source's other links",
    inputs: "graph, text",
    cites: "Jacquenet & Largeron 2009",
    takes_model: false,
    reads_link: false,
    open: |inputs, _, progress| Ok(Arc::new(M2::new(inputs.corpus(), inputs.words(progress)?))),
};

/// Scores links by how much more the target uses its words than all pages that the source links to.
pub struct M2(Retrieval);

impl M2 {
    /// A scorer for the links of a corpus by its words.
    pub fn new(corpus: &Corpus, words: Arc<Words>) -> M2 {
        M2(Retrieval::new(corpus, words))
    }
}

impl Score for M2 {
    fn name(&self) -> &str {
        SCORER.name
    }

    fn rests_on(&self) -> String {
        self.0.words().checksum()
    }

    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        let num_terms = self.0.words().num_terms() as f64;
        self.0.score(source, targets, u64::from, |document| {
            let (in_d, in_r) = (f64::from(document.bag.highest()), document.highest as f64);
            let unexpected = document.bag.iter().map(|(term, count)| {
                (f64::from(count) / in_d - document.sum(term, count) as f64 / in_r).max(0.0)
            });
            unexpected.sum::<f64>() / num_terms
        })
    }

    fn reason(&self, source: PageId, _: PageId, side: Side) -> Result<Option<Reason>, Error> {
        Ok(Some(Reason::new(self.name(), self.0.words_beside_links(source, side)?)))
    }
}
