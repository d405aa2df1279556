//! Tables written to files, batch after batch: TSV, Parquet or Arrow, whole or not at all.

use anyhow::{Context, Result, bail};
use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema};
use llamafur::storage::{AtomicFile, BLOCK};
#[cfg(feature = "parquet")]
use parquet::arrow::ArrowWriter;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The form of a table on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TableFile {
    /// Tab-separated text.
    Tsv {
        /// Whether the column names come first.
        header: bool,
    },
    /// Parquet, compressed.
    #[cfg(feature = "parquet")]
    Parquet,
    /// An Arrow IPC file.
    Arrow,
}

impl TableFile {
    /// The form that a file's extension asks for.
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

/// The form of a Parquet file, if the program can write it.
#[cfg(feature = "parquet")]
pub(crate) fn parquet_file() -> Result<TableFile> {
    Ok(TableFile::Parquet)
}

/// The form of a Parquet file, if the program can write it.
#[cfg(not(feature = "parquet"))]
pub(crate) fn parquet_file() -> Result<TableFile> {
    bail!(
        "this program was built without Parquet; write .tsv or .arrow, or build it with the feature `parquet`"
    )
}

/// A table that is being written.
pub(crate) struct Sink {
    path: PathBuf,
    schema: Arc<Schema>,
    writer: Writer,
}

enum Writer {
    Tsv(AtomicFile),
    #[cfg(feature = "parquet")]
    Parquet(Box<ArrowWriter<AtomicFile>>),
    Arrow(Box<FileWriter<AtomicFile>>),
}

impl Sink {
    /// Starts a table with columns of text, and with numbers in the last one where `numbers` names it.
    pub(crate) fn create(
        path: &Path,
        kind: TableFile,
        texts: &[&str],
        numbers: Option<&str>,
    ) -> Result<Sink> {
        let text = texts.iter().map(|name| Field::new(*name, DataType::Utf8, false));
        let number = numbers.into_iter().map(|name| Field::new(name, DataType::Float64, true));
        let schema = Arc::new(Schema::new(text.chain(number).collect::<Vec<_>>()));
        let mut file = AtomicFile::create(path, BLOCK)?;
        let writer = match kind {
            TableFile::Tsv { header } => {
                if header {
                    let names: Vec<&str> =
                        schema.fields().iter().map(|field| field.name().as_str()).collect();
                    writeln!(file, "{}", names.join("\t"))?;
                }
                Writer::Tsv(file)
            }
            #[cfg(feature = "parquet")]
            TableFile::Parquet => Writer::Parquet(Box::new(parquet_writer(file, &schema)?)),
            TableFile::Arrow => Writer::Arrow(Box::new(FileWriter::try_new(file, &schema)?)),
        };
        Ok(Sink { path: path.into(), schema, writer })
    }

    /// Appends rows: a text for each text column, and the numbers.
    pub(crate) fn write(&mut self, texts: Vec<Vec<&str>>, numbers: Option<Vec<Option<f64>>>) -> Result<()> {
        let batch = |texts: Vec<Vec<&str>>, numbers: Option<Vec<Option<f64>>>| {
            let text = texts.into_iter().map(|column| Arc::new(StringArray::from(column)) as ArrayRef);
            let number = numbers.into_iter().map(|column| Arc::new(Float64Array::from(column)) as ArrayRef);
            RecordBatch::try_new(self.schema.clone(), text.chain(number).collect())
        };
        let written = match &mut self.writer {
            Writer::Tsv(file) => write_tsv(&texts, numbers.as_deref(), file),
            #[cfg(feature = "parquet")]
            Writer::Parquet(writer) => writer.write(&batch(texts, numbers)?).map_err(Into::into),
            Writer::Arrow(writer) => writer.write(&batch(texts, numbers)?).map_err(Into::into),
        };
        written.with_context(|| self.path.display().to_string())
    }

    /// Ends the table and gives the file its name.
    pub(crate) fn finish(self) -> Result<()> {
        self.close()?.finish()?;
        Ok(())
    }

    /// Ends the table; the file still has to be given its name.
    pub(crate) fn close(self) -> Result<AtomicFile> {
        let ended = match self.writer {
            Writer::Tsv(file) => Ok(file),
            #[cfg(feature = "parquet")]
            Writer::Parquet(writer) => writer.into_inner().map_err(anyhow::Error::from),
            Writer::Arrow(writer) => writer.into_inner().map_err(anyhow::Error::from),
        };
        let flushed = ended.and_then(|mut file| {
            file.flush()?;
            Ok(file)
        });
        flushed.with_context(|| self.path.display().to_string())
    }
}

#[cfg(feature = "parquet")]
fn parquet_writer(file: AtomicFile, schema: &Arc<Schema>) -> Result<ArrowWriter<AtomicFile>> {
    use parquet::basic::{Compression, ZstdLevel};
    let properties = parquet::file::properties::WriterProperties::builder();
    let properties = properties.set_compression(Compression::ZSTD(ZstdLevel::default())).build();
    Ok(ArrowWriter::try_new(file, schema.clone(), Some(properties))?)
}

/// Names hold no tabs and no line breaks (no import lets them in), so nothing needs to be escaped.
fn write_tsv(texts: &[Vec<&str>], numbers: Option<&[Option<f64>]>, file: &mut AtomicFile) -> Result<()> {
    let mut lines = String::new();
    for row in 0..texts[0].len() {
        let fields: Vec<&str> = texts.iter().map(|column| column[row]).collect();
        lines.push_str(&fields.join("\t"));
        if let Some(numbers) = numbers {
            lines.push('\t');
            lines.extend(numbers[row].map(|number| number.to_string()));
        }
        lines.push('\n');
        if lines.len() >= BLOCK {
            file.write_all(lines.as_bytes())?;
            lines.clear();
        }
    }
    Ok(file.write_all(lines.as_bytes())?)
}
