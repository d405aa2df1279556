//! What can go wrong with a corpus on disk.

use std::io;
use std::path::PathBuf;

/// Why a corpus could not be opened, read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// The folder is no corpus.
    #[error("{}: not a corpus: {found}; make one with `llamafur import`", path.display())]
    NotACorpus {
        /// The folder.
        path: PathBuf,
        /// What is there instead.
        found: String,
    },
    /// The corpus was written in another version of the format.
    #[error(
        "{}: corpus format {found}, but this program reads format {expected}: \
         import the data again, or use the program that wrote it ({program})", path.display()
    )]
    Version {
        /// The folder.
        path: PathBuf,
        /// The version found.
        found: u32,
        /// The version this program reads.
        expected: u32,
        /// The program that wrote the corpus.
        program: String,
    },
    /// A file does not hold what was written to it.
    #[error("{}: damaged: {found}, expected {expected}; restore the file from a copy, or import the data again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found.
        found: String,
        /// What should have been there.
        expected: String,
    },
    /// The corpus has no such optional file.
    #[error("{}: the corpus has no {what}; {way_out}", path.display())]
    Missing {
        /// The folder.
        path: PathBuf,
        /// What is missing.
        what: &'static str,
        /// How to get it.
        way_out: &'static str,
    },
    /// The place to write to is taken.
    #[error("{}: {found}; {way_out}", path.display())]
    Exists {
        /// The place.
        path: PathBuf,
        /// What is there.
        found: &'static str,
        /// What to do.
        way_out: &'static str,
    },
    /// Data handed over for writing breaks a rule of the format.
    #[error("cannot write {what}: {rule}")]
    Invalid {
        /// The column.
        what: &'static str,
        /// The rule it breaks.
        rule: String,
    },
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl CorpusError {
    /// Turns an I/O error at `path` into a corpus error, for `map_err`.
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> CorpusError {
        let path = path.into();
        move |source| CorpusError::Io { path, source }
    }

    /// A damaged file: what was found and what was expected.
    pub(crate) fn damaged(
        path: impl Into<PathBuf>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> CorpusError {
        CorpusError::Damaged { path: path.into(), found: found.into(), expected: expected.into() }
    }
}
