//! A vector for each page: learnt by the matrices, or from elsewhere.
//!
//! A factored matrix W = U·Vᵀ over categories or words gives each page p two sides, the sums of the rows of its
//! categories or words: P = Σ_{c ∈ C_p} U_c as a source and Q = Σ_{c ∈ C_p} V_c as a target. So e(s, t) = ⟨P_s, Q_t⟩.
//! The page's vector is
//!
//! x = (P/‖P‖, Q/‖Q‖)/√2,
//!
//! of length 1: two pages point the same way if the matrix expects the same of them on both sides. For a model with
//! several matrices the last one is used, which is the one over the leads where the pages have text. The vectors are
//! computed once and kept beside the corpus in 16 bits a number, with the target sides of all matrices (`of_model.rs`,
//! `units.rs`).
//!
//! Vectors from elsewhere are scaled to length 1 and kept beside the corpus in 32 bits (`file.rs`); scorers take them in 16 bits
//! as well.

mod file;
mod of_model;
mod table;
#[cfg(test)]
mod tests;
mod units;

pub(crate) use of_model::gives_vectors;
pub(crate) use units::{
    PageSide, TargetSides, UnitVectors, both_sides, cosine_of, has_data, mean_row, round, target_side,
};

use crate::Error;
use crate::graph::PageId;
use crate::progress::{Progress, Task};
use rayon::prelude::*;
use std::sync::Arc;

/// A vector of length 1 for each page, or 0 where there is no data.
#[derive(Debug, Clone, PartialEq)]
pub struct PageVectors {
    dimensions: usize,
    rows: Vec<f32>,
    rests_on: String,
}

/// Smallest length that is no rounding error.
const SHORTEST: f64 = 1e-6;

impl PageVectors {
    /// Creates vectors of `dimensions` numbers each, given end to end, scaled to length 1; `rests_on` identifies them.
    ///
    /// # Panics
    /// If the last vector is incomplete.
    pub fn from_rows(dimensions: usize, mut rows: Vec<f32>, rests_on: String) -> PageVectors {
        assert!(rows.len().is_multiple_of(dimensions.max(1)), "whole rows");
        rows.par_chunks_exact_mut(dimensions.max(1)).for_each(scale);
        PageVectors { dimensions, rows, rests_on }
    }

    /// Returns what identifies the vectors.
    fn rests_on(&self) -> &str {
        &self.rests_on
    }

    /// Returns the number of numbers in a vector.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Returns the vector of a page; `None` where there is no data.
    #[inline]
    pub fn get(&self, page: PageId) -> Option<&[f32]> {
        let row = &self.rows[page.index() * self.dimensions..][..self.dimensions];
        row.iter().any(|x| *x != 0.0).then_some(row)
    }

    /// Returns all vectors, end to end.
    fn rows(&self) -> &[f32] {
        &self.rows
    }
}

/// The vectors that a model gives to the pages, in their format on disk:
/// [`Inputs::vectors`](crate::score::Inputs::vectors).
///
/// Each page has 2k integers r of 16 bits, with k the rank of the model's last matrix: first the source side, then the
/// target side. x = r/[`ModelVectors::ONE`], so each number is off by at most 1/(2·32,767); all are 0 where a page has
/// no categories or words.
#[derive(Debug, Clone)]
pub struct ModelVectors(Arc<UnitVectors>);

impl ModelVectors {
    /// S: the integer that represents 1.
    pub const ONE: f64 = units::ONE;

    pub(crate) fn new(vectors: Arc<UnitVectors>) -> ModelVectors {
        ModelVectors(vectors)
    }

    /// Returns the number of numbers in a vector, 2k.
    pub fn dimensions(&self) -> usize {
        self.0.dimensions()
    }

    /// Returns all vectors, page after page, in the batches of 8,192 pages that the file has; the last one may have
    /// fewer. They are mapped from the file. Every byte is compared with its checksum, unless that was done before.
    pub fn batches(&self, progress: &mut dyn Progress) -> Result<Vec<&[i16]>, Error> {
        progress.start(Task::PageVectors, None);
        let batches = self.0.batches(|pages| progress.advance(pages));
        progress.finish();
        batches
    }
}

/// Scales a vector to length 1; one that is next to nothing, which is rounding, to 0.
fn scale(vector: &mut [f32]) {
    let length = vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    let scale = if length > SHORTEST { 1.0 / length } else { 0.0 };
    vector.iter_mut().for_each(|x| *x = (f64::from(*x) * scale) as f32);
}
