//! Arrow files with a signed footer: record batches of one row, whose columns are lists, and in the footer's metadata
//! two entries: `llamafur`, with a signed header and the sums of the blocks of everything before the footer, and
//! `llamafur_footer`, the sum of the footer itself, taken with zeros in its own place. Files without the latter were
//! written by an older program; of their footers only the header is known to be whole.

use super::atomic::AtomicFile;
use super::checksum::{BLOCK, SMALL_BLOCK, SummingWriter};
use super::columns::footer_of;
use super::mmap::{self, CheckedMap, Mapped};
use super::signed::{self, Format, METADATA_KEY};
use crate::Error;
use arrow_array::{ArrayRef, LargeListArray, RecordBatch, UInt64Array, new_empty_array};
use arrow_buffer::OffsetBuffer;
use arrow_ipc::Footer;
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The contents of the footer.
#[derive(Serialize, Deserialize)]
struct Header<S, P> {
    settings: S,
    /// The places of the record batches.
    #[serde(flatten)]
    places: P,
    /// The number of bytes that have block sums.
    summed: u64,
    /// The block sums; if the others are in the file, those of the last blocks.
    blocks: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sums: Option<SumsInFile>,
}

/// Block sums that are too many for a header: the column [`SUMS`] of the last batch. Those of the blocks that hold this batch
/// are in the header.
#[derive(Serialize, Deserialize)]
struct SumsInFile {
    block_bytes: usize,
    /// The start of the sums.
    at: u64,
}

/// The entry of the metadata that has the sum of the footer.
const FOOTER_KEY: &str = "llamafur_footer";

/// The placeholder for the sum of the footer while it is computed.
const NO_SUM: &str = "0000000000000000";

/// The column of block sums.
const SUMS: &str = "block_sums";

/// Converts an error of Arrow at `path`.
pub(crate) fn arrow_error(path: &Path, error: ArrowError) -> Error {
    match error {
        ArrowError::IoError(_, cause) => Error::Io { path: path.into(), cause },
        other => Error::damaged(path, other.to_string(), "an Arrow file"),
    }
}

/// Returns the type of a column of lists.
pub(crate) fn list_of(item: DataType) -> DataType {
    DataType::LargeList(Arc::new(Field::new("item", item, false)))
}

/// Creates a column of lists that end at these places in the values.
pub(crate) fn lists(offsets: Vec<i64>, values: ArrayRef) -> ArrayRef {
    let item = Arc::new(Field::new("item", values.data_type().clone(), false));
    Arc::new(LargeListArray::new(item, OffsetBuffer::new(offsets.into()), values, None))
}

/// Returns a batch of one row, with one list for each column.
pub(crate) fn one_row(
    what: &'static str,
    schema: Schema,
    columns: impl IntoIterator<Item = ArrayRef>,
) -> Result<RecordBatch, Error> {
    let rows = columns.into_iter().map(|values| lists(vec![0, values.len() as i64], values));
    RecordBatch::try_new(Arc::new(schema), rows.collect())
        .map_err(|e| Error::Invalid { what, rule: e.to_string() })
}

/// The destination of a file that is written.
pub(crate) enum Sink {
    Disk(AtomicFile),
    Memory(SummingWriter<Vec<u8>>),
    /// Another destination, and bytes that are changed before they are written to it.
    HeldBack(Box<Sink>, Vec<u8>),
}

impl Sink {
    pub(crate) fn in_memory() -> Sink {
        Sink::Memory(SummingWriter::new(Vec::new(), SMALL_BLOCK))
    }

    /// Returns the written file, mapped under its name or in memory.
    pub(crate) fn into_map(self, path: &Path) -> Result<Mapped, Error> {
        match self {
            Sink::Disk(file) => {
                file.finish()?;
                mmap::map(path)
            }
            Sink::Memory(bytes) => mmap::map_bytes(&bytes.finish().0, path),
            Sink::HeldBack(mut sink, held) => {
                sink.write_all(&held).map_err(Error::io(path))?;
                sink.into_map(path)
            }
        }
    }

