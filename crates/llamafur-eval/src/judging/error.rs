//! Errors of judging.

use crate::judgments::JudgmentError;
use llamafur::{Error, Remedy};
use std::io;
use std::path::PathBuf;

/// The reason why a link could not be judged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JudgingError {
    /// The name of the judge is not allowed.
    #[error("the name of a judge must have 1 to 64 characters, none of them invisible, got {name:?}")]
    Name {
        /// The name, or its beginning.
        name: String,
    },
    /// The number of judges has reached its limit.
    #[error("{most} judges have judged this corpus, and no more can")]
    TooManyJudges {
        /// The largest number of judges.
        most: usize,
    },
    /// The link is not in the pool.
    #[error("the link from “{source_title}” to “{target_title}” is not among those to be judged")]
    NotPooled {
        /// The page.
        source_title: String,
        /// The page that it links to.
        target_title: String,
    },
    /// The judge has no judgment to withdraw.
    #[error("{judge} has no judgment to take back")]
    NothingToUndo {
        /// The judge.
        judge: String,
    },
    /// The pool has no link of the corpus.
    #[error("{}: no link to be judged that the corpus has", path.display())]
    NoLinks {
        /// The path of the pool.
        path: PathBuf,
    },
    /// The operating system refused: the disk is full, or the folder cannot be written.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error. Not the error's source: it is in the message already.
        cause: io::Error,
    },
    /// Another process keeps the log locked.
    #[error("{}: another process has locked the file, for longer than {seconds} s", path.display())]
    Locked {
        /// The log.
        path: PathBuf,
        /// The time waited.
        seconds: u64,
    },
    /// The pool or the log could not be read.
    #[error(transparent)]
    Judgments(#[from] JudgmentError),
    /// The corpus could not be read.
    #[error(transparent)]
    Corpus(#[from] Error),
}

impl JudgingError {
    /// Turns an I/O error at `path` into this error, for `map_err`.
    pub(super) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> JudgingError {
        let path = path.into();
        move |cause| JudgingError::Io { path, cause }
    }

    /// Returns the user's options to fix the problem.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            JudgingError::Name { .. } => Some(Remedy::advice("choose another name")),
            JudgingError::TooManyJudges { .. } => {
                Some(Remedy::advice("judge under a name that has judged before"))
            }
            JudgingError::NotPooled { .. } => {
                Some(Remedy::advice("ask for the next link and judge that one"))
            }
            JudgingError::NothingToUndo { .. } => Some(Remedy::advice("judge a link first")),
            JudgingError::NoLinks { .. } => {
                Some(Remedy::advice("remove the file: another pool is made then"))
            }
            JudgingError::Io { .. } => {
                Some(Remedy::advice("make space on the disk, or make the folder of the corpus writable"))
            }
            JudgingError::Locked { .. } => {
                Some(Remedy::advice("end the program that has locked the file, or try again"))
            }
            JudgingError::Judgments(error) => error.remedy(),
            JudgingError::Corpus(error) => error.remedy(),
        }
    }
}
