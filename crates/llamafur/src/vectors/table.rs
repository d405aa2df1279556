//! Tables with a row of numbers for each page, in memory or mapped from disk.

use crate::Error;
use crate::graph::PageId;
use crate::kernels;
use crate::storage::columns::Ids;
use crate::storage::list_batches::ROWS_IN_BATCH;
use bytemuck::Pod;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// Number of pages checked together: of rows of 64 numbers of 16 bits, 4 KiB.
const PAGES_IN_GROUP: usize = 32;

/// Number of bytes of a cache line.
const LINE: usize = 64;

/// A row of `width` numbers for each page.
#[derive(Debug)]
pub(super) struct Table<T> {
    width: usize,
    num_pages: usize,
    numbers: Numbers<T>,
    /// A bit for each group of pages, set once the group was checked.
    seen: Vec<AtomicU64>,
    num_seen: AtomicUsize,
    /// True if rows need no check before they are read.
    is_whole: AtomicBool,
    /// A page whose row is replaced.
    overlay: Option<(PageId, Vec<T>)>,
}

#[derive(Debug, Clone)]
enum Numbers<T> {
    Held(Arc<Vec<T>>),
    /// Batches of [`ROWS_IN_BATCH`] pages each.
    Mapped(Vec<Ids<T>>),
}

impl<T: Pod + Send + Sync> Table<T> {
    /// Creates a table of rows end to end.
    pub(super) fn held(width: usize, num_pages: usize, numbers: Vec<T>) -> Table<T> {
        debug_assert_eq!(numbers.len(), width * num_pages, "whole rows");
        Table::new(width, num_pages, Numbers::Held(Arc::new(numbers)), Vec::new())
    }

    /// Creates a table of the batches of a file; `None` where their lengths are wrong.
    pub(super) fn mapped(width: usize, num_pages: usize, batches: Vec<Ids<T>>) -> Option<Table<T>> {
        let expected = (0..num_pages).step_by(ROWS_IN_BATCH).map(|start| {
            let pages = ROWS_IN_BATCH.min(num_pages - start);
            pages * width
        });
        if !batches.iter().map(Ids::len).eq(expected) {
            return None;
        }
        let words = num_pages.div_ceil(PAGES_IN_GROUP).div_ceil(64);
        let seen = (0..words).map(|_| AtomicU64::new(0)).collect();
        Some(Table::new(width, num_pages, Numbers::Mapped(batches), seen))
    }

    fn new(width: usize, num_pages: usize, numbers: Numbers<T>, seen: Vec<AtomicU64>) -> Table<T> {
        let is_whole = AtomicBool::new(matches!(numbers, Numbers::Held(_)));
        Table { width, num_pages, numbers, seen, num_seen: AtomicUsize::new(0), is_whole, overlay: None }
    }

    /// Returns the table with another row for a page, which may be one past the last.
    pub(super) fn with_row(&self, page: PageId, row: Vec<T>) -> Table<T> {
        debug_assert_eq!(row.len(), self.width, "a whole row");
        let seen = self.seen.iter().map(|_| AtomicU64::new(0)).collect();
        let table = Table::new(self.width, self.num_pages, self.numbers.clone(), seen);
        Table { is_whole: AtomicBool::new(false), overlay: Some((page, row)), ..table }
    }

    /// Returns the row of a page, checked.
    #[inline(always)]
    pub(super) fn row(&self, page: PageId) -> Result<&[T], Error> {
        if !self.is_whole.load(Ordering::Acquire) {
            if let Some((_, row)) = self.overlay.as_ref().filter(|(other, _)| *other == page) {
                return Ok(row);
            }
            self.check(page)?;
        }
        let (numbers, at) = self.place(page);
        Ok(&numbers[at..at + self.width])
    }

    /// Returns all rows, end to end in their batches, every byte checked; `seen` is called after each batch.
    pub(super) fn batches(&self, mut seen: impl FnMut(u64)) -> Result<Vec<&[T]>, Error> {
        match &self.numbers {
            Numbers::Held(numbers) => Ok(vec![numbers]),
            Numbers::Mapped(batches) => {
                let checked = batches.iter().map(|batch| {
                    let numbers = batch.all()?;
                    seen((numbers.len() / self.width.max(1)) as u64);
                    Ok(numbers)
                });
                checked.collect()
            }
        }
    }

    /// Prefetches these numbers of a row that will be read soon.
    #[inline(always)]
    pub(super) fn prefetch(&self, page: PageId, columns: Range<usize>) {
        if page.index() >= self.num_pages {
            return;
        }
        let (numbers, at) = self.place(page);
        for at in (at + columns.start..at + columns.end).step_by(LINE / size_of::<T>()) {
            kernels::prefetch(numbers, at);
        }
    }

    /// Returns the unchecked numbers of a page's batch, and the start of the page's row.
    #[inline(always)]
    fn place(&self, page: PageId) -> (&[T], usize) {
        match &self.numbers {
            Numbers::Held(numbers) => (numbers, page.index() * self.width),
            Numbers::Mapped(batches) => {
                let (batch, row) = (page.index() / ROWS_IN_BATCH, page.index() % ROWS_IN_BATCH);
                (batches[batch].as_they_are(), row * self.width)
            }
        }
    }

    /// Checks the group of a page, unless it was checked before.
    fn check(&self, page: PageId) -> Result<(), Error> {
        let Numbers::Mapped(batches) = &self.numbers else { return Ok(()) };
        let group = page.index() / PAGES_IN_GROUP;
        let (word, bit) = (&self.seen[group / 64], 1u64 << (group % 64));
        if word.load(Ordering::Acquire) & bit != 0 {
            return Ok(());
        }
        let batch = &batches[page.index() / ROWS_IN_BATCH];
        let start = group * PAGES_IN_GROUP % ROWS_IN_BATCH * self.width;
        batch.check(start..(start + PAGES_IN_GROUP * self.width).min(batch.len()))?;
        if word.fetch_or(bit, Ordering::AcqRel) & bit == 0 {
            let num_seen = self.num_seen.fetch_add(1, Ordering::AcqRel) + 1;
            // Who goes over the whole graph need not ask for each row for long.
            let is_whole = num_seen == self.num_pages.div_ceil(PAGES_IN_GROUP) && self.overlay.is_none();
            self.is_whole.fetch_or(is_whole, Ordering::Release);
        }
        Ok(())
    }
}
