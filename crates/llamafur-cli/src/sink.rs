//! Tables written to files, batch after batch: TSV, Parquet or Arrow; files appear only when complete.

use anyhow::{Context, Result, bail};
use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema};
use llamafur::storage::{AtomicFile, BLOCK};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The format of a table on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TableFile {
    /// Tab-separated text.
    Tsv {
        /// True if the column names come first.
        header: bool,
    },
    /// Parquet, compressed.
    #[cfg(feature = "parquet")]
    Parquet,
    /// An Arrow IPC file.
    Arrow,
}

impl TableFile {
    /// Returns the format of a file by its extension.
    pub(crate) fn of(path: &Path, header: bool) -> Result<TableFile> {
        Ok(match path.extension().and_then(|extension| extension.to_str()) {
            Some("tsv") => TableFile::Tsv { header },
            Some("parquet") => parquet_file().with_context(|| path.display().to_string())?,
            Some("arrow" | "feather") => TableFile::Arrow,
            _ => bail!(
                "{}: the name must end in .tsv, .parquet or .arrow, to say which is wanted",
                path.display()
            ),
        })
    }
}

/// Returns the format of a Parquet file, if the program can write it.
#[cfg(feature = "parquet")]
pub(crate) fn parquet_file() -> Result<TableFile> {
    Ok(TableFile::Parquet)
}

/// Fails: this program cannot write Parquet files.
#[cfg(not(feature = "parquet"))]
pub(crate) fn parquet_file() -> Result<TableFile> {
    bail!(
        "this program was built without Parquet; write .tsv or .arrow, or build it with the feature `parquet`"
    )
}

/// A column of numbers, some of which may be missing.
pub(crate) type Numbers = Vec<Option<f64>>;

/// A table while it is written.
pub(crate) struct Sink {
    path: PathBuf,
    encoder: Encoder,
    writer: Writer,
}

enum Writer {
    Tsv(AtomicFile),
    #[cfg(feature = "parquet")]
    Parquet(Box<parquet_sink::ParquetFile>),
    Arrow(Box<FileWriter<AtomicFile>>),
}

/// An encoder of rows for the file: much of the work of writing, which several threads can do in parallel.
#[derive(Clone)]
pub(crate) struct Encoder {
    schema: Arc<Schema>,
    form: Form,
}

#[derive(Clone)]
enum Form {
    Tsv,
    #[cfg(feature = "parquet")]
    Parquet(parquet_sink::RowGroups),
    Arrow,
}

/// Rows in the encoding of the file.
pub(crate) enum Encoded {
    /// Lines of text.
    Lines(Vec<u8>),
    /// A row group of a Parquet file.
    #[cfg(feature = "parquet")]
    RowGroup(parquet_sink::RowGroup),
    /// A batch of an Arrow file.
    Batch(RecordBatch),
}

impl Encoder {
    /// Encodes rows: columns of text, then columns of numbers.
    pub(crate) fn encode(&self, texts: Vec<Vec<&str>>, numbers: Vec<Numbers>) -> Result<Encoded> {
        Ok(match &self.form {
            Form::Tsv => Encoded::Lines(lines(&texts, &numbers)),
            #[cfg(feature = "parquet")]
            Form::Parquet(groups) => Encoded::RowGroup(groups.encode(&self.batch(texts, numbers)?)?),
            Form::Arrow => Encoded::Batch(self.batch(texts, numbers)?),
        })
    }

    fn batch(&self, texts: Vec<Vec<&str>>, numbers: Vec<Numbers>) -> Result<RecordBatch> {
        let text = texts.into_iter().map(|column| Arc::new(StringArray::from(column)) as ArrayRef);
        let number = numbers.into_iter().map(|column| Arc::new(Float64Array::from(column)) as ArrayRef);
        Ok(RecordBatch::try_new(self.schema.clone(), text.chain(number).collect())?)
    }
}

impl Sink {
    /// Starts a table with columns of text, then of numbers, with these names.
    pub(crate) fn create(path: &Path, kind: TableFile, texts: &[&str], numbers: &[&str]) -> Result<Sink> {
        let text = texts.iter().map(|name| Field::new(*name, DataType::Utf8, false));
        let number = numbers.iter().map(|name| Field::new(*name, DataType::Float64, true));
        let schema = Arc::new(Schema::new(text.chain(number).collect::<Vec<_>>()));
        let mut file = AtomicFile::create(path, BLOCK)?;
        let (writer, form) = match kind {
            TableFile::Tsv { header } => {
                if header {
                    let names: Vec<&str> =
                        schema.fields().iter().map(|field| field.name().as_str()).collect();
                    writeln!(file, "{}", names.join("\t"))?;
                }
                (Writer::Tsv(file), Form::Tsv)
            }
            #[cfg(feature = "parquet")]
            TableFile::Parquet => {
                let (file, groups) = parquet_sink::create(file, &schema)?;
                (Writer::Parquet(Box::new(file)), Form::Parquet(groups))
            }
            TableFile::Arrow => (Writer::Arrow(Box::new(FileWriter::try_new(file, &schema)?)), Form::Arrow),
        };
        Ok(Sink { path: path.into(), encoder: Encoder { schema, form }, writer })
    }

