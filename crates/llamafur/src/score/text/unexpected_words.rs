//! M1, M2, M4: how unexpected the words of a document d are in a set R of documents. As in section 6 of the LlamaFur
//! paper, d is the target of a link and R are the pages that the source links to.
//!
//! tf is the normalised term frequency: the frequency of a term, in R of all documents together, divided by that of the
//! most frequent one; m is the number of terms in the dictionary.
//!
//! * M1(d) = Σ_t U(t)/m with U(t) = 1 − tf(t, R)/tf(t, d) where that is not negative, and 0 otherwise or where t is not
//!   in d: the share of a document's words that the documents beside it use less. B. Liu, Y. Ma & P. S. Yu, “Discovering
//!   Unexpected Information from Your Competitors' Web Sites”, KDD 2001, <https://doi.org/10.1145/502512.502534>.
//! * M2(d) = Σ_t max(0, tf(t, d) − tf(t, R))/m: by how much a document uses its words more than the documents beside it.
//! * M4(d) = max_t tf(t, d)·ln(|R|/df(t)), with |R| the number of documents in R that have words, and df(t) that of those
//!   with t: the one word that a document uses most and the documents beside it least. The logarithm is natural, as in
//!   the program of the paper's authors.
//!
//! The names, M2 and M4 are those of F. Jacquenet & C. Largeron, “Discovering unexpected documents in corpora”,
//! Knowledge-Based Systems 22(6), 2009, <https://doi.org/10.1016/j.knosys.2009.05.009>, as in section 6 of the LlamaFur
//! paper. For M2 its authors' program takes d's own counts out of R and keeps the highest frequency of R with them.
//!
//! # Quirks
//! The LlamaFur paper names M1 without its formula, which is given here as quoted elsewhere: it is not certain whether
//! its authors took m for the terms of the dictionary or of the documents compared. With the dictionary's, long
//! documents are the more unexpected, since they have more terms that can be.

use super::result_set::Retrieval;
use super::scratch::Scratch;
use crate::Error;
use crate::corpus::Corpus;
use crate::graph::PageId;
use crate::interrupt;
use crate::progress::Progress;
use crate::score::scorers::Opened;
use crate::score::{Inputs, Reason, Score, Scorer, Side, Suffix};
use crate::words::{Bag, Words};
use std::cell::OnceCell;
use std::sync::Arc;

pub(in crate::score) const M1: Scorer = Scorer {
    name: "m1",
    about: "M1: how many words of the target the source's other links use less, by ratio",
    inputs: "graph, text",
    cites: "Liu, Ma & Yu 2001",
    model: None,
    suffix: Suffix::None,
    reads_link: false,
    open: |inputs, _, progress| open(inputs, Measure::M1, progress),
};

pub(in crate::score) const M2: Scorer = Scorer {
    name: "m2",
    about: "M2: by how much the target uses its words more than the source's other links",
    inputs: "graph, text",
    cites: "Jacquenet & Largeron 2009",
    model: None,
    suffix: Suffix::None,
    reads_link: false,
    open: |inputs, _, progress| open(inputs, Measure::M2, progress),
};

pub(in crate::score) const M4: Scorer = Scorer {
    name: "m4",
    about: "M4: how strong a word the target has that few of the source's other links have",
    inputs: "graph, text",
    cites: "Jacquenet & Largeron 2009",
    model: None,
    suffix: Suffix::None,
    reads_link: false,
    open: |inputs, _, progress| open(inputs, Measure::M4, progress),
};

fn open(inputs: &Inputs, measure: Measure, progress: &mut dyn Progress) -> Opened {
    Ok(Arc::new(UnexpectedWords::new(measure, inputs.corpus(), inputs.words(progress)?)))
}

/// One of the three measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    M1,
    M2,
    M4,
}

/// A scorer of links by the words of the target among those of all pages that the source links to.
pub(super) struct UnexpectedWords {
    measure: Measure,
    retrieval: Retrieval,
    /// Number of documents of R with each term: 4 bytes a term and thread.
    documents: Scratch<u32>,
}

impl UnexpectedWords {
    /// Creates a scorer for the links of a corpus by its words.
    pub(super) fn new(measure: Measure, corpus: &Corpus, words: Arc<Words>) -> UnexpectedWords {
        UnexpectedWords { measure, retrieval: Retrieval::new(corpus, words), documents: Scratch::default() }
    }

