//! A bounded list of the best pages.

use crate::graph::PageId;
use std::cmp::Ordering;

/// The pages with the smallest scores; ties go to the first. Pages that the source links to are skipped.
pub(super) struct Best<'a> {
    source: PageId,
    links: &'a [PageId],
    /// Number of pages to keep.
    most: usize,
    /// Pages that may be among the best.
    scored: Vec<(f64, PageId)>,
    /// The score above which no page is among the best.
    limit: f64,
}

fn order(one: &(f64, PageId), two: &(f64, PageId)) -> Ordering {
    one.0.total_cmp(&two.0).then(one.1.cmp(&two.1))
}

impl<'a> Best<'a> {
    pub(super) fn new(source: PageId, links: &'a [PageId], most: usize) -> Best<'a> {
        Best { source, links, most, scored: Vec::new(), limit: f64::INFINITY }
    }

    /// Limits the scores to the worst of the best of `others`, if there are enough of them.
    pub(super) fn no_worse_than(mut self, mut others: Best<'a>) -> Best<'a> {
        others.cut();
        if others.scored.len() >= self.most {
            let worst = others.scored.iter().map(|(score, _)| *score).max_by(f64::total_cmp);
            self.limit = worst.unwrap_or(f64::INFINITY);
        }
        self
    }

    /// Returns the score above which no page is among the best.
    pub(super) fn limit(&self) -> f64 {
        self.limit
    }

    #[inline]
    pub(super) fn add(&mut self, score: f64, page: PageId) {
        if score > self.limit || page == self.source || self.links.binary_search(&page).is_ok() {
            return;
        }
        self.scored.push((score, page));
        if self.scored.len() >= 2 * self.most {
            self.cut();
        }
    }

    /// Drops all but the best.
    pub(super) fn cut(&mut self) {
        if self.scored.len() >= self.most.max(1) {
            let (_, last, _) = self.scored.select_nth_unstable_by(self.most.max(1) - 1, order);
            self.limit = last.0;
            self.scored.truncate(self.most);
        }
    }

    /// Returns the best, in no order.
    pub(super) fn pages(mut self) -> Vec<PageId> {
        self.cut();
        self.scored.into_iter().map(|(_, page)| page).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEPT: usize = 100;

    fn filled<'a>(links: &'a [PageId], scored: impl Iterator<Item = (f64, PageId)>) -> Best<'a> {
        let mut best = Best::new(PageId(0), links, KEPT);
        scored.for_each(|(score, page)| best.add(score, page));
        best
    }

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
        // A limit that others give changes nothing.
        let limited = Best::new(PageId(0), &links, KEPT)
            .no_worse_than(filled(&links, scored.iter().step_by(3).copied()));
        assert!(limited.limit() < 400.0);
        for mut best in [Best::new(PageId(0), &links, KEPT), limited] {
            scored.iter().rev().for_each(|&(score, page)| best.add(score, page));
            let mut found = best.pages();
            found.sort_unstable();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn too_few_others_give_no_limit() {
        let few = filled(&[], (1..50).map(|page| (0.0, PageId(page))));
        assert_eq!(Best::new(PageId(0), &[], KEPT).no_worse_than(few).limit(), f64::INFINITY);
    }
}
