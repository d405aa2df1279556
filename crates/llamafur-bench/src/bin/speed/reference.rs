//! The learners and the scorer as anyone would write them first: one loop, 64-bit numbers, a hash set of categories
//! for each page, vectors of vectors, nothing asked for ahead of time.
//!
//! They learn from the same examples as the library: links and non-links of the same pages, in the same order. The
//! dense ones come to its weights but for rounding; `factored` steps after every example instead of after a batch, so
//! it comes to others that are as good.
//!
//! On a large graph only a share of the pages is gone over, each with all its examples. To be fair to the reference,
//! its matrix is written once before its clock starts, so that a share does not pay for the whole; what is done to
//! the whole matrix at the end (`averaged`, `naive`) is done to the same share of it.
#![allow(
    clippy::iter_over_hash_type,
    reason = "sums differ in their last bits by the order of a set: this measures time, not weights"
)]

use crate::clock::{Clock, Seconds};
use llamafur::graph::{Graph, PageId};
use llamafur::learn::Method;
use llamafur::learn::sampler::{NonLinks, Purpose, generator, num_examples, page_order, shuffle, unit};
use std::collections::HashSet;

/// As in the default settings of the library.
const SEED: u64 = 1;
const ROUNDS: usize = 4;
const AGGRESSIVENESS: f64 = 1.5;
const RANK: usize = 32;
const STEP: f64 = 0.1;
const DECAY: f64 = 1e-4;
const EPSILON: f64 = 1e-8;

/// A graph as a first program has it.
pub(crate) struct Plain<'a> {
    graph: Graph<'a>,
    categories: Vec<HashSet<u32>>,
}

/// Examples seen, and how long it took.
pub(crate) type Cost = (u64, Seconds);

/// What a plain learner learns.
pub(crate) struct Learnt {
    pub matrix: Matrix,
    pub cost: Cost,
}

pub(crate) enum Matrix {
    /// Cells, row after row.
    Dense(Vec<f64>),
    /// A vector for each category as a source, and one as a target.
    Factored(Vec<Vec<f64>>, Vec<Vec<f64>>),
}

