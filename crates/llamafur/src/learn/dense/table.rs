//! A table of the cells that occur: what the learner works on where a square of all pairs would not fit.
//!
//! The columns that the examples of a row touch are counted before (`count.rs`), so the size of every row, and of
//! the whole, is known before learning begins and never changes. A row is one of two things:
//!
//! - a small hash table with open addressing: ⌊4/3 · columns⌋ slots of a key and the cell's numbers, side by side
//!   in a cache line. A column's home is ⌊slots · frac(φ · column)⌋ (multiplication, no division); from there the
//!   slots are tried one after the other, from the last on to the first. Every column that is asked for was counted, so
//!   there is always a slot for it;
//! - where that would take as much memory, a plain row with a cell for each column. So a table is never larger
//!   than the square, and rows of frequent categories are as quick as they are there.
//!
//! Rows have one owner at a time (`turns.rs`), so making a cell takes no lock.

use super::cells::Shape;
use super::layout::Layout;
use crate::graph::MilestoneId;
use crate::kernels::{owned, set_owned};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::AtomicU32;

/// 2³² / φ: multiples of it, taken modulo 2³², are spread as evenly as can be.
const GOLDEN: u32 = 0x9E37_79B9;

/// The place of every row in a table of cells that occur.
#[derive(Debug)]
pub(super) struct Table<const WIDTH: usize> {
    rows: Vec<Row>,
    num_numbers: usize,
    /// Cells at the most.
    num_cells: u64,
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    /// Its first number.
    start: usize,
    /// Its slots; 0 for a plain row.
    slots: u32,
}

/// The cells that are kept, row after row, by ascending target category.
pub(super) struct Kept {
    pub(super) offsets: Vec<u64>,
    pub(super) columns: Vec<u32>,
    pub(super) weights: Vec<f32>,
}

impl<const WIDTH: usize> Table<WIDTH> {
    /// Numbers in a slot: the key and the cell.
    const SLOT: usize = 1 + WIDTH;

    /// From how many columns on a row is plain: there is nothing to gain from counting more.
    pub(super) fn most_hashed(num_categories: usize) -> usize {
        let is_hashed = |columns: usize| slots(columns) * Self::SLOT < num_categories * WIDTH;
        // ⌊4/3 · x⌋ · SLOT < C · WIDTH: the estimate is off by one at the most.
        let mut columns = num_categories * WIDTH * 3 / (4 * Self::SLOT);
        while is_hashed(columns + 1) {
            columns += 1;
        }
        while columns > 0 && !is_hashed(columns) {
            columns -= 1;
        }
        columns
    }

    /// The table for rows that touch so many columns; more than [`Table::most_hashed`] may mean any number.
    pub(super) fn new(num_columns: &[u32]) -> Table<WIDTH> {
        let num_categories = num_columns.len();
        let most_hashed = Self::most_hashed(num_categories);
        let (mut num_numbers, mut num_cells) = (0, 0);
        let rows = num_columns.iter().map(|&columns| {
            let start = num_numbers;
            let is_plain = columns as usize > most_hashed;
            let slots = if is_plain { 0 } else { slots(columns as usize) };
            num_numbers += if is_plain { num_categories * WIDTH } else { slots * Self::SLOT };
            num_cells += if is_plain { num_categories as u64 } else { u64::from(columns) };
            Row { start, slots: slots as u32 }
        });
        Table { rows: rows.collect(), num_numbers, num_cells }
    }

    /// Bytes that the table takes, with what is made of it beside it in the end.
    pub(super) fn num_bytes(&self) -> u64 {
        let of_row = size_of::<Row>() + size_of::<u64>() + size_of::<RowCells<'_>>();
        let of_cells = self.num_cells * size_of::<f32>() as u64;
        (self.num_numbers * size_of::<u32>() + self.rows.len() * of_row) as u64 + of_cells
    }

