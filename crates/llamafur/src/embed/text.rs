//! The words as a matrix: TF–IDF, rows of length 1.

use super::Kind;
use super::svd::Matrix;
use crate::Error;
use crate::graph::PageId;
use crate::words::Words;
use rayon::prelude::*;

/// The embedding by words.
pub const TEXT: Kind = Kind { name: "text", rank: 128 };

/// A_it = (1 + ln c)·ln(n/df), divided by the length of the row.
pub(super) struct TfIdf<'a> {
    words: &'a Words,
    rarity: Vec<f32>,
    /// 1/‖·‖ of each page's row.
    scales: Vec<f32>,
}

impl<'a> TfIdf<'a> {
    /// Checks all bags, so that rows can be gone through without asking.
    pub(super) fn new(words: &'a Words, num_pages: usize) -> Result<TfIdf<'a>, Error> {
        let rarity: Vec<f32> = words.rarities()?.map(|rarity| rarity as f32).collect();
        let scale = |page: u32| {
            let bag = words.bag(PageId(page))?;
            let squares: f32 =
                bag.iter().map(|(term, count)| weight(count, rarity[term.index()]).powi(2)).sum();
            Ok(if squares > 0.0 { 1.0 / squares.sqrt() } else { 0.0 })
        };
        let scales = (0..num_pages as u32).into_par_iter().map(scale).collect::<Result<_, Error>>()?;
        Ok(TfIdf { words, rarity, scales })
    }
}

fn weight(count: u16, rarity: f32) -> f32 {
    (1.0 + f32::from(count).ln()) * rarity
}

impl Matrix for TfIdf<'_> {
    fn num_rows(&self) -> usize {
        self.scales.len()
    }

    fn num_columns(&self) -> usize {
        self.rarity.len()
    }

    fn row(&self, row: usize, entry: &mut dyn FnMut(usize, f32)) {
        // All bags were checked.
        let Ok(bag) = self.words.bag(PageId(row as u32)) else { return };
        for (term, count) in bag.iter() {
            entry(term.index(), weight(count, self.rarity[term.index()]) * self.scales[row]);
        }
    }
}
