//! `factored`: a matrix of low rank, W = U·Vᵀ, by logistic regression with AdaGrad.
//!
//! For an example with n source and m target categories, σ = ±1 for link or non-link, and the sums
//! u = Σ_{c ∈ C_s} U_c and v = Σ_{c' ∈ C_t} V_c', the loss is log(1 + exp(−σ·z)) with z = ⟨u, v⟩/√(nm).
//! With g = −σ·ρ/(1 + exp(σ·z)), ρ = 1/√(nm), its gradient is g·v for each U_c and g·u for each V_c'; a little
//! weight decay λ is added for the rows that are touched. AdaGrad (Duchi, Hazan & Singer, “Adaptive Subgradient
//! Methods”, JMLR 12, 2011, section 1.1) divides each step by the root of the sum of squared gradients so far, here of
//! a whole row: one root a row instead of one an entry.
//!
//! Pages come in an order that is shuffled again in every pass, with fresh non-links; a page's links are cut into runs of 64.
//! Runs go in batches: every gradient of a batch is taken against the state at its start, then the rows are updated in
//! the order of the examples. A row that a run's examples share is updated once a run, by the sum of its gradients.
//!
//! # Threads
//! Within a batch every thread draws, gathers and takes the gradients of its share of the runs; then each updates the
//! rows that it owns, going through all runs in order. So a row sees the same updates in the same order however many
//! threads there are, and the matrix has the same bits.
//!
//! # Differences from the paper
//! The loss, the rank and the passes. A pair of categories that no example ever joined gets its weight from the
//! pairs that are like it, where a dense matrix has nothing to say.

mod barrier;
mod batch;
mod lanes;
#[cfg(test)]
pub(super) mod plain;
mod table;
mod tuning;

#[cfg_attr(not(feature = "oracle"), allow(unreachable_pub))]
pub use tuning::Tuning;

use super::progress::{Counted, Watch};
use super::records::Records;
use super::sampler::page_order;
use super::start::Carried;
use super::{LearnConf, ensemble};
use crate::graph::{Graph, PageId};
use crate::kernels::{self, Wide, run_wide};
use crate::matrix::FactoredMatrix;
use barrier::Barrier;
use batch::{BatchShare, Ends, Run, piece_links, pieces};
use lanes::{Any, Fixed, Width, add, add_times, dot, exp, lanes_for};
use std::sync::RwLock;
use table::{MOST_OWNERS, MOST_ROWS, Places, Shard, finished, first_state};

/// Distance, in rows and pages, at which they are prefetched.
const ROWS_AHEAD: usize = 16;
const PAGES_AHEAD: usize = 8;

/// Links for which a further thread is worth its while.
const LINKS_A_THREAD: usize = 20_000;

/// Returns the bytes that learning takes.
pub(super) fn num_bytes(graph: &Graph<'_>, conf: &LearnConf) -> u64 {
    let tables = conf.method.matrix_bytes(graph.num_categories, conf.rank);
    let joint = ensemble::num_bytes(graph.num_categories, conf.ensemble_of(graph), conf.rank);
    tables.saturating_add(joint).saturating_add(Records::num_bytes(graph))
}

pub(super) fn learn(
    graph: &Graph<'_>,
    conf: &LearnConf,
    start: Option<&Carried<'_>>,
    watch: &mut Watch<'_>,
) -> FactoredMatrix {
    let useful = (graph.num_links() / LINKS_A_THREAD).max(1);
    learn_with(graph, conf, start, watch, rayon::current_num_threads().min(useful))
}

