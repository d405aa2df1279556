//! The two tables, cut into shards that have one owner each.

use super::Tuning;
use super::lanes::{Any, Lanes, Width, lanes_for, shrink_and_move};
use crate::graph::{Graph, MilestoneId};
use crate::kernels;
use crate::learn::LearnConf;
use crate::learn::start::Carried;
use crate::random::{Purpose, generator, unit};
use bytemuck::Zeroable;

/// The place of each category's rows: the owner in the high bits, the row in the low ones.
pub(super) struct Places(Vec<u32>);

const ROW_BITS: u32 = 26;
const ROW_MASK: u32 = (1 << ROW_BITS) - 1;

/// The most rows that an owner can have.
pub(super) const MOST_ROWS: usize = 1 << ROW_BITS;

/// The most owners that the high bits can number.
pub(super) const MOST_OWNERS: usize = 1 << (32 - ROW_BITS);

impl Places {
    /// Deals the categories out, the most frequent first, so that every owner gets its share of the work and frequent
    /// rows lie side by side. Nothing that is learnt depends on who owns what.
    pub(super) fn new(graph: &Graph<'_>, owners: usize) -> Places {
        let mut frequency = vec![0u64; graph.num_categories];
        graph.categories.values().iter().for_each(|category| frequency[category.index()] += 1);
        let mut order: Vec<u32> = (0..graph.num_categories as u32).collect();
        order.sort_by_key(|&category| (std::cmp::Reverse(frequency[category as usize]), category));
        let mut places = vec![0; graph.num_categories];
        for (turn, &category) in order.iter().enumerate() {
            let (row, column) = (turn / owners, turn % owners);
            // To and fro, so that the first owner does not always get the most frequent of a row.
            let owner = if row % 2 == 0 { column } else { owners - 1 - column };
            places[category as usize] = (owner as u32) << ROW_BITS | row as u32;
        }
        Places(places)
    }

    #[inline(always)]
    pub(super) fn of(&self, category: MilestoneId) -> u32 {
        self.0[category.index()]
    }

    #[inline(always)]
    pub(super) fn owner(place: u32) -> usize {
        (place >> ROW_BITS) as usize
    }

    #[inline(always)]
    pub(super) fn row(place: u32) -> usize {
        (place & ROW_MASK) as usize
    }
}

/// One owner's rows of both tables.
pub(super) struct Shard {
    pub(super) source: Rows,
    pub(super) target: Rows,
}

/// One owner's rows of one table, with AdaGrad's sum of squares for each.
pub(super) struct Rows {
    lanes: usize,
    tuning: Tuning,
    pub(super) rows: Vec<Lanes>,
    squares: Vec<f32>,
}

impl Rows {
    fn new(num: usize, lanes: usize, tuning: Tuning) -> Rows {
        Rows { lanes, tuning, rows: vec![Lanes::zeroed(); num * lanes], squares: vec![0.0; num] }
    }

    #[inline(always)]
    pub(super) fn prefetch(&self, row: usize) {
        // Two lanes to a cache line, and no more than two lines: the processor sees by itself what follows.
        (0..self.lanes.min(4))
            .step_by(2)
            .for_each(|lane| kernels::prefetch(&self.rows, row * self.lanes + lane));
    }

    /// Makes a step against the gradient `slope`·`direction`, whose mean square is `square`. A gradient of 0, as of a
    /// run whose targets all carry nothing, is no step: nor does it shrink the row, of which nothing was learnt.
    #[inline(always)]
    pub(super) fn step<W: Width>(&mut self, row: usize, slope: f32, direction: &[Lanes], square: f32) {
        if square == 0.0 {
            return;
        }
        let sum = &mut self.squares[row];
        *sum += square;
        let length = self.tuning.step / (*sum + EPSILON).sqrt();
        let row = W::row_mut(&mut self.rows, self.lanes, row);
        shrink_and_move(row, 1.0 - length * self.tuning.decay, length * slope, direction);
    }
}

