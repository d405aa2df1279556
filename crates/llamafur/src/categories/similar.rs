//! Cleansing without a tree: by the pages that categories share.
//!
//! The similarity of two categories is Jaccard's, J(c, m) = |P_c ∩ P_m| / |P_c ∪ P_m|, with P_c the pages that carry
//! c. Categories are ranked by |P_c|. One that is nearly the same as a more frequent milestone, J ≥
//! [`NEAR_DUPLICATE`], does not become a milestone itself. Whatever is no milestone goes to the most similar one; of
//! several, to the most frequent, then to the one with the smallest id; to none where they have no page in common.

use super::choice::{Assignment, Choice, NONE};
use crate::storage::{Csr, CsrBuf};
use rayon::prelude::*;
use std::cmp::Ordering;

/// The similarity from which on two categories are duplicates: four pages of five in common.
pub(super) const NEAR_DUPLICATE: f64 = 0.8;

/// The fewest categories worked on at a time by one thread.
const AT_A_TIME: usize = 256;

/// Pages and categories in both directions.
pub(super) struct Carriers<'a> {
    categories: Csr<'a, u32>,
    pages: CsrBuf<u32>,
}

impl<'a> Carriers<'a> {
    pub(super) fn new(categories: Csr<'a, u32>, num_categories: usize) -> Carriers<'a> {
        Carriers { categories, pages: CsrBuf::transposed(categories, num_categories) }
    }

    fn num_categories(&self) -> usize {
        self.pages.view().num_rows()
    }

    /// Returns the number of pages that carry a category.
    pub(super) fn num_pages(&self, category: u32) -> usize {
        self.pages.view().row(category as usize).len()
    }

    /// Removes the candidates, which must be in order of their frequency, that are nearly the same as one that is
    /// before them and stays.
    pub(super) fn without_duplicates(&self, candidates: Vec<u32>) -> Vec<u32> {
        let rank_of = Choice { ranked: candidates.clone() }.rank_of(self.num_categories());
        let earlier = |category: u32, shared: &mut Shared| {
            let own = rank_of[category as usize];
            let alike = shared
                .similar(self, category)
                .filter(|&(other, similarity)| rank_of[other as usize] < own && similarity >= NEAR_DUPLICATE);
            alike.map(|(other, _)| rank_of[other as usize]).collect::<Vec<u32>>()
        };
        let duplicates = self.for_each(&candidates, earlier);
        let mut stays = vec![false; candidates.len()];
        for rank in 0..candidates.len() {
            stays[rank] = !duplicates[rank].iter().any(|&earlier| stays[earlier as usize]);
        }
        let kept = candidates.into_iter().zip(stays).filter(|(_, stays)| *stays);
        kept.map(|(category, _)| category).collect()
    }

    /// Assigns the most similar milestone of every category that `may_move`; others that are no milestones get none.
    pub(super) fn assign(&self, milestones: &Choice, may_move: &[bool]) -> Assignment {
        let all: Vec<u32> = (0..self.num_categories() as u32).collect();
        let rank_of = milestones.rank_of(all.len());
        let most_similar = |category: u32, shared: &mut Shared| {
            let own = rank_of[category as usize];
            if own != NONE || !may_move[category as usize] {
                return own;
            }
            let ranked = shared
                .similar(self, category)
                .map(|(other, similarity)| (rank_of[other as usize], similarity));
            let better = |a: &(u32, f64), b: &(u32, f64)| match a.1.total_cmp(&b.1) {
                Ordering::Equal => b.0.cmp(&a.0),
                other => other,
            };
            ranked.filter(|(rank, _)| *rank != NONE).max_by(better).map_or(NONE, |(rank, _)| rank)
        };
        let rank = self.for_each(&all, most_similar);
        let distance = all.iter().zip(&rank).map(|(&category, &rank)| match rank {
            NONE => NONE,
            rank => u32::from(milestones.ranked[rank as usize] != category),
        });
        Assignment { distance: distance.collect(), rank }
    }

    /// Returns, for every category, the place in `ranked` of the first that one of its pages carries.
    pub(super) fn first_shared(&self, ranked: &[u32]) -> Vec<u32> {
        let rank_of = Choice { ranked: ranked.to_vec() }.rank_of(self.num_categories());
        let of_page =
            |categories: &[u32]| categories.iter().map(|&category| rank_of[category as usize]).min();
        let of_pages: Vec<u32> = self.categories.rows().map(|row| of_page(row).unwrap_or(NONE)).collect();
        let of_category = |pages: &[u32]| pages.iter().map(|&page| of_pages[page as usize]).min();
        self.pages.view().rows().map(|pages| of_category(pages).unwrap_or(NONE)).collect()
    }

    /// Returns the result of `work` for each category, in order, computed on all threads.
    fn for_each<T: Send>(&self, categories: &[u32], work: impl Fn(u32, &mut Shared) -> T + Sync) -> Vec<T> {
        // A chunk costs a count for every category, so there should not be many of them.
        let at_a_time = AT_A_TIME.max(categories.len() / (16 * rayon::current_num_threads()));
        let chunks = categories.par_chunks(at_a_time).map(|chunk| {
            let mut shared = Shared { counts: vec![0; self.num_categories()], met: Vec::new() };
            chunk.iter().map(|&category| work(category, &mut shared)).collect::<Vec<T>>()
        });
        chunks.collect::<Vec<_>>().into_iter().flatten().collect()
    }
}

/// Counters of the pages that a category shares with others.
struct Shared {
    /// The count of every category; all zero between two calls.
    counts: Vec<u32>,
    /// The categories with a count.
    met: Vec<(u32, u32)>,
}

impl Shared {
    /// Returns the categories that share a page with this one, and how similar they are.
    fn similar<'s>(
        &'s mut self,
        carriers: &Carriers<'_>,
        category: u32,
    ) -> impl Iterator<Item = (u32, f64)> + 's {
        self.met.clear();
        for &page in carriers.pages.view().row(category as usize) {
            for &other in carriers.categories.row(page as usize) {
                if self.counts[other as usize] == 0 {
                    self.met.push((other, 0));
                }
                self.counts[other as usize] += 1;
            }
        }
        for (other, count) in &mut self.met {
            *count = std::mem::take(&mut self.counts[*other as usize]);
        }
        let pages: Vec<usize> = self.met.iter().map(|&(other, _)| carriers.num_pages(other)).collect();
        let own = carriers.num_pages(category);
        let others = self.met.iter().zip(pages).filter(move |((other, _), _)| *other != category);
        others.map(move |(&(other, shared), pages)| {
            (other, f64::from(shared) / (own + pages - shared as usize) as f64)
        })
    }
}
