//! The learners as plain loops over the examples, on one thread: what [`learn()`](super::learn())
//! must compute, to the last bit.

use super::averaged::fill_with_hand;
use super::naive::weight;
use super::passive_aggressive::Scale;
use super::progress::Watch;
use super::sampler::{self, NonLinks, page_order};
use super::{Figures, LearnConf, Method, check_graph, ensemble, explained, factored, num_examples};
use crate::Error;
use crate::graph::{Graph, MilestoneId};
use crate::matrix::{DenseMatrix, Matrix, pairs};
use crate::progress::Progress;

/// Does what [`learn()`](super::learn()) does by a plain loop.
pub(crate) fn learn_plainly(
    graph: &Graph<'_>,
    conf: &LearnConf,
    progress: &mut dyn Progress,
) -> Result<(Matrix, Figures), Error> {
    check_graph(graph, conf)?;
    let mut watch = Watch::new(progress, conf.method, num_examples(graph, conf));
    let matrix = match conf.method {
        Method::Factored => {
            let learn = |conf: &LearnConf| factored::plain::learn(graph, conf, &mut watch);
            Matrix::Factored(ensemble::mean(conf.ensemble_of(graph), conf, learn))
        }
        _ => Matrix::Dense(learn_dense(graph, conf, &mut watch)),
    };
    let mut figures = watch.finish();
    figures.explained = explained::Explained::among(graph, matrix.matrix(), super::LINKS_ASKED);
    Ok((matrix, figures))
}

pub(super) fn learn_dense(graph: &Graph<'_>, conf: &LearnConf, watch: &mut Watch<'_>) -> DenseMatrix {
    match conf.method {
        Method::Averaged => averaged(graph, conf, watch),
        Method::Naive => naive(graph, watch),
        _ => passive_aggressive(graph, conf, watch),
    }
}

fn passive_aggressive(graph: &Graph<'_>, conf: &LearnConf, watch: &mut Watch<'_>) -> DenseMatrix {
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
        sources: &[MilestoneId],
        targets: &[MilestoneId],
        is_link: bool,
        scale: Scale,
        aggressiveness: f64,
    ) -> Option<f64> {
        if sources.is_empty() || targets.is_empty() {
            return None;
        }
        let cell = |(source, target): (MilestoneId, MilestoneId)| {
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

fn averaged(graph: &Graph<'_>, conf: &LearnConf, watch: &mut Watch<'_>) -> DenseMatrix {
    let rounds = conf.rounds;
    let total = sampler::num_examples(graph, 1) * conf.passes_or_default() as u64;
    let mut weights = Averages::zeros(graph.num_categories, conf.aggressiveness);
    let (mut examples, mut seen) = (Vec::new(), 0u64);
    for pass in conf.pass_numbers() {
        for round in 0..rounds {
            for page in page_order(graph.num_pages(), conf.seed, pass * rounds as u64 + round as u64) {
                fill_with_hand(&mut examples, graph, page, conf.seed, (pass, round, rounds));
                for &(target, is_link) in &examples {
                    let time = seen as f64 / total as f64;
                    let expectedness =
                        weights.step(graph.categories(page), graph.categories(target), is_link, time);
                    watch.example(is_link, expectedness);
                    seen += 1;
                }
            }
        }
    }
    DenseMatrix::from_cells(graph.num_categories, weights.average())
}

struct Averages {
    num_categories: usize,
    aggressiveness: f64,
    /// The weight Σ δ of each pair of categories, then what the average takes off, Σ δ·(t − 1)/T.
    cells: Vec<f32>,
}

impl Averages {
    fn zeros(num_categories: usize, aggressiveness: f64) -> Averages {
        Averages { num_categories, aggressiveness, cells: vec![0.0; 2 * num_categories * num_categories] }
    }

    /// Learns from an example at `time` = (t − 1)/T; returns what e was before, `None` without categories.
    #[inline]
    fn step(
        &mut self,
        sources: &[MilestoneId],
        targets: &[MilestoneId],
        is_link: bool,
        time: f64,
    ) -> Option<f64> {
        if sources.is_empty() || targets.is_empty() {
            return None;
        }
        let cell = |(source, target): (MilestoneId, MilestoneId)| {
            2 * (source.index() * self.num_categories + target.index())
        };
        let e: f64 = pairs(sources, targets).map(|pair| f64::from(self.cells[cell(pair)])).sum();
        let rho = Scale::Sqrt.rho(sources.len() * targets.len());
        let sigma = if is_link { 1.0 } else { -1.0 };
        let loss = 1.0 - sigma * e * rho;
        if loss > 0.0 {
            let delta = sigma * rho * self.aggressiveness.min(loss);
            for pair in pairs(sources, targets) {
                let at = cell(pair);
                self.cells[at] += delta as f32;
                self.cells[at + 1] += (delta * time) as f32;
            }
        }
        Some(e)
    }

    /// Returns the average of all iterates, in the memory of the last one.
    fn average(mut self) -> Vec<f32> {
        let num_cells = self.cells.len() / 2;
        for cell in 0..num_cells {
            self.cells[cell] = self.cells[2 * cell] - self.cells[2 * cell + 1];
        }
        self.cells.truncate(num_cells);
        self.cells.shrink_to_fit();
        self.cells
    }
}

fn naive(graph: &Graph<'_>, watch: &mut Watch<'_>) -> DenseMatrix {
    let num_categories = graph.num_categories;
    let mut cells = vec![0u32; num_categories * num_categories];
    for page in graph.pages() {
        for &target in graph.links(page) {
            for (source, target) in pairs(graph.categories(page), graph.categories(target)) {
                cells[source.index() * num_categories + target.index()] += 1;
            }
        }
        watch.count(graph.links(page).len() as u64);
    }
    let weight = weight(graph);
    for (row, source) in cells.chunks_mut(num_categories).zip(0..) {
        for (cell, target) in row.iter_mut().zip(0..) {
            // The weight takes the place of the count: a second matrix of this size may not fit.
            *cell = weight(MilestoneId(source), MilestoneId(target), *cell).to_bits();
        }
    }
    DenseMatrix::from_cells(num_categories, bytemuck::cast_vec(cells))
}

mod tests {
    use super::*;

    const A: MilestoneId = MilestoneId(0);
    const B: MilestoneId = MilestoneId(1);

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

    #[test]
    fn the_average_of_the_iterates_by_hand() {
        // Three examples of one pair: a link (W = 1), a link (margin reached: W = 1), a non-link (W = 1 − 1.5).
        let mut weights = Averages::zeros(1, 1.5);
        assert_eq!(weights.step(&[A], &[A], true, 0.0), Some(0.0));
        assert_eq!(weights.step(&[A], &[A], true, 1.0 / 3.0), Some(1.0));
        assert_eq!(weights.step(&[A], &[A], false, 2.0 / 3.0), Some(1.0));
        assert_eq!(weights.cells[0], -0.5);
        let average = weights.average();
        assert_eq!(average.len(), 1);
        assert!((average[0] - (1.0 + 1.0 - 0.5) / 3.0).abs() < 1e-6, "{average:?}");
    }

    #[test]
    fn of_averaged_a_pair_beyond_the_margin_is_left_alone() {
        let mut weights = Averages::zeros(2, 1.5);
        weights.cells[0] = 4.0;
        weights.step(&[A], &[A], true, 0.5);
        assert_eq!(weights.cells[..2], [4.0, 0.0]);
        weights.step(&[A], &[B], true, 0.5);
        assert_eq!(weights.cells[2..4], [1.0, 0.5]);
    }
}
