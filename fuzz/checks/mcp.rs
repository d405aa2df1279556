//! Any bytes may be a message of the Model Context Protocol: over HTTP it is answered by JSON that has no character that cannot be
//! seen, and never by a fault of the server; over stdin the conversation comes to an end.

use super::sample;

const HEADERS: [(&str, &str); 4] = [
    ("host", "localhost"),
    ("content-type", "application/json"),
    ("accept", "application/json, text/event-stream"),
    ("mcp-protocol-version", "2025-06-18"),
];

pub fn check(bytes: &[u8]) {
    let answer = sample::site().answer("POST", "/mcp", &HEADERS, bytes).unwrap();
    let text = String::from_utf8_lossy(&answer.body);
    let is_fault = answer.status >= 500 && !matches!(answer.status, 503 | 504);
    assert!(!is_fault, "{}: {text}", answer.status);
}
