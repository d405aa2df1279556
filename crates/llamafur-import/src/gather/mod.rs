//! Collections that every import fills before it can write, in bounded memory: names, pairs of their numbers, texts.

pub(crate) mod names;
pub(crate) mod pairs;
pub(crate) mod texts;

use llamafur::{Error, Remedy};
use std::io;
use std::path::{Path, PathBuf};

/// The reason why gathering failed.
#[derive(Debug, thiserror::Error)]
pub enum GatherError {
    /// A temporary file could not be written or read.
    #[error("temporary files in {}: {cause}", folder.display())]
    Scratch {
        /// The folder.
        folder: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// The corpus could not be written.
    #[error(transparent)]
    Corpus(#[from] Error),
}

impl GatherError {
    /// Returns the user's options to fix the problem.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            GatherError::Scratch { .. } => {
                Some(Remedy::either([Remedy::advice("free some space there"), Remedy::another("out")]))
            }
            GatherError::Corpus(error) => error.remedy(),
        }
    }
}

/// Returns a function that wraps an error of a temporary file in `folder`.
pub(crate) fn scratch(folder: &Path) -> impl Fn(io::Error) -> GatherError + use<> {
    let folder = folder.to_path_buf();
    move |cause| GatherError::Scratch { folder: folder.clone(), cause }
}
