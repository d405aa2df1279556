//! `factored`: a matrix of low rank, W = U·Vᵀ, by logistic regression with AdaGrad.
//!
//! For an example with n source and m target categories, σ = ±1 for link or non-link, and the sums
//! u = Σ_{c ∈ C_s} U_c and v = Σ_{c' ∈ C_t} V_c', the loss is log(1 + exp(−σ·z)) with z = ⟨u, v⟩/√(nm).
//! With g = −σ·ρ/(1 + exp(σ·z)), ρ = 1/√(nm), its gradient is g·v for each U_c and g·u for each V_c'; a little
//! weight decay λ is added for the rows that are touched. AdaGrad (Duchi, Hazan & Singer, “Adaptive Subgradient
//! Methods”, JMLR 12, 2011, section 1.1) divides each step by the root of the sum of squared gradients so far.
//!
//! Pages come in an order shuffled anew in every pass, with fresh non-links. Examples go in batches: every
//! gradient of a batch is taken against the state at its start, then the rows are updated in the order of the
//! examples. A row that a page's examples share is updated once a page, by the sum of its gradients.
//!
//! # Differences from the paper
//! The loss, the rank and the passes. A pair of categories that no example ever joined gets its weight from the
//! pairs that are like it, where a dense matrix has nothing to say.

use super::LearnConf;
use super::progress::Watch;
use super::sampler::{NonLinks, Purpose, generator, page_order, unit};
use crate::corpus::{CategoryId, Graph, PageId};
use crate::matrix::FactoredMatrix;

/// Examples in a batch: few enough that gradients are fresh. Part of the result: another size, another model.
const BATCH: usize = 256;
/// The length of AdaGrad's steps.
const STEP: f32 = 0.1;
/// λ.
const DECAY: f32 = 1e-4;
/// The entries of the first state lie within ± this over √k.
const FIRST_STATE: f64 = 1.0;
/// Keeps the first division finite.
const EPSILON: f32 = 1e-8;

pub(super) fn learn(graph: &Graph<'_>, conf: &LearnConf, watch: &mut Watch<'_>) -> FactoredMatrix {
    let mut learner = Learner::new(graph, conf);
    for pass in 0..conf.passes_or_default() as u64 {
        for page in page_order(graph.num_pages(), conf.seed, pass) {
            let links = graph.links(page);
            let non_links = NonLinks::new(graph, page, conf.seed, pass).take(links.len());
            // Turn and turn about, so that a batch that ends within a page has both kinds.
            let mut non_links = non_links.map(|target| (target, false));
            for &target in links {
                learner.push(page, (target, true), watch);
                if let Some(example) = non_links.next() {
                    learner.push(page, example, watch);
                }
            }
        }
        learner.flush(watch);
    }
    FactoredMatrix::from_tables(conf.rank, learner.source.finish(), learner.target.finish())
}

struct Example {
    page: PageId,
    target: PageId,
    is_link: bool,
}

struct Learner<'a> {
    graph: Graph<'a>,
    rank: usize,
    source: Table,
    target: Table,
    batch: Vec<Example>,
    /// For each example of the batch: g, then the sums u and v.
    slopes: Vec<f32>,
    source_sums: Vec<f32>,
    target_sums: Vec<f32>,
}

