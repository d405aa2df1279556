//! M4: the one word that a document uses most and the documents beside it least.
//!
//! M4(d) = max_t tf(t)·ln(|R|/df(t)), with tf(t) the frequency of term t in d divided by that of the most frequent one,
//! |R| the number of documents in R that have words, and df(t) that of those with t. F. Jacquenet & C. Largeron,
//! “Discovering unexpected documents in corpora”, Knowledge-Based Systems 22(6), 2009,
//! <https://doi.org/10.1016/j.knosys.2009.05.009>, as section 6 of the LlamaFur paper has it; the logarithm is natural,
//! as in its authors' program.

use super::result_set::{Document, Retrieval};
use crate::Error;
use crate::corpus::Corpus;
use crate::graph::PageId;
use crate::score::{Reason, Score, Scorer, Side};
use crate::words::Words;
use std::cell::OnceCell;
use std::sync::Arc;

pub(super) const SCORER: Scorer = Scorer {
    name: "m4",
    about: "M4: how strong a word the target has that few of the source's other links have",
    inputs: "graph, text",
    cites: "Jacquenet & Largeron 2009",
    takes_model: false,
    reads_link: false,
    open: |inputs, _, progress| Ok(Arc::new(M4::new(inputs.corpus(), inputs.words(progress)?))),
};

/// Scores links by the target's word that is strongest and rarest among all pages that the source links to.
pub struct M4(Retrieval);

impl M4 {
    /// A scorer for the links of a corpus by its words.
    pub fn new(corpus: &Corpus, words: Arc<Words>) -> M4 {
        M4(Retrieval::new(corpus, words))
    }
}

impl Score for M4 {
    fn name(&self) -> &str {
        SCORER.name
    }

    fn rests_on(&self) -> String {
        self.0.words().checksum()
    }

    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        // Documents that the source links to have |R| in common, and often df.
        let logarithms = OnceCell::new();
        // Each document that has a term adds one to its sum.
        self.0.score(
            source,
            targets,
            |_| 1,
            |document| {
                let num = document.num as f64;
                let logarithm = |documents: u64| (num / documents as f64).ln();
                if !document.is_linked() {
                    return strongest(document, logarithm);
                }
                let all = || (0..=document.num as u64).map(logarithm).collect();
                let known: &Vec<f64> = logarithms.get_or_init(all);
                strongest(document, |documents| known[documents as usize])
            },
        )
    }

    fn reason(&self, source: PageId, _: PageId, side: Side) -> Result<Option<Reason>, Error> {
        Ok(Some(Reason::new(self.name(), self.0.words_beside_links(source, side)?)))
    }
}

/// max_t tf(t)·ln(|R|/df(t)), given the logarithm for each df.
fn strongest<A: Fn(u16) -> u64>(document: &Document<'_, A>, logarithm: impl Fn(u64) -> f64) -> f64 {
    let highest = f64::from(document.bag.highest());
    let strength = |(term, count)| f64::from(count) / highest * logarithm(document.sum(term, count));
    document.bag.iter().map(strength).fold(0.0, f64::max)
}
