//! Writes bags of words, a batch at a time.

use super::file::{FORMAT, Header, METADATA_KEY, PAGES_IN_BATCH, WORDS_VERSION, Words};
use super::make::Dictionary;
use super::settings::Settings;
use super::spool::Spooled;
use crate::Error;
use crate::corpus::{Corpus, arrow_error};
use crate::progress::Progress;
use crate::storage::columns::lists_type;
use crate::storage::signed;
use crate::storage::{AtomicFile, BLOCK, SummingWriter, mmap};
use arrow_array::{ArrayRef, LargeListArray, LargeStringArray, RecordBatch, UInt16Array, UInt32Array};
use arrow_buffer::OffsetBuffer;
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema};
use rayon::prelude::*;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// Where the file goes.
pub(super) enum Sink {
    Disk(AtomicFile),
    Memory(SummingWriter<Vec<u8>>),
}

impl Sink {
    pub(super) fn in_memory() -> Sink {
        Sink::Memory(SummingWriter::new(Vec::new(), BLOCK))
    }

    fn so_far(&self) -> (u64, Vec<u64>) {
        match self {
            Sink::Disk(file) => file.so_far(),
            Sink::Memory(bytes) => bytes.so_far(),
        }
    }

    /// The bytes written so far.
    fn at(&self) -> u64 {
        self.so_far().0
    }
}

impl Write for Sink {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        match self {
            Sink::Disk(file) => file.write(data),
            Sink::Memory(bytes) => bytes.write(data),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::Disk(file) => file.flush(),
            Sink::Memory(bytes) => bytes.flush(),
        }
    }
}

fn list_type(item: DataType) -> DataType {
    DataType::LargeList(Arc::new(Field::new("item", item, false)))
}

fn schema() -> Schema {
    Schema::new(vec![
        Field::new("term", list_type(DataType::LargeUtf8), false),
        Field::new("documents", list_type(DataType::UInt32), false),
        Field::new("terms", list_type(lists_type()), false),
        Field::new("counts", list_type(list_type(DataType::UInt16)), false),
    ])
}

/// Lists that end at these places in the values.
fn lists(offsets: Vec<i64>, values: ArrayRef) -> ArrayRef {
    let item = Arc::new(Field::new("item", values.data_type().clone(), false));
    Arc::new(LargeListArray::new(item, OffsetBuffer::new(offsets.into()), values, None))
}

/// A batch of one row that has all of these values.
fn batch(columns: [ArrayRef; 4]) -> Result<RecordBatch, Error> {
    let rows = columns.map(|values| lists(vec![0, values.len() as i64], values));
    RecordBatch::try_new(Arc::new(schema()), rows.to_vec())
        .map_err(|e| Error::Invalid { what: "words", rule: e.to_string() })
}

fn dictionary_batch(dictionary: &Dictionary) -> Result<RecordBatch, Error> {
    let terms = dictionary.in_order.iter().map(|(term, _)| dictionary.term(*term));
    let documents = dictionary.in_order.iter().map(|(_, documents)| *documents);
    let [no_terms, no_counts] = bags_columns(Vec::new());
    batch([
        Arc::new(LargeStringArray::from_iter_values(terms)),
        Arc::new(UInt32Array::from_iter_values(documents)),
        no_terms,
        no_counts,
    ])
}

fn bags_columns(bags: Vec<Vec<(u32, u16)>>) -> [ArrayRef; 2] {
    let mut offsets = vec![0];
    let mut end = 0;
    for bag in &bags {
        end += bag.len() as i64;
        offsets.push(end);
    }
    let terms = UInt32Array::from_iter_values(bags.iter().flatten().map(|(term, _)| *term));
    let counts = UInt16Array::from_iter_values(bags.iter().flatten().map(|(_, count)| *count));
    [lists(offsets.clone(), Arc::new(terms)), lists(offsets, Arc::new(counts))]
}

fn bags_batch(bags: Vec<Vec<(u32, u16)>>) -> Result<RecordBatch, Error> {
    let [terms, counts] = bags_columns(bags);
    let no_names = LargeStringArray::from_iter_values([""; 0]);
    batch([Arc::new(no_names), Arc::new(UInt32Array::from_iter_values([])), terms, counts])
}

/// Writes the bags and opens them.
pub(super) fn write(
    corpus: &Corpus,
    sink: Sink,
    settings: Settings,
    dictionary: &Dictionary,
    spooled: &Spooled,
    progress: &mut dyn Progress,
) -> Result<Words, Error> {
    let path = Words::path(corpus);
    let sink = write_batches(&path, sink, settings, dictionary, spooled, progress)?;
    let map = match sink {
        Sink::Disk(file) => {
            file.finish()?;
            mmap::map(&path)?
        }
        Sink::Memory(bytes) => mmap::map_bytes(&bytes.finish().0, &path)?,
    };
    Words::of_map(corpus, path, map)
}

fn write_batches(
    path: &Path,
    sink: Sink,
    settings: Settings,
    dictionary: &Dictionary,
    spooled: &Spooled,
    progress: &mut dyn Progress,
) -> Result<Sink, Error> {
    let arrow = |e| arrow_error(path, e);
    let mut writer = FileWriter::try_new(sink, &schema()).map_err(arrow)?;
    let mut batches_at = vec![writer.get_ref().at()];
    writer.write(&dictionary_batch(dictionary)?).map_err(arrow)?;
    for start in (0..spooled.num_pages()).step_by(PAGES_IN_BATCH) {
        let end = (start + PAGES_IN_BATCH).min(spooled.num_pages());
        let bags = (start..end).into_par_iter().map(|page| dictionary.bag(spooled.get(page))).collect();
        batches_at.push(writer.get_ref().at());
        writer.write(&bags_batch(bags)?).map_err(arrow)?;
        progress.advance((end - start) as u64);
    }
    let (summed, blocks) = writer.get_ref().so_far();
    let header = Header { settings, batches_at, summed, blocks: signed::sums_to_text(&blocks) };
    let (text, _) = signed::sign(FORMAT, WORDS_VERSION, header);
    writer.write_metadata(METADATA_KEY, text);
    writer.finish().map_err(arrow)?;
    writer.into_inner().map_err(arrow)
}
