//! Counts of kept and dropped rows, with the reasons.

use super::conf::Table;
use crate::input::in_words;
use std::collections::BTreeMap;
use std::fmt;

/// Number of bad rows of each file kept as examples.
pub const EXAMPLES: usize = 5;

/// The position of a row, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A line of a text file; a header, comments and blank lines count.
    Line(u64),
    /// A row of a file that has no lines.
    Row(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(number) => write!(f, "line {number}"),
            Place::Row(number) => write!(f, "row {number}"),
        }
    }
}

/// The reason why a row cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// Too many or too few columns.
    #[error("{found} column{} where {expected}", if *found == 1 { "" } else { "s" })]
    Columns {
        /// The number of columns found.
        found: usize,
        /// The number and names of the expected columns.
        expected: String,
    },
    /// Only whitespace where a name should be.
    #[error("the {column} is empty")]
    Empty {
        /// The column.
        column: &'static str,
    },
    /// Bytes that are not UTF-8.
    #[error("not UTF-8")]
    NotUtf8,
    /// A tab, a line break, a NUL or another control character in a name.
    #[error("a control character (U+{:04X}) in the {column}", u32::from(*character))]
    Control {
        /// The column.
        column: &'static str,
        /// The character.
        character: char,
    },
    /// A name that is too long.
    #[error("the {column} has {bytes} bytes, more than {limit}")]
    LongName {
        /// The column.
        column: &'static str,
        /// The length in bytes.
        bytes: usize,
        /// The longest name that is read.
        limit: usize,
    },
    /// A row that is too long.
    #[error("longer than {}", in_words(*limit))]
    LongRow {
        /// The longest row that is read, in bytes.
        limit: usize,
    },
    /// A line that is not a JSON object.
    #[error("not a JSON object: {detail}")]
    NotJson {
        /// The parser's error message.
        detail: String,
    },
    /// No value where one should be.
    #[error("no {column}")]
    Missing {
        /// The column.
        column: &'static str,
    },
    /// A value that is neither text nor a whole number.
    #[error("the {column} is {found}, not text")]
    NotText {
        /// The column.
        column: &'static str,
        /// The kind of value found.
        found: &'static str,
    },
}

/// A skipped row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadRow {
    /// The position of the row.
    pub place: Place,
    /// The reason why it was skipped.
    pub reason: Reason,
}

impl fmt::Display for BadRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.reason)
    }
}

/// Counts of the rows of one table.
///
/// `rows = bad + self_loops + unknown + duplicates + kept`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TableAccount {
    /// The table.
    pub table: Table,
    /// The file's name without its folder.
    pub file: String,
    /// Rows read, without header, comments and blank lines. A list counts as a row for each of its values.
    pub rows: u64,
    /// Rows that could not be used.
    pub bad: u64,
    /// The first few bad rows.
    pub examples: Vec<BadRow>,
    /// Rows that link a page (or a category) to itself; redirects that lead back to themselves.
    pub self_loops: u64,
    /// Texts of pages that are in no other table; redirects that lead to none.
    pub unknown: u64,
    /// Rows that occurred before (for texts: a second text of the same page; for redirects: a second page of the
    /// same title).
    pub duplicates: u64,
    /// Rows that are in the corpus.
    pub kept: u64,
    /// Lines at the beginning that start with `#`.
    pub comments: u64,
    /// The column names in the file's header, if it has one.
    pub header: Option<Vec<String>>,
    /// True if the header has the usual names of another table.
    pub is_other_header: bool,
}

impl TableAccount {
    pub(crate) fn new(table: Table, file: String) -> Self {
        TableAccount { table, file, ..TableAccount::default() }
    }

    /// Joins the first few bad rows into one line.
    pub(crate) fn reasons(&self) -> String {
        let mut reasons: Vec<String> = self.examples.iter().map(ToString::to_string).collect();
        if self.bad > self.examples.len() as u64 {
            reasons.push("…".into());
        }
        reasons.join("; ")
    }

    fn counts(&self) -> [(&'static str, u64); 7] {
        [
            ("rows", self.rows),
            ("bad", self.bad),
            ("self-loops", self.self_loops),
            ("unknown", self.unknown),
            ("duplicates", self.duplicates),
            ("kept", self.kept),
            ("comments", self.comments),
        ]
    }
}

/// Counts of all rows read; the counts of the corpus are in its manifest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Account {
    /// One entry per given table, in the order in which they were read.
    pub tables: Vec<TableAccount>,
}

impl Account {
    /// Returns the entry of a table, if that table was given.
    pub fn table(&self, table: Table) -> Option<&TableAccount> {
        self.tables.iter().find(|entry| entry.table == table)
    }

    /// Returns every count by name: `links.rows`, `links.duplicates`, … as in the corpus's manifest.
    pub fn counts(&self) -> BTreeMap<String, u64> {
        let tables = self.tables.iter().flat_map(|entry| {
            let name = entry.table.name();
            entry.counts().into_iter().map(move |(count, value)| (format!("{name}.{count}"), value))
        });
        tables.collect()
    }
}
