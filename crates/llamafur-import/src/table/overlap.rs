//! Checks that links and categories name the same pages. If not, the two files do not belong together.

use super::Warning;
use super::conf::{Table, TableConf};
use super::error::ImportError;
use crate::gather::names::Names;
use llamafur::Remedy;

/// Share of the categories' pages in the links below which something is probably wrong.
const FEW: f64 = 0.1;
/// Share of categories that are pages above which something is probably wrong.
const MANY: f64 = 0.5;

/// A set of numbers.
#[derive(Default)]
pub(crate) struct Seen {
    words: Vec<u64>,
}

impl Seen {
    /// Adds a number; returns `false` if it was present.
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

    /// Returns whether a number is in the set.
    #[inline]
    pub(crate) fn contains(&self, number: u32) -> bool {
        self.words.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        let words = (0u32..).zip(&self.words);
        words.flat_map(|(i, &word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| i * 64 + bit)
        })
    }
}

/// Compares the pages that have categories with those that have links, and the categories with the pages.
///
/// Returns warnings if the files hardly fit together.
pub(crate) fn check(
    conf: &TableConf,
    pages: &Names,
    linked: &Seen,
    categorised: &Seen,
    categories: &Names,
) -> Result<Vec<Warning>, ImportError> {
    let (mut all, mut both) = (0, 0);
    for page in categorised.iter() {
        all += 1;
        both += u64::from(linked.contains(page));
    }
    let file = |table| conf.file_of(table).map(std::path::Path::to_path_buf).unwrap_or_default();
    let (any_linked, num_categories) = (linked.iter().next().is_some(), categories.len() as u64);
    if !any_linked || all == 0 {
        return Ok(Vec::new());
    }
    let are_pages = (0..categories.len() as u32).filter(|&category| {
        let name = str::from_utf8(categories.get(category)).unwrap_or_default();
        pages.find(name).is_some_and(|page| linked.contains(page))
    });
    let are_pages = are_pages.count() as u64;
    if both == 0 {
        return Err(ImportError::NoOverlap {
            links: file(Table::Links),
            categories: file(Table::Categories),
            pages: all,
            link_examples: pages.examples(linked.iter()),
            category_examples: pages.examples(categorised.iter()),
            swapped: are_pages > 0,
        });
    }
    let few = (both as f64) < FEW * all as f64;
    let mut warnings = Vec::new();
    if are_pages > 1 && are_pages as f64 > MANY * num_categories as f64 {
        let name = crate::input::name(&file(Table::Categories));
        let problem =
            format!("{name}: {are_pages} of its {num_categories} categories are pages of the links");
        let remedy = match few {
            true => Remedy::set("columns", "categories=2,1"),
            false => Remedy::advice("check that the files of links and categories are not exchanged"),
        };
        warnings.push(Warning { problem, remedy: Some(remedy) });
    }
    Ok(warnings)
}
