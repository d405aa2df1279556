//! The category matrix W: a weight w(c, c') for every pair of a source and a target category.
//!
//! The *expectedness* of a link from s to t is e(s, t) = Σ_{c ∈ C_s} Σ_{c' ∈ C_t} w(c, c')
//! (Boldi & Monti, “LlamaFur”, WebSci 2016, equation 1). A matrix is dense, one cell a pair, or factored, W = U·Vᵀ; scorers
//! need not know which.

mod dense;
mod factored;
pub(crate) mod file;
mod normalise;
mod numbers;
mod rows;

pub use dense::DenseMatrix;
pub(crate) use dense::round_row;
pub use factored::FactoredMatrix;
pub use normalise::Normalise;
pub use rows::CheckedRows;

use crate::Error;
use crate::graph::MilestoneId;
use std::ops::Range;

/// A weight for every pair of categories.
pub trait CategoryMatrix: Send + Sync {
    /// Returns the number of categories on each side.
    fn num_categories(&self) -> usize;

    /// Returns w(source, target), a 32-bit float that is a multiple of 2⁻³².
    ///
    /// # Panics
    /// If a category is out of range. The same holds for all that follow.
    fn weight(&self, source: MilestoneId, target: MilestoneId) -> f64;

    /// Returns e = Σ w over all pairs, row after row: 0 where a side has no category.
    ///
    /// Weights are multiples of 2⁻³², so their sum in 64 bits is exact as long as it stays below 2²¹, in whatever
    /// order it is taken: the pairs of an explanation add up to its expectedness to the last bit.
    fn expectedness(&self, sources: &[MilestoneId], targets: &[MilestoneId]) -> f64 {
        pairs(sources, targets).map(|(source, target)| self.weight(source, target)).sum()
    }

    /// Returns the weights of all pairs, row after row.
    fn weights(&self, sources: &[MilestoneId], targets: &[MilestoneId]) -> Vec<f64> {
        pairs(sources, targets).map(|(source, target)| self.weight(source, target)).collect()
    }

    /// Checks the part of the file that the weights of links to these categories need, where it is not in the rows of
    /// the source categories.
    fn check_targets(&self, _targets: &[MilestoneId]) -> Result<(), Error> {
        Ok(())
    }

    /// Prefetches the weights of these pairs; changes nothing but the time it takes.
    fn prefetch(&self, _sources: &[MilestoneId], _targets: &[MilestoneId]) {}

    /// Returns ‖Σ u‖·‖Σ v‖, by which e becomes the cosine of the two sides, for a matrix that has sides.
    fn norms(&self, _sources: &[MilestoneId], _targets: &[MilestoneId]) -> Option<f64> {
        None
    }
}

/// A matrix in one of its forms.
#[derive(Debug)]
pub enum Matrix {
    /// A cell for each pair.
    Dense(DenseMatrix),
    /// Two tables.
    Factored(FactoredMatrix),
}

impl Matrix {
    /// Returns the matrix, whatever its form.
    pub fn matrix(&self) -> &dyn CategoryMatrix {
        match self {
            Matrix::Dense(matrix) => matrix,
            Matrix::Factored(matrix) => matrix,
        }
    }

    /// Checks these rows of a matrix in a file; of a factored one those of the source table.
    fn check_rows(&self, rows: Range<usize>) -> Result<(), Error> {
        match self {
            Matrix::Dense(matrix) => matrix.check_rows(rows),
            Matrix::Factored(matrix) => matrix.check_rows(rows),
        }
    }

    /// Checks all of a matrix in a file.
    fn check_all(&self) -> Result<(), Error> {
        match self {
            Matrix::Factored(matrix) => matrix.check_all(),
            _ => self.check_rows(0..self.matrix().num_categories()),
        }
    }

    /// Returns the weights of a row that are not zero; none of a factored matrix.
    pub(crate) fn cells_of_row(&self, source: MilestoneId) -> Vec<(MilestoneId, f32)> {
        let Matrix::Dense(matrix) = self else { return Vec::new() };
        let num = matrix.num_categories();
        let row = matrix.cells()[source.index() * num..][..num].iter();
        let cells = (0..).map(MilestoneId).zip(row.copied());
        cells.filter(|cell| cell.1 != 0.0).collect()
    }
}

/// Returns the 32-bit float nearest to a weight, or where that is below 2⁻⁸ the nearest multiple of 2⁻³².
#[inline(always)]
pub(crate) fn round_weight(weight: f64) -> f32 {
    const GRID: f64 = (1u64 << 32) as f64;
    ((weight * GRID).round() / GRID) as f32
}

/// Returns all pairs of a source and a target category, row after row.
pub fn pairs<'s, 't>(
    sources: &'s [MilestoneId],
    targets: &'t [MilestoneId],
) -> impl Iterator<Item = (MilestoneId, MilestoneId)> + use<'s, 't> {
    sources.iter().flat_map(move |&source| targets.iter().map(move |&target| (source, target)))
}
