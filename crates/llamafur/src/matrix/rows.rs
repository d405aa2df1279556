//! Rows of a matrix that may be read.

use super::{CategoryMatrix, pairs};
use crate::Error;
use crate::graph::MilestoneId;

/// The rows of some source categories. Where the matrix is in a file, they are checked, and no other row can be read
/// through them.
#[derive(Clone, Copy)]
pub struct CheckedRows<'a> {
    matrix: &'a dyn CategoryMatrix,
    sources: &'a [MilestoneId],
}

impl<'a> CheckedRows<'a> {
    /// Returns the rows of these source categories in a matrix that is checked, or these rows of it.
    #[inline]
    pub(super) fn new(matrix: &'a dyn CategoryMatrix, sources: &'a [MilestoneId]) -> CheckedRows<'a> {
        CheckedRows { matrix, sources }
    }

    /// Returns the source categories.
    pub fn sources(&self) -> &'a [MilestoneId] {
        self.sources
    }

    /// Returns e = Σ w over all pairs, [`CategoryMatrix::expectedness`].
    #[inline]
    pub fn expectedness(&self, targets: &[MilestoneId]) -> Result<f64, Error> {
        self.matrix.check_targets(targets)?;
        Ok(self.matrix.expectedness(self.sources, targets))
    }

    /// Returns all pairs with their weights, row after row.
    pub fn weights<'t>(
        &self,
        targets: &'t [MilestoneId],
    ) -> Result<impl Iterator<Item = (MilestoneId, MilestoneId, f64)> + use<'a, 't>, Error> {
        self.matrix.check_targets(targets)?;
        let weights = self.matrix.weights(self.sources, targets);
        let weighted = pairs(self.sources, targets).zip(weights);
        Ok(weighted.map(|((source, target), weight)| (source, target, weight)))
    }

    /// Prefetches the weights of these pairs, [`CategoryMatrix::prefetch`].
    #[inline]
    pub(crate) fn prefetch(&self, targets: &[MilestoneId]) {
        self.matrix.prefetch(self.sources, targets);
    }

    /// Returns ‖Σ u‖·‖Σ v‖, [`CategoryMatrix::norms`].
    pub(super) fn norms(&self, targets: &[MilestoneId]) -> Result<Option<f64>, Error> {
        self.matrix.check_targets(targets)?;
        Ok(self.matrix.norms(self.sources, targets))
    }
}

impl dyn CategoryMatrix + '_ {
    /// Returns the rows of these source categories.
    pub fn rows<'a>(&'a self, sources: &'a [MilestoneId]) -> CheckedRows<'a> {
        CheckedRows::new(self, sources)
    }
}