fn learn_with(
    graph: &Graph<'_>,
    conf: &LearnConf,
    start: Option<&Carried<'_>>,
    watch: &mut Watch<'_>,
    threads: usize,
) -> FactoredMatrix {
    // Beyond 67 million categories it takes more owners to name all rows, whatever the number of cores.
    let threads = threads.max(graph.num_categories.div_ceil(MOST_ROWS)).clamp(1, MOST_OWNERS);
    let places = Places::new(graph, threads);
    let mut shards = first_state(&places, graph.num_categories, conf, threads);
    if let Some(start) = start {
        table::carry_over(start, &places, &mut shards);
    }
    let records = Records::new(graph, |category| places.of(category));
    let workers = Workers {
        graph: *graph,
        conf,
        places,
        records,
        shards: shards.into_iter().map(RwLock::new).collect(),
        parts: [0, 1].map(|_| (0..threads).map(|_| RwLock::new(BatchShare::new(threads))).collect()),
        barrier: Barrier::new(threads),
    };
    for pass in conf.pass_numbers() {
        workers.pass(pass, watch);
    }
    let shards: Vec<Shard> =
        workers.shards.into_iter().map(|shard| shard.into_inner().expect("no thread panicked")).collect();
    let [(source, of_source), (target, of_target)] =
        finished(&workers.places, &shards, graph.num_categories, conf.rank);
    FactoredMatrix::from_tables(conf.rank, source, target).with_squares([of_source, of_target])
}

/// Threads that learn together.
struct Workers<'a> {
    graph: Graph<'a>,
    conf: &'a LearnConf,
    places: Places,
    records: Records,
    /// The rows of each owner.
    shards: Vec<RwLock<Shard>>,
    /// The part of each thread, for this batch and for the next one.
    parts: [Vec<RwLock<BatchShare>>; 2],
    barrier: Barrier,
}

/// The start of a batch, and its number of links.
struct Batch {
    /// The place of its first page in the order.
    page: usize,
    piece: usize,
    links: usize,
}

impl Workers<'_> {
    fn pass(&self, pass: u64, watch: &mut Watch<'_>) {
        let order = page_order(self.graph.num_pages(), self.conf.seed, pass);
        let batches = self.batches(&order);
        let (order, batches) = (&order[..], &batches[..]);
        std::thread::scope(|scope| {
            let _guard = self.barrier.guard();
            for thread in 1..self.shards.len() {
                scope.spawn(move || self.work(thread, pass, order, batches, |_| {}));
            }
            self.work(0, pass, order, batches, |counted| watch.batch(counted));
        });
    }

    /// Returns the batches of a pass: runs end to end, until there are links enough.
    fn batches(&self, order: &[PageId]) -> Vec<Batch> {
        let enough = self.conf.tuning.batch_for(&self.graph);
        let mut batches: Vec<Batch> = Vec::new();
        let mut links = enough;
        for (page, &id) in order.iter().enumerate() {
            if let Some(later) = order.get(page + 4 * PAGES_AHEAD) {
                kernels::prefetch(self.graph.links.offsets(), later.index());
            }
            let num_links = self.graph.links(id).len();
            for piece in 0..pieces(num_links) {
                if links >= enough {
                    batches.push(Batch { page, piece, links: 0 });
                    links = 0;
                }
                links += piece_links(num_links, piece);
                if let Some(batch) = batches.last_mut() {
                    batch.links = links;
                }
            }
        }
        batches
    }

    /// Returns a thread's share of the runs of a batch: of all shares together, each run once and in order.
    fn runs<'b>(
        &'b self,
        order: &'b [PageId],
        batch: &'b Batch,
        thread: usize,
    ) -> impl Iterator<Item = Run> + 'b {
        let threads = self.shards.len();
        let order = &order[batch.page..];
        let all = order.iter().enumerate().flat_map(move |(at, &page)| {
            self.prefetch(&order[at..]);
            let first = if at == 0 { batch.piece } else { 0 };
            (first..pieces(self.graph.links(page).len())).map(move |piece| Run { page, piece })
        });
        let mut before = 0;
        let placed = all.map_while(move |run| {
            let at = before;
            before += piece_links(self.graph.links(run.page).len(), run.piece);
            (at < batch.links).then_some((at * threads / batch.links, run))
        });
        placed.filter(move |(owner, _)| *owner == thread).map(|(_, run)| run)
    }

    /// Prefetches the links of pages to come.
    fn prefetch(&self, order: &[PageId]) {
        let links = &self.graph.links;
        if let Some(page) = order.get(2 * PAGES_AHEAD) {
            kernels::prefetch(links.offsets(), page.index());
            self.records.prefetch(*page);
        }
        if let Some(page) = order.get(PAGES_AHEAD) {
            kernels::prefetch(links.values(), links.offsets()[page.index()] as usize);
        }
    }

    fn work(
        &self,
        thread: usize,
        pass: u64,
        order: &[PageId],
        batches: &[Batch],
        mut learnt: impl FnMut(&Counted),
    ) {
        let _guard = self.barrier.guard();
        let lanes = lanes_for(self.conf.rank);
        let part = |number: usize, thread: usize| &self.parts[number % 2][thread];
        let prepare = |number: usize| {
            if let Some(batch) = batches.get(number) {
                let runs = self.runs(order, batch, thread);
                let mut part = part(number, thread).write().expect("no thread panicked");
                part.prepare(&self.graph, &self.records, runs, self.conf, pass);
            }
        };
        prepare(0);
        for number in 0..batches.len() {
            {
                let shards: Vec<_> =
                    self.shards.iter().map(|shard| shard.read().expect("no thread panicked")).collect();
                let shards: Vec<&Shard> = shards.iter().map(|shard| &**shard).collect();
                let mut part = part(number, thread).write().expect("no thread panicked");
                let tuning = &self.conf.tuning;
                run_wide(OfLanes(TakeSlopes { part: &mut part, shards: &shards, lanes, tuning }, lanes));
            }
            self.barrier.wait();
            {
                let mut shard = self.shards[thread].write().expect("no thread panicked");
                let mut counted = Counted::default();
                for other in 0..self.shards.len() {
                    let part = part(number, other).read().expect("no thread panicked");
                    let update =
                        Update { part: &part, shard: &mut shard, owner: thread, rank: self.conf.rank };
                    run_wide(OfLanes(update, lanes));
                    counted += part.counted;
                }
                learnt(&counted);
            }
            // A thread that is done early draws the next batch before the others are done.
            prepare(number + 1);
            self.barrier.wait();
        }
    }
}

