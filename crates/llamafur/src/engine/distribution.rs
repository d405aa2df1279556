//! Distribution of unexpectedness over the links of a graph: the meaning of a score in its corpus.

use super::{Engine, RankConf};
use crate::Error;
use crate::progress::{Progress, Silent};
use crate::score::{Scale, Score};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, PoisonError};

/// How unexpected the links of a graph are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Distribution {
    /// The scorer.
    pub scorer: String,
    /// Number of links that were scored.
    pub num_links: usize,
    /// The quantiles of their unexpectedness, from 0 % to 100 % in steps of 1 %: 101 numbers in ascending order. Empty where
    /// no link has a score.
    pub quantiles: Vec<f64>,
}

impl Engine {
    fn held_scale(&self, key: &str) -> Option<Arc<Scale>> {
        self.0.scales.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    /// Returns the scale of a scorer in this corpus, computed on first use and kept.
    pub(super) fn scale_of(
        &self,
        scorer: &dyn Score,
        progress: &mut dyn Progress,
    ) -> Result<Arc<Scale>, Error> {
        let key = key_of(scorer);
        if let Some(known) = self.held_scale(&key) {
            return Ok(known);
        }
        let found = Arc::new(Scale::kept_or_found(self.inputs(), scorer, progress)?);
        let mut scales = self.0.scales.lock().unwrap_or_else(PoisonError::into_inner);
        super::keep(&mut scales, key, &found);
        Ok(found)
    }

    /// Returns whether [`Engine::distribution`] need not score anything.
    pub fn is_distribution_known(&self, conf: &RankConf) -> bool {
        let scorer = self.held(&super::key_of(&conf.scorer, &conf.score));
        scorer.is_some_and(|scorer| self.held_scale(&key_of(&*scorer)).is_some())
    }

    /// Returns the quantiles of the unexpectedness by a scorer: over all links in prose and captions, or in a larger
    /// graph over those of pages drawn at random, always the same ones. See [`Scale`].
    ///
    /// # Errors
    /// If there is no such scorer, or the corpus lacks what it needs.
    pub fn distribution(&self, conf: &RankConf) -> Result<Distribution, Error> {
        self.whole(|| {
            let scorer = self.scorer(&conf.scorer, &conf.score)?;
            let scale = self.scale_of(&*scorer, &mut Silent)?;
            Ok(Distribution {
                scorer: scorer.name().to_owned(),
                num_links: scale.num_links(),
                quantiles: scale.quantiles().iter().step_by(10).copied().collect(),
            })
        })
    }
}

/// Builds the key of a scorer's scale: its name and what it depends on.
fn key_of(scorer: &dyn Score) -> String {
    format!("{} {}", scorer.name(), scorer.rests_on())
}
