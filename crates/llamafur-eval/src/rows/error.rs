//! Errors of files of judged rows.

use llamafur::Remedy;
use std::io;
use std::path::PathBuf;

/// The reason why judged rows could not be read or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RowError {
    /// The operating system refused, or the file is damaged.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error. Not the error's source: it is in the message already.
        cause: io::Error,
    },
    /// The file is larger than any file of judged rows.
    #[error("{}: larger than {limit} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// A line is wrong.
    #[error("{}: line {line}: {found:?}, expected {expected}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The field that is wrong, or the beginning of the line.
        found: String,
        /// The expected content.
        expected: &'static str,
    },
    /// No file has a judged row.
    #[error("{}: no judged row", path.display())]
    Empty {
        /// The last file that was read.
        path: PathBuf,
    },
}

impl RowError {
    /// Returns the user's options to fix the problem.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            RowError::Io { .. } => None,
            RowError::TooLarge { .. } => Some(Remedy::advice("give a table with one judged row a line")),
            RowError::Line { .. } => Some(Remedy::advice("correct the line")),
            RowError::Empty { .. } => Some(Remedy::another("rows")),
        }
    }
}
