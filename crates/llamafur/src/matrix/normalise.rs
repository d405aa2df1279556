//! Normalisation: turns the sum over category pairs into a score.

use crate::Error;
use crate::graph::MilestoneId;
use crate::matrix::CheckedRows;
use serde::{Deserialize, Serialize};

/// How the sum over category pairs becomes a score, with n and m categories on the two sides.
///
/// The default is the mean: for every learner it ranked judged links best, or as well as any
/// (`benchmarks/` has the figures).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Normalise {
    /// e: the plain sum, as in the paper.
    Sum,
    /// e/(nm): the mean weight of a pair. The default.
    #[default]
    Mean,
    /// e/√(nm).
    Sqrt,
    /// The cosine of the two sides of a factored matrix.
    Cosine,
}

names! {
    Normalise "normalise" {
        Sum = "sum",
        Mean = "mean",
        Sqrt = "sqrt",
        Cosine = "cosine",
    }
}

impl Normalise {
    /// Returns the divisor of the sum; `None` for the cosine of a matrix that has no sides.
    pub fn divisor(self, rows: CheckedRows<'_>, targets: &[MilestoneId]) -> Result<Option<f64>, Error> {
        let num_pairs = (rows.sources().len() * targets.len()) as f64;
        let divisor = match self {
            Normalise::Sum => 1.0,
            Normalise::Mean => num_pairs,
            Normalise::Sqrt => num_pairs.sqrt(),
            Normalise::Cosine => match rows.norms(targets)? {
                Some(norms) => norms,
                None => return Ok(None),
            },
        };
        // Without categories, or with a side of length zero, e is zero too.
        Ok(Some(if divisor == 0.0 { 1.0 } else { divisor }))
    }

    /// Returns the normalised expectedness; `None` where a side has no category, or the matrix has no cosine.
    pub fn expectedness(self, rows: CheckedRows<'_>, targets: &[MilestoneId]) -> Result<Option<f64>, Error> {
        if rows.sources().is_empty() || targets.is_empty() {
            return Ok(None);
        }
        let sum = rows.expectedness(targets)?;
        Ok(self.divisor(rows, targets)?.map(|divisor| sum / divisor))
    }
}
