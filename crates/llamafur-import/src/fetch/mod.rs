//! Fetches a Wikipedia dump: the file of one wiki and one date, checked against the published SHA-1 sum.
//!
//! The downloader behaves as Wikimedia asks: a user agent with a contact, one connection, waiting when the server says so,
//! and no byte twice where that can be avoided. What has arrived lies in `NAME.part` until its checksum is right; after any
//! interruption, the same call resumes there.
//!
//! ```no_run
//! use llamafur_import::fetch::{FetchConf, fetch};
//! use llamafur::progress::Silent;
//!
//! let dump = fetch(&FetchConf::new("simplewiki").out("dumps"), &mut Silent)?;
//! println!("{}: {} bytes of {}", dump.file.display(), dump.bytes, dump.date);
//! # Ok::<(), llamafur_import::fetch::FetchError>(())
//! ```

mod conf;
mod download;
mod error;
mod find;
mod http;
mod part;
mod retry;
mod sums;

pub use conf::{DEFAULT_BASE_URL, DEFAULT_CONTACT, FetchConf};
pub use error::FetchError;

use http::Client;
use llamafur::progress::Progress;
use std::fs;
use std::path::PathBuf;

/// A complete dump on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dump {
    /// The wiki, `simplewiki` for instance.
    pub wiki: String,
    /// The date of the dump, eight digits.
    pub date: String,
    /// Its file, whose checksum is verified.
    pub file: PathBuf,
    /// The length of the file.
    pub bytes: u64,
    /// How it got there.
    pub how: How,
}

/// How a file got on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// This call downloaded all of it.
    Downloaded,
    /// This call continued what an earlier one had begun.
    Resumed,
    /// It was there, with the right checksum; nothing was downloaded.
    AlreadyThere,
}

/// Fetches the dump that `conf` describes and reports the progress in bytes.
///
/// # Errors
/// With the first problem; what has arrived by then is kept.
pub fn fetch(conf: &FetchConf, progress: &mut dyn Progress) -> Result<Dump, FetchError> {
    conf.check()?;
    let client = Client::new(conf);
    let (date, wanted) = find::find(conf, &client, progress)?;
    fs::create_dir_all(&conf.out).map_err(FetchError::writing(&conf.out))?;
    let (bytes, how) = download::download(conf, &client, &date, &wanted, progress)?;
    Ok(Dump { wiki: conf.wiki.clone(), file: conf.out.join(wanted.name), date, bytes, how })
}
