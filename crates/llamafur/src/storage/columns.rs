//! The columns of an Arrow IPC file, read where they lie.
//!
//! A corpus's tables are files with one record batch, uncompressed, so that each column is a few buffers at
//! known places. The places are taken from the file's own metadata; the buffers are read through a
//! [`CheckedMap`], so nothing is copied and nothing is looked at before it is needed.

use super::checksum::BLOCK;
use super::csr::Csr;
use super::mmap::{self, CheckedMap};
use crate::Error;
use arrow_ipc::reader::read_footer_length;
use arrow_ipc::{Footer, Type, root_as_footer, root_as_message};
use arrow_schema::{DataType, Field, Schema};
use bytemuck::Pod;
use rayon::prelude::*;
use std::marker::PhantomData;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Returns the type of a column of strings.
pub(crate) fn strings_type() -> DataType {
    DataType::LargeUtf8
}

/// Returns the type of a column of lists of ids.
pub(crate) fn lists_type() -> DataType {
    DataType::LargeList(Arc::new(Field::new("item", DataType::UInt32, false)))
}

/// Reads the footer of an Arrow file: its columns and the places of its batches.
pub(crate) fn footer(map: &CheckedMap) -> Result<Footer<'_>, Error> {
    footer_of(map.path(), map.num_bytes(), |range| map.bytes(range))
}

/// Reads the footer of a file that ends at `end`, from the bytes that `bytes` returns.
pub(crate) fn footer_of<'a>(
    path: &Path,
    end: usize,
    bytes: impl Fn(Range<usize>) -> Result<&'a [u8], Error>,
) -> Result<Footer<'a>, Error> {
    let not_arrow = |e: &dyn std::fmt::Display| {
        // The errors of the format have several lines.
        let found = e.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
        Error::damaged(path, format!("unreadable footer ({found})"), "an Arrow file")
    };
    let tail = bytes(end.saturating_sub(10)..end)?.try_into().map_err(|e| not_arrow(&e))?;
    let footer_bytes = read_footer_length(tail).map_err(|e| not_arrow(&e))?;
    let footer_at = (end - 10).saturating_sub(footer_bytes);
    root_as_footer(bytes(footer_at..end - 10)?).map_err(|e| not_arrow(&e))
}

/// Returns whether a column is as expected. Written out, since the reader of the format panics over unknown types.
fn is_field(found: arrow_ipc::Field<'_>, expected: &Field) -> bool {
    let is_int = |bits, is_signed| {
        found.type_as_int().is_some_and(|int| (int.bitWidth(), int.is_signed()) == (bits, is_signed))
    };
    let is_type = match expected.data_type() {
        DataType::UInt32 => is_int(32, false),
        DataType::UInt64 => is_int(64, false),
        DataType::Utf8 => found.type_type() == Type::Utf8,
        DataType::LargeUtf8 => found.type_type() == Type::LargeUtf8,
        DataType::LargeList(item) => {
            let children = found.children().unwrap_or_default();
            found.type_type() == Type::LargeList && children.len() == 1 && is_field(children.get(0), item)
        }
        _ => false,
    };
    let is_plain = found.dictionary().is_none() && found.custom_metadata().is_none_or(|all| all.is_empty());
    is_type && is_plain && found.name() == Some(expected.name()) && found.nullable() == expected.is_nullable()
}

/// A table on disk: its rows and the places of its buffers.
#[derive(Debug)]
pub(crate) struct Table {
    map: Arc<CheckedMap>,
    rows: usize,
    buffers: Vec<Range<usize>>,
}

impl Table {
    /// Opens a file whose block sums are known and whose columns must be those of `schema`.
    pub(crate) fn open(path: &Path, sums: Vec<u64>, schema: &Schema) -> Result<Table, Error> {
        Table::new(mmap::whole(path, BLOCK, sums)?, schema)
    }

    /// Opens the table in a file that is whole, as its bytes.
    pub(crate) fn of_bytes(path: &Path, bytes: &[u8], schema: &Schema) -> Result<Table, Error> {
        let map = mmap::map_bytes(bytes, path)?;
        Table::new(CheckedMap::new(path.into(), map, 0..0, BLOCK, Vec::new())?, schema)
    }

