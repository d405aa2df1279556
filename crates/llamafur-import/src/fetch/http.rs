//! The HTTP client: sorts failures into those worth another try and those that are not.

use super::conf::FetchConf;
use super::error::FetchError;
use super::retry::Retry;
use llamafur::progress::Progress;
use std::io;
use std::time::Duration;
use ureq::http::{Response, header};
use ureq::{Agent, Body, Error};

/// Lists of checksums and of folders are some kilobytes long; more than this is something else.
const LONGEST_TEXT: u64 = 16 << 20;

/// More redirects in a row than any mirror needs.
const MOST_REDIRECTS: u32 = 5;

/// Why a request brought no usable answer.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The server is too busy and asks to wait, 0 if it does not say how long.
    Later { asked: Duration, cause: String },
    /// The connection was cut or stalled, or the server failed: the next try may succeed.
    Cut { cause: String },
    /// There was no connection: worth another try only in the middle of a download.
    NoWay { cause: String },
    /// Another try would not help.
    Fatal(FetchError),
}

impl From<FetchError> for Trouble {
    fn from(error: FetchError) -> Self {
        Trouble::Fatal(error)
    }
}

/// Sends requests, each on a connection of its own, so that there are never more connections than requests.
pub(super) struct Client {
    agent: Agent,
}

impl Client {
    pub(super) fn new(conf: &FetchConf) -> Client {
        let stall = Some(conf.stall);
        let mut config = Agent::config_builder()
            .user_agent(conf.user_agent())
            .accept_encoding("identity")
            .http_status_as_error(false)
            .max_redirects(MOST_REDIRECTS)
            // A secure address must not redirect to an insecure one.
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

    /// Requests `url`, from byte `at` on.
    pub(super) fn get(&self, url: &str, at: u64) -> Result<Response<Body>, Trouble> {
        let mut request = self.agent.get(url);
        if at > 0 {
            request = request.header(header::RANGE, format!("bytes={at}-"));
        }
        let answer = request.call().map_err(|error| classify(url, error))?;
        let cause = format!("the server answered {}", answer.status().as_u16());
        match answer.status().as_u16() {
            429 | 503 => {
                let asked =
                    text_header(&answer, header::RETRY_AFTER).and_then(|text| text.trim().parse().ok());
                Err(Trouble::Later { asked: Duration::from_secs(asked.unwrap_or_default()), cause })
            }
            408 | 500..=599 => Err(Trouble::Cut { cause }),
            _ => Ok(answer),
        }
    }

    /// The text at `url`, with retries; `None` if there is none (404).
    pub(super) fn text(
        &self,
        conf: &FetchConf,
        url: &str,
        progress: &mut dyn Progress,
    ) -> Result<Option<String>, FetchError> {
        let mut retry = Retry::new(conf, url);
        loop {
            match self.text_once(url) {
                Ok(text) => return Ok(text),
                // Nothing is lost yet: a user who is offline or mistyped the host should know at once.
                Err(Trouble::NoWay { cause }) => {
                    return Err(FetchError::Unreachable { url: url.to_owned(), cause });
                }
                Err(trouble) => retry.wait(trouble, progress)?,
            };
        }
    }

    /// The text at `url`, without retries.
    pub(super) fn text_once(&self, url: &str) -> Result<Option<String>, Trouble> {
        let answer = self.get(url, 0)?;
        match answer.status().as_u16() {
            200 => {
                let body = answer.into_body().into_with_config().limit(LONGEST_TEXT).lossy_utf8(true);
                body.read_to_string().map(Some).map_err(|error| classify(url, error))
            }
            404 | 410 => Ok(None),
            status => Err(FetchError::Refused { url: url.to_owned(), status }.into()),
        }
    }
}

/// A header of an answer, if it is there and is text.
pub(super) fn text_header(answer: &Response<Body>, name: header::HeaderName) -> Option<&str> {
    answer.headers().get(name)?.to_str().ok()
}

fn classify(url: &str, error: Error) -> Trouble {
    let fatal = |cause: String| Trouble::Fatal(FetchError::Unreachable { url: url.to_owned(), cause });
    let no_way = |cause: &str| Trouble::NoWay { cause: cause.to_owned() };
    match error {
        // Bad certificates come as this kind.
        Error::Io(cause) if cause.kind() == io::ErrorKind::InvalidData => fatal(cause.to_string()),
        Error::Io(cause) if cause.kind() == io::ErrorKind::ConnectionRefused => {
            no_way("the connection was refused")
        }
        // The standard library's words; there is no kind of error for it.
        Error::Io(cause) if cause.to_string().starts_with("failed to lookup address") => {
            no_way("the host was not found")
        }
        Error::HostNotFound => no_way("the host was not found"),
        Error::ConnectionFailed => no_way("the connection failed"),
        Error::Io(cause) => Trouble::Cut { cause: cut(&cause) },
        Error::Timeout(_) => Trouble::Cut { cause: "the connection stalled".to_owned() },
        Error::Protocol(cause) => Trouble::Cut { cause: format!("the answer was garbled ({cause})") },
        Error::RequireHttpsOnly(to) => fatal(format!("it redirects to {to}, which is not secure")),
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
        let trouble = |cause: io::Error| classify("http://x", Error::Io(cause));
        let unknown = io::Error::other("failed to lookup address information: Name or service not known");
        assert!(matches!(trouble(unknown), Trouble::NoWay { .. }));
        assert!(matches!(trouble(io::ErrorKind::ConnectionReset.into()), Trouble::Cut { .. }));
    }
}