    /// Holds back what is written from now on.
    fn hold_back(&mut self) {
        let sink = std::mem::replace(self, Sink::in_memory());
        *self = Sink::HeldBack(Box::new(sink), Vec::new());
    }

    /// Returns the number of bytes written so far.
    fn num_bytes(&self) -> u64 {
        match self {
            Sink::Disk(file) => file.sums().map_or(0, SummingWriter::num_bytes),
            Sink::Memory(bytes) => bytes.num_bytes(),
            Sink::HeldBack(sink, held) => sink.num_bytes() + held.len() as u64,
        }
    }

    /// Returns the bytes in a block, and the sums of the blocks written so far.
    fn sums(&self) -> (usize, Vec<u64>) {
        match self {
            Sink::Disk(file) => file.sums().map_or((BLOCK, Vec::new()), |w| (w.block_size(), w.so_far().1)),
            Sink::Memory(bytes) => (bytes.block_size(), bytes.so_far().1),
            Sink::HeldBack(sink, _) => sink.sums(),
        }
    }
}

impl Write for Sink {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        match self {
            Sink::Disk(file) => file.write(data),
            Sink::Memory(bytes) => bytes.write(data),
            Sink::HeldBack(_, held) => held.write(data),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::Disk(file) => file.flush(),
            Sink::Memory(bytes) => bytes.flush(),
            Sink::HeldBack(sink, _) => sink.flush(),
        }
    }
}

/// The place where the sums of a file's blocks are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeepSums {
    /// The header, which is read whole on opening.
    InHeader,
    /// A column of their own.
    InColumn,
}

/// A writer of Arrow files with block sums.
pub(crate) struct ArrowWriter<'a> {
    path: &'a Path,
    keep: KeepSums,
    schema: Arc<Schema>,
    writer: FileWriter<Sink>,
    batches_at: Vec<u64>,
}

impl<'a> ArrowWriter<'a> {
    /// Starts a file with a column of block sums, so that it is opened as quickly whatever its size.
    pub(crate) fn new(path: &'a Path, sink: Sink, schema: &Schema) -> Result<ArrowWriter<'a>, Error> {
        ArrowWriter::keeping(path, sink, schema, KeepSums::InColumn)
    }

    /// Starts a file with the block sums in its header, for blocks of [`BLOCK`] bytes.
    pub(crate) fn with_sums_in_header(
        path: &'a Path,
        sink: Sink,
        schema: &Schema,
    ) -> Result<ArrowWriter<'a>, Error> {
        ArrowWriter::keeping(path, sink, schema, KeepSums::InHeader)
    }

