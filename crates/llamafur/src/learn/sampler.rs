//! Examples to learn from: the links of a page, and as many non-links, drawn by (seed, page).
//!
//! The non-links of a page are uniform over the pages that it does not link to, itself left out. One draw is
//! one random number: it is a rank among those pages, and a binary search over the page's links finds the page
//! of that rank. So a page that links to nearly everything costs no more than any other. Where only some pairs may be
//! drawn, because a fold is held out, what is not among them is drawn again.

use crate::graph::{Graph, PageId, Pairs};
pub use crate::random::{Generator, Purpose, below, generator, shuffle, unit};
use std::hint::select_unpredictable;

/// Returns all pages in the order of a pass or round.
pub fn page_order(num_pages: usize, seed: u64, pass: u64) -> Vec<PageId> {
    let mut order: Vec<PageId> = (0..num_pages as u32).map(PageId).collect();
    shuffle(&mut generator(seed, Purpose::PageOrder, pass), &mut order);
    order
}

/// Returns the number of examples in a pass over the graph: every link, and `ratio` non-links a link for each page that
/// has any.
pub fn num_examples(graph: &Graph<'_>, ratio: usize) -> u64 {
    let of_page = |page: PageId| {
        let links = graph.links(page).len();
        if has_non_links(graph, page) { (1 + ratio) * links } else { links }
    };
    graph.pages().map(|page| of_page(page) as u64).sum()
}

/// Returns whether there is a page that may be drawn as a non-link of this one.
pub(super) fn has_non_links(graph: &Graph<'_>, page: PageId) -> bool {
    match graph.pairs {
        Pairs::All => graph.links(page).len() + 1 < graph.num_pages(),
        _ => NonLinks::new(graph, page, 0, 0).num > 0,
    }
}

/// An iterator over random non-links of a page.
pub struct NonLinks<'a> {
    page: PageId,
    links: &'a [PageId],
    /// The number of pages that it does not link to, itself left out; 0 if none of them may be drawn.
    num: u64,
    /// The number of them that come before the page itself.
    before_page: u64,
    /// The pairs that may be drawn.
    pairs: Pairs,
    generator: Generator,
}

/// Draws for each fold after which one has hit any fold: but for a chance of e⁻⁶⁴.
const DRAWS_A_FOLD: u64 = 64;

impl<'a> NonLinks<'a> {
    /// Draws the non-links of a page in a pass; every pass has fresh ones.
    pub fn new(graph: &Graph<'a>, page: PageId, seed: u64, pass: u64) -> NonLinks<'a> {
        let links = graph.links(page);
        let num = (graph.num_pages() - links.len()) as u64 - 1;
        let links_before = links.partition_point(|&target| target < page);
        let before_page = (page.index() - links_before) as u64;
        let generator = generator(seed, Purpose::NonLinks, u64::from(page.0) | pass << 32);
        let mut non_links = NonLinks { page, links, num, before_page, pairs: graph.pairs, generator };
        if !non_links.has_any() {
            non_links.num = 0;
        }
        non_links
    }

    /// Returns whether one of the pages may be drawn.
    fn has_any(&self) -> bool {
        let (Pairs::Outside(fold) | Pairs::Inside(fold)) = self.pairs else { return true };
        self.num >= DRAWS_A_FOLD * u64::from(fold.of())
            || (0..self.num).any(|rank| self.pairs.hold(self.page, self.ranked(rank)))
    }

    /// Returns the page of the given rank among those not linked to, the source left out.
    fn ranked(&self, rank: u64) -> PageId {
        let rank = if rank >= self.before_page { rank + 1 } else { rank };
        // Of the pages before links[i], links[i] − i are not linked to. How many links come before the page is
        // sought without a branch: no processor can guess which half a random rank is in.
        let is_before = |i: usize| u64::from(self.links[i].0) - i as u64 <= rank;
        let (mut low, mut size) = (0, self.links.len());
        while size > 1 {
            let half = size / 2;
            low = select_unpredictable(is_before(low + half), low + half, low);
            size -= half;
        }
        low += usize::from(size == 1 && is_before(low));
        PageId((rank + low as u64) as u32)
    }
}

impl Iterator for NonLinks<'_> {
    type Item = PageId;

    /// Returns `None` only where the page links to all others that may be drawn.
    fn next(&mut self) -> Option<PageId> {
        if self.num == 0 {
            return None;
        }
        let target = loop {
            let rank = below(&mut self.generator, self.num);
            let target = self.ranked(rank);
            if self.pairs.hold(self.page, target) {
                break target;
            }
        };
        debug_assert!(target != self.page && self.links.binary_search(&target).is_err());
        Some(target)
    }
}

/// Other ways to draw non-links, kept for experiments.
#[cfg(any(test, feature = "oracle"))]
mod draw {
    use super::{NonLinks, below};
    use crate::graph::{Graph, PageId};

