//! Serves the engine over HTTP, with the page that shows its answers.
//!
//! A [`Server`] serves one or several corpora: a JSON API under `/api/v1` whose answers are the engine's own `serde`
//! types ([`openapi`] is its document), tools of the Model Context Protocol under `/mcp`, the page that is embedded in
//! the program, `/healthz` and `/metrics`. It adds HTTP and nothing else: every number comes from [`llamafur::Engine`].
//!
//! It is made for long-running use. It listens on the loopback interface by default, checks `Host` and `Origin`, limits
//! the size, time and concurrency of requests, and finishes the requests that have begun before it ends. A corpus that
//! is replaced on disk is opened again without an interruption.
#![forbid(unsafe_code)]

mod api;
mod app;
mod assets;
mod body;
mod connections;
mod corpora;
#[doc(hidden)]
pub mod fuzzing;
mod jobs;
mod limits;
#[cfg(test)]
mod limits_tests;
#[cfg(feature = "mcp")]
mod mcp;
mod metrics;
mod problem;
mod report;
mod security;
mod timed_stream;

pub use api::openapi;
pub use connections::{Server, Stopper};
#[cfg(feature = "mcp")]
pub use mcp::serve_stdio;

use llamafur::Remedy;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Settings of a server.
///
/// ```
/// use llamafur_serve::ServeConf;
/// let conf = ServeConf::new(["my.corpus".into()]).bind(([127, 0, 0, 1], 0).into());
/// ```
#[derive(Debug, Clone)]
pub struct ServeConf {
    corpora: Vec<PathBuf>,
    bind: SocketAddr,
    hosts: Vec<String>,
    cors: Vec<String>,
    judge: bool,
    token: Option<String>,
    report: Option<PathBuf>,
    advice: fn(&Remedy) -> String,
}

impl ServeConf {
    /// Creates settings for these corpora, the first of which is the default.
    pub fn new(corpora: impl IntoIterator<Item = PathBuf>) -> ServeConf {
        ServeConf {
            corpora: corpora.into_iter().collect(),
            bind: ([127, 0, 0, 1], 8080).into(),
            hosts: Vec::new(),
            cors: Vec::new(),
            judge: false,
            token: None,
            report: None,
            advice: |remedy| format!("{remedy:?}"),
        }
    }

    /// Sets the address to listen on. Default: 127.0.0.1:8080. Port 0 takes a free one.
    pub fn bind(mut self, address: SocketAddr) -> ServeConf {
        self.bind = address;
        self
    }

    /// Sets further host names of this server, without port. Default: none, so that only `localhost` and addresses are
    /// accepted: another site cannot make a browser use a name of its own for this server.
    pub fn hosts(mut self, names: impl IntoIterator<Item = String>) -> ServeConf {
        self.hosts = names.into_iter().map(|name| name.to_ascii_lowercase()).collect();
        self
    }

    /// Sets the origins whose scripts may read the answers. Default: none.
    pub fn cors(mut self, origins: impl IntoIterator<Item = String>) -> ServeConf {
        self.cors = origins.into_iter().collect();
        self
    }

    /// Enables judging; the judgments are written into the folder of the corpus. Default: no.
    pub fn judge(mut self, judge: bool) -> ServeConf {
        self.judge = judge;
        self
    }

    /// Sets the token that judging needs. Default: none on the loopback interface; a random one elsewhere, and if the
    /// server has names ([`ServeConf::hosts`]), since then a proxy may forward the requests of others. Without one,
    /// forwarded requests are rejected.
    pub fn token(mut self, token: impl Into<String>) -> ServeConf {
        self.token = Some(token.into());
        self
    }

    /// Sets the folder of an evaluation's report about the first corpus. Default: `report` in the folder of the corpus,
    /// if it exists.
    pub fn report(mut self, folder: impl Into<PathBuf>) -> ServeConf {
        self.report = Some(folder.into());
        self
    }

    /// Sets the function that formats remedies for the readers of errors. Default: Rust's format.
    pub fn advice(mut self, words: fn(&Remedy) -> String) -> ServeConf {
        self.advice = words;
        self
    }
}

/// The reason why a server cannot start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// A corpus cannot be opened.
    #[error(transparent)]
    Corpus(#[from] llamafur::Error),
    /// The judgments of a corpus cannot be read, or there is nothing to judge.
    #[error(transparent)]
    Judging(#[from] llamafur_eval::judging::JudgingError),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {cause}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        cause: std::io::Error,
    },
    /// An origin or a host has a wrong form.
    #[error("{what} must be {rule}, got “{got}”")]
    Setting {
        /// The setting.
        what: &'static str,
        /// The allowed values.
        rule: &'static str,
        /// The value.
        got: String,
    },
    /// There is no corpus to serve.
    #[error("there is no corpus to serve")]
    NoCorpus,
    /// The operating system reported an error.
    #[error("cannot start the server: {0}")]
    Io(#[from] std::io::Error),
}

impl ServeError {
    /// Returns the user's options to fix the problem.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            ServeError::Corpus(error) => error.remedy(),
            ServeError::Judging(error) => error.remedy(),
            ServeError::Bind { .. } => Some(Remedy::another("bind")),
            _ => None,
        }
    }
}
