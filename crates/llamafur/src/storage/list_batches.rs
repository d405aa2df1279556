//! Lists in record batches of so many rows each, so that they can be written in the memory of one batch and read where they lie.

use super::arrow_file::{ArrowWriter, lists, one_row};
use super::columns::{Lists, Table};
use super::csr::Csr;
use super::mmap::CheckedMap;
use crate::Error;
use arrow_array::{ArrayRef, UInt32Array};
use arrow_schema::Schema;
use bytemuck::Pod;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Rows in a batch.
pub(crate) const ROWS_IN_BATCH: usize = 8192;

/// The record batches of a file, 8,192 rows in each, opened when they are first needed: there may be a thousand of them.
#[derive(Debug)]
pub(crate) struct Batches<T> {
    map: Arc<CheckedMap>,
    places: Vec<u64>,
    opened: Vec<OnceLock<T>>,
    num_rows: usize,
}

impl<T> Batches<T> {
    /// Creates batches that begin at these places and have `num_rows` rows together.
    pub(crate) fn new(map: &Arc<CheckedMap>, places: &[u64], num_rows: usize) -> Result<Batches<T>, Error> {
        if places.len() != num_rows.div_ceil(ROWS_IN_BATCH) {
            let found = format!("{} batches", places.len());
            return Err(Error::damaged(map.path(), found, format!("{num_rows} rows")));
        }
        let opened = places.iter().map(|_| OnceLock::new()).collect();
        Ok(Batches { map: map.clone(), places: places.to_vec(), opened, num_rows })
    }

    pub(crate) fn num_rows(&self) -> usize {
        self.num_rows
    }

    pub(crate) fn map(&self) -> &Arc<CheckedMap> {
        &self.map
    }

    /// Returns the batch that has a row, and its place there. `open` opens a batch with its number of rows.
    #[inline]
    pub(crate) fn of(
        &self,
        row: usize,
        open: impl FnOnce(&Table, usize) -> Result<T, Error>,
    ) -> Result<(&T, usize), Error> {
        let number = row / ROWS_IN_BATCH;
        match self.opened.get(number).and_then(OnceLock::get).filter(|_| row < self.num_rows) {
            Some(batch) => Ok((batch, row % ROWS_IN_BATCH)),
            None => self.open(row, open).map(|batch| (batch, row % ROWS_IN_BATCH)),
        }
    }

    #[cold]
    fn open(&self, row: usize, open: impl FnOnce(&Table, usize) -> Result<T, Error>) -> Result<&T, Error> {
        if row >= self.num_rows {
            let (found, expected) = (format!("{} rows", self.num_rows), format!("a row {row}"));
            return Err(Error::damaged(self.map.path(), found, expected));
        }
        let number = row / ROWS_IN_BATCH;
        let num = ROWS_IN_BATCH.min(self.num_rows - number * ROWS_IN_BATCH);
        let batch = open(&Table::of_batch(self.map.clone(), self.places[number] as usize)?, num)?;
        Ok(self.opened[number].get_or_init(|| batch))
    }
}

/// Ascending lists of ids in record batches.
#[derive(Debug)]
pub(crate) struct ListBatches<T> {
    batches: Batches<ListBatch<T>>,
    first_buffer: usize,
    /// The limit that every id is below.
    limit: T,
}

/// The lists of one batch.
#[derive(Debug)]
struct ListBatch<T> {
    lists: Lists<T>,
    /// A bit for each list, set once its ids were found to ascend and to be in range: lists are read again and again.
    checked: Vec<AtomicU64>,
}

impl<T: Pod + Ord + Send + Sync> ListBatch<T> {
    #[inline]
    fn get(&self, row: usize) -> Result<&[T], Error> {
        let (word, bit) = (&self.checked[row / 64], 1 << (row % 64));
        if word.load(Ordering::Relaxed) & bit == 0 {
            self.lists.get(row)?;
            word.fetch_or(bit, Ordering::Relaxed);
        }
        self.lists.values(self.lists.place(row)?)
    }
}

