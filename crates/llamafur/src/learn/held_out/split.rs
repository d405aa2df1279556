//! A graph cut in two: links to learn from, and pairs to classify.

use super::super::sampler::{NonLinks, Purpose, generator, unit};
use crate::graph::{Fold, Graph, PageId, Pairs};
use crate::storage::CsrBuf;
use rayon::prelude::*;

/// Pages that a thread takes at a time.
const PAGES: usize = 4096;

/// A source, a target, and whether it is a link.
pub(crate) type Pair = (PageId, PageId, bool);

/// A graph cut in two: links to learn from, and pairs to classify.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// The links that may be learnt from.
    pub training: CsrBuf<PageId>,
    /// Held-out links (`true`), and as many non-links of the same pages: page after page, links first.
    pub pairs: Vec<Pair>,
    /// The pairs that non-links for training are drawn from.
    non_links: Pairs,
}

impl Split {
    /// Holds out about this share of the links, each by a draw of its own.
    ///
    /// The non-links are no links of the whole graph. Pairs are held out whether or not both sides have
    /// categories: what cannot be classified counts as an error, as it would in use. A page that links to all others
    /// has no non-links. All threads work; the result does not depend on their number.
    pub fn new(graph: &Graph<'_>, share: f64, seed: u64) -> Split {
        Split::by(graph, Pairs::All, seed, |page| {
            let mut draw = generator(seed, Purpose::HeldOut, u64::from(page.0));
            move |_: PageId| unit(&mut draw) < share
        })
    }

    /// Holds out the links of a fold.
    ///
    /// Links and non-links are as in [`Split::new`], but the non-links are of the fold, and no pair of the fold is
    /// learnt from, neither as a link nor as a non-link.
    pub fn of_fold(graph: &Graph<'_>, fold: Fold, seed: u64) -> Split {
        let graph = Graph { pairs: Pairs::Inside(fold), ..*graph };
        Split::by(&graph, Pairs::Outside(fold), seed, |page| move |target| fold.holds(page, target))
    }

    /// Holds out the links that `is_held_out` says of a page, and non-links that the graph lets be drawn; those to
    /// learn from are `non_links`.
    fn by<F: FnMut(PageId) -> bool>(
        graph: &Graph<'_>,
        non_links: Pairs,
        seed: u64,
        is_held_out: impl Fn(PageId) -> F + Sync,
    ) -> Split {
        let chunks = (0..graph.num_pages()).into_par_iter().step_by(PAGES);
        let pairs: Vec<Vec<Pair>> =
            chunks.map(|start| pairs_from(graph, start, seed, &is_held_out)).collect();
        let pairs = pairs.concat();
        Split { training: without(graph, &pairs), pairs, non_links }
    }

    /// Returns the number of links held out.
    pub fn num_links(&self) -> usize {
        self.pairs.iter().filter(|pair| pair.2).count()
    }

    /// Returns the graph without the links that are held out.
    pub fn training<'a>(&'a self, graph: &Graph<'a>) -> Graph<'a> {
        Graph { links: self.training.view(), pairs: self.non_links, ..*graph }
    }
}

fn chunk(graph: &Graph<'_>, start: usize) -> impl Iterator<Item = PageId> + use<> {
    (start as u32..(start + PAGES).min(graph.num_pages()) as u32).map(PageId)
}

/// Draws the held-out pairs of a chunk of pages.
fn pairs_from<F: FnMut(PageId) -> bool>(
    graph: &Graph<'_>,
    start: usize,
    seed: u64,
    is_held_out: impl Fn(PageId) -> F,
) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for page in chunk(graph, start) {
        let mut of_page = is_held_out(page);
        let first = pairs.len();
        let held_out = graph.links(page).iter().filter(|target| of_page(**target));
        pairs.extend(held_out.map(|&target| (page, target, true)));
        let num = pairs.len() - first;
        // A pass of its own, so that these are not the non-links that training will draw.
        let non_links = NonLinks::new(graph, page, seed, u64::from(u32::MAX)).take(num);
        pairs.extend(non_links.map(|target| (page, target, false)));
    }
    pairs
}