    /// Returns an encoder of rows for this table.
    pub(crate) fn encoder(&self) -> Encoder {
        self.encoder.clone()
    }

    /// Appends encoded rows.
    pub(crate) fn append(&mut self, rows: Encoded) -> Result<()> {
        let written: Result<()> = match (&mut self.writer, rows) {
            (Writer::Tsv(file), Encoded::Lines(lines)) => file.write_all(&lines).map_err(Into::into),
            #[cfg(feature = "parquet")]
            (Writer::Parquet(file), Encoded::RowGroup(group)) => file.append(group),
            (Writer::Arrow(writer), Encoded::Batch(batch)) => writer.write(&batch).map_err(Into::into),
            _ => unreachable!("rows encoded for another table"),
        };
        written.with_context(|| self.path.display().to_string())
    }

    /// Appends rows, which may be few: columns of text, then columns of numbers.
    pub(crate) fn write(&mut self, texts: Vec<Vec<&str>>, numbers: Vec<Numbers>) -> Result<()> {
        #[cfg(feature = "parquet")]
        if let Writer::Parquet(file) = &mut self.writer {
            let written = self.encoder.batch(texts, numbers).and_then(|batch| file.write(&batch));
            return written.with_context(|| self.path.display().to_string());
        }
        let rows = self.encoder.encode(texts, numbers)?;
        self.append(rows)
    }

    /// Ends the table and renames the file to its final name.
    pub(crate) fn finish(self) -> Result<()> {
        self.close()?.finish()?;
        Ok(())
    }

    /// Ends the table; the file still has to be renamed.
    pub(crate) fn close(self) -> Result<AtomicFile> {
        let ended = match self.writer {
            Writer::Tsv(file) => Ok(file),
            #[cfg(feature = "parquet")]
            Writer::Parquet(file) => file.close(),
            Writer::Arrow(writer) => writer.into_inner().map_err(anyhow::Error::from),
        };
        let flushed = ended.and_then(|mut file| {
            file.flush()?;
            Ok(file)
        });
        flushed.with_context(|| self.path.display().to_string())
    }
}

/// Formats rows as lines. Names have no tabs and no line breaks (no import permits them), so nothing needs to be
/// escaped.
fn lines(texts: &[Vec<&str>], numbers: &[Numbers]) -> Vec<u8> {
    let mut lines = Vec::new();
    for row in 0..texts[0].len() {
        for (at, column) in texts.iter().enumerate() {
            if at > 0 {
                lines.push(b'\t');
            }
            lines.extend_from_slice(column[row].as_bytes());
        }
        for numbers in numbers {
            lines.push(b'\t');
            if let Some(number) = numbers[row] {
                write_number(&mut lines, number);
            }
        }
        lines.push(b'\n');
    }
    lines
}

/// Writes a number like `Display`. Most are written by serde_json, which is several times as fast; except those that it
/// writes with an exponent, and those that may lie in the middle between two shortest decimals, for which the two
/// choose different ones. Such a number has at most 18 digits, hence, below 2²⁰, no more than 37 binary digits.
fn write_number(text: &mut Vec<u8>, number: f64) {
    const MEMORY: &str = "memory takes all that is written";
    let start = text.len();
    if number.abs() < f64::from(1 << 20) && number.to_bits().trailing_zeros() < 16 {
        serde_json::to_writer(&mut *text, &number).expect(MEMORY);
        if !text[start..].contains(&b'e') {
            return;
        }
        text.truncate(start);
    }
    write!(text, "{number}").expect(MEMORY);
}

#[cfg(feature = "parquet")]
mod parquet_sink {
    //! Parquet files whose row groups are encoded apart from the file.

    use anyhow::Result;
    use arrow_array::RecordBatch;
    use arrow_schema::{DataType, Schema};
    use llamafur::storage::AtomicFile;
    use parquet::arrow::ArrowWriter;
    use parquet::arrow::arrow_writer::{
        ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves,
    };
    use parquet::basic::{Compression, ZstdLevel};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use std::sync::Arc;

