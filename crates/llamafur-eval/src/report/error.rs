//! What can go wrong, said with its place.

use llamafur::corpus::CorpusError;
use std::io;
use std::path::PathBuf;

/// Why a report was not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The disk is full or gone, or the folder cannot be written.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        cause: io::Error,
    },
    /// A file could not be started or finished; the error says which.
    #[error(transparent)]
    File(#[from] CorpusError),
}
