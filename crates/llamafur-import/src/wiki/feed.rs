//! The files of a dump, one after another, in units that other threads can work on.
//!
//! A bzip2 file is cut into blocks that are decoded elsewhere; gzip and zstd are decoded here, since their parts
//! depend on one another; a plain file needs no decoding.

use super::assemble::Gap;
use super::error::WikiError;
use crate::bzip2::{Candidate, Splitter};
use blake3::Hasher;
use flate2::read::MultiGzDecoder;
use llamafur::corpus::Input;
use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Bytes of a unit that needs no decoding.
const UNIT: usize = 1 << 20;
/// Room behind the bytes of a unit, for what is left over of the one before.
const ROOM: usize = 256 << 10;
/// Enough of a file to tell what it is.
const MAGIC: usize = 16;

/// The next of a file.
pub(crate) enum Unit {
    /// A file begins.
    Open(PathBuf),
    /// What may be a block of a bzip2 file.
    Block(Candidate),
    /// Bytes of the dump, from so many bytes on in the file.
    Bytes(Vec<u8>, u64),
    /// A part that cannot be read.
    Gap(Gap),
    /// The file is over.
    Close(Input),
}

/// The files of a dump.
pub(crate) struct Feed {
    files: VecDeque<PathBuf>,
    source: Option<Source>,
    read: Arc<Mutex<u64>>,
}

impl Feed {
    /// Looks at the files, so that a wrong name does not come to light after an hour.
    pub(crate) fn new(files: &[PathBuf]) -> Result<Feed, WikiError> {
        for (i, file) in files.iter().enumerate() {
            if files[..i].contains(file) {
                return Err(WikiError::Twice { file: file.clone() });
            }
            if !is_stdin(file) {
                expect_file(file)?;
            }
        }
        Ok(Feed { files: files.iter().cloned().collect(), source: None, read: Arc::default() })
    }

    /// All bytes of all files, if they can be known.
    pub(crate) fn total_bytes(&self) -> Option<u64> {
        self.files
            .iter()
            .map(|file| fs::metadata(file).ok().filter(fs::Metadata::is_file).map(|m| m.len()))
            .sum()
    }

