//! TSV and CSV: the first row may be a header, and it sets the number of columns.
//!
//! In TSV a tab always ends a column and a line break a row: quotes are ordinary characters. CSV is read by the crate
//! `csv` according to RFC 4180, also with another delimiter.

use super::super::account::{Place, Reason};
use super::super::conf::Columns;
use super::super::error::ImportError;
use super::super::header::Layout;
use super::super::source::Text;
use super::{Intake, lines};
use std::collections::VecDeque;
use std::io::{self, Read};

/// Reads tab-separated rows.
pub(super) fn read_tsv<const N: usize>(
    text: &mut Text<'_>,
    asked: Option<&Columns>,
    intake: &mut Intake<'_, N, impl FnMut([&str; N]) -> Result<(), ImportError>>,
) -> Result<(), ImportError> {
    let mut layout = None;
    let mut ends = Vec::new();
    let (path, limit) = (intake.path, text.longest);
    lines::for_each(text, path, |number, line| {
        let Some(line) = line else { return intake.reject(Place::Line(number), Reason::LongRow { limit }) };
        ends.clear();
        ends.extend(memchr::memchr_iter(b'\t', line));
        ends.push(line.len());
        let get = |i: usize| &line[if i == 0 { 0 } else { ends[i - 1] + 1 }..ends[i]];
        row(number, ends.len(), get, &mut layout, asked, intake)
    })
}

/// Reads rows whose columns may be quoted.
pub(super) fn read_csv<const N: usize>(
    text: &mut Text<'_>,
    delimiter: u8,
    asked: Option<&Columns>,
    intake: &mut Intake<'_, N, impl FnMut([&str; N]) -> Result<(), ImportError>>,
) -> Result<(), ImportError> {
    let mut layout = None;
    let mut last_line = text.lines;
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .delimiter(delimiter)
        .flexible(true)
        .buffer_capacity(256 << 10)
        .from_reader(Numbered::new(text));
    let mut record = csv::ByteRecord::new();
    let error = loop {
        match reader.read_byte_record(&mut record) {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(error) => break error,
        }
        let start = record.position().map_or(0, csv::Position::byte);
        last_line = reader.get_mut().line_at(start);
        let get = |i: usize| record.get(i).unwrap_or_default();
        row(last_line, record.len(), get, &mut layout, asked, intake)?;
    };
    let too_long = reader.get_ref().is_too_long();
    match error.into_kind() {
        _ if too_long => {
            let (file, format) = (intake.path.into(), text.format.name());
            Err(ImportError::LongLine { file, line: last_line + 1, limit: text.longest, format })
        }
        csv::ErrorKind::Io(error) => Err(text.failure(intake.path, last_line, error)),
        other => Err(text.failure(intake.path, last_line, io::Error::other(format!("{other:?}")))),
    }
}

/// Takes a row of `len` columns; the first one determines the layout.
#[inline]
fn row<'r, const N: usize>(
    line: u64,
    len: usize,
    get: impl Fn(usize) -> &'r [u8],
    layout: &mut Option<Layout<N>>,
    asked: Option<&Columns>,
    intake: &mut Intake<'_, N, impl FnMut([&str; N]) -> Result<(), ImportError>>,
) -> Result<(), ImportError> {
    if len == 1 && get(0).trim_ascii().is_empty() {
        return Ok(());
    }
    let layout = match layout {
        Some(layout) => layout,
        none => {
            let columns: Result<Vec<&str>, _> = (0..len).map(|i| std::str::from_utf8(get(i))).collect();
            let Ok(columns) = columns else { return intake.reject(Place::Line(line), Reason::NotUtf8) };
            intake.first_row = columns.iter().map(|&column| column.to_owned()).collect();
            let found = none.insert(Layout::from_first_row(intake.table, asked, &columns, intake.path)?);
            if found.header.is_some() {
                intake.account.header.clone_from(&found.header);
                intake.account.is_other_header = found.is_other_header;
                return Ok(());
            }
            found
        }
    };
    match layout.pick(len, get) {
        Ok(values) => intake.take(Place::Line(line), values),
        Err(reason) => intake.reject(Place::Line(line), reason),
    }
}

/// Records where lines begin, because the CSV reader's own count is late after CRLF and blank lines.
struct Numbered<'t, 'p> {
    text: &'t mut Text<'p>,
    /// Number of bytes returned.
    bytes: u64,
    lines: u64,
    /// True while the line has been blank so far.
    at_start: bool,
    /// Offsets and numbers of the lines that are not blank, from the last row on.
    starts: VecDeque<(u64, u64)>,
    row_start: u64,
}

impl<'t, 'p> Numbered<'t, 'p> {
    fn new(text: &'t mut Text<'p>) -> Self {
        let lines = text.lines;
        Numbered { text, bytes: 0, lines, at_start: true, starts: VecDeque::new(), row_start: 0 }
    }

    /// Returns the number of the first line that is not blank at or after this byte.
    fn line_at(&mut self, byte: u64) -> u64 {
        self.row_start = byte;
        while self.starts.front().is_some_and(|(start, _)| *start < byte) {
            self.starts.pop_front();
        }
        self.starts.front().map_or(self.lines + 1, |(_, line)| *line)
    }

    fn is_too_long(&self) -> bool {
        self.bytes - self.row_start > self.text.longest as u64
    }
}

impl Read for Numbered<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_too_long() {
            return Err(io::Error::other("a row without end"));
        }
        let read = self.text.read(buffer)?;
        let mut at = 0;
        while at < read {
            if self.at_start {
                match buffer[at] {
                    b'\n' => self.lines += 1,
                    b'\r' => {}
                    _ => {
                        self.starts.push_back((self.bytes + at as u64, self.lines + 1));
                        self.at_start = false;
                        continue;
                    }
                }
                at += 1;
            } else if let Some(end) = memchr::memchr(b'\n', &buffer[at..read]) {
                self.lines += 1;
                self.at_start = true;
                at += end + 1;
            } else {
                at = read;
            }
        }
        self.bytes += read as u64;
        Ok(read)
    }
}