    fn keeping(
        path: &'a Path,
        sink: Sink,
        schema: &Schema,
        keep: KeepSums,
    ) -> Result<ArrowWriter<'a>, Error> {
        let mut fields = schema.fields().to_vec();
        if keep == KeepSums::InColumn {
            fields.push(Arc::new(Field::new(SUMS, list_of(DataType::UInt64), false)));
        }
        let schema = Arc::new(Schema::new(fields));
        let writer = FileWriter::try_new(sink, &schema).map_err(|e| arrow_error(path, e))?;
        Ok(ArrowWriter { path, keep, schema, writer, batches_at: Vec::new() })
    }

    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        self.batches_at.push(self.writer.get_ref().num_bytes());
        match self.keep {
            KeepSums::InHeader => self.write_as_it_is(batch),
            KeepSums::InColumn => self.write_with_sums(batch.columns().to_vec(), &[]),
        }
    }

    fn write_as_it_is(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        self.writer.write(batch).map_err(|e| arrow_error(self.path, e))
    }

    fn write_with_sums(&mut self, mut columns: Vec<ArrayRef>, sums: &[u64]) -> Result<(), Error> {
        let values = Arc::new(UInt64Array::from_iter_values(sums.iter().copied()));
        columns.push(lists(vec![0, sums.len() as i64], values));
        let batch = RecordBatch::try_new(self.schema.clone(), columns);
        self.write_as_it_is(&batch.map_err(|e| arrow_error(self.path, e))?)
    }

    /// Writes the footer, with the places of the batches as `places` makes them of a list; returns the header's
    /// checksum.
    pub(crate) fn finish<S: Serialize, P: Serialize>(
        mut self,
        format: &Format,
        settings: S,
        places: impl FnOnce(Vec<u64>) -> P,
    ) -> Result<(Sink, String), Error> {
        let places = places(std::mem::take(&mut self.batches_at));
        let (mut first, mut sums) = (0, None);
        if self.keep == KeepSums::InColumn {
            let (block_bytes, whole) = self.writer.get_ref().sums();
            first = self.writer.get_ref().num_bytes() as usize / block_bytes;
            let fields = self.schema.fields().iter().take(self.schema.fields().len() - 1);
            let empty = fields.map(|field| lists(vec![0, 0], new_empty_array(item_of(field))));
            self.write_with_sums(empty.collect(), &whole[..first])?;
            // The sums are the last thing in the batch, padded.
            let padded = (first * size_of::<u64>()).next_multiple_of(ALIGNED) as u64;
            sums = Some(SumsInFile { block_bytes, at: self.writer.get_ref().num_bytes() - padded });
        }
        let (summed, all) = (self.writer.get_ref().num_bytes(), self.writer.get_ref().sums().1);
        let blocks = signed::sums_to_text(&all[first..]);
        let (text, checksum) = signed::sign(format, Header { settings, places, summed, blocks, sums });
        self.writer.write_metadata(METADATA_KEY, text);
        self.writer.write_metadata(FOOTER_KEY, NO_SUM);
        self.writer.get_mut().hold_back();
        let finished = self.writer.finish().and_then(|()| self.writer.into_inner());
        let sink = match finished.map_err(|e| arrow_error(self.path, e))? {
            Sink::HeldBack(mut sink, mut footer) => {
                if let Some((place, _, sum)) = footer_sum(self.path, &footer, 0)? {
                    footer[place].copy_from_slice(sum.as_bytes());
                }
                sink.write_all(&footer).map_err(Error::io(self.path))?;
                *sink
            }
            other => other,
        };
        Ok((sink, checksum))
    }
}

/// The alignment of a batch's buffers in bytes.
const ALIGNED: usize = 64;

/// Returns the type of the items in a column of lists.
fn item_of(field: &Field) -> &DataType {
    match field.data_type() {
        DataType::LargeList(item) => item.data_type(),
        other => other,
    }
}

/// An Arrow file with block sums, opened: the header is checked, the rest when it is read.
pub(crate) struct ArrowFile<S, P> {
    pub(crate) settings: S,
    pub(crate) places: P,
    pub(crate) checksum: String,
    pub(crate) map: Arc<CheckedMap>,
}

impl<S: Serialize + DeserializeOwned, P: Serialize + DeserializeOwned> ArrowFile<S, P> {
    /// Opens a file of this format.
    pub(crate) fn open(path: PathBuf, map: Mapped, format: &Format) -> Result<ArrowFile<S, P>, Error> {
        let text = header_text(&path, &map, format.what)?;
        let (header, checksum) = signed::parse::<Header<S, P>>(&path, text, format)?;
        let Header { settings, places, summed, blocks, sums } = header;
        let map = checked(path, map, summed as usize, &blocks, sums)?;
        Ok(ArrowFile { settings, places, checksum, map: Arc::new(map) })
    }
}

