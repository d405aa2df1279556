//! Errors of an import from tables.

use super::account::{Place, Reason};
use super::conf::Table;
use crate::gather::GatherError;
use crate::input::{InputError, in_words, shortened};
use llamafur::Remedy;
use std::path::PathBuf;

/// Number of columns that an error lists.
const LISTED: usize = 30;

/// The reason why an import failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// A file could not be opened or read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// More than one table was to come from the standard input.
    #[error("the standard input can be only one of the tables")]
    StdinTwice,
    /// The compressed data ends in the middle.
    #[error("{}: the compressed data ends early{}: the file is probably cut off", file.display(), after(*last_line))]
    CutOff {
        /// The file.
        file: PathBuf,
        /// The last whole line before the end, 0 if there was none.
        last_line: u64,
    },
    /// The compressed data is invalid.
    #[error("{}: the compressed data is damaged{} ({detail})", file.display(), after(*last_line))]
    Damaged {
        /// The file.
        file: PathBuf,
        /// The last whole line before the damage, 0 if there was none.
        last_line: u64,
        /// The decoder's error message.
        detail: String,
    },
    /// The file is in an unsupported format.
    #[error("{}: {found}", file.display())]
    Foreign {
        /// The file.
        file: PathBuf,
        /// The detected content.
        found: String,
        /// The user's options to fix the problem.
        remedy: Remedy,
    },
    /// A Parquet file could not be decoded.
    #[error("{}: not a whole Parquet file, or a damaged one ({detail})", file.display())]
    Parquet {
        /// The file.
        file: PathBuf,
        /// The decoder's error message.
        detail: String,
    },
    /// A frame could not be read.
    #[error("{table}: the frame cannot be read ({detail})")]
    Frame {
        /// The table.
        table: &'static str,
        /// The error message of its source.
        detail: String,
    },
    /// A line is longer than the limit.
    #[error("{}: line {line} is longer than {}, read as {format}", file.display(), in_words(*limit))]
    LongLine {
        /// The file.
        file: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// The longest line that is read, in bytes.
        limit: usize,
        /// The format the file was read as.
        format: &'static str,
    },
    /// A row is bad under [`Mode::Strict`](super::Mode::Strict).
    #[error("{}: {place}: {reason}", file.display())]
    BadRow {
        /// The file.
        file: PathBuf,
        /// The position of the row.
        place: Place,
        /// The reason why it is bad.
        reason: Reason,
    },
    /// A vector of a page cannot be used.
    #[error("{}: row {row} (“{title}”): {problem}", file.display())]
    BadVector {
        /// The file.
        file: PathBuf,
        /// The row, from 1.
        row: u64,
        /// Its title.
        title: String,
        /// The reason why it cannot be used.
        problem: String,
    },
    /// The chosen columns are missing, or the names of the columns are not recognised.
    #[error("{}: {problem}; found: {}", file.display(), listed(found))]
    NoSuchColumn {
        /// The file.
        file: PathBuf,
        /// The missing column or columns.
        problem: String,
        /// The columns found.
        found: Vec<String>,
        /// An example of a choice of columns.
        wanted: String,
    },
    /// A choice of columns is invalid.
    #[error("columns {given:?}: {problem}")]
    BadColumns {
        /// The choice as given.
        given: String,
        /// The reason why it is invalid.
        problem: String,
    },
    /// A delimiter is not one character.
    #[error("delimiter must be one ASCII character other than a quote, or `tab`, got {given:?}")]
    BadDelimiter {
        /// The delimiter as given.
        given: String,
    },
    /// Every row was bad, or most of many rows.
    #[error("{}: {} can be used, read as {format} ({reasons})", file.display(), usable(*rows, *bad))]
    NoUsableRow {
        /// The file.
        file: PathBuf,
        /// Number of rows read.
        rows: u64,
        /// Number of bad rows.
        bad: u64,
        /// The first few reasons with their positions.
        reasons: String,
        /// The format the file was read as.
        format: &'static str,
        /// A setting that may help.
        setting: Option<Remedy>,
    },
    /// A file that must have rows has none.
    #[error("{}: holds no row, and a graph needs at least one link", file.display())]
    NoRow {
        /// The file.
        file: PathBuf,
    },
    /// No row of the links makes a link.
    #[error("{}: none of its {rows} rows makes a link: each has the same page twice", file.display())]
    NoLink {
        /// The file.
        file: PathBuf,
        /// Number of rows that are valid otherwise.
        rows: u64,
    },
    /// Rows name pages that no other table has, under [`Mode::Strict`](super::Mode::Strict).
    #[error("{}: {unknown} of {rows} rows name pages that {}, e.g. {}", file.display(), nowhere(*table), quoted(examples))]
    UnknownPages {
        /// The file.
        file: PathBuf,
        /// The table.
        table: Table,
        /// Number of rows that name such pages.
        unknown: u64,
        /// Number of all rows.
        rows: u64,
        /// Some of the pages.
        examples: Vec<String>,
    },
    /// The categories and the links have no page in common.
    #[error(
        "none of the {pages} pages of {} is in {}: the categories have {}, the links {}{}",
        categories.display(),
        links.display(),
        quoted(category_examples),
        quoted(link_examples),
        if *swapped { "; the second column of the categories does hold pages of the links" } else { "" }
    )]
    NoOverlap {
        /// The table of links.
        links: PathBuf,
        /// The table of categories.
        categories: PathBuf,
        /// Number of pages that the categories name.
        pages: u64,
        /// Some pages of the links.
        link_examples: Vec<String>,
        /// Some pages of the categories.
        category_examples: Vec<String>,
        /// True if the columns of the categories seem to be swapped.
        swapped: bool,
    },
    /// The names exceed 32-bit ids, or the 32 GiB that their 32-bit places address.
    #[error("{}: too many names: there can be 4 billion different ones, of 32 GiB together", file.display())]
    TooManyNames {
        /// The file in which the limit was reached.
        file: PathBuf,
    },
    /// Gathering the rows failed.
    #[error(transparent)]
    Gather(#[from] GatherError),
    /// The corpus could not be written.
    #[error(transparent)]
    Corpus(#[from] llamafur::Error),
}

impl ImportError {
    /// Returns the user's options to fix the problem.
    pub fn remedy(&self) -> Option<Remedy> {
        Some(match self {
            ImportError::Input(error) => return error.remedy(),
            ImportError::StdinTwice => Remedy::advice("save one of them to a file"),
            ImportError::CutOff { .. } | ImportError::Damaged { .. } | ImportError::Parquet { .. } => {
                Remedy::advice("download or make the file again")
            }
            ImportError::Foreign { remedy, .. } => remedy.clone(),
            ImportError::LongLine { format, .. } => {
                Remedy::advice(format!("check that this is a {format} file"))
            }
            ImportError::BadRow { .. } => {
                Remedy::either([Remedy::advice("correct the row"), Remedy::Omit { setting: "strict" }])
            }
            ImportError::BadVector { .. } => {
                Remedy::advice("correct the row or leave it out, and keep one for each page")
            }
            ImportError::NoSuchColumn { wanted, .. } => Remedy::set("columns", wanted),
            ImportError::BadColumns { .. } => {
                Remedy::advice("write them as links=SOURCE,TARGET, with names or with numbers from 1")
            }
            ImportError::NoUsableRow { setting: Some(setting), .. } => setting.clone(),
            ImportError::NoUsableRow { format, .. } => {
                Remedy::advice(format!("check that this is a {format} file"))
            }
            ImportError::NoOverlap { swapped: true, .. } => Remedy::set("columns", "categories=2,1"),
            ImportError::NoOverlap { .. } => {
                Remedy::advice("compare spelling, case, underscores and the order of the columns")
            }
            ImportError::NoRow { .. } => Remedy::another("links"),
            ImportError::NoLink { .. } => Remedy::either([
                Remedy::advice("check which columns are source and target"),
                Remedy::another("links"),
            ]),
            ImportError::UnknownPages { .. } => Remedy::either([
                Remedy::advice("compare spelling and case"),
                Remedy::set("pages", ""),
                Remedy::Omit { setting: "strict" },
            ]),
            ImportError::BadDelimiter { .. }
            | ImportError::TooManyNames { .. }
            | ImportError::Frame { .. } => {
                return None;
            }
            ImportError::Gather(error) => return error.remedy(),
            ImportError::Corpus(error) => return error.remedy(),
        })
    }
}

fn after(last_line: u64) -> String {
    if last_line == 0 { " before the first line is whole".into() } else { format!(" after line {last_line}") }
}

fn usable(rows: u64, bad: u64) -> String {
    match rows - bad {
        0 => format!("none of its {rows} rows"),
        good => format!("only {good} of {rows} rows"),
    }
}

/// Describes where the pages of a table's rows are missing.
pub(super) fn nowhere(table: Table) -> &'static str {
    match table {
        Table::Categories => "no link has",
        _ => "no other table has",
    }
}

/// Lists the first columns of a file, which may have any number of them, with names of any length.
fn listed(names: &[String]) -> String {
    if names.is_empty() {
        return "no columns".into();
    }
    let shown: Vec<String> = names.iter().take(LISTED).map(|name| shortened(name)).collect();
    let more = if names.len() > LISTED { ", …" } else { "" };
    shown.join(", ") + more
}

pub(super) fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
}
