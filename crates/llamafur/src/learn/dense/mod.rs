//! The dense learners on all threads, over a square of all pairs or a table of those that occur: the result of the
//! plain loops, to the last bit, as fast as memory allows.
//!
//! Pages are dealt their examples (`examples.rs`) and work on their rows in turns (`turns.rs`). The columns of categories
//! that go together share cache lines (`layout.rs`); cells are in a square of all pairs (`cells.rs`) or in a table
//! (`table.rs`) whose size is counted before (`count.rs`). What an example does to its cells is in `rules.rs`; a thread,
//! which asks for memory ahead of time, in `worker.rs`. The tests hold all of it to the bits of plain loops.

mod cells;
mod count;
mod examples;
mod layout;
mod rules;
mod table;
mod turns;
mod worker;

use super::memory::{expect_memory, fits};
use super::passive_aggressive::Scale;
use super::progress::Watch;
use super::sampler::num_examples;
use super::start::Carried;
use super::tally::Published;
use super::{LearnConf, Method, Storage};
use crate::graph::{Graph, MilestoneId};
use crate::matrix::{DenseMatrix, Matrix, SparseMatrix};
use crate::progress::{Note, Progress};
use crate::{Error, kernels};
use cells::{Shape, Square};
use examples::Round;
use layout::Layout;
use rayon::prelude::*;
use rules::{Averaged, Count, PassiveAggressive, Rule};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use table::Table;
use turns::Queue;
use worker::{Worker, Workshop};

/// Examples between two looks at what all threads have counted.
const STRIDE: usize = 1 << 16;

/// Bytes that learning takes with a cell for every pair.
pub(super) fn num_bytes(graph: &Graph<'_>, conf: &LearnConf) -> u64 {
    let cells = conf.method.matrix_bytes(graph.num_categories, conf.rank);
    cells.saturating_add(Layout::num_bytes(graph) + Queue::num_bytes(graph))
}

/// What learning will work on, once it is known to fit.
pub(super) struct Plan<'a> {
    graph: &'a Graph<'a>,
    conf: &'a LearnConf,
    start: Option<&'a Carried<'a>>,
    layout: Layout,
    /// How many columns each row of the table touches; none for the square.
    columns: Option<Vec<u32>>,
}

impl<'a> Plan<'a> {
    /// Finds out how the cells can be kept, for any of the dense methods.
    ///
    /// # Errors
    /// If they do not fit into memory in the way that is asked for, or in any.
    pub(super) fn new(
        graph: &'a Graph<'a>,
        conf: &'a LearnConf,
        start: Option<&'a Carried<'a>>,
        progress: &mut dyn Progress,
    ) -> Result<Plan<'a>, Error> {
        let needed = num_bytes(graph, conf);
        let is_dense = match conf.storage {
            Storage::Auto => fits(needed).is_ok(),
            Storage::Dense => true,
            Storage::Sparse => false,
        };
        if is_dense {
            expect_memory(conf, "dense", graph.num_categories, needed)?;
            return Ok(Plan { graph, conf, start, layout: Layout::new(graph), columns: None });
        }
        // What is needed in either case comes first: beside a table there is not much.
        expect_memory(conf, "sparse", graph.num_categories, Layout::num_bytes(graph))?;
        let layout = Layout::new(graph);
        let columns = columns_of(graph, conf, start, &layout, progress);
        let table = if conf.method == Method::Averaged {
            Table::<2>::new(&columns).num_bytes()
        } else {
            Table::<1>::new(&columns).num_bytes()
        };
        let in_table = table + Queue::num_bytes(graph);
        expect_memory(conf, "sparse", graph.num_categories, in_table)?;
        progress.note(Note::Sparse { dense: needed, sparse: in_table });
        Ok(Plan { graph, conf, start, layout, columns: Some(columns) })
    }

    /// Learns.
    pub(super) fn learn(self, watch: &mut Watch<'_>) -> Matrix {
        let mut learner = Learner::new(self.graph, self.conf, self.layout, watch);
        learner.start = self.start;
        learner.learn(self.columns.as_deref())
    }
}

