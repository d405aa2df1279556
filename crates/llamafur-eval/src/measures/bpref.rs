//! bpref: a measure of the judged irrelevant links that rank above the relevant ones.
//!
//! bpref = (1/R) · Σ_r (1 − min(n_r, R)/min(N, R)), over the R relevant links r of a page, where n_r of its N
//! judged irrelevant links rank above r; links that nobody judged do not count. Buckley & Voorhees, “Retrieval
//! Evaluation with Incomplete Information”, SIGIR 2004, as trec_eval computes it.
//! <https://doi.org/10.1145/1008992.1009000>
//!
//! Ties are taken by expectation: among k irrelevant links with the score of r, any number from 0 to k may
//! rank above it, each as likely as the other.

use super::ties::{Group, groups, kinds};
use crate::judgments::Class;

/// Returns bpref of one page from the scores of its relevant and of its irrelevant links; larger scores rank higher,
/// and NaN below all.
///
/// Returns `None` if either kind is missing: there is nothing to measure.
///
/// ```
/// use llamafur_eval::measures::bpref;
/// assert_eq!(bpref(&[3.0], &[1.0, 2.0]), Some(1.0));
/// assert_eq!(bpref(&[1.5], &[1.0, 2.0]), Some(0.0));
/// assert_eq!(bpref(&[3.0, 1.5], &[1.0, 2.0]), Some(0.75));
/// ```
pub fn bpref(relevant: &[f64], irrelevant: &[f64]) -> Option<f64> {
    let of_class = |scores: &[f64], class| -> Vec<_> {
        scores.iter().map(|&score| (Some(score), Some(class))).collect()
    };
    let mut links = of_class(relevant, Class::U);
    links.extend(of_class(irrelevant, Class::E));
    of(&groups(links))
}

/// Returns bpref of a ranking; `None` if either kind is missing.
pub(super) fn of(groups: &[Group]) -> Option<f64> {
    let (relevant, irrelevant) = kinds(groups);
    let bound = relevant.min(irrelevant);
    if bound == 0 {
        return None;
    }
    let mut above = 0;
    let mut sum = 0.0;
    for group in groups {
        let tied = group.irrelevant();
        sum += group.relevant as f64 * (1.0 - expected_min(above, tied, relevant) / bound as f64);
        above += tied;
    }
    Some(sum / relevant as f64)
}

/// Returns the expectation of min(n, limit), n being any of above, …, above + tied with equal probability.
fn expected_min(above: usize, tied: usize, limit: usize) -> f64 {
    // So many of the values are below the limit, and their sum is that of a row of numbers.
    let below = limit.saturating_sub(above).min(tied + 1);
    let sum_below = below * above + below * below.saturating_sub(1) / 2;
    (sum_below + (tied + 1 - below) * limit) as f64 / (tied + 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_kind_alone_cannot_be_measured() {
        assert_eq!(bpref(&[], &[1.0]), None);
        assert_eq!(bpref(&[1.0], &[]), None);
    }

    #[test]
    fn only_as_many_irrelevant_as_relevant_count() {
        // R = 1: one irrelevant link above is as bad as three.
        assert_eq!(bpref(&[1.0], &[2.0, 3.0, 4.0]), Some(0.0));
        // R = 2, N = 4: above the second is one, so 1 − 1/2; above the first none.
        assert_eq!(bpref(&[5.0, 3.0], &[4.0, 2.0, 1.0, 0.0]), Some(0.75));
    }

    #[test]
    fn ties_count_by_expectation() {
        // R = 1 and two ties: 0, 1 or 2 above, capped at 1: 2/3 on average.
        assert!((bpref(&[1.0], &[1.0, 1.0]).unwrap() - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn the_expected_minimum_is_the_mean_of_the_minima() {
        for (above, tied, limit) in
            (0..6).flat_map(|a| (0..6).flat_map(move |t| (1..8).map(move |l| (a, t, l))))
        {
            let sum: usize = (above..=above + tied).map(|n: usize| n.min(limit)).sum();
            assert_eq!(expected_min(above, tied, limit), sum as f64 / (tied + 1) as f64);
        }
    }
}
