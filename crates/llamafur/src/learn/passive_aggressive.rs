//! `paper` and `original`: the online learner of Algorithm 1, as printed and as the authors' program has it.
//!
//! For an example (s, t) with σ = 1 if s links to t and −1 otherwise, n = |C_s|, m = |C_t| and
//! e = Σ w over the pairs of their categories, every cell of a pair moves by
//!
//! δ = σ · ρ · min(K, 1 − σ·e·ρ),
//!
//! with ρ = 1/(nm) in `paper` and ρ = 1/√(nm) in `original`, and K the aggressiveness. There is no hinge: when
//! σ·e·ρ > 1 the step is negative, and the pair is pulled back to the margin.
//!
//! Boldi & Monti, “LlamaFur: Learning Latent Category Matrix to Find Unexpected Relations in Wikipedia”,
//! WebSci 2016, Algorithm 1 and “Sequence of pairs” in section 3. <https://doi.org/10.1145/2908131.2908153>
//!
//! # Differences from the paper
//! The paper leaves the order of the pages open; here it is shuffled by the seed, as in the authors' program.
//! Non-links are never the page itself (the program allows that). More than one pass draws fresh non-links.

use super::progress::Watch;
use super::sampler::{NonLinks, page_order};
use super::{LearnConf, Method};
use crate::graph::{CategoryId, Graph};
use crate::matrix::{DenseMatrix, pairs};

/// How e is scaled to the margin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scale {
    /// ρ = 1/(nm).
    Mean,
    /// ρ = 1/√(nm).
    Sqrt,
}

impl Scale {
    #[inline]
    pub(super) fn rho(self, num_pairs: usize) -> f64 {
        match self {
            Scale::Mean => 1.0 / num_pairs as f64,
            Scale::Sqrt => 1.0 / (num_pairs as f64).sqrt(),
        }
    }
}

pub(super) fn learn(graph: &Graph<'_>, conf: &LearnConf, watch: &mut Watch<'_>) -> DenseMatrix {
    let scale = if conf.method == Method::Paper { Scale::Mean } else { Scale::Sqrt };
    let mut weights = Weights::zeros(graph.num_categories);
    for pass in conf.pass_numbers() {
        for page in page_order(graph.num_pages(), conf.seed, pass) {
            let sources = graph.categories(page);
            let links = graph.links(page);
            let non_links = NonLinks::new(graph, page, conf.seed, pass).take(links.len());
            let examples =
                links.iter().map(|&target| (target, true)).chain(non_links.map(|target| (target, false)));
            for (target, is_link) in examples {
                let targets = graph.categories(target);
                let expectedness = weights.step(sources, targets, is_link, scale, conf.aggressiveness);
                watch.example(is_link, expectedness);
            }
        }
    }
    DenseMatrix::from_cells(graph.num_categories, weights.cells)
}

struct Weights {
    num_categories: usize,
    cells: Vec<f32>,
}

impl Weights {
    fn zeros(num_categories: usize) -> Weights {
        Weights { num_categories, cells: vec![0.0; num_categories * num_categories] }
    }

    /// Learns from an example; returns what e was before, `None` without categories.
    #[inline]
    fn step(
        &mut self,
        sources: &[CategoryId],
        targets: &[CategoryId],
        is_link: bool,
        scale: Scale,
        aggressiveness: f64,
    ) -> Option<f64> {
        if sources.is_empty() || targets.is_empty() {
            return None;
        }
        let cell = |(source, target): (CategoryId, CategoryId)| {
            source.index() * self.num_categories + target.index()
        };
        let e: f64 = pairs(sources, targets).map(|pair| f64::from(self.cells[cell(pair)])).sum();
        let rho = scale.rho(sources.len() * targets.len());
        let sigma = if is_link { 1.0 } else { -1.0 };
        let delta = (sigma * rho * aggressiveness.min(1.0 - sigma * e * rho)) as f32;
        for pair in pairs(sources, targets) {
            let at = cell(pair);
            self.cells[at] += delta;
        }
        Some(e)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: CategoryId = CategoryId(0);
    const B: CategoryId = CategoryId(1);

    #[test]
    fn a_step_by_hand_with_either_scale() {
        // n = 2, m = 1. A link at e = 0: ρ·min(1.5, 1) = ρ a cell.
        let mut weights = Weights::zeros(2);
        assert_eq!(weights.step(&[A, B], &[B], true, Scale::Mean, 1.5), Some(0.0));
        assert_eq!(weights.cells, [0.0, 0.5, 0.0, 0.5]);
        // Now e = 1, ρ = ½; a non-link: −½·min(1.5, 1 + ½) = −0.75.
        assert_eq!(weights.step(&[A, B], &[B], false, Scale::Mean, 1.5), Some(1.0));
        assert_eq!(weights.cells, [0.0, -0.25, 0.0, -0.25]);
        let mut weights = Weights::zeros(2);
        weights.step(&[A, B], &[B], true, Scale::Sqrt, 1.5);
        let half = 0.5f64.sqrt() as f32;
        assert_eq!(weights.cells, [0.0, half, 0.0, half]);
    }

    #[test]
    fn a_step_is_never_longer_than_the_aggressiveness() {
        let mut weights = Weights::zeros(1);
        weights.cells[0] = 5.0;
        weights.step(&[A], &[A], false, Scale::Sqrt, 1.5);
        assert_eq!(weights.cells, [3.5]);
    }

    #[test]
    fn a_pair_beyond_the_margin_is_pulled_back() {
        let mut weights = Weights::zeros(1);
        weights.cells[0] = 4.0;
        weights.step(&[A], &[A], true, Scale::Sqrt, 1.5);
        assert_eq!(weights.cells, [1.0]);
    }

    #[test]
    fn without_categories_nothing_is_learnt() {
        let mut weights = Weights::zeros(1);
        assert_eq!(weights.step(&[], &[A], true, Scale::Mean, 1.5), None);
        assert_eq!(weights.cells, [0.0]);
    }
}
