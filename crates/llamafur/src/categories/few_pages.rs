//! Milestones with too few pages pass them on to the milestones above.
//!
//! In each round those go that have fewer pages than they should and of which no other such one is next below; where these pass their
//! pages to one another in a circle, the least central one goes. A round may take a single milestone, so it must cost no more than
//! what it changes. The categories that get a milestone are its *group*. When a milestone goes,
//!
//! * its group goes to the next milestone above as a whole, if no other way leads out of it: the smaller of the two groups is
//!   added to the larger one, and how far each category is from its milestone is a sum along a path to the root of the group
//!   (R. E. Tarjan, “Applications of Path Compression on Balanced Trees”, JACM 1979, <https://doi.org/10.1145/322154.322161>);
//! * else each category of the group is searched for its next milestone, as all are in [`Tree::assign`].
//!
//! Pages only come: a milestone that has enough of them keeps them, and its pages and its group need no longer be known.

use super::choice::{Choice, NONE};
use super::tree::Tree;
use crate::storage::{Csr, CsrBuf};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Removes the milestones that end with fewer than `min_pages` pages, where each has those of its group.
pub(super) fn remove(tree: &Tree<'_>, choice: &mut Choice, page_categories: Csr<'_, u32>, min_pages: usize) {
    let mut rounds = Rounds::new(tree, choice, page_categories, min_pages);
    while rounds.round() {}
    let mut milestones = rounds.milestones.iter();
    choice.ranked.retain(|_| milestones.next().is_some_and(|milestone| !milestone.is_gone));
}

/// A milestone. Its group and its pages are known as long as they are few.
#[derive(Debug)]
struct Milestone {
    category: u32,
    is_gone: bool,
    is_small: bool,
    pages: BTreeSet<u32>,
    /// The categories of its group, itself too.
    group: Vec<u32>,
    /// The other categories of the group that have or had a parent in another group.
    exits: Vec<u32>,
    /// The rank of the next milestone above, or [`NONE`].
    next: u32,
    /// Small ones of which this is the next, and others of which it was.
    below: Vec<u32>,
    /// The number of small ones of which this is the next.
    num_below: usize,
}

/// The place of a category in its group: a step on its way to the root, or of a root itself.
#[derive(Debug, Clone, Copy)]
struct Step {
    to: u32,
    /// Its distance from the milestone less that of `to`; of a root, its distance from the milestone.
    further: i64,
}

struct Rounds<'a> {
    tree: &'a Tree<'a>,
    carriers: CsrBuf<u32>,
    min_pages: usize,
    milestones: Vec<Milestone>,
    /// The rank of each category that is a milestone, or [`NONE`].
    rank_of: Vec<u32>,
    steps: Vec<Step>,
    /// The rank of the milestone of each root's group, or [`NONE`].
    rank_of_root: Vec<u32>,
    is_scattered: Vec<bool>,
    /// Ranks of milestones with too few pages.
    small: BTreeSet<u32>,
    /// Milestones that were the next of others, and are so no longer.
    free: Vec<u32>,
}