impl<'a> Learner<'a> {
    fn new(graph: &Graph<'a>, conf: &LearnConf) -> Learner<'a> {
        let table = |side| Table::new(graph.num_categories, conf.rank, conf.seed, side);
        Learner {
            graph: *graph,
            rank: conf.rank,
            source: table(0),
            target: table(1),
            batch: Vec::with_capacity(BATCH),
            slopes: Vec::with_capacity(BATCH),
            source_sums: vec![0.0; BATCH * conf.rank],
            target_sums: vec![0.0; BATCH * conf.rank],
        }
    }

    fn push(&mut self, page: PageId, (target, is_link): (PageId, bool), watch: &mut Watch<'_>) {
        if self.graph.categories(page).is_empty() || self.graph.categories(target).is_empty() {
            watch.example(is_link, None);
            return;
        }
        self.batch.push(Example { page, target, is_link });
        if self.batch.len() == BATCH {
            self.flush(watch);
        }
    }

    /// Learns from the batch and empties it.
    fn flush(&mut self, watch: &mut Watch<'_>) {
        self.take_slopes(watch);
        self.update();
        self.batch.clear();
    }

    /// g, u and v of every example, against the state as it is.
    fn take_slopes(&mut self, watch: &mut Watch<'_>) {
        self.slopes.clear();
        for (i, example) in self.batch.iter().enumerate() {
            let sources = self.graph.categories(example.page);
            let targets = self.graph.categories(example.target);
            let span = i * self.rank..(i + 1) * self.rank;
            // The page's sum is that of the example before, unless a new page begins.
            if i > 0 && self.batch[i - 1].page == example.page {
                self.source_sums.copy_within(span.start - self.rank..span.start, span.start);
            } else {
                self.source.sum_into(sources, &mut self.source_sums[span.clone()]);
            }
            self.target.sum_into(targets, &mut self.target_sums[span.clone()]);
            let rho = 1.0 / ((sources.len() * targets.len()) as f32).sqrt();
            let z = rho * dot(&self.source_sums[span.clone()], &self.target_sums[span]);
            watch.example(example.is_link, Some(f64::from(z)));
            self.slopes.push(slope(z, rho, example.is_link));
        }
    }

    /// A step for every row that the batch touches, in the order of the examples.
    fn update(&mut self) {
        let mut gradient = vec![0.0; self.rank];
        let mut first = 0;
        for run in self.batch.chunk_by(|a, b| a.page == b.page) {
            gradient.fill(0.0);
            for i in first..first + run.len() {
                let targets = self.graph.categories(self.batch[i].target);
                let span = i * self.rank..(i + 1) * self.rank;
                let slope = self.slopes[i];
                gradient
                    .iter_mut()
                    .zip(&self.target_sums[span.clone()])
                    .for_each(|(sum, v)| *sum += slope * v);
                let source_sum = &mut self.source_sums[span];
                source_sum.iter_mut().for_each(|u| *u *= slope);
                self.target.step(targets, source_sum);
            }
            self.source.step(self.graph.categories(run[0].page), &gradient);
            first += run.len();
        }
    }
}

/// g = −σ·ρ/(1 + exp(σ·z)): the derivative of the loss by ⟨u, v⟩.
fn slope(z: f32, rho: f32, is_link: bool) -> f32 {
    let sigma = if is_link { 1.0 } else { -1.0 };
    -sigma * rho / (1.0 + (sigma * z).exp())
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    // Eight partial sums, so that the compiler may use wide registers without changing the result.
    let mut sums = [0.0f32; 8];
    let (a, b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f32 = a.remainder().iter().zip(b.remainder()).map(|(x, y)| x * y).sum();
    for (a, b) in a.zip(b) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f32>() + rest
}

/// One side's table, with AdaGrad's sums of squares.
struct Table {
    rank: usize,
    rows: Vec<f32>,
    squares: Vec<f32>,
}

impl Table {
    fn new(num_categories: usize, rank: usize, seed: u64, side: u64) -> Table {
        let mut generator = generator(seed, Purpose::FirstState, side);
        let width = 2.0 * FIRST_STATE / (rank as f64).sqrt();
        let rows =
            (0..num_categories * rank).map(|_| ((unit(&mut generator) - 0.5) * width) as f32).collect();
        Table { rank, rows, squares: vec![0.0; num_categories * rank] }
    }

    /// The rows; one that no example ever touched becomes zero, since nothing is known of its category.
    fn finish(mut self) -> Vec<f32> {
        for (row, squares) in self.rows.chunks_mut(self.rank).zip(self.squares.chunks(self.rank)) {
            if squares.iter().all(|&square| square == 0.0) {
                row.fill(0.0);
            }
        }
        self.rows
    }

    fn sum_into(&self, categories: &[CategoryId], sum: &mut [f32]) {
        sum.fill(0.0);
        for category in categories {
            let row = &self.rows[category.index() * self.rank..][..self.rank];
            sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        }
    }

    /// An AdaGrad step against this gradient for the rows of these categories.
    fn step(&mut self, categories: &[CategoryId], gradient: &[f32]) {
        for category in categories {
            let span = category.index() * self.rank..(category.index() + 1) * self.rank;
            let (row, squares) = (&mut self.rows[span.clone()], &mut self.squares[span]);
            for ((x, square), g) in row.iter_mut().zip(squares).zip(gradient) {
                let g = g + DECAY * *x;
                *square += g * g;
                *x -= STEP * g / (*square + EPSILON).sqrt();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::CsrBuf;
    use crate::learn::Method;
    use crate::progress::Silent;

    type Rows = Vec<Vec<u32>>;

    /// A graph whose links do not matter: the examples are given by hand.
    fn carrying(categories: &Rows) -> (CsrBuf<PageId>, CsrBuf<CategoryId>) {
        let rows = categories.iter().map(|row| row.iter().copied().map(CategoryId));
        (CsrBuf::from_iter(categories.iter().map(|_| [])), CsrBuf::from_iter(rows))
    }

    fn learner<'a>(tables: &'a (CsrBuf<PageId>, CsrBuf<CategoryId>), rank: usize, seed: u64) -> Learner<'a> {
        let categories = tables.1.view();
        let num_categories = categories.values().iter().map(|id| id.index() + 1).max().unwrap_or(0);
        let graph = Graph { links: tables.0.view(), categories, num_categories };
        Learner::new(&graph, &LearnConf::default().rank(rank).seed(seed))
    }

    fn with_watch(work: impl FnOnce(&mut Watch<'_>)) {
        work(&mut Watch::new(&mut Silent, Method::Factored, 0));
    }

    /// Σ log(1 + exp(−σ·z)) over the examples, in 64 bits, straight from the definition.
    fn loss(categories: &Rows, examples: &[(u32, u32, bool)], rank: usize, u: &[f64], v: &[f64]) -> f64 {
        let of = |&(source, target, is_link): &(u32, u32, bool)| {
            let (sources, targets) = (&categories[source as usize], &categories[target as usize]);
            let mut e = 0.0;
            for &c in sources {
                for &d in targets {
                    e += (0..rank).map(|i| u[c as usize * rank + i] * v[d as usize * rank + i]).sum::<f64>();
                }
            }
            let z = e / ((sources.len() * targets.len()) as f64).sqrt();
            let sigma = if is_link { 1.0 } else { -1.0 };
            (-sigma * z).exp().ln_1p()
        };
        examples.iter().map(of).sum()
    }

    /// The derivatives of the loss by every entry of U and of V, by central differences.
    fn differences(
        categories: &Rows,
        examples: &[(u32, u32, bool)],
        learner: &Learner<'_>,
    ) -> (Vec<f64>, Vec<f64>) {
        let wide = |rows: &[f32]| rows.iter().map(|&x| f64::from(x)).collect::<Vec<f64>>();
        let (u, v) = (wide(&learner.source.rows), wide(&learner.target.rows));
        let rank = learner.rank;
        // The error is of the order h² of the third derivative, and 10⁻¹⁶/h of rounding.
        let h = 1e-5;
        let moved = |table: &[f64], at: usize, by: f64| {
            let mut table = table.to_vec();
            table[at] += by;
            table
        };
        let by_u = |at| {
            let loss_at = |by| loss(categories, examples, rank, &moved(&u, at, by), &v);
            (loss_at(h) - loss_at(-h)) / (2.0 * h)
        };
        let by_v = |at| {
            let loss_at = |by| loss(categories, examples, rank, &u, &moved(&v, at, by));
            (loss_at(h) - loss_at(-h)) / (2.0 * h)
        };
        ((0..u.len()).map(by_u).collect(), (0..v.len()).map(by_v).collect())
    }

    /// Sums of at most ten products of 32-bit numbers below 2 in size: a few units of 2⁻²⁴ each.
    const ROUNDING: f64 = 3e-6;

    fn expect_close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
            assert!((found - expected).abs() < ROUNDING, "entry {at}: {found}, expected {expected}");
        }
    }

    #[test]
    fn slopes_times_sums_are_the_gradient_of_the_loss() {
        let categories: Rows = vec![vec![0, 2], vec![1], vec![0, 1, 3], vec![2, 3], vec![3]];
        // Two pages, links and non-links, categories on both sides and in several examples.
        let examples =
            [(0, 1, true), (0, 2, false), (0, 3, true), (2, 0, true), (2, 4, false), (2, 1, false)];
        for (rank, seed) in [(1, 1), (3, 2), (8, 3), (11, 4)] {
            let tables = carrying(&categories);
            let mut learner = learner(&tables, rank, seed);
            let (by_u, by_v) = differences(&categories, &examples, &learner);
            with_watch(|watch| {
                for (source, target, is_link) in examples {
                    learner.push(PageId(source), (PageId(target), is_link), watch);
                }
                learner.take_slopes(watch);
            });
            let (mut of_u, mut of_v) = (vec![0.0; by_u.len()], vec![0.0; by_v.len()]);
            for (i, &(source, target, _)) in examples.iter().enumerate() {
                let slope = f64::from(learner.slopes[i]);
                for k in 0..rank {
                    for &c in &categories[source as usize] {
                        of_u[c as usize * rank + k] += slope * f64::from(learner.target_sums[i * rank + k]);
                    }
                    for &d in &categories[target as usize] {
                        of_v[d as usize * rank + k] += slope * f64::from(learner.source_sums[i * rank + k]);
                    }
                }
            }
            expect_close(&of_u, &by_u);
            expect_close(&of_v, &by_v);
        }
    }

    #[test]
    fn a_batch_steps_against_the_gradient_of_its_loss_and_the_decay() {
        // One page, and targets that share no category: every row is stepped once, so that AdaGrad's sum of
        // squares is the square of the gradient, and the row's move has the other sign.
        let categories: Rows = vec![vec![0, 4], vec![1, 2], vec![3], vec![0, 4], vec![5, 6, 7]];
        let examples = [(0, 1, true), (0, 2, false), (0, 3, true), (0, 4, false)];
        for (rank, seed) in [(1, 5), (4, 6), (9, 7)] {
            let tables = carrying(&categories);
            let mut learner = learner(&tables, rank, seed);
            let (by_u, by_v) = differences(&categories, &examples, &learner);
            let before = [learner.source.rows.clone(), learner.target.rows.clone()];
            with_watch(|watch| {
                for (source, target, is_link) in examples {
                    learner.push(PageId(source), (PageId(target), is_link), watch);
                }
                learner.flush(watch);
            });
            assert!(learner.batch.is_empty());
            for ((table, before), gradient) in
                [&learner.source, &learner.target].into_iter().zip(&before).zip([&by_u, &by_v])
            {
                // The gradient as it was used: its size from the squares, its sign from the move.
                let used = (0..before.len()).map(|at| {
                    let moved = f64::from(before[at]) - f64::from(table.rows[at]);
                    f64::from(table.squares[at]).sqrt() * moved.signum()
                });
                let touched = |at: usize| table.squares[at] != 0.0;
                let decay = |at: usize| if touched(at) { DECAY * before[at] } else { 0.0 };
                let expected: Vec<f64> =
                    gradient.iter().enumerate().map(|(at, g)| g + f64::from(decay(at))).collect();
                expect_close(&used.collect::<Vec<_>>(), &expected);
                // AdaGrad's first step has the full length wherever the gradient is well above √ε.
                for at in (0..before.len()).filter(|&at| table.squares[at] > 1e-4) {
                    let moved = (before[at] - table.rows[at]).abs();
                    let expected = STEP * (table.squares[at] / (table.squares[at] + EPSILON)).sqrt();
                    assert!((moved - expected).abs() < 1e-6, "entry {at}: {moved}, expected {expected}");
                }
            }
        }
    }

    #[test]
    fn every_gradient_of_a_batch_is_taken_at_its_start() {
        // The second example's slope does not know of the first one's step.
        let categories: Rows = vec![vec![0], vec![1]];
        let tables = carrying(&categories);
        let mut learner = learner(&tables, 4, 8);
        with_watch(|watch| {
            for _ in 0..2 {
                learner.push(PageId(0), (PageId(1), true), watch);
            }
            learner.take_slopes(watch);
            assert_eq!(learner.slopes[0], learner.slopes[1]);
            learner.update();
            let first = learner.slopes[0];
            learner.take_slopes(watch);
            assert!(learner.slopes[0].abs() < first.abs(), "the loss went down");
        });
    }

    #[test]
    fn the_product_of_rows_does_not_depend_on_their_length_being_whole_lanes() {
        for rank in 0..20u8 {
            let a: Vec<f32> = (0..rank).map(|i| f32::from(i) - 4.0).collect();
            let b: Vec<f32> = (0..rank).map(|i| 0.5 * f32::from(i)).collect();
            let expected: f32 = (0..rank).map(|i| (f32::from(i) - 4.0) * 0.5 * f32::from(i)).sum();
            assert_eq!(dot(&a, &b), expected);
        }
    }
}
