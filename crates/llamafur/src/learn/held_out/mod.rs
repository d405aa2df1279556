//! Held-out links: learn without some of the links, then tell them from as many non-links.
//!
//! A pair is taken for a link when its expectedness is positive. With TP, FP and FN counted on the held-out
//! pairs: precision = TP/(TP + FP), recall = TP/(TP + FN), F-measure = 2·TP/(2·TP + FP + FN), their harmonic
//! mean. AUC is the chance that a link scores above a non-link, ties counting half. `interval.rs` has the 95%
//! intervals.

mod interval;
mod split;

pub use interval::{Counts, Verdicts, difference};
pub use split::{Pair, Split};

use crate::corpus::Graph;
use crate::matrix::CategoryMatrix;
use crate::score::Normalise;
use rayon::prelude::*;
use serde::Serialize;

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
    /// The chance that a link scores above a non-link; NaN where there is only one kind.
    pub auc: f64,
}

impl Measures {
    /// Measures a matrix on held-out pairs; scores are normalised for the AUC (the rest asks only their sign).
    pub fn of(
        graph: &Graph<'_>,
        pairs: &[Pair],
        matrix: &dyn CategoryMatrix,
        normalise: Normalise,
    ) -> Measures {
        Measures::of_scores(scores(graph, pairs, matrix, normalise))
    }

    /// Measures scores with the truth beside them.
    pub fn of_scores(mut scored: Vec<(f64, bool)>) -> Measures {
        let counts = Verdicts::new(&scored).counts();
        Measures {
            accuracy: counts.accuracy(),
            precision: counts.precision(),
            recall: counts.recall(),
            f_measure: counts.f_measure(),
            auc: auc(&mut scored),
        }
    }
}

/// The scores of the pairs, each with whether it is a link; 0 where a side has no category.
fn scores(
    graph: &Graph<'_>,
    pairs: &[Pair],
    matrix: &dyn CategoryMatrix,
    normalise: Normalise,
) -> Vec<(f64, bool)> {
    let scored = pairs.par_iter().map(|&(source, target, is_link)| {
        let e = normalise.expectedness(matrix, graph.categories(source), graph.categories(target));
        (e.unwrap_or(0.0), is_link)
    });
    scored.collect()
}

/// The chance that a link scores above a non-link, ties half; NaN where there is only one kind.
pub fn auc(scored: &mut [(f64, bool)]) -> f64 {
    scored.par_sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
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
}
