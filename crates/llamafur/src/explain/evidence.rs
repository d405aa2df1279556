//! What a weight rests on: the links of the graph that join a pair of categories.

use super::WeightedPair;
use crate::graph::{CategoryId, Graph, PageId};
use crate::matrix::CategoryMatrix;
use crate::score::Normalise;
use rayon::prelude::*;

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

/// The links behind each of the pairs, in one pass over the graph; `except` is left out of the typical ones.
pub fn evidence(
    graph: &Graph<'_>,
    matrix: &dyn CategoryMatrix,
    pairs: &[WeightedPair],
    except: (PageId, PageId),
) -> Vec<Evidence> {
    let mut sources: Vec<CategoryId> = pairs.iter().map(|pair| pair.source).collect();
    sources.sort_unstable();
    sources.dedup();
    let pages = (0..graph.num_pages() as u32).into_par_iter().map(PageId);
    let found = pages.fold(
        || vec![Gathered::default(); pairs.len()],
        |mut found, page| {
            let carried = graph.categories(page);
            if carried.iter().any(|category| sources.binary_search(category).is_ok()) {
                gather(graph, matrix, pairs, except, page, &mut found);
            }
            found
        },
    );
    let nothing = || vec![Gathered::default(); pairs.len()];
    let all = found.reduce(nothing, |mut all, part| {
        all.iter_mut().zip(part).for_each(|(all, part)| all.merge(part));
        all
    });
    all.into_iter().map(Gathered::into_evidence).collect()
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
                    Normalise::Mean.expectedness(matrix, sources, targets).unwrap_or(0.0)
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
