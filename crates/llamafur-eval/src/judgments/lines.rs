//! The lines of a file, packed or not, with their numbers.

use super::error::JudgmentError;
use flate2::read::MultiGzDecoder;
use llamafur::progress::{Progress, Task};
use std::cell::Cell;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::rc::Rc;

/// The longest a line may be, in bytes.
const LONGEST_LINE: u64 = 16 << 20;

/// Progress is told once in so many lines.
const LINES_A_STEP: u64 = 4096;

/// Lines, one after the other.
pub(super) struct Lines<'a> {
    path: &'a Path,
    input: Box<dyn BufRead>,
    /// How many were read from the input.
    read: u64,
    buffer: Vec<u8>,
    /// Lines that were looked at ahead of time.
    ahead: VecDeque<(u64, String)>,
    progress: &'a mut dyn Progress,
    /// Bytes taken from the disk, and those told of.
    taken: Rc<Cell<u64>>,
    told: u64,
}

struct Counted {
    file: File,
    taken: Rc<Cell<u64>>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let num = self.file.read(buffer)?;
        self.taken.set(self.taken.get() + num as u64);
        Ok(num)
    }
}

impl<'a> Lines<'a> {
    /// Opens a file, which is unpacked if its name ends in `.gz`.
    pub fn open(path: &'a Path, progress: &'a mut dyn Progress) -> Result<Lines<'a>, JudgmentError> {
        let failed = |cause| JudgmentError::Io { path: path.into(), cause };
        let file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        let taken = Rc::new(Cell::new(0));
        let counted = Counted { file, taken: Rc::clone(&taken) };
        let is_packed = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
        let input: Box<dyn BufRead> = if is_packed {
            Box::new(BufReader::new(MultiGzDecoder::new(BufReader::new(counted))))
        } else {
            Box::new(BufReader::new(counted))
        };
        progress.start_bytes(Task::ReadJudgments, metadata.is_file().then_some(metadata.len()));
        Ok(Lines {
            path,
            input,
            read: 0,
            buffer: Vec::new(),
            ahead: VecDeque::new(),
            progress,
            taken,
            told: 0,
        })
    }

    /// Puts the next line in `line`, without its end, and gives its number; `None` at the end.
    pub fn next(&mut self, line: &mut String) -> Result<Option<u64>, JudgmentError> {
        line.clear();
        if let Some((number, text)) = self.ahead.pop_front() {
            line.push_str(&text);
            return Ok(Some(number));
        }
        self.read_into(line)
    }

    /// Adds up to `most` further lines until the record is complete; none at all if it then still is not.
    pub fn complete(
        &mut self,
        record: &mut String,
        most: usize,
        is_complete: impl Fn(&str) -> bool,
    ) -> Result<(), JudgmentError> {
        if is_complete(record) {
            return Ok(());
        }
        let mut longer = record.clone();
        for i in 0..most {
            if i == self.ahead.len() {
                let mut line = String::new();
                let Some(number) = self.read_into(&mut line)? else { return Ok(()) };
                self.ahead.push_back((number, line));
            }
            longer.push('\n');
            longer.push_str(&self.ahead[i].1);
            // Only a line with a quote can bring the end.
            if self.ahead[i].1.contains('"') && is_complete(&longer) {
                *record = longer;
                self.ahead.drain(..=i);
                return Ok(());
            }
        }
        Ok(())
    }

    /// Tells of the last bytes.
    pub fn finish(&mut self) {
        self.tell();
        self.progress.finish();
    }

    fn tell(&mut self) {
        self.progress.advance(self.taken.get() - self.told);
        self.told = self.taken.get();
    }

    fn read_into(&mut self, line: &mut String) -> Result<Option<u64>, JudgmentError> {
        self.buffer.clear();
        let mut limited = self.input.by_ref().take(LONGEST_LINE);
        let num = limited.read_until(b'\n', &mut self.buffer);
        let num = num.map_err(|cause| JudgmentError::Io { path: self.path.into(), cause })?;
        if num == 0 {
            return Ok(None);
        }
        self.read += 1;
        if self.read.is_multiple_of(LINES_A_STEP) {
            self.tell();
        }
        let number = self.read;
        if num as u64 == LONGEST_LINE && !self.buffer.ends_with(b"\n") {
            return Err(JudgmentError::LongLine {
                path: self.path.into(),
                line: number,
                limit: LONGEST_LINE,
            });
        }
        let text = std::str::from_utf8(&self.buffer);
        let text = text.map_err(|_| JudgmentError::NotUtf8 { path: self.path.into(), line: number })?;
        let text = if number == 1 { text.strip_prefix('\u{feff}').unwrap_or(text) } else { text };
        let text = text.strip_suffix('\n').unwrap_or(text);
        line.push_str(text.strip_suffix('\r').unwrap_or(text));
        Ok(Some(number))
    }
}