/// A computation on a part and its rows, generic over their length.
trait Job {
    fn run<W: Width>(self);
}

/// A job with the number of lanes in a row.
struct OfLanes<J>(J, usize);

impl<J: Job> Wide for OfLanes<J> {
    #[inline(always)]
    fn run(self) {
        match self.1 {
            1 => self.0.run::<Fixed<1>>(),
            2 => self.0.run::<Fixed<2>>(),
            4 => self.0.run::<Fixed<4>>(),
            8 => self.0.run::<Fixed<8>>(),
            _ => self.0.run::<Any>(),
        }
    }
}

/// The job that computes g of every example, u and the sum of g·v of every run, against the current state.
struct TakeSlopes<'a> {
    part: &'a mut BatchShare,
    shards: &'a [&'a Shard],
    lanes: usize,
    tuning: &'a Tuning,
}

impl Job for TakeSlopes<'_> {
    #[inline(always)]
    fn run<W: Width>(self) {
        let TakeSlopes { part, shards, lanes, tuning } = self;
        part.slopes.clear();
        part.sums.clear();
        part.gradients.clear();
        part.norms.clear();
        part.slopes.resize(part.scales.len(), 0.0);
        let (mut start, mut target_start, mut wrong) = (Ends::default(), 0, 0);
        for &end in &part.runs {
            let mut u = W::zeros(lanes);
            for &place in &part.source_places[start.sources..end.sources] {
                let rows = &shards[Places::owner(place)].source.rows;
                add(u.as_mut(), W::row(rows, lanes, Places::row(place)));
            }
            let u = u.as_ref();
            // Three loops instead of one: the examples do not wait for each other, nor for the power of e.
            let examples = start.examples..end.examples;
            part.target_sums.clear();
            let slopes = &mut part.slopes[examples.clone()];
            for (product, &target_end) in slopes.iter_mut().zip(&part.place_ends[examples.clone()]) {
                let mut v = W::zeros(lanes);
                for at in target_start..target_end as usize {
                    if let Some(&place) = part.target_places.get(at + ROWS_AHEAD) {
                        shards[Places::owner(place)].target.prefetch(Places::row(place));
                    }
                    let place = part.target_places[at];
                    let rows = &shards[Places::owner(place)].target.rows;
                    add(v.as_mut(), W::row(rows, lanes, Places::row(place)));
                }
                target_start = target_end as usize;
                *product = dot(u, v.as_ref());
                part.target_sums.extend_from_slice(v.as_ref());
            }
            let scales = &part.scales[examples];
            #[cfg(any(test, feature = "oracle"))]
            let easy = if tuning.hardest { easy_non_links(slopes, scales) } else { Vec::new() };
            for (slope, &scale) in slopes.iter_mut().zip(scales) {
                wrong += u32::from((*slope > 0.0) != (scale > 0.0));
                *slope = slope_at(*slope, scale) * if scale > 0.0 { tuning.cost } else { 1.0 };
            }
            #[cfg(any(test, feature = "oracle"))]
            easy.into_iter().for_each(|at| slopes[at] = 0.0);
            let mut gradient = W::zeros(lanes);
            for (example, &slope) in slopes.iter().enumerate() {
                add_times(gradient.as_mut(), slope, W::row(&part.target_sums, lanes, example));
            }
            let gradient = gradient.as_ref();
            part.norms.push([dot(u, u), dot(gradient, gradient)]);
            part.sums.extend_from_slice(u);
            part.gradients.extend_from_slice(gradient);
            start = end;
        }
        part.counted.wrong = u64::from(wrong);
    }
}