    /// The way non-links are drawn.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Draw {
        /// Every page with the same chance.
        #[default]
        Uniform,
        /// A page with a chance that grows with the links to it.
        ByInDegree,
        /// The two ways in turn.
        Mixed,
    }

    /// The most draws by in-degree that hit no non-link, before a uniform one.
    const TRIES: usize = 16;

    impl<'a> NonLinks<'a> {
        /// Draws non-links of the same page in another way.
        pub(in crate::learn) fn drawn(
            mut self,
            how: Draw,
            graph: Graph<'a>,
        ) -> impl Iterator<Item = PageId> + use<'a> {
            let mut turn = 0usize;
            std::iter::from_fn(move || {
                turn += 1;
                let by_in_degree = match how {
                    Draw::Uniform => false,
                    Draw::ByInDegree => true,
                    Draw::Mixed => turn.is_multiple_of(2),
                };
                let tries = if by_in_degree { TRIES } else { 0 };
                let of_a_link = (0..tries).find_map(|_| self.target_of_any_link(&graph));
                of_a_link.or_else(|| self.next())
            })
        }

        /// Draws one of all links and returns its target; `None` if the page links to it.
        fn target_of_any_link(&mut self, graph: &Graph<'_>) -> Option<PageId> {
            let targets = graph.links.values();
            let target = targets[below(&mut self.generator, targets.len() as u64) as usize];
            let is_link = target == self.page || self.links.binary_search(&target).is_ok();
            (!is_link && self.pairs.hold(self.page, target)).then_some(target)
        }
    }
}

#[cfg(any(test, feature = "oracle"))]
#[doc(hidden)]
pub use draw::Draw;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Fold;
    use crate::storage::CsrBuf;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn graph_of(links: &CsrBuf<PageId>) -> Graph<'_> {
        Graph::new(links.view(), crate::storage::Csr::new(&[0], &[]).unwrap(), 0)
    }

    #[test]
    fn a_page_that_links_to_all_others_has_no_non_links() {
        let links = CsrBuf::from_iter([vec![PageId(1), PageId(2)], vec![], vec![]]);
        assert_eq!(NonLinks::new(&graph_of(&links), PageId(0), 1, 0).next(), None);
        let drawn: BTreeSet<_> = NonLinks::new(&graph_of(&links), PageId(1), 1, 0).take(50).collect();
        assert_eq!(drawn, BTreeSet::from([PageId(0), PageId(2)]));
    }

    #[test]
    fn non_links_are_drawn_from_the_pairs_that_may_be() {
        let links = CsrBuf::from_iter((0..40).map(|page| {
            let all_but = |other: &u32| *other != page && other % 13 != page % 13;
            (0..40).filter(all_but).map(PageId).collect::<Vec<_>>()
        }));
        let mut without = 0;
        for fold in Fold::all(4, 9) {
            for pairs in [Pairs::Inside(fold), Pairs::Outside(fold)] {
                let graph = Graph { pairs, ..graph_of(&links) };
                for page in graph.pages() {
                    let is_free = |target: &PageId| *target != page && !graph.links(page).contains(target);
                    let allowed: BTreeSet<PageId> =
                        graph.pages().filter(is_free).filter(|&target| pairs.hold(page, target)).collect();
                    assert_eq!(has_non_links(&graph, page), !allowed.is_empty());
                    let drawn: BTreeSet<_> = NonLinks::new(&graph, page, 1, 0).take(200).collect();
                    assert_eq!(drawn, allowed);
                    without += usize::from(allowed.is_empty());
                    let by_in_degree = NonLinks::new(&graph, page, 1, 0).drawn(Draw::ByInDegree, graph);
                    assert!(by_in_degree.take(50).all(|target| allowed.contains(&target)));
                }
            }
        }
        assert!(without > 0, "some page has no non-link in some fold");
    }

    #[test]
    fn non_links_are_uniform() {
        let links = CsrBuf::from_iter(
            (0..10).map(|page| if page == 4 { vec![PageId(0), PageId(5)] } else { vec![] }),
        );
        let mut counts = [0u32; 10];
        NonLinks::new(&graph_of(&links), PageId(4), 7, 0)
            .take(70_000)
            .for_each(|page| counts[page.index()] += 1);
        assert_eq!((counts[0], counts[4], counts[5]), (0, 0, 0));
        // Seven pages, 10,000 each; six standard deviations are 556.
        assert!(counts.iter().all(|&n| n == 0 || n.abs_diff(10_000) < 556), "{counts:?}");
    }

    #[test]
    fn neighbouring_seeds_and_pages_give_unrelated_draws() {
        let links = CsrBuf::from_iter((0..1000).map(|_| Vec::new()));
        let draw =
            |seed, page| NonLinks::new(&graph_of(&links), PageId(page), seed, 0).take(8).collect::<Vec<_>>();
        let all: BTreeSet<_> =
            (0..20).flat_map(|seed| (0..20).map(move |page| (seed, page))).map(|(s, p)| draw(s, p)).collect();
        assert_eq!(all.len(), 400);
    }

    proptest! {
        #[test]
        fn ranks_run_through_the_pages_not_linked_to(linked in proptest::collection::btree_set(0u32..30, 0..30), page in 0u32..30) {
            let linked: Vec<PageId> = linked.into_iter().filter(|&id| id != page).map(PageId).collect();
            let expected: Vec<PageId> =
                (0..30).map(PageId).filter(|id| *id != PageId(page) && !linked.contains(id)).collect();
            let links = CsrBuf::from_iter((0..30).map(|id| if id == page { linked.clone() } else { vec![] }));
            let non_links = NonLinks::new(&graph_of(&links), PageId(page), 1, 0);
            prop_assert_eq!(non_links.num as usize, expected.len());
            let ranked: Vec<PageId> = (0..non_links.num).map(|rank| non_links.ranked(rank)).collect();
            prop_assert_eq!(ranked, expected);
        }
    }
}
