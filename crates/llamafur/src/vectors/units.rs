//! Vectors of pages in 16 bits a number.
//!
//! A vector of length 1 is kept as the integers r = round(S·x), S = 32,767, so that x·y = r·r'/S². Products are sums of
//! 32-bit integers, exact in any order. They do not overflow: ‖r‖ ≤ S + √k/2 with k the numbers of a vector, and by the
//! Cauchy–Schwarz inequality no sum over some of the k products exceeds ‖r‖·‖r'‖, which is below 2³¹ as long as k is below
//! 7·10⁸.
//!
//! A model's file has more: for every matrix the mean Q = ΣV/m of the target rows of the m categories or words of a
//! page, as integers and the scale q by which they become Q. With P = ΣU/n, the mean of the source rows of another
//! page, rounded in the same way, P·Q ≈ p·q·(r_P·r_Q) is the mean weight of the pairs of the two pages. Each side is
//! off by at most √k/(2S) of its length; for the last matrix, whose two sides share a vector of length 1, by √2 times
//! that. So the mean weight is off by no more than ε·‖P‖·‖Q‖, ε = (1 + √(k/2)/S)² − 1, which is about 2.83·√k·2⁻¹⁶.

use super::PageVectors;
use super::table::Table;
use crate::Error;
use crate::graph::{MilestoneId, PageId};
use crate::kernels::{dot_of_integers, prefetch};
use crate::matrix::{FactoredMatrix, Normalise};
use rayon::prelude::*;
use std::ops::Range;

/// S: the integer that represents 1.
pub(super) const ONE: f64 = 32_767.0;

/// Number of floats in a cache line.
const FLOATS_IN_A_LINE: usize = 16;

/// Smallest length that is no rounding error.
const SHORTEST: f64 = 1e-6;

/// A vector of length 1 for each page, or 0 where there is no data, as integers; for a model also the pages' target
/// sides.
#[derive(Debug)]
pub(crate) struct UnitVectors {
    dimensions: usize,
    rests_on: String,
    vectors: Table<i16>,
    sides: Option<TargetTables>,
}

/// Q of the pages for each matrix of a model.
#[derive(Debug)]
pub(super) struct TargetTables {
    /// The columns of each matrix in a row: those of the last one are the last of the page's vector.
    pub(super) columns: Vec<Range<usize>>,
    /// The rows of all matrices but the last.
    pub(super) rows: Table<i16>,
    /// The scales of all matrices, and of the source side of the last one; 0 where the page has no categories or words.
    pub(super) scales: Table<f32>,
}

impl UnitVectors {
    pub(super) fn new(
        dimensions: usize,
        rests_on: String,
        vectors: Table<i16>,
        sides: Option<TargetTables>,
    ) -> UnitVectors {
        UnitVectors { dimensions, rests_on, vectors, sides }
    }

    /// Rounds vectors to 16 bits.
    pub(crate) fn of(vectors: &PageVectors) -> UnitVectors {
        let (dimensions, rows) = (vectors.dimensions(), vectors.rows());
        let pages = rows.len().checked_div(dimensions).unwrap_or(0);
        let numbers = rows.par_iter().map(|x| (ONE * f64::from(*x)).round() as i16).collect();
        let rests_on = vectors.rests_on().to_owned();
        UnitVectors::new(dimensions, rests_on, Table::held(dimensions, pages, numbers), None)
    }

    /// Returns the vectors with one more page, which has no data.
    pub(crate) fn with_new_page(&self, page: PageId) -> UnitVectors {
        self.with_rows(page, vec![0; self.dimensions], Vec::new(), Vec::new())
    }

    /// Returns the vectors with other numbers for a page: its vector, and for a model its target sides and scales.
    pub(super) fn with_rows(
        &self,
        page: PageId,
        vector: Vec<i16>,
        targets: Vec<i16>,
        scales: Vec<f32>,
    ) -> UnitVectors {
        let sides = self.sides.as_ref().map(|sides| TargetTables {
            columns: sides.columns.clone(),
            rows: sides.rows.with_row(page, targets),
            scales: sides.scales.with_row(page, scales),
        });
        let vectors = self.vectors.with_row(page, vector);
        UnitVectors::new(self.dimensions, self.rests_on.clone(), vectors, sides)
    }

