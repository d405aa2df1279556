//! The HTTP client: asks, and sorts what can go wrong into what is worth another try and what is not.

use super::clock;
use super::conf::FetchConf;
use super::error::FetchError;
use super::retry::{Halt, Retry};
use llamafur::progress::Note;
use std::io;
use std::time::{Duration, SystemTime};
use ureq::http::{Response, header};
use ureq::{Agent, Body, Error};

/// Lists of checksums and of folders are some kilobytes; more than this is something else.
const LONGEST_TEXT: u64 = 16 << 20;

/// More redirects in a row than any mirror needs are a circle.
const MOST_REDIRECTS: u32 = 5;

/// Why a request brought no answer that could be used.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The server is too busy and may have said for how long.
    Later { status: u16, asked: Option<Duration> },
    /// The connection was cut or stalled, or the server stumbled: the next try may do better.
    Cut { cause: String },
    /// There was no connection at all: worth another try only in the middle of things.
    NoWay { cause: String },
    /// Not to be mended by trying again.
    Fatal(FetchError),
}

impl From<FetchError> for Trouble {
    fn from(error: FetchError) -> Self {
        Trouble::Fatal(error)
    }
}

/// From where on a file is wanted.
pub(super) struct Rest<'a> {
    /// The first byte.
    pub at: u64,
    /// What tells the server's present file from an older one.
    pub validator: Option<&'a str>,
}

/// Asks a server. Every request has a connection of its own, so that there are never more than requests.
pub(super) struct Client {
    agent: Agent,
}

impl Client {
    /// A client as the settings want it.
    pub fn new(conf: &FetchConf) -> Client {
        let stall = Some(conf.stall);
        let mut config = Agent::config_builder()
            .user_agent(conf.user_agent())
            .accept_encoding("identity")
            .http_status_as_error(false)
            .max_redirects(MOST_REDIRECTS)
            // Who began with a secure address is not to be led to an insecure one.
            .https_only(conf.base_url.starts_with("https:"))
            .max_idle_connections(0)
            .timeout_resolve(stall)
            .timeout_connect(stall)
            .timeout_send_request(stall)
            .timeout_recv_response(stall)
            .timeout_per_read(stall);
        if !conf.env_proxy {
            config = config.proxy(None);
        }
        Client { agent: Agent::new_with_config(config.build()) }
    }

    /// Asks for `url`, whole or from a byte on. An answer is Ok unless its status says to try again.
    pub fn get(&self, url: &str, from: Option<Rest>) -> Result<Response<Body>, Trouble> {
        let mut request = self.agent.get(url);
        if let Some(from) = from {
            request = request.header(header::RANGE, format!("bytes={}-", from.at));
            if let Some(validator) = from.validator {
                request = request.header(header::IF_RANGE, validator);
            }
        }
        let answer = request.call().map_err(|error| sort_out(url, error))?;
        let status = answer.status().as_u16();
        match status {
            429 | 503 => {
                let asked = text_header(&answer, header::RETRY_AFTER);
                let asked = asked.and_then(|value| clock::retry_after(value, SystemTime::now()));
                Err(Trouble::Later { status, asked })
            }
            408 | 500..=599 => Err(Trouble::Cut { cause: format!("the server answered {status}") }),
            _ => Ok(answer),
        }
    }

    /// The text at `url`, with retry; `None` if there is none (404).
    pub fn text(
        &self,
        conf: &FetchConf,
        url: &str,
        note: &mut dyn FnMut(Note),
    ) -> Result<Option<String>, FetchError> {
        // Nobody puts this sign up: it is the calling thread that asks.
        let halt = Halt::default();
        let mut retry = Retry::new(conf, &halt, url);
        loop {
            match self.text_once(url) {
                Ok(text) => return Ok(text),
                // Nothing is lost yet: whoever is offline or mistyped the host shall know at once.
                Err(Trouble::NoWay { cause }) => {
                    return Err(FetchError::Unreachable { url: url.to_owned(), cause });
                }
                Err(trouble) => retry.wait(trouble, note)?,
            };
        }
    }

