//! Settings of planted links, and their errors.

use llamafur::{Error, Remedy};
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// The choice of the planted links' targets. The source is uniform over pages in all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PlantKind {
    /// The target is uniform over pages.
    #[default]
    Uniform,
    /// The target is drawn by in-degree: it is the target of a link drawn uniformly.
    Popular,
    /// The target is two steps away: a link of the page at the end of a link, both drawn uniformly.
    Near,
}

impl PlantKind {
    /// All kinds, the easiest to find first.
    pub const ALL: [PlantKind; 3] = [PlantKind::Uniform, PlantKind::Popular, PlantKind::Near];
}

impl fmt::Display for PlantKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            PlantKind::Uniform => "uniform",
            PlantKind::Popular => "popular",
            PlantKind::Near => "near",
        })
    }
}

impl FromStr for PlantKind {
    type Err = PlantError;

    fn from_str(name: &str) -> Result<PlantKind, PlantError> {
        let known = PlantKind::ALL.into_iter().find(|kind| kind.to_string() == name);
        known.ok_or_else(|| PlantError::Kind(name.into()))
    }
}

/// Least number of planted links: with fewer, the figures are too imprecise.
pub(super) const FEWEST: usize = 10;

/// The settings of planted links.
#[derive(Debug, Clone, PartialEq)]
pub struct PlantConf {
    pub(super) kind: PlantKind,
    pub(super) share: f64,
    pub(super) seed: u64,
}

impl Default for PlantConf {
    fn default() -> Self {
        PlantConf { kind: PlantKind::default(), share: 0.01, seed: 1 }
    }
}

impl PlantConf {
    /// Sets the choice of targets. Default: [`PlantKind::Uniform`].
    #[must_use]
    pub fn kind(mut self, kind: PlantKind) -> PlantConf {
        self.kind = kind;
        self
    }

    /// Sets the number of planted links as a share of the original ones; at least 10 are planted. Default: 0.01. Above
    /// 0, at most 1.
    pub fn share(mut self, share: f64) -> Result<PlantConf, PlantError> {
        if !(share > 0.0 && share <= 1.0) {
            return Err(PlantError::Share(share));
        }
        self.share = share;
        Ok(self)
    }

    /// Sets the seed of the choice of links. Default: 1.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> PlantConf {
        self.seed = seed;
        self
    }

    /// Returns the number of planted links among `num_links` original ones.
    pub fn num(&self, num_links: usize) -> usize {
        ((self.share * num_links as f64).round() as usize).max(FEWEST)
    }
}

/// The reason why planting or measuring failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlantError {
    /// The kind is unknown.
    #[error("the kind of planted links must be uniform, popular or near, got {0}")]
    Kind(String),
    /// The share is out of range.
    #[error("the share of links must be above 0 and at most 1, got {0}")]
    Share(f64),
    /// The graph has too few suitable pairs of pages.
    #[error(
        "{wanted} links of the kind {kind} are to be planted (at least {FEWEST} always are), but only {found} were found"
    )]
    TooFew {
        /// The kind of links.
        kind: PlantKind,
        /// The number of links to plant.
        wanted: usize,
        /// The number of pairs found.
        found: usize,
    },
    /// The top is larger than the number of links.
    #[error("the top must be of at most all {links} links, got {top}")]
    Top {
        /// The requested top.
        top: usize,
        /// Number of links, with those planted.
        links: usize,
    },
    /// The temporary folder cannot be created.
    #[error("{}: cannot make a temporary folder: {cause}", path.display())]
    Folder {
        /// Its parent.
        path: PathBuf,
        /// The system's error.
        cause: std::io::Error,
    },
    /// The corpus is damaged, or the system reported an error.
    #[error(transparent)]
    Corpus(#[from] Error),
}

impl PlantError {
    /// Returns the user's options to fix the problem.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            PlantError::TooFew { .. } => {
                Some(Remedy::either([Remedy::another("kind"), Remedy::Lower { setting: "share" }]))
            }
            PlantError::Top { .. } => Some(Remedy::Lower { setting: "top" }),
            PlantError::Corpus(error) => error.remedy(),
            PlantError::Kind(_) | PlantError::Share(_) | PlantError::Folder { .. } => None,
        }
    }
}
