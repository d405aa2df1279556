//! What is bounded: the times that requests and clients may take, and how many of them there may be at once.

use std::time::Duration;

/// The bounds of a server.
#[derive(Debug, Clone)]
pub(crate) struct Limits {
    /// How long an answer may take.
    pub(crate) answer: Duration,
    /// How long a client may take to send a request's header, and how long a connection may do nothing.
    pub(crate) header: Duration,
    /// How long a client may take to read an answer.
    pub(crate) send: Duration,
    /// How long a request waits for its turn before it is refused.
    pub(crate) turn: Duration,
    /// How long requests that have begun may take to end when the server is stopped.
    pub(crate) end: Duration,
    /// Bytes of an answer.
    pub(crate) body: usize,
    /// Connections that may be open at once.
    pub(crate) connections: usize,
    /// Requests that need only what is open, worked on at once.
    pub(crate) light: usize,
    /// Requests that go over the links of a page with very many, worked on at once.
    pub(crate) large: usize,
    /// Requests that make something first, worked on at once.
    pub(crate) heavy: usize,
    /// Requests about judgments, worked on at once.
    pub(crate) judging: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Limits {
            answer: Duration::from_secs(60),
            header: Duration::from_secs(60),
            send: Duration::from_secs(60),
            turn: Duration::from_secs(10),
            end: Duration::from_secs(10),
            body: 64 << 20,
            connections: 16_384.min(allowed_files().saturating_sub(FILES)).max(1),
            // Rankings are bound by the cores: more at once would only wait for each other.
            light: 2 * cores,
            // They take seconds: a core stays for the others.
            large: (cores / 2).max(1),
            // They mostly wait for the same lock.
            heavy: 2,
            judging: 4,
        }
    }
}

/// Files that the corpora, the log of judgments and the system's libraries may need besides connections.
const FILES: usize = 256;

/// How many files may be open; the system lets a program ask for more than it begins with.
#[cfg(unix)]
fn allowed_files() -> usize {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    let before = limit.current;
    limit.current = limit.maximum;
    let allowed = match setrlimit(Resource::Nofile, limit) {
        Ok(()) => limit.maximum,
        Err(_) => before,
    };
    allowed.map_or(usize::MAX, |files| usize::try_from(files).unwrap_or(usize::MAX))
}

#[cfg(not(unix))]
fn allowed_files() -> usize {
    usize::MAX
}
