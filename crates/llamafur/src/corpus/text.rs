//! The pages' texts: compressed batches of a few pages, read one at a time.

use super::schemas;
use crate::Error;
use crate::storage::arrow_file::arrow_error;
use crate::storage::mmap::{self, CheckedMap};
use crate::storage::{AtomicFile, BLOCK, FileSums, columns};
use arrow_array::builder::LargeStringBuilder;
use arrow_array::{Array, LargeStringArray, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::convert::IpcSchemaEncoder;
use arrow_ipc::reader::FileDecoder;
use arrow_ipc::writer::{
    DictionaryTracker, EncodedData, IpcDataGenerator, IpcWriteContext, IpcWriteOptions, write_message,
};
use arrow_ipc::{Block, CompressionType, FooterBuilder, MetadataVersion};
use arrow_schema::ArrowError;
use flatbuffers::FlatBufferBuilder;
use rayon::prelude::*;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::sync::{Arc, Mutex};

/// Pages in a batch: few enough to read one quickly, enough to compress well.
pub(super) const PAGES_IN_BATCH: usize = 32;
/// zstd's quickest proper level: the next ones cost twice the time for a few hundredths of the size.
const ZSTD_LEVEL: i32 = 1;
/// The bytes of waiting texts from which on they are compressed, on all threads.
const WAITING_BYTES: usize = 32 << 20;

const MAGIC: &[u8; 6] = b"ARROW1";
const PADDING: [u8; 64] = [0; 64];

/// A writer of texts in the pages' order: an Arrow file whose batches are compressed on all threads.
pub(crate) struct TextWriter {
    path: PathBuf,
    file: AtomicFile,
    options: IpcWriteOptions,
    batch: LargeStringBuilder,
    in_batch: usize,
    waiting: Vec<LargeStringArray>,
    waiting_bytes: usize,
    /// The batches that are being compressed.
    compressed: Option<Receiver<Result<Vec<EncodedData>, ArrowError>>>,
    blocks: Vec<Block>,
    end: usize,
    rows: u64,
    with_text: u64,
}

impl TextWriter {
    pub(crate) fn create(path: &Path) -> Result<TextWriter, Error> {
        let options = IpcWriteOptions::default()
            .try_with_compression(Some(CompressionType::ZSTD))
            .and_then(|options| options.try_with_compression_level(Some(ZSTD_LEVEL)))
            .map_err(|e| arrow_error(path, e))?;
        let mut writer = TextWriter {
            path: path.into(),
            file: AtomicFile::create(path, BLOCK)?,
            options,
            batch: LargeStringBuilder::new(),
            in_batch: 0,
            waiting: Vec::new(),
            waiting_bytes: 0,
            compressed: None,
            blocks: Vec::new(),
            end: 0,
            rows: 0,
            with_text: 0,
        };
        writer.start().map_err(|e| arrow_error(path, e))?;
        Ok(writer)
    }

    pub(crate) fn push(&mut self, text: Option<&str>) -> Result<(), Error> {
        self.batch.append_option(text);
        self.rows += 1;
        self.with_text += u64::from(text.is_some());
        self.in_batch += 1;
        if self.in_batch == PAGES_IN_BATCH { self.end_batch() } else { Ok(()) }
    }

    /// Ends the file; returns the number of rows, of rows with text, and the file's sums.
    pub(crate) fn finish(mut self) -> Result<(u64, u64, FileSums), Error> {
        if self.in_batch > 0 {
            self.end_batch()?;
        }
        self.flush()?;
        self.write_compressed()?;
        self.write_footer().map_err(|e| arrow_error(&self.path, e))?;
        Ok((self.rows, self.with_text, self.file.finish()?))
    }

    fn end_batch(&mut self) -> Result<(), Error> {
        self.in_batch = 0;
        let texts = self.batch.finish();
        // The next one will be about as large.
        self.batch = LargeStringBuilder::with_capacity(PAGES_IN_BATCH, texts.value_data().len());
        self.waiting_bytes += texts.value_data().len();
        self.waiting.push(texts);
        if self.waiting_bytes >= WAITING_BYTES { self.flush() } else { Ok(()) }
    }

    /// Hands what waits over to be compressed, and writes what was handed over before, in order.
    fn flush(&mut self) -> Result<(), Error> {
        self.write_compressed()?;
        self.waiting_bytes = 0;
        let (options, waiting) = (self.options.clone(), std::mem::take(&mut self.waiting));
        let (sender, receiver) = mpsc::channel();
        self.compressed = Some(receiver);
        // Meanwhile the next texts are read; a reader that no longer waits has given up on the file.
        rayon::spawn(move || {
            let encoded = waiting
                .into_par_iter()
                .map_init(IpcWriteContext::default, |context, texts| encode(texts, &options, context))
                .collect();
            let _ = sender.send(encoded);
        });
        Ok(())
    }

    /// Writes what was handed over last, when it is compressed.
    fn write_compressed(&mut self) -> Result<(), Error> {
        let Some(receiver) = self.compressed.take() else { return Ok(()) };
        let mut write = || {
            for data in wait_for(&receiver)?? {
                let (metadata, body) = write_message(&mut self.file, data, &self.options)?;
                self.blocks.push(Block::new(self.end as i64, metadata as i32, body as i64));
                self.end += metadata + body;
            }
            Ok(())
        };
        write().map_err(|e| arrow_error(&self.path, e))
    }

    /// Writes what comes before the batches: the magic and the schema.
    fn start(&mut self) -> Result<(), ArrowError> {
        self.file.write_all(MAGIC)?;
        // Everything in the file begins at multiples of 64.
        self.file.write_all(&PADDING[MAGIC.len()..])?;
        let mut tracker = DictionaryTracker::new(true);
        let schema = IpcDataGenerator::default().schema_to_bytes_with_dictionary_tracker(
            &schemas::text(),
            &mut tracker,
            &self.options,
        );
        let (metadata, body) = write_message(&mut self.file, schema, &self.options)?;
        self.end = PADDING.len() + metadata + body;
        Ok(())
    }

    /// Writes what comes after the batches: the end mark, and where each batch lies.
    fn write_footer(&mut self) -> Result<(), ArrowError> {
        self.file.write_all(&[0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0])?;
        let mut builder = FlatBufferBuilder::new();
        let dictionaries = builder.create_vector::<Block>(&[]);
        let batches = builder.create_vector(&self.blocks);
        let mut tracker = DictionaryTracker::new(true);
        let encoder = IpcSchemaEncoder::new().with_dictionary_tracker(&mut tracker);
        let schema = { encoder }.schema_to_fb_offset(&mut builder, &schemas::text());
        let mut footer = FooterBuilder::new(&mut builder);
        footer.add_version(MetadataVersion::V5);
        footer.add_schema(schema);
        footer.add_dictionaries(dictionaries);
        footer.add_recordBatches(batches);
        let root = footer.finish();
        builder.finish(root, None);
        let footer = builder.finished_data();
        self.file.write_all(footer)?;
        self.file.write_all(&(footer.len() as i32).to_le_bytes())?;
        self.file.write_all(MAGIC)?;
        Ok(())
    }
}

/// Waits for a job of the thread pool; a thread of the pool itself helps meanwhile, since it may be the only one.
fn wait_for<T>(receiver: &Receiver<T>) -> Result<T, ArrowError> {
    let lost = || ArrowError::IpcError("the texts could not be compressed".into());
    loop {
        match receiver.try_recv() {
            Ok(done) => return Ok(done),
            Err(TryRecvError::Disconnected) => return Err(lost()),
            Err(TryRecvError::Empty) => match rayon::yield_now() {
                None => return receiver.recv().map_err(|_| lost()),
                Some(rayon::Yield::Executed) => {}
                Some(rayon::Yield::Idle) => std::thread::yield_now(),
            },
        }
    }
}

fn encode(
    texts: LargeStringArray,
    options: &IpcWriteOptions,
    context: &mut IpcWriteContext,
) -> Result<EncodedData, ArrowError> {
    let batch = RecordBatch::try_new(Arc::new(schemas::text()), vec![Arc::new(texts)])?;
    let mut tracker = DictionaryTracker::new(true);
    Ok(IpcDataGenerator::default().encode(&batch, &mut tracker, options, context)?.1)
}

/// Batches that are kept after they were read.
const KEPT: usize = 16;
/// Bytes that a batch to be kept may have.
const LARGEST_KEPT: usize = 4 << 20;

/// A reader of texts, a batch at a time.
#[derive(Debug)]
pub(crate) struct TextReader {
    map: CheckedMap,
    batches: Vec<Block>,
    /// Batches that were read last, by number: a pass over the pages in order then reads each only once.
    kept: [Mutex<Option<(usize, LargeStringArray)>>; KEPT],
}

impl TextReader {
    pub(crate) fn open(path: &Path, sums: Vec<u64>) -> Result<TextReader, Error> {
        let map = mmap::whole(path, BLOCK, sums)?;
        let footer = columns::footer(&map)?;
        let batches =
            footer.recordBatches().map(|blocks| blocks.iter().copied().collect()).unwrap_or_default();
        let end = |block: &Block| {
            let parts = [block.offset(), block.metaDataLength().into(), block.bodyLength()];
            parts.into_iter().try_fold(0usize, |sum, part| sum.checked_add(usize::try_from(part).ok()?))
        };
        let batches: Vec<Block> = batches;
        match batches.iter().all(|block| end(block).is_some_and(|end| end <= map.num_bytes())) {
            true => Ok(TextReader { map, batches, kept: Default::default() }),
            false => Err(Error::damaged(path, "a batch beyond the end", "batches within the file")),
        }
    }

    /// Returns the number of batches of [`PAGES_IN_BATCH`] pages, the last of which may be shorter.
    pub(crate) fn num_batches(&self) -> usize {
        self.batches.len()
    }

    /// Returns the compressed bytes of a batch.
    pub(crate) fn batch_bytes(&self, number: usize) -> u64 {
        self.batches.get(number).map_or(0, |block| block.bodyLength() as u64)
    }

    /// Releases the memory of some batches.
    pub(crate) fn release(&self, batches: Range<usize>) {
        let start = |number: usize| self.batches.get(number).map(|block| block.offset() as usize);
        if let Some(first) = start(batches.start) {
            self.map.release(first..start(batches.end).unwrap_or(self.map.num_bytes()));
        }
    }

    /// Returns the texts of a batch's pages, null where there is none.
    pub(crate) fn batch(&self, number: usize) -> Result<LargeStringArray, Error> {
        let path = self.map.path();
        let damaged = |found: String| Error::damaged(path, found, format!("texts in batch {number}"));
        let block = self.batches.get(number);
        let block = block.ok_or_else(|| damaged(format!("{} batches", self.batches.len())))?;
        let start = block.offset() as usize;
        let end = start + block.metaDataLength() as usize + block.bodyLength() as usize;
        let bytes = Buffer::from(self.map.bytes(start..end)?);
        let decoder = FileDecoder::new(Arc::new(schemas::text()), MetadataVersion::V5);
        let batch = decoder.read_record_batch(block, &bytes).map_err(|e| arrow_error(path, e))?;
        let texts =
            batch.as_ref().and_then(|batch| batch.column(0).as_any().downcast_ref::<LargeStringArray>());
        texts.cloned().ok_or_else(|| damaged("an empty batch".into()))
    }

    /// Returns the texts of a batch, from memory if it was read just before.
    fn kept_batch(&self, number: usize) -> Result<LargeStringArray, Error> {
        let place = &self.kept[number % KEPT];
        let is_it = |kept: &&(usize, LargeStringArray)| kept.0 == number;
        let kept =
            place.lock().ok().and_then(|kept| kept.as_ref().filter(is_it).map(|(_, texts)| texts.clone()));
        if let Some(texts) = kept {
            return Ok(texts);
        }
        let texts = self.batch(number)?;
        if texts.value_data().len() <= LARGEST_KEPT
            && let Ok(mut kept) = place.lock()
        {
            *kept = Some((number, texts.clone()));
        }
        Ok(texts)
    }

    /// Returns the text of a page, if it has one.
    pub(crate) fn get(&self, page: usize) -> Result<Option<String>, Error> {
        let texts = self.kept_batch(page / PAGES_IN_BATCH)?;
        let row = page % PAGES_IN_BATCH;
        if row >= texts.len() {
            let (found, expected) =
                (format!("a batch of {}", texts.len()), format!("a text for page {page}"));
            return Err(Error::damaged(self.map.path(), found, expected));
        }
        Ok((!texts.is_null(row)).then(|| texts.value(row).to_owned()))
    }
}
