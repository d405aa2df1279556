//! The scale of a corpus: the position of a score among those of its links.
//!
//! A score of x is *odder than* p% of the links of the corpus if p% of them have a lower score. For a wiki, only links
//! in prose and captions count, since rankings show those. The scores of the links of pages drawn at random, some
//! 10,000 of them, are kept as 1,001 quantiles in the corpus's folder; between two of them, p is interpolated.

use super::blend::{Cache, checksum, sample};
use super::{Inputs, Score};
use crate::Error;
use crate::graph::PageId;
use crate::interrupt;
use crate::places::contains_fact;
use crate::progress::{Progress, Task};
use crate::statistics::mean_and_squares;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Approximate number of links to score, if there are more.
const MOST_LINKS: usize = 10_000;

/// Number of pages scored at a time.
const PAGES: usize = 512;

/// Number of steps between the lowest score and the highest.
const STEPS: usize = 1000;

/// Largest percentage that is ever reported.
const MOST_PERCENT: f64 = 99.99;

/// The distribution of a scorer's scores over the links of a corpus.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scale {
    /// Number of links that were scored.
    num_links: usize,
    mean: f64,
    deviation: f64,
    /// The quantiles from 0 to 1 in steps of 1/1,000; empty where no link has a score.
    quantiles: Vec<f64>,
}

impl Scale {
    /// Makes the scale of these scores.
    pub fn of(mut scores: Vec<f64>) -> Scale {
        scores.sort_by(f64::total_cmp);
        let Some(last) = scores.len().checked_sub(1) else {
            return Scale { num_links: 0, mean: 0.0, deviation: 1.0, quantiles: Vec::new() };
        };
        let quantile = |step: usize| {
            let (at, rest) = (step * last / STEPS, step * last % STEPS);
            let next = scores[(at + 1).min(last)];
            scores[at] + (next - scores[at]) * rest as f64 / STEPS as f64
        };
        let (mean, squares) = mean_and_squares(&scores);
        let variance = squares / scores.len() as f64;
        let deviation = if variance > 0.0 { variance.sqrt() } else { 1.0 };
        Scale { num_links: scores.len(), mean, deviation, quantiles: (0..=STEPS).map(quantile).collect() }
    }

    /// Returns the number of links that were scored.
    pub fn num_links(&self) -> usize {
        self.num_links
    }

    /// Returns the quantiles of the scores, from 0 to 1 in steps of 1/1,000; none where no link has a score.
    pub fn quantiles(&self) -> &[f64] {
        &self.quantiles
    }

    /// Returns the percentage of the corpus's links that have a lower score. The oddest of n links is odder than the
    /// other n − 1; 99.99% is the maximum.
    ///
    /// ```
    /// use llamafur::score::Scale;
    /// let scale = Scale::of((0..200).map(f64::from).collect());
    /// assert_eq!([-1.0, 99.5, 300.0].map(|score| scale.odder_than(score)), [0.0, 50.0, 99.5]);
    /// ```
    pub fn odder_than(&self, score: f64) -> f64 {
        let below = self.quantiles.partition_point(|quantile| *quantile < score);
        let Some(before) = below.checked_sub(1) else { return 0.0 };
        let most = (100.0 - 100.0 / self.num_links as f64).min(MOST_PERCENT);
        let Some(next) = self.quantiles.get(below) else { return most };
        let start = self.quantiles[before];
        let step = before as f64 + (score - start) / (next - start);
        (100.0 * step / STEPS as f64).min(most)
    }

    /// Returns the distance of a score from the mean of the corpus's links, in standard deviations.
    pub fn standardised(&self, score: f64) -> f64 {
        (score - self.mean) / self.deviation
    }

    /// Returns the scale that the corpus keeps for a scorer, or computes and keeps it.
    pub(crate) fn kept_or_found(
        inputs: &Inputs,
        scorer: &dyn Score,
        progress: &mut dyn Progress,
    ) -> Result<Scale, Error> {
        // A page more or less changes no scale.
        if let Some(base) = inputs.base() {
            return Scale::kept_or_found(base, scorer, progress);
        }
        let corpus = inputs.corpus();
        let rests_on = checksum(corpus, ["links in prose".to_owned(), scorer.rests_on()]);
        let mut kept = Cache::open(corpus, progress);
        if let Some(scale) = kept.scale(scorer.name(), &rests_on) {
            return Ok(scale);
        }
        let pages = sample(corpus, MOST_LINKS)?;
        progress.start(Task::Standardise, Some(pages.len() as u64));
        let carried = interrupt::carried();
        let mut scores: Vec<f64> = Vec::new();
        for pages in pages.chunks(PAGES) {
            let score = |&page: &PageId| {
                interrupt::check()?;
                scorer.score(page, &facts(inputs, page)?)
            };
            let of_pages = pages.par_iter().map(|page| carried.scope(|| score(page)));
            let of_pages: Vec<Vec<Option<f64>>> = of_pages.collect::<Result<_, Error>>()?;
            scores.extend(of_pages.into_iter().flatten().flatten());
            progress.advance(pages.len() as u64);
        }
        progress.finish();
        let scale = Scale::of(scores);
        kept.add_scale(scorer.name(), rests_on, scale.clone());
        kept.save(corpus, progress);
        Ok(scale)
    }
}

/// Returns the pages that a page links to in prose or captions, or all if its text does not say.
fn facts(inputs: &Inputs, page: PageId) -> Result<Vec<PageId>, Error> {
    let links = inputs.corpus().links(page)?;
    let Some(masks) = inputs.places_of(page, links)? else { return Ok(links.to_vec()) };
    let facts = links.iter().zip(&masks).filter(|(_, mask)| contains_fact(**mask));
    Ok(facts.map(|(target, _)| *target).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_by_hand() {
        assert!(Scale::of(Vec::new()).quantiles().is_empty());
        assert_eq!(Scale::of(Vec::new()).odder_than(5.0), 0.0);
        assert_eq!(Scale::of(vec![7.0]).quantiles(), [7.0; STEPS + 1]);
        let scale = Scale::of(vec![4.0, 1.0, 2.0]);
        let at = |step: usize| scale.quantiles()[step];
        assert_eq!([0, 250, 500, 750, 1000].map(at), [1.0, 1.5, 2.0, 3.0, 4.0]);
        let odder_than = [0.5, 1.0, 1.5, 4.0].map(|score| scale.odder_than(score));
        assert_eq!(odder_than, [0.0, 0.0, 25.0, 100.0 - 100.0 / 3.0]);
    }

    #[test]
    fn equal_scores_are_odder_than_none_of_their_like() {
        let scale = Scale::of(vec![0.0, 0.0, 0.0, 0.0, 5.0]);
        assert_eq!(scale.odder_than(0.0), 0.0);
        assert_eq!(scale.odder_than(5.0), 80.0);
        assert_eq!(scale.standardised(1.0), 0.0);
    }
}