impl<'a> Rounds<'a> {
    fn new(
        tree: &'a Tree<'a>,
        choice: &Choice,
        page_categories: Csr<'_, u32>,
        min_pages: usize,
    ) -> Rounds<'a> {
        let num = tree.parents().num_rows();
        let milestone = |&category: &u32| Milestone {
            category,
            is_gone: false,
            is_small: true,
            pages: BTreeSet::new(),
            group: Vec::new(),
            exits: Vec::new(),
            next: NONE,
            below: Vec::new(),
            num_below: 0,
        };
        let rank_of = choice.rank_of(num);
        let mut rounds = Rounds {
            tree,
            carriers: CsrBuf::transposed(page_categories, num),
            min_pages,
            milestones: choice.ranked.iter().map(milestone).collect(),
            rank_of_root: rank_of.clone(),
            rank_of,
            steps: (0..num as u32).map(|to| Step { to, further: 0 }).collect(),
            is_scattered: vec![false; num],
            small: BTreeSet::new(),
            free: Vec::new(),
        };
        let assignment = tree.assign(choice);
        for (category, (&rank, &distance)) in (0..).zip(assignment.rank.iter().zip(&assignment.distance)) {
            if rank != NONE {
                rounds.join(category, rank, i64::from(distance));
            }
        }
        let small = (0..choice.ranked.len() as u32).filter(|&rank| rounds.milestones[rank as usize].is_small);
        rounds.small = small.collect();
        rounds.free = rounds.small.iter().copied().collect();
        for rank in rounds.free.clone() {
            for category in rounds.milestones[rank as usize].group.clone() {
                rounds.add_exit(rank, category);
            }
            rounds.find_next(rank);
        }
        rounds
    }

    fn at(&mut self, rank: u32) -> &mut Milestone {
        &mut self.milestones[rank as usize]
    }

    /// Removes the milestones of a round; `false` if there are none.
    fn round(&mut self) -> bool {
        let mut going = std::mem::take(&mut self.free);
        going.retain(|&rank| {
            let milestone = &self.milestones[rank as usize];
            milestone.is_small && !milestone.is_gone && milestone.num_below == 0
        });
        going.sort_unstable();
        going.dedup();
        if going.is_empty() {
            // They pass their pages to one another in a circle: one has to begin.
            let Some(&least_central) = self.small.last() else { return false };
            going.push(least_central);
        }
        for &rank in &going {
            self.small.remove(&rank);
            self.at(rank).is_gone = true;
            let category = self.at(rank).category;
            self.rank_of[category as usize] = NONE;
        }
        let mut scattered = Vec::new();
        for &rank in &going {
            let exits = std::mem::take(&mut self.at(rank).exits);
            if exits.into_iter().any(|category| self.leads_out(category, rank)) {
                scattered.append(&mut self.at(rank).group);
            } else {
                self.merge(rank);
            }
        }
        self.search(&scattered);
        for rank in going {
            self.leave(rank);
            for below in std::mem::take(&mut self.at(rank).below) {
                let milestone = self.at(below);
                if milestone.is_small && !milestone.is_gone && milestone.next == rank {
                    self.find_next(below);
                }
            }
        }
        true
    }

    /// Finds the root of a category's group, and how far the category is from the milestone.
    fn find(&mut self, category: u32) -> (u32, i64) {
        let (mut root, mut distance) = (category, 0);
        while self.steps[root as usize].to != root {
            distance += self.steps[root as usize].further;
            root = self.steps[root as usize].to;
        }
        let (mut at, mut rest) = (category, distance);
        while at != root {
            let Step { to, further } = self.steps[at as usize];
            self.steps[at as usize] = Step { to: root, further: rest };
            (at, rest) = (to, rest - further);
        }
        (root, distance + self.steps[root as usize].further)
    }

    /// Returns the distance of a category's milestone, and its rank, or [`NONE`].
    fn nearest(&mut self, category: u32) -> (i64, u32) {
        let (root, distance) = self.find(category);
        (distance, self.rank_of_root[root as usize])
    }

    /// Returns whether a category has a parent in another group than that of a milestone.
    fn leads_out(&mut self, category: u32, rank: u32) -> bool {
        let parents = self.tree.parents().row(category as usize);
        parents.iter().any(|&parent| ![rank, NONE].contains(&self.nearest(parent).1))
    }

    fn add_exit(&mut self, rank: u32, category: u32) {
        if category != self.at(rank).category && self.leads_out(category, rank) {
            self.at(rank).exits.push(category);
        }
    }

    /// Finds the nearest milestone in the groups of a category's parents, other than its own, and how far it is; the
    /// more central of several.
    fn above(&mut self, category: u32, own: u32) -> Option<(i64, u32)> {
        let parents = self.tree.parents().row(category as usize).iter();
        let milestones = parents.map(|&parent| self.nearest(parent));
        let others = milestones.filter(|&(_, rank)| rank != NONE && rank != own);
        others.map(|(distance, rank)| (distance + 1, rank)).min()
    }

    /// Finds the next milestone above one.
    fn find_next(&mut self, rank: u32) {
        let category = self.at(rank).category;
        let parents = self.tree.parents().row(category as usize);
        let is_its_own = parents.iter().any(|&parent| parent != category && self.nearest(parent).1 == rank);
        let next = match is_its_own {
            // The way up leads through its own group.
            true => self.tree.next_stop(category, &self.rank_of),
            false => self.above(category, rank).map_or(NONE, |(_, next)| next),
        };
        self.at(rank).next = next;
        if next != NONE {
            self.at(next).below.push(rank);
            self.at(next).num_below += 1;
        }
    }

    /// Detaches a milestone that is gone or no longer small from the next, to which it passes nothing.
    fn leave(&mut self, rank: u32) {
        let next = self.at(rank).next;
        if next != NONE {
            self.at(next).num_below -= 1;
            if self.at(next).num_below == 0 {
                self.free.push(next);
            }
        }
    }

    /// Puts a category into the group of a milestone.
    fn join(&mut self, category: u32, rank: u32, distance: i64) {
        let (root, of_milestone) = (self.find(self.milestones[rank as usize].category).0, distance);
        if root != category {
            let further = of_milestone - self.steps[root as usize].further;
            self.steps[category as usize] = Step { to: root, further };
        }
        if self.at(rank).is_small {
            self.milestones[rank as usize].group.push(category);
            let pages = self.carriers.view().row(category as usize).iter();
            self.milestones[rank as usize].pages.extend(pages);
            self.count(rank);
        }
    }

    /// Moves a milestone that has enough pages out of the small ones.
    fn count(&mut self, rank: u32) {
        let milestone = &mut self.milestones[rank as usize];
        if milestone.pages.len() < self.min_pages {
            return;
        }
        milestone.is_small = false;
        (milestone.pages, milestone.group, milestone.exits) = Default::default();
        if self.small.remove(&rank) {
            self.leave(rank);
        }
    }

    /// Puts the group of a milestone that goes, out of which only the milestone leads, into the group above.
    fn merge(&mut self, rank: u32) {
        let milestone = self.at(rank);
        let category = milestone.category;
        let (mut group, mut pages) =
            (std::mem::take(&mut milestone.group), std::mem::take(&mut milestone.pages));
        let root = self.find(category).0;
        let Some((distance, next)) = self.above(category, rank) else {
            self.rank_of_root[root as usize] = NONE;
            return;
        };
        let root_above = self.find(self.milestones[next as usize].category).0;
        let above = self.steps[root_above as usize].further;
        let step = &mut self.steps[root as usize];
        *step = Step { to: root_above, further: step.further + distance - above };
        let into = &mut self.milestones[next as usize];
        if into.is_small {
            if into.group.len() < group.len() {
                std::mem::swap(&mut into.group, &mut group);
            }
            into.group.append(&mut group);
            if into.pages.len() < pages.len() {
                std::mem::swap(&mut into.pages, &mut pages);
            }
            into.pages.extend(pages);
            self.add_exit(next, category);
            self.count(next);
        }
    }

    /// Searches for the milestones of categories whose own are gone.
    fn search(&mut self, scattered: &[u32]) {
        for &category in scattered {
            self.is_scattered[category as usize] = true;
            self.steps[category as usize] = Step { to: category, further: 0 };
            self.rank_of_root[category as usize] = NONE;
        }
        let mut found = BinaryHeap::new();
        for &category in scattered {
            found.extend(
                self.above(category, NONE).map(|(distance, rank)| Reverse((distance, rank, category))),
            );
        }
        while let Some(Reverse((distance, rank, category))) = found.pop() {
            if std::mem::take(&mut self.is_scattered[category as usize]) {
                self.join(category, rank, distance);
                let children = self.tree.children().row(category as usize).iter();
                let others = children.filter(|child| self.is_scattered[**child as usize]);
                found.extend(others.map(|child| Reverse((distance + 1, rank, *child))));
            }
        }
        for &category in scattered {
            self.is_scattered[category as usize] = false;
            let (_, rank) = self.nearest(category);
            if rank != NONE && self.at(rank).is_small {
                self.add_exit(rank, category);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Removes the milestones round by round, each from the beginning.
    fn remove_plainly(tree: &Tree<'_>, choice: &mut Choice, pages: Csr<'_, u32>, min_pages: usize) {
        loop {
            let assignment = tree.assign(choice);
            let mut carried = vec![BTreeSet::new(); choice.ranked.len()];
            for (page, categories) in pages.rows().enumerate() {
                let ranks = categories.iter().map(|&category| assignment.rank[category as usize]);
                ranks.filter(|&rank| rank != NONE).for_each(|rank| _ = carried[rank as usize].insert(page));
            }
            let is_small: Vec<bool> = carried.iter().map(|pages| pages.len() < min_pages).collect();
            let Some(least_central) = is_small.iter().rposition(|&small| small) else { return };
            let mut goes = is_small.clone();
            for (rank, &next) in tree.next_stops(choice).iter().enumerate() {
                if is_small[rank] && next != NONE {
                    goes[next as usize] = false;
                }
            }
            if !goes.contains(&true) {
                goes[least_central] = true;
            }
            let mut rank = 0..;
            choice.ranked.retain(|_| !goes[rank.next().unwrap()]);
        }
    }

    fn table(rows: &[Vec<u32>]) -> CsrBuf<u32> {
        rows.iter().map(|row| BTreeSet::from_iter(row.iter().copied())).collect()
    }

    /// Parents of categories, categories of pages, and milestones in their order.
    fn cases() -> impl Strategy<Value = (Vec<Vec<u32>>, Vec<Vec<u32>>, Vec<u32>)> {
        (2u32..40).prop_flat_map(|num| {
            // Mostly the one before: long ways up; with some circles.
            let parent = (0u32..num, 0u32..4);
            let parents = proptest::collection::vec(proptest::collection::vec(parent, 0..3), num as usize);
            let parents = parents.prop_map(move |rows| {
                let of = |(category, row): (usize, Vec<(u32, u32)>)| {
                    let near =
                        |(any, kind)| if kind == 0 { any } else { (category as u32).saturating_sub(kind) };
                    row.into_iter().map(near).collect()
                };
                rows.into_iter().enumerate().map(of).collect()
            });
            let pages = proptest::collection::vec(proptest::collection::vec(0..num, 0..4), 0..60);
            let order = Just((0..num).collect::<Vec<u32>>()).prop_shuffle();
            let milestones = (order, 1..=num as usize).prop_map(|(mut order, count)| {
                order.truncate(count);
                order
            });
            (parents, pages, milestones)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]
        #[test]
        fn the_same_go_as_round_by_round((parents, pages, ranked) in cases(), min_pages in 0usize..9) {
            let (parents, pages) = (table(&parents), table(&pages));
            let tree = Tree::new(parents.view());
            let (mut choice, mut plain) = (Choice { ranked: ranked.clone() }, Choice { ranked });
            remove(&tree, &mut choice, pages.view(), min_pages);
            remove_plainly(&tree, &mut plain, pages.view(), min_pages);
            prop_assert_eq!(choice.ranked, plain.ranked);
        }
    }

    #[test]
    fn a_chain_of_two_hundred_thousand_categories_ends() {
        let num = 200_000u32;
        let parents: Vec<Vec<u32>> =
            (0..num).map(|category| category.checked_sub(1).into_iter().collect()).collect();
        let parents = table(&parents);
        let tree = Tree::new(parents.view());
        let each: Vec<Vec<u32>> = (0..num).map(|category| vec![category]).collect();
        for (pages, min_pages, left) in [
            // A page each: groups of as many as it takes, and what is left of them above goes.
            (each.clone(), 3, 66_666),
            (each.clone(), 200_000, 1),
            (each, 200_001, 0),
            // All pages below, with nothing between them and the first category, or one page.
            (vec![vec![num - 1]; 5], 5, 1),
            (vec![vec![num - 1]], 1, 1),
            (vec![vec![num - 1], vec![0]], 2, 1),
        ] {
            let mut choice = Choice { ranked: (0..num).collect() };
            remove(&tree, &mut choice, table(&pages).view(), min_pages);
            assert_eq!(choice.ranked.len(), left, "{min_pages}");
        }
    }

    #[test]
    fn a_circle_of_two_hundred_thousand_categories_ends() {
        let num = 200_000u32;
        let parents: Vec<Vec<u32>> = (0..num).map(|category| vec![(category + num - 1) % num]).collect();
        let (parents, each) = (table(&parents), table(&(0..num).map(|page| vec![page]).collect::<Vec<_>>()));
        let tree = Tree::new(parents.view());
        for (min_pages, left) in [(3, 66_666), (200_000, 1), (200_001, 0)] {
            let mut choice = Choice { ranked: (0..num).collect() };
            remove(&tree, &mut choice, each.view(), min_pages);
            assert_eq!(choice.ranked.len(), left, "{min_pages}");
        }
    }
}