/// How many columns the examples of all rounds touch in each row.
fn columns_of(
    graph: &Graph<'_>,
    conf: &LearnConf,
    start: Option<&Carried<'_>>,
    layout: &Layout,
    progress: &mut dyn Progress,
) -> Vec<u32> {
    let most = match conf.method {
        Method::Averaged => Table::<2>::most_hashed(graph.num_categories),
        _ => Table::<1>::most_hashed(graph.num_categories),
    };
    count::num_columns(graph, layout, (&Round::all(graph, conf), start), most, progress)
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
    fn new(graph: &'a Graph<'a>, conf: &'a LearnConf, layout: Layout, watch: &'a mut Watch<'w>) -> Self {
        Learner {
            graph,
            conf,
            watch,
            layout,
            published: (0..rayon::current_num_threads()).map(|_| Published::default()).collect(),
            start: None,
            #[cfg(test)]
            pace: |_| (),
        }
    }

    /// Learns over a table whose rows touch so many columns, or over the square.
    fn learn(&mut self, columns: Option<&[u32]>) -> Matrix {
        let aggressiveness = self.conf.aggressiveness;
        match self.conf.method {
            Method::Averaged => {
                let total = num_examples(self.graph, 1) * self.conf.passes_or_default() as u64;
                let average = |_, _, [sum, off]: [u32; 2]| f32::from_bits(sum) - f32::from_bits(off);
                self.learn_by(&Averaged { aggressiveness, total }, columns, average, |_, w| !is_zero(w), None)
            }
            Method::Naive => {
                let (weight, logs) = (super::naive::weight(self.graph), super::naive::log_pages(self.graph));
                let weight = |source, target, [links]: [u32; 1]| weight(source, target, links);
                self.learn_by(&Count, columns, weight, |[links], _| links > 0, Some(logs))
            }
            method => {
                let scale = if method == Method::Paper { Scale::Mean } else { Scale::Sqrt };
                let rule = PassiveAggressive { scale, aggressiveness };
                let weight = |_, _, [cell]: [u32; 1]| f32::from_bits(cell);
                self.learn_by(&rule, columns, weight, |_, weight| !is_zero(weight), None)
            }
        }
    }

    /// Learns by a rule; `weight` is what a cell weighs in the end, and `is_kept` says whether a table keeps it.
    fn learn_by<const WIDTH: usize>(
        &mut self,
        rule: &impl Rule,
        columns: Option<&[u32]>,
        weight: impl Fn(MilestoneId, MilestoneId, [u32; WIDTH]) -> f32 + Sync,
        is_kept: fn([u32; WIDTH], f32) -> bool,
        log_pages: Option<Vec<f64>>,
    ) -> Matrix {
        let num_categories = self.graph.num_categories;
        let Some(columns) = columns else {
            let mut cells = self.numbers_after(rule, &Square::<WIDTH> { num_categories });
            self.layout.finish(&mut cells, weight);
            return Matrix::Dense(DenseMatrix::from_rounded_cells(num_categories, bytemuck::cast_vec(cells)));
        };
        let table = Table::<WIDTH>::new(columns);
        let numbers = self.numbers_after(rule, &table);
        let kept = table.keep(&self.layout, numbers, |source, target, cell| {
            Some(weight(source, target, cell)).filter(|&weight| is_kept(cell, weight))
        });
        Matrix::Sparse(SparseMatrix::from_cells(kept.offsets, kept.columns, kept.weights, log_pages))
    }

    /// The numbers of the cells as all rounds leave them, with the columns of the layout.
    fn numbers_after<R: Rule, S: Shape>(&mut self, rule: &R, shape: &S) -> Vec<u32> {
        let mut numbers = kernels::zeros(shape.num_numbers());
        if let Some(start) = self.start {
            carry_over(start, &self.layout, shape, kernels::shared(&mut numbers));
        }
        let mut before = 0;
        for round in Round::all(self.graph, self.conf) {
            before = self.go_over(round, (rule, shape), &mut numbers, before);
        }
        numbers
    }

    /// One round over all pages; returns how many examples there were up to its end.
    fn go_over<R: Rule, S: Shape>(
        &mut self,
        round: Round<'_>,
        (rule, shape): (&R, &S),
        numbers: &mut [u32],
        before: u64,
    ) -> u64 {
        let order = round.order();
        let shop = Workshop {
            round,
            layout: &self.layout,
            queue: Queue::new(round, &self.layout, &order, before),
            shape,
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

/// Puts the weights of a model into the cells.
fn carry_over<S: Shape>(start: &Carried<'_>, layout: &Layout, shape: &S, numbers: &[AtomicU32]) {
    layout.categories().par_iter().for_each(|&source| {
        let row = shape.row(source);
        for (target, weight) in start.row(source) {
            let place = shape.place(numbers, row, layout.column(target));
            numbers[place].store(weight.to_bits(), Ordering::Relaxed);
        }
    });
}

/// Whether rounding to multiples of 2⁻³² makes a weight the zero that a pair without a cell has.
fn is_zero(weight: f32) -> bool {
    const HALF: f32 = 1.0 / (1u64 << 33) as f32;
    // Negative ones become −0, which is another number.
    weight < HALF && weight.is_sign_positive()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::PageId;
    use crate::learn::plain;
    use crate::matrix::{CategoryMatrix, pairs, round_weight};
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
    fn what_rounds_to_zero_is_left_out() {
        let half = (1.0 / (1u64 << 33) as f32).to_bits();
        for bits in [0, 1, half - 1, half, half + 1, 1.0f32.to_bits()] {
            for weight in [bits, 1 << 31 | bits].map(f32::from_bits) {
                let is_zero = round_weight(f64::from(weight)).to_bits() == 0;
                assert_eq!(super::is_zero(weight), is_zero, "{weight:e}");
            }
        }
    }

    #[test]
    fn slow_threads_change_no_bit() {
        // Of 90 categories only 9 are on pages: some rows of the table are hashed, some are plain.
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
                for is_sparse in [false, true] {
                    let found = pool.install(|| {
                        let mut silent = Silent;
                        let mut watch = Watch::new(&mut silent, method, 0);
                        let layout = Layout::new(&graph);
                        let columns =
                            is_sparse.then(|| columns_of(&graph, &conf, None, &layout, &mut Silent));
                        let mut learner = Learner::new(&graph, &conf, layout, &mut watch);
                        learner.pace = pace;
                        let found = cells(learner.learn(columns.as_deref()).matrix());
                        (found, watch.finish())
                    });
                    assert!(found == expected, "{method} on {threads} threads, sparse: {is_sparse}");
                }
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
            let mut learner = Learner::new(&graph, &conf, Layout::new(&graph), &mut watch);
            learner.pace = |before| assert_ne!(before, 100, "on purpose");
            learner.learn(None);
        };
        let run = std::panic::AssertUnwindSafe(run);
        let result = pool.install(|| std::panic::catch_unwind(run));
        assert!(result.is_err());
    }
}
