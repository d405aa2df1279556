//! What an example does to the cells of its pairs: the steps of `passive_aggressive.rs`, `averaged.rs` and
//! `naive.rs`, on cells that threads share.
//!
//! Whoever works on a page has its rows to himself, so loads and stores need no order of their own: the turns
//! (`turns.rs`) give it to them. The arithmetic is that of the plain loops, operation by operation.

use crate::learn::passive_aggressive::Scale;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The cells of an example: those of its rows at its columns.
#[derive(Clone, Copy)]
pub(super) struct Block<'a> {
    pub(super) cells: &'a [AtomicU32],
    /// Where the row of each source category begins.
    pub(super) rows: &'a [usize],
    pub(super) columns: &'a [u32],
}

impl Block<'_> {
    /// Where the pairs have their cells of `width` numbers, row after row.
    #[inline(always)]
    pub(super) fn places(&self, width: usize) -> impl Iterator<Item = usize> + '_ {
        self.rows.iter().flat_map(move |row| self.columns.iter().map(move |&c| row + c as usize * width))
    }

    #[inline(always)]
    fn sum(&self, width: usize) -> f64 {
        let mut sum = 0.0;
        for &row in self.rows {
            for &column in self.columns {
                sum += f64::from(load(&self.cells[row + column as usize * width]));
            }
        }
        sum
    }

    #[inline(always)]
    fn num_pairs(&self) -> usize {
        self.rows.len() * self.columns.len()
    }
}

#[inline(always)]
fn load(cell: &AtomicU32) -> f32 {
    f32::from_bits(cell.load(Relaxed))
}

#[inline(always)]
fn add(cell: &AtomicU32, by: f32) {
    cell.store((load(cell) + by).to_bits(), Relaxed);
}

/// How to learn from an example.
pub(super) trait Rule: Sync {
    /// Numbers in a cell.
    const WIDTH: usize;
    /// Whether the matrix is asked for a guess before it learns.
    const GUESSES: bool = true;

    /// Learns from the example that `before` others came before; returns what e was. There is at least one pair.
    fn step(&self, block: Block<'_>, is_link: bool, before: u64) -> f64;
}

/// `paper` and `original`.
pub(super) struct PassiveAggressive {
    pub(super) scale: Scale,
    pub(super) aggressiveness: f64,
}

impl Rule for PassiveAggressive {
    const WIDTH: usize = 1;

    #[inline(always)]
    fn step(&self, block: Block<'_>, is_link: bool, _before: u64) -> f64 {
        let e = block.sum(Self::WIDTH);
        let rho = self.scale.rho(block.num_pairs());
        let sigma = if is_link { 1.0 } else { -1.0 };
        let delta = (sigma * rho * self.aggressiveness.min(1.0 - sigma * e * rho)) as f32;
        for &row in block.rows {
            for &column in block.columns {
                add(&block.cells[row + column as usize], delta);
            }
        }
        e
    }
}

/// `averaged`: the weight and, beside it in the same cache line, what the average takes off.
pub(super) struct Averaged {
    pub(super) aggressiveness: f64,
    /// T, the examples of all passes.
    pub(super) total: u64,
}

impl Rule for Averaged {
    const WIDTH: usize = 2;

    #[inline(always)]
    fn step(&self, block: Block<'_>, is_link: bool, before: u64) -> f64 {
        let e = block.sum(Self::WIDTH);
        let rho = Scale::Sqrt.rho(block.num_pairs());
        let sigma = if is_link { 1.0 } else { -1.0 };
        let loss = 1.0 - sigma * e * rho;
        if loss > 0.0 {
            let delta = sigma * rho * self.aggressiveness.min(loss);
            let time = before as f64 / self.total as f64;
            let (of_weight, of_average) = (delta as f32, (delta * time) as f32);
            for &row in block.rows {
                for &column in block.columns {
                    let at = row + column as usize * 2;
                    add(&block.cells[at], of_weight);
                    add(&block.cells[at + 1], of_average);
                }
            }
        }
        e
    }
}

/// `naive`: counts.
pub(super) struct Count;

impl Rule for Count {
    const WIDTH: usize = 1;
    const GUESSES: bool = false;

    #[inline(always)]
    fn step(&self, block: Block<'_>, _is_link: bool, _before: u64) -> f64 {
        for at in block.places(Self::WIDTH) {
            let cell = &block.cells[at];
            cell.store(cell.load(Relaxed).wrapping_add(1), Relaxed);
        }
        0.0
    }
}
