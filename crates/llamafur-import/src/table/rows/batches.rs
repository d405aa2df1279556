//! Rows of Arrow record batches: of a Parquet file, or of a frame in memory.

use super::super::account::{Place, Reason};
use super::super::conf::{Columns, Frame};
use super::super::error::ImportError;
use super::super::header::Layout;
use super::Intake;
use arrow_array::cast::AsArray;
use arrow_array::types::{ByteArrayType, Int32Type, Int64Type, UInt32Type};
use arrow_array::types::{Int8Type, Int16Type, UInt8Type, UInt16Type, UInt64Type};
use arrow_array::{Array, BinaryArray, GenericByteArray, RecordBatch};
use arrow_schema::{DataType, Schema};
use llamafur::Remedy;
use llamafur::progress::Progress;
use std::ops::Range;

/// Number of rows processed together. A larger batch is cut without a copy.
pub(super) const BATCH_ROWS: usize = 8192;

/// Reads the rows of a frame; returns the number of bytes of names and texts, and their checksum.
pub(super) fn read_frame<const N: usize>(
    frame: &Frame,
    progress: &mut dyn Progress,
    asked: Option<&Columns>,
    intake: &mut Intake<'_, N, impl FnMut([&str; N]) -> Result<(), ImportError>>,
) -> Result<(u64, String), ImportError> {
    let failed = |detail: String| ImportError::Frame { table: intake.table.name(), detail };
    let reader = frame.take().ok_or_else(|| failed("its rows were read before".into()))?;
    let schema = reader.schema();
    let layout = layout(&schema, asked, intake)?;
    let mut sum = Sum::default();
    let mut row = 0;
    for batch in reader {
        let batch = batch
            .map_err(|error| ImportError::Frame { table: intake.table.name(), detail: error.to_string() })?;
        for start in (0..batch.num_rows()).step_by(BATCH_ROWS) {
            let part = batch.slice(start, BATCH_ROWS.min(batch.num_rows() - start));
            let columns = Column::all(&part, &layout.pick)
                .map_err(|detail| ImportError::Frame { table: intake.table.name(), detail })?;
            columns.iter().for_each(|column| sum.add(&column.values));
            take(&columns, part.num_rows(), &mut row, intake)?;
            progress.advance(part.num_rows() as u64);
        }
    }
    Ok((sum.bytes, sum.hasher.finalize().to_hex().to_string()))
}

/// The checksum of all values read.
#[derive(Default)]
struct Sum {
    hasher: blake3::Hasher,
    bytes: u64,
}

impl Sum {
    fn add(&mut self, values: &BinaryArray) {
        let offsets = values.value_offsets();
        let (first, last) = (offsets[0] as usize, offsets[offsets.len() - 1] as usize);
        self.hasher.update(&values.value_data()[first..last]);
        for value in offsets.windows(2) {
            self.hasher.update(&(value[1] - value[0]).to_le_bytes());
        }
        self.bytes += (last - first) as u64;
    }
}

/// Finds the columns that a table needs; fails if they contain neither text nor whole numbers.
pub(super) fn layout<const N: usize>(
    schema: &Schema,
    asked: Option<&Columns>,
    intake: &mut Intake<'_, N, impl FnMut([&str; N]) -> Result<(), ImportError>>,
) -> Result<Layout<N>, ImportError> {
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let layout = Layout::<N>::from_names(intake.table, asked, &names, intake.path)?;
    intake.account.header.clone_from(&layout.header);
    let mut lists = 0;
    for column in layout.pick {
        let kind = schema.field(column).data_type();
        let is_list = matches!(kind, DataType::List(values) | DataType::LargeList(values)
            if intake.may_be_list() && is_name(values.data_type()));
        lists += usize::from(is_list);
        if !is_list && !is_name(kind) || lists > 1 {
            let found = format!("column {} holds {kind}, not text or whole numbers", names[column]);
            let wanted = intake.table.columns().join(",").to_uppercase();
            let remedy = Remedy::set("columns", format!("{}={wanted}", intake.table.name()));
            return Err(ImportError::Foreign { file: intake.path.into(), found, remedy });
        }
    }
    Ok(layout)
}

/// Takes the rows of a batch. `row` is the number of the last row before them.
pub(super) fn take<const N: usize>(
    columns: &[Column],
    num_rows: usize,
    row: &mut u64,
    intake: &mut Intake<'_, N, impl FnMut([&str; N]) -> Result<(), ImportError>>,
) -> Result<(), ImportError> {
    let wanted = intake.table.columns();
    let list = columns.iter().position(|column| column.list.is_some());
    for i in 0..num_rows {
        *row += 1;
        if let Some(at) = columns.iter().position(|column| column.is_null(i)) {
            intake.reject(Place::Row(*row), Reason::Missing { column: wanted[at] })?;
            continue;
        }
        for value in list.map_or(i..i + 1, |at| columns[at].values_of(i)) {
            let place = |column: usize| if Some(column) == list { value } else { i };
            match list.filter(|&at| columns[at].values.is_null(value)) {
                Some(at) => intake.reject(Place::Row(*row), Reason::Missing { column: wanted[at] })?,
                None => {
                    let values = std::array::from_fn(|c| columns[c].values.value(place(c)));
                    intake.take(Place::Row(*row), values)?;
                }
            }
        }
    }
    Ok(())
}

