//! The effect of an example on the cells of its pairs: the steps of `passive_aggressive.rs`, `averaged.rs` and
//! `naive.rs`, on cells that threads share.
//!
//! The thread that works on a page owns its rows, so loads and stores need no order of their own: the turns
//! (`turns.rs`) give it to them. The arithmetic is that of the plain loops, operation by operation.

use crate::kernels::{owned, set_owned};
use crate::learn::passive_aggressive::Scale;
use std::sync::atomic::AtomicU32;

/// The cells of an example: those of its rows at its columns.
pub(super) struct Block<'a> {
    pub(super) numbers: &'a [AtomicU32],
    /// Numbers in a cell.
    pub(super) width: usize,
    /// The start of the row of each source category.
    pub(super) rows: &'a [usize],
    pub(super) columns: &'a [u32],
}

impl Block<'_> {
    /// Calls `act` with the place of every pair, row after row.
    #[inline(always)]
    pub(super) fn at_places(&self, mut act: impl FnMut(usize)) {
        for &row in self.rows {
            for &column in self.columns {
                act(row + column as usize * self.width);
            }
        }
    }

    #[inline(always)]
    fn sum(&self) -> f64 {
        let mut sum = 0.0;
        self.at_places(|at| sum += f64::from(load(&self.numbers[at])));
        sum
    }

    #[inline(always)]
    fn num_pairs(&self) -> usize {
        self.rows.len() * self.columns.len()
    }
}

#[inline(always)]
fn load(cell: &AtomicU32) -> f32 {
    f32::from_bits(owned(cell))
}

#[inline(always)]
fn add(cell: &AtomicU32, by: f32) {
    set_owned(cell, (load(cell) + by).to_bits());
}

/// The step by which a method learns from an example.
pub(super) trait Rule: Sync {
    /// Numbers in a cell.
    const WIDTH: usize;
    /// True if the rule computes a guess before it learns.
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
        let e = block.sum();
        let rho = self.scale.rho(block.num_pairs());
        let sigma = if is_link { 1.0 } else { -1.0 };
        let delta = (sigma * rho * self.aggressiveness.min(1.0 - sigma * e * rho)) as f32;
        block.at_places(|at| add(&block.numbers[at], delta));
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
        let e = block.sum();
        let rho = Scale::Sqrt.rho(block.num_pairs());
        let sigma = if is_link { 1.0 } else { -1.0 };
        let loss = 1.0 - sigma * e * rho;
        if loss > 0.0 {
            let delta = sigma * rho * self.aggressiveness.min(loss);
            let time = before as f64 / self.total as f64;
            let (of_weight, of_average) = (delta as f32, (delta * time) as f32);
            block.at_places(|at| {
                add(&block.numbers[at], of_weight);
                add(&block.numbers[at + 1], of_average);
            });
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
        block.at_places(|at| {
            let cell = &block.numbers[at];
            set_owned(cell, owned(cell).wrapping_add(1));
        });
        0.0
    }
}
