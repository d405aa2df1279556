//! Fetches a Wikipedia dump: the files of one wiki and one date, checked against the published SHA-1 sums.
//!
//! Dumps are large, lines are cut, and the servers are paid for by donations, so the downloader behaves as
//! Wikimedia asks: an honest user agent with a contact, never more than three connections, waiting when told
//! to, and no byte asked for twice if it can be helped. What has arrived lies in `NAME.part` until its
//! checksum is right; whatever ends a run, the same command continues there.
//!
//! ```no_run
//! use llamafur_import::fetch::{FetchConf, fetch};
//! use llamafur::progress::Silent;
//!
//! let dump = fetch(&FetchConf::new("simplewiki").out("dumps"), &mut Silent)?;
//! for file in &dump.files {
//!     println!("{}: {} bytes of {}", file.file.display(), file.bytes, dump.date);
//! }
//! # Ok::<(), llamafur_import::fetch::FetchError>(())
//! ```

mod clock;
mod conf;
mod download;
mod error;
mod find;
mod http;
mod names;
mod part;
mod retry;
mod sums;
mod workers;

pub use conf::{DEFAULT_BASE_URL, DEFAULT_CONTACT, FetchConf, MOST_CONNECTIONS};
pub use error::FetchError;

use find::Found;
use http::Client;
use llamafur::progress::Progress;
use std::fs;
use std::path::PathBuf;

/// A dump that is whole and on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dump {
    /// The wiki, `simplewiki` for instance.
    pub wiki: String,
    /// The date of the dump, eight digits, also where none was asked for.
    pub date: String,
    /// Its files in the order in which they are to be read.
    pub files: Vec<Fetched>,
}

/// One file of a dump, its checksum verified.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fetched {
    /// Where it lies.
    pub file: PathBuf,
    /// Its length.
    pub bytes: u64,
    /// How it came to lie there.
    pub how: How,
}

/// How a file came to be on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// This call downloaded all of it.
    Downloaded,
    /// This call continued what an earlier one had begun.
    Resumed,
    /// It was there, with the right checksum; nothing was downloaded.
    AlreadyThere,
}

/// Fetches the dump that `conf` describes and tells `progress` of it in bytes.
///
/// Returns once every file is complete and verified, or with the first error; what has arrived by then is
/// kept.
pub fn fetch(conf: &FetchConf, progress: &mut dyn Progress) -> Result<Dump, FetchError> {
    conf.check()?;
    let client = Client::new(conf);
    let Found { date, files, sizes } = find::find(conf, &client, progress)?;
    fs::create_dir_all(&conf.out)
        .map_err(|cause| FetchError::Unwritable { file: conf.out.clone(), cause })?;
    let total = workers::total(conf, &client, &date, &files, &sizes);
    let files = workers::download(conf, &client, &date, &files, total, progress)?;
    Ok(Dump { wiki: conf.wiki.clone(), date, files })
}
