//! Parquet: columns by the names of the schema, a batch of rows at a time.

use super::super::account::{Place, Reason};
use super::super::conf::Columns;
use super::super::error::ImportError;
use super::super::header::Layout;
use super::super::source::Tap;
use super::Intake;
use arrow_array::cast::AsArray;
use arrow_array::{Array, BinaryArray};
use arrow_schema::DataType;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use std::cell::Cell;
use std::fmt::Display;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

const BATCH_ROWS: usize = 8192;

/// Reads the rows of a file, only the columns that are needed.
pub(super) fn read<const N: usize>(
    file: File,
    tap: &mut Tap<'_>,
    asked: Option<&Columns>,
    intake: &mut Intake<'_, N, impl FnMut([&str; N]) -> Result<(), ImportError>>,
) -> Result<(), ImportError> {
    let path = intake.path;
    // Without the hints of whoever wrote the file, text comes as plain text, however it was held in memory.
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let builder = decode(path, || ParquetRecordBatchReaderBuilder::try_new_with_options(file, options))?;
    let bytes = builder.metadata().row_groups().iter().map(|group| group.compressed_size()).sum::<i64>();
    let rows = builder.metadata().file_metadata().num_rows().max(1);
    let schema = builder.schema().clone();
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let layout = Layout::<N>::from_names(intake.table, asked, &names, path)?;
    intake.account.header.clone_from(&layout.header);
    for column in layout.pick {
        let kind = schema.field(column).data_type();
        if !is_name(kind) {
            let found = format!("column {} holds {kind}, not text or whole numbers", names[column]);
            let way_out = "choose others with --columns, or write it as text";
            return Err(ImportError::Foreign { file: path.into(), found, way_out });
        }
    }
    let mask = ProjectionMask::roots(builder.parquet_schema(), layout.pick);
    let mut reader = decode(path, || builder.with_projection(mask).with_batch_size(BATCH_ROWS).build())?;

    let mut row = 0;
    while let Some(batch) = decode(path, || reader.next().transpose())? {
        let mut columns = Vec::with_capacity(N);
        for column in layout.pick {
            // The projection keeps the file's order of columns.
            let at = layout.pick.iter().filter(|other| **other < column).count();
            columns.push(decode(path, || to_bytes(batch.column(at)))?);
        }
        tap.advance((bytes.max(0) as u64).saturating_mul(batch.num_rows() as u64) / rows as u64);
        for i in 0..batch.num_rows() {
            row += 1;
            match columns.iter().position(|column| column.is_null(i)) {
                Some(missing) => {
                    let column = intake.table.columns()[missing];
                    intake.reject(Place::Row(row), Reason::Missing { column })?;
                }
                None => intake.take(Place::Row(row), std::array::from_fn(|c| columns[c].value(i)))?,
            }
        }
    }
    Ok(())
}

thread_local! {
    static DECODING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is inside a decoder whose panics are caught: what a panic hook should keep to itself.
pub fn is_decoding() -> bool {
    DECODING.get()
}

/// Runs a step of the decoder, which on some damaged files panics instead of returning an error.
fn decode<T, E: Display>(path: &Path, step: impl FnOnce() -> Result<T, E>) -> Result<T, ImportError> {
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