    /// How many bytes were read so far.
    pub(crate) fn bytes_read(&self) -> u64 {
        *self.read.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// The next units, as many as asked for unless the files are over.
    pub(crate) fn next_units(&mut self, wanted: usize) -> Result<Vec<Unit>, WikiError> {
        let mut units = Vec::with_capacity(wanted);
        while units.len() < wanted {
            let Some(source) = &mut self.source else {
                let Some(file) = self.files.pop_front() else { break };
                self.source = Some(Source::open(&file, self.read.clone())?);
                units.push(Unit::Open(file));
                continue;
            };
            match source.next()? {
                Some(unit) => units.push(unit),
                None => {
                    let source = self.source.take();
                    units.extend(source.map(Source::close).transpose()?.map(Unit::Close));
                }
            }
        }
        Ok(units)
    }
}

fn is_stdin(file: &Path) -> bool {
    file == Path::new("-")
}

fn expect_file(file: &Path) -> Result<(), WikiError> {
    match fs::metadata(file) {
        Ok(metadata) if metadata.is_dir() => Err(WikiError::Folder { file: file.into() }),
        Ok(_) => Ok(()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Err(WikiError::NotFound { file: file.into() }),
        Err(cause) => Err(WikiError::Unreadable { file: file.into(), cause }),
    }
}

/// A file that is being read.
struct Source {
    path: PathBuf,
    tap: Tap,
    decoder: Decoder,
    /// A loss that comes after the last bytes given out.
    pending: Option<Gap>,
}

enum Decoder {
    Bzip2(Box<Splitter<Tap>>),
    Plain(Tap),
    Other(Box<dyn Read + Send>),
    Over,
}

impl Source {
    fn open(path: &Path, total: Arc<Mutex<u64>>) -> Result<Source, WikiError> {
        let unreadable = |cause| WikiError::Unreadable { file: path.into(), cause };
        let mut file: Box<dyn Read + Send> = if is_stdin(path) {
            Box::new(io::stdin())
        } else {
            Box::new(File::open(path).map_err(unreadable)?)
        };
        let mut magic = Vec::new();
        file.by_ref().take(MAGIC as u64).read_to_end(&mut magic).map_err(unreadable)?;
        let foreign = |found: &str, way_out| {
            Err(WikiError::Foreign { file: path.into(), found: found.into(), way_out })
        };
        let tap = Tap::new(Box::new(Cursor::new(magic.clone()).chain(file)), total);
        let buffered = || BufReader::with_capacity(256 << 10, tap.clone());
        let decoder = match &magic[..] {
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Decoder::Bzip2(Box::new(Splitter::new(tap.clone()))),
            [0x1F, 0x8B, ..] => Decoder::Other(Box::new(MultiGzDecoder::new(buffered()))),
            [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => {
                let mut decoder = zstd::Decoder::with_buffer(buffered()).map_err(unreadable)?;
                // Files made with --long have windows of up to 2 GiB.
                decoder.window_log_max(31).map_err(unreadable)?;
                Decoder::Other(Box::new(decoder))
            }
            [b'7', b'z', 0xBC, 0xAF, ..] => {
                return foreign(
                    "a 7z archive",
                    "unpack it into a pipe: 7z x -so FILE | llamafur import wiki - …",
                );
            }
            [0xFD, b'7', b'z', b'X', b'Z', ..] => {
                return foreign(
                    "an xz file",
                    "unpack it into a pipe: xz -dc FILE | llamafur import wiki - …",
                );
            }
            [b'P', b'K', 3, 4, ..] => {
                return foreign(
                    "a zip archive",
                    "unpack it into a pipe: unzip -p FILE | llamafur import wiki - …",
                );
            }
            _ => Decoder::Plain(tap.clone()),
        };
        Ok(Source { path: path.into(), tap, decoder, pending: None })
    }

    /// The next unit; `None` at the end.
    fn next(&mut self) -> Result<Option<Unit>, WikiError> {
        if let Some(gap) = self.pending.take() {
            return Ok(Some(Unit::Gap(gap)));
        }
        let at = self.tap.position();
        let (bytes, error) = match &mut self.decoder {
            Decoder::Bzip2(splitter) => {
                return match splitter.next_piece() {
                    Ok(candidate) => Ok(candidate.map(Unit::Block)),
                    Err(cause) => Err(self.unreadable(cause)),
                };
            }
            Decoder::Plain(tap) => read_unit(tap),
            Decoder::Other(decoder) => read_unit(decoder),
            Decoder::Over => return Ok(None),
        };
        if let Some(cause) = error {
            if self.tap.failed() {
                return Err(self.unreadable(cause));
            }
            // What came before the damage is good.
            self.decoder = Decoder::Over;
            let why = match cause.kind() {
                io::ErrorKind::UnexpectedEof => "the compressed data ends early".into(),
                _ => format!("the compressed data is damaged ({cause})"),
            };
            let from = self.tap.position();
            let to = self.tap.drain().map_err(|cause| self.unreadable(cause))?;
            self.pending = Some(Gap { from, to, why });
            return if bytes.is_empty() { self.next() } else { Ok(Some(Unit::Bytes(bytes, at))) };
        }
        Ok((!bytes.is_empty()).then_some(Unit::Bytes(bytes, at)))
    }

    fn unreadable(&self, cause: io::Error) -> WikiError {
        WikiError::Unreadable { file: self.path.clone(), cause }
    }

    fn close(self) -> Result<Input, WikiError> {
        let bytes = self.tap.drain().map_err(|cause| self.unreadable(cause))?;
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Input { role: "dump".into(), name, bytes, checksum: self.tap.checksum() })
    }
}

/// Reads as much as a unit has; an error comes with what was read before it.
fn read_unit(reader: &mut dyn Read) -> (Vec<u8>, Option<io::Error>) {
    let mut bytes = Vec::with_capacity(UNIT + ROOM);
    let error = reader.take(UNIT as u64).read_to_end(&mut bytes).err();
    (bytes, error)
}

/// Reads a file, and sums it up on the way.
#[derive(Clone)]
struct Tap(Arc<Mutex<Tapped>>);

struct Tapped {
    reader: Box<dyn Read + Send>,
    hasher: Hasher,
    bytes: u64,
    failed: bool,
    /// The bytes of all files.
    total: Arc<Mutex<u64>>,
}

impl Tap {
    fn new(reader: Box<dyn Read + Send>, total: Arc<Mutex<u64>>) -> Tap {
        Tap(Arc::new(Mutex::new(Tapped { reader, hasher: Hasher::new(), bytes: 0, failed: false, total })))
    }

    fn with<T>(&self, look: impl FnOnce(&mut Tapped) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    fn position(&self) -> u64 {
        self.with(|tapped| tapped.bytes)
    }

    fn failed(&self) -> bool {
        self.with(|tapped| tapped.failed)
    }

    fn checksum(&self) -> String {
        self.with(|tapped| tapped.hasher.finalize().to_hex().to_string())
    }

    /// Reads the rest, for the sum of the whole; gives the number of bytes.
    fn drain(&self) -> io::Result<u64> {
        io::copy(&mut self.clone(), &mut io::sink())?;
        Ok(self.position())
    }
}

impl Read for Tap {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.with(|tapped| {
            let read = tapped.reader.read(buffer);
            if let Err(error) = &read {
                tapped.failed |= error.kind() != io::ErrorKind::Interrupted;
            }
            let read = read?;
            tapped.hasher.update(&buffer[..read]);
            tapped.bytes += read as u64;
            *tapped.total.lock().unwrap_or_else(std::sync::PoisonError::into_inner) += read as u64;
            Ok(read)
        })
    }
}