impl<T: Pod + Ord + Send + Sync> ListBatches<T> {
    /// Opens the lists in the column whose buffers begin at the given one, of the batches that begin at these places.
    /// They ascend, and their ids are below `limit`.
    pub(crate) fn new(
        map: &Arc<CheckedMap>,
        places: &[u64],
        first_buffer: usize,
        num_rows: usize,
        limit: T,
    ) -> Result<ListBatches<T>, Error> {
        Ok(ListBatches { batches: Batches::new(map, places, num_rows)?, first_buffer, limit })
    }

    /// Returns the number of lists.
    pub(crate) fn num_rows(&self) -> usize {
        self.batches.num_rows()
    }

    /// Returns the number of values of all lists together.
    pub(crate) fn num_values(&self) -> Result<usize, Error> {
        let firsts = (0..self.num_rows()).step_by(ROWS_IN_BATCH);
        firsts.map(|row| Ok(self.batch(row)?.0.lists.num_values())).sum()
    }

    /// Returns a list, checked.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Result<&[T], Error> {
        let (batch, row) = self.batch(row)?;
        batch.get(row)
    }

    /// Returns the length of a list.
    #[inline]
    pub(crate) fn length(&self, row: usize) -> Result<usize, Error> {
        let (batch, row) = self.batch(row)?;
        batch.lists.length(row)
    }

    /// Checks every byte.
    pub(crate) fn check_all(&self) -> Result<(), Error> {
        self.batches.map().check_all()
    }

    #[inline]
    fn batch(&self, row: usize) -> Result<(&ListBatch<T>, usize), Error> {
        self.batches.of(row, |table, num_rows| {
            let lists: Lists<T> = table.only_lists(self.first_buffer, Some(self.limit))?;
            expect_rows(self.batches.map(), lists.num_rows(), num_rows)?;
            let checked = (0..num_rows.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
            Ok(ListBatch { lists, checked })
        })
    }
}

/// Fails unless a batch has as many rows as it should.
pub(crate) fn expect_rows(map: &CheckedMap, found: usize, expected: usize) -> Result<(), Error> {
    if found == expected {
        return Ok(());
    }
    Err(Error::damaged(map.path(), format!("a batch of {found} rows"), format!("{expected} rows")))
}

/// A writer that gathers lists, with a number for each or without, and writes them whenever a batch is full.
pub(crate) struct ListBatchWriter<'a> {
    what: &'static str,
    schema: Schema,
    writer: ArrowWriter<'a>,
    offsets: Vec<i64>,
    values: Vec<u32>,
    numbers: Vec<u32>,
}

impl<'a> ListBatchWriter<'a> {
    /// Writes lists as the first column of a file, and numbers as its second if it has two.
    pub(crate) fn new(what: &'static str, schema: Schema, writer: ArrowWriter<'a>) -> ListBatchWriter<'a> {
        ListBatchWriter { what, schema, writer, offsets: vec![0], values: Vec::new(), numbers: Vec::new() }
    }

    /// Appends lists, and the number of each.
    pub(crate) fn push_all<T: Pod>(
        &mut self,
        part: Csr<'_, T>,
        numbers: impl IntoIterator<Item = u32>,
    ) -> Result<(), Error> {
        let mut numbers = numbers.into_iter();
        for row in part.rows() {
            self.values.extend_from_slice(bytemuck::cast_slice(row));
            self.offsets.push(self.values.len() as i64);
            self.numbers.extend(numbers.next());
            if self.offsets.len() > ROWS_IN_BATCH {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Error> {
        let column =
            |numbers: &mut Vec<u32>| -> ArrayRef { Arc::new(UInt32Array::from(std::mem::take(numbers))) };
        let offsets = std::mem::replace(&mut self.offsets, vec![0]);
        let columns = [lists(offsets, column(&mut self.values)), column(&mut self.numbers)];
        let columns = columns.into_iter().take(self.schema.fields().len());
        self.writer.write(&one_row(self.what, self.schema.clone(), columns)?)
    }

    /// Returns the writer, when all lists are written.
    pub(crate) fn finish(mut self) -> Result<ArrowWriter<'a>, Error> {
        if self.offsets.len() > 1 {
            self.flush()?;
        }
        Ok(self.writer)
    }
}
