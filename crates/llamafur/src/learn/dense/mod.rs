//! The dense learners on all threads: the result of the plain loops, to the last bit, as fast as memory allows.
//!
//! | file | what for |
//! |---|---|
//! | `examples.rs` | the examples of a page in a round |
//! | `turns.rs` | who may work on which rows, in the order of the sequence |
//! | `layout.rs` | columns by frequency; the columns of a page in one cache line |
//! | `cells.rs` | where the numbers of a cell are |
//! | `rules.rs` | what an example does to its cells |
//! | `worker.rs` | one thread: takes pages, asks for their memory ahead of time, works |
//!
//! The plain loops in `passive_aggressive.rs`, `averaged.rs` and `naive.rs` say what is computed, and stay: the
//! tests hold both to the same bits.

mod cells;
mod examples;
mod layout;
mod rules;
mod turns;
mod worker;

pub use worker::Waits;

use super::passive_aggressive::Scale;
use super::progress::Watch;
use super::sampler::{num_examples, page_order};
use super::tally::Published;
use super::{LearnConf, Method, kernels};
use crate::corpus::{Graph, PageId};
use crate::matrix::DenseMatrix;
use cells::{Shape, Square};
use examples::{Round, Share};
use layout::Layout;
use rules::{Averaged, Count, PassiveAggressive, Rule};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use turns::Queue;
use worker::{Worker, Workshop};

/// Examples between two looks at what all threads have counted.
const STRIDE: usize = 1 << 16;

/// Learns by any of the dense methods.
pub(super) fn learn(graph: &Graph<'_>, conf: &LearnConf, watch: &mut Watch<'_>) -> (DenseMatrix, Waits) {
    Learner::new(graph, conf, watch).learn()
}

struct Learner<'a, 'w> {
    graph: &'a Graph<'a>,
    conf: &'a LearnConf,
    watch: &'a mut Watch<'w>,
    layout: Layout,
    published: Vec<Published>,
    waits: Waits,
    #[cfg(test)]
    pace: fn(u64),
}

impl<'a, 'w> Learner<'a, 'w> {
    fn new(graph: &'a Graph<'a>, conf: &'a LearnConf, watch: &'a mut Watch<'w>) -> Self {
        Learner {
            graph,
            conf,
            watch,
            layout: Layout::new(graph),
            published: (0..rayon::current_num_threads()).map(|_| Published::default()).collect(),
            waits: Waits::default(),
            #[cfg(test)]
            pace: |_| (),
        }
    }

    fn learn(mut self) -> (DenseMatrix, Waits) {
        let (aggressiveness, num_categories) = (self.conf.aggressiveness, self.graph.num_categories);
        let cells = match self.conf.method {
            Method::Averaged => {
                let total = num_examples(self.graph) * self.conf.passes_or_default() as u64;
                let mut cells =
                    self.numbers_after(&Averaged { aggressiveness, total }, &Square::<2> { num_categories });
                let average = |sum, off| f32::from_bits(sum) - f32::from_bits(off);
                self.layout.finish_pairs(&mut cells, average);
                cells
            }
            Method::Naive => {
                let mut cells = self.numbers_after(&Count, &Square::<1> { num_categories });
                let weight = super::naive::weight(self.graph);
                self.layout.finish(&mut cells, weight);
                cells
            }
            method => {
                let scale = if method == Method::Paper { Scale::Mean } else { Scale::Sqrt };
                let rule = PassiveAggressive { scale, aggressiveness };
                let mut cells = self.numbers_after(&rule, &Square::<1> { num_categories });
                self.layout.finish(&mut cells, |_, _, cell| f32::from_bits(cell));
                cells
            }
        };
        let matrix = DenseMatrix::from_cells(num_categories, bytemuck::cast_vec(cells));
        (matrix, self.waits)
    }

    /// The numbers of the cells as all rounds leave them, with the columns of the layout.
    fn numbers_after<R: Rule, S: Shape>(&mut self, rule: &R, shape: &S) -> Vec<u32> {
        let mut numbers = kernels::zeros(shape.num_numbers());
        let (graph, seed, num_pages) = (*self.graph, self.conf.seed, self.graph.num_pages());
        let mut before = 0;
        for pass in 0..self.conf.passes_or_default() as u64 {
            let round = |share| Round { graph, seed, pass, share };
            match self.conf.method {
                Method::Averaged => {
                    for hand in 0..self.conf.rounds {
                        let order = page_order(num_pages, seed, pass * self.conf.rounds as u64 + hand as u64);
                        let round = round(Share::Hand { round: hand, rounds: self.conf.rounds });
                        before = self.go_over(&order, round, (rule, shape), &mut numbers, before);
                    }
                }
                Method::Naive => {
                    let order: Vec<PageId> = graph.pages().collect();
                    before = self.go_over(&order, round(Share::Links), (rule, shape), &mut numbers, before);
                }
                _ => {
                    let order = page_order(num_pages, seed, pass);
                    before = self.go_over(
                        &order,
                        round(Share::LinksThenNonLinks),
                        (rule, shape),
                        &mut numbers,
                        before,
                    );
                }
            }
        }
        numbers
    }