    /// Returns Σ_t of `unexpected` of tf(t, d) and tf(t, R), divided by m.
    fn mean(
        &self,
        source: PageId,
        targets: &[PageId],
        unexpected: impl Fn(f64, f64) -> f64,
    ) -> Result<Vec<Option<f64>>, Error> {
        let num_terms = self.retrieval.words().num_terms() as f64;
        self.retrieval.score(source, targets, |document| {
            let (in_d, in_r) = (f64::from(document.bag.highest()), document.highest as f64);
            let of_terms = document.bag.iter().map(|(term, count)| {
                unexpected(f64::from(count) / in_d, document.sum(term, count) as f64 / in_r).max(0.0)
            });
            of_terms.sum::<f64>() / num_terms
        })
    }

    /// Returns max_t tf(t, d)·ln(|R|/df(t)).
    fn strongest(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        let words = self.retrieval.words();
        let linked = self.retrieval.links(source)?;
        let bags = words.bags(linked)?;
        let mut documents = self.documents.take(words.num_terms());
        bags.iter().flat_map(|bag| bag.terms()).for_each(|term| documents[term.index()] += 1);
        let num = bags.iter().filter(|bag| !bag.is_empty()).count();
        // ln(|R|/df) for each df: of the documents that the source links to, and with one more.
        let logarithms = |num: usize| (0..=num).map(move |df| (num as f64 / df as f64).ln()).collect();
        let of_linked: Vec<f64> = logarithms(num);
        let of_others: OnceCell<Vec<f64>> = OnceCell::new();
        let score = |&target: &PageId| {
            interrupt::check()?;
            match linked.binary_search(&target) {
                Ok(at) => Ok(strongest(bags[at], &documents, &of_linked, 1)),
                Err(_) => {
                    // It is not counted yet, so that its terms are in one document more.
                    let of_others = of_others.get_or_init(|| logarithms(num + 1));
                    Ok(strongest(words.bag(target)?, &documents, &of_others[1..], 0))
                }
            }
        };
        let scores = targets.iter().map(score).collect();
        bags.iter().flat_map(|bag| bag.terms()).for_each(|term| documents[term.index()] = 0);
        self.documents.put_back(documents);
        scores
    }
}

impl Score for UnexpectedWords {
    fn name(&self) -> &str {
        match self.measure {
            Measure::M1 => M1.name,
            Measure::M2 => M2.name,
            Measure::M4 => M4.name,
        }
    }

    fn rests_on(&self) -> String {
        self.retrieval.words().checksum()
    }

    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        match self.measure {
            Measure::M1 => self.mean(source, targets, |tf_d, tf_r| 1.0 - tf_r / tf_d),
            Measure::M2 => self.mean(source, targets, |tf_d, tf_r| tf_d - tf_r),
            Measure::M4 => self.strongest(source, targets),
        }
    }

    fn reason(&self, source: PageId, target: PageId, side: Side) -> Result<Option<Reason>, Error> {
        Ok(Some(Reason::new(self.name(), self.retrieval.words_beside_links(source, target, side)?)))
    }
}

/// Returns max_t tf(t)·ln(|R|/df(t)) of a document, given df(t) of each term, the logarithm for each df, and the least
/// df; `None` for a document without words.
fn strongest(bag: Bag<'_>, documents: &[u32], logarithms: &[f64], least: usize) -> Option<f64> {
    if bag.is_empty() {
        return None;
    }
    // What a term of the least df has for each time it occurs. Most terms occur so seldom that they could not be the
    // strongest whatever their df, and are not looked at.
    let most = logarithms[least];
    let (mut strongest, mut too_seldom) = (0.0, 0);
    for (term, count) in bag.iter().filter(|_| most > 0.0) {
        if count > too_seldom {
            let strength = f64::from(count) * logarithms[documents[term.index()] as usize];
            if strength > strongest {
                strongest = strength;
                let times = (strongest / most) as u16;
                // The quotient may have been rounded up.
                too_seldom = times - u16::from(f64::from(times) * most > strongest);
            }
        }
    }
    Some(strongest / f64::from(bag.highest()))
}
