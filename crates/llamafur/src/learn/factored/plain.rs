//! The reference: a plain loop that computes what the threads must compute, to the last bit.

use super::Tuning;
use super::batch::{RUN, non_links_of};
use super::table::{EPSILON, first_row_entries};
use crate::graph::{Graph, MilestoneId, PageId};
use crate::learn::LearnConf;
use crate::learn::progress::Watch;
use crate::learn::sampler::page_order;
use crate::matrix::FactoredMatrix;

pub(in crate::learn) fn learn(graph: &Graph<'_>, conf: &LearnConf, watch: &mut Watch<'_>) -> FactoredMatrix {
    let mut learner = Learner::new(graph, conf);
    for pass in conf.pass_numbers() {
        let (mut batch, mut num_links) = (Vec::new(), 0);
        for page in page_order(graph.num_pages(), conf.seed, pass) {
            for (piece, links) in graph.links(page).chunks(RUN).enumerate() {
                let mut non_links = non_links_of(graph, page, piece, conf, pass);
                let mut examples = Vec::new();
                for &target in links {
                    examples.push((target, true));
                    examples.extend(non_links.by_ref().take(conf.tuning.ratio).map(|target| (target, false)));
                }
                batch.push((page, examples));
                num_links += links.len();
                if num_links >= conf.tuning.batch_for(graph) {
                    learner.learn_from(&batch, watch);
                    (batch, num_links) = (Vec::new(), 0);
                }
            }
        }
        learner.learn_from(&batch, watch);
    }
    let [(source, of_source), (target, of_target)] = [learner.source, learner.target].map(Table::finish);
    FactoredMatrix::from_tables(conf.rank, source, target).with_squares([of_source, of_target])
}

/// A page with some of its examples.
type Examples = (PageId, Vec<(PageId, bool)>);

pub(super) struct Learner<'a> {
    graph: Graph<'a>,
    pub(super) source: Table,
    pub(super) target: Table,
}

/// The gradients of a run.
pub(super) struct Gradients {
    /// u: the gradient of a target row is that times the slope of the example.
    pub(super) sum: Vec<f32>,
    /// g of each example, 0 without categories.
    pub(super) slopes: Vec<f32>,
    /// The gradient of the source rows.
    pub(super) of_sources: Vec<f32>,
}

impl<'a> Learner<'a> {
    pub(super) fn new(graph: &Graph<'a>, conf: &LearnConf) -> Learner<'a> {
        let table = |side| Table::new(graph.num_categories, conf, side);
        Learner { graph: *graph, source: table(0), target: table(1) }
    }

    pub(super) fn learn_from(&mut self, batch: &[Examples], watch: &mut Watch<'_>) {
        let gradients: Vec<Gradients> = batch.iter().map(|run| self.gradients(run, watch)).collect();
        for ((page, examples), gradients) in batch.iter().zip(&gradients) {
            let sources = self.graph.categories(*page);
            for (&(target, _), &slope) in examples.iter().zip(&gradients.slopes) {
                if !sources.is_empty() {
                    self.target.step(self.graph.categories(target), slope, &gradients.sum);
                }
            }
            self.source.step(sources, 1.0, &gradients.of_sources);
        }
    }

    /// Computes the gradients against the current state.
    pub(super) fn gradients(&self, (page, examples): &Examples, watch: &mut Watch<'_>) -> Gradients {
        let sources = self.graph.categories(*page);
        let sum = self.source.sum(sources);
        let (mut slopes, mut of_sources) = (Vec::new(), vec![0.0; sum.len()]);
        for &(target, is_link) in examples {
            let targets = self.graph.categories(target);
            if sources.is_empty() || targets.is_empty() {
                watch.example(is_link, None);
                slopes.push(0.0);
                continue;
            }
            let v = self.target.sum(targets);
            let product = dot(&sum, &v);
            watch.example(is_link, Some(f64::from(product)));
            let sigma = if is_link { 1.0 } else { -1.0 };
            let slope = super::slope_at(product, sigma / ((sources.len() * targets.len()) as f32).sqrt());
            let slope = if is_link { slope * self.source.tuning.cost } else { slope };
            of_sources.iter_mut().zip(&v).for_each(|(sum, v)| *sum += slope * v);
            slopes.push(slope);
        }
        Gradients { sum, slopes, of_sources }
    }
}

/// Computes eight sums, as many as a wide register has places, then the sum of these.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0f32; 8];
    for (at, (a, b)) in a.iter().zip(b).enumerate() {
        sums[at % 8] += a * b;
    }
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// One side's table, with AdaGrad's sum of squares for each row.
pub(super) struct Table {
    pub(super) rank: usize,
    tuning: Tuning,
    pub(super) rows: Vec<Vec<f32>>,
    pub(super) squares: Vec<f32>,
}

impl Table {
    fn new(num_categories: usize, conf: &LearnConf, side: u64) -> Table {
        let mut entries = first_row_entries(conf, side);
        let row = |_| entries.by_ref().take(conf.rank).collect();
        let rows = (0..num_categories).map(row).collect();
        Table { rank: conf.rank, tuning: conf.tuning, rows, squares: vec![0.0; num_categories] }
    }

    /// Returns the rows and their sums; one that no example ever touched becomes zero, since nothing is known of its
    /// category.
    fn finish(self) -> (Vec<f32>, Vec<f32>) {
        let row = |(row, &square): (Vec<f32>, &f32)| if square == 0.0 { vec![0.0; row.len()] } else { row };
        (self.rows.into_iter().zip(&self.squares).flat_map(row).collect(), self.squares)
    }

    fn sum(&self, categories: &[MilestoneId]) -> Vec<f32> {
        let mut sum = vec![0.0; self.rank];
        for category in categories {
            sum.iter_mut().zip(&self.rows[category.index()]).for_each(|(sum, x)| *sum += x);
        }
        sum
    }

    /// Makes an AdaGrad step against `slope`·`direction` for the rows of these categories.
    fn step(&mut self, categories: &[MilestoneId], slope: f32, direction: &[f32]) {
        let square = slope * slope * (dot(direction, direction) * (1.0 / self.rank as f32));
        if square == 0.0 {
            return;
        }
        for category in categories {
            let sum = &mut self.squares[category.index()];
            *sum += square;
            let length = self.tuning.step / (*sum + EPSILON).sqrt();
            let (kept, factor) = (1.0 - length * self.tuning.decay, length * slope);
            for (x, towards) in self.rows[category.index()].iter_mut().zip(direction) {
                *x = kept * *x - factor * towards;
            }
        }
    }
}
