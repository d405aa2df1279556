//! How unexpected the links of a graph are, all in all: what a score means in its corpus.

use super::{Engine, RankConf};
use crate::Error;
use crate::interrupt;
use crate::score::sample;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::PoisonError;

/// Links that are scored, about, if there are more: enough for hundredths, few enough to be asked for at any time.
const MOST_LINKS: usize = 1500;

/// How unexpected the links of a graph are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Distribution {
    /// The scorer.
    pub scorer: String,
    /// How many links were scored.
    pub num_links: usize,
    /// The quantiles of their unexpectedness, from 0 % to 100 % in steps of 1 %: 101 numbers in ascending order. Empty where
    /// no link has a score.
    pub quantiles: Vec<f64>,
}

fn key_of(conf: &RankConf) -> String {
    format!("{} {:?}", conf.scorer, conf.score)
}

impl Engine {
    /// Returns whether [`Engine::distribution`] need not score anything.
    pub fn is_distribution_known(&self, conf: &RankConf) -> bool {
        let known = self.0.distributions.lock().unwrap_or_else(PoisonError::into_inner);
        known.contains_key(&key_of(conf))
    }

    /// How unexpected the links of the graph are by a scorer: quantiles over all links, or in a larger graph over the links of
    /// pages drawn at random, always the same ones. Kept from the first call on.
    ///
    /// # Errors
    /// If there is no such scorer, the corpus lacks what it needs, or a file is damaged.
    pub fn distribution(&self, conf: &RankConf) -> Result<Distribution, Error> {
        self.whole(|| self.distribution_unwatched(conf))
    }

    fn distribution_unwatched(&self, conf: &RankConf) -> Result<Distribution, Error> {
        let key = key_of(conf);
        let all = || self.0.distributions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = all().get(&key) {
            return Ok(known.clone());
        }
        let scorer = self.scorer(&conf.scorer, &conf.score)?;
        let pages = sample(self.corpus(), MOST_LINKS)?;
        let carried = interrupt::carried();
        let of_page = |page| {
            interrupt::check()?;
            match self.corpus().links(page)? {
                [] => Ok(Vec::new()),
                links => scorer.score(page, links),
            }
        };
        let scores = pages.par_iter().map(|&page| carried.scope(|| of_page(page)));
        let scores = scores.collect::<Result<Vec<_>, Error>>()?;
        let mut scores: Vec<f64> = scores.into_iter().flatten().flatten().collect();
        scores.sort_by(f64::total_cmp);
        let found = Distribution {
            scorer: scorer.name().to_owned(),
            num_links: scores.len(),
            quantiles: quantiles(&scores),
        };
        super::keep(&mut all(), key, &found);
        Ok(found)
    }
}

/// The hundredths of sorted numbers; those between two of them are interpolated.
fn quantiles(sorted: &[f64]) -> Vec<f64> {
    let Some(last) = sorted.len().checked_sub(1) else { return Vec::new() };
    let quantile = |percent: usize| {
        let (at, rest) = (percent * last / 100, percent * last % 100);
        let next = sorted[(at + 1).min(last)];
        sorted[at] + (next - sorted[at]) * rest as f64 / 100.0
    };
    (0..=100).map(quantile).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_by_hand() {
        assert!(quantiles(&[]).is_empty());
        assert_eq!(quantiles(&[7.0]), [7.0; 101]);
        let found = quantiles(&[1.0, 2.0, 4.0]);
        assert_eq!([0, 25, 50, 75, 100].map(|percent| found[percent]), [1.0, 1.5, 2.0, 3.0, 4.0]);
        assert!(found.is_sorted());
    }
}