impl<'a> Plain<'a> {
    pub(crate) fn new(graph: &Graph<'a>) -> Plain<'a> {
        let set = |row: &[llamafur::graph::MilestoneId]| row.iter().map(|category| category.0).collect();
        Plain { graph: *graph, categories: graph.categories.rows().map(set).collect() }
    }

    fn of(&self, page: PageId) -> &HashSet<u32> {
        &self.categories[page.index()]
    }

    /// Learns from this share of the pages, 1 or more for all.
    pub(crate) fn learn(&self, method: Method, share: f64) -> Learnt {
        let share = share.min(1.0);
        match method {
            Method::Factored => self.factored(share),
            Method::Naive => self.naive(share),
            Method::Averaged => self.averaged(share),
            _ => self.passive_aggressive(method, share),
        }
    }

    /// That share of the pages, in the order of a round.
    fn pages(&self, round: usize, share: f64) -> impl Iterator<Item = PageId> {
        let order = page_order(self.graph.num_pages(), SEED, round as u64);
        let num = (order.len() as f64 * share).ceil() as usize;
        order.into_iter().take(num)
    }

    /// The links of a page, then as many non-links.
    fn examples(&self, page: PageId) -> Vec<(PageId, bool)> {
        let links = self.graph.links(page);
        let mut examples: Vec<(PageId, bool)> = links.iter().map(|&target| (target, true)).collect();
        let non_links = NonLinks::new(&self.graph, page, SEED, 0).take(links.len());
        examples.extend(non_links.map(|target| (target, false)));
        examples
    }

    /// Every fourth link of a page, and as many non-links, shuffled.
    fn hand(&self, page: PageId, round: usize) -> Vec<(PageId, bool)> {
        let mut non_links = NonLinks::new(&self.graph, page, SEED, round as u64);
        let mut examples = Vec::new();
        for &target in self.graph.links(page).iter().skip((round + page.index()) % ROUNDS).step_by(ROUNDS) {
            examples.push((target, true));
            examples.extend(non_links.next().map(|target| (target, false)));
        }
        let of = u64::from(page.0) | (round as u64) << 32;
        shuffle(&mut generator(SEED, Purpose::ExampleOrder, of), &mut examples);
        examples
    }

    /// The cells of the pairs of two pages' categories.
    fn cells(&self, source: PageId, target: PageId) -> Vec<usize> {
        let mut cells = Vec::new();
        for &c in self.of(source) {
            for &d in self.of(target) {
                cells.push(c as usize * self.graph.num_categories + d as usize);
            }
        }
        cells
    }

    fn zeros(&self) -> Vec<f64> {
        let mut zeros = vec![0.0; self.graph.num_categories * self.graph.num_categories];
        // The system gives memory when it is written, not when it is asked for.
        std::hint::black_box(&mut zeros).fill(0.0);
        zeros
    }

    fn passive_aggressive(&self, method: Method, share: f64) -> Learnt {
        let mut weights = self.zeros();
        let (clock, mut seen) = (Clock::start(), 0);
        for page in self.pages(0, share) {
            for (target, is_link) in self.examples(page) {
                seen += 1;
                let cells = self.cells(page, target);
                let pairs = cells.len() as f64;
                let rho = if method == Method::Paper { 1.0 / pairs } else { 1.0 / pairs.sqrt() };
                let e: f64 = cells.iter().map(|&cell| weights[cell]).sum();
                let sigma = if is_link { 1.0 } else { -1.0 };
                let delta = sigma * rho * AGGRESSIVENESS.min(1.0 - sigma * e * rho);
                for cell in cells {
                    weights[cell] += delta;
                }
            }
        }
        Learnt { matrix: Matrix::Dense(weights), cost: (seen, clock.stop()) }
    }

    fn averaged(&self, share: f64) -> Learnt {
        let (mut weights, mut off) = (self.zeros(), self.zeros());
        let total = num_examples(&self.graph, 1) as f64;
        let (clock, mut seen) = (Clock::start(), 0u64);
        for round in 0..ROUNDS {
            for page in self.pages(round, share) {
                for (target, is_link) in self.hand(page, round) {
                    let time = seen as f64 / total;
                    seen += 1;
                    let cells = self.cells(page, target);
                    let rho = 1.0 / (cells.len() as f64).sqrt();
                    let e: f64 = cells.iter().map(|&cell| weights[cell]).sum();
                    let sigma = if is_link { 1.0 } else { -1.0 };
                    let loss = 1.0 - sigma * e * rho;
                    if loss > 0.0 {
                        let delta = sigma * rho * AGGRESSIVENESS.min(loss);
                        for cell in cells {
                            weights[cell] += delta;
                            off[cell] += delta * time;
                        }
                    }
                }
            }
        }
        let num = (weights.len() as f64 * share) as usize;
        for cell in 0..num {
            weights[cell] -= off[cell];
        }
        Learnt { matrix: Matrix::Dense(weights), cost: (seen, clock.stop()) }
    }

    fn naive(&self, share: f64) -> Learnt {
        let mut weights = self.zeros();
        let num_categories = self.graph.num_categories;
        let (clock, mut seen) = (Clock::start(), 0);
        let mut num_pages = vec![0.0; num_categories];
        for page in self.pages(0, share) {
            for &category in self.of(page) {
                num_pages[category as usize] += 1.0;
            }
            for &target in self.graph.links(page) {
                seen += 1;
                for cell in self.cells(page, target) {
                    weights[cell] += 1.0;
                }
            }
        }
        let num = (num_categories as f64 * share) as usize;
        for source in 0..num {
            for target in 0..num_categories {
                let links: f64 = weights[source * num_categories + target];
                let (sources, targets): (f64, f64) = (num_pages[source], num_pages[target]);
                weights[source * num_categories + target] =
                    (links + 1.0).ln() - (sources + 1.0).ln() - (targets + 1.0).ln();
            }
        }
        Learnt { matrix: Matrix::Dense(weights), cost: (seen, clock.stop()) }
    }

    fn factored(&self, share: f64) -> Learnt {
        let (mut sources, mut targets) = (Table::new(&self.graph, 0), Table::new(&self.graph, 1));
        let (clock, mut seen) = (Clock::start(), 0);
        for page in self.pages(0, share) {
            for (target, is_link) in self.examples(page) {
                seen += 1;
                let (from, to) = (self.of(page), self.of(target));
                if from.is_empty() || to.is_empty() {
                    continue;
                }
                let (u, v) = (sources.sum(from), targets.sum(to));
                let rho = 1.0 / ((from.len() * to.len()) as f64).sqrt();
                let z = rho * dot(&u, &v);
                let sigma = if is_link { 1.0 } else { -1.0 };
                let slope = -sigma * rho / (1.0 + (sigma * z).exp());
                sources.step(from, slope, &v);
                targets.step(to, slope, &u);
            }
        }
        Learnt { matrix: Matrix::Factored(sources.rows, targets.rows), cost: (seen, clock.stop()) }
    }

    /// The unexpectedness of all links of this share of the pages, by the mean.
    pub(crate) fn score(&self, matrix: &Matrix, share: f64) -> (Vec<Option<f64>>, Cost) {
        let (clock, mut scores) = (Clock::start(), Vec::new());
        let num = (self.graph.num_pages() as f64 * share.min(1.0)).ceil() as usize;
        for page in self.graph.pages().take(num) {
            for &target in self.graph.links(page) {
                let (from, to) = (self.of(page), self.of(target));
                if from.is_empty() || to.is_empty() {
                    scores.push(None);
                    continue;
                }
                let mut e = 0.0;
                for &c in from {
                    for &d in to {
                        e += match matrix {
                            Matrix::Dense(cells) => {
                                cells[c as usize * self.graph.num_categories + d as usize]
                            }
                            Matrix::Factored(u, v) => dot(&u[c as usize], &v[d as usize]),
                        };
                    }
                }
                scores.push(Some(-e / (from.len() * to.len()) as f64));
            }
        }
        let units = scores.len() as u64;
        (scores, (units, clock.stop()))
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A vector for each category, with AdaGrad's sum of squares.
struct Table {
    rows: Vec<Vec<f64>>,
    squares: Vec<f64>,
}

impl Table {
    fn new(graph: &Graph<'_>, side: u64) -> Table {
        let mut draw = generator(SEED, Purpose::FirstState, side);
        let mut row = || (0..RANK).map(|_| (unit(&mut draw) - 0.5) * 2.0 / (RANK as f64).sqrt()).collect();
        let rows = (0..graph.num_categories).map(|_| row()).collect();
        Table { rows, squares: vec![0.0; graph.num_categories] }
    }

    fn sum(&self, categories: &HashSet<u32>) -> Vec<f64> {
        let mut sum = vec![0.0; RANK];
        for &category in categories {
            for (sum, x) in sum.iter_mut().zip(&self.rows[category as usize]) {
                *sum += x;
            }
        }
        sum
    }

    fn step(&mut self, categories: &HashSet<u32>, slope: f64, direction: &[f64]) {
        let square = slope * slope * dot(direction, direction) / RANK as f64;
        for &category in categories {
            self.squares[category as usize] += square;
            let length = STEP / (self.squares[category as usize] + EPSILON).sqrt();
            for (x, towards) in self.rows[category as usize].iter_mut().zip(direction) {
                *x -= length * (slope * towards + DECAY * *x);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learning::conf;
    use llamafur::categories::Categories;
    use llamafur::corpus::Corpus;
    use llamafur::graph::MilestoneId;
    use llamafur::learn::learn;
    use llamafur::matrix::FactoredMatrix;
    use llamafur::progress::Silent;
    use llamafur::score::Normalise;
    use llamafur::storage::Existing;
    use llamafur_bench::truth::planted_auc;
    use llamafur_eval::synth::{SynthConf, Truth, synth};

    fn on_a_small_corpus(check: impl FnOnce(&Corpus)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("small.corpus");
        let sizes = SynthConf::default().pages(3_000).links(60_000).categories(60).planted(100);
        synth(&sizes, &path, Existing::Refuse, &mut Silent).unwrap();
        check(&Corpus::open(&path).unwrap());
    }

    #[test]
    fn dense_references_learn_what_the_library_learns() {
        on_a_small_corpus(|corpus| {
            let graph = Categories::whole_graph(corpus).unwrap();
            for method in [Method::Averaged, Method::Paper, Method::Original, Method::Naive] {
                let (learnt, figures) = learn(&graph, &conf(method), &mut Silent).unwrap();
                let plain = Plain::new(&graph).learn(method, 1.0);
                let Matrix::Dense(cells) = plain.matrix else { panic!("{method} is dense") };
                assert_eq!(plain.cost.0, figures.examples, "{method}");
                let pairs = (0..60).flat_map(|c| (0..60).map(move |d| (MilestoneId(c), MilestoneId(d))));
                let weights = pairs.map(|(c, d)| learnt.matrix().weight(c, d));
                let far = weights.zip(&cells).map(|(ours, plain)| (ours - plain).abs()).fold(0.0, f64::max);
                assert!(far < 1e-3, "{method}: {far}");
            }
        });
    }

    #[test]
    fn factored_reference_finds_planted_links_as_well() {
        on_a_small_corpus(|corpus| {
            let graph = Categories::whole_graph(corpus).unwrap();
            let truth = Truth::of(corpus).unwrap();
            let Matrix::Factored(u, v) = Plain::new(&graph).learn(Method::Factored, 1.0).matrix else {
                panic!("two tables")
            };
            let flat = |rows: Vec<Vec<f64>>| rows.into_iter().flatten().map(|x| x as f32).collect();
            let plain = FactoredMatrix::from_tables(RANK, flat(u), flat(v));
            let (ours, _) = learn(&graph, &conf(Method::Factored), &mut Silent).unwrap();
            let auc = |matrix| planted_auc(&graph, &truth, matrix, Normalise::Mean);
            let (plain, ours) = (auc(&plain), auc(ours.matrix()));
            assert!(plain > 0.9 && (plain - ours).abs() < 0.05, "{plain} {ours}");
        });
    }

    #[test]
    fn a_share_of_the_pages_has_that_share_of_the_examples() {
        on_a_small_corpus(|corpus| {
            let graph = Categories::whole_graph(corpus).unwrap();
            let plain = Plain::new(&graph);
            for method in Method::ALL {
                let [part, whole] = [0.25, 1.0].map(|share| plain.learn(method, share).cost.0 as f64);
                assert!((part / whole - 0.25).abs() < 0.05, "{method}: {part} of {whole}");
            }
        });
    }
}
