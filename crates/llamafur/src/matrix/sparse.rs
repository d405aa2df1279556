//! A matrix of the cells that occur: for each source category its target categories and their weights.
//!
//! The cells of row c are `columns[offsets[c]..offsets[c + 1]]`, in ascending order, and the weights at the same
//! places: the form that other programs call CSR. A pair without a cell weighs 0, or, where logarithms ℓ of page
//! numbers are given, −ℓ(c) − ℓ(c'): the weight that the naive learner gives to a pair that no link joins.

use super::dense::round_weights;
use super::numbers::Numbers;
use super::{CategoryMatrix, pairs, round_weight};
use crate::graph::MilestoneId;
use crate::storage::CheckedMap;
use crate::{Error, kernels};
use rayon::prelude::*;
use std::hint::select_unpredictable;
use std::ops::Range;
use std::sync::Arc;

/// Weights of some pairs, row after row, in memory or where they lie on disk.
#[derive(Debug)]
pub struct SparseMatrix {
    offsets: Vec<u64>,
    log_pages: Option<Vec<f64>>,
    columns: Numbers<u32>,
    weights: Numbers<f32>,
}

impl SparseMatrix {
    /// A matrix of these cells, each weight rounded to a multiple of 2⁻³².
    ///
    /// # Panics
    /// Unless the offsets begin at 0, ascend and end at the number of the columns, the columns of each row ascend
    /// and are categories, and there is a weight for each and, if any, a logarithm for each category.
    pub fn from_cells(
        offsets: Vec<u64>,
        columns: Vec<u32>,
        mut weights: Vec<f32>,
        log_pages: Option<Vec<f64>>,
    ) -> SparseMatrix {
        assert!(are_offsets(&offsets, columns.len()), "offsets of {} columns", columns.len());
        assert_eq!(columns.len(), weights.len(), "a weight for each column");
        let num_categories = offsets.len() - 1;
        assert!(log_pages.as_ref().is_none_or(|logs| logs.len() == num_categories), "one for each category");
        let row = |ends: &[u64]| &columns[ends[0] as usize..ends[1] as usize];
        let is_row = |row: &[u32]| {
            row.is_sorted_by(|a, b| a < b) && row.last().is_none_or(|&last| (last as usize) < num_categories)
        };
        assert!(offsets.par_windows(2).all(|ends| is_row(row(ends))), "ascending categories in each row");
        round_weights(&mut weights);
        let (columns, weights) = (Numbers::Owned(columns), Numbers::Owned(weights));
        SparseMatrix { offsets, log_pages, columns, weights }
    }

    /// A matrix whose columns and weights begin at these bytes of a file; `None` where the offsets are not those
    /// of so many columns. A row must be checked before it is read.
    pub(crate) fn mapped(
        offsets: Vec<u64>,
        log_pages: Option<Vec<f64>>,
        map: Arc<CheckedMap>,
        (columns, weights): (usize, usize),
        num_cells: usize,
    ) -> Option<SparseMatrix> {
        are_offsets(&offsets, num_cells).then_some(SparseMatrix {
            offsets,
            log_pages,
            columns: Numbers::Mapped(map.clone(), columns, num_cells),
            weights: Numbers::Mapped(map, weights, num_cells),
        })
    }

    /// How many cells there are.
    pub fn num_cells(&self) -> usize {
        self.offsets[self.offsets.len() - 1] as usize
    }

    /// Where the cells of each row begin, and the end of the last.
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    /// The target categories of all cells, row after row.
    pub fn columns(&self) -> &[u32] {
        self.columns.get()
    }

    /// The weights of all cells, row after row.
    pub fn weights(&self) -> &[f32] {
        self.weights.get()
    }

    /// ℓ, where pairs without a cell have a weight.
    pub fn log_pages(&self) -> Option<&[f64]> {
        self.log_pages.as_deref()
    }

    /// Checks the blocks of the file that hold these rows, unless they were checked before.
    pub(super) fn check_rows(&self, rows: Range<usize>) -> Result<(), Error> {
        let cells = self.offsets[rows.start] as usize..self.offsets[rows.end] as usize;
        self.columns.check(cells.clone())?;
        self.weights.check(cells)
    }

    #[inline]
    fn row(&self, source: MilestoneId) -> Range<usize> {
        self.offsets[source.index()] as usize..self.offsets[source.index() + 1] as usize
    }
}

fn are_offsets(offsets: &[u64], num_cells: usize) -> bool {
    offsets.first() == Some(&0) && offsets.last() == Some(&(num_cells as u64)) && offsets.is_sorted()
}

/// The weight of a pair that no link joins, by the logarithms of its categories' page numbers.
pub(crate) fn unjoined_weight(log_source: f64, log_target: f64) -> f32 {
    (0.0 - log_source - log_target) as f32
}

/// Numbers in a cache line.
const LINE: usize = 16;

/// Where a column would be in a row of so many, if they were spread evenly over the categories.
#[inline]
fn guess(len: usize, column: u32, num_categories: usize) -> usize {
    // Rounding may be off by one or two, which matters as little as that they are not spread evenly.
    let share = f64::from(column) / num_categories as f64;
    ((share * len as f64) as usize).min(len.saturating_sub(1))
}

