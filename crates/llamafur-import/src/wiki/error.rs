//! Errors of an import from a dump.

use super::assemble::UTF_16;
use crate::gather::GatherError;
use crate::input::InputError;
use llamafur::{Remedy, Step};
use std::fmt;
use std::path::PathBuf;

/// The reason why an import failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WikiError {
    /// No file was given.
    #[error("no dump was named")]
    NoInput,
    /// A file could not be opened or read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The same file was given twice.
    #[error("{}: named twice", file.display())]
    Twice {
        /// The file.
        file: PathBuf,
    },
    /// The file is not a dump.
    #[error("{}: {found}, expected the pages of a MediaWiki wiki as XML, plain or .bz2, .gz, .zst", file.display())]
    Foreign {
        /// The file.
        file: PathBuf,
        /// The detected content.
        found: &'static str,
    },
    /// The files belong to two wikis.
    #[error("{}: a dump of {found}, while {} is of {expected}", file.display(), first.display())]
    OtherWiki {
        /// The file.
        file: PathBuf,
        /// The file's wiki.
        found: String,
        /// The first file.
        first: PathBuf,
        /// The first file's wiki.
        expected: String,
    },
    /// The head of the dump is not XML.
    #[error("{}: the head of the dump cannot be read ({detail})", file.display())]
    Header {
        /// The file.
        file: PathBuf,
        /// The XML reader's error message.
        detail: String,
    },
    /// A part of the file is damaged or missing.
    #[error("{0}; nothing was written")]
    Damaged(Box<Loss>),
    /// A split of the file is damaged or incomplete.
    #[error("{}: bytes {} to {}: {}", .0.file, .0.from, .0.to, .0.why)]
    DamagedSplit(Box<Loss>),
    /// Files of several kinds were given together.
    #[error("{}: {found}, while {} is {expected}", file.display(), first.display())]
    Mixed {
        /// The file.
        file: PathBuf,
        /// The kind of the file.
        found: &'static str,
        /// The first file.
        first: PathBuf,
        /// The kind of the first file.
        expected: &'static str,
    },
    /// Tables are missing.
    #[error("the tables {} are missing: there are {}", missing.join(", "), if found.is_empty() { "none".to_owned() } else { found.join(", ") })]
    MissingTables {
        /// The tables found.
        found: Vec<String>,
        /// The missing tables.
        missing: Vec<&'static str>,
    },
    /// A table lacks a column.
    #[error("{}: the table {table} has no column {column}", file.display())]
    MissingColumn {
        /// The file.
        file: PathBuf,
        /// The table.
        table: String,
        /// The column.
        column: String,
    },
    /// The beginning of an SQL dump cannot be read.
    #[error("{}: row {row}: {why}", file.display())]
    Sql {
        /// The file.
        file: PathBuf,
        /// The row, from 1.
        row: u64,
        /// The reason.
        why: String,
    },
    /// The dump contains no article.
    #[error("no article in {pages} pages{}", skipped(examples))]
    NoArticle {
        /// Number of pages.
        pages: u64,
        /// The first few skipped pages, with the reasons.
        examples: Vec<String>,
    },
    /// The titles exceed 32-bit ids, or the 32 GiB that their 32-bit places address.
    #[error("too many titles: there can be 4 billion different ones, of 32 GiB together")]
    TooManyTitles,
    /// Collecting the pages failed.
    #[error(transparent)]
    Gather(#[from] GatherError),
    /// The corpus could not be written.
    #[error(transparent)]
    Corpus(#[from] llamafur::Error),
}

impl WikiError {
    /// Returns the user's options to fix the problem.
    pub fn remedy(&self) -> Option<Remedy> {
        Some(match self {
            WikiError::NoInput => Remedy::advice("give one file or several, or `-` for the standard input"),
            WikiError::Input(error) => return error.remedy(),
            WikiError::Twice { .. } => Remedy::advice("name each file once"),
            WikiError::Foreign { found: UTF_16, .. } => {
                Remedy::advice("convert it to UTF-8 first: `iconv -f UTF-16 -t UTF-8`")
            }
            WikiError::Foreign { .. } => {
                Remedy::either([Remedy::another("dump"), Remedy::run(Step::ImportTable)])
            }
            WikiError::OtherWiki { .. } => Remedy::advice("import one wiki at a time"),
            WikiError::Header { .. } | WikiError::DamagedSplit(_) | WikiError::Sql { .. } => {
                Remedy::advice("download the file again")
            }
            WikiError::Mixed { .. } => {
                Remedy::advice("import XML, SQL tables or search indexes, one kind at a time")
            }
            WikiError::MissingTables { missing, .. } => {
                let files: Vec<String> = missing.iter().map(|table| format!("*-{table}.sql.gz")).collect();
                Remedy::advice(format!("add the files {} of the same dump", files.join(", ")))
            }
            WikiError::MissingColumn { .. } => {
                Remedy::advice("use a dump that MediaWiki's own schema is behind")
            }
            WikiError::Damaged(_) => {
                Remedy::either([Remedy::advice("download the file again"), Remedy::set("keep_going", "")])
            }
            WikiError::NoArticle { .. } => Remedy::advice("take the dump that is called pages-articles"),
            WikiError::TooManyTitles => return None,
            WikiError::Gather(error) => return error.remedy(),
            WikiError::Corpus(error) => return error.remedy(),
        })
    }
}

fn skipped(examples: &[String]) -> String {
    if examples.is_empty() { String::new() } else { format!("; skipped: {}", examples.join("; ")) }
}

/// A part of a dump that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// The file's name.
    pub file: String,
    /// The beginning of the lost part, in bytes of the file on disk.
    pub from: u64,
    /// The end of the lost part.
    pub to: u64,
    /// The reason.
    pub why: String,
    /// The kind of the file's contents.
    pub unit: LostUnit,
    /// The last complete page or row before it, if any.
    pub last_good: Option<String>,
    /// The first complete page after it.
    pub next_good: Option<String>,
}

/// The units of which a file lost some.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LostUnit {
    /// Pages of a wiki.
    Page,
    /// Rows of a table.
    Row,
}

impl fmt::Display for LostUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LostUnit::Page => "page",
            LostUnit::Row => "row",
        })
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: bytes {} to {}: {}; ", self.file, self.from, self.to, self.why)?;
        match &self.last_good {
            Some(last) => write!(f, "the last good {} is {last:?}", self.unit)?,
            None => write!(f, "no {} before it is whole", self.unit)?,
        }
        match &self.next_good {
            Some(page) => write!(f, ", the next one {page:?}"),
            None => Ok(()),
        }
    }
}
