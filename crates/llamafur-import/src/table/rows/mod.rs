//! Reads the rows of one table in any format, and passes on the good ones.
//!
//! Each format has a reader that splits a file into rows and picks the columns; all of them feed one
//! [`Intake`], which checks the values, counts them, and passes the rows on.

#[cfg(feature = "arrow")]
mod batches;
mod delimited;
mod json;
mod lines;
#[cfg(feature = "parquet")]
mod parquet;

#[cfg(feature = "parquet")]
pub use parquet::is_decoding;

/// Returns whether this thread is inside a decoder whose panics are caught; without Parquet there is none.
#[cfg(not(feature = "parquet"))]
pub fn is_decoding() -> bool {
    false
}

use super::account::{BadRow, EXAMPLES, Place, Reason, TableAccount};
use super::conf::{LONGEST_NAME, Mode, Table, TableConf};
use super::error::ImportError;
use super::source::{self, Format, Source};
use crate::input::{self, InputError};
use llamafur::Remedy;
use llamafur::corpus::Input;
use llamafur::progress::{Progress, Task};
use std::path::Path;

/// Number of rows below which most may be bad, as long as one is good.
const FEW: u64 = 1000;
/// Number of rows after which a file is rejected if most of them are bad.
const MANY: u64 = 10_000;

/// A table that has been read: its counts, and the file on disk.
pub(crate) struct Read {
    pub(crate) account: TableAccount,
    pub(crate) input: Input,
}

/// Reads the file of a table, if one was given, and calls `accept` with the `N` values of each good row.
pub(crate) fn read<const N: usize>(
    table: Table,
    conf: &TableConf,
    progress: &mut dyn Progress,
    accept: impl FnMut([&str; N]) -> Result<(), ImportError>,
) -> Result<Option<Read>, ImportError> {
    debug_assert_eq!(table.columns().len(), N);
    let Some(path) = conf.file_of(table) else { return Ok(None) };
    let name = input::name(path);
    let account = TableAccount::new(table, name.clone());
    let (mode, format) = (conf.mode, "a frame");
    let mut intake = Intake { table, path, mode, account, format, first_row: Vec::new(), accept };
    let asked = conf.columns_of(table);
    #[cfg(feature = "arrow")]
    if let Some(frame) = conf.frame_of(table) {
        progress.start(Task::ReadTable { name: name.clone() }, None);
        let sums = batches::read_frame(frame, progress, asked, &mut intake)?;
        progress.finish();
        return intake.finish(name, sums).map(Some);
    }
    progress.start_bytes(Task::ReadTable { name: name.clone() }, input::size(path));
    let sums = match source::open(table, path, conf, progress)? {
        Source::Text(mut text) => {
            intake.account.comments = text.comments;
            let format = text.format;
            intake.format = format.name();
            match format {
                Format::Csv(delimiter) => delimited::read_csv(&mut text, delimiter, asked, &mut intake)?,
                Format::Json => json::read(&mut text, asked, &mut intake)?,
                Format::Tsv | Format::Parquet => delimited::read_tsv(&mut text, asked, &mut intake)?,
            }
            text.finish()
        }
        #[cfg(feature = "parquet")]
        Source::Parquet(tap, progress) => {
            intake.format = Format::Parquet.name();
            parquet::read(progress, asked, &mut intake)?;
            tap.finish()
        }
    };
    let sums = sums.map_err(InputError::unreadable(path))?;
    progress.finish();
    intake.finish(name, sums).map(Some)
}

/// Returns the setting that would read a first row with too many columns, or with another delimiter.
fn other_setting(table: Table, first_row: &[String]) -> Option<Remedy> {
    let wanted = table.columns().len();
    match first_row {
        [line] if wanted == 2 => {
            let found = [';', '\t', '|', ',', ' '].into_iter().find(|&c| line.matches(c).count() == 1)?;
            let delimiter = if found == '\t' { "tab".to_owned() } else { found.to_string() };
            Some(Remedy::set("delimiter", delimiter))
        }
        row if row.len() > wanted => {
            let columns = ["1", "1,2"][wanted - 1];
            Some(Remedy::set("columns", format!("{}={columns}", table.name())))
        }
        _ => None,
    }
}