/// Checks the header and every byte that has sums, of a file of any format.
pub(crate) fn verify(path: &Path) -> Result<(), Error> {
    let map = mmap::map(path)?;
    let text = header_text(path, &map, "a header")?;
    signed::verify(path, text)?;
    let unreadable = |e: serde_json::Error| Error::damaged(path, e.to_string(), "a header");
    let header: Header<IgnoredAny, IgnoredAny> = serde_json::from_str(text).map_err(unreadable)?;
    let Header { summed, blocks, sums, .. } = header;
    expect_footer(path, &map, summed as usize)?;
    checked(path.into(), map, summed as usize, &blocks, sums)?.check_all()
}

/// The sum of a footer: its range in the file, its text, and the expected text.
type FooterSum<'m> = (Range<usize>, &'m str, String);

/// Finds the sum of the footer from this byte on; `None` if there is none.
fn footer_sum<'m>(path: &Path, file: &'m [u8], from: usize) -> Result<Option<FooterSum<'m>>, Error> {
    let footer = footer_in(path, file)?;
    let mut entries = footer.custom_metadata().into_iter().flatten();
    let Some(entry) = entries.find(|entry| entry.key() == Some(FOOTER_KEY)) else { return Ok(None) };
    let found = entry.value().unwrap_or_default();
    let start = found.as_ptr().addr() - file.as_ptr().addr();
    let place = start..start + found.len();
    if found.len() != NO_SUM.len() || start < from {
        return Err(Error::damaged(path, format!("the sum {found:?} of the footer"), "a sum"));
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update(&file[from..start]).update(NO_SUM.as_bytes()).update(&file[place.end..]);
    let sum = hasher.finalize().to_hex()[..NO_SUM.len()].to_owned();
    Ok(Some((place, found, sum)))
}

/// Fails unless the footer, from this byte on, is what was written.
fn expect_footer(path: &Path, file: &[u8], from: usize) -> Result<(), Error> {
    let damaged = |found: &str, expected: &str| Err(Error::damaged(path, found, expected));
    if from > file.len() {
        return damaged(&format!("{} bytes", file.len()), &format!("at least {from}"));
    }
    match footer_sum(path, file, from)? {
        Some((_, found, expected)) if found != expected => {
            damaged(&format!("checksum {found} of the footer"), &expected)
        }
        Some(_) => Ok(()),
        // A file of an older program has nothing that looks like a sum.
        None if memchr::memmem::find(&file[from..], FOOTER_KEY.as_bytes()).is_some() => {
            damaged("a footer without its checksum", "the checksum of the footer")
        }
        None => match footer_in(path, file)?.custom_metadata().map_or(0, |entries| entries.len()) {
            1 => Ok(()),
            num => damaged(&format!("{num} entries of metadata"), "one"),
        },
    }
}

fn footer_in<'m>(path: &Path, file: &'m [u8]) -> Result<Footer<'m>, Error> {
    let short = || Error::damaged(path, format!("{} bytes", file.len()), "an Arrow file");
    footer_of(path, file.len(), |range| file.get(range).ok_or_else(short))
}

/// Returns the text of the header.
fn header_text<'m>(path: &Path, map: &'m Mapped, what: &str) -> Result<&'m str, Error> {
    let footer = footer_in(path, map)?;
    let mut entries = footer.custom_metadata().into_iter().flatten();
    let entry = entries.find(|entry| entry.key() == Some(METADATA_KEY));
    let missing = || Error::damaged(path, "no entry “llamafur”", what);
    entry.and_then(|entry| entry.value()).ok_or_else(missing)
}

/// Opens the file with the sums in its header, or those at the place that the header gives.
fn checked(
    path: PathBuf,
    map: Mapped,
    summed: usize,
    blocks: &[String],
    in_file: Option<SumsInFile>,
) -> Result<CheckedMap, Error> {
    let sums = signed::sums_from_text(&path, blocks)?;
    match in_file {
        None => CheckedMap::new(path, map, 0..summed, BLOCK, sums),
        Some(SumsInFile { block_bytes, at }) => {
            CheckedMap::with_sums_in_file(path, map, summed, block_bytes, at as usize, sums)
        }
    }
}
