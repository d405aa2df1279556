//! Parquet: a column of titles and a column of lists of floats, a batch of rows at a time.

use super::{Intake, MOST_DIMENSIONS, VectorsConf, foreign};
use crate::input;
use crate::table::{ImportError, decode};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float16Type, Float32Type, Float64Type};
use arrow_array::{Array, ListArray};
use arrow_schema::{DataType, Schema};
use llamafur::Remedy;
use llamafur::progress::Progress;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};

const BATCH_ROWS: usize = 1024;

/// Reads the rows of a file, only the two columns.
pub(super) fn read(
    conf: &VectorsConf,
    progress: &mut dyn Progress,
    intake: &mut Intake<'_>,
) -> Result<(), ImportError> {
    let path = &conf.file;
    let file = input::open_file(path)?;
    // Without the hints of the program that wrote the file, lists are plain lists, however they were held in memory.
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let builder = decode(path, || ParquetRecordBatchReaderBuilder::try_new_with_options(file, options))?;
    let bytes = builder.metadata().row_groups().iter().map(|group| group.compressed_size()).sum::<i64>();
    let rows = builder.metadata().file_metadata().num_rows().max(1);
    let [title, vector] = columns(builder.schema(), conf)?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), [title, vector]);
    let mut reader = decode(path, || builder.with_projection(mask).with_batch_size(BATCH_ROWS).build())?;
    while let Some(batch) = decode(path, || reader.next().transpose())? {
        // The projection keeps the file's order of columns.
        let at = usize::from(title > vector);
        let (titles, lists) = (batch.column(at).as_string::<i32>(), batch.column(1 - at).as_list::<i32>());
        let numbers = numbers(lists);
        for row in 0..batch.num_rows() {
            let title = if titles.is_null(row) { "" } else { titles.value(row).trim() };
            let begin = lists.value_offsets()[row] as usize;
            let length = if lists.is_null(row) { 0 } else { lists.value_length(row) as usize };
            if length > MOST_DIMENSIONS {
                let found = format!("lists of {length} numbers, expected at most {MOST_DIMENSIONS}");
                return Err(foreign(path, found, Remedy::another("columns")));
            }
            intake.take(title, &numbers[begin..][..length])?;
        }
        progress.advance((bytes.max(0) as u64).saturating_mul(batch.num_rows() as u64) / rows as u64);
    }
    Ok(())
}

/// The columns of titles and vectors: those asked for, or the only ones of their kinds.
fn columns(schema: &Schema, conf: &VectorsConf) -> Result<[usize; 2], ImportError> {
    let of = |name: &Option<String>, is_kind: fn(&DataType) -> bool| -> Vec<usize> {
        let is_meant = |at: &usize| {
            let field = schema.field(*at);
            is_kind(field.data_type()) && name.as_ref().is_none_or(|name| field.name() == name)
        };
        (0..schema.fields().len()).filter(is_meant).collect()
    };
    let is_vector = |kind: &DataType| matches!(kind, DataType::List(of) if of.data_type().is_floating());
    let titles = of(&conf.title_column, |kind| *kind == DataType::Utf8);
    match (&titles[..], &of(&conf.vector_column, is_vector)[..]) {
        (&[title], &[vector]) => Ok([title, vector]),
        _ => {
            let all = schema.fields().iter().map(|field| format!("{} ({})", field.name(), field.data_type()));
            let all = all.collect::<Vec<_>>().join(", ");
            let found =
                format!("the columns are {all}; expected one with titles and one with lists of floats");
            Err(foreign(&conf.file, found, Remedy::set("columns", "title=NAME,vector=NAME")))
        }
    }
}

/// The numbers of all lists; one that is missing as NaN.
fn numbers(lists: &ListArray) -> Vec<f32> {
    let values = lists.values();
    match values.data_type() {
        DataType::Float16 => {
            let numbers = values.as_primitive::<Float16Type>().iter();
            numbers.map(|x| x.map_or(f32::NAN, |x| x.to_f32())).collect()
        }
        DataType::Float32 => {
            let numbers = values.as_primitive::<Float32Type>().iter();
            numbers.map(|x| x.unwrap_or(f32::NAN)).collect()
        }
        _ => {
            let numbers = values.as_primitive::<Float64Type>().iter();
            numbers.map(|x| x.map_or(f32::NAN, |x| x as f32)).collect()
        }
    }
}
