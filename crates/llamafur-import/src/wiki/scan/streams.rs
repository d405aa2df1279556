//! Reads the bytes that belong to a split.
//!
//! For a plain file these are the bytes of its range. For a bzip2 file they are the streams that begin in its range:
//! from the first header at or after its start up to the first header at or after its end. The next split finds its
//! beginning by the same rule, so every stream belongs to one split, whatever the ranges are.

use super::Split;
use crate::bzip2::Mark;
use crate::input::Packing;
use memchr::memmem;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

/// Length of a stream's header, `BZh` and a digit, and the mark of a block or of the stream's end.
const HEADER: usize = 4 + 6;
/// Number of bytes read at a time within the split.
const READ: u64 = 4 << 20;
/// Number of bytes read at a time after its end.
const READ_AFTER: u64 = 256 << 10;

/// A reader of the bytes that belong to a split. Clones share the position.
#[derive(Clone)]
pub(super) struct Streams(Arc<Mutex<Bytes>>);

struct Bytes {
    reader: Box<dyn Read + Send>,
    packing: Packing,
    /// Bytes read but not returned yet.
    held: Vec<u8>,
    /// Offset of `held` in the file.
    at: u64,
    /// Offset from which streams belong to other splits.
    end: u64,
    /// True at the end of the file.
    at_end: bool,
    /// True if bytes after the split were reached.
    has_more: bool,
}

impl Streams {
    /// Finds the streams of a split in a reader at the split's start; returns `None` if none begins in it.
    pub(super) fn of(split: &Split, reader: impl Read + Send + 'static) -> io::Result<Option<Streams>> {
        let mut bytes = Bytes {
            reader: Box::new(reader),
            packing: split.packing,
            held: Vec::new(),
            at: split.start,
            end: split.end,
            at_end: false,
            has_more: false,
        };
        // The beginning of a file belongs to its first split, whatever is there.
        let is_any = split.start == 0 || split.packing != Packing::Bzip2 || bytes.find_first()?;
        Ok(is_any.then(|| Streams(Arc::new(Mutex::new(bytes)))))
    }

    fn with<T>(&self, f: impl FnOnce(&mut Bytes) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the offset of the next byte in the file.
    pub(super) fn position(&self) -> u64 {
        self.with(|bytes| bytes.at)
    }

    /// Returns whether the file continues after the bytes read.
    pub(super) fn has_more(&self) -> bool {
        self.with(|bytes| bytes.has_more)
    }

    /// Continues after the split's end.
    pub(super) fn go_on(&self) {
        self.with(|bytes| bytes.end = u64::MAX);
    }
}

impl Read for Streams {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.with(|bytes| bytes.read(buffer))
    }
}

impl Bytes {
    /// Skips to the first header; returns `false` if there is none before the split's end.
    fn find_first(&mut self) -> io::Result<bool> {
        loop {
            if let Some(place) = find_header(&self.held) {
                self.forget(place);
                return Ok(self.at < self.end);
            }
            // A header may have begun.
            self.forget(self.held.len().saturating_sub(HEADER - 1));
            if self.at_end || self.at >= self.end {
                return Ok(false);
            }
            self.fill()?;
        }
    }

    fn forget(&mut self, bytes: usize) {
        self.held.drain(..bytes);
        self.at += bytes as u64;
    }

    fn fill(&mut self) -> io::Result<()> {
        let left = self.end.saturating_sub(self.at + self.held.len() as u64);
        let wanted = (left + HEADER as u64).min(READ).max(if left == 0 { READ_AFTER } else { 0 });
        let got = self.reader.by_ref().take(wanted).read_to_end(&mut self.held)?;
        self.at_end = got == 0;
        Ok(())
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let owned = self.owned();
            if owned > 0 || self.has_more || self.at_end {
                let read = (&self.held[..owned]).read(buffer)?;
                self.forget(read);
                return Ok(read);
            }
            self.fill()?;
        }
    }

    /// Counts the held bytes that certainly belong to the split.
    fn owned(&mut self) -> usize {
        let before_end =
            usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX).min(self.held.len());
        self.has_more = false;
        if before_end > 0 {
            return before_end;
        }
        if self.packing != Packing::Bzip2 {
            self.has_more = !self.held.is_empty();
            return 0;
        }
        match find_header(&self.held) {
            Some(place) => {
                self.has_more = place == 0;
                place
            }
            None if self.at_end => self.held.len(),
            None => self.held.len().saturating_sub(HEADER - 1),
        }
    }
}