    /// What the table holds in the end: the cells of which `weight` says what they weigh.
    ///
    /// Weights go to a list of their own; columns stay where the cells were and then move together, so that one
    /// number a cell is all that is needed besides the table.
    pub(super) fn keep(
        &self,
        layout: &Layout,
        mut numbers: Vec<u32>,
        weight: impl Fn(MilestoneId, MilestoneId, [u32; WIDTH]) -> Option<f32> + Sync,
    ) -> Kept {
        let fill = |kept: &mut Vec<(u32, f32)>, row: usize, numbers: &[u32]| {
            kept.clear();
            let source = MilestoneId(row as u32);
            let mut keep = |column: u32, cell: &[u32]| {
                let target = layout.category(column);
                let cell = cell.try_into().expect("a cell has WIDTH numbers");
                kept.extend(weight(source, target, cell).map(|weight| (target.0, weight)));
            };
            if self.rows[row].slots == 0 {
                numbers.chunks_exact(WIDTH).zip(0..).for_each(|(cell, column)| keep(column, cell));
            } else {
                let slots = numbers.chunks_exact(Self::SLOT).filter(|slot| slot[0] != 0);
                slots.for_each(|slot| keep(slot[0] - 1, &slot[1..]));
            }
        };
        let num_rows = self.rows.len();
        let mut offsets = vec![0u64; num_rows + 1];
        offsets[1..].par_iter_mut().enumerate().for_each_init(Vec::new, |kept, (row, count)| {
            fill(kept, row, &numbers[self.range(row)]);
            *count = kept.len() as u64;
        });
        (0..num_rows).for_each(|row| offsets[row + 1] += offsets[row]);

        let mut weights = vec![0.0; offsets[num_rows] as usize];
        let mut parts: Vec<RowCells<'_>> = Vec::with_capacity(num_rows);
        let (mut numbers_left, mut weights_left) = (&mut numbers[..], &mut weights[..]);
        for row in 0..num_rows {
            let num_kept = (offsets[row + 1] - offsets[row]) as usize;
            let (numbers, weights);
            (numbers, numbers_left) = numbers_left.split_at_mut(self.range(row).len());
            (weights, weights_left) = weights_left.split_at_mut(num_kept);
            parts.push((numbers, weights));
        }
        parts.into_par_iter().enumerate().for_each_init(Vec::new, |kept, (row, (numbers, weights))| {
            fill(kept, row, numbers);
            kept.sort_unstable_by_key(|&(target, _)| target);
            for ((&(target, weight), column), to) in kept.iter().zip(numbers).zip(weights) {
                (*column, *to) = (target, weight);
            }
        });
        for row in 0..num_rows {
            let (start, num_kept) = (self.rows[row].start, (offsets[row + 1] - offsets[row]) as usize);
            numbers.copy_within(start..start + num_kept, offsets[row] as usize);
        }
        numbers.truncate(weights.len());
        numbers.shrink_to_fit();
        Kept { offsets, columns: numbers, weights }
    }

    /// The numbers of a row.
    fn range(&self, row: usize) -> Range<usize> {
        self.rows[row].start..self.rows.get(row + 1).map_or(self.num_numbers, |next| next.start)
    }
}

/// The numbers of a row, and where its weights go.
type RowCells<'a> = (&'a mut [u32], &'a mut [f32]);

/// Slots for so many columns: three quarters are used, and of one or two columns all.
fn slots(columns: usize) -> usize {
    columns + columns / 3
}

impl<const WIDTH: usize> Shape for Table<WIDTH> {
    const WIDTH: usize = WIDTH;
    type Row = Row;

    fn num_numbers(&self) -> usize {
        self.num_numbers
    }

    #[inline]
    fn row(&self, source: MilestoneId) -> Row {
        self.rows[source.index()]
    }

    #[inline(always)]
    fn likely(&self, row: Row, column: u32) -> usize {
        if row.slots == 0 {
            row.start + column as usize * WIDTH
        } else {
            row.start + home(row.slots, column) * Self::SLOT
        }
    }

    #[inline(always)]
    fn place(&self, numbers: &[AtomicU32], row: Row, column: u32) -> usize {
        if row.slots == 0 {
            return row.start + column as usize * WIDTH;
        }
        let (key, home) = (column + 1, home(row.slots, column));
        let mut slot = home;
        loop {
            let at = row.start + slot * Self::SLOT;
            match owned(&numbers[at]) {
                found if found == key => return at + 1,
                0 => {
                    set_owned(&numbers[at], key);
                    return at + 1;
                }
                _ => slot = if slot + 1 == row.slots as usize { 0 } else { slot + 1 },
            }
            assert!(slot != home, "every column that is asked for was counted");
        }
    }
}

