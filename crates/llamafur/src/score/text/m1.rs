//! M1: the share of a document's words that the documents beside it use less.
//!
//! M1(d) = Σ_t U(t)/m with U(t) = 1 − tf(t, R)/tf(t, d) where that is not negative, and 0 otherwise or where t is not in
//! d; m is the number of terms in the dictionary, and tf the normalised term frequency: the frequency of a term, in R of
//! all documents together, divided by that of the most frequent one. B. Liu, Y. Ma & P. S. Yu, “Discovering Unexpected
//! Information from Your Competitors' Web Sites”, KDD 2001, <https://doi.org/10.1145/502512.502534>, as F. Jacquenet &
//! C. Largeron, “Discovering unexpected documents in corpora”, Knowledge-Based Systems 22(6), 2009, call it,
//! <https://doi.org/10.1016/j.knosys.2009.05.009>.
//!
//! # Quirks
//! The LlamaFur paper names M1 without its formula, which stands here as it is quoted elsewhere: whether its authors
//! took m for the terms of the dictionary or of the documents compared is not certain. With the dictionary's, long
//! documents are the more unexpected, since they have more terms that can be.

use super::result_set::Retrieval;
use crate::Error;
use crate::corpus::Corpus;
use crate::graph::PageId;
use crate::score::{Reason, Score, Scorer, Side};
use crate::words::Words;
use std::sync::Arc;

pub(super) const SCORER: Scorer = Scorer {
    name: "m1",
    about: "M1: how many words of the target the source's other links use less, by ratio",
    inputs: "graph, text",
    cites: "Liu, Ma & Yu 2001",
    takes_model: false,
    reads_link: false,
    open: |inputs, _, progress| Ok(Arc::new(M1::new(inputs.corpus(), inputs.words(progress)?))),
};

/// Scores links by the ratio of the target's words to those of all pages that the source links to.
pub struct M1(Retrieval);

impl M1 {
    /// A scorer for the links of a corpus by its words.
    pub fn new(corpus: &Corpus, words: Arc<Words>) -> M1 {
        M1(Retrieval::new(corpus, words))
    }
}

impl Score for M1 {
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
                let (tf_d, tf_r) = (f64::from(count) / in_d, document.sum(term, count) as f64 / in_r);
                (1.0 - tf_r / tf_d).max(0.0)
            });
            unexpected.sum::<f64>() / num_terms
        })
    }

    fn reason(&self, source: PageId, _: PageId, side: Side) -> Result<Option<Reason>, Error> {
        Ok(Some(Reason::new(self.name(), self.0.words_beside_links(source, side)?)))
    }
}
