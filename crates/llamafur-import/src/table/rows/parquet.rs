//! Parquet: columns by the names of the schema, a batch of rows at a time.

use super::super::conf::Columns;
use super::super::error::ImportError;
use super::Intake;
use super::batches::{BATCH_ROWS, Column, layout, take};
use crate::input;
use llamafur::progress::Progress;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use std::cell::Cell;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

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
    let layout = layout(&schema, asked, intake)?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), layout.pick);
    let mut reader = decode(path, || builder.with_projection(mask).with_batch_size(BATCH_ROWS).build())?;

    // The projection keeps the file's order of columns.
    let places = layout.pick.map(|column| layout.pick.iter().filter(|other| **other < column).count());
    let mut row = 0;
    while let Some(batch) = decode(path, || reader.next().transpose())? {
        let columns = decode(path, || Column::all(&batch, &places))?;
        progress.advance((bytes.max(0) as u64).saturating_mul(batch.num_rows() as u64) / rows as u64);
        take(&columns, batch.num_rows(), &mut row, intake)?;
    }
    Ok(())
}

thread_local! {
    static DECODING: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether this thread is inside a decoder whose panics are caught; a panic hook should not report those.
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
