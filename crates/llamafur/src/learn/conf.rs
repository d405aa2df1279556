//! The learner and its settings.

use super::Settings;
use super::factored::Tuning;
use crate::Error;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;

/// A way to learn the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Method {
    /// W = U·Vᵀ by logistic regression. The default.
    #[default]
    Factored,
    /// PA-I with the hinge, the average of the iterates.
    Averaged,
    /// Algorithm 1 of the paper.
    Paper,
    /// What the authors' program computes.
    Original,
    /// The paper's naive variant: logarithms of link frequencies.
    Naive,
}

impl Method {
    /// Returns whether the matrix has a cell for each pair.
    pub fn is_dense(self) -> bool {
        self != Method::Factored
    }

    /// Returns whether a positive expectedness means that the link is *explained*: not where weights are logarithms of
    /// frequencies.
    pub fn explains(self) -> bool {
        self != Method::Naive
    }

    /// Returns the bytes that learning takes for the matrix and its other data.
    pub(crate) fn matrix_bytes(self, num_categories: usize, rank: usize) -> u64 {
        let (categories, rank) = (num_categories as u64, rank as u64);
        let cells = categories.saturating_mul(categories);
        match self {
            // Two tables of whole lanes with a sum for each row, and the tables of the model, made from them.
            Method::Factored => categories.saturating_mul(8 * rank.next_multiple_of(8) + 8 * rank + 16),
            // Every cell with its part of the average.
            Method::Averaged => cells.saturating_mul(8),
            Method::Paper | Method::Original | Method::Naive => cells.saturating_mul(4),
        }
    }

    fn default_passes(self) -> usize {
        if self == Method::Factored { 5 } else { 1 }
    }
}

names! {
    Method "method" {
        Factored = "factored",
        Averaged = "averaged",
        Paper = "paper",
        Original = "original",
        Naive = "naive",
    }
}

/// The settings of a learner.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnConf {
    pub(crate) method: Method,
    pub(crate) rank: usize,
    pub(crate) seed: u64,
    pub(crate) passes: Option<usize>,
    pub(crate) aggressiveness: f64,
    pub(crate) rounds: usize,
    pub(crate) tuning: Tuning,
    pub(crate) held_out: Option<f64>,
    pub(crate) ensemble: Option<usize>,
    /// The passes made before, by the model from which training continues.
    pub(crate) passes_before: usize,
}

impl Default for LearnConf {
    fn default() -> Self {
        LearnConf {
            method: Method::default(),
            rank: 32,
            seed: 1,
            passes: None,
            aggressiveness: 1.5,
            rounds: 4,
            tuning: Tuning::default(),
            held_out: None,
            ensemble: None,
            passes_before: 0,
        }
    }
}

/// Formats as `factored: seed 1, 5 passes, rank 32, ensemble of 4`; a size that is not settled
/// ([`LearnConf::settled`]) is left out.
impl fmt::Display for LearnConf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let passes = self.passes_or_default();
        write!(
            f,
            "{}: seed {}, {passes} {}",
            self.method,
            self.seed,
            if passes == 1 { "pass" } else { "passes" }
        )?;
        match self.method {
            Method::Factored => match self.ensemble {
                Some(members) if members > 1 => write!(f, ", rank {}, ensemble of {members}", self.rank),
                _ => write!(f, ", rank {}", self.rank),
            },
            Method::Naive => Ok(()),
            _ => write!(f, ", aggressiveness {}", self.aggressiveness),
        }
    }
}

impl LearnConf {
    /// Returns the settings that a model was learnt with, but for the passes: those of its method by default.
    pub fn of(settings: &Settings) -> LearnConf {
        LearnConf {
            method: settings.method,
            rank: settings.rank / settings.members(),
            ensemble: Some(settings.members()),
            seed: settings.seed,
            aggressiveness: settings.aggressiveness,
            rounds: settings.rounds,
            ..LearnConf::default()
        }
    }

    setters! {
        /// The learner. Default: [`Method::Factored`].
        method: Method,
        /// Columns of the two tables of `factored`: more can distinguish more pairs, and take more examples to learn.
        /// Default: 32. At least 1, at most 4096.
        rank: usize,
        /// The seed of all random choices. Default: 1. Any number.
        seed: u64,
        /// Number of passes over all links. Default: 5 for `factored`, 1 for the others. At least 1; `naive` counts, so
        /// it always makes one pass.
        passes: usize => Some(passes),
        /// K, the largest step of the passive-aggressive learners. Default: 1.5, as in the authors' program.
        /// Positive and finite.
        aggressiveness: f64,
        /// Rounds over which `averaged` deals each page's examples. Default: 4. At least 1.
        rounds: usize,
        /// The share of links on which [`train`](super::train) measures the learner. Default: 1000/|L|, but at least 0.01
        /// and at most 0.1. At least 0, for none, and below 1. The matrix does not depend on it.
        held_out: f64 => Some(held_out),
    }

    /// Tuning of `factored`, for experiments.
    #[cfg(any(test, feature = "oracle"))]
    #[doc(hidden)]
    pub fn tuning(mut self, tuning: Tuning) -> Self {
        self.tuning = tuning;
        self
    }

    /// Returns the number of non-links for each link.
    pub(crate) fn ratio(&self) -> usize {
        if self.method == Method::Factored { self.tuning.ratio } else { 1 }
    }

    /// Returns the share of links to hold out: as set, or the default for `num_links`.
    pub fn held_out_share(&self, num_links: usize) -> f64 {
        self.held_out.unwrap_or_else(|| (1000.0 / num_links.max(1) as f64).clamp(0.01, 0.1))
    }

    /// Returns the number of passes: as set, or the method's default.
    pub fn passes_or_default(&self) -> usize {
        if self.method == Method::Naive { 1 } else { self.passes.unwrap_or(self.method.default_passes()) }
    }

    /// Returns the numbers of the passes to make.
    pub(crate) fn pass_numbers(&self) -> Range<u64> {
        self.passes_before as u64..(self.passes_before + self.passes_or_default()) as u64
    }

    /// Rejects settings that are out of range for every graph.
    pub fn check(&self) -> Result<(), Error> {
        let setting = |setting, rule, got: String| Err(Error::setting(setting, rule, got));
        if !(self.aggressiveness > 0.0 && self.aggressiveness.is_finite()) {
            return setting("aggressiveness", "positive and finite", self.aggressiveness.to_string());
        }
        if !(1..=4096).contains(&self.rank) {
            return setting("rank", "between 1 and 4096", self.rank.to_string());
        }
        if self.passes == Some(0) {
            return setting("passes", "at least 1", "0".into());
        }
        if self.rounds == 0 {
            return setting("rounds", "at least 1", "0".into());
        }
        self.check_ensemble()?;
        if let Some(share) = self.held_out.filter(|share| !(0.0..1.0).contains(share)) {
            return setting("held_out", "at least 0 and below 1", share.to_string());
        }
        Ok(())
    }
}
