//! What can go wrong with a file of judgments.

use llamafur::Remedy;
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
    #[error("{}: line {line}: not UTF-8", path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
    },
    /// More than any table of judged links has.
    #[error("{}: larger than {limit} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The most that is read, in bytes.
        limit: u64,
    },
    /// Too few columns.
    #[error(
        "{}: line {line}: {found} column{} ({text:?}), expected {expected}",
        path.display(), if *found == 1 { "" } else { "s" }
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
    /// A class that does not exist.
    #[error("{}: line {line}: class {found:?}, expected TE, E, U or TU", path.display())]
    Class {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What there is instead.
        found: String,
    },
    /// A relevance that is not a number.
    #[error(
        "{}: line {line}: relevance {found:?}, expected a whole number: 0 for expected, 1 for unexpected, \
         2 for totally unexpected, -1 for not judged", path.display()
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
    #[error("{}: no judged link: {records} records, none of which has a class", path.display())]
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
         links that are not in the corpus", path.display()
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

impl JudgmentError {
    /// What can be done about it.
    pub fn remedy(&self) -> Option<Remedy> {
        use JudgmentError::{Class, Columns, Corpus, Empty, Io, NoQueries, NotUtf8, Relevance, TooLarge};
        let another = Remedy::another("judgments");
        Some(match self {
            Io { .. } => return None,
            Corpus(error) => return error.remedy(),
            NotUtf8 { .. } => Remedy::advice("save the file as UTF-8 text"),
            TooLarge { .. } => Remedy::advice("give a table with one judged link a line"),
            Columns { .. } => {
                let to = vec!["authors".to_owned(), "qrels".to_owned()];
                let form = Remedy::Set { setting: "judgments_form", to };
                Remedy::either([Remedy::advice("correct the line"), form])
            }
            Class { .. } => {
                Remedy::advice("correct the class, or leave it empty for a link that is not judged yet")
            }
            Relevance { .. } => Remedy::advice("correct the relevance"),
            Empty { .. } => Remedy::either([Remedy::advice("fill in TE, E, U or TU"), another]),
            NoQueries { .. } => Remedy::either([
                Remedy::advice("judge more links"),
                Remedy::advice("give the corpus that was judged"),
            ]),
        })
    }
}