    /// Opens the table in a file whose columns must be those of `schema`.
    fn new(map: CheckedMap, schema: &Schema) -> Result<Table, Error> {
        let damaged = |found: String, expected: &str| Error::damaged(map.path(), found, expected);
        let footer = footer(&map)?;
        let found = footer.schema().and_then(|found| found.fields()).unwrap_or_default();
        let is_schema = found.len() == schema.fields().len()
            && found.iter().zip(schema.fields()).all(|(found, expected)| is_field(found, expected));
        if !is_schema {
            let found = found.iter().map(|f| format!("{} {:?}", f.name().unwrap_or("?"), f.type_type()));
            let expected = schema.fields().iter().map(|f| format!("{} {}", f.name(), f.data_type()));
            let (found, expected) = (found.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
            return Err(damaged(format!("columns {found:?}"), &expected.join(", ")));
        }
        let batch_at = match footer.recordBatches() {
            Some(blocks) if blocks.len() == 1 => blocks.get(0).offset(),
            other => {
                let batches = other.map_or(0, |blocks| blocks.len());
                return Err(damaged(format!("{batches} record batches"), "one"));
            }
        };
        let batch_at =
            usize::try_from(batch_at).map_err(|e| damaged(e.to_string(), "a place in the file"))?;
        Table::of_batch(map, batch_at)
    }

    /// Opens a record batch as a table; the message that describes it begins at this byte.
    pub(crate) fn of_batch(map: impl Into<Arc<CheckedMap>>, at: usize) -> Result<Table, Error> {
        let map = map.into();
        let damaged = |found: String, expected: &str| Error::damaged(map.path(), found, expected);
        let parse =
            |e: &dyn std::fmt::Display| damaged(format!("unreadable Arrow metadata ({e})"), "an Arrow file");
        // A message begins with a marker and its length, four bytes each.
        let length =
            map.bytes(at.saturating_add(4)..at.saturating_add(8))?.try_into().map_err(|e| parse(&e))?;
        let body_at = at + 8 + u32::from_le_bytes(length) as usize;
        let message = root_as_message(map.bytes(at + 8..body_at)?).map_err(|e| parse(&e))?;
        let batch = message
            .header_as_record_batch()
            .filter(|batch| batch.compression().is_none())
            .ok_or_else(|| damaged("another kind of message".into(), "an uncompressed record batch"))?;
        let place = |n: i64| usize::try_from(n).map_err(|e| parse(&e));
        let mut buffers = Vec::new();
        for buffer in batch.buffers().iter().flatten() {
            let at = body_at.saturating_add(place(buffer.offset())?);
            buffers.push(at..at.saturating_add(place(buffer.length())?));
        }
        if buffers.iter().any(|buffer| buffer.end > map.num_bytes()) {
            return Err(damaged("a column beyond the end".into(), "columns within the file"));
        }
        let rows = place(batch.length())?;
        Ok(Table { rows, buffers, map })
    }

    pub(crate) fn num_rows(&self) -> usize {
        self.rows
    }

    /// Checks every byte of the file.
    pub(crate) fn check_all(&self) -> Result<(), Error> {
        self.map.check_all()
    }

    pub(crate) fn map(&self) -> &CheckedMap {
        &self.map
    }

    /// Returns the column of strings whose buffers begin at the given one.
    pub(crate) fn strings(&self, first_buffer: usize) -> Result<Strings, Error> {
        self.strings_of(first_buffer + 1, self.rows)
    }

    fn strings_of(&self, offsets: usize, rows: usize) -> Result<Strings, Error> {
        Ok(Strings {
            offsets: self.buffer(offsets, Some(rows.saturating_add(1)))?,
            bytes: self.buffer(offsets + 1, None)?,
        })
    }

    /// Returns the column of strings with offsets of 32 bits whose buffers begin at the given one.
    pub(crate) fn short_strings(&self, first_buffer: usize) -> Result<Vec<String>, Error> {
        let offsets: Ids<u32> = self.buffer(first_buffer + 1, Some(self.rows.saturating_add(1)))?;
        let bytes: Ids<u8> = self.buffer(first_buffer + 2, None)?;
        let damaged =
            || Error::damaged(self.map.path(), "a string out of place", "strings within the column");
        let string = |ends: &[u32]| {
            let text = bytes.all()?.get(ends[0] as usize..ends[1] as usize).ok_or_else(damaged)?;
            std::str::from_utf8(text).map(str::to_owned).map_err(|_| damaged())
        };
        offsets.all()?.windows(2).map(string).collect()
    }

    /// Returns the column of lists whose buffers begin at the given one, and whose values must be below `limit`, if
    /// any.
    pub(crate) fn lists<T: Pod>(&self, first_buffer: usize, limit: Option<T>) -> Result<Lists<T>, Error> {
        self.lists_of(first_buffer + 1, self.rows, limit)
    }

    fn lists_of<T: Pod>(&self, offsets: usize, rows: usize, limit: Option<T>) -> Result<Lists<T>, Error> {
        let (offsets, values) =
            (self.buffer(offsets, Some(rows.saturating_add(1)))?, self.buffer(offsets + 2, None)?);
        Ok(Lists { offsets, values, limit })
    }

    /// Returns the column of plain ids whose buffers begin at the given one.
    pub(crate) fn ids<T: Pod>(&self, first_buffer: usize) -> Result<Ids<T>, Error> {
        self.buffer(first_buffer + 1, Some(self.rows))
    }

    /// Returns the values of the only row of a column of lists whose buffers begin at the given one.
    pub(crate) fn only_list<T: Pod>(&self, first_buffer: usize) -> Result<Ids<T>, Error> {
        self.buffer(first_buffer + 3, Some(self.only_list_values(first_buffer)?))
    }

    /// Returns the strings in the only row of a column of lists of strings whose buffers begin at the given one.
    pub(crate) fn only_strings(&self, first_buffer: usize) -> Result<Strings, Error> {
        self.strings_of(first_buffer + 3, self.only_list_values(first_buffer)?)
    }

    /// Returns the lists in the only row of a column of lists of lists whose buffers begin at the given one.
    pub(crate) fn only_lists<T: Pod>(
        &self,
        first_buffer: usize,
        limit: Option<T>,
    ) -> Result<Lists<T>, Error> {
        self.lists_of(first_buffer + 3, self.only_list_values(first_buffer)?, limit)
    }

    /// Returns the number of values in the only row of a column of lists.
    fn only_list_values(&self, first_buffer: usize) -> Result<usize, Error> {
        if self.rows != 1 {
            return Err(Error::damaged(self.map.path(), format!("{} rows", self.rows), "one row"));
        }
        match self.buffer::<i64>(first_buffer + 1, Some(2))?.all()? {
            &[0, end] if end >= 0 => Ok(end as usize),
            other => Err(Error::damaged(self.map.path(), format!("offsets {other:?}"), "0 and an end")),
        }
    }

    /// Returns a buffer of `num` values, or of as many as it has.
    fn buffer<T: Pod>(&self, number: usize, num: Option<usize>) -> Result<Ids<T>, Error> {
        let damaged = |found: String, expected: String| Error::damaged(self.map.path(), found, expected);
        let Some(buffer) = self.buffers.get(number) else {
            let found = format!("{} column buffers", self.buffers.len());
            return Err(damaged(found, format!("more than {number}")));
        };
        let num = num.unwrap_or(buffer.len() / size_of::<T>());
        let bytes = num.saturating_mul(size_of::<T>());
        if buffer.len() < bytes {
            return Err(damaged(format!("a column of {} bytes", buffer.len()), bytes.to_string()));
        }
        if !buffer.start.is_multiple_of(align_of::<T>()) {
            return Err(damaged(
                format!("a column from byte {}", buffer.start),
                "one at a multiple of 64".into(),
            ));
        }
        Ok(Ids { map: self.map.clone(), at: buffer.start, num, of: PhantomData })
    }
}

/// A column of plain ids, or of other values of one size.
#[derive(Debug, Clone)]
pub(crate) struct Ids<T> {
    map: Arc<CheckedMap>,
    at: usize,
    num: usize,
    of: PhantomData<T>,
}

impl<T: Pod> Ids<T> {
    pub(crate) fn get(&self, row: usize) -> Result<T, Error> {
        self.expect_row(row, self.num)?;
        Ok(self.range(row..row + 1)?[0])
    }

