//! Do the categories speak of the pages that the links speak of? If not, the two files do not belong together.

use super::conf::{Table, TableConf};
use super::error::ImportError;
use crate::gather::names::Names;

/// Below this share of the categories' pages, something is probably wrong.
const FEW: f64 = 0.1;

/// A set of numbers.
#[derive(Default)]
pub(crate) struct Seen {
    words: Vec<u64>,
}

impl Seen {
    /// Adds a number; `false` if it was there.
    #[inline]
    pub(crate) fn insert(&mut self, number: u32) -> bool {
        let word = number as usize / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let bit = 1 << (number % 64);
        let new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        new
    }

    fn iter(&self) -> impl Iterator<Item = u32> {
        let words = (0u32..).zip(&self.words);
        words.flat_map(|(i, &word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| i * 64 + bit)
        })
    }
}

/// Compares the pages that have categories with those that have links, which are the first `linked` ones.
///
/// Returns a warning where they have little in common.
pub(crate) fn check(
    conf: &TableConf,
    pages: &Names,
    linked: usize,
    categorised: &Seen,
    categories: &Names,
) -> Result<Option<String>, ImportError> {
    let (mut all, mut both) = (0, 0);
    for page in categorised.iter() {
        all += 1;
        both += u64::from((page as usize) < linked);
    }
    if linked == 0 || all == 0 || both as f64 >= FEW * all as f64 {
        return Ok(None);
    }
    if both > 0 {
        return Ok(Some(format!(
            "only {both} of the {all} pages with categories have a link: do both files spell names alike?"
        )));
    }
    let file = |table| conf.file_of(table).map(Into::into).unwrap_or_default();
    let swapped = (0..categories.len() as u32).filter(|&category| {
        let name = str::from_utf8(categories.get(category)).unwrap_or_default();
        pages.find(name).is_some_and(|page| (page as usize) < linked)
    });
    let hint = if swapped.take(1).count() > 0 {
        "its second column does hold pages of the links: are the columns swapped? (--columns categories=2,1)"
    } else {
        "spelling, case, underscores or the order of the columns may differ"
    };
    Err(ImportError::NoOverlap {
        links: file(Table::Links),
        categories: file(Table::Categories),
        pages: all,
        link_examples: pages.examples(0..linked as u32),
        category_examples: pages.examples(categorised.iter()),
        hint,
    })
}
