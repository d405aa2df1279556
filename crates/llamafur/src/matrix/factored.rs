//! A matrix of low rank: W = U·Vᵀ, a row of *k* numbers for every category on either side.

use super::numbers::Numbers;
use super::{CategoryMatrix, round_weight};
use crate::Error;
use crate::graph::MilestoneId;
use crate::kernels::{self, Wide, dot_in_eights, run_wide};
use crate::storage::CheckedMap;
use std::ops::Range;
use std::sync::Arc;

/// w(c, c') = ⟨U_c, V_c'⟩, rounded as all weights are, with U and V of C rows and k columns.
#[derive(Debug)]
pub struct FactoredMatrix {
    rank: usize,
    source: Numbers,
    target: Numbers,
    squares: Option<[Numbers; 2]>,
}

impl FactoredMatrix {
    /// Creates a matrix of these two tables, row after row.
    ///
    /// # Panics
    /// If the tables are not of the same size, or not whole rows of `rank` numbers.
    pub fn from_tables(rank: usize, source: Vec<f32>, target: Vec<f32>) -> FactoredMatrix {
        assert!(rank > 0 && source.len() == target.len() && source.len().is_multiple_of(rank), "C×k each");
        FactoredMatrix { rank, source: Numbers::Owned(source), target: Numbers::Owned(target), squares: None }
    }

    /// Creates a matrix of `num` categories whose tables, and sums of squares if there are any, begin at these bytes
    /// of a file. What is read must be checked before.
    pub(super) fn mapped(
        rank: usize,
        num: usize,
        map: &Arc<CheckedMap>,
        [source, target]: [usize; 2],
        squares: Option<[usize; 2]>,
    ) -> FactoredMatrix {
        let numbers = |at, num| Numbers::Mapped(map.clone(), at, num);
        FactoredMatrix {
            rank,
            source: numbers(source, num * rank),
            target: numbers(target, num * rank),
            squares: squares.map(|places| places.map(|at| numbers(at, num))),
        }
    }

    /// Checks the blocks of the file that hold these rows of the source table.
    pub(super) fn check_rows(&self, rows: Range<usize>) -> Result<(), Error> {
        self.source.check(rows.start * self.rank..rows.end * self.rank)
    }

    /// Checks some rows of the target table.
    pub(super) fn check_target_rows(&self, rows: Range<usize>) -> Result<(), Error> {
        self.target.check(rows.start * self.rank..rows.end * self.rank)
    }

    /// Checks all of the file.
    pub(super) fn check_all(&self) -> Result<(), Error> {
        let tables = [&self.source, &self.target].into_iter().chain(self.squares.iter().flatten());
        tables.into_iter().try_for_each(|numbers| numbers.check(0..numbers.get().len()))
    }

    /// Adds AdaGrad's sums of squares for the rows of either table, from which training can continue.
    ///
    /// # Panics
    /// If there is not one for each row.
    pub fn with_squares(self, squares: [Vec<f32>; 2]) -> FactoredMatrix {
        assert!(squares.iter().all(|sums| sums.len() == self.num_categories()), "one for each row");
        FactoredMatrix { squares: Some(squares.map(Numbers::Owned)), ..self }
    }

    /// Returns AdaGrad's sums of squares for the rows of U and of V, where they are known.
    pub fn squares(&self) -> Option<[&[f32]; 2]> {
        self.squares.as_ref().map(|[source, target]| [source.get(), target.get()])
    }

    /// Returns k.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Returns U, row after row.
    pub fn source(&self) -> &[f32] {
        self.source.get()
    }

    /// Returns V, row after row.
    pub fn target(&self) -> &[f32] {
        self.target.get()
    }

    #[inline(always)]
    fn row<'a>(&self, table: &'a [f32], category: MilestoneId) -> &'a [f32] {
        &table[category.index() * self.rank..][..self.rank]
    }

    /// Returns the sum of the rows of these categories.
    fn sum(&self, table: &[f32], categories: &[MilestoneId]) -> Vec<f64> {
        let mut sum = vec![0.0; self.rank];
        for &category in categories {
            sum.iter_mut().zip(self.row(table, category)).for_each(|(sum, &x)| *sum += f64::from(x));
        }
        sum
    }
}

/// Floats in a cache line.
const FLOATS_IN_A_LINE: usize = 16;

