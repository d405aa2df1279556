//! Errors of a download.

use llamafur::Remedy;
use std::io;
use std::path::{Path, PathBuf};

/// The problem text of a file that cannot be read.
const READING: &str = "cannot be read";

/// The reason why a download failed. Unless the text says otherwise, the received part is kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// A setting has a value that cannot work.
    #[error("{setting} must be {expected}, got {found:?}")]
    BadSetting {
        /// The setting, in snake case.
        setting: &'static str,
        /// Its value.
        found: String,
        /// The allowed values.
        expected: &'static str,
    },
    /// The server has no wiki of this name.
    #[error("{url} was not found: the server has no dumps of `{wiki}`")]
    UnknownWiki {
        /// The requested wiki.
        wiki: String,
        /// The address that was not found.
        url: String,
    },
    /// The server has no dump of that date, or has not finished it yet.
    #[error("{url}: the dump of `{wiki}` of {date} is not there or not finished")]
    Unfinished {
        /// The requested wiki.
        wiki: String,
        /// The folder of the wiki.
        url: String,
        /// The date of the dump.
        date: String,
        /// Other dates, the newest first.
        others: Vec<String>,
    },
    /// The server refused the request.
    #[error("{url}: the server answered {status}, expected 200")]
    Refused {
        /// The address.
        url: String,
        /// The status of the answer.
        status: u16,
    },
    /// The connection failed or was cut, or the server is busy.
    #[error("{url}: no answer ({cause})")]
    Lost {
        /// The address.
        url: String,
        /// The client's error message.
        cause: String,
    },
    /// The received file differs from the published one. It was deleted.
    #[error("{url}: what was sent has the SHA-1 {found}, expected {expected}; it was deleted")]
    WrongChecksum {
        /// The address.
        url: String,
        /// The checksum of the received file.
        found: String,
        /// The published checksum.
        expected: String,
    },
    /// A different file of that name exists.
    #[error("{}: there already, but its SHA-1 is {found}, expected {expected}", file.display())]
    WrongFile {
        /// The file.
        file: PathBuf,
        /// Its checksum.
        found: String,
        /// The published checksum.
        expected: String,
    },
    /// Another process has locked the file.
    #[error("{}: another process is downloading this file", file.display())]
    Busy {
        /// The part file.
        file: PathBuf,
    },
    /// A file cannot be written or read.
    #[error("{}: {} ({cause})", file.display(), if is_full(cause) { "the disk is full" } else { problem })]
    File {
        /// The file or folder.
        file: PathBuf,
        /// The operation that failed.
        problem: &'static str,
        /// The system's error.
        cause: io::Error,
    },
}

impl FetchError {
    pub(super) fn writing(file: &Path) -> impl FnOnce(io::Error) -> Self + use<'_> {
        |cause| FetchError::File { file: file.into(), problem: "cannot be written", cause }
    }

    pub(super) fn reading(file: &Path) -> impl FnOnce(io::Error) -> Self + use<'_> {
        |cause| FetchError::File { file: file.into(), problem: READING, cause }
    }

    pub(super) fn lost<E: ToString>(url: &str) -> impl FnOnce(E) -> Self + use<'_, E> {
        |cause| FetchError::Lost { url: url.to_owned(), cause: cause.to_string() }
    }

    /// Returns the user's options to fix the problem.
    pub fn remedy(&self) -> Option<Remedy> {
        let advice = |words: &'static str| Remedy::advice(words);
        let or = |first: Remedy, setting| Remedy::either([first, Remedy::another(setting)]);
        Some(match self {
            FetchError::BadSetting { setting, .. } => Remedy::another(setting),
            FetchError::UnknownWiki { .. } => {
                or(advice("check the name, which looks like `simplewiki`, `enwiki` or `dewiki`"), "base_url")
            }
            FetchError::Unfinished { others, .. } if !others.is_empty() => {
                Remedy::Set { setting: "date", to: others.clone() }
            }
            FetchError::Unfinished { .. } | FetchError::Refused { .. } => {
                or(advice("try again later"), "base_url")
            }
            FetchError::Lost { .. } => {
                let words =
                    "check the network and a proxy in the environment, and do the same again, which resumes";
                or(advice(words), "base_url")
            }
            FetchError::WrongChecksum { .. } => or(advice("do the same again"), "base_url"),
            FetchError::WrongFile { .. } => or(advice("move it away"), "out"),
            FetchError::Busy { .. } => or(advice("wait for it"), "out"),
            FetchError::File { cause, .. } if is_full(cause) => {
                or(advice("free some space and do the same again, which resumes the download"), "out")
            }
            FetchError::File { problem: READING, .. } => advice("check the permissions and the disk"),
            FetchError::File { .. } => or(advice("check the permissions"), "out"),
        })
    }
}

fn is_full(cause: &io::Error) -> bool {
    matches!(cause.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}
