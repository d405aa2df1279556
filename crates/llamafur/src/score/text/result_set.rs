//! A document among the documents that the source links to.

use super::scratch::Scratch;
use crate::Error;
use crate::corpus::Corpus;
use crate::graph::{PageId, TermId};
use crate::interrupt;
use crate::score::{Side, title_in_reason};
use crate::words::{Bag, Words};
use std::sync::Arc;

/// A maker of the sums over R, once for each source.
pub(super) struct Retrieval {
    corpus: Corpus,
    words: Arc<Words>,
    /// 8 bytes a term and thread.
    spare: Scratch<u64>,
}

/// A document d in the set R. R has d: where the source does not link to it, as if it did.
pub(super) struct Document<'r> {
    /// The words of d.
    pub(super) bag: Bag<'r>,
    /// The largest of the sums over R.
    pub(super) highest: u64,
    sums: &'r [u64],
    /// True if the sums are without d.
    is_apart: bool,
}

impl Document<'_> {
    /// Returns how often a term of d occurs in all of R, given how often it occurs in d.
    pub(super) fn sum(&self, term: TermId, count: u16) -> u64 {
        self.sums[term.index()] + if self.is_apart { u64::from(count) } else { 0 }
    }
}

impl Retrieval {
    pub(super) fn new(corpus: &Corpus, words: Arc<Words>) -> Retrieval {
        Retrieval { corpus: corpus.clone(), words, spare: Scratch::default() }
    }

    pub(super) fn words(&self) -> &Words {
        &self.words
    }

    /// Returns the pages that a page links to, ascending.
    pub(super) fn links(&self, source: PageId) -> Result<&[PageId], Error> {
        self.corpus.links(source)
    }

    /// Returns the reason of a scorer by these words for a side.
    pub(super) fn words_beside_links(
        &self,
        source: PageId,
        target: PageId,
        side: Side,
    ) -> Result<String, Error> {
        let [source, target] = [source, target].map(|page| title_in_reason(&self.corpus, page));
        let (source, target) = (source?, target?);
        Ok(match side {
            Side::Odd => format!("{target} has words that the other links of {source} lack"),
            Side::Expected => format!("the words of {target} are those of the other links of {source}"),
        })
    }

    /// Applies `measure` to each target; `None` for a page without words.
    pub(super) fn score(
        &self,
        source: PageId,
        targets: &[PageId],
        measure: impl Fn(&Document<'_>) -> f64,
    ) -> Result<Vec<Option<f64>>, Error> {
        let linked = self.links(source)?;
        let bags = linked.iter().map(|&page| self.words.bag(page)).collect::<Result<Vec<_>, _>>()?;
        let mut sums = self.spare.take(self.words.num_terms());
        let mut highest = 0;
        for (term, count) in bags.iter().flat_map(|bag| bag.iter()) {
            let sum = &mut sums[term.index()];
            *sum += u64::from(count);
            highest = highest.max(*sum);
        }
        let score = |&target: &PageId| {
            interrupt::check()?;
            let sums = &sums[..];
            let document = match linked.binary_search(&target) {
                Ok(at) => Document { bag: bags[at], highest, sums, is_apart: false },
                Err(_) => {
                    let bag = self.words.bag(target)?;
                    let own = bag.iter().map(|(term, count)| sums[term.index()] + u64::from(count)).max();
                    Document { bag, highest: highest.max(own.unwrap_or(0)), sums, is_apart: true }
                }
            };
            Ok((!document.bag.is_empty()).then(|| measure(&document)))
        };
        let scores = targets.iter().map(score).collect();
        bags.iter().flat_map(|bag| bag.terms()).for_each(|term| sums[term.index()] = 0);
        self.spare.put_back(sums);
        scores
    }
}
