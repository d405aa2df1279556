//! Measures of how well a ranking finds the links judged unexpected, page by page.
//!
//! A page is a query, its links are the results, and a judged link is relevant if its class is U or TU. Every measure
//! is exact: links of the same score may be in any order, and a measure is its expectation over all of these orders, in
//! closed form. A link without a score ranks below all others. So *chance* is exact, too: it is the measure of a
//! ranking in which all links are tied ([`chance`]).
//!
//! | measure | links that nobody judged | formula |
//! |---|---|---|
//! | [`Measure::Bpref`] | do not count | (1/R) · Σ_r (1 − min(n_r, R)/min(N, R)) |
//! | [`Measure::AveragePrecision`] | taken out first | (1/R) · Σ_r precision at r |
//! | [`Measure::Ndcg`] | taken out first | Σ_i g_i/log₂(i + 1), over that of the best order |
//! | [`Measure::Auc`] | do not count | chance that a relevant link ranks above an irrelevant one |
//! | [`CurvePoint`] | hold their places | precision and recall after ⌈p·t⌉ of the t links |
//!
//! with R relevant and N irrelevant judged links, n_r irrelevant ones above the relevant link r, and gains g of 0, 0, 1
//! and 2 for TE, E, U and TU. Except for the curve, which is the paper's, they are as trec_eval computes them, and
//! `crates/llamafur-eval/tests/trec_eval.rs` holds them to it.
//!
//! Ties: McSherry & Najork, “Computing Information Retrieval Performance Measures Efficiently in the Presence of Tied
//! Scores”, ECIR 2008. <https://doi.org/10.1007/978-3-540-78646-7_38>

mod auc;
mod average_precision;
mod bpref;
mod curve;
mod ndcg;
mod ties;

#[cfg(test)]
mod tests;

pub use bpref::bpref;
pub use curve::{CurvePoint, MeanPoint, PERCENTILES, mean_curve};

use crate::judgments::Class;
use serde::Serialize;

/// A measure with one number per query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// bpref: few judged irrelevant links above the relevant ones.
    Bpref,
    /// Mean precision at the relevant links.
    AveragePrecision,
    /// Sum of gains, which count more at higher ranks.
    Ndcg,
    /// Probability that a relevant link ranks above an irrelevant one.
    Auc,
}

impl Measure {
    /// All measures; the paper's first.
    pub const ALL: [Measure; 4] = [Measure::Bpref, Measure::AveragePrecision, Measure::Ndcg, Measure::Auc];
}

/// All measures of one query.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct QueryMeasures {
    /// bpref: few judged irrelevant links above the relevant ones.
    pub bpref: f64,
    /// Mean precision at the relevant links.
    pub average_precision: f64,
    /// Sum of gains, which count more at higher ranks.
    pub ndcg: f64,
    /// Probability that a relevant link ranks above an irrelevant one.
    pub auc: f64,
    /// Precision and recall after each of the [`PERCENTILES`].
    pub curve: [CurvePoint; 9],
}

impl QueryMeasures {
    /// Returns the value of a measure.
    pub fn get(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Bpref => self.bpref,
            Measure::AveragePrecision => self.average_precision,
            Measure::Ndcg => self.ndcg,
            Measure::Auc => self.auc,
        }
    }
}

/// Computes all measures of a page whose links have these scores, from the judged ones: the place of each in `scores`,
/// and its class. Larger scores rank higher; no score, or NaN, ranks below all. It takes O(t log t) for t links.
///
/// Returns `None` if no judged link is relevant, or all are: there is nothing to measure.
///
/// # Panics
/// If a place is not below the number of scores.
///
/// ```
/// use llamafur_eval::judgments::Class;
/// use llamafur_eval::measures::{chance, measure};
/// let judged = [(0, Class::TU), (2, Class::TE), (3, Class::E)];
/// let found = measure(&[Some(0.9), Some(0.7), Some(0.2), None], &judged).unwrap();
/// assert_eq!((found.bpref, found.auc), (1.0, 1.0));
/// assert!((chance(4, &judged).unwrap().bpref - 1.0 / 3.0).abs() < 1e-12);
/// ```
pub fn measure(scores: &[Option<f64>], judged: &[(usize, Class)]) -> Option<QueryMeasures> {
    let mut classes = vec![None; scores.len()];
    judged.iter().for_each(|(place, class)| classes[*place] = Some(*class));
    let groups = ties::groups(scores.iter().copied().zip(classes.iter().copied()));
    Some(QueryMeasures {
        bpref: bpref::of(&groups)?,
        average_precision: average_precision::of(&groups)?,
        ndcg: ndcg::of(&groups, classes.into_iter().flatten().map(Class::gain))?,
        auc: auc::of(&groups)?,
        curve: curve::of(&groups)?,
    })
}

/// Returns the expected measures of a random ranking: all `num_links` of the page are tied.
///
/// # Panics
/// If a place is not below the number of links.
pub fn chance(num_links: usize, judged: &[(usize, Class)]) -> Option<QueryMeasures> {
    measure(&vec![None; num_links], judged)
}
