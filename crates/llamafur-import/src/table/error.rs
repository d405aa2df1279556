//! What can go wrong in an import, said with the place and the way out.

use super::account::{Place, Reason};
use crate::gather::GatherError;
use llamafur::corpus::CorpusError;
use std::io;
use std::path::PathBuf;

/// Why an import failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// There is no file of that name.
    #[error("{}: no such file; check the name and the folder", file.display())]
    NotFound {
        /// The file asked for.
        file: PathBuf,
    },
    /// A folder stands where a file was expected.
    #[error("{}: a folder where a table was expected; name one file in it", file.display())]
    Folder {
        /// The folder.
        file: PathBuf,
    },
    /// The system would not let us read the file.
    #[error("{}: cannot be read ({cause}); check the permissions and the disk", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// The compressed data end in the middle.
    #[error(
        "{}: the compressed data ends early{}: the file is probably cut off; fetch or make it again",
        file.display(),
        after(*last_line)
    )]
    CutOff {
        /// The file.
        file: PathBuf,
        /// The last whole line before the end, 0 if there was none.
        last_line: u64,
    },
    /// The compressed data are not what the format allows.
    #[error(
        "{}: the compressed data is damaged{} ({detail}); fetch or make the file again",
        file.display(),
        after(*last_line)
    )]
    Damaged {
        /// The file.
        file: PathBuf,
        /// The last whole line before the damage, 0 if there was none.
        last_line: u64,
        /// What the decoder said.
        detail: String,
    },
    /// The file is in a format that is not read here.
    #[error("{}: {found}; {way_out}", file.display())]
    Foreign {
        /// The file.
        file: PathBuf,
        /// What it looks like.
        found: String,
        /// What to do about it.
        way_out: &'static str,
    },
    /// A Parquet file could not be decoded.
    #[error("{}: not a whole Parquet file, or a damaged one ({detail}); fetch or make it again", file.display())]
    Parquet {
        /// The file.
        file: PathBuf,
        /// What the decoder said.
        detail: String,
    },
    /// One line is longer than any name could be.
    #[error("{}: line {line} is longer than {limit} bytes; is this really a {format} file?", file.display())]
    LongLine {
        /// The file.
        file: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// The longest line that is read.
        limit: usize,
        /// The format the file was taken for.
        format: &'static str,
    },
    /// A row is bad, and bad rows were not to be skipped.
    #[error("{}: {place}: {reason}; correct it, or leave out --strict to skip such rows", file.display())]
    BadRow {
        /// The file.
        file: PathBuf,
        /// Where the row is.
        place: Place,
        /// What is wrong with it.
        reason: Reason,
    },
    /// The columns asked for are not there, or cannot be told from one another.
    #[error(
        "{}: {problem}; found: {}; name the columns with --columns {table}={wanted}",
        file.display(),
        listed(found)
    )]
    NoSuchColumn {
        /// The file.
        file: PathBuf,
        /// What is missing.
        problem: String,
        /// The columns that are there.
        found: Vec<String>,
        /// The table's name.
        table: &'static str,
        /// The columns that table needs, as they would be written.
        wanted: String,
    },
    /// A choice of columns could not be understood.
    #[error("columns {given:?}: {problem}; write them as links=SOURCE,TARGET, with names or numbers from 1")]
    BadColumns {
        /// The choice as given.
        given: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Every row was bad.
    #[error("{}: none of its {rows} rows can be used ({reasons}); is this really a {format} file?", file.display())]
    NoUsableRow {
        /// The file.
        file: PathBuf,
        /// How many rows it has.
        rows: u64,
        /// The first few reasons with their places.
        reasons: String,
        /// The format the file was taken for.
        format: &'static str,
    },
    /// A file that must have rows has none.
    #[error("{}: holds no row; {way_out}", file.display())]
    NoRow {
        /// The file.
        file: PathBuf,
        /// What to do about it.
        way_out: &'static str,
    },
    /// The pages of the categories and those of the links have nothing in common.
    #[error(
        "none of the {pages} pages of {} is in {}: the categories speak of {}, the links of {}; {hint}",
        categories.display(),
        links.display(),
        quoted(category_examples),
        quoted(link_examples)
    )]
    NoOverlap {
        /// The table of links.
        links: PathBuf,
        /// The table of categories.
        categories: PathBuf,
        /// How many pages the categories name.
        pages: u64,
        /// Some pages of the links.
        link_examples: Vec<String>,
        /// Some pages of the categories.
        category_examples: Vec<String>,
        /// What the reason may be.
        hint: &'static str,
    },
    /// Ids are 32 bits wide, and so are places in the 32 GiB that names may take.
    #[error("{}: too many names: there can be 4 billion different ones, of 32 GiB together", file.display())]
    TooManyNames {
        /// The file in which the limit was reached.
        file: PathBuf,
    },
    /// What was gathered could not be kept.
    #[error(transparent)]
    Gather(#[from] GatherError),
    /// The corpus could not be written.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
}

fn after(last_line: u64) -> String {
    if last_line == 0 { " before the first line is whole".into() } else { format!(" after line {last_line}") }
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "no columns".into() } else { names.join(", ") }
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
}
