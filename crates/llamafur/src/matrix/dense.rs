//! A matrix with a cell for every pair of categories.

use super::numbers::Numbers;
use super::{CategoryMatrix, pairs, round_weight};
use crate::graph::MilestoneId;
use crate::storage::CheckedMap;
use crate::{Error, kernels};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// A C×C table of weights, row = source category, in memory or where it lies on disk.
#[derive(Debug)]
pub struct DenseMatrix {
    num_categories: usize,
    cells: Numbers,
}

impl DenseMatrix {
    /// Creates a matrix of these cells, row after row, each rounded to a multiple of 2⁻³².
    ///
    /// # Panics
    /// If there are not `num_categories`² of them.
    pub fn from_cells(num_categories: usize, mut cells: Vec<f32>) -> DenseMatrix {
        assert_eq!(cells.len(), num_categories * num_categories, "a square matrix");
        round_weights(&mut cells);
        DenseMatrix { num_categories, cells: Numbers::Owned(cells) }
    }

    /// Creates a matrix of cells that went through [`round_row`].
    pub(crate) fn from_rounded_cells(num_categories: usize, cells: Vec<f32>) -> DenseMatrix {
        assert_eq!(cells.len(), num_categories * num_categories, "a square matrix");
        DenseMatrix { num_categories, cells: Numbers::Owned(cells) }
    }

    /// Creates a matrix whose cells begin at byte `at` of a file. A row must be checked before it is read.
    pub(crate) fn mapped(num_categories: usize, map: Arc<CheckedMap>, at: usize) -> DenseMatrix {
        let cells = Numbers::Mapped(map, at, num_categories * num_categories);
        DenseMatrix { num_categories, cells }
    }

    /// Returns the cells, row after row.
    pub fn cells(&self) -> &[f32] {
        self.cells.get()
    }

    /// Checks the blocks of the file that hold these rows, unless they were checked before.
    pub(super) fn check_rows(&self, rows: Range<usize>) -> Result<(), Error> {
        self.cells.check(rows.start * self.num_categories..rows.end * self.num_categories)
    }
}

/// Rounds each weight to a multiple of 2⁻³², on all threads.
pub(super) fn round_weights(weights: &mut [f32]) {
    weights.par_chunks_mut(1 << 14).for_each(round_row);
}

/// Rounds each weight to a multiple of 2⁻³².
pub(crate) fn round_row(weights: &mut [f32]) {
    for some in weights.chunks_mut(16) {
        // Without a branch for each cell, so that several are looked at by one instruction.
        if !some.iter().fold(true, |all, &cell| all & is_round(cell)) {
            some.iter_mut().for_each(|cell| *cell = round_weight(f64::from(*cell)));
        }
    }
}

/// Returns whether rounding would leave the cell as it is, by a quick test: with an exponent of −9 or more, its last
/// bit is worth 2⁻³² or more. Nearly all cells are such.
#[inline(always)]
fn is_round(cell: f32) -> bool {
    (cell == 0.0) | (cell.abs() >= 1.0 / 512.0)
}

impl CategoryMatrix for DenseMatrix {
    fn num_categories(&self) -> usize {
        self.num_categories
    }

    #[inline]
    fn weight(&self, source: MilestoneId, target: MilestoneId) -> f64 {
        assert!(target.index() < self.num_categories, "category {target} of {}", self.num_categories);
        f64::from(self.cells()[source.index() * self.num_categories + target.index()])
    }

    #[inline]
    fn prefetch(&self, sources: &[MilestoneId], targets: &[MilestoneId]) {
        let cells = self.cells();
        for (source, target) in pairs(sources, targets) {
            kernels::prefetch(cells, source.index() * self.num_categories + target.index());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_round_at_a_glance_is_round() {
        // All exponents, with the first and last bits of the fraction set or not, and either sign.
        for exponent in 0..255u32 {
            for fraction in [0, 1, 2, 3, 0x40_0000, 0x40_0001, 0x7f_fffe, 0x7f_ffff] {
                for cell in
                    [exponent << 23 | fraction, 1 << 31 | exponent << 23 | fraction].map(f32::from_bits)
                {
                    let rounded = round_weight(f64::from(cell));
                    assert!(
                        !is_round(cell) || rounded.to_bits() == cell.to_bits(),
                        "{cell:e} became {rounded:e}"
                    );
                    let of_one = DenseMatrix::from_cells(1, vec![cell]);
                    assert_eq!(of_one.cells()[0].to_bits(), rounded.to_bits(), "{cell:e}");
                }
            }
        }
    }
}
