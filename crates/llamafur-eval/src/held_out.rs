//! Held-out links: learn without a tenth of the links, then tell them from as many non-links.
//!
//! A pair is taken for a link when its expectedness is positive. With TP, FP and FN counted on the held-out
//! pairs: precision = TP/(TP + FP), recall = TP/(TP + FN), F-measure = their harmonic mean. AUC is the chance
//! that a link scores above a non-link, ties counting half.

use llamafur::corpus::{CsrBuf, Graph, PageId};
use llamafur::learn::sampler::{NonLinks, Purpose, generator, unit};
use llamafur::matrix::CategoryMatrix;
use llamafur::score::Normalise;
use rayon::prelude::*;
use serde::Serialize;

/// A graph cut in two: links to learn from, and pairs to be told apart.
#[derive(Debug)]
pub struct Split {
    /// The links that may be learnt from.
    pub training: CsrBuf<PageId>,
    /// Held-out links (`true`), and as many non-links of the same pages.
    pub pairs: Vec<(PageId, PageId, bool)>,
}

impl Split {
    /// Holds out about this share of the links, each by a draw of its own.
    ///
    /// The non-links are no links of the whole graph. Pairs are held out whether or not both sides have
    /// categories: what cannot be told counts as an error, as it would in use.
    pub fn new(graph: &Graph<'_>, share: f64, seed: u64) -> Split {
        let mut split = Split { training: CsrBuf::new(), pairs: Vec::new() };
        let mut kept = Vec::new();
        for page in graph.pages() {
            let mut draw = generator(seed, Purpose::HeldOut, u64::from(page.0));
            let first = split.pairs.len();
            kept.clear();
            for &target in graph.links(page) {
                if unit(&mut draw) < share {
                    split.pairs.push((page, target, true))
                } else {
                    kept.push(target)
                }
            }
            let held_out = split.pairs.len() - first;
            // A pass of its own, so that these are not the non-links that training will draw.
            let non_links = NonLinks::new(graph, page, seed, u64::from(u32::MAX)).take(held_out);
            split.pairs.extend(non_links.map(|target| (page, target, false)));
            split.training.push_row(kept.iter().copied());
        }
        split
    }
}

/// How well held-out links are told from non-links.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Measures {
    /// The share of pairs told right.
    pub accuracy: f64,
    /// Of the pairs taken for links, the share that are.
    pub precision: f64,
    /// Of the links, the share taken for links.
    pub recall: f64,
    /// The harmonic mean of precision and recall.
    pub f_measure: f64,
    /// The chance that a link scores above a non-link.
    pub auc: f64,
}

impl Measures {
    /// Measures a matrix on held-out pairs; scores are normalised for the AUC (the rest asks only their sign).
    pub fn of(
        graph: &Graph<'_>,
        pairs: &[(PageId, PageId, bool)],
        matrix: &dyn CategoryMatrix,
        normalise: Normalise,
    ) -> Measures {
        let scored = pairs.par_iter().map(|&(source, target, is_link)| {
            let e = normalise.expectedness(matrix, graph.categories(source), graph.categories(target));
            (e.unwrap_or(0.0), is_link)
        });
        Measures::of_scores(scored.collect())
    }

    /// Measures scores with the truth beside them.
    pub fn of_scores(mut scored: Vec<(f64, bool)>) -> Measures {
        let count = |positive: bool, is_link: bool| {
            scored.iter().filter(|(e, link)| (*e > 0.0) == positive && *link == is_link).count() as f64
        };
        let (tp, fp, r#fn, tn) =
            (count(true, true), count(true, false), count(false, true), count(false, false));
        let share = |part: f64, whole: f64| if whole == 0.0 { 0.0 } else { part / whole };
        Measures {
            accuracy: share(tp + tn, tp + tn + fp + r#fn),
            precision: share(tp, tp + fp),
            recall: share(tp, tp + r#fn),
            f_measure: share(2.0 * tp, 2.0 * tp + fp + r#fn),
            auc: auc(&mut scored),
        }
    }
}

/// The chance that a link scores above a non-link, ties half; NaN where there is only one kind.
pub(crate) fn auc(scored: &mut [(f64, bool)]) -> f64 {
    scored.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let (mut below, mut pairs_won) = (0.0, 0.0);
    for tied in scored.chunk_by(|a, b| a.0 == b.0) {
        let links = tied.iter().filter(|(_, is_link)| *is_link).count() as f64;
        let non_links = tied.len() as f64 - links;
        pairs_won += links * (below + non_links / 2.0);
        below += non_links;
    }
    let links = scored.len() as f64 - below;
    if links == 0.0 || below == 0.0 { f64::NAN } else { pairs_won / (links * below) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use llamafur::corpus::CategoryId;

    #[test]
    fn measures_by_hand() {
        // Two of three links and one of three non-links are positive.
        let scored = vec![(2.0, true), (1.0, true), (-1.0, true), (1.0, false), (-1.0, false), (-2.0, false)];
        let measures = Measures::of_scores(scored);
        assert_eq!((measures.accuracy, measures.precision), (4.0 / 6.0, 2.0 / 3.0));
        assert_eq!((measures.recall, measures.f_measure), (2.0 / 3.0, 2.0 / 3.0));
        // 2 beats three, 1 beats two and ties one, −1 beats one and ties one: 3 + 2.5 + 1.5 of 9.
        assert!((measures.auc - 7.0 / 9.0).abs() < 1e-12);
    }

    #[test]
    fn a_split_keeps_every_link_once_and_draws_as_many_non_links() {
        let rows = (0..50u32)
            .map(|page| (0..50).filter(|t| (t * 7 + page) % 5 == 0 && *t != page).map(PageId).collect());
        let rows: Vec<Vec<PageId>> = rows.collect();
        let links = CsrBuf::from_iter(rows.clone());
        let categories = CsrBuf::from_iter((0..50).map(|_| [CategoryId(0)]));
        let graph = Graph { links: links.view(), categories: categories.view(), num_categories: 1 };
        let split = Split::new(&graph, 0.3, 5);
        let held_out = split.pairs.iter().filter(|pair| pair.2).count();
        assert_eq!(held_out * 2, split.pairs.len());
        assert_eq!(split.training.view().num_values() + held_out, graph.num_links());
        for &(source, target, is_link) in &split.pairs {
            assert_eq!(graph.links(source).contains(&target), is_link);
            assert!(!split.training.view().row(source.index()).contains(&target));
        }
    }
}
