//! Pages that a page may be expected to link to, from the whole graph.
//!
//! Scoring every page by every signal would take seconds, so that a few hundred are chosen first, for a page s the union of
//!
//! - the 100 that the matrices of the model expect most, by one product of the two pages' sides each, over all pages;
//! - the 100 that share most neighbours with s, by resource allocation, Σ 1/|Γ(d)| over the common neighbours d. The neighbours of
//!   s are walked from those with the fewest neighbours on, until 65,536 pages were met: those left out count least;
//! - the 100 best of those that link to s, by the same sum.
//!
//! Pages that s links to, and s itself, are left out. For many pages at once, some hundred targets stay in the cache while sixteen
//! sources are multiplied with them; the result is that of one page after the other.

use crate::Error;
use crate::corpus::Corpus;
use crate::graph::{Neighbours, PageId};
use crate::score::Score;
use rapidhash::RapidHashMap;
use rayon::prelude::*;
use std::cmp::Ordering;
use std::sync::Arc;

/// How many pages each way of choosing gives.
const KEPT: usize = 100;

/// Pages met on a walk over common neighbours, at most but for the neighbours of one page.
const LONGEST_WALK: usize = 1 << 16;

/// Sources that are multiplied with the same targets.
const SOURCES: usize = 16;

/// Targets whose sides stay in the cache, and those that one thread takes of all for a single source.
const TARGETS: usize = 512;
const TARGETS_OF_THREAD: usize = 1 << 14;

/// Chooses pages from the whole graph.
pub(super) struct Anywhere {
    corpus: Corpus,
    /// None where the corpus has no model.
    matrices: Option<Arc<dyn Score>>,
    neighbours: Arc<Neighbours>,
    all: Vec<PageId>,
}

impl Anywhere {
    pub(super) fn new(
        corpus: &Corpus,
        matrices: Option<Arc<dyn Score>>,
        neighbours: Arc<Neighbours>,
    ) -> Anywhere {
        let all = (0..corpus.num_pages() as u32).map(PageId).collect();
        Anywhere { corpus: corpus.clone(), matrices, neighbours, all }
    }

    /// The pages chosen for each of these, ascending.
    pub(super) fn of(&self, pages: &[PageId]) -> Result<Vec<Vec<PageId>>, Error> {
        let of_matrices = match &self.matrices {
            Some(matrices) => self.by_matrices(&**matrices, pages)?,
            None => vec![Vec::new(); pages.len()],
        };
        let chosen = pages.par_iter().zip(of_matrices).map(|(&page, mut chosen)| {
            self.by_neighbours(page, &mut chosen)?;
            chosen.sort_unstable();
            chosen.dedup();
            Ok(chosen)
        });
        chosen.collect()
    }

