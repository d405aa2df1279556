//! Restricts the callers of the server, and the use of answers by browsers.

use crate::problem::Problem;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// The accepted callers: the names of this server, and other sites.
#[derive(Debug)]
pub(crate) struct Callers {
    names: Vec<String>,
    is_loopback: bool,
    /// Sites whose scripts may read the answers.
    origins: Vec<HeaderValue>,
}

impl Callers {
    pub(crate) fn new(bound: SocketAddr, names: Vec<String>, origins: Vec<HeaderValue>) -> Callers {
        Callers { names, is_loopback: bound.ip().is_loopback(), origins }
    }

    pub(crate) fn origins(&self) -> &[HeaderValue] {
        &self.origins
    }

    /// Returns whether another site's page made a browser call the API or a tool. It could not read the answer, but it
    /// could start work.
    fn is_cross_site(&self, request: &Request) -> bool {
        let header = |name| request.headers().get(name);
        let path = request.uri().path();
        (path.starts_with("/api/") || path == "/mcp")
            && header("sec-fetch-site").is_some_and(|site| site == "cross-site")
            && !header("origin").is_some_and(|origin| self.origins.contains(origin))
    }

    /// Returns whether a host is this server. Anybody can make a name point here, so that a browser takes this server
    /// for that site; an address cannot be redirected.
    fn is_ours(&self, host: &str) -> bool {
        let name = without_port(host).to_ascii_lowercase();
        if name == "localhost"
            || name.ends_with(".localhost")
            || self.names.iter().any(|own| *own == name || own == "*")
        {
            return true;
        }
        let address: Option<IpAddr> = name.trim_start_matches('[').trim_end_matches(']').parse().ok();
        address.is_some_and(|address| address.is_loopback() || !self.is_loopback)
    }
}

fn without_port(host: &str) -> &str {
    match host.rfind(':') {
        // The colons of an IPv6 address are in brackets.
        Some(at) if !host[at..].contains(']') => &host[..at],
        _ => host,
    }
}

/// Rejects requests with an unknown host name, and requests of other sites to the API.
pub(crate) async fn check(State(callers): State<Arc<Callers>>, request: Request, next: Next) -> Response {
    let uri = request.uri();
    let named =
        request.headers().get_all(header::HOST).into_iter().map(|host| host.to_str().unwrap_or_default());
    let mut named: Vec<&str> =
        uri.authority().map(|authority| authority.as_str()).into_iter().chain(named).collect();
    named.dedup();
    match &named[..] {
        [host] if callers.is_ours(host) && callers.is_cross_site(&request) => {
            Problem::cross_site().into_response()
        }
        [host] if callers.is_ours(host) => next.run(request).await,
        _ => {
            let detail = "this server does not answer to that name; its operator can allow it";
            Problem::new(StatusCode::MISDIRECTED_REQUEST, detail).into_response()
        }
    }
}

/// The page's policy: all content is from this server, no script or style is inline, and no other site can frame it.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; \
    img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

/// The policy of a report, which is one file with its styles, without script.
pub(crate) const REPORT_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-popups";

/// Adds the headers that restrict browsers.
pub(crate) async fn guard(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    set(header::CONTENT_SECURITY_POLICY, PAGE_POLICY);
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::X_FRAME_OPTIONS, "DENY");
    set(header::REFERRER_POLICY, "no-referrer");
    set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    set(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    set(HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()");
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_and_allowed_ones_are_taken() {
        let hosts = Callers::new(([127, 0, 0, 1], 8080).into(), vec!["wiki.example".into()], Vec::new());
        for ours in [
            "localhost:8080",
            "LOCALHOST",
            "127.0.0.1:8080",
            "[::1]:8080",
            "[::1]",
            "wiki.example:80",
            "a.localhost",
        ] {
            assert!(hosts.is_ours(ours), "{ours}");
        }
        for foreign in [
            "evil.example",
            "evil.example:8080",
            "localhost.evil.example",
            "10.0.0.1",
            "",
            "127.0.0.1.nip.io",
        ] {
            assert!(!hosts.is_ours(foreign), "{foreign}");
        }
    }

    #[test]
    fn a_server_for_others_is_called_by_its_addresses() {
        let hosts = Callers::new(([0, 0, 0, 0], 80).into(), Vec::new(), Vec::new());
        assert!(
            hosts.is_ours("192.168.1.5:80")
                && hosts.is_ours("[2001:db8::1]")
                && !hosts.is_ours("evil.example")
        );
    }
}
