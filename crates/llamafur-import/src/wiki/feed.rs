//! The files of a dump, one after another, in units for other threads.
//!
//! A bzip2 file is cut into blocks that are decoded elsewhere; gzip and zstd are decoded here, since their parts
//! depend on one another; a plain file needs no decoding.

use super::assemble::Gap;
use super::error::WikiError;
use crate::bzip2::{Candidate, Splitter};
use crate::input::{self, Input as Decoder, InputError, Packing, Raw, Tap};
use llamafur::corpus::Input;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Bytes of a unit that needs no decoding.
const UNIT: usize = 1 << 20;
/// Capacity reserved behind the bytes of a unit, for the rest of the one before.
const ROOM: usize = 256 << 10;

/// A unit of work.
pub(crate) enum Unit {
    /// A file begins.
    Open(PathBuf),
    /// A possible block of a bzip2 file.
    Block(Candidate),
    /// Bytes of the dump, with their offset in the file.
    Bytes(Vec<u8>, u64),
    /// A part that cannot be read.
    Gap(Gap),
    /// The file has ended.
    Close(Input),
}

/// The files of a dump.
pub(crate) struct Feed {
    files: VecDeque<PathBuf>,
    source: Option<Source>,
    /// Number of bytes of the finished files.
    done: u64,
}

impl Feed {
    /// Checks the files, so that a wrong name is found before hours of reading.
    pub(crate) fn new(files: &[PathBuf]) -> Result<Feed, WikiError> {
        for (i, file) in files.iter().enumerate() {
            if files[..i].contains(file) {
                return Err(WikiError::Twice { file: file.clone() });
            }
            input::check(file)?;
        }
        Ok(Feed { files: files.iter().cloned().collect(), source: None, done: 0 })
    }

    /// Returns the size of all files, if it is known.
    pub(crate) fn total_bytes(&self) -> Option<u64> {
        self.files.iter().map(|file| input::size(file)).sum()
    }

    /// Counts the bytes read so far.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.done + self.source.as_ref().map_or(0, |source| source.tap.position())
    }

    /// Returns the next `wanted` units, fewer at the end of the files.
    pub(crate) fn next_units(&mut self, wanted: usize) -> Result<Vec<Unit>, WikiError> {
        let mut units = Vec::with_capacity(wanted);
        while units.len() < wanted {
            let Some(source) = &mut self.source else {
                let Some(file) = self.files.pop_front() else { break };
                self.source = Some(Source::open(&file)?);
                units.push(Unit::Open(file));
                continue;
            };
            match source.next()? {
                Some(unit) => units.push(unit),
                None => {
                    let input = self.source.take().map(Source::close).transpose()?;
                    self.done += input.as_ref().map_or(0, |input| input.bytes);
                    units.extend(input.map(Unit::Close));
                }
            }
        }
        Ok(units)
    }
}

/// A file that is being read.
pub(super) struct Source {
    path: PathBuf,
    tap: Tap,
    bytes: Bytes,
    /// A loss after the last bytes returned.
    pending: Option<Gap>,
}

enum Bytes {
    Blocks(Box<Splitter<Tap>>),
    Decoded(Decoder),
    Over,
}

impl Source {
    fn open(path: &Path) -> Result<Source, WikiError> {
        Source::new(Raw::open(path)?)
    }

    /// Reads an open file from its current position.
    pub(super) fn new(raw: Raw) -> Result<Source, WikiError> {
        let path = raw.path.clone();
        let tap = raw.tap.clone();
        let bytes = match raw.packing {
            Packing::Bzip2 => Bytes::Blocks(Box::new(Splitter::new(tap.clone()))),
            _ => Bytes::Decoded(raw.decode()?),
        };
        Ok(Source { path, tap, bytes, pending: None })
    }

    /// Returns the next unit; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Unit>, WikiError> {
        if let Some(gap) = self.pending.take() {
            return Ok(Some(Unit::Gap(gap)));
        }
        let at = self.tap.position();
        let (bytes, error, unpacked) = match &mut self.bytes {
            Bytes::Blocks(splitter) => {
                let block = splitter.next_piece().map_err(InputError::unreadable(&self.path))?;
                return Ok(block.map(Unit::Block));
            }
            Bytes::Decoded(decoder) => {
                let (bytes, error) = read_unit(decoder);
                (bytes, error, decoder.unpacked())
            }
            Bytes::Over => return Ok(None),
        };
        let Some(cause) = error else { return Ok((!bytes.is_empty()).then_some(Unit::Bytes(bytes, at))) };
        let unreadable = InputError::unreadable(&self.path);
        if self.tap.failed() {
            return Err(unreadable(cause).into());
        }
        let words = cause.to_string();
        let (from, why) = match cause.kind() {
            io::ErrorKind::UnexpectedEof => (self.tap.position(), "the compressed data ends early".into()),
            // The checksum of a file comes last: where it is wrong, so was something before it.
            _ if words.contains("checksum") => {
                (0, format!("the compressed data is damaged at a place that cannot be known ({words})"))
            }
            // What came before the damage is good.
            _ => (unpacked, format!("the compressed data is damaged, here or shortly before ({words})")),
        };
        let (to, _) = self.tap.finish().map_err(unreadable)?;
        self.pending = Some(Gap { from, to, why });
        self.bytes = Bytes::Over;
        if bytes.is_empty() { self.next() } else { Ok(Some(Unit::Bytes(bytes, at))) }
    }

    fn close(self) -> Result<Input, WikiError> {
        let (bytes, checksum) = self.tap.finish().map_err(InputError::unreadable(&self.path))?;
        Ok(Input { role: "dump".into(), name: input::name(&self.path), bytes, checksum })
    }
}

/// Reads the bytes of a unit; an error comes with the bytes read before it.
fn read_unit(reader: &mut dyn Read) -> (Vec<u8>, Option<io::Error>) {
    let mut bytes = Vec::with_capacity(UNIT + ROOM);
    let error = reader.take(UNIT as u64).read_to_end(&mut bytes).err();
    (bytes, error)
}