    /// The pages that the matrices expect most.
    fn by_matrices(&self, matrices: &dyn Score, pages: &[PageId]) -> Result<Vec<Vec<PageId>>, Error> {
        let best_among = |page: PageId, targets: &[PageId], best: &mut Best<'_>| {
            let scores = matrices.score(page, targets)?;
            for (&target, score) in targets.iter().zip(scores) {
                if let Some(score) = score {
                    best.add(score, target);
                }
            }
            Ok::<_, Error>(())
        };
        if let &[page] = pages {
            let parts = self.all.par_chunks(TARGETS_OF_THREAD).map(|targets| {
                let mut best = Best::new(page, self.corpus.links(page)?);
                best_among(page, targets, &mut best)?;
                Ok(best)
            });
            let parts = parts.collect::<Result<Vec<_>, Error>>()?;
            let merged = parts.into_iter().reduce(Best::merged);
            return Ok(vec![merged.map(Best::pages).unwrap_or_default()]);
        }
        let groups = pages.par_chunks(SOURCES).map(|group| {
            let new = |&page: &PageId| Ok(Best::new(page, self.corpus.links(page)?));
            let mut all_best = group.iter().map(new).collect::<Result<Vec<_>, Error>>()?;
            for targets in self.all.chunks(TARGETS) {
                for (&page, best) in group.iter().zip(&mut all_best) {
                    best_among(page, targets, best)?;
                }
            }
            Ok(all_best.into_iter().map(Best::pages).collect::<Vec<_>>())
        });
        Ok(groups.collect::<Result<Vec<_>, Error>>()?.into_iter().flatten().collect())
    }

    /// Adds the pages that share most neighbours with a page, and of those that link to it.
    fn by_neighbours(&self, page: PageId, chosen: &mut Vec<PageId>) -> Result<(), Error> {
        let (near, links) = (self.neighbours.of(page)?, self.corpus.links(page)?);
        let mut sizes = near
            .iter()
            .map(|&other| Ok((self.neighbours.num_of(other)?, other)))
            .collect::<Result<Vec<_>, Error>>()?;
        sizes.sort_unstable();
        let mut shares: RapidHashMap<PageId, f64> = RapidHashMap::default();
        let mut met = 0;
        for (num, other) in sizes {
            if met >= LONGEST_WALK {
                break;
            }
            met += num;
            // In the order of this walk, whatever the table's.
            for &target in self.neighbours.of(other)? {
                *shares.entry(target).or_default() += 1.0 / num as f64;
            }
        }
        let (mut sharing, mut answering) = (Best::new(page, links), Best::new(page, links));
        let mut shares_in_order: Vec<(PageId, f64)> =
            shares.iter().map(|(&page, &sum)| (page, sum)).collect();
        shares_in_order.sort_unstable_by_key(|(page, _)| *page);
        shares_in_order.into_iter().for_each(|(target, sum)| sharing.add(-sum, target));
        for &target in near {
            answering.add(-shares.get(&target).copied().unwrap_or(0.0), target);
        }
        chosen.extend(sharing.pages());
        chosen.extend(answering.pages());
        Ok(())
    }
}

/// The pages with the smallest scores; of several the first. Those that the source links to are passed over.
struct Best<'a> {
    source: PageId,
    links: &'a [PageId],
    /// Those that may be among them.
    scored: Vec<(f64, PageId)>,
    /// No score above it is among them.
    limit: f64,
}

fn order(one: &(f64, PageId), two: &(f64, PageId)) -> Ordering {
    one.0.total_cmp(&two.0).then(one.1.cmp(&two.1))
}

impl<'a> Best<'a> {
    fn new(source: PageId, links: &'a [PageId]) -> Best<'a> {
        Best { source, links, scored: Vec::new(), limit: f64::INFINITY }
    }

    #[inline]
    fn add(&mut self, score: f64, page: PageId) {
        if score > self.limit || page == self.source || self.links.binary_search(&page).is_ok() {
            return;
        }
        self.scored.push((score, page));
        if self.scored.len() >= 2 * KEPT {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if self.scored.len() > KEPT {
            let (_, last, _) = self.scored.select_nth_unstable_by(KEPT - 1, order);
            self.limit = last.0;
            self.scored.truncate(KEPT);
        }
    }

    fn merged(mut self, other: Best<'a>) -> Best<'a> {
        self.scored.extend(other.scored);
        self.cut();
        self
    }

    fn pages(mut self) -> Vec<PageId> {
        self.cut();
        self.scored.into_iter().map(|(_, page)| page).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_scores_are_kept_whatever_their_order_and_links_are_not() {
        let links = [PageId(3), PageId(5)];
        let scored: Vec<(f64, PageId)> =
            (0..1000).map(|page| (f64::from(page % 400), PageId(page))).collect();
        let mut expected: Vec<(f64, PageId)> =
            scored.iter().copied().filter(|(_, page)| ![0, 3, 5].contains(&page.0)).collect();
        expected.sort_by(order);
        let mut expected: Vec<PageId> = expected.into_iter().take(KEPT).map(|(_, page)| page).collect();
        expected.sort_unstable();
        for parts in [1, 3] {
            let best = scored.chunks(scored.len().div_ceil(parts)).map(|part| {
                let mut best = Best::new(PageId(0), &links);
                part.iter().rev().for_each(|&(score, page)| best.add(score, page));
                best
            });
            let mut found = best.reduce(Best::merged).unwrap().pages();
            found.sort_unstable();
            assert_eq!(found, expected);
        }
    }
}
