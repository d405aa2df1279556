//! The dense learners on all threads: the result of the plain loops, to the last bit, as fast as memory allows.
//!
//! Pages are dealt their examples (`examples.rs`) and work on their rows in turns (`turns.rs`). Cells are in a square of all pairs,
//! in which the columns of categories that go together share cache lines (`layout.rs`). What an example does to its cells is in
//! `rules.rs`; a thread, which prefetches memory, in `worker.rs`. The tests hold all of it to the bits of plain loops.

mod examples;
mod layout;
mod rules;
mod turns;
mod worker;

use super::passive_aggressive::Scale;
use super::progress::Watch;
use super::sampler::num_examples;
use super::start::Carried;
use super::tally::Published;
use super::{LearnConf, Method};
use crate::graph::{Graph, MilestoneId};
use crate::kernels;
use crate::matrix::DenseMatrix;
use examples::Round;
use layout::Layout;
use rayon::prelude::*;
use rules::{Averaged, Count, PassiveAggressive, Rule};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use turns::Queue;
use worker::{Worker, Workshop};

/// Examples between two looks at what all threads have counted.
const STRIDE: usize = 1 << 16;

/// Returns the bytes that learning takes with a cell for every pair.
pub(super) fn num_bytes(graph: &Graph<'_>, conf: &LearnConf) -> u64 {
    let cells = conf.method.matrix_bytes(graph.num_categories, conf.rank);
    cells.saturating_add(Layout::num_bytes(graph) + Queue::num_bytes(graph))
}

/// Learns by any of the dense methods.
pub(super) fn learn(
    graph: &Graph<'_>,
    conf: &LearnConf,
    start: Option<&Carried<'_>>,
    watch: &mut Watch<'_>,
) -> DenseMatrix {
    let mut learner = Learner::new(graph, conf, watch);
    learner.start = start;
    learner.learn()
}

struct Learner<'a, 'w> {
    graph: &'a Graph<'a>,
    conf: &'a LearnConf,
    watch: &'a mut Watch<'w>,
    start: Option<&'a Carried<'a>>,
    layout: Layout,
    published: Vec<Published>,
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
            start: None,
            #[cfg(test)]
            pace: |_| (),
        }
    }

    fn learn(&mut self) -> DenseMatrix {
        let aggressiveness = self.conf.aggressiveness;
        match self.conf.method {
            Method::Averaged => {
                let total = num_examples(self.graph, 1) * self.conf.passes_or_default() as u64;
                let average = |_, _, [sum, off]: [u32; 2]| f32::from_bits(sum) - f32::from_bits(off);
                self.learn_by(&Averaged { aggressiveness, total }, average)
            }
            Method::Naive => {
                let weight = super::naive::weight(self.graph);
                self.learn_by(&Count, |source, target, [links]: [u32; 1]| weight(source, target, links))
            }
            method => {
                let scale = if method == Method::Paper { Scale::Mean } else { Scale::Sqrt };
                let rule = PassiveAggressive { scale, aggressiveness };
                self.learn_by(&rule, |_, _, [cell]: [u32; 1]| f32::from_bits(cell))
            }
        }
    }

    /// Learns by a rule; `weight` is what a cell weighs in the end.
    fn learn_by<R: Rule, const WIDTH: usize>(
        &mut self,
        rule: &R,
        weight: impl Fn(MilestoneId, MilestoneId, [u32; WIDTH]) -> f32 + Sync,
    ) -> DenseMatrix {
        const { assert!(R::WIDTH == WIDTH, "cells of as many numbers as the rule works on") };
        let mut cells = self.cells_after(rule);
        self.layout.finish(&mut cells, weight);
        DenseMatrix::from_rounded_cells(self.graph.num_categories, bytemuck::cast_vec(cells))
    }

    /// Returns the numbers of the cells as all rounds leave them, with the columns of the layout.
    fn cells_after<R: Rule>(&mut self, rule: &R) -> Vec<u32> {
        let num_categories = self.graph.num_categories;
        let mut numbers = kernels::zeros(R::WIDTH * num_categories * num_categories);
        if let Some(start) = self.start {
            carry_over(start, &self.layout, R::WIDTH, kernels::shared(&mut numbers));
        }
        let mut before = 0;
        for round in Round::all(self.graph, self.conf) {
            before = self.go_over(round, rule, &mut numbers, before);
        }
        numbers
    }

    /// Goes over all pages once; returns the number of examples up to the end of the round.
    fn go_over<R: Rule>(&mut self, round: Round<'_>, rule: &R, numbers: &mut [u32], before: u64) -> u64 {
        let order = round.order();
        let shop = Workshop {
            round,
            layout: &self.layout,
            queue: Queue::new(round, &self.layout, &order, before),
            numbers: kernels::shared(numbers),
            rule,
            broken: AtomicBool::new(false),
            #[cfg(test)]
            pace: self.pace,
        };
        let published = &self.published;
        // The caller works too: only it may speak to the watch.
        rayon::in_place_scope(|scope| {
            for published in &published[1..] {
                let shop = &shop;
                scope.spawn(move |_| Worker::new(shop, published).run(|_| ()));
            }
            let mut unseen = 0;
            Worker::new(&shop, &published[0]).run(|examples| {
                unseen += examples;
                if unseen >= STRIDE {
                    unseen = 0;
                    self.watch.absorb(&Published::sum(published));
                }
            });
        });
        self.watch.absorb(&Published::sum(published));
        shop.queue.num_examples()
    }
}