    /// Returns the whole column, every byte of it checked.
    pub(crate) fn all(&self) -> Result<&[T], Error> {
        self.range(0..self.num)
    }

    /// Returns the whole column without a check, for values that were checked before.
    #[inline]
    pub(crate) fn as_they_are(&self) -> &[T] {
        self.map.values_as_they_are(self.at, 0..self.num)
    }

    /// Checks the blocks that hold these values, unless they were checked before.
    pub(crate) fn check(&self, range: Range<usize>) -> Result<(), Error> {
        self.range(range).map(drop)
    }

    pub(crate) fn len(&self) -> usize {
        self.num
    }

    pub(crate) fn map(&self) -> &CheckedMap {
        &self.map
    }

    #[inline]
    fn range(&self, range: Range<usize>) -> Result<&[T], Error> {
        self.map.values(self.at, range)
    }

    #[inline]
    fn expect_row(&self, row: usize, rows: usize) -> Result<(), Error> {
        if row < rows {
            return Ok(());
        }
        Err(Error::damaged(self.map.path(), format!("{rows} rows"), format!("a row {row}")))
    }
}

impl Ids<i64> {
    /// Returns the start and end of a row among `num_values` values, by these offsets.
    #[inline]
    fn ends(&self, row: usize, num_values: usize) -> Result<Range<usize>, Error> {
        self.expect_row(row, self.num - 1)?;
        let ends = self.range(row..row + 2)?;
        let (start, end) = (ends[0], ends[1]);
        if start < 0 || end < start || end as usize > num_values {
            let found = format!("row {row} from {start} to {end}");
            return Err(Error::damaged(self.map.path(), found, format!("within 0 to {num_values}")));
        }
        Ok(start as usize..end as usize)
    }
}

/// A column of strings.
#[derive(Debug, Clone)]
pub(crate) struct Strings {
    offsets: Ids<i64>,
    bytes: Ids<u8>,
}

impl Strings {
    pub(crate) fn len(&self) -> usize {
        self.offsets.num - 1
    }

