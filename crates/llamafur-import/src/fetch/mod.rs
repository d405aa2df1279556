//! Fetches a Wikipedia dump: the file of one wiki and one date, checked against the published SHA-1 sum.
//!
//! The received part is in `NAME.part` until its checksum is right; after an interruption, the same call resumes there.
//! A lost connection is retried a few times.
//!
//! ```no_run
//! use llamafur_import::fetch::{FetchConf, fetch};
//! use llamafur::progress::Silent;
//!
//! let dump = fetch(&FetchConf::new("simplewiki").out("dumps"), &mut Silent)?;
//! println!("{}: {} bytes of {}", dump.file.display(), dump.bytes, dump.date);
//! # Ok::<(), llamafur_import::fetch::FetchError>(())
//! ```

mod download;
mod error;
mod find;
mod part;

pub use error::FetchError;

use llamafur::progress::Progress;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;
use ureq::http::{Response, header};
use ureq::{Agent, Body};

/// Address at which Wikimedia publishes its dumps.
pub const DEFAULT_BASE_URL: &str = "https://dumps.wikimedia.org";

/// Settings of one download; [`fetch`] checks them before the first request.
#[derive(Debug, Clone)]
pub struct FetchConf {
    wiki: String,
    date: Option<String>,
    out: PathBuf,
    base_url: String,
    /// Time for which a connection may send nothing.
    stall: Duration,
    /// The pause after the first failure, which doubles after each further one.
    pause: Duration,
    env_proxy: bool,
}

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
}

impl FetchConf {
    /// Describes the newest complete dump of `wiki` (`simplewiki`, `enwiki`, …), from Wikimedia into the current
    /// folder.
    pub fn new(wiki: impl Into<String>) -> Self {
        FetchConf {
            wiki: wiki.into(),
            date: None,
            out: PathBuf::from("."),
            base_url: DEFAULT_BASE_URL.to_owned(),
            stall: Duration::from_secs(30),
            pause: Duration::from_secs(1),
            env_proxy: true,
        }
    }

    /// Sets the date of the dump, eight digits. Default: the newest that is complete.
    pub fn date(mut self, date: impl Into<String>) -> Self {
        self.date = Some(date.into());
        self
    }

    /// Sets the folder for the file, which is created if missing. Default: the current folder.
    pub fn out(mut self, out: impl Into<PathBuf>) -> Self {
        self.out = out.into();
        self
    }

    /// Sets the server to download from; the address may have a path. Default: [`DEFAULT_BASE_URL`].
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = url.into().trim_end_matches('/').to_owned();
        self
    }

    /// Sets the waiting times and disables the proxy of the environment, which only tests do.
    #[doc(hidden)]
    pub fn for_tests(mut self, stall: Duration, pause: Duration) -> Self {
        (self.stall, self.pause, self.env_proxy) = (stall, pause, false);
        self
    }

    /// Rejects invalid settings. A wiki and a date become parts of a path and of an address, so only harmless
    /// characters are allowed.
    fn check(&self) -> Result<(), FetchError> {
        let bad = |setting, found: &str, expected| {
            Err(FetchError::BadSetting { setting, found: found.to_owned(), expected })
        };
        if !is_wiki(&self.wiki) {
            let expected = "small letters, digits and _, as in simplewiki, enwiki or dewiki";
            return bad("wiki", &self.wiki, expected);
        }
        if let Some(date) = self.date.as_ref().filter(|date| !is_date(date)) {
            return bad("date", date, "eight digits, as in 20260901");
        }
        let host = ["https://", "http://"].iter().find_map(|scheme| self.base_url.strip_prefix(scheme));
        if host.is_none_or(str::is_empty) {
            let expected = "the http or https address of a mirror, as in https://dumps.wikimedia.org";
            return bad("base_url", &self.base_url, expected);
        }
        Ok(())
    }

    fn agent(&self) -> Agent {
        let (stall, version) = (Some(self.stall), env!("CARGO_PKG_VERSION"));
        let mut config = Agent::config_builder()
            // Wikimedia asks for a contact.
            .user_agent(format!("llamafur/{version} ({}; ureq)", env!("CARGO_PKG_REPOSITORY")))
            .accept_encoding("identity")
            .http_status_as_error(false)
            // A secure address must not redirect to an insecure one.
            .https_only(self.base_url.starts_with("https:"))
            .timeout_resolve(stall)
            .timeout_connect(stall)
            .timeout_send_request(stall)
            .timeout_recv_response(stall)
            .timeout_per_read(stall);
        if !self.env_proxy {
            config = config.proxy(None);
        }
        Agent::new_with_config(config.build())
    }
}

fn is_wiki(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.len() <= 64
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// Returns whether this is a date as in the names of dumps: eight digits.
fn is_date(date: &str) -> bool {
    date.len() == 8 && date.bytes().all(|b| b.is_ascii_digit())
}

/// Requests `url` from byte `at` on. A server that is busy or broken counts as a lost connection, which may be retried.
fn request(agent: &Agent, url: &str, at: u64) -> Result<Response<Body>, FetchError> {
    let mut request = agent.get(url);
    if at > 0 {
        request = request.header(header::RANGE, format!("bytes={at}-"));
    }
    let answer = request.call().map_err(FetchError::lost(url))?;
    match answer.status().as_u16() {
        status @ (408 | 429 | 500..) => {
            let cause = format!("status {status}");
            Err(FetchError::Lost { url: url.to_owned(), cause })
        }
        _ => Ok(answer),
    }
}

/// Downloads the dump that `conf` describes and reports the progress in bytes.
///
/// # Errors
/// Returns the first problem; unless the checksum is wrong, the received part is kept.
pub fn fetch(conf: &FetchConf, progress: &mut dyn Progress) -> Result<Dump, FetchError> {
    conf.check()?;
    let agent = conf.agent();
    let found = find::find(conf, &agent)?;
    fs::create_dir_all(&conf.out).map_err(FetchError::writing(&conf.out))?;
    let file = conf.out.join(&found.name);
    let bytes = download::download(conf, &agent, &found, &file, progress)?;
    Ok(Dump { wiki: conf.wiki.clone(), date: found.date, file, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for good in ["simplewiki", "zh_min_nanwiki", "wiki2"] {
            assert!(is_wiki(good), "{good}");
        }
        for bad in ["", "..", "../x", "en/wiki", "EnWiki", "2wiki", "_wiki", "en wiki", "enwiki\n", "énwiki"]
        {
            assert!(!is_wiki(bad), "{bad}");
        }
    }
}