/// A checker and counter of rows.
struct Intake<'a, const N: usize, F> {
    table: Table,
    path: &'a Path,
    mode: Mode,
    account: TableAccount,
    /// The name of the format.
    format: &'static str,
    /// The first row of a text file.
    first_row: Vec<String>,
    accept: F,
}

impl<const N: usize, F: FnMut([&str; N]) -> Result<(), ImportError>> Intake<'_, N, F> {
    /// Returns whether a column may hold a list, each value of which is a row of its own.
    fn may_be_list(&self) -> bool {
        self.table != Table::Text
    }

    /// Returns the table read, unless too few of its rows can be used.
    fn finish(self, name: String, (bytes, checksum): (u64, String)) -> Result<Read, ImportError> {
        let TableAccount { rows, bad, .. } = self.account;
        if rows > 0 && bad == rows || rows >= FEW && self.is_mostly_bad() {
            return Err(self.no_table());
        }
        let role = self.table.name().into();
        Ok(Read { account: self.account, input: Input { role, name, bytes, checksum } })
    }

    /// Returns whether most rows so far are bad.
    fn is_mostly_bad(&self) -> bool {
        self.account.bad > self.account.rows / 2
    }

    /// Returns the error for a file most of whose rows are bad.
    fn no_table(&self) -> ImportError {
        let TableAccount { rows, bad, .. } = self.account;
        ImportError::NoUsableRow {
            file: self.path.into(),
            rows,
            bad,
            reasons: self.account.reasons(),
            format: self.format,
            setting: other_setting(self.table, &self.first_row),
        }
    }

    /// Checks the values of a row and accepts or rejects it.
    #[inline]
    fn take(&mut self, place: Place, values: [&[u8]; N]) -> Result<(), ImportError> {
        let mut row = [""; N];
        for (i, value) in values.into_iter().enumerate() {
            match self.check(i, value) {
                Ok(value) => row[i] = value,
                Err(reason) => return self.reject(place, reason),
            }
        }
        self.account.rows += 1;
        (self.accept)(row)
    }

    /// Counts a bad row.
    #[cold]
    fn reject(&mut self, place: Place, reason: Reason) -> Result<(), ImportError> {
        if self.mode == Mode::Strict {
            return Err(ImportError::BadRow { file: self.path.into(), place, reason });
        }
        self.account.rows += 1;
        self.account.bad += 1;
        if self.account.examples.len() < EXAMPLES {
            self.account.examples.push(BadRow { place, reason });
        }
        match self.account.rows {
            MANY if self.is_mostly_bad() => Err(self.no_table()),
            _ => Ok(()),
        }
    }

    #[inline]
    fn check<'v>(&self, column: usize, value: &'v [u8]) -> Result<&'v str, Reason> {
        let text = std::str::from_utf8(value).map_err(|_| Reason::NotUtf8)?;
        if self.table == Table::Text && column == 1 {
            return Ok(text);
        }
        let name = trimmed(text);
        let column = || self.table.columns()[column];
        if name.is_empty() {
            return Err(Reason::Empty { column: column() });
        }
        if name.len() > LONGEST_NAME {
            return Err(Reason::LongName { column: column(), bytes: name.len(), limit: LONGEST_NAME });
        }
        match name.bytes().find(|byte| byte.is_ascii_control()) {
            Some(byte) => Err(Reason::Control { column: column(), character: byte.into() }),
            None => Ok(name),
        }
    }
}

/// Trims like [`str::trim`], immediately for names that begin and end with a visible ASCII character.
#[inline]
fn trimmed(text: &str) -> &str {
    match text.as_bytes() {
        [b'!'..=b'~'] | [b'!'..=b'~', .., b'!'..=b'~'] => text,
        _ => text.trim(),
    }
}