    /// One round over all pages; returns how many examples there were up to its end.
    fn go_over<R: Rule, S: Shape>(
        &mut self,
        order: &[PageId],
        round: Round<'_>,
        (rule, shape): (&R, &S),
        numbers: &mut [u32],
        before: u64,
    ) -> u64 {
        let shop = Workshop {
            round,
            layout: &self.layout,
            queue: Queue::new(round, &self.layout, order, before),
            shape,
            numbers: kernels::shared(numbers),
            rule,
            broken: AtomicBool::new(false),
            #[cfg(test)]
            pace: self.pace,
        };
        let waits = Mutex::new(self.waits);
        let add = |of| waits.lock().unwrap_or_else(PoisonError::into_inner).add(of);
        let published = &self.published;
        // The caller works too: only it may speak to the watch.
        rayon::in_place_scope(|scope| {
            for published in &published[1..] {
                let (shop, add) = (&shop, &add);
                scope.spawn(move |_| add(Worker::new(shop, published).run(|_| ())));
            }
            let mut unseen = 0;
            add(Worker::new(&shop, &published[0]).run(|examples| {
                unseen += examples;
                if unseen >= STRIDE {
                    unseen = 0;
                    self.watch.absorb(&Published::sum(published));
                }
            }));
        });
        self.watch.absorb(&Published::sum(published));
        self.waits = waits.into_inner().unwrap_or_else(PoisonError::into_inner);
        shop.queue.num_examples()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{CategoryId, CsrBuf};
    use crate::learn::{averaged, naive, passive_aggressive};
    use crate::progress::Silent;
    use std::thread::{sleep, yield_now};
    use std::time::Duration;

    /// Threads that are slow in turn, in a way that differs from run to run as little as from page to page.
    fn pace(before: u64) {
        match before % 7 {
            0 => sleep(Duration::from_micros(50)),
            1 | 4 => yield_now(),
            _ => {}
        }
    }

    fn cells(matrix: &DenseMatrix) -> Vec<u32> {
        matrix.cells().iter().map(|cell| cell.to_bits()).collect()
    }

    #[test]
    fn slow_threads_change_no_bit() {
        let (pages, num_categories) = (300, 9);
        let links =
            (0..pages).map(|page| (1..page % 8).map(move |step| (page * 7 + step * step * 11) % pages));
        let links = links.enumerate().map(|(page, row)| {
            let mut row: Vec<PageId> = row.filter(|&to| to != page as u32).map(PageId).collect();
            row.sort_unstable();
            row.dedup();
            row
        });
        // Category 0 is on every third page, the others on a few each.
        let categories = (0..pages).map(|page| {
            let own = if page % 3 == 0 { vec![0, 1 + page / 3 % 8] } else { vec![1 + page % 8] };
            own.into_iter().map(CategoryId)
        });
        let (links, categories) = (CsrBuf::from_iter(links), CsrBuf::from_iter(categories));
        let graph = Graph { links: links.view(), categories: categories.view(), num_categories };
        for method in [Method::Paper, Method::Original, Method::Averaged, Method::Naive] {
            let conf = LearnConf::default().method(method).passes(2);
            let mut silent = Silent;
            let mut watch = Watch::new(&mut silent, method, 0);
            let expected = match method {
                Method::Averaged => averaged::learn(&graph, &conf, &mut watch),
                Method::Naive => naive::learn(&graph, &mut watch),
                _ => passive_aggressive::learn(&graph, &conf, &mut watch),
            };
            let expected = (cells(&expected), watch.finish());
            for threads in [1, 2, 3, 4, 16] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let found = pool.install(|| {
                    let mut silent = Silent;
                    let mut watch = Watch::new(&mut silent, method, 0);
                    let mut learner = Learner::new(&graph, &conf, &mut watch);
                    learner.pace = pace;
                    let (matrix, _) = learner.learn();

                    (cells(&matrix), watch.finish())
                });
                assert!(found == expected, "{method} on {threads} threads");
            }
        }
    }

    #[test]
    fn a_thread_that_panics_lets_the_others_go() {
        let links = CsrBuf::from_iter((0..200).map(|page| [PageId((page + 1) % 200)]));
        let categories = CsrBuf::from_iter((0..200).map(|_| [CategoryId(0)]));
        let graph = Graph { links: links.view(), categories: categories.view(), num_categories: 1 };
        let conf = LearnConf::default().method(Method::Paper);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
        let run = || {
            let mut silent = Silent;
            let mut watch = Watch::new(&mut silent, Method::Paper, 0);
            let mut learner = Learner::new(&graph, &conf, &mut watch);
            learner.pace = |before| assert_ne!(before, 100, "on purpose");
            learner.learn().1.pages
        };
        let run = std::panic::AssertUnwindSafe(run);
        let result = pool.install(|| std::panic::catch_unwind(run));
        assert!(result.is_err());
    }
}
