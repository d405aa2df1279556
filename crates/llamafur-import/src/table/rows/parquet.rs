//! Parquet: columns by the names of the schema, a batch of rows at a time.

use super::super::account::{Place, Reason};
use super::super::conf::Columns;
use super::super::error::ImportError;
use super::super::header::Layout;
use super::Intake;
use crate::input;
use arrow_array::cast::AsArray;
use arrow_array::{Array, BinaryArray, ListArray};
use arrow_schema::DataType;
use llamafur::Remedy;
use llamafur::progress::Progress;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use std::cell::Cell;
use std::fmt::Display;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

const BATCH_ROWS: usize = 8192;

/// Reads the rows of a file, only the columns that are needed.
pub(super) fn read<const N: usize>(
    progress: &mut dyn Progress,
    asked: Option<&Columns>,
    intake: &mut Intake<'_, N, impl FnMut([&str; N]) -> Result<(), ImportError>>,
) -> Result<(), ImportError> {
    let path = intake.path;
    let file = input::open_file(path)?;
    // Without the hints of the program that wrote the file, text comes as plain text, however it was held in memory.
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let builder = decode(path, || ParquetRecordBatchReaderBuilder::try_new_with_options(file, options))?;
    let bytes = builder.metadata().row_groups().iter().map(|group| group.compressed_size()).sum::<i64>();
    let rows = builder.metadata().file_metadata().num_rows().max(1);
    let schema = builder.schema().clone();
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let layout = Layout::<N>::from_names(intake.table, asked, &names, path)?;
    intake.account.header.clone_from(&layout.header);
    let mut lists = 0;
    for column in layout.pick {
        let kind = schema.field(column).data_type();
        let is_list =
            matches!(kind, DataType::List(values) if intake.may_be_list() && is_name(values.data_type()));
        lists += usize::from(is_list);
        if !is_list && !is_name(kind) || lists > 1 {
            let found = format!("column {} holds {kind}, not text or whole numbers", names[column]);
            let wanted = intake.table.columns().join(",").to_uppercase();
            let remedy = Remedy::set("columns", format!("{}={wanted}", intake.table.name()));
            return Err(ImportError::Foreign { file: path.into(), found, remedy });
        }
    }
    let mask = ProjectionMask::roots(builder.parquet_schema(), layout.pick);
    let mut reader = decode(path, || builder.with_projection(mask).with_batch_size(BATCH_ROWS).build())?;

    let (mut row, wanted) = (0, intake.table.columns());
    while let Some(batch) = decode(path, || reader.next().transpose())? {
        let mut columns = Vec::with_capacity(N);
        for column in layout.pick {
            // The projection keeps the file's order of columns.
            let at = layout.pick.iter().filter(|other| **other < column).count();
            columns.push(decode(path, || Column::new(batch.column(at)))?);
        }
        progress.advance((bytes.max(0) as u64).saturating_mul(batch.num_rows() as u64) / rows as u64);
        let list = columns.iter().position(|column| column.list.is_some());
        for i in 0..batch.num_rows() {
            row += 1;
            if let Some(at) = columns.iter().position(|column| column.is_null(i)) {
                intake.reject(Place::Row(row), Reason::Missing { column: wanted[at] })?;
                continue;
            }
            for value in list.map_or(i..i + 1, |at| columns[at].values_of(i)) {
                let place = |column: usize| if Some(column) == list { value } else { i };
                match list.filter(|&at| columns[at].values.is_null(value)) {
                    Some(at) => intake.reject(Place::Row(row), Reason::Missing { column: wanted[at] })?,
                    None => {
                        let values = std::array::from_fn(|c| columns[c].values.value(place(c)));
                        intake.take(Place::Row(row), values)?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// A column of names, or of lists of names.
struct Column {
    values: BinaryArray,
    list: Option<ListArray>,
}

impl Column {
    fn new(column: &dyn Array) -> Result<Column, String> {
        match column.as_list_opt::<i32>() {
            Some(list) => Ok(Column { values: to_bytes(list.values())?, list: Some(list.clone()) }),
            None => Ok(Column { values: to_bytes(column)?, list: None }),
        }
    }

    fn is_null(&self, row: usize) -> bool {
        self.list.as_ref().map_or_else(|| self.values.is_null(row), |list| list.is_null(row))
    }

    /// Which values belong to a row.
    fn values_of(&self, row: usize) -> Range<usize> {
        match &self.list {
            Some(list) => list.value_offsets()[row] as usize..list.value_offsets()[row + 1] as usize,
            None => row..row + 1,
        }
    }
}

thread_local! {
    static DECODING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is inside a decoder whose panics are caught: what a panic hook should keep to itself.
pub fn is_decoding() -> bool {
    DECODING.get()
}

/// Runs a step of the decoder, which on some damaged files panics instead of returning an error.
pub(crate) fn decode<T, E: Display>(
    path: &Path,
    step: impl FnOnce() -> Result<T, E>,
) -> Result<T, ImportError> {
    let damaged = |detail| ImportError::Parquet { file: path.into(), detail };
    // What a step leaves behind after a panic is dropped, never used.
    DECODING.set(true);
    let decoded = catch_unwind(AssertUnwindSafe(step));
    DECODING.set(false);
    match decoded {
        Ok(result) => result.map_err(|e| damaged(e.to_string())),
        Err(_) => Err(damaged("the decoder met something impossible".into())),
    }
}

fn is_name(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::Binary) || kind.is_integer()
}

/// Bytes, so that those that are not UTF-8 are found row by row; whole numbers as their digits.
fn to_bytes(column: &dyn Array) -> Result<BinaryArray, String> {
    let array = arrow_array::downcast_integer_array! {
        column => column.iter().map(|number| number.map(|number| number.to_string().into_bytes())).collect(),
        DataType::Utf8 => BinaryArray::from(column.as_string::<i32>().clone()),
        DataType::Binary => column.as_binary::<i32>().clone(),
        other => return Err(format!("a column of {other}")),
    };
    Ok(array)
}
