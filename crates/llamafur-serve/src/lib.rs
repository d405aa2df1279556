//! The engine over HTTP, and the page that shows its answers.
//!
//! A [`Server`] serves one or several corpora: a JSON API under `/api/v1` whose answers are the engine's own `serde` types
//! ([`openapi`] is its document), tools of the Model Context Protocol under `/mcp`, the page that is embedded in the program, `/healthz` and
//! `/metrics`. It adds HTTP and nothing else: every number comes from [`llamafur::Engine`].
//!
//! It is made to be left running. It listens on the loopback interface by default, checks `Host` and `Origin`, bounds
//! the size of requests, the time they take and how many are worked on at once, and ends with the requests that it has
//! begun. A corpus that is replaced on disk is opened again while requests go on.
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

/// How a server serves.
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
    /// Serves these corpora, the first of them where a request names none.
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

    /// Where to listen. Default: 127.0.0.1:8080. Port 0 takes a free one.
    pub fn bind(mut self, address: SocketAddr) -> ServeConf {
        self.bind = address;
        self
    }

    /// Further names that a request may call this server by, without port. Default: none, so that only `localhost` and
    /// addresses are taken: a foreign site cannot make a browser ask this server under a name of its own.
    pub fn hosts(mut self, names: impl IntoIterator<Item = String>) -> ServeConf {
        self.hosts = names.into_iter().map(|name| name.to_ascii_lowercase()).collect();
        self
    }

    /// Origins whose scripts may read the answers. Default: none.
    pub fn cors(mut self, origins: impl IntoIterator<Item = String>) -> ServeConf {
        self.cors = origins.into_iter().collect();
        self
    }

    /// Whether links can be judged; the judgments are written into the folder of the corpus. Default: no.
    pub fn judge(mut self, judge: bool) -> ServeConf {
        self.judge = judge;
        self
    }

    /// The token that judging needs. Default: none on the loopback interface; a random one elsewhere, and where the server has
    /// names ([`ServeConf::hosts`]), since then another server may pass on the requests of others. Without one, requests that say that they were passed on are refused.
    pub fn token(mut self, token: impl Into<String>) -> ServeConf {
        self.token = Some(token.into());
        self
    }

    /// The folder of an evaluation's report about the first corpus. Default: `report` in the folder of the corpus, if it is there.
    pub fn report(mut self, folder: impl Into<PathBuf>) -> ServeConf {
        self.report = Some(folder.into());
        self
    }

    /// How a remedy is put into words for the people who read an error. Default: as Rust writes it.
    pub fn advice(mut self, words: fn(&Remedy) -> String) -> ServeConf {
        self.advice = words;
        self
    }
}

/// Why a server cannot start.
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
        /// What the system said.
        cause: std::io::Error,
    },
    /// An origin or a host has a wrong form.
    #[error("{what} must be {rule}, got “{got}”")]
    Setting {
        /// Which setting.
        what: &'static str,
        /// What it must be.
        rule: &'static str,
        /// What it is.
        got: String,
    },
    /// There is no corpus to serve.
    #[error("there is no corpus to serve")]
    NoCorpus,
    /// The operating system refused.
    #[error("cannot start the server: {0}")]
    Io(#[from] std::io::Error),
}

impl ServeError {
    /// What can be done about it.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            ServeError::Corpus(error) => error.remedy(),
            ServeError::Judging(error) => error.remedy(),
            ServeError::Bind { .. } => Some(Remedy::another("bind")),
            _ => None,
        }
    }
}