    /// Number of rows of a group that is filled by small writes.
    const ROWS_IN_GROUP: usize = 1 << 20;

    /// A Parquet file while it is written.
    pub(super) struct ParquetFile {
        file: SerializedFileWriter<AtomicFile>,
        groups: RowGroups,
        /// The group that rows are added to, and its number of rows.
        open: Option<(Vec<ArrowColumnWriter>, usize)>,
    }

    /// Encodes row groups.
    #[derive(Clone)]
    pub(super) struct RowGroups {
        factory: Arc<ArrowRowGroupWriterFactory>,
        schema: Arc<Schema>,
    }

    /// A row group: its encoded columns.
    pub(crate) struct RowGroup(Vec<ArrowColumnChunk>);

    /// Starts a file.
    pub(super) fn create(file: AtomicFile, schema: &Arc<Schema>) -> Result<(ParquetFile, RowGroups)> {
        let mut properties =
            WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default()));
        for field in schema.fields().iter().filter(|field| *field.data_type() == DataType::Float64) {
            // Hardly a number is there twice.
            properties = properties.set_column_dictionary_enabled(field.name().as_str().into(), false);
        }
        let writer = ArrowWriter::try_new(file, schema.clone(), Some(properties.build()))?;
        let (file, factory) = writer.into_serialized_writer()?;
        let groups = RowGroups { factory: Arc::new(factory), schema: schema.clone() };
        Ok((ParquetFile { file, groups: groups.clone(), open: None }, groups))
    }

    impl RowGroups {
        pub(super) fn encode(&self, batch: &RecordBatch) -> Result<RowGroup> {
            let mut writers = self.factory.create_column_writers(0)?;
            self.write(&mut writers, batch)?;
            close(writers)
        }

        fn write(&self, writers: &mut [ArrowColumnWriter], batch: &RecordBatch) -> Result<()> {
            let columns = self.schema.fields().iter().zip(batch.columns());
            for (writer, (field, column)) in writers.iter_mut().zip(columns) {
                compute_leaves(field, column)?.iter().try_for_each(|leaf| writer.write(leaf))?;
            }
            Ok(())
        }
    }

    fn close(writers: Vec<ArrowColumnWriter>) -> Result<RowGroup> {
        let chunks = writers.into_iter().map(ArrowColumnWriter::close);
        Ok(RowGroup(chunks.collect::<parquet::errors::Result<_>>()?))
    }

    impl ParquetFile {
        /// Appends a row group.
        pub(super) fn append(&mut self, group: RowGroup) -> Result<()> {
            let mut writer = self.file.next_row_group()?;
            group.0.into_iter().try_for_each(|chunk| chunk.append_to_row_group(&mut writer))?;
            writer.close()?;
            Ok(())
        }

        /// Adds rows to the group at hand.
        pub(super) fn write(&mut self, batch: &RecordBatch) -> Result<()> {
            let (mut writers, rows) = match self.open.take() {
                Some(open) => open,
                None => (self.groups.factory.create_column_writers(0)?, 0),
            };
            self.groups.write(&mut writers, batch)?;
            match rows + batch.num_rows() {
                rows if rows < ROWS_IN_GROUP => self.open = Some((writers, rows)),
                _ => self.append(close(writers)?)?,
            }
            Ok(())
        }

        /// Ends the file.
        pub(super) fn close(mut self) -> Result<AtomicFile> {
            if let Some((writers, _)) = self.open.take() {
                self.append(close(writers)?)?;
            }
            Ok(self.file.into_inner()?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_display_writes_them() {
        let few = [
            0.0,
            -0.0,
            1.0,
            -3.0,
            0.1,
            1e-7,
            123_456.75,
            1e16,
            1e300,
            f64::NAN,
            f64::INFINITY,
            f64::MIN_POSITIVE,
        ];
        // All exponents, with digits that come as they will.
        let many = (0..200_000u64).map(|seed| f64::from_bits(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)));
        let scores =
            (0..200_000u64).map(|seed| seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) as i64 as f64 / 1e18);
        // Few binary digits.
        let dyadic = (0..200_000u64).map(|seed| (seed * 7 + 1) as f64 / 2f64.powi((seed % 30) as i32));
        for number in few.into_iter().chain(many).chain(scores).chain(dyadic) {
            let mut text = b"x".to_vec();
            write_number(&mut text, number);
            assert_eq!(text, format!("x{number}").into_bytes(), "{number:e}");
        }
    }
}