/// Returns the links without those that are held out.
fn without(graph: &Graph<'_>, pairs: &[Pair]) -> CsrBuf<PageId> {
    let held_out = || pairs.iter().filter(|pair| pair.2).map(|pair| (pair.0, pair.1));
    let mut training = CsrBuf::with_capacity(graph.num_pages(), graph.num_links() - held_out().count());
    // Both come in the order of pages and, within a page, of links.
    let mut held_out = held_out().peekable();
    for page in graph.pages() {
        let links = graph.links(page).iter().copied();
        training.push_row(links.filter(|&target| held_out.next_if_eq(&(page, target)).is_none()));
    }
    training
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::MilestoneId;
    use proptest::prelude::*;

    /// The definition, page after page.
    fn one_by_one(graph: &Graph<'_>, share: f64, seed: u64) -> Split {
        let mut split = Split { training: CsrBuf::new(), pairs: Vec::new(), non_links: Pairs::All };
        for page in graph.pages() {
            let mut draw = generator(seed, Purpose::HeldOut, u64::from(page.0));
            let first = split.pairs.len();
            let mut kept = Vec::new();
            for &target in graph.links(page) {
                if unit(&mut draw) < share {
                    split.pairs.push((page, target, true));
                } else {
                    kept.push(target);
                }
            }
            let num = split.pairs.len() - first;
            let non_links = NonLinks::new(graph, page, seed, u64::from(u32::MAX)).take(num);
            split.pairs.extend(non_links.map(|target| (page, target, false)));
            split.training.push_row(kept);
        }
        split
    }

    fn check(pages: u32, modulus: u32, share: f64, seed: u64) {
        let is_link = |page: u32, target: u32| {
            target != page && (target.wrapping_mul(7) ^ page.wrapping_mul(5)).is_multiple_of(modulus)
        };
        let row = |page| {
            let reach = page..pages.min(page + 40);
            reach.filter(|&target| is_link(page, target)).map(PageId).collect::<Vec<_>>()
        };
        let links: CsrBuf<PageId> = (0..pages).map(row).collect();
        let categories = CsrBuf::from_iter((0..pages).map(|_| [MilestoneId(0)]));
        let graph = Graph::new(links.view(), categories.view(), 1);
        let split = Split::new(&graph, share, seed);
        assert_eq!(split, one_by_one(&graph, share, seed));
        assert_eq!(split.training(&graph).num_links() + split.num_links(), graph.num_links());
        for &(source, target, is_link) in &split.pairs {
            assert_eq!(graph.links(source).contains(&target), is_link);
            assert!(!split.training.view().row(source.index()).contains(&target));
        }
        // As many non-links, but for pages that link to all others.
        let has_some = |page| graph.links(page).len() + 1 < graph.num_pages();
        let expected = split.pairs.iter().filter(|pair| pair.2 && has_some(pair.0)).count();
        assert_eq!(split.pairs.len() - split.num_links(), expected);
    }

    #[test]
    fn a_fold_is_seen_in_neither_role() {
        let row =
            |page: u32| (0..90).filter(move |other| other % 3 == page % 3 && *other != page).map(PageId);
        let links: CsrBuf<PageId> = (0..90).map(row).collect();
        let none = CsrBuf::from_iter((0..90).map(|_| [MilestoneId(0)]));
        let graph = Graph::new(links.view(), none.view(), 1);
        let mut held_out = Vec::new();
        for fold in Fold::all(5, 3) {
            let split = Split::of_fold(&graph, fold, 3);
            let training = split.training(&graph);
            assert_eq!(training.num_links() + split.num_links(), graph.num_links());
            for &(source, target, is_link) in &split.pairs {
                assert_eq!(graph.links(source).contains(&target), is_link);
                assert!(fold.holds(source, target));
            }
            assert_eq!(split.pairs.len(), 2 * split.num_links());
            for page in graph.pages() {
                assert!(training.links(page).iter().all(|&target| !fold.holds(page, target)));
                let mut drawn = NonLinks::new(&training, page, 3, 0).take(100);
                assert!(
                    drawn.all(|target| !fold.holds(page, target) && !graph.links(page).contains(&target))
                );
            }
            held_out.extend(split.pairs.into_iter().filter(|pair| pair.2));
        }
        held_out.sort_unstable();
        let all = graph.pages().flat_map(|page| graph.links(page).iter().map(move |&to| (page, to, true)));
        assert!(held_out.into_iter().eq(all), "every link is held out once");
    }

    #[test]
    fn chunks_of_pages_make_no_difference() {
        for pages in [0, 1, 40, 4095, 4096, 4097, 9000] {
            check(pages, 3, 0.1, 5);
        }
        // All links of most pages are held out; then none at all.
        check(5000, 9, 0.9, 1);
        check(5000, 9, 0.0, 1);
    }

    proptest! {
        #[test]
        fn every_link_is_kept_once_and_no_pair_is_learnt_from(
            pages in 2u32..60, modulus in 1u32..6, share in 0.0..1.0, seed: u64
        ) {
            check(pages, modulus, share, seed);
        }
    }
}
