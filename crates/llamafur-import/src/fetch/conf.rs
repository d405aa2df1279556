//! What to fetch, from where, and how long to keep trying.

use super::error::FetchError;
use std::path::PathBuf;
use std::time::Duration;
use ureq::http::Uri;

/// Where Wikimedia publishes its dumps.
pub const DEFAULT_BASE_URL: &str = "https://dumps.wikimedia.org";

/// The contact that the server's operators get unless the user gives one.
pub const DEFAULT_CONTACT: &str = env!("CARGO_PKG_REPOSITORY");

/// Settings of one download; [`fetch`](super::fetch) checks them before the first request.
#[derive(Debug, Clone)]
pub struct FetchConf {
    pub(super) wiki: String,
    pub(super) date: Option<String>,
    pub(super) out: PathBuf,
    pub(super) base_url: String,
    pub(super) contact: String,
    pub(super) overwrite: bool,
    pub(super) env_proxy: bool,
    pub(super) stall: Duration,
    pub(super) tries: u32,
    pub(super) first_wait: Duration,
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
            overwrite: false,
            env_proxy: true,
            stall: Duration::from_secs(30),
            tries: 8,
            first_wait: Duration::from_secs(1),
        }
    }

    /// The date of the dump, eight digits. Default: `latest`, the newest that is complete.
    pub fn date(mut self, date: impl Into<String>) -> Self {
        let date = date.into();
        self.date = (date != "latest").then_some(date);
        self
    }

    /// The folder for the file, which is made if it is missing. Default: the current folder.
    pub fn out(mut self, out: impl Into<PathBuf>) -> Self {
        self.out = out.into();
        self
    }

    /// The server to download from; the address may have a path. Default: [`DEFAULT_BASE_URL`].
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = url.into().trim_end_matches('/').to_owned();
        self
    }

    /// A mail or web address for the server's operators, sent in the user agent. Default: [`DEFAULT_CONTACT`].
    pub fn contact(mut self, contact: impl Into<String>) -> Self {
        self.contact = contact.into();
        self
    }

    /// Whether to replace a file of the same name whose checksum is wrong. Default: no, it is an error.
    pub fn overwrite(mut self, overwrite: bool) -> Self {
        self.overwrite = overwrite;
        self
    }

    /// Whether to use the proxy named in the environment (`HTTPS_PROXY`, `NO_PROXY`, …). Default: yes.
    pub fn env_proxy(mut self, env_proxy: bool) -> Self {
        self.env_proxy = env_proxy;
        self
    }

    /// How long a connection may send nothing before it is given up. Default: 30 s.
    pub fn stall(mut self, stall: Duration) -> Self {
        self.stall = stall;
        self
    }

    /// How many tries in a row may bring nothing before the download fails. Default: 8.
    pub fn tries(mut self, tries: u32) -> Self {
        self.tries = tries.max(1);
        self
    }

    /// How long to wait after the first failure; the wait doubles each time, up to a minute. Default: 1 s.
    pub fn first_wait(mut self, wait: Duration) -> Self {
        self.first_wait = wait;
        self
    }

    /// Refuses what could do harm or could not work, before the first request.
    pub(super) fn check(&self) -> Result<(), FetchError> {
        let bad = |setting, found: String, expected| Err(FetchError::BadSetting { setting, found, expected });
        if !is_wiki(&self.wiki) {
            let expected = "small letters, digits and _, as in simplewiki, enwiki or dewiki";
            return bad("wiki", self.wiki.clone(), expected);
        }
        if let Some(date) = self.date.as_ref().filter(|date| !is_date(date)) {
            return bad("date", date.clone(), "eight digits, as in 20260901, or latest");
        }
        if !is_base_url(&self.base_url) {
            let expected = "the http or https address of a mirror, as in https://dumps.wikimedia.org";
            return bad("base_url", self.base_url.clone(), expected);
        }
        if !is_contact(&self.contact) {
            let expected = "a mail or web address in plain ASCII without brackets";
            return bad("contact", self.contact.clone(), expected);
        }
        Ok(())
    }

    pub(super) fn user_agent(&self) -> String {
        format!("llamafur/{} ({}; ureq)", env!("CARGO_PKG_VERSION"), self.contact)
    }

    /// The folder of the wiki, with a slash at its end.
    pub(super) fn wiki_url(&self) -> String {
        format!("{}/{}/", self.base_url, self.wiki)
    }

    /// The address of a file of the dump of `date`.
    pub(super) fn file_url(&self, date: &str, name: &str) -> String {
        format!("{}{date}/{name}", self.wiki_url())
    }
}

// A wiki, a date or a file name becomes part of a path and of a URL, so nothing is allowed that leads elsewhere.

fn is_wiki(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.len() <= 64
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// Whether this is a date as in the names of dumps: eight digits.
pub(super) fn is_date(date: &str) -> bool {
    date.len() == 8 && date.bytes().all(|b| b.is_ascii_digit())
}

/// Whether this is a plain file name: no separators, no leading dot, nothing special to a shell or Windows.
pub(super) fn is_plain(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.len() <= 200
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_'))
}

fn is_base_url(url: &str) -> bool {
    // The parser drops a fragment silently.
    !url.contains('#')
        && url.parse::<Uri>().is_ok_and(|uri| {
            matches!(uri.scheme_str(), Some("http" | "https"))
                && uri.host().is_some_and(|host| !host.is_empty())
                && uri.query().is_none()
        })
}

/// Whether this can be sent in the brackets of a user agent; a line break would be a header of its own.
fn is_contact(contact: &str) -> bool {
    !contact.trim().is_empty()
        && contact.len() <= 200
        && contact.bytes().all(|b| (b.is_ascii_graphic() || b == b' ') && !matches!(b, b'(' | b')' | b'\\'))
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
        assert!(is_plain("simplewiki-20260901-pages-articles-multistream.xml.bz2"));
        for bad in ["", "..", "../evil", ".hidden", "a/b", "a\\b", "c:d", "-rf", "a b", "a\0b"] {
            assert!(!is_plain(bad), "{bad}");
        }
        for good in ["https://dumps.wikimedia.org", "http://127.0.0.1:8080/mirror", "http://[::1]:80"] {
            assert!(is_base_url(good), "{good}");
        }
        for bad in ["", "x.org", "ftp://x.org", "file:///etc", "http://", "http://x/?q", "http://x/#f"] {
            assert!(!is_base_url(bad), "{bad}");
        }
        assert!(is_contact("me@example.org") && is_contact("https://example.org/me"));
        for bad in ["", "  ", "a\r\nX: y", "a)(b", "mé@example.org"] {
            assert!(!is_contact(bad), "{bad}");
        }
    }
}
