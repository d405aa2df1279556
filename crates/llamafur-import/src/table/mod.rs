//! Imports a graph from tables: links and categories, optionally pages, category tree, redirects and text.
//!
//! 1. Each table is read once, row by row. A name gets a number when it first appears, a row becomes a pair of
//!    numbers, and the pairs wait in memory up to [`TableConf::buffer_bytes`] and beyond that on disk.
//! 2. The names are sorted bytewise; their ranks are the ids of the corpus.
//! 3. The pairs are read again, translated to ids and sorted ([`crate::sort`]), which leaves out duplicates, and
//!    run into the lists of the corpus.
//!
//! So memory holds the names and a bounded buffer a table, independent of the number of rows, and the corpus depends
//! only on the set of rows, not on their order.
//!
//! # Formats
//! TSV (no quoting: a tab ends a column, a line break a row), CSV (RFC 4180, also with another delimiter), JSON lines
//! (one object a line) and Parquet; the first three plain or compressed (`.gz`, `.zst`, `.bz2`), or from the standard
//! input (`-`). The format comes from the extension (`.tsv`, `.tab`, `.txt`, `.csv`, `.jsonl`, `.ndjson`, `.parquet`)
//! or else from the content. A JSON array or a Parquet list makes a row for each of its values. Whitespace around
//! names is removed; otherwise they are left as they are.
//!
//! # Limits
//! Names have at most [`LONGEST_NAME`] bytes, rows of text files 64 MiB ([`TableConf::longest_row`]), lists in JSON
//! lines four million values. Anything longer is a bad row: it is skipped, counted and reported, or an error under
//! [`Mode::Strict`]. Parquet files are read a batch of rows at a time; the reader holds whole Parquet pages, whose size
//! the writing program chose, at most 2 GiB.
//!
//! A file of a thousand or more rows, most of which are bad, is an error.
//!
//! # Quirks
//! Lines at the beginning of a file that start with `#` are comments. If the names in the first rows start with `#`,
//! write a header before them.

mod account;
mod conf;
mod error;
mod header;
mod job;
mod overlap;
pub(crate) mod rows;
mod sniff;
mod source;

pub use account::{Account, BadRow, EXAMPLES, Place, Reason, TableAccount};
#[cfg(feature = "arrow")]
pub use conf::Frame;
pub use conf::{ColumnName, Columns, Delimiter, LONGEST_NAME, Mode, Table, TableConf};
pub use error::ImportError;
pub use header::needs_header;
pub use rows::is_decoding;

use crate::input;
use job::Job;
use llamafur::Remedy;
use llamafur::corpus::{CorpusWriter, Manifest};
use llamafur::progress::Progress;
use std::fmt;
use std::path::Path;

/// The result of an import.
#[derive(Debug, Clone)]
pub struct Imported {
    /// Counts and provenance of the corpus.
    pub manifest: Manifest,
    /// Counts of kept and dropped rows.
    pub account: Account,
    /// Warnings for the user: rows skipped, files that hardly fit together, …
    pub warnings: Vec<Warning>,
}

/// A problem that did not stop the import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The problem.
    pub problem: String,
    /// The user's options to fix it.
    pub remedy: Option<Remedy>,
}

impl From<String> for Warning {
    fn from(problem: String) -> Warning {
        Warning { problem, remedy: None }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)
    }
}

/// Reads the tables that `conf` names and writes the corpus `out`, whole or not at all.
///
/// ```
/// use llamafur::progress::Silent;
/// use llamafur_import::table::{Table, TableConf, import};
/// # let dir = tempfile::tempdir()?;
/// # let dir = dir.path();
///
/// std::fs::write(dir.join("links.tsv"), "Jupiter\tFish\nJupiter\tMoon\nJupiter\tMoon\n")?;
/// std::fs::write(dir.join("tags.csv"), "tag,page\nplanets,Jupiter\nanimals,Fish\n")?;
/// let conf = TableConf::new(dir.join("links.tsv")).categories(dir.join("tags.csv"));
/// let imported = import(&conf, &dir.join("my.corpus"), &mut Silent)?;
/// assert_eq!(imported.manifest.counts.pages, 3);
/// assert_eq!(imported.account.table(Table::Links).unwrap().duplicates, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns an error if a file cannot be read or is no such table, the categories' pages are not those of the links, a
/// row is bad under [`Mode::Strict`], or the corpus cannot be written. No partial output is left.
pub fn import(conf: &TableConf, out: &Path, progress: &mut dyn Progress) -> Result<Imported, ImportError> {
    // A wrong name should be found before hours of reading.
    let files = || {
        Table::ALL.into_iter().filter(|&table| conf.is_file(table)).filter_map(|table| conf.file_of(table))
    };
    if files().filter(|file| input::is_stdin(file)).count() > 1 {
        return Err(ImportError::StdinTwice);
    }
    files().try_for_each(input::check)?;
    let mut writer = CorpusWriter::create(out, conf.existing)?;
    writer.note_replaced(progress);
    conf.site.iter().for_each(|site| writer.set_site(site.clone()));
    let mut job = Job::new(conf, writer);
    job.read_links(progress)?;
    job.read_categories(progress)?;
    job.read_pages(progress)?;
    job.read_tree(progress)?;
    job.read_redirects(progress)?;
    job.check()?;
    job.read_text(progress)?;
    job.write(progress)
}
