//! Collects texts in any order, and returns them in the order of their titles.
//!
//! Texts wait in memory, in order of arrival, until there are enough of them; these are then sorted by title,
//! compressed in frames and appended to a temporary file as a *run*. In the end every run is read from its beginning to
//! its end, since the texts of a run are needed in the order that they have in it. So the file is written once and read
//! once, both sequentially. It is compressed by LZ4, which is faster than any level of zstd that saves as much, and
//! takes some two thirds of the texts' size. The last run, the only one of a small wiki, stays in memory.

use super::names::{Names, first_bytes};
use super::{GatherError, scratch};
use lz4_flex::block::{compress, decompress};
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Bytes of text in a run.
const RUN: usize = 384 << 20;
/// Bytes of text in a frame; while reading, one frame of each run is in memory.
const FRAME: usize = 256 << 10;
/// Frames that are compressed before they are written.
const FRAMES_AT_ONCE: usize = 64;
/// The run of a number that has no text.
const NONE: u32 = u32::MAX;
/// Bytes before each text: its number and its length, four bytes each.
const HEADER: usize = 8;

/// A collection of texts, each under the number of a name.
pub(crate) struct Texts {
    folder: PathBuf,
    file: File,
    end: u64,
    run_bytes: usize,
    /// The strings that contain the texts, and their bytes.
    held: Vec<String>,
    held_bytes: usize,
    entries: Vec<Entry>,
    runs: Vec<Vec<Frame>>,
    /// The run of each text.
    run_of: Vec<u32>,
}

/// A text in memory.
struct Entry {
    /// The first bytes of its title, which decide most comparisons.
    first: u64,
    number: u32,
    name: u32,
    /// Index of the string in `held` that contains the text, and the text's range in it.
    held: u32,
    text: Range<usize>,
}

impl Entry {
    fn text<'h>(&self, held: &'h [String]) -> &'h str {
        &held[self.held as usize][self.text.clone()]
    }
}

/// A compressed piece of a run.
#[derive(Debug, Clone, Copy)]
struct Frame {
    at: u64,
    packed: usize,
    bytes: usize,
}

impl Texts {
    /// Creates an empty collection.
    pub(crate) fn new(folder: &Path) -> Result<Texts, GatherError> {
        Texts::with_runs_of(RUN, folder)
    }

    fn with_runs_of(run_bytes: usize, folder: &Path) -> Result<Texts, GatherError> {
        Ok(Texts {
            folder: folder.into(),
            file: tempfile::tempfile_in(folder).map_err(scratch(folder))?,
            end: 0,
            run_bytes,
            held: Vec::new(),
            held_bytes: 0,
            entries: Vec::new(),
            runs: Vec::new(),
            run_of: Vec::new(),
        })
    }

    /// Takes a string that contains the next texts.
    pub(crate) fn hold(&mut self, text: String, names: &Names) -> Result<(), GatherError> {
        if !self.entries.is_empty() && self.held_bytes + text.len() > self.run_bytes {
            self.end_run(names)?;
        }
        self.held_bytes += text.len();
        self.held.push(text);
        Ok(())
    }

    /// Adds the text of a number, a part of the last string held; its title is a name of `names`. Returns `false` if
    /// the number has a text already.
    pub(crate) fn push(
        &mut self,
        number: u32,
        text: Range<usize>,
        name: u32,
        names: &Names,
    ) -> Result<bool, GatherError> {
        let at = number as usize;
        if self.run_of.len() <= at {
            self.run_of.resize(at + 1, NONE);
        }
        if self.run_of[at] != NONE {
            return Ok(false);
        }
        if u32::try_from(text.len()).is_err() {
            let error = io::Error::other(format!("a text of {} bytes is too long", text.len()));
            return Err(scratch(&self.folder)(error));
        }
        self.run_of[at] = self.runs.len() as u32;
        let (first, held) = (first_bytes(names.get(name)), self.held.len() as u32 - 1);
        self.entries.push(Entry { first, number, name, held, text });
        Ok(true)
    }

    fn sort(&mut self, names: &Names) {
        self.entries.par_sort_unstable_by(|a, b| {
            a.first.cmp(&b.first).then_with(|| names.get(a.name).cmp(names.get(b.name)))
        });
    }

    /// Sorts the held texts by title, and writes them.
    fn end_run(&mut self, names: &Names) -> Result<(), GatherError> {
        self.sort(names);
        let mut groups: Vec<Range<usize>> = Vec::new();
        let mut bytes = FRAME;
        for (i, entry) in self.entries.iter().enumerate() {
            if bytes >= FRAME {
                groups.push(i..i);
                bytes = 0;
            }
            bytes += HEADER + entry.text.len();
            if let Some(group) = groups.last_mut() {
                group.end = i + 1;
            }
        }
        let (held, entries) = (&self.held, &self.entries);
        let pack = |group: &Range<usize>| {
            let mut frame = Vec::with_capacity(2 * FRAME);
            for entry in &entries[group.clone()] {
                let text = entry.text(held);
                frame.extend_from_slice(bytemuck::bytes_of(&[entry.number, text.len() as u32]));
                frame.extend_from_slice(text.as_bytes());
            }
            (frame.len(), compress(&frame))
        };
        let mut frames = Vec::new();
        for groups in groups.chunks(FRAMES_AT_ONCE) {
            let packed: Vec<(usize, Vec<u8>)> = groups.par_iter().map(pack).collect();
            for (bytes, packed) in packed {
                self.file.write_all(&packed).map_err(scratch(&self.folder))?;
                frames.push(Frame { at: self.end, packed: packed.len(), bytes });
                self.end += packed.len() as u64;
            }
        }
        self.runs.push(frames);
        self.held.clear();
        self.held_bytes = 0;
        self.entries.clear();
        Ok(())
    }

