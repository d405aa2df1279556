//! Arrow files with a signed footer: record batches of one row, whose columns are lists, and in the footer's metadata
//! one entry, `llamafur`, with a signed header and the sums of the blocks of everything before the footer.

use super::atomic::AtomicFile;
use super::checksum::{BLOCK, SummingWriter};
use super::columns::footer_of;
use super::mmap::CheckedMap;
use super::signed::{self, Format, METADATA_KEY};
use crate::Error;
use arrow_array::{ArrayRef, LargeListArray, RecordBatch};
use arrow_buffer::OffsetBuffer;
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use memmap2::Mmap;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the footer says.
#[derive(Serialize, Deserialize)]
struct Header<S, P> {
    settings: S,
    /// Where the record batches begin.
    #[serde(flatten)]
    places: P,
    /// How many bytes have block sums.
    summed: u64,
    blocks: Vec<String>,
}

/// Turns an error of Arrow at `path` into ours.
pub(crate) fn arrow_error(path: &Path, error: ArrowError) -> Error {
    match error {
        ArrowError::IoError(_, cause) => Error::Io { path: path.into(), cause },
        other => Error::damaged(path, other.to_string(), "an Arrow file"),
    }
}

/// The type of a column of lists.
pub(crate) fn list_of(item: DataType) -> DataType {
    DataType::LargeList(Arc::new(Field::new("item", item, false)))
}

/// Lists that end at these places in the values.
pub(crate) fn lists(offsets: Vec<i64>, values: ArrayRef) -> ArrayRef {
    let item = Arc::new(Field::new("item", values.data_type().clone(), false));
    Arc::new(LargeListArray::new(item, OffsetBuffer::new(offsets.into()), values, None))
}

/// A batch of one row, with one list for each column.
pub(crate) fn one_row(
    what: &'static str,
    schema: Schema,
    columns: impl IntoIterator<Item = ArrayRef>,
) -> Result<RecordBatch, Error> {
    let rows = columns.into_iter().map(|values| lists(vec![0, values.len() as i64], values));
    RecordBatch::try_new(Arc::new(schema), rows.collect())
        .map_err(|e| Error::Invalid { what, rule: e.to_string() })
}

/// Where a file is written.
pub(crate) enum Sink {
    Disk(AtomicFile),
    Memory(SummingWriter<Vec<u8>>),
}

impl Sink {
    pub(crate) fn in_memory() -> Sink {
        Sink::Memory(SummingWriter::new(Vec::new(), BLOCK))
    }

    fn so_far(&self) -> (u64, Vec<u64>) {
        match self {
            Sink::Disk(file) => file.so_far(),
            Sink::Memory(bytes) => bytes.so_far(),
        }
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

/// Writes such a file.
pub(crate) struct ArrowWriter<'a> {
    path: &'a Path,
    writer: FileWriter<Sink>,
    batches_at: Vec<u64>,
}

impl<'a> ArrowWriter<'a> {
    pub(crate) fn new(path: &'a Path, sink: Sink, schema: &Schema) -> Result<ArrowWriter<'a>, Error> {
        let writer = FileWriter::try_new(sink, schema).map_err(|e| arrow_error(path, e))?;
        Ok(ArrowWriter { path, writer, batches_at: Vec::new() })
    }

    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        self.batches_at.push(self.writer.get_ref().so_far().0);
        self.writer.write(batch).map_err(|e| arrow_error(self.path, e))
    }

    /// Writes the footer, with the places of the batches as `places` makes them of a list; returns the header's
    /// checksum.
    pub(crate) fn finish<S: Serialize, P: Serialize>(
        mut self,
        format: &Format,
        settings: S,
        places: impl FnOnce(Vec<u64>) -> P,
    ) -> Result<(Sink, String), Error> {
        let (summed, blocks) = self.writer.get_ref().so_far();
        let (places, blocks) = (places(self.batches_at), signed::sums_to_text(&blocks));
        let (text, checksum) = signed::sign(format, Header { settings, places, summed, blocks });
        self.writer.write_metadata(METADATA_KEY, text);
        let finished = self.writer.finish().and_then(|()| self.writer.into_inner());
        Ok((finished.map_err(|e| arrow_error(self.path, e))?, checksum))
    }
}

/// Such a file, opened: the header is checked, the rest when it is read.
pub(crate) struct ArrowFile<S, P> {
    pub(crate) settings: S,
    pub(crate) places: P,
    pub(crate) checksum: String,
    pub(crate) map: Arc<CheckedMap>,
}

impl<S: Serialize + DeserializeOwned, P: Serialize + DeserializeOwned> ArrowFile<S, P> {
    /// Opens a file of this format.
    pub(crate) fn open(path: PathBuf, map: Mmap, format: &Format) -> Result<ArrowFile<S, P>, Error> {
        let short = || Error::damaged(&path, format!("{} bytes", map.len()), "an Arrow file");
        let footer = footer_of(&path, map.len(), |range| map.get(range).ok_or_else(short))?;
        let mut entries = footer.custom_metadata().into_iter().flatten();
        let entry = entries.find(|entry| entry.key() == Some(METADATA_KEY));
        let missing = || Error::damaged(&path, "no entry “llamafur”", format.what);
        let text = entry.and_then(|entry| entry.value()).ok_or_else(missing)?;
        let (header, checksum) = signed::parse::<Header<S, P>>(&path, text, format)?;
        let sums = signed::sums_from_text(&path, &header.blocks)?;
        let map = CheckedMap::new(path, map, 0..header.summed as usize, BLOCK, sums)?;
        let Header { settings, places, .. } = header;
        Ok(ArrowFile { settings, places, checksum, map: Arc::new(map) })
    }
}
