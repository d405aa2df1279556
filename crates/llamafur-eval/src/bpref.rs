//! bpref: how many judged irrelevant links stand above the relevant ones.
//!
//! bpref = (1/R) · Σ_r (1 − min(n_r, R)/min(N, R)), over the R relevant links r of a page, where n_r of its N
//! judged irrelevant links stand above r; links that nobody judged do not count. Buckley & Voorhees, “Retrieval
//! Evaluation with Incomplete Information”, SIGIR 2004, as trec_eval computes it.
//!
//! Ties are taken by expectation: among k irrelevant links with the score of r, any number from 0 to k may
//! stand above it, each as likely as the other.

/// bpref of one page from the scores of its relevant and of its irrelevant links; larger scores stand higher.
///
/// `None` where either kind is missing: there is nothing to measure.
///
/// ```
/// use llamafur_eval::bpref::bpref;
/// assert_eq!(bpref(&[3.0], &[1.0, 2.0]), Some(1.0));
/// assert_eq!(bpref(&[1.5], &[1.0, 2.0]), Some(0.0));
/// assert_eq!(bpref(&[3.0, 1.5], &[1.0, 2.0]), Some(0.75));
/// ```
pub fn bpref(relevant: &[f64], irrelevant: &[f64]) -> Option<f64> {
    if relevant.is_empty() || irrelevant.is_empty() {
        return None;
    }
    let bound = relevant.len().min(irrelevant.len()) as f64;
    let parts = relevant.iter().map(|score| 1.0 - expected_above(*score, irrelevant, relevant.len()) / bound);
    Some(parts.sum::<f64>() / relevant.len() as f64)
}

/// The expectation of min(n, limit), n being the number of `others` that stand above the score.
fn expected_above(score: f64, others: &[f64], limit: usize) -> f64 {
    let above = others.iter().filter(|other| **other > score).count();
    let tied = others.iter().filter(|other| **other == score).count();
    let capped = (above..=above + tied).map(|n| n.min(limit));
    capped.sum::<usize>() as f64 / (tied + 1) as f64
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
        // R = 2, N = 4: above the second stands one, so 1 − 1/2; above the first none.
        assert_eq!(bpref(&[5.0, 3.0], &[4.0, 2.0, 1.0, 0.0]), Some(0.75));
    }

    #[test]
    fn ties_count_by_expectation() {
        // R = 1 and two ties: 0, 1 or 2 above, capped at 1: 2/3 on average.
        assert!((bpref(&[1.0], &[1.0, 1.0]).unwrap() - 1.0 / 3.0).abs() < 1e-12);
    }
}
