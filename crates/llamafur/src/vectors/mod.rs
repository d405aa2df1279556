//! A vector for each page: what the matrices have learnt of it, or what was brought from elsewhere.
//!
//! A factored matrix W = U·Vᵀ over categories or words gives each page p two sides, the sums of the rows of what it carries:
//! P = Σ_{c ∈ C_p} U_c as a source and Q = Σ_{c ∈ C_p} V_c as a target, so that e(s, t) = ⟨P_s, Q_t⟩. The page's vector is
//!
//! x = (P/‖P‖, Q/‖Q‖)/√2,
//!
//! of length 1: two pages point the same way if the matrix expects the same of them on both sides. Of a model with several
//! matrices the last one is used, which is the one over the leads where the pages have text.
//!
//! Vectors from elsewhere are scaled to length 1 and kept beside the corpus (`file.rs`).

mod eights;
mod file;

pub(crate) use eights::Eights;
pub use file::verify;

use crate::Error;
use crate::error::Missing;
use crate::graph::PageId;
use crate::kernels::dot_in_fours;
use crate::learn::Model;
use crate::matrix::Matrix;
use rayon::prelude::*;

/// A vector of length 1 for each page, or 0 where there is no data.
#[derive(Debug, Clone, PartialEq)]
pub struct PageVectors {
    dimensions: usize,
    rows: Vec<f32>,
    rests_on: String,
}

/// The least length that is no rounding error.
const SHORTEST: f64 = 1e-6;

impl PageVectors {
    /// The vectors that a model gives to the pages: 4 bytes for each column of either table and page.
    ///
    /// # Errors
    /// If the model's matrix is not factored, or a file is damaged.
    pub fn of_model(model: &Model) -> Result<PageVectors, Error> {
        let last = model.matrices().last().unwrap_or(model);
        let Matrix::Factored(matrix) = last.whole()? else {
            let path = model.categories().corpus().path().into();
            return Err(Error::Missing { path, what: Missing::FactoredMatrix });
        };
        let (categories, rank) = (last.categories(), matrix.rank());
        let mut rows = vec![0.0; categories.corpus().num_pages() * 2 * rank];
        rows.par_chunks_exact_mut(2 * rank).enumerate().try_for_each(|(page, row)| {
            let carried = categories.of(PageId(page as u32))?;
            let (source, target) = row.split_at_mut(rank);
            for (side, table) in [(source, matrix.source()), (target, matrix.target())] {
                for category in carried {
                    let of_category = &table[category.index() * rank..][..rank];
                    side.iter_mut().zip(of_category).for_each(|(sum, x)| *sum += x);
                }
                scale(side);
            }
            Ok::<_, Error>(())
        })?;
        Ok(PageVectors::from_rows(
            2 * rank,
            rows,
            format!("{} {}", model.checksum(), last.settings().feature),
        ))
    }

    /// Vectors of so many numbers each, end to end, scaled to length 1; what tells them from others.
    ///
    /// # Panics
    /// If they do not come out even.
    pub fn from_rows(dimensions: usize, mut rows: Vec<f32>, rests_on: String) -> PageVectors {
        assert!(rows.len().is_multiple_of(dimensions.max(1)), "whole rows");
        rows.par_chunks_exact_mut(dimensions.max(1)).for_each(scale);
        PageVectors { dimensions, rows, rests_on }
    }

    /// What tells them from others.
    pub(crate) fn rests_on(&self) -> &str {
        &self.rests_on
    }

    /// How many numbers a vector has.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The vector of a page; `None` where there is no data.
    #[inline]
    pub fn get(&self, page: PageId) -> Option<&[f32]> {
        let row = &self.rows[page.index() * self.dimensions..][..self.dimensions];
        row.iter().any(|x| *x != 0.0).then_some(row)
    }

    /// The cosine of the vectors of two pages; `None` where one of them has none.
    pub fn cosine(&self, one: PageId, two: PageId) -> Option<f64> {
        Some(dot_in_fours(self.get(one)?, self.get(two)?))
    }
}

/// Scales a vector to length 1; one that is next to nothing, which is rounding, to 0.
fn scale(vector: &mut [f32]) {
    let length = vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    let scale = if length > SHORTEST { 1.0 / length } else { 0.0 };
    vector.iter_mut().for_each(|x| *x = (f64::from(*x) * scale) as f32);
}
