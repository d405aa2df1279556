//! Candidates from the whole graph for the links that a page may be expected to have.
//!
//! Scoring every page by every signal would take seconds, so some are chosen first, for a page s the union of
//!
//! - the 48 that the model expects most, of all pages, by the matrix that gives the pages their [vectors](crate::vectors): the one
//!   over leads where they have text. Of a model that gives no vectors all matrices count;
//! - the 48 that share most neighbours with s, by resource allocation, Σ 1/|Γ(d)| over the common neighbours d. The neighbours of
//!   s are walked from those with the fewest neighbours on, as long as no more than 16,384 pages are met: those left out count
//!   least;
//! - the 48 best of those that link to s, by the same sum;
//! - the 48 that most pages link to.
//!
//! Pages that s links to, and s itself, are left out. The first are found exactly (`products.rs`), for 96 sources at a
//! time while some hundred targets stay in the cache; the result is that of one page after the other, and of scoring
//! all pages.

use super::best::Best;
use super::products::Products;
use crate::Error;
use crate::corpus::Corpus;
use crate::graph::{Neighbours, PageId};
use crate::interrupt;
use crate::score::Score;
use rayon::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// Number of pages from each way of choosing.
const KEPT: usize = 48;

/// Largest number of pages met on a walk over common neighbours.
const LONGEST_WALK: usize = 1 << 14;

/// Number of sources multiplied with the same targets.
const SOURCES: usize = 96;

/// Number of targets that one thread takes at a time for a matrix that is not factored.
const TARGETS_OF_THREAD: usize = 1 << 14;

/// The source of a model's expectations.
pub(super) enum Matrices {
    /// The corpus has no model.
    None,
    /// Its matrices are factored.
    Products(Arc<Products>),
    /// Some are not: all pages are scored.
    Scorer(Arc<dyn Score>),
}

/// A chooser of pages from the whole graph.
pub(super) struct Anywhere {
    corpus: Corpus,
    matrices: Matrices,
    neighbours: Arc<Neighbours>,
    /// The pages with the most incoming links, ascending.
    famous: Arc<[PageId]>,
    /// A pool of reusable buffers: a number for each page, all 0 between uses.
    shares: Mutex<Vec<Vec<f64>>>,
}

impl Anywhere {
    pub(super) fn new(
        corpus: &Corpus,
        matrices: Matrices,
        neighbours: Arc<Neighbours>,
        famous: Arc<[PageId]>,
    ) -> Anywhere {
        Anywhere { corpus: corpus.clone(), matrices, neighbours, famous, shares: Mutex::default() }
    }

    /// Returns the pages chosen for each of these, ascending.
    pub(super) fn of(&self, pages: &[PageId]) -> Result<Vec<Vec<PageId>>, Error> {
        let of_group = |group: &[PageId]| {
            let mut chosen = self.by_neighbours(group)?;
            let by_matrices = self.by_matrices(group, &chosen)?;
            for (chosen, of_matrices) in chosen.iter_mut().zip(by_matrices) {
                chosen.extend(of_matrices);
                chosen.sort_unstable();
                chosen.dedup();
            }
            Ok(chosen)
        };
        let carried = interrupt::carried();
        let groups = pages.par_chunks(SOURCES).map(|group| carried.scope(|| of_group(group)));
        Ok(groups.collect::<Result<Vec<_>, Error>>()?.concat())
    }

