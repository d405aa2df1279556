//! A matrix of low rank: W = U·Vᵀ, a row of *k* numbers for every category on either side.

use super::{CategoryMatrix, round_weight};
use crate::corpus::CategoryId;

/// w(c, c') = ⟨U_c, V_c'⟩, rounded as all weights are, with U and V of C rows and k columns.
#[derive(Debug, Clone)]
pub struct FactoredMatrix {
    rank: usize,
    source: Vec<f32>,
    target: Vec<f32>,
    squares: Option<[Vec<f32>; 2]>,
}

impl FactoredMatrix {
    /// A matrix of these two tables, row after row.
    ///
    /// # Panics
    /// If the tables are not of the same size, or not whole rows of `rank` numbers.
    pub fn from_tables(rank: usize, source: Vec<f32>, target: Vec<f32>) -> FactoredMatrix {
        assert!(rank > 0 && source.len() == target.len() && source.len().is_multiple_of(rank), "C×k each");
        FactoredMatrix { rank, source, target, squares: None }
    }

    /// The same with AdaGrad's sums of squares for the rows of either table, to go on learning from.
    ///
    /// # Panics
    /// If there is not one for each row.
    pub fn with_squares(self, squares: [Vec<f32>; 2]) -> FactoredMatrix {
        assert!(squares.iter().all(|sums| sums.len() == self.num_categories()), "one for each row");
        FactoredMatrix { squares: Some(squares), ..self }
    }

    /// AdaGrad's sums of squares for the rows of U and of V, where they are known.
    pub fn squares(&self) -> Option<&[Vec<f32>; 2]> {
        self.squares.as_ref()
    }

    /// k.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// U, row after row.
    pub fn source(&self) -> &[f32] {
        &self.source
    }

    /// V, row after row.
    pub fn target(&self) -> &[f32] {
        &self.target
    }

    fn row<'a>(&self, table: &'a [f32], category: CategoryId) -> &'a [f32] {
        &table[category.index() * self.rank..][..self.rank]
    }

    /// The sum of the rows of these categories.
    fn sum(&self, table: &[f32], categories: &[CategoryId]) -> Vec<f64> {
        let mut sum = vec![0.0; self.rank];
        for &category in categories {
            sum.iter_mut().zip(self.row(table, category)).for_each(|(sum, &x)| *sum += f64::from(x));
        }
        sum
    }
}

impl CategoryMatrix for FactoredMatrix {
    fn num_categories(&self) -> usize {
        self.source.len() / self.rank
    }

    #[inline]
    fn weight(&self, source: CategoryId, target: CategoryId) -> f64 {
        let (u, v) = (self.row(&self.source, source), self.row(&self.target, target));
        let exact: f64 = u.iter().zip(v).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum();
        f64::from(round_weight(exact))
    }

    fn norms(&self, sources: &[CategoryId], targets: &[CategoryId]) -> Option<f64> {
        let square = |sum: Vec<f64>| sum.iter().map(|x| x * x).sum::<f64>();
        Some((square(self.sum(&self.source, sources)) * square(self.sum(&self.target, targets))).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_products_of_rows() {
        let matrix = FactoredMatrix::from_tables(2, vec![1.0, 2.0, 0.5, -1.0], vec![3.0, 0.0, -1.0, 1.0]);
        let (a, b) = (CategoryId(0), CategoryId(1));
        let weights = [(a, a), (a, b), (b, a), (b, b)].map(|(c, d)| matrix.weight(c, d));
        assert_eq!(weights, [3.0, 1.0, 1.5, -1.5]);
        assert_eq!(matrix.expectedness(&[a, b], &[a, b]), 4.0);
        // Σu = (1.5, 1) and Σv = (2, 1).
        assert_eq!(matrix.norms(&[a, b], &[a, b]), Some((3.25f64 * 5.0).sqrt()));
    }
}
