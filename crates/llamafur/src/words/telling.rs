//! The words that tell most about a page: its own, for a matrix to learn from as from categories.
//!
//! A term's weight in a page is (1 + ln c)·ln(n/df), as for [`cosine`](crate::score), with c how often it occurs there. The
//! terms of highest weight are the page's: ten of its whole text, twenty of its lead, the first 200 words. A term of more than
//! a fifth of all pages tells nothing.

use super::Words;
use super::weights::of_count;
use crate::Error;
use crate::categories::{Categories, Feature, PageLists};
use crate::corpus::Corpus;
use crate::error::Missing;
use crate::graph::{MilestoneId, PageId, TermId};
use crate::storage::{Csr, CsrBuf};
use std::sync::{Arc, OnceLock};

/// The part of a text that words are from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextPart {
    /// The whole text.
    Whole,
    /// The first 200 words.
    Lead,
}

impl TextPart {
    /// Returns the part of the text that a feature is of; `None` of one that is not of the text.
    pub(crate) fn of(feature: Feature) -> Option<TextPart> {
        match feature {
            Feature::Categories => None,
            Feature::Words => Some(TextPart::Whole),
            Feature::Lead => Some(TextPart::Lead),
        }
    }

    fn feature(self) -> Feature {
        match self {
            TextPart::Whole => Feature::Words,
            TextPart::Lead => Feature::Lead,
        }
    }

    /// Returns the number of terms that a page has at most.
    pub(super) fn most(self) -> usize {
        match self {
            TextPart::Whole => 10,
            TextPart::Lead => 20,
        }
    }
}

/// The denominator of the largest share of pages that have a term which tells something.
const ONE_PAGE_IN: u64 = 5;

/// Returns whether a term that `documents` of `num_pages` pages have tells something.
fn tells(documents: u32, num_pages: u64) -> bool {
    u64::from(documents) * ONE_PAGE_IN <= num_pages
}

/// Returns the most telling of these terms, each with its count in the page and the number of pages that have it;
/// ascending. `rarity` returns ln(n/df) of a term.
pub(super) fn telling(
    words: impl Iterator<Item = (u32, u16, u32)>,
    most: usize,
    num_pages: u64,
    rarity: impl Fn(u32) -> f64,
) -> Vec<u32> {
    let tells = |&(_, count, documents): &(u32, u16, u32)| count > 0 && tells(documents, num_pages);
    let weighted = |(term, count, _): (u32, u16, u32)| (of_count(count) * rarity(term), term);
    let mut weighted: Vec<(f64, u32)> = words.filter(tells).map(weighted).collect();
    let heavier = |a: &(f64, u32), b: &(f64, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if weighted.len() > most {
        weighted.select_nth_unstable_by(most, heavier);
        weighted.truncate(most);
    }
    let mut terms: Vec<u32> = weighted.into_iter().map(|(_, term)| term).collect();
    terms.sort_unstable();
    terms
}

/// The most telling words of every page, as if they were its categories.
#[derive(Debug)]
struct TellingWords {
    words: Arc<Words>,
    part: TextPart,
    all: OnceLock<CsrBuf<MilestoneId>>,
}

impl Words {
    /// Returns what the words lack for a matrix to be learnt over them; `None` if nothing.
    pub fn lack(&self) -> Result<Option<Missing>, Error> {
        let (min_pages, num_pages) = (self.settings().min_documents, self.settings().figures.documents);
        if self.num_terms() == 0 {
            return Ok(Some(Missing::Terms { min_pages }));
        }
        // Mostly one of the first: no need to read the whole dictionary.
        for term in 0..self.num_terms() {
            if tells(self.documents_of(TermId(term as u32))?, num_pages) {
                return Ok(None);
            }
        }
        Ok(Some(Missing::TellingTerms { min_pages }))
    }
}

/// Returns the most telling words of a corpus's pages in the place of categories.
pub(crate) fn as_categories(corpus: &Corpus, words: &Arc<Words>, part: TextPart) -> Categories {
    let all = OnceLock::new();
    Categories::of_lists(corpus, Arc::new(TellingWords { words: words.clone(), part, all }))
}

impl PageLists for TellingWords {
    fn feature(&self) -> Feature {
        self.part.feature()
    }

    fn checksum(&self) -> String {
        self.words.checksum()
    }

    fn num(&self) -> usize {
        self.words.num_terms()
    }

    fn of(&self, page: PageId) -> Result<&[MilestoneId], Error> {
        Ok(bytemuck::cast_slice(self.words.telling(page, self.part)?))
    }

    fn of_text(&self, text: &str) -> Result<Vec<MilestoneId>, Error> {
        Ok(bytemuck::cast_slice(self.words.of_text(text)?.telling(self.part)).to_vec())
    }

    fn name(&self, id: MilestoneId) -> Result<&str, Error> {
        self.words.spelling(TermId(id.0))
    }

    fn all(&self) -> Result<Csr<'_, MilestoneId>, Error> {
        if self.all.get().is_none() {
            let mut all = CsrBuf::new();
            for page in 0..self.words.num_pages() as u32 {
                all.push_row(self.of(PageId(page))?.iter().copied());
            }
            let _ = self.all.set(all);
        }
        Ok(self.all.get().expect("it was just set").view())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_and_frequent_words_tell_most_and_common_ones_nothing() {
        // Of 100 pages: term 0 is in 21, 1 in 20, 2 in 2, 3 in 2; 1 is used three times.
        let words = [(0, 9, 21), (1, 3, 20), (2, 1, 2), (3, 0, 2)];
        let rarity = |term: u32| (100.0 / f64::from(words[term as usize].2)).ln();
        assert_eq!(telling(words.into_iter(), 9, 100, rarity), [1, 2]);
        // Equal weights: the first terms.
        let many = (0..50u32).map(|term| (term, 1, 10));
        assert_eq!(telling(many, 20, 100, |_| 10f64.ln()), (0..20).collect::<Vec<u32>>());
        assert!(telling([].into_iter(), 9, 0, |_| 1.0).is_empty());
    }
}