    fn best(&self, page: PageId) -> Result<Best<'_>, Error> {
        Ok(Best::new(page, self.corpus.links(page)?, KEPT))
    }

    /// Returns the pages that the model expects most, of all. The scores of the pages chosen before give a bound beyond
    /// which no page need be scored.
    fn by_matrices(&self, pages: &[PageId], before: &[Vec<PageId>]) -> Result<Vec<Vec<PageId>>, Error> {
        let best = match &self.matrices {
            Matrices::None => return Ok(vec![Vec::new(); pages.len()]),
            Matrices::Scorer(scorer) => pages.iter().map(|&page| self.of_all(&**scorer, page)).collect(),
            Matrices::Products(products) => {
                let start = |(&page, before): (&PageId, &Vec<PageId>)| {
                    let mut known = self.best(page)?;
                    add_scores(products.scorer(), page, before, &mut known)?;
                    Ok(self.best(page)?.no_worse_than(known))
                };
                let best = pages.iter().zip(before).map(start).collect::<Result<Vec<_>, Error>>();
                best.and_then(|mut best| products.fill(pages, &mut best).map(|()| best))
            }
        };
        Ok(best?.into_iter().map(Best::pages).collect())
    }

    /// Scores every page.
    fn of_all(&self, scorer: &dyn Score, page: PageId) -> Result<Best<'_>, Error> {
        let mut best = self.best(page)?;
        let all: Vec<PageId> = (0..self.corpus.num_pages() as u32).map(PageId).collect();
        for targets in all.chunks(TARGETS_OF_THREAD) {
            interrupt::check()?;
            add_scores(scorer, page, targets, &mut best)?;
        }
        Ok(best)
    }

    /// Returns the pages that share most neighbours with each of these, the best of those that link to it, and the
    /// famous ones.
    fn by_neighbours(&self, pages: &[PageId]) -> Result<Vec<Vec<PageId>>, Error> {
        let pool = || self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        let mut shares = pool().pop().unwrap_or_else(|| vec![0.0; self.corpus.num_pages()]);
        let chosen = pages.iter().map(|&page| self.sharing(page, &mut shares)).collect::<Result<_, _>>();
        // After an error they are not all 0.
        if chosen.is_ok() {
            pool().push(shares);
        }
        chosen
    }

    fn sharing(&self, page: PageId, shares: &mut [f64]) -> Result<Vec<PageId>, Error> {
        let near = self.neighbours.of(page)?;
        let size = |&other: &PageId| Ok((self.neighbours.num_of(other)?, other));
        let mut sizes = near.iter().map(size).collect::<Result<Vec<_>, Error>>()?;
        sizes.sort_unstable();
        let mut met: Vec<PageId> = Vec::new();
        let mut num_met = 0;
        for (num, other) in sizes {
            interrupt::check()?;
            num_met += num;
            if num_met > LONGEST_WALK {
                break;
            }
            let share = 1.0 / num as f64;
            for &target in self.neighbours.of(other)? {
                let sum = &mut shares[target.index()];
                if *sum == 0.0 {
                    met.push(target);
                }
                *sum += share;
            }
        }
        let (mut sharing, mut answering) = (self.best(page)?, self.best(page)?);
        met.iter().for_each(|&target| sharing.add(0.0 - shares[target.index()], target));
        near.iter().for_each(|&target| answering.add(0.0 - shares[target.index()], target));
        met.iter().for_each(|target| shares[target.index()] = 0.0);
        let mut chosen = [sharing.pages(), answering.pages()].concat();
        let links = self.corpus.links(page)?;
        let is_new = |target: &&PageId| **target != page && links.binary_search(target).is_err();
        chosen.extend(self.famous.iter().filter(is_new));
        chosen.sort_unstable();
        chosen.dedup();
        Ok(chosen)
    }
}

/// Returns the pages with the most incoming links, ascending; ties go to the first.
pub(super) fn famous(neighbours: &Neighbours) -> Result<Arc<[PageId]>, Error> {
    // No page is left out: none is called that.
    let mut best = Best::new(PageId(u32::MAX), &[], KEPT);
    for page in (0..neighbours.num_pages() as u32).map(PageId) {
        interrupt::check()?;
        best.add(0.0 - f64::from(neighbours.in_degree(page)?), page);
    }
    let mut pages = best.pages();
    pages.sort_unstable();
    Ok(pages.into())
}

fn add_scores(
    scorer: &dyn Score,
    page: PageId,
    targets: &[PageId],
    best: &mut Best<'_>,
) -> Result<(), Error> {
    for (&target, score) in targets.iter().zip(scorer.score(page, targets)?) {
        if let Some(score) = score {
            best.add(score, target);
        }
    }
    Ok(())
}