/// Returns the place at which the first stream begins.
fn find_header(bytes: &[u8]) -> Option<usize> {
    let marks = [Mark::Block, Mark::End].map(|mark| mark.magic().to_be_bytes());
    memmem::find_iter(bytes, b"BZh").find(|&at| {
        let header = bytes.get(at + 3..at + HEADER);
        header.is_some_and(|rest| {
            rest[0].is_ascii_digit() && rest[0] != b'0' && marks.iter().any(|mark| rest[1..] == mark[2..])
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &[u8] = b"BZh9\x31\x41\x59\x26\x53\x59";
    const EMPTY: &[u8] = b"BZh1\x17\x72\x45\x38\x50\x90";

    /// Returns the bytes of each split of `split_bytes` bytes, and whether the file continues after it.
    fn owned(file: &[u8], packing: Packing, step: usize) -> Vec<(Vec<u8>, bool)> {
        let mut all = Vec::new();
        for start in (0..file.len()).step_by(step) {
            let end = (start + step).min(file.len()) as u64;
            let split = Split { start: start as u64, end, packing, ..Split::whole("x".as_ref(), 0) };
            let streams = Streams::of(&split, io::Cursor::new(file[start..].to_vec())).unwrap();
            let Some(mut streams) = streams else { continue };
            let mut bytes = Vec::new();
            streams.read_to_end(&mut bytes).unwrap();
            assert_eq!(
                streams.position() as usize,
                all.iter().map(|(b, _): &(Vec<u8>, _)| b.len()).sum::<usize>() + bytes.len()
            );
            all.push((bytes, streams.has_more()));
        }
        all
    }

    #[test]
    fn every_stream_has_one_owner_whatever_the_ranges() {
        let file = [STREAM, b"aaa", EMPTY, b"b", STREAM, b"BZh9 is no header", STREAM].concat();
        for step in 1..=file.len() {
            let owned = owned(&file, Packing::Bzip2, step);
            assert_eq!(
                owned.iter().flat_map(|(bytes, _)| bytes.clone()).collect::<Vec<u8>>(),
                file,
                "{step}"
            );
            assert!(owned.iter().all(|(bytes, _)| find_header(bytes) == Some(0)), "{step}");
            let (last, others) = owned.split_last().unwrap();
            assert!(!last.1 && others.iter().all(|(_, has_more)| *has_more), "{step}");
        }
        assert_eq!(owned(&file, Packing::Bzip2, 1).len(), 4);
    }

    #[test]
    fn a_plain_file_is_cut_where_the_ranges_end() {
        let owned = owned(b"abcdefgh", Packing::None, 3);
        let expected = [(&b"abc"[..], true), (b"def", true), (b"gh", false)];
        assert_eq!(owned, expected.map(|(bytes, more)| (bytes.to_vec(), more)));
    }

    #[test]
    fn what_follows_the_split_can_be_read_on() {
        let file = [STREAM, b"a", STREAM, b"b"].concat();
        let split =
            Split { end: 5, packing: Packing::Bzip2, ..Split::whole("x".as_ref(), file.len() as u64) };
        let mut streams = Streams::of(&split, io::Cursor::new(file)).unwrap().unwrap();
        let mut bytes = Vec::new();
        streams.read_to_end(&mut bytes).unwrap();
        assert_eq!((bytes.len(), streams.position(), streams.has_more()), (11, 11, true));
        streams.go_on();
        streams.read_to_end(&mut bytes).unwrap();
        assert_eq!((bytes.len(), streams.position()), (22, 22));
    }
}
