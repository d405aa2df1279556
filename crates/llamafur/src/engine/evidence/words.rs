//! Words that one target of a page has, and no other.

use crate::Error;
use crate::graph::{PageId, TermId};
use crate::interrupt;
use crate::progress::Silent;
use crate::score::Inputs;
use crate::words::Words;
use rapidhash::RapidHashMap;
use std::sync::Arc;

/// Number of words that are named.
const NAMED: usize = 2;

/// Number of times that the text must have a word.
const TIMES: u16 = 3;

/// Pages that a page links to, from which on their words are not compared.
const MOST_LINKS: usize = 2000;

/// The words of the pages that a page links to.
pub(super) struct RareWords<'a> {
    inputs: &'a Inputs,
    words: Arc<Words>,
    /// How many of the pages have each term.
    documents: RapidHashMap<TermId, u32>,
}

impl<'a> RareWords<'a> {
    /// Counts the words of the targets of a page; `None` where the corpus has none, or the targets are too many.
    pub(super) fn new(
        inputs: &'a Inputs,
        page: PageId,
        targets: &[PageId],
    ) -> Result<Option<RareWords<'a>>, Error> {
        if !inputs.corpus().has_text() || targets.len() > MOST_LINKS {
            return Ok(None);
        }
        let words = match inputs.words(&mut Silent) {
            Ok(words) => words,
            // Too few pages have a word in common.
            Err(error) if error.is_lack() => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut documents: RapidHashMap<TermId, u32> = RapidHashMap::default();
        for &target in targets {
            interrupt::check()?;
            for &term in words.bag(target)?.terms() {
                *documents.entry(term).or_default() += 1;
            }
        }
        // What the page itself speaks of is not foreign to it.
        for &term in words.bag(page)?.terms() {
            *documents.entry(term).or_default() += 2;
        }
        Ok(Some(RareWords { inputs, words, documents }))
    }

    /// Returns the most telling words of a target that neither another one nor the page has, as its text spells them.
    pub(super) fn of(&self, target: PageId) -> Result<Vec<String>, Error> {
        let bag = self.words.bag(target)?;
        let rare = bag.iter().filter(|(term, count)| {
            *count >= TIMES && self.documents.get(term).is_none_or(|documents| *documents == 1)
        });
        let rare: Vec<(TermId, u16)> = rare.collect();
        let terms: Vec<TermId> = rare.iter().map(|(term, _)| *term).collect();
        let rarities = self.words.rarities(&terms)?;
        let mut weighted: Vec<(f64, TermId)> = rare
            .iter()
            .zip(rarities)
            .map(|(&(term, count), rarity)| (crate::words::of_count(count) * rarity, term))
            .collect();
        weighted.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        weighted.truncate(2 * NAMED);
        let terms: Vec<TermId> = weighted.into_iter().map(|(_, term)| term).collect();
        if terms.is_empty() {
            return Ok(Vec::new());
        }
        let text = self.inputs.corpus().text(target)?.unwrap_or_default();
        let spelled = self.words.spelled(&text, &terms)?;
        // A number is no word that tells something.
        let is_word = |word: &String| !word.contains(|letter: char| letter.is_numeric());
        Ok(spelled.into_iter().flatten().filter(is_word).take(NAMED).collect())
    }
}