/// Returns ⟨u, v⟩ in 64 bits.
#[inline(always)]
fn dot(u: &[f32], v: &[f32]) -> f64 {
    let ((u, u_rest), (v, v_rest)) = (u.as_chunks::<8>(), v.as_chunks::<8>());
    dot_in_eights(u.iter().zip(v).map(|(u, v)| [u, v]), [u_rest, v_rest])
}

/// The sum of the weights of all pairs, to the bit as if added one by one, since the weights are multiples of 2⁻³².
struct Sum<'a> {
    matrix: &'a FactoredMatrix,
    sources: &'a [MilestoneId],
    targets: &'a [MilestoneId],
    sum: &'a mut f64,
}

impl Wide for Sum<'_> {
    #[inline(always)]
    fn run(self) {
        let (of_sources, of_targets) = (self.matrix.source(), self.matrix.target());
        for &source in self.sources {
            let u = self.matrix.row(of_sources, source);
            for &target in self.targets {
                *self.sum += f64::from(round_weight(dot(u, self.matrix.row(of_targets, target))));
            }
        }
    }
}

/// The weights of all pairs, row after row.
struct Weights<'a> {
    matrix: &'a FactoredMatrix,
    sources: &'a [MilestoneId],
    targets: &'a [MilestoneId],
    weights: &'a mut [f64],
}

impl Wide for Weights<'_> {
    #[inline(always)]
    fn run(self) {
        let (of_sources, of_targets) = (self.matrix.source(), self.matrix.target());
        for (row, &source) in self.weights.chunks_exact_mut(self.targets.len().max(1)).zip(self.sources) {
            let u = self.matrix.row(of_sources, source);
            for (weight, &target) in row.iter_mut().zip(self.targets) {
                *weight = f64::from(round_weight(dot(u, self.matrix.row(of_targets, target))));
            }
        }
    }
}

impl CategoryMatrix for FactoredMatrix {
    fn num_categories(&self) -> usize {
        self.source().len() / self.rank
    }

    #[inline]
    fn weight(&self, source: MilestoneId, target: MilestoneId) -> f64 {
        f64::from(round_weight(dot(self.row(self.source(), source), self.row(self.target(), target))))
    }

    fn expectedness(&self, sources: &[MilestoneId], targets: &[MilestoneId]) -> f64 {
        let mut sum = 0.0;
        run_wide(Sum { matrix: self, sources, targets, sum: &mut sum });
        sum
    }

    fn weights(&self, sources: &[MilestoneId], targets: &[MilestoneId]) -> Vec<f64> {
        let mut weights = vec![0.0; sources.len() * targets.len()];
        run_wide(Weights { matrix: self, sources, targets, weights: &mut weights });
        weights
    }

    fn check_targets(&self, targets: &[MilestoneId]) -> Result<(), Error> {
        let check = |target: &MilestoneId| {
            self.target.check(target.index() * self.rank..(target.index() + 1) * self.rank)
        };
        targets.iter().try_for_each(check)
    }

    fn prefetch(&self, _sources: &[MilestoneId], targets: &[MilestoneId]) {
        let table = self.target();
        for target in targets {
            let start = target.index() * self.rank;
            (start..start + self.rank).step_by(FLOATS_IN_A_LINE).for_each(|at| kernels::prefetch(table, at));
        }
    }

    fn norms(&self, sources: &[MilestoneId], targets: &[MilestoneId]) -> Option<f64> {
        let square = |sum: Vec<f64>| sum.iter().map(|x| x * x).sum::<f64>();
        Some((square(self.sum(self.source(), sources)) * square(self.sum(self.target(), targets))).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_products_of_rows() {
        let matrix = FactoredMatrix::from_tables(2, vec![1.0, 2.0, 0.5, -1.0], vec![3.0, 0.0, -1.0, 1.0]);
        let (a, b) = (MilestoneId(0), MilestoneId(1));
        let weights = [(a, a), (a, b), (b, a), (b, b)].map(|(c, d)| matrix.weight(c, d));
        assert_eq!(weights, [3.0, 1.0, 1.5, -1.5]);
        assert_eq!(matrix.weights(&[a, b], &[a, b]), weights);
        assert_eq!(matrix.expectedness(&[a, b], &[a, b]), 4.0);
        // Σu = (1.5, 1) and Σv = (2, 1).
        assert_eq!(matrix.norms(&[a, b], &[a, b]), Some((3.25f64 * 5.0).sqrt()));
    }
}
