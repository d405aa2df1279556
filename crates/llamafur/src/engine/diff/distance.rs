//! Distance that a page moved when its categories changed, by a category matrix.
//!
//! A page with the categories C is expected to link as the mean row r(C) = (1/|C|)·Σ_{c ∈ C} w(c, ·) says. The distance between
//! two sets of categories is 1 − cos(r(C), r(C')): 0 where the matrix expects the same links of both, 1 where they have nothing to
//! do with each other, 2 where one is the opposite of the other. Of a factored matrix W = U·Vᵀ the product of two rows is
//! P·(VᵀV)·P' with the mean rows P and P' of U; VᵀV is computed once.

use crate::Error;
use crate::categories::Feature;
use crate::graph::{CategoryId, MilestoneId};
use crate::learn::Model;
use crate::matrix::{FactoredMatrix, Matrix};

/// Distances between sets of categories by the category matrix of a model.
pub(super) struct Distances<'a> {
    model: &'a Model,
    matrix: &'a Matrix,
    /// VᵀV of a factored matrix, row after row.
    gram: Vec<f64>,
}

impl<'a> Distances<'a> {
    /// Uses the category matrix of a model, if it has one.
    pub(super) fn new(model: &'a Model) -> Result<Option<Distances<'a>>, Error> {
        let is_over_categories = |one: &&Model| one.settings().feature == Feature::Categories;
        let Some(model) = model.matrices().find(is_over_categories) else { return Ok(None) };
        let matrix = model.whole()?;
        let gram = if let Matrix::Factored(factored) = matrix { gram(factored) } else { Vec::new() };
        Ok(Some(Distances { model, matrix, gram }))
    }

    /// Returns the distance between two sets of categories; `None` where the matrix knows none of a set.
    pub(super) fn between(&self, was: &[CategoryId], is: &[CategoryId]) -> Result<Option<f64>, Error> {
        let (was, is) = (self.milestones(was)?, self.milestones(is)?);
        if was.is_empty() || is.is_empty() {
            return Ok(None);
        }
        if was == is {
            return Ok(Some(0.0));
        }
        let (was, is) = (self.row(&was), self.row(&is));
        let product = |a: &[f64], b: &[f64]| self.product(a, b);
        let norms = (product(&was, &was) * product(&is, &is)).sqrt();
        // A row of zeros is like no other.
        let cosine = if norms > 0.0 { product(&was, &is) / norms } else { 0.0 };
        Ok(Some((1.0 - cosine).clamp(0.0, 2.0)))
    }

    /// Returns the milestones of these categories, ascending.
    fn milestones(&self, categories: &[CategoryId]) -> Result<Vec<MilestoneId>, Error> {
        let of = |&category: &CategoryId| self.model.categories().milestone(category).transpose();
        let mut milestones = categories.iter().filter_map(of).collect::<Result<Vec<_>, Error>>()?;
        milestones.sort();
        milestones.dedup();
        Ok(milestones)
    }

    /// Returns the sum of some rows, or of those of U of a factored matrix; its length does not matter to a cosine.
    fn row(&self, categories: &[MilestoneId]) -> Vec<f64> {
        let matrix = self.matrix.matrix();
        if let Matrix::Factored(factored) = self.matrix {
            return sum(categories.iter().map(|&category| {
                let row = &factored.source()[category.index() * factored.rank()..][..factored.rank()];
                row.iter().map(|&x| f64::from(x)).collect()
            }));
        }
        let all: Vec<MilestoneId> = (0..matrix.num_categories() as u32).map(MilestoneId).collect();
        sum(categories.iter().map(|&category| matrix.weights(&[category], &all)))
    }

    fn product(&self, a: &[f64], b: &[f64]) -> f64 {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        match self.matrix {
            Matrix::Factored(_) => {
                a.iter().zip(self.gram.chunks_exact(b.len())).map(|(x, row)| x * dot(row, b)).sum()
            }
            _ => dot(a, b),
        }
    }
}

/// Returns the sum of rows of the same length.
fn sum(rows: impl Iterator<Item = Vec<f64>>) -> Vec<f64> {
    let plus = |mut sum: Vec<f64>, row: Vec<f64>| {
        sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        sum
    };
    rows.reduce(plus).unwrap_or_default()
}

/// Computes VᵀV.
fn gram(matrix: &FactoredMatrix) -> Vec<f64> {
    let rank = matrix.rank();
    let mut gram = vec![0.0; rank * rank];
    for v in matrix.target().chunks_exact(rank) {
        for (row, &a) in gram.chunks_exact_mut(rank).zip(v) {
            row.iter_mut().zip(v).for_each(|(sum, &b)| *sum += f64::from(a) * f64::from(b));
        }
    }
    gram
}
