//! What can go wrong with a corpus on disk.

use std::io;
use std::path::{Path, PathBuf};

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
    #[error("{}: damaged: {found}, expected {expected}; {}", path.display(), way_out_of_damage(path))]
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
    /// The place to write to cannot be used.
    #[error("{}: {found}; {way_out}", path.display())]
    Place {
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
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said. Not the error's source: it is in the message already.
        cause: io::Error,
    },
}

fn way_out_of_damage(path: &Path) -> &'static str {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let in_embeddings = path.parent().is_some_and(|folder| folder.ends_with("embeddings"));
    if name.starts_with("words") || name == "standards.json" || in_embeddings {
        "remove the file: it is made anew when it is needed"
    } else if name.ends_with(".safetensors") {
        "restore the file from a copy, or train it again with `llamafur train`"
    } else if name.starts_with("milestones") {
        "restore the file from a copy, or cleanse again with `llamafur cleanse`"
    } else {
        "restore the file from a copy, or import the data again"
    }
}

impl CorpusError {
    /// Turns an I/O error at `path` into a corpus error, for `map_err`.
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> CorpusError {
        let path = path.into();
        move |cause| CorpusError::Io { path, cause }
    }

    /// The same error for a file that was being written under `temporary` and will be under `home`.
    pub(crate) fn at_home(self, temporary: &Path, home: &Path) -> CorpusError {
        match self {
            CorpusError::Io { path, cause } => match path.strip_prefix(temporary) {
                Ok(name) => CorpusError::Io { path: home.join(name), cause },
                Err(_) => CorpusError::Io { path, cause },
            },
            other => other,
        }
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