/// Puts the weights of a model into cells of `width` numbers.
fn carry_over(start: &Carried<'_>, layout: &Layout, width: usize, numbers: &[AtomicU32]) {
    let row_len = layout.categories().len() * width;
    layout.categories().par_iter().for_each(|&source| {
        for (target, weight) in start.row(source) {
            let place = source.index() * row_len + layout.column(target) as usize * width;
            numbers[place].store(weight.to_bits(), Ordering::Relaxed);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::PageId;
    use crate::learn::plain;
    use crate::matrix::{CategoryMatrix, pairs};
    use crate::progress::Silent;
    use crate::storage::CsrBuf;
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

    fn cells(matrix: &dyn CategoryMatrix) -> Vec<u32> {
        let all: Vec<MilestoneId> = (0..matrix.num_categories() as u32).map(MilestoneId).collect();
        pairs(&all, &all).map(|(c, d)| (matrix.weight(c, d) as f32).to_bits()).collect()
    }

    #[test]
    fn slow_threads_change_no_bit() {
        // Of 90 categories only 9 are on pages.
        for num_categories in [9, 90] {
            slow_threads_change_no_bit_of(num_categories);
        }
    }

    fn slow_threads_change_no_bit_of(num_categories: usize) {
        let pages = 300;
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
            own.into_iter().map(MilestoneId)
        });
        let (links, categories) = (CsrBuf::from_iter(links), CsrBuf::from_iter(categories));
        let graph = Graph::new(links.view(), categories.view(), num_categories);
        for method in [Method::Paper, Method::Original, Method::Averaged, Method::Naive] {
            let conf = LearnConf::default().method(method).passes(2);
            let mut silent = Silent;
            let mut watch = Watch::new(&mut silent, method, 0);
            let expected = plain::learn_dense(&graph, &conf, &mut watch);
            let expected = (cells(&expected), watch.finish());
            for threads in [1, 2, 3, 4, 16] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let found = pool.install(|| {
                    let mut silent = Silent;
                    let mut watch = Watch::new(&mut silent, method, 0);
                    let mut learner = Learner::new(&graph, &conf, &mut watch);
                    learner.pace = pace;
                    (cells(&learner.learn()), watch.finish())
                });
                assert!(found == expected, "{method} on {threads} threads");
            }
        }
    }

    #[test]
    fn a_thread_that_panics_lets_the_others_go() {
        let links = CsrBuf::from_iter((0..200).map(|page| [PageId((page + 1) % 200)]));
        let categories = CsrBuf::from_iter((0..200).map(|_| [MilestoneId(0)]));
        let graph = Graph::new(links.view(), categories.view(), 1);
        let conf = LearnConf::default().method(Method::Paper);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
        let run = || {
            let mut silent = Silent;
            let mut watch = Watch::new(&mut silent, Method::Paper, 0);
            let mut learner = Learner::new(&graph, &conf, &mut watch);
            learner.pace = |before| assert_ne!(before, 100, "on purpose");
            learner.learn();
        };
        let run = std::panic::AssertUnwindSafe(run);
        let result = pool.install(|| std::panic::catch_unwind(run));
        assert!(result.is_err());
    }
}
