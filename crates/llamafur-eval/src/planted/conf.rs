//! What is planted, and why it cannot be.

use llamafur::{Error, Remedy};
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Where planted links go. The source is uniform over pages in all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PlantKind {
    /// The target is uniform over pages.
    #[default]
    Uniform,
    /// The target is drawn by in-degree: that of a link drawn uniformly.
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

/// The fewest links that are planted: with less, no figure is worth much.
pub(super) const FEWEST: usize = 10;

/// What is planted.
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
    /// Where planted links go. Default: [`PlantKind::Uniform`].
    #[must_use]
    pub fn kind(mut self, kind: PlantKind) -> PlantConf {
        self.kind = kind;
        self
    }

    /// How many are planted, as a share of the links that there are; at least 10. Default: 0.01. Above 0, at most 1.
    ///
    /// # Errors
    /// If it is out of range.
    pub fn share(mut self, share: f64) -> Result<PlantConf, PlantError> {
        if !(share > 0.0 && share <= 1.0) {
            return Err(PlantError::Share(share));
        }
        self.share = share;
        Ok(self)
    }

    /// The seed of which links are planted. Default: 1.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> PlantConf {
        self.seed = seed;
        self
    }

    /// How many links are planted among so many.
    pub fn num(&self, num_links: usize) -> usize {
        ((self.share * num_links as f64).round() as usize).max(FEWEST)
    }
}

/// Why nothing was planted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlantError {
    /// There is no such kind.
    #[error("the kind of planted links must be uniform, popular or near, got {0}")]
    Kind(String),
    /// The share is out of range.
    #[error("the share of links must be above 0 and at most 1, got {0}")]
    Share(f64),
    /// There are not enough pairs to plant.
    #[error(
        "{wanted} links of the kind {kind} are to be planted (at least {FEWEST} always are), but only {found} were found"
    )]
    TooFew {
        /// Of which kind.
        kind: PlantKind,
        /// How many were to be planted.
        wanted: usize,
        /// How many could be.
        found: usize,
    },
    /// More links than there are cannot be on top.
    #[error("the top must be of at most all {links} links, got {top}")]
    Top {
        /// What was asked for.
        top: usize,
        /// Links, with those planted.
        links: usize,
    },
    /// There is no temporary folder.
    #[error("{}: cannot make a temporary folder: {cause}", path.display())]
    Folder {
        /// Where.
        path: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// The corpus is damaged, or the system refused.
    #[error(transparent)]
    Corpus(#[from] Error),
}

impl PlantError {
    /// What can be done about it.
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
