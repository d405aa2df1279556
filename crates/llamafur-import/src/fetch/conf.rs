//! What to fetch, from where and how patiently.

use super::error::FetchError;
use super::names;
use std::path::PathBuf;
use std::time::Duration;

/// Where Wikimedia publishes its dumps.
pub const DEFAULT_BASE_URL: &str = "https://dumps.wikimedia.org";

/// Whom the server's operators may turn to unless the user gives an address of their own.
pub const DEFAULT_CONTACT: &str = env!("CARGO_PKG_REPOSITORY");

/// As many connections as Wikimedia allows one downloader.
pub const MOST_CONNECTIONS: usize = 3;

/// Settings of one download; [`fetch`](super::fetch) checks them before the first request.
#[derive(Debug, Clone)]
pub struct FetchConf {
    pub(super) wiki: String,
    pub(super) date: Option<String>,
    pub(super) out: PathBuf,
    pub(super) base_url: String,
    pub(super) contact: String,
    pub(super) parts: bool,
    pub(super) overwrite: bool,
    pub(super) connections: usize,
    pub(super) env_proxy: bool,
    pub(super) stall: Duration,
    pub(super) tries: u32,
    pub(super) first_wait: Duration,
    pub(super) longest_wait: Duration,
    pub(super) max_retry_after: Duration,
}

impl FetchConf {
    /// The newest complete dump of `wiki` (`simplewiki`, `enwiki`, …) from Wikimedia into the current folder.
    pub fn new(wiki: impl Into<String>) -> Self {
        FetchConf {
            wiki: wiki.into(),
            date: None,
            out: PathBuf::from("."),
            base_url: DEFAULT_BASE_URL.to_owned(),
            contact: DEFAULT_CONTACT.to_owned(),
            parts: false,
            overwrite: false,
            connections: MOST_CONNECTIONS,
            env_proxy: true,
            stall: Duration::from_secs(30),
            tries: 8,
            first_wait: Duration::from_secs(1),
            longest_wait: Duration::from_secs(60),
            max_retry_after: Duration::from_secs(600),
        }
    }

    /// Takes the dump of this date, eight digits; `latest` is the same as giving none.
    pub fn date(mut self, date: impl Into<String>) -> Self {
        let date = date.into();
        self.date = (date != "latest").then_some(date);
        self
    }

    /// Puts the files into this folder, which is made if need be.
    pub fn out(mut self, out: impl Into<PathBuf>) -> Self {
        self.out = out.into();
        self
    }

    /// Downloads from this mirror; the address may have a path and may end with a slash.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = url.into().trim_end_matches('/').to_owned();
        self
    }

    /// Tells the server's operators this address, mail or web, should the download bother them.
    pub fn contact(mut self, contact: impl Into<String>) -> Self {
        self.contact = contact.into();
        self
    }

    /// Takes the numbered parts although there is a whole file; large wikis have them.
    pub fn parts(mut self, parts: bool) -> Self {
        self.parts = parts;
        self
    }

    /// Replaces a file of the same name whose checksum is wrong; otherwise that is an error.
    pub fn overwrite(mut self, overwrite: bool) -> Self {
        self.overwrite = overwrite;
        self
    }

    /// Downloads this many files at once, 1 to [`MOST_CONNECTIONS`].
    pub fn connections(mut self, connections: usize) -> Self {
        self.connections = connections;
        self
    }

    /// Whether the proxy named in the environment (`HTTPS_PROXY`, `NO_PROXY` and kin) is used; it is by
    /// default.
    pub fn env_proxy(mut self, env_proxy: bool) -> Self {
        self.env_proxy = env_proxy;
        self
    }

    /// Takes a connection for dead after this long without a byte; 30 s by default.
    pub fn stall(mut self, stall: Duration) -> Self {
        self.stall = stall;
        self
    }

    /// Gives up after this many tries without a byte of progress; 8 by default.
    pub fn tries(mut self, tries: u32) -> Self {
        self.tries = tries.max(1);
        self
    }

    /// Waits this long after the first failure, then twice as long each time up to a minute; 1 s by default.
    pub fn first_wait(mut self, wait: Duration) -> Self {
        self.first_wait = wait;
        self
    }

    /// Waits at most this long when a busy server says how long to wait, beyond it gives up; 10 min by
    /// default.
    pub fn max_retry_after(mut self, wait: Duration) -> Self {
        self.max_retry_after = wait;
        self
    }

    /// Refuses what could do harm or could not work, before anything is asked of a server.
    pub(super) fn check(&self) -> Result<(), FetchError> {
        if !names::is_wiki(&self.wiki) {
            return Err(FetchError::BadWiki { wiki: self.wiki.clone() });
        }
        if let Some(date) = self.date.as_ref().filter(|date| !names::is_date(date)) {
            return Err(FetchError::BadDate { date: date.clone() });
        }
        if !names::is_base_url(&self.base_url) {
            return Err(FetchError::BadBaseUrl { url: self.base_url.clone() });
        }
        if !names::is_contact(&self.contact) {
            return Err(FetchError::BadContact { contact: self.contact.clone() });
        }
        if !(1..=MOST_CONNECTIONS).contains(&self.connections) {
            return Err(FetchError::BadConnections { connections: self.connections });
        }
        Ok(())
    }

    /// The name under which the downloader shows itself.
    pub(super) fn user_agent(&self) -> String {
        format!("llamafur/{} ({}; ureq)", env!("CARGO_PKG_VERSION"), self.contact)
    }

    /// The folder of the wiki, with a slash at its end.
    pub(super) fn wiki_url(&self) -> String {
        format!("{}/{}/", self.base_url, self.wiki)
    }

    /// The address of a file of the dump of `date`.
    pub(super) fn file_url(&self, date: &str, name: &str) -> String {
        format!("{}/{}/{date}/{name}", self.base_url, self.wiki)
    }
}
