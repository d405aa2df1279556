//! The pages' texts: compressed batches of a few pages, read one at a time.

use super::atomic::AtomicFile;
use super::checksum::{BLOCK, FileSums};
use super::columns;
use super::error::CorpusError;
use super::mmap::{self, CheckedMap};
use super::schemas;
use super::write::arrow_error;
use arrow_array::builder::LargeStringBuilder;
use arrow_array::{Array, LargeStringArray, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::reader::FileDecoder;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrow_ipc::{Block, CompressionType, MetadataVersion};
use std::path::Path;
use std::sync::Arc;

/// Pages in a batch: few enough to read one quickly, enough to compress well.
const PAGES_IN_BATCH: usize = 32;

/// Writes texts in the pages' order.
pub(crate) struct TextWriter {
    path: std::path::PathBuf,
    writer: FileWriter<AtomicFile>,
    batch: LargeStringBuilder,
    in_batch: usize,
    rows: u64,
    with_text: u64,
}

impl TextWriter {
    pub(crate) fn create(path: &Path) -> Result<TextWriter, CorpusError> {
        let zstd = IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD));
        let writer = zstd.and_then(|options| {
            let file = AtomicFile::create(path, BLOCK).map_err(|e| io_error(e, path))?;
            FileWriter::try_new_with_options(file, &schemas::text(), options)
        });
        let writer = writer.map_err(|e| arrow_error(path, e))?;
        let batch = LargeStringBuilder::new();
        Ok(TextWriter { path: path.into(), writer, batch, in_batch: 0, rows: 0, with_text: 0 })
    }

    pub(crate) fn push(&mut self, text: Option<&str>) -> Result<(), CorpusError> {
        self.batch.append_option(text);
        self.rows += 1;
        self.with_text += u64::from(text.is_some());
        self.in_batch += 1;
        if self.in_batch == PAGES_IN_BATCH { self.flush() } else { Ok(()) }
    }

    /// Rows, rows with text, and the file's sums.
    pub(crate) fn finish(mut self) -> Result<(u64, u64, FileSums), CorpusError> {
        if self.in_batch > 0 {
            self.flush()?;
        }
        let file = self.writer.into_inner().map_err(|e| arrow_error(&self.path, e))?;
        Ok((self.rows, self.with_text, file.finish()?))
    }

    fn flush(&mut self) -> Result<(), CorpusError> {
        self.in_batch = 0;
        let texts = Arc::new(self.batch.finish());
        let batch = RecordBatch::try_new(Arc::new(schemas::text()), vec![texts]);
        batch.and_then(|batch| self.writer.write(&batch)).map_err(|e| arrow_error(&self.path, e))
    }
}

fn io_error(error: CorpusError, path: &Path) -> arrow_schema::ArrowError {
    let message = format!("cannot create {}", path.display());
    arrow_schema::ArrowError::IoError(message, std::io::Error::other(error))
}

/// Reads texts, a batch at a time.
#[derive(Debug)]
pub(crate) struct TextReader {
    map: CheckedMap,
    batches: Vec<Block>,
}

impl TextReader {
    pub(crate) fn open(path: &Path, sums: Vec<u64>) -> Result<TextReader, CorpusError> {
        let map = CheckedMap::new(path.into(), mmap::map(path)?, 0, BLOCK, sums)?;
        let footer = columns::footer(&map)?;
        let batches =
            footer.recordBatches().map(|blocks| blocks.iter().copied().collect()).unwrap_or_default();
        Ok(TextReader { map, batches })
    }

    /// Checks every byte of the file.
    pub(crate) fn check_all(&self) -> Result<(), CorpusError> {
        self.map.check_all()
    }

    /// The text of a page, if it has one.
    pub(crate) fn get(&self, page: usize) -> Result<Option<String>, CorpusError> {
        let path = self.map.path();
        let damaged = |found: String| CorpusError::damaged(path, found, format!("a text for page {page}"));
        let block = self.batches.get(page / PAGES_IN_BATCH);
        let block = block.ok_or_else(|| damaged(format!("{} batches", self.batches.len())))?;
        let start = block.offset() as usize;
        let end = start + block.metaDataLength() as usize + block.bodyLength() as usize;
        let bytes = Buffer::from(self.map.bytes(start..end)?);
        let decoder = FileDecoder::new(Arc::new(schemas::text()), MetadataVersion::V5);
        let batch = decoder.read_record_batch(block, &bytes).map_err(|e| arrow_error(path, e))?;
        let texts =
            batch.as_ref().and_then(|batch| batch.column(0).as_any().downcast_ref::<LargeStringArray>());
        let texts = texts.ok_or_else(|| damaged("an empty batch".into()))?;
        let row = page % PAGES_IN_BATCH;
        if row >= texts.len() {
            return Err(damaged(format!("a batch of {}", texts.len())));
        }
        Ok((!texts.is_null(row)).then(|| texts.value(row).to_owned()))
    }
}
