//! What a weight rests on: the links of the graph that join a pair of categories.

use super::WeightedPair;
use crate::graph::{Graph, MilestoneId, Neighbours, PageId};
use crate::matrix::CategoryMatrix;
use crate::score::Normalise;
use crate::storage::CsrBuf;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// How many typical links are kept for each pair.
const TYPICAL: usize = 3;

/// The links that join a pair of categories.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evidence {
    /// How many there are.
    pub links: u64,
    /// The most expected of them, at most three.
    pub typical: Vec<(PageId, PageId)>,
}

/// The pages of each category: an index, so that the links of a pair are found without going over the whole graph.
#[derive(Debug)]
pub struct CategoryPages(CsrBuf<u32>);

impl CategoryPages {
    /// The index of these categories; 4 bytes for each category of a page.
    pub fn new(graph: &Graph<'_>) -> CategoryPages {
        CategoryPages(CsrBuf::transposed(graph.categories.cast(), graph.num_categories))
    }

    /// The pages of a category, ascending.
    pub fn of(&self, category: MilestoneId) -> &[PageId] {
        bytemuck::cast_slice(self.0.view().row(category.index()))
    }

    /// The pages of any of these categories, ascending, each once.
    fn of_any(&self, categories: impl Iterator<Item = MilestoneId>) -> Vec<PageId> {
        let mut pages: Vec<PageId> = categories.flat_map(|category| self.of(category)).copied().collect();
        pages.sort_unstable();
        pages.dedup();
        pages
    }
}

/// The links behind each of the pairs; `except` is left out of the typical ones. Only the links of pages in the source
/// categories are looked at.
pub fn evidence(
    graph: &Graph<'_>,
    index: &CategoryPages,
    matrix: &dyn CategoryMatrix,
    pairs: &[WeightedPair],
    except: (PageId, PageId),
) -> Vec<Evidence> {
    let pages = index.of_any(pairs.iter().map(|pair| pair.source).collect::<BTreeSet<_>>().into_iter());
    let nothing = || vec![Gathered::default(); pairs.len()];
    let found = pages.par_iter().fold(nothing, |mut found, &page| {
        gather(graph, matrix, pairs, except, page, &mut found);
        found
    });
    let all = found.reduce(nothing, |mut all, part| {
        all.iter_mut().zip(part).for_each(|(all, part)| all.merge(part));
        all
    });
    all.into_iter().map(Gathered::into_evidence).collect()
}

/// How many links lead from pages of a category to pages of every other.
pub(crate) fn links_from(graph: &Graph<'_>, index: &CategoryPages, category: MilestoneId) -> Vec<u64> {
    let mut counts = vec![0; graph.num_categories];
    let targets = index.of(category).iter().flat_map(|&page| graph.links(page));
    targets.flat_map(|&target| graph.categories(target)).for_each(|other| counts[other.index()] += 1);
    counts
}

/// How many links lead from pages of every category to pages of this one.
pub(crate) fn links_to(
    graph: &Graph<'_>,
    index: &CategoryPages,
    neighbours: &Neighbours,
    category: MilestoneId,
) -> Vec<u64> {
    let mut counts = vec![0; graph.num_categories];
    for &page in index.of(category) {
        let sources =
            neighbours.of(page).iter().filter(|&&source| graph.links(source).binary_search(&page).is_ok());
        sources.flat_map(|&source| graph.categories(source)).for_each(|other| counts[other.index()] += 1);
    }
    counts
}

fn gather(
    graph: &Graph<'_>,
    matrix: &dyn CategoryMatrix,
    pairs: &[WeightedPair],
    except: (PageId, PageId),
    page: PageId,
    found: &mut [Gathered],
) {
    let sources = graph.categories(page);
    for &target in graph.links(page) {
        let targets = graph.categories(target);
        let mut expectedness = None;
        for (pair, found) in pairs.iter().zip(found.iter_mut()) {
            if sources.binary_search(&pair.source).is_err() || targets.binary_search(&pair.target).is_err() {
                continue;
            }
            found.links += 1;
            if (page, target) != except {
                let e = *expectedness.get_or_insert_with(|| {
                    Normalise::Mean.expectedness(matrix.rows(sources), targets).unwrap_or(0.0)
                });
                found.offer((e, page, target));
            }
        }
    }
}

#[derive(Debug, Clone, Default)]
struct Gathered {
    links: u64,
    /// The most expected first, then by page.
    best: Vec<(f64, PageId, PageId)>,
}

impl Gathered {
    fn offer(&mut self, link: (f64, PageId, PageId)) {
        let place = self.best.partition_point(|kept| {
            kept.0.total_cmp(&link.0).reverse().then((kept.1, kept.2).cmp(&(link.1, link.2))).is_lt()
        });
        if place < TYPICAL {
            self.best.insert(place, link);
            self.best.truncate(TYPICAL);
        }
    }

    fn merge(&mut self, other: Gathered) {
        self.links += other.links;
        other.best.into_iter().for_each(|link| self.offer(link));
    }

    fn into_evidence(self) -> Evidence {
        let typical = self.best.into_iter().map(|(_, source, target)| (source, target)).collect();
        Evidence { links: self.links, typical }
    }
}