/// A column of names, or of lists of names.
pub(super) struct Column {
    values: BinaryArray,
    /// For a column of lists: the range of each row's values, `None` without a list.
    list: Option<Vec<Option<Range<usize>>>>,
}

impl Column {
    /// Converts these columns of a batch.
    pub(super) fn all(batch: &RecordBatch, places: &[usize]) -> Result<Vec<Column>, String> {
        places.iter().map(|&place| Column::new(batch.column(place))).collect()
    }

    fn new(column: &dyn Array) -> Result<Column, String> {
        let list = |values: &dyn Array, offsets: Vec<usize>| {
            let first = offsets[0];
            let own = values.slice(first, offsets[offsets.len() - 1] - first);
            let range = |row: usize| offsets[row] - first..offsets[row + 1] - first;
            let rows = (0..column.len()).map(|row| column.is_valid(row).then(|| range(row)));
            Ok(Column { values: to_bytes(&own)?, list: Some(rows.collect()) })
        };
        if let Some(lists) = column.as_list_opt::<i32>() {
            return list(lists.values(), lists.value_offsets().iter().map(|&at| at as usize).collect());
        }
        if let Some(lists) = column.as_list_opt::<i64>() {
            return list(lists.values(), lists.value_offsets().iter().map(|&at| at as usize).collect());
        }
        Ok(Column { values: to_bytes(column)?, list: None })
    }

    fn is_null(&self, row: usize) -> bool {
        self.list.as_ref().map_or_else(|| self.values.is_null(row), |list| list[row].is_none())
    }

    /// Returns the range of a row's values.
    fn values_of(&self, row: usize) -> Range<usize> {
        match &self.list {
            Some(list) => list[row].clone().unwrap_or_default(),
            None => row..row + 1,
        }
    }
}

fn is_name(kind: &DataType) -> bool {
    use DataType::{Binary, BinaryView, Dictionary, LargeBinary, LargeUtf8, Null, Utf8, Utf8View};
    match kind {
        Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView | Null => true,
        Dictionary(_, values) => is_name(values),
        other => other.is_integer(),
    }
}

/// Converts a column to bytes, so that invalid UTF-8 is found row by row; whole numbers become digits.
fn to_bytes(column: &dyn Array) -> Result<BinaryArray, String> {
    let array = arrow_array::downcast_integer_array! {
        column => column.iter().map(|number| number.map(|number| number.to_string().into_bytes())).collect(),
        DataType::Utf8 => BinaryArray::from(column.as_string::<i32>().clone()),
        DataType::Binary => column.as_binary::<i32>().clone(),
        DataType::LargeUtf8 => of_bytes(column.as_string::<i64>()),
        DataType::LargeBinary => of_bytes(column.as_binary::<i64>()),
        DataType::Utf8View => column.as_string_view().iter().map(|text| text.map(str::as_bytes)).collect(),
        DataType::BinaryView => column.as_binary_view().iter().collect(),
        DataType::Null => BinaryArray::new_null(column.len()),
        DataType::Dictionary(key, _) => of_dictionary(column, key)?,
        other => return Err(format!("a column of {other}")),
    };
    Ok(array)
}

fn of_bytes<T: ByteArrayType>(column: &GenericByteArray<T>) -> BinaryArray
where
    T::Native: AsRef<[u8]>,
{
    column.iter().map(|value| value.map(AsRef::<[u8]>::as_ref)).collect()
}

/// Converts a dictionary column; examines only the entries that are used.
fn of_dictionary(column: &dyn Array, key: &DataType) -> Result<BinaryArray, String> {
    macro_rules! of_key {
        ($($key:ident => $type:ty),+) => {
            match key {
                $(DataType::$key => {
                    let coded = column.as_dictionary::<$type>();
                    let entries = coded.values();
                    let entry = entry_of(entries)?;
                    let value = |at: usize| entries.is_valid(at).then(|| entry(at));
                    coded.keys().iter().map(|at| at.and_then(|at| value(at as usize))).collect()
                })+
                other => return Err(format!("a dictionary with keys of {other}")),
            }
        };
    }
    Ok(of_key!(
        Int8 => Int8Type, Int16 => Int16Type, Int32 => Int32Type, Int64 => Int64Type,
        UInt8 => UInt8Type, UInt16 => UInt16Type, UInt32 => UInt32Type, UInt64 => UInt64Type
    ))
}

/// Returns a function from the index of a dictionary's entry to the entry's bytes.
fn entry_of(entries: &dyn Array) -> Result<Box<dyn Fn(usize) -> Vec<u8> + '_>, String> {
    Ok(arrow_array::downcast_integer_array! {
        entries => Box::new(|at| entries.value(at).to_string().into_bytes()),
        DataType::Utf8 => Box::new(|at| entries.as_string::<i32>().value(at).into()),
        DataType::LargeUtf8 => Box::new(|at| entries.as_string::<i64>().value(at).into()),
        DataType::Utf8View => Box::new(|at| entries.as_string_view().value(at).into()),
        DataType::Binary => Box::new(|at| entries.as_binary::<i32>().value(at).into()),
        other => return Err(format!("a dictionary of {other}")),
    })
}
