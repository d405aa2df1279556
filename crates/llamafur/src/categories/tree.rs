//! The category tree: how central each category is, and which milestone is the nearest above it.
//!
//! “Tree” is what everybody calls it; it is a graph from child to parent in which a child may have several parents
//! and which may have cycles. ι(c) is the milestone at the least distance d(c, m) along child → parent; of several,
//! the most central, then the one with the smallest id. All milestones are searched from at once, downwards, level
//! by level: a category first reached at level L takes the best milestone of its parents that were reached at
//! level L − 1, so ι does not depend on the order of the search.

use super::choice::{Assignment, Choice, NONE};
use crate::storage::{Csr, CsrBuf};
use rayon::prelude::*;
use std::collections::HashSet;

/// The category tree in both directions.
pub(super) struct Tree<'a> {
    parents: Csr<'a, u32>,
    children: CsrBuf<u32>,
}

impl<'a> Tree<'a> {
    pub(super) fn new(parents: Csr<'a, u32>) -> Tree<'a> {
        Tree { parents, children: CsrBuf::transposed(parents, parents.num_rows()) }
    }

    pub(super) fn parents(&self) -> Csr<'a, u32> {
        self.parents
    }

    pub(super) fn children(&self) -> Csr<'_, u32> {
        self.children.view()
    }

    /// Returns ι and the distance to it, for every category.
    pub(super) fn assign(&self, milestones: &Choice) -> Assignment {
        let categories = self.parents.num_rows();
        let mut best = vec![NONE; categories];
        let mut distance = vec![NONE; categories];
        for (rank, &milestone) in milestones.ranked.iter().enumerate() {
            best[milestone as usize] = rank as u32;
            distance[milestone as usize] = 0;
        }
        let mut frontier = milestones.ranked.clone();
        let mut next = Vec::new();
        for level in 1.. {
            for &category in &frontier {
                let rank = best[category as usize];
                for &child in self.children.view().row(category as usize) {
                    let child_index = child as usize;
                    if distance[child_index] == NONE {
                        distance[child_index] = level;
                        best[child_index] = rank;
                        next.push(child);
                    } else if distance[child_index] == level {
                        best[child_index] = best[child_index].min(rank);
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            std::mem::swap(&mut frontier, &mut next);
            next.clear();
        }
        Assignment { rank: best, distance }
    }

    /// Returns, for every category, the place in `ranked` of the first that is the category itself or lies above it.
    pub(super) fn first_above(&self, ranked: &[u32]) -> Vec<u32> {
        let mut first = vec![NONE; self.parents.num_rows()];
        let mut stack = Vec::new();
        for (rank, &category) in ranked.iter().enumerate() {
            stack.push(category);
            while let Some(category) = stack.pop() {
                let place = &mut first[category as usize];
                if *place == NONE {
                    *place = rank as u32;
                    stack.extend(self.children.view().row(category as usize));
                }
            }
        }
        first
    }

    /// Returns, for each milestone in the order of `ranked`, the ranks of those up to `levels` above it.
    pub(super) fn above(&self, milestones: &Choice, levels: usize) -> CsrBuf<u32> {
        let rank_of = milestones.rank_of(self.parents.num_rows());
        let lists: Vec<Vec<u32>> = milestones
            .ranked
            .par_iter()
            .map(|&start| {
                let mut found = Vec::new();
                self.climb(start, |level, category| {
                    if level > 0 && rank_of[category as usize] != NONE {
                        found.push(rank_of[category as usize]);
                    }
                    level < levels
                });
                found
            })
            .collect();
        lists.into_iter().collect()
    }

    /// Returns, for each milestone in the order of `ranked`, the rank of the nearest other one above it; as for ι.
    pub(super) fn next_stops(&self, milestones: &Choice) -> Vec<u32> {
        let rank_of = milestones.rank_of(self.parents.num_rows());
        milestones.ranked.par_iter().map(|&start| self.next_stop(start, &rank_of)).collect()
    }

    /// Returns the rank of the nearest milestone above one; `rank_of` has the ranks of the milestones, else [`NONE`].
    pub(super) fn next_stop(&self, start: u32, rank_of: &[u32]) -> u32 {
        let (mut best, mut found_at) = (NONE, usize::MAX);
        self.climb(start, |level, category| {
            if level > 0 && level <= found_at && rank_of[category as usize] != NONE {
                found_at = level;
                best = best.min(rank_of[category as usize]);
            }
            level < found_at
        });
        best
    }

    /// Climbs from a category level by level; `visit` returns whether to continue above what it is shown.
    fn climb(&self, start: u32, mut visit: impl FnMut(usize, u32) -> bool) {
        let mut seen = HashSet::from([start]);
        let mut frontier = vec![start];
        for level in 0.. {
            let mut next = Vec::new();
            for &category in &frontier {
                if visit(level, category) {
                    let parents = self.parents.row(category as usize).iter();
                    next.extend(parents.copied().filter(|&parent| seen.insert(parent)));
                }
            }
            if next.is_empty() {
                break;
            }
            frontier = next;
        }
    }
}