    /// Returns what identifies the vectors.
    pub(crate) fn rests_on(&self) -> &str {
        &self.rests_on
    }

    /// Returns the number of numbers in a vector.
    pub(crate) fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Returns all vectors, as [`ModelVectors::batches`](super::ModelVectors::batches) does.
    pub(super) fn batches(&self, seen: impl FnMut(u64)) -> Result<Vec<&[i16]>, Error> {
        self.vectors.batches(seen)
    }

    /// Returns the vector of a page; zeros where there is no data.
    #[inline(always)]
    pub(crate) fn row(&self, page: PageId) -> Result<&[i16], Error> {
        self.vectors.row(page)
    }

    /// Returns the vector of a page; `None` where there is no data.
    pub(crate) fn get(&self, page: PageId) -> Result<Option<&[i16]>, Error> {
        Ok(Some(self.row(page)?).filter(|row| has_data(row)))
    }

    /// Prefetches the vector of a page.
    #[inline(always)]
    pub(crate) fn prefetch(&self, page: PageId) {
        self.vectors.prefetch(page, 0..self.dimensions);
    }

    /// Returns the cosine of the vectors of two pages; `None` where one of them has none.
    pub(crate) fn cosine(&self, one: PageId, two: PageId) -> Result<Option<f64>, Error> {
        let (Some(one), Some(two)) = (self.get(one)?, self.get(two)?) else { return Ok(None) };
        Ok(Some(cosine_of(f64::from(dot_of_integers(one, two)))))
    }

    /// Returns the target sides of a model's pages; `None` for vectors from elsewhere.
    pub(crate) fn target_sides(&self) -> Option<TargetSides<'_>> {
        Some(TargetSides { vectors: &self.vectors, sides: self.sides.as_ref()? })
    }
}

/// Returns whether a row is a vector.
#[inline]
pub(crate) fn has_data(row: &[i16]) -> bool {
    row.iter().any(|x| *x != 0)
}

/// Converts a product of two rows, or the mean of several, to a cosine.
pub(crate) fn cosine_of(product: f64) -> f64 {
    product / (ONE * ONE)
}

/// The target sides of a model's pages.
#[derive(Clone, Copy)]
pub(crate) struct TargetSides<'a> {
    vectors: &'a Table<i16>,
    sides: &'a TargetTables,
}

impl<'a> TargetSides<'a> {
    /// Returns Q of a page for a matrix; `None` where the page has no categories or words.
    #[inline(always)]
    pub(crate) fn get(&self, matrix: usize, page: PageId) -> Result<Option<PageSide<'a>>, Error> {
        let scale = self.sides.scales.row(page)?[matrix];
        if scale == 0.0 {
            return Ok(None);
        }
        let is_last = matrix + 1 == self.sides.columns.len();
        let row = if is_last { self.vectors.row(page)? } else { self.sides.rows.row(page)? };
        Ok(Some(PageSide { row: &row[self.sides.columns[matrix].clone()], scale: f64::from(scale) }))
    }

    /// Returns P of a page for the last matrix; `None` where the page has no categories or words.
    pub(crate) fn source_of_last(&self, page: PageId) -> Result<Option<PageSide<'a>>, Error> {
        let num = self.sides.columns.len();
        let (scale, end) = (self.sides.scales.row(page)?[num], self.sides.columns[num - 1].start);
        let row = &self.vectors.row(page)?[..end];
        Ok((scale != 0.0).then_some(PageSide { row, scale: f64::from(scale) }))
    }

    /// Returns the number of matrices.
    pub(crate) fn num_matrices(&self) -> usize {
        self.sides.columns.len()
    }

    /// Prefetches the sides of a page for some of the matrices.
    #[inline(always)]
    pub(crate) fn prefetch(&self, matrices: &[usize], page: PageId) {
        for &matrix in matrices {
            let is_last = matrix + 1 == self.sides.columns.len();
            let table = if is_last { self.vectors } else { &self.sides.rows };
            table.prefetch(page, self.sides.columns[matrix].clone());
        }
        self.sides.scales.prefetch(page, 0..1);
    }
}

