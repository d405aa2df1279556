//! All terms that occur in enough pages, in order: the dictionaries of all parts merged.
//!
//! The merge reads the parts' dictionaries side by side, each in its order, so that memory holds what is kept and no rare
//! term. Several threads merge a stretch of the alphabet each.

use super::names::{InOne, is_better};
use super::part::Part;
use super::weights::rarity;
use crate::Error;
use rayon::prelude::*;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// The number of a term that is not in the dictionary.
pub(super) const RARE: u32 = u32::MAX;

/// Stretches of the alphabet for each thread.
const STRETCHES: usize = 4;

/// The terms that occur in enough pages, in order.
#[derive(Default)]
pub(super) struct Dictionary {
    pub(super) terms: InOne,
    pub(super) spellings: InOne,
    /// The number of pages in which each occurs.
    pub(super) documents: Vec<u32>,
    /// The number of pages that have a term of it.
    pub(super) num_pages: u64,
    /// ln(n/df) of each term.
    pub(super) rarity: Vec<f64>,
}

impl Dictionary {
    /// Merges the terms that occur in at least `min_documents` pages of all parts.
    pub(super) fn merge(parts: &[Part], min_documents: usize) -> Result<Dictionary, Error> {
        let bounds = bounds(parts, STRETCHES * rayon::current_num_threads())?;
        let stretch = |at: usize| {
            let start = at.checked_sub(1).map(|before| bounds[before].as_str());
            merge_stretch(parts, start, bounds.get(at).map(String::as_str), min_documents)
        };
        let stretches = (0..=bounds.len()).into_par_iter().map(stretch);
        let mut dictionary = Dictionary::default();
        for stretch in stretches.collect::<Result<Vec<_>, Error>>()? {
            dictionary.terms.append(&stretch.terms);
            dictionary.spellings.append(&stretch.spellings);
            dictionary.documents.extend(stretch.documents);
        }
        let with_terms = parts.par_iter().map(|part| dictionary.num_with_terms(part, min_documents));
        dictionary.num_pages = with_terms.sum::<Result<u64, Error>>()?;
        let documents = dictionary.documents.par_iter();
        dictionary.rarity =
            documents.map(|&documents| rarity(dictionary.num_pages, documents)).collect::<Vec<f64>>();
        Ok(dictionary)
    }

    /// Returns the number of pages of a part that have a term of the dictionary.
    fn num_with_terms(&self, part: &Part, min_documents: usize) -> Result<u64, Error> {
        let mut numbers = None;
        let mut num = 0;
        for (page, &documents) in part.commonest()?.iter().enumerate() {
            // A term that is in enough pages of the part needs no others; without it, few pages are left.
            if documents as usize >= min_documents {
                num += 1;
            } else if documents > 0 {
                let numbers = match &numbers {
                    Some(numbers) => numbers,
                    None => numbers.insert(self.numbers(part)?),
                };
                let is_kept = |word: super::packed::Counted| numbers[word.term as usize] != RARE;
                num += u64::from(super::packed::unpack(part.bag(page)?).any(is_kept));
            }
        }
        Ok(num)
    }

    /// Returns the number of each term of a part in this dictionary, or [`RARE`].
    pub(super) fn numbers(&self, part: &Part) -> Result<Vec<u32>, Error> {
        let mut numbers = Vec::with_capacity(part.num_terms());
        let mut at = 0;
        for local in 0..part.num_terms() {
            let term = part.term(local)?;
            at = self.first_from(at, term);
            let is_it = at < self.terms.len() && self.terms.get(at) == term;
            numbers.push(if is_it { at as u32 } else { RARE });
        }
        Ok(numbers)
    }

    /// Finds the first term from a place on that is not before another one, which is mostly near.
    fn first_from(&self, start: usize, term: &str) -> usize {
        let is_before = |at: usize| at < self.terms.len() && self.terms.get(at) < term;
        let (mut low, mut step) = (start, 1);
        while is_before(low + step - 1) {
            low += step;
            step *= 2;
        }
        let mut high = (low + step - 1).min(self.terms.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if is_before(middle) { low = middle + 1 } else { high = middle }
        }
        low
    }
}

/// Returns terms that cut the alphabet into about `num` stretches of equal length.
fn bounds(parts: &[Part], num: usize) -> Result<Vec<String>, Error> {
    let Some(largest) = parts.iter().max_by_key(|part| part.num_terms()) else { return Ok(Vec::new()) };
    let places = (1..num).map(|at| largest.num_terms() * at / num);
    let mut bounds = places
        .filter(|&place| place < largest.num_terms())
        .map(|place| largest.term(place).map(str::to_owned))
        .collect::<Result<Vec<_>, Error>>()?;
    bounds.dedup();
    Ok(bounds)
}

/// The next term of a part; the first in order is the greatest, for a heap.
#[derive(PartialEq, Eq)]
struct Next<'p> {
    /// The first bytes of the term, which mostly decide the order.
    first: Reverse<u64>,
    term: Reverse<&'p str>,
    part: usize,
    number: usize,
}

impl<'p> Next<'p> {
    fn new(parts: &'p [Part], part: usize, number: usize, end: Option<&str>) -> Result<Option<Self>, Error> {
        if number >= parts[part].num_terms() {
            return Ok(None);
        }
        let term = parts[part].term(number)?;
        let mut first = [0; 8];
        let length = term.len().min(8);
        first[..length].copy_from_slice(&term.as_bytes()[..length]);
        let first = Reverse(u64::from_be_bytes(first));
        Ok(end.is_none_or(|end| term < end).then_some(Next { first, term: Reverse(term), part, number }))
    }
}

impl Ord for Next<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.first.cmp(&other.first).then_with(|| self.term.cmp(&other.term))
    }
}

impl PartialOrd for Next<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Merges the terms from `start` to before `end`, without their rarity.
fn merge_stretch(
    parts: &[Part],
    start: Option<&str>,
    end: Option<&str>,
    min_documents: usize,
) -> Result<Dictionary, Error> {
    let documents = parts.iter().map(Part::documents).collect::<Result<Vec<_>, Error>>()?;
    let mut heap = BinaryHeap::new();
    for part in 0..parts.len() {
        let first = start.map_or(Ok(0), |start| first_from(&parts[part], start))?;
        heap.extend(Next::new(parts, part, first, end)?);
    }
    let mut merged = Dictionary::default();
    let mut same: Vec<(usize, usize)> = Vec::new();
    while let Some(next) = heap.peek() {
        let term = next.term.0;
        same.clear();
        let mut num = 0;
        while let Some(mut next) = heap.peek_mut() {
            if next.term.0 != term {
                break;
            }
            same.push((next.part, next.number));
            num += documents[next.part][next.number];
            match Next::new(parts, next.part, next.number + 1, end)? {
                Some(after) => *next = after,
                None => drop(std::collections::binary_heap::PeekMut::pop(next)),
            }
        }
        if num as usize >= min_documents {
            let mut shown = "";
            for &(part, number) in &same {
                let spelling = parts[part].spelling(number)?;
                if shown.is_empty() || is_better(spelling, shown) {
                    shown = spelling;
                }
            }
            merged.terms.push(term);
            merged.spellings.push(shown);
            merged.documents.push(num);
        }
    }
    Ok(merged)
}

/// Finds the first term of a part that is not before another one.
fn first_from(part: &Part, term: &str) -> Result<usize, Error> {
    let (mut low, mut high) = (0, part.num_terms());
    while low < high {
        let middle = low + (high - low) / 2;
        if part.term(middle)? < term { low = middle + 1 } else { high = middle }
    }
    Ok(low)
}