    /// Returns the string in a row.
    ///
    /// # Errors
    /// If the file is damaged there, or has no such row.
    pub(crate) fn get(&self, row: usize) -> Result<&str, Error> {
        let bytes = self.bytes.range(self.offsets.ends(row, self.bytes.num)?)?;
        std::str::from_utf8(bytes)
            .map_err(|e| Error::damaged(self.bytes.map.path(), format!("row {row}: {e}"), "UTF-8"))
    }

    /// Finds the row that holds `wanted`, where the rows are in bytewise order.
    pub(crate) fn binary_search(&self, wanted: &str) -> Result<Option<usize>, Error> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.get(middle)?.cmp(wanted) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Ok(Some(middle)),
            }
        }
        Ok(None)
    }
}

/// A column of lists of ids.
#[derive(Debug, Clone)]
pub(crate) struct Lists<T> {
    offsets: Ids<i64>,
    values: Ids<T>,
    /// The limit that every value is below, if any; then the lists ascend without repeats.
    limit: Option<T>,
}

impl<T: Pod + Ord + Send + Sync> Lists<T> {
    /// Returns the number of lists.
    pub(crate) fn num_rows(&self) -> usize {
        self.offsets.num - 1
    }

    /// Returns the number of values of all lists together.
    pub(crate) fn num_values(&self) -> usize {
        self.values.num
    }

    /// Returns the length of the list in a row.
    #[inline]
    pub(crate) fn length(&self, row: usize) -> Result<usize, Error> {
        Ok(self.offsets.ends(row, self.values.num)?.len())
    }

    /// Returns the range of the values of the list in a row.
    pub(crate) fn place(&self, row: usize) -> Result<Range<usize>, Error> {
        self.offsets.ends(row, self.values.num)
    }

    /// Returns the values in a range, their bytes checked but not the values: for lists that [`Lists::get`] returned
    /// before.
    pub(crate) fn values(&self, place: Range<usize>) -> Result<&[T], Error> {
        self.values.range(place)
    }

    /// Returns the list in a row, its bytes and every value of it checked.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Result<&[T], Error> {
        let values = self.values.range(self.offsets.ends(row, self.values.num)?)?;
        let is_below = |limit| values.last().is_none_or(|last| *last < limit);
        match self.limit {
            Some(limit) if !is_below(limit) || !values.is_sorted_by(|a, b| a < b) => Err(self.disorder()),
            _ => Ok(values),
        }
    }

    /// Returns whether the list in a row has a value, in logarithmic time: its bytes are checked, but not the order of its
    /// values, on which the answer rests.
    pub(crate) fn contains(&self, row: usize, value: T) -> Result<bool, Error> {
        let values = self.values.range(self.offsets.ends(row, self.values.num)?)?;
        Ok(values.binary_search(&value).is_ok())
    }

    /// Returns the whole table, every byte and every value of it checked.
    pub(crate) fn all(&self) -> Result<Csr<'_, T>, Error> {
        let (offsets, values) = (self.offsets.all()?, self.values.all()?);
        let lists = Csr::new(offsets, values).ok_or_else(|| {
            Error::damaged(self.values.map.path(), "list offsets out of order", "ascending offsets")
        })?;
        let is_below = |limit| values.par_chunks(PART).all(|part| part.iter().all(|value| *value < limit));
        let are_in_order = |limit| {
            is_below(limit)
                && (0..lists.num_rows())
                    .into_par_iter()
                    .with_min_len(PART)
                    .all(|row| lists.row(row).is_sorted_by(|a, b| a < b))
        };
        match self.limit {
            Some(limit) if !are_in_order(limit) => Err(self.disorder()),
            _ => Ok(lists),
        }
    }

    fn disorder(&self) -> Error {
        let path = self.values.map.path();
        Error::damaged(path, "ids that are out of range or out of order", "ascending ids within the tables")
    }
}

/// The number of values that a thread checks at a time.
const PART: usize = 1 << 14;