/// Where a column is in a row, if it is there: sought from the guess on in steps that double, then in the last
/// step by halves. So a search touches two or three cache lines, where one by halves alone touches ten.
#[inline]
fn find(row: &[u32], column: u32, num_categories: usize) -> Option<usize> {
    let (mut low, mut high) = (guess(row.len(), column, num_categories), row.len());
    let mut step = LINE;
    if *row.get(low)? <= column {
        while low + step < high && row[low + step] <= column {
            low += step;
            step *= 2;
        }
        high = high.min(low + step);
    } else {
        high = low;
        while step < high && row[high - step] > column {
            high -= step;
            step *= 2;
        }
        low = high.saturating_sub(step);
    }
    let mut size = high - low;
    while size > 1 {
        let half = size / 2;
        // Without a branch: no processor can guess which half it is in.
        low = select_unpredictable(row[low + half] <= column, low + half, low);
        size -= half;
    }
    (row.get(low) == Some(&column)).then_some(low)
}

impl CategoryMatrix for SparseMatrix {
    fn num_categories(&self) -> usize {
        self.offsets.len() - 1
    }

    #[inline]
    fn weight(&self, source: MilestoneId, target: MilestoneId) -> f64 {
        assert!(target.index() < self.num_categories(), "category {target} of {}", self.num_categories());
        let row = self.row(source);
        let found = find(&self.columns()[row.clone()], target.0, self.num_categories());
        match (found, &self.log_pages) {
            (Some(at), _) => f64::from(self.weights()[row.start + at]),
            (None, None) => 0.0,
            (None, Some(logs)) => {
                let weight = unjoined_weight(logs[source.index()], logs[target.index()]);
                f64::from(round_weight(f64::from(weight)))
            }
        }
    }

    #[inline]
    fn prefetch(&self, sources: &[MilestoneId], targets: &[MilestoneId]) {
        let (columns, weights) = (self.columns(), self.weights());
        for (source, target) in pairs(sources, targets) {
            let row = self.row(source);
            let at = row.start + guess(row.len(), target.0, self.num_categories());
            kernels::prefetch(columns, at);
            kernels::prefetch(weights, at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(matrix: &SparseMatrix) -> Vec<f64> {
        let all: Vec<MilestoneId> = (0..matrix.num_categories() as u32).map(MilestoneId).collect();
        pairs(&all, &all).map(|(c, d)| matrix.weight(c, d)).collect()
    }

    #[test]
    fn a_pair_without_a_cell_weighs_nothing() {
        let matrix = SparseMatrix::from_cells(vec![0, 2, 2, 3], vec![0, 2, 1], vec![1.5, -2.0, 0.25], None);
        assert_eq!(weights(&matrix), [1.5, 0.0, -2.0, 0.0, 0.0, 0.0, 0.0, 0.25, 0.0]);
        let ids = [0, 2].map(MilestoneId);
        assert_eq!(matrix.expectedness(&ids, &ids), -0.5);
    }

    #[test]
    fn with_logarithms_a_pair_without_a_cell_weighs_their_sum_off() {
        let matrix = SparseMatrix::from_cells(vec![0, 1, 1], vec![1], vec![0.0], Some(vec![0.5, 2.0]));
        assert_eq!(weights(&matrix), [-1.0, 0.0, -2.5, -4.0]);
    }

    #[test]
    fn every_column_of_a_row_is_found_and_no_other() {
        // Spread evenly, crowded at either end, and in two heaps.
        let shapes: [fn(u32) -> u32; 4] = [
            |at| 3 * at + 1,
            |at| at * at,
            |at| 160_000 - (400 - at) * (400 - at),
            |at| if at < 200 { at } else { 100_000 + at },
        ];
        for shape in shapes {
            for len in (0..40).chain([100, 399]) {
                let row: Vec<u32> = (0..len).map(shape).collect();
                for column in row.iter().flat_map(|&c| c.saturating_sub(2)..c + 3).chain([0, 159_999]) {
                    let expected = row.binary_search(&column).ok();
                    assert_eq!(find(&row, column, 160_000), expected, "{column} of {len}");
                }
            }
        }
    }

    #[test]
    fn weights_are_rounded_as_those_of_a_dense_matrix() {
        let cells = [1e-10, -1e-10, 0.1, 1.0 / 3.0e4, -7.25, 1e-3];
        let sparse =
            SparseMatrix::from_cells(vec![0, 6, 6, 6, 6, 6, 6], (0..6).collect(), cells.to_vec(), None);
        let dense = crate::matrix::DenseMatrix::from_cells(1, vec![cells[3]]);
        assert_eq!(sparse.weights()[3], dense.cells()[0]);
        assert!(sparse.weights().iter().zip(cells).all(|(&w, cell)| w == round_weight(f64::from(cell))));
    }

    #[test]
    #[should_panic(expected = "ascending categories")]
    fn columns_in_disorder_are_a_broken_promise() {
        SparseMatrix::from_cells(vec![0, 2, 2], vec![1, 0], vec![1.0, 1.0], None);
    }
}
