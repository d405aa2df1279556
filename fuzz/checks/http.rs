//! Any bytes may be a request: it is answered, never by a fault of the server, and in bounded bytes.

use super::sample;

/// A line `GET /path?query`, lines of headers, an empty line, the body.
pub fn check(bytes: &[u8]) {
    let head = bytes.windows(2).position(|two| two == b"\n\n").unwrap_or(bytes.len());
    let body = bytes.get(head + 2..).unwrap_or_default();
    let Ok(head) = std::str::from_utf8(&bytes[..head]) else { return };
    let mut lines = head.lines();
    let Some((method, target)) = lines.next().and_then(|line| line.split_once(' ')) else { return };
    let mut headers: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once(": ")).collect();
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        headers.push(("host", "localhost"));
    }
    // Not a request at all: the library that reads them refuses it.
    let Some(answer) = sample::site().answer(method, target, &headers, body) else { return };
    // 503 and 504 say that the server has much to do.
    let is_fault = answer.status >= 500 && !matches!(answer.status, 503 | 504);
    assert!(!is_fault, "{} for {method} {target}: {}", answer.status, String::from_utf8_lossy(&answer.body));
}
