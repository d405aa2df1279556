//! What can go wrong with a file of judgments.

use llamafur::corpus::CorpusError;
use std::io;
use std::path::PathBuf;

/// Why judgments could not be read or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JudgmentError {
    /// The operating system refused, or the file is damaged.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said. Not the error's source: it is in the message already.
        cause: io::Error,
    },
    /// Bytes that are not UTF-8.
    #[error("{}: line {line}: not UTF-8; save the file as UTF-8 text", path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
    },
    /// A line that no table has.
    #[error(
        "{}: line {line}: longer than {limit} bytes; give a table with one judged link a line", path.display()
    )]
    LongLine {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The longest a line may be.
        limit: u64,
    },
    /// Too few columns.
    #[error(
        "{}: line {line}: {found} column{} ({text:?}), expected {expected}; \
         correct the line, or say which format it is", path.display(), if *found == 1 { "" } else { "s" }
    )]
    Columns {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// How many there are.
        found: usize,
        /// The line's beginning.
        text: String,
        /// What there should be.
        expected: &'static str,
    },
    /// A class that is none.
    #[error(
        "{}: line {line}: class {found:?}, expected TE, E, U or TU; \
         correct it, or leave it empty for a link that is not judged yet", path.display()
    )]
    Class {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What there is instead.
        found: String,
    },
    /// A relevance that is no number.
    #[error(
        "{}: line {line}: relevance {found:?}, expected a whole number: 0 for expected, 1 for unexpected, \
         2 for totally unexpected, -1 for not judged; correct it", path.display()
    )]
    Relevance {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What there is instead.
        found: String,
    },
    /// Nothing was judged.
    #[error(
        "{}: no judged link: {records} records, none of which has a class; \
         fill in TE, E, U or TU, or give another file", path.display()
    )]
    Empty {
        /// The file.
        path: PathBuf,
        /// How many records there are.
        records: u64,
    },
    /// No page can be measured.
    #[error(
        "{}: no page has both an expected and an unexpected judged link that the corpus has: {expected} pages have \
         only expected ones, {unexpected} only unexpected ones, and of {records} records {missing} name pages or \
         links that are not in the corpus; judge more links, or give the corpus that was judged", path.display()
    )]
    NoQueries {
        /// The file.
        path: PathBuf,
        /// Pages with expected links only.
        expected: usize,
        /// Pages with unexpected links only.
        unexpected: usize,
        /// How many records there are.
        records: u64,
        /// Records of pages or links that are missing.
        missing: u64,
    },
    /// The corpus could not be read.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
}
