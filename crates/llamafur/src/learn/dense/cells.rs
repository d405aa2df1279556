//! Where the numbers of a cell are: in a square of all pairs here, in a table of those that occur in `table.rs`.

use crate::graph::MilestoneId;
use std::sync::atomic::AtomicU32;

/// How the cells of a matrix lie in one list of numbers.
pub(super) trait Shape: Sync {
    /// Numbers in a cell.
    const WIDTH: usize;
    /// What there is to know of a row before its cells are asked for.
    type Row: Copy;

    /// Numbers in the list.
    fn num_numbers(&self) -> usize;

    /// The row of a source category.
    fn row(&self, source: MilestoneId) -> Self::Row;

    /// Where the cell is likely to be, without a look at the list.
    fn likely(&self, row: Self::Row, column: u32) -> usize;

    /// Where the cell is. Only the thread that owns the row may ask: the cell may have to be made.
    fn place(&self, numbers: &[AtomicU32], row: Self::Row, column: u32) -> usize;
}

/// A cell for every pair, row after row.
pub(super) struct Square<const WIDTH: usize> {
    pub(super) num_categories: usize,
}

impl<const WIDTH: usize> Shape for Square<WIDTH> {
    const WIDTH: usize = WIDTH;
    /// Where the row begins.
    type Row = usize;

    fn num_numbers(&self) -> usize {
        WIDTH * self.num_categories * self.num_categories
    }

    #[inline(always)]
    fn row(&self, source: MilestoneId) -> usize {
        source.index() * WIDTH * self.num_categories
    }

    #[inline(always)]
    fn likely(&self, row: usize, column: u32) -> usize {
        row + column as usize * WIDTH
    }

    #[inline(always)]
    fn place(&self, _numbers: &[AtomicU32], row: usize, column: u32) -> usize {
        self.likely(row, column)
    }
}