/// One side of a page: integers, and the scale by which they become the mean row of its categories or words.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageSide<'a> {
    pub(crate) row: &'a [i16],
    pub(crate) scale: f64,
}

impl PageSide<'_> {
    /// Returns P·Q.
    #[inline(always)]
    pub(crate) fn product(&self, other: PageSide<'_>) -> f64 {
        self.scale * other.scale * f64::from(dot_of_integers(self.row, other.row))
    }

    /// Returns P·Q/(‖P‖·‖Q‖), or 0 where one of the two is 0.
    pub(crate) fn cosine(&self, other: PageSide<'_>) -> f64 {
        let square = |row| f64::from(dot_of_integers(row, row));
        let lengths = (square(self.row) * square(other.row)).sqrt();
        if lengths == 0.0 { 0.0 } else { f64::from(dot_of_integers(self.row, other.row)) / lengths }
    }
}

impl PageSide<'_> {
    /// Returns the normalised expectedness of a link from the page of this side to the page of the other: P·Q is the
    /// mean weight of the pairs, of which there are `num_pairs`.
    ///
    /// # Errors
    /// Those of `num_pairs`, which is called only where a sum needs it.
    #[inline(always)]
    pub(crate) fn expectedness(
        &self,
        target: PageSide<'_>,
        normalise: Normalise,
        num_pairs: impl FnOnce() -> Result<f64, Error>,
    ) -> Result<f64, Error> {
        Ok(match normalise {
            Normalise::Mean => self.product(target),
            Normalise::Sum => self.product(target) * num_pairs()?,
            Normalise::Sqrt => self.product(target) * num_pairs()?.sqrt(),
            Normalise::Cosine => self.cosine(target),
        })
    }
}

/// Writes both sides of a page with categories or words as one vector of length 1; returns the scales of the source,
/// then of the target.
pub(crate) fn both_sides(matrix: &FactoredMatrix, carried: &[MilestoneId], vector: &mut [i16]) -> [f32; 2] {
    let source = mean_row(matrix.source(), matrix.rank(), carried);
    let target = mean_row(matrix.target(), matrix.rank(), carried);
    round([&source, &target], vector).map(positive)
}

/// Writes the target side alone; returns its scale.
pub(crate) fn target_side(matrix: &FactoredMatrix, carried: &[MilestoneId], row: &mut [i16]) -> f32 {
    let [scale] = round([&mean_row(matrix.target(), matrix.rank(), carried)], row);
    positive(scale)
}

/// Returns a scale that is not 0, which would mean that the page has no categories or words.
fn positive(scale: f64) -> f32 {
    (scale as f32).max(f32::MIN_POSITIVE)
}

/// Writes N sides end to end as integers of one vector of length 1, in which each has the same share; a side that is
/// next to nothing, which is rounding, has none. Returns the scales by which the integers of each side become that
/// side.
pub(crate) fn round<const N: usize>(sides: [&[f64]; N], row: &mut [i16]) -> [f64; N] {
    let lengths = sides.map(|side| side.iter().map(|x| x * x).sum::<f64>().sqrt());
    let present = lengths.iter().filter(|length| **length > SHORTEST).count();
    let share = ONE / (present as f64).sqrt();
    let factors = lengths.map(|length| if length > SHORTEST { share / length } else { 0.0 });
    let numbers = sides.iter().zip(factors).flat_map(|(side, factor)| side.iter().map(move |x| x * factor));
    row.iter_mut().zip(numbers).for_each(|(integer, x)| *integer = x.round() as i16);
    factors.map(|factor| if factor > 0.0 { 1.0 / factor } else { 0.0 })
}

/// Returns the mean of some rows of a table with `rank` columns.
pub(crate) fn mean_row(table: &[f32], rank: usize, rows: &[MilestoneId]) -> Vec<f64> {
    for row in rows {
        let start = row.index() * rank;
        (start..start + rank).step_by(FLOATS_IN_A_LINE).for_each(|at| prefetch(table, at));
    }
    let mut sum = vec![0.0; rank];
    for row in rows {
        let of_row = &table[row.index() * rank..][..rank];
        sum.iter_mut().zip(of_row).for_each(|(sum, x)| *sum += f64::from(*x));
    }
    sum.iter_mut().for_each(|x| *x /= rows.len() as f64);
    sum
}