/// A step for every row of an owner that the part touches, in the order of the examples.
struct Update<'a> {
    part: &'a BatchShare,
    shard: &'a mut Shard,
    owner: usize,
    rank: usize,
}

impl Job for Update<'_> {
    #[inline(always)]
    fn run<W: Width>(self) {
        let Update { part, shard, owner, rank } = self;
        let (lanes, share) = (lanes_for(rank), 1.0 / rank as f32);
        let steps = &part.steps[owner];
        let mut start = 0;
        for (run, &end) in steps.target_ends.iter().enumerate() {
            let (sum, norm) = (W::row(&part.sums, lanes, run), part.norms[run][0] * share);
            for at in start..end {
                if let Some(&(row, _)) = steps.targets.get(at + ROWS_AHEAD) {
                    shard.target.prefetch(row as usize);
                }
                let (row, example) = steps.targets[at];
                let slope = part.slopes[example as usize];
                shard.target.step::<W>(row as usize, slope, sum, slope * slope * norm);
            }
            start = end;
        }
        for &(row, run) in &steps.sources {
            let gradient = W::row(&part.gradients, lanes, run as usize);
            shard.source.step::<W>(row as usize, 1.0, gradient, part.norms[run as usize][1] * share);
        }
    }
}

/// Returns the non-links between two links that are not the one of highest expectedness.
#[cfg(any(test, feature = "oracle"))]
fn easy_non_links(products: &[f32], scales: &[f32]) -> Vec<usize> {
    let mut easy = Vec::new();
    let mut hardest: Option<usize> = None;
    for at in 0..products.len() {
        if scales[at] > 0.0 {
            hardest = None;
            continue;
        }
        let expectedness = |at: usize| products[at] * -scales[at];
        match hardest {
            Some(before) if expectedness(before) >= expectedness(at) => easy.push(at),
            Some(before) => {
                easy.push(before);
                hardest = Some(at);
            }
            None => hardest = Some(at),
        }
    }
    easy
}

/// Returns g = −σ·ρ/(1 + exp(σ·ρ·⟨u, v⟩)), the derivative of the loss by ⟨u, v⟩, from that product and σ·ρ.
#[inline(always)]
fn slope_at(product: f32, scale: f32) -> f32 {
    -scale / (1.0 + exp(scale * product))
}

#[cfg(test)]
mod tests;
