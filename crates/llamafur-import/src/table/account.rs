//! What was done with every row: kept or dropped, and why.

use super::conf::Table;
use crate::input::in_words;
use std::collections::BTreeMap;
use std::fmt;

/// So many bad rows of each file are kept as examples.
pub const EXAMPLES: usize = 5;

/// Where a row is, counted from 1.
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

/// Why a row cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// Too many or too few columns.
    #[error("{found} column{} where {expected}", if *found == 1 { "" } else { "s" })]
    Columns {
        /// How many there are.
        found: usize,
        /// How many there should be, and which.
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
        /// How many bytes it has.
        bytes: usize,
        /// The longest that is read.
        limit: usize,
    },
    /// A row that is too long.
    #[error("longer than {}", in_words(*limit))]
    LongRow {
        /// The longest that is read, in bytes.
        limit: usize,
    },
    /// A line that is not a JSON object.
    #[error("not a JSON object: {detail}")]
    NotJson {
        /// What the parser said.
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
        /// What it is.
        found: &'static str,
    },
}

/// A row that was skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadRow {
    /// Where it is.
    pub place: Place,
    /// What is wrong with it.
    pub reason: Reason,
}

impl fmt::Display for BadRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.reason)
    }
}

/// What became of the rows of one table.
///
/// `rows = bad + self_loops + unknown + duplicates + kept`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TableAccount {
    /// Which table it is.
    pub table: Table,
    /// The file's name without its folder.
    pub file: String,
    /// Rows read, without header, comments and blank lines. A list counts as a row for each of its values.
    pub rows: u64,
    /// Rows that could not be used.
    pub bad: u64,
    /// The first few of those.
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
    /// The columns named by the file's header, where one was found.
    pub header: Option<Vec<String>>,
    /// Whether the header has the usual names of another table.
    pub is_other_header: bool,
}

impl TableAccount {
    pub(crate) fn new(table: Table, file: String) -> Self {
        TableAccount { table, file, ..TableAccount::default() }
    }

    /// The first few bad rows in one line.
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

/// What became of all rows; what the corpus holds in the end is in its manifest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Account {
    /// One entry a table that was given, in the order in which they were read.
    pub tables: Vec<TableAccount>,
}

impl Account {
    /// The entry of a table, if that table was given.
    pub fn table(&self, table: Table) -> Option<&TableAccount> {
        self.tables.iter().find(|entry| entry.table == table)
    }

    /// Every count by name: `links.rows`, `links.duplicates`, … as the corpus's manifest keeps them.
    pub fn counts(&self) -> BTreeMap<String, u64> {
        let tables = self.tables.iter().flat_map(|entry| {
            let name = entry.table.name();
            entry.counts().into_iter().map(move |(count, value)| (format!("{name}.{count}"), value))
        });
        tables.collect()
    }
}
