//! Limits of the time and number of requests and clients.

use std::time::Duration;

/// The bounds of a server.
#[derive(Debug, Clone)]
pub(crate) struct Limits {
    /// Time for an answer.
    pub(crate) answer: Duration,
    /// Time for a client to send a request's header, and for a connection to be idle.
    pub(crate) header: Duration,
    /// Time for a client to read an answer.
    pub(crate) send: Duration,
    /// Time for which a request waits for its turn before it is rejected.
    pub(crate) turn: Duration,
    /// Time for requests that have begun to end when the server is stopped.
    pub(crate) end: Duration,
    /// Largest number of bytes of an answer.
    pub(crate) body: usize,
    /// Largest number of open connections.
    pub(crate) connections: usize,
    /// Largest number of concurrent requests that need only opened data.
    pub(crate) light: usize,
    /// Largest number of concurrent requests for pages with very many links.
    pub(crate) large: usize,
    /// Largest number of concurrent requests that compute something first.
    pub(crate) heavy: usize,
    /// Largest number of concurrent requests about judgments.
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

/// Number of files that the corpora, the log of judgments and the system's libraries may need besides connections.
const FILES: usize = 256;

/// Raises the limit of open files as far as the system permits, and returns it.
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