    /// The text at `url`, without retry.
    pub fn text_once(&self, url: &str) -> Result<Option<String>, Trouble> {
        let answer = self.get(url, None)?;
        match answer.status().as_u16() {
            200 => {
                let body = answer.into_body().into_with_config().limit(LONGEST_TEXT).lossy_utf8(true);
                body.read_to_string().map(Some).map_err(|error| sort_out(url, error))
            }
            404 | 410 => Ok(None),
            status => Err(FetchError::Refused { url: url.to_owned(), status }.into()),
        }
    }

    /// The length of the file at `url`, if the server tells it without sending the file.
    pub fn length(&self, url: &str) -> Option<u64> {
        let answer = self.agent.head(url).call().ok()?;
        (answer.status() == 200).then(|| content_length(&answer)).flatten()
    }

    /// Cuts all connections, so that threads that wait for data return at once.
    pub fn shutdown(&self) {
        self.agent.clone().shutdown();
    }
}

/// A header of an answer, if it is there and is text.
pub(super) fn text_header(answer: &Response<Body>, name: header::HeaderName) -> Option<&str> {
    answer.headers().get(name)?.to_str().ok()
}

/// How many bytes an answer is going to have, if it says so.
pub(super) fn content_length(answer: &Response<Body>) -> Option<u64> {
    text_header(answer, header::CONTENT_LENGTH)?.trim().parse().ok()
}

/// Whether an error of the client is worth another try.
fn sort_out(url: &str, error: Error) -> Trouble {
    let fatal = |cause: String| Trouble::Fatal(FetchError::Unreachable { url: url.to_owned(), cause });
    match error {
        // This is how certificates that do not hold arrive.
        Error::Io(cause) if cause.kind() == io::ErrorKind::InvalidData => fatal(cause.to_string()),
        Error::Io(cause) if cause.kind() == io::ErrorKind::ConnectionRefused => {
            Trouble::NoWay { cause: "the connection was refused".to_owned() }
        }
        // The standard library's words; there is no kind of error for it.
        Error::Io(cause) if cause.to_string().starts_with("failed to lookup address") => {
            Trouble::NoWay { cause: "the host was not found".to_owned() }
        }
        Error::HostNotFound => Trouble::NoWay { cause: "the host was not found".to_owned() },
        Error::ConnectionFailed => Trouble::NoWay { cause: "the connection failed".to_owned() },
        Error::Io(cause) => Trouble::Cut { cause: cut(&cause) },
        Error::Timeout(_) => Trouble::Cut { cause: "the connection stalled".to_owned() },
        Error::Protocol(cause) => Trouble::Cut { cause: format!("the answer was garbled ({cause})") },
        Error::RequireHttpsOnly(to) => fatal(format!(
            "it redirects to {to}, which is not secure; if you trust it, give it as `--base-url`"
        )),
        Error::TooManyRedirects => fatal(format!("more than {MOST_REDIRECTS} redirects in a row")),
        other => fatal(other.to_string()),
    }
}

/// Why reading from a connection failed.
pub(super) fn cut(cause: &io::Error) -> String {
    match cause.kind() {
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset => "the connection was cut".to_owned(),
        _ if matches!(cause.get_ref().and_then(|e| e.downcast_ref()), Some(Error::Timeout(_))) => {
            "the connection stalled".to_owned()
        }
        _ => format!("the connection broke ({cause})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_host_is_not_tried_again_and_a_cut_connection_is() {
        let trouble = |cause: io::Error| sort_out("http://x", Error::Io(cause));
        let unknown = io::Error::other("failed to lookup address information: Name or service not known");
        assert!(matches!(trouble(unknown), Trouble::NoWay { .. }));
        assert!(matches!(trouble(io::ErrorKind::ConnectionReset.into()), Trouble::Cut { .. }));
    }
}
