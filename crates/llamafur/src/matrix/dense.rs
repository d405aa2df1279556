//! A matrix with a cell for every pair of categories.

use super::{CategoryMatrix, round_weight};
use crate::corpus::{CategoryId, CheckedMap};
use rayon::prelude::*;
use std::sync::Arc;

/// A C×C table of weights, row = source category, in memory or where it lies on disk.
#[derive(Debug)]
pub struct DenseMatrix {
    num_categories: usize,
    cells: Cells,
}

#[derive(Debug)]
enum Cells {
    Owned(Vec<f32>),
    /// From this byte of the file on.
    Mapped(Arc<CheckedMap>, usize),
}

impl DenseMatrix {
    /// A matrix of these cells, row after row, each rounded to a multiple of 2⁻³².
    ///
    /// # Panics
    /// If there are not `num_categories`² of them.
    pub fn from_cells(num_categories: usize, mut cells: Vec<f32>) -> DenseMatrix {
        assert_eq!(cells.len(), num_categories * num_categories, "a square matrix");
        cells.par_iter_mut().for_each(|cell| *cell = round_weight(f64::from(*cell)));
        DenseMatrix { num_categories, cells: Cells::Owned(cells) }
    }

    /// A matrix whose cells begin at byte `at` of a file. Whoever reads a row has it checked first.
    pub(crate) fn mapped(num_categories: usize, map: Arc<CheckedMap>, at: usize) -> DenseMatrix {
        DenseMatrix { num_categories, cells: Cells::Mapped(map, at) }
    }

    /// The cells, row after row.
    pub fn cells(&self) -> &[f32] {
        match &self.cells {
            Cells::Owned(cells) => cells,
            Cells::Mapped(map, at) => {
                map.values_as_they_are(*at, 0..self.num_categories * self.num_categories)
            }
        }
    }
}

impl CategoryMatrix for DenseMatrix {
    fn num_categories(&self) -> usize {
        self.num_categories
    }

    #[inline]
    fn weight(&self, source: CategoryId, target: CategoryId) -> f64 {
        assert!(target.index() < self.num_categories, "category {target} of {}", self.num_categories);
        f64::from(self.cells()[source.index() * self.num_categories + target.index()])
    }
}