/// A constant that keeps the first division finite.
pub(super) const EPSILON: f32 = 1e-8;
/// The entries of the first state lie within ± this over √k.
const FIRST_STATE: f64 = 1.0;

/// Returns the first state of one side, entry after entry: 0 for the sources, 1 for the targets.
pub(super) fn first_row_entries(conf: &LearnConf, side: u64) -> impl Iterator<Item = f32> + use<> {
    let width = 2.0 * FIRST_STATE / (conf.rank as f64).sqrt();
    let mut draw = generator(conf.seed, Purpose::FirstState, side);
    std::iter::repeat_with(move || ((unit(&mut draw) - 0.5) * width) as f32)
}

/// Returns the first state of both tables, distributed over the owners: the values do not depend on their number.
pub(super) fn first_state(
    places: &Places,
    num_categories: usize,
    conf: &LearnConf,
    owners: usize,
) -> Vec<Shard> {
    let (lanes, num) = (lanes_for(conf.rank), num_categories.div_ceil(owners));
    let rows = || Rows::new(num, lanes, conf.tuning);
    let mut shards: Vec<Shard> = (0..owners).map(|_| Shard { source: rows(), target: rows() }).collect();
    for side in 0..2 {
        let mut entries = first_row_entries(conf, side);
        for category in 0..num_categories as u32 {
            let place = places.of(MilestoneId(category));
            let shard = &mut shards[Places::owner(place)];
            let rows = if side == 0 { &mut shard.source } else { &mut shard.target };
            let row = Any::row_mut(&mut rows.rows, lanes, Places::row(place));
            let row = row.iter_mut().flat_map(|lanes| &mut lanes.0).take(conf.rank);
            row.zip(&mut entries).for_each(|(x, entry)| *x = entry);
        }
    }
    shards
}

/// Puts the rows of a model in the place of the first state, for the categories that it has learnt of.
pub(super) fn carry_over(start: &Carried<'_>, places: &Places, shards: &mut [Shard]) {
    let Some((matrix, squares)) = start.factored().and_then(|matrix| Some((matrix, matrix.squares()?)))
    else {
        return;
    };
    for category in (0..places.0.len() as u32).map(MilestoneId) {
        let Some(before) = start.before(category) else { continue };
        let place = places.of(category);
        let Shard { source, target } = &mut shards[Places::owner(place)];
        let sides = [(source, matrix.source(), &squares[0]), (target, matrix.target(), &squares[1])];
        for (rows, entries, squares) in sides {
            let square = squares[before.index()];
            if square != 0.0 {
                rows.squares[Places::row(place)] = square;
                let row = Any::row_mut(&mut rows.rows, rows.lanes, Places::row(place));
                let row = row.iter_mut().flat_map(|lanes| &mut lanes.0);
                let entries = &entries[before.index() * matrix.rank()..][..matrix.rank()];
                row.zip(entries).for_each(|(x, entry)| *x = *entry);
            }
        }
    }
}

/// A table in the order of the categories, with AdaGrad's sums.
type Finished = (Vec<f32>, Vec<f32>);

/// Returns both tables. A row that no example ever touched becomes zero, since nothing is known of its category.
pub(super) fn finished(
    places: &Places,
    shards: &[Shard],
    num_categories: usize,
    rank: usize,
) -> [Finished; 2] {
    let table = |side: fn(&Shard) -> &Rows| {
        let (mut table, mut squares) = (vec![0.0; num_categories * rank], Vec::with_capacity(num_categories));
        for (category, entries) in table.chunks_exact_mut(rank).enumerate() {
            let place = places.of(MilestoneId(category as u32));
            let (rows, row) = (side(&shards[Places::owner(place)]), Places::row(place));
            squares.push(rows.squares[row]);
            if rows.squares[row] != 0.0 {
                let learnt = Any::row(&rows.rows, rows.lanes, row).iter().flat_map(|lanes| &lanes.0);
                entries.iter_mut().zip(learnt).for_each(|(entry, x)| *entry = *x);
            }
        }
        (table, squares)
    };
    [table(|shard| &shard.source), table(|shard| &shard.target)]
}