/// The slot where the search for a column begins.
#[inline(always)]
fn home(slots: u32, column: u32) -> usize {
    ((u64::from(column.wrapping_mul(GOLDEN)) * u64::from(slots)) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;
    use crate::kernels;
    use crate::random::{Purpose, below, generator, shuffle};
    use crate::storage::CsrBuf;
    use std::collections::BTreeMap;
    use std::sync::atomic::Ordering::Relaxed;

    /// A layout of so many categories, all on one page.
    fn layout(num_categories: u32) -> Layout {
        let links = CsrBuf::from_iter([[]]);
        let categories = CsrBuf::from_iter([(0..num_categories).map(MilestoneId)]);
        let num_categories = num_categories as usize;
        Layout::new(&Graph::new(links.view(), categories.view(), num_categories))
    }

    #[test]
    fn a_row_is_plain_as_soon_as_that_takes_no_more() {
        for num in 1..400 {
            let most = Table::<1>::most_hashed(num);
            assert!(slots(most) * 2 < num && slots(most + 1) * 2 >= num, "{num}: {most}");
            let most = Table::<2>::most_hashed(num);
            assert!(slots(most) * 3 < num * 2 && slots(most + 1) * 3 >= num * 2, "{num}: {most}");
        }
    }

    #[test]
    fn a_table_is_never_larger_than_the_square() {
        let mut random = generator(1, Purpose::RandomScore, 0);
        for num in [1, 2, 3, 10, 100] {
            for _ in 0..20 {
                let columns: Vec<u32> = (0..num).map(|_| below(&mut random, num + 1) as u32).collect();
                let square = (num * num) as usize;
                assert!(Table::<1>::new(&columns).num_numbers() <= square, "{columns:?}");
                assert!(Table::<2>::new(&columns).num_numbers() <= 2 * square, "{columns:?}");
            }
        }
    }

    /// Fills every row with as many random columns as were counted, in random order, and twice.
    fn fill<const WIDTH: usize>(num: u32, columns_of: impl Fn(u32) -> u32, seed: u64) {
        let mut random = generator(seed, Purpose::RandomScore, 1);
        let columns: Vec<u32> = (0..num).map(&columns_of).collect();
        let table = Table::<WIDTH>::new(&columns);
        let mut numbers = kernels::zeros(table.num_numbers());
        let taken = numbers.capacity() * 4 + table.rows.capacity() * size_of::<Row>();
        let (mut expected, shared) = (BTreeMap::new(), kernels::shared(&mut numbers));
        for (source, &count) in (0..).zip(&columns) {
            let mut all: Vec<u32> = (0..num).collect();
            shuffle(&mut random, &mut all);
            for time in 1..=2 {
                for &column in &all[..count as usize] {
                    let row = table.row(MilestoneId(source));
                    let at = table.place(shared, row, column);
                    assert!(at >= row.start && table.likely(row, column) < table.num_numbers());
                    for number in 0..WIDTH {
                        let cell = &shared[at + number];
                        assert_eq!(cell.load(Relaxed), (time - 1) * (column + 1 + number as u32), "{source}");
                        cell.store(time * (column + 1 + number as u32), Relaxed);
                    }
                    expected.insert((source, column), 2 * (column + WIDTH as u32));
                }
            }
        }
        let kept = table.keep(&layout(num), numbers, |_, _, cell| {
            Some(f32::from_bits(cell[WIDTH - 1])).filter(|cell| cell.to_bits() != 0)
        });
        // What was said before to be needed is what is there at once, but for cells of plain rows left at zero.
        let beside = kept.weights.capacity() * 4
            + kept.offsets.capacity() * 8
            + num as usize * size_of::<RowCells<'_>>();
        let zeros = table.num_cells as usize - kept.weights.len();
        assert_eq!(table.num_bytes(), (taken + beside - 8 + 4 * zeros) as u64);
        assert!(zeros == 0 || table.rows.iter().any(|row| row.slots == 0));
        let ends = kept.offsets.windows(2).map(|ends| ends[0] as usize..ends[1] as usize);
        let cells = ends.zip(0..).flat_map(|(range, source)| {
            let columns = kept.columns[range.clone()].iter().map(move |&column| (source, column));
            columns.zip(kept.weights[range].iter().map(|weight| weight.to_bits()))
        });
        assert!(cells.eq(expected), "cells of a table of {num} categories");
    }

    #[test]
    fn rows_filled_to_the_last_slot_keep_every_cell() {
        for (num, seed) in [(1, 1), (7, 2), (40, 3), (300, 4)] {
            // None, a few (which take every slot or leave one), as many as are hashed, one more, all.
            let most = [Table::<1>::most_hashed(num as usize), Table::<2>::most_hashed(num as usize)];
            for most in most.map(|most| most as u32) {
                let columns_of = |row| [0, 1, 2, 3, most, most + 1, num, row][row as usize % 8].min(num);
                fill::<1>(num, columns_of, seed);
                fill::<2>(num, columns_of, seed);
            }
        }
    }

    #[test]
    #[should_panic(expected = "was counted")]
    fn a_column_too_many_is_a_broken_promise_and_no_endless_search() {
        let mut counts = vec![0; 100];
        counts[3] = 2;
        let table = Table::<1>::new(&counts);
        let mut numbers = kernels::zeros(table.num_numbers());
        let shared = kernels::shared(&mut numbers);
        (0..3).for_each(|column| {
            table.place(shared, table.row(MilestoneId(3)), column);
        });
    }
}
