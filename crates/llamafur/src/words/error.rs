//! What can go wrong with bags of words.

use super::WORDS_VERSION;
use crate::corpus::CorpusError;
use std::path::PathBuf;

/// Why bags of words could not be made or opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WordsError {
    /// A setting is out of range.
    #[error("{setting} must be {rule}, got {got}")]
    Setting {
        /// Its name.
        setting: &'static str,
        /// What it must be.
        rule: String,
        /// What it is.
        got: usize,
    },
    /// The corpus has no texts.
    #[error("{}: the corpus has no texts; import it with them (`--text` for tables)", corpus.display())]
    NoText {
        /// The corpus.
        corpus: PathBuf,
    },
    /// The words were not counted yet.
    #[error("{}: the words were not counted yet: they are when a scorer needs them", path.display())]
    NotFound {
        /// Where they should be.
        path: PathBuf,
    },
    /// The words are of other texts.
    #[error("{}: made for another corpus: remove the file, it is made anew when it is needed", path.display())]
    OtherCorpus {
        /// The file.
        path: PathBuf,
    },
    /// The file was written in another version of the format.
    #[error(
        "{}: words format {found}, but this program reads format {WORDS_VERSION}: remove the file, it is made anew \
         when it is needed, or use the program that wrote it ({program})", path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// The version found.
        found: u32,
        /// The program that wrote it.
        program: String,
    },
    /// A file is damaged, or the system refused.
    #[error(transparent)]
    File(#[from] CorpusError),
}
