//! Means and standard deviations of scores.

use super::Part;
use super::cache::{Cache, rests_on};
use crate::Error;
use crate::corpus::Corpus;
use crate::graph::PageId;
use crate::interrupt;
use crate::progress::{Progress, Task};
use crate::random::{Purpose, generator, shuffle};
use crate::statistics::mean_and_squares;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Approximate number of links to score, if there are more.
const MOST_LINKS: usize = 10_000;

/// Number of pages scored at a time.
const PAGES: usize = 512;

/// A mean and a standard deviation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Standard {
    mean: f64,
    deviation: f64,
}

impl Default for Standard {
    fn default() -> Standard {
        Standard { mean: 0.0, deviation: 1.0 }
    }
}

impl Standard {
    /// Computes the mean and deviation of these numbers; where they do not differ, the deviation is 1, so that all
    /// become 0.
    pub(super) fn of(numbers: &[f64]) -> Standard {
        if numbers.is_empty() {
            // The sum of nothing is −0.
            return Standard { mean: -0.0, deviation: 1.0 };
        }
        let (mean, squares) = mean_and_squares(numbers);
        let variance = squares / numbers.len() as f64;
        let deviation = if variance > 0.0 { variance.sqrt() } else { 1.0 };
        Standard { mean, deviation }
    }
}

/// Largest number of deviations from the mean.
const MOST_DEVIATIONS: f64 = 4.0;

/// Returns (x − μ)/σ of each score, from −4 to 4.
pub(super) fn studentised(scores: Vec<Option<f64>>, standard: Standard) -> Vec<Option<f64>> {
    let one =
        |score: f64| ((score - standard.mean) / standard.deviation).clamp(-MOST_DEVIATIONS, MOST_DEVIATIONS);
    scores.into_iter().map(|score| score.map(one)).collect()
}

/// Returns the pages whose links are scored: all, or pages drawn at random until they have `most_links` links.
pub(crate) fn sample(corpus: &Corpus, most_links: usize) -> Result<Vec<PageId>, Error> {
    let mut pages: Vec<PageId> = (0..corpus.num_pages() as u32).map(PageId).collect();
    if corpus.num_links() <= most_links {
        return Ok(pages);
    }
    shuffle(&mut generator(1, Purpose::Standard, 0), &mut pages);
    let mut num = 0;
    // Only what is drawn is read: all links together would take longer to check than a sample to score.
    for at in 0..pages.len() {
        num += corpus.links(pages[at])?.len();
        if num >= most_links {
            pages.truncate(at + 1);
            break;
        }
    }
    Ok(pages)
}

/// Sets the mean and deviation of every part, computed unless the corpus keeps them.
pub(super) fn fill(corpus: &Corpus, parts: &mut [Part], progress: &mut dyn Progress) -> Result<(), Error> {
    let mut kept = Cache::open(corpus, progress);
    let mut missing: Vec<(&mut Part, String)> = Vec::new();
    for part in parts {
        let rests_on = rests_on(corpus, part);
        match kept.standard(part.scorer.name(), &rests_on) {
            Some(standard) => part.standard = standard,
            None => missing.push((part, rests_on)),
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let pages = sample(corpus, MOST_LINKS)?;
    progress.start(Task::Standardise, Some((pages.len() * missing.len()) as u64));
    let carried = interrupt::carried();
    for (part, rests_on) in missing {
        let mut all: Vec<f64> = Vec::new();
        for pages in pages.chunks(PAGES) {
            let score = |&page: &PageId| {
                interrupt::check()?;
                part.shaped_scores(page, corpus.links(page)?)
            };
            let scores = pages.par_iter().map(|page| carried.scope(|| score(page)));
            let scores: Vec<Vec<Option<f64>>> = scores.collect::<Result<_, Error>>()?;
            all.extend(scores.into_iter().flatten().flatten());
            progress.advance(pages.len() as u64);
        }
        part.standard = Standard::of(&all);
        kept.add_standard(part.scorer.name(), rests_on, part.standard);
    }
    progress.finish();
    kept.save(corpus, progress);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let standard = Standard::of(&[1.0, 3.0, 5.0]);
        assert_eq!(standard.mean, 3.0);
        assert!((standard.deviation - (8f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(studentised(vec![Some(3.0), None], standard), [Some(0.0), None]);
        assert_eq!(Standard::of(&[2.0, 2.0]), Standard { mean: 2.0, deviation: 1.0 });
        assert_eq!(Standard::of(&[]), Standard::default());
    }
}
