//! What can go wrong in an import from a dump, said with the place and the way out.

use crate::gather::GatherError;
use llamafur::corpus::CorpusError;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why an import failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WikiError {
    /// No file was named.
    #[error("no dump was named; give one file or several, or - for the standard input")]
    NoInput,
    /// There is no file of that name.
    #[error("{}: no such file; check the name and the folder", file.display())]
    NotFound {
        /// The file asked for.
        file: PathBuf,
    },
    /// A folder stands where a file was expected.
    #[error("{}: a folder where a dump was expected; name the files in it", file.display())]
    Folder {
        /// The folder.
        file: PathBuf,
    },
    /// The same file was named twice.
    #[error("{}: named twice", file.display())]
    Twice {
        /// The file.
        file: PathBuf,
    },
    /// The system would not let us read the file.
    #[error("{}: cannot be read ({cause}); check the permissions and the disk", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// The file is not a dump.
    #[error("{}: {found}; {way_out}", file.display())]
    Foreign {
        /// The file.
        file: PathBuf,
        /// What it looks like.
        found: String,
        /// What to do about it.
        way_out: &'static str,
    },
    /// The files are of two wikis.
    #[error("{}: a dump of {found}, while {} is of {expected}; import one wiki at a time", file.display(), first.display())]
    OtherWiki {
        /// The file.
        file: PathBuf,
        /// Its wiki.
        found: String,
        /// The file that came first.
        first: PathBuf,
        /// That one's wiki.
        expected: String,
    },
    /// The head of the dump is not XML.
    #[error("{}: the head of the dump cannot be read ({detail}); fetch the file again", file.display())]
    Header {
        /// The file.
        file: PathBuf,
        /// What the XML reader said.
        detail: String,
    },
    /// A part of the file is damaged or missing.
    #[error("{0}; nothing was written: fetch the file again, or pass --keep-going to import what is whole")]
    Damaged(Loss),
    /// The dump holds no article.
    #[error("no article in {pages} pages; is this the pages-articles dump of a wiki?")]
    NoArticle {
        /// How many pages there were.
        pages: u64,
    },
    /// Ids are 32 bits wide, and so are places in the 32 GiB that titles may take.
    #[error("too many titles: there can be 4 billion different ones, of 32 GiB together")]
    TooManyTitles,
    /// What was gathered could not be kept.
    #[error(transparent)]
    Gather(#[from] GatherError),
    /// The corpus could not be written.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
}

/// A part of a dump that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// The file's name.
    pub file: String,
    /// Where the lost part begins, in bytes of the file as it is.
    pub from: u64,
    /// Where it ends.
    pub to: u64,
    /// What is wrong.
    pub why: String,
    /// The last page before it that is whole, if any.
    pub last_good: Option<String>,
    /// The first page after it that is whole, where the import went on.
    pub next_good: Option<String>,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: bytes {} to {}: {}; ", self.file, self.from, self.to, self.why)?;
        match &self.last_good {
            Some(page) => write!(f, "the last good page is {page:?}")?,
            None => write!(f, "no page before it is whole")?,
        }
        match &self.next_good {
            Some(page) => write!(f, ", the next one {page:?}"),
            None => Ok(()),
        }
    }
}