    /// Returns a reader of the texts in the order of their titles.
    pub(crate) fn in_order(mut self, names: &Names) -> Result<OrderedTexts, GatherError> {
        self.sort(names);
        Ok(OrderedTexts {
            folder: self.folder,
            file: self.file,
            run_of: self.run_of,
            runs: self.runs.into_iter().map(RunReader::new).collect(),
            last: LastRun { held: self.held, entries: self.entries.into_iter() },
        })
    }
}

/// Texts that are read in the order of their titles.
pub(crate) struct OrderedTexts {
    folder: PathBuf,
    file: File,
    run_of: Vec<u32>,
    runs: Vec<RunReader>,
    last: LastRun,
}

impl OrderedTexts {
    /// Returns the text of a number, if it has one; its title must come after those of all earlier calls.
    pub(crate) fn get(&mut self, number: u32) -> Result<Option<&str>, GatherError> {
        let text = match self.run_of.get(number as usize) {
            None | Some(&NONE) => return Ok(None),
            Some(&run) => match self.runs.get_mut(run as usize) {
                Some(run) => run.read(number, &mut self.file),
                None => self.last.read(number),
            },
        };
        text.map(Some).map_err(|cause| scratch(&self.folder)(cause))
    }
}

/// The run that is still in memory.
struct LastRun {
    held: Vec<String>,
    entries: std::vec::IntoIter<Entry>,
}

impl LastRun {
    /// Returns the text of a number; those before it are skipped.
    fn read(&mut self, wanted: u32) -> io::Result<&str> {
        let entry = self.entries.find(|entry| entry.number == wanted).ok_or_else(misplaced)?;
        Ok(entry.text(&self.held))
    }
}

fn misplaced() -> io::Error {
    io::Error::other("a text is not where it was put")
}

/// A run that is being read from disk.
struct RunReader {
    frames: std::vec::IntoIter<Frame>,
    frame: Vec<u8>,
    at: usize,
}

impl RunReader {
    fn new(frames: Vec<Frame>) -> RunReader {
        RunReader { frames: frames.into_iter(), frame: Vec::new(), at: 0 }
    }

    /// Returns the text of a number; those before it are skipped.
    fn read(&mut self, wanted: u32, file: &mut File) -> io::Result<&str> {
        loop {
            if self.at == self.frame.len() {
                let frame = self.frames.next().ok_or_else(misplaced)?;
                let mut packed = vec![0; frame.packed];
                file.seek(SeekFrom::Start(frame.at))?;
                file.read_exact(&mut packed)?;
                self.frame = decompress(&packed, frame.bytes).map_err(io::Error::other)?;
                self.at = 0;
            }
            let header = self.frame.get(self.at..self.at + HEADER).ok_or(io::ErrorKind::UnexpectedEof)?;
            let [number, length]: [u32; 2] = bytemuck::pod_read_unaligned(header);
            let start = self.at + HEADER;
            self.at = start + length as usize;
            if number == wanted {
                let text = self.frame.get(start..self.at).ok_or(io::ErrorKind::UnexpectedEof)?;
                return simdutf8::basic::from_utf8(text).map_err(io::Error::other);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn texts_come_back_in_the_order_of_their_titles(
            texts in prop::collection::vec(prop::option::weighted(0.8, "[a-zé]{0,9}"), 0..40),
            run_bytes in 1usize..60,
            dropped in prop::collection::vec(any::<bool>(), 40),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let mut names = Names::default();
            let mut gathered = Texts::with_runs_of(run_bytes, folder.path()).unwrap();
            for (number, text) in (0u32..).zip(&texts) {
                let name = names.intern(&format!("title {}", number.wrapping_mul(2_654_435_761))).unwrap();
                if let Some(text) = text {
                    let held = format!("{text} again");
                    gathered.hold(held, &names).unwrap();
                    prop_assert!(gathered.push(number, 0..text.len(), name, &names).unwrap());
                    prop_assert!(!gathered.push(number, text.len()..text.len() + 6, name, &names).unwrap());
                }
            }
            let mut order: Vec<u32> = (0..texts.len() as u32).filter(|&n| !dropped[n as usize]).collect();
            order.sort_by_key(|&number| names.get(number).to_vec());
            let mut ordered = gathered.in_order(&names).unwrap();
            let found: Vec<Option<String>> =
                order.iter().map(|&number| ordered.get(number).unwrap().map(str::to_owned)).collect();
            let expected: Vec<Option<String>> = order.iter().map(|&number| texts[number as usize].clone()).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
