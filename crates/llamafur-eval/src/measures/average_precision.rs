//! Average precision on the judged links: the precision at each relevant one, on average.
//!
//! AP = (1/R) · Σ_r (relevant links at r or above)/(judged links at r or above), over the R relevant links r. Links
//! that nobody judged are taken out of the ranking first.
//!
//! Ties are taken by expectation. In a group of n tied judged links, r of them relevant, below J judged links of
//! which K are relevant, the i-th place holds a relevant link with chance r/n, and above it in the group are then
//! (i − 1)·(r − 1)/(n − 1) relevant ones, so that the group adds (r/n) · Σ_i (K + 1 + (i − 1)·(r − 1)/(n − 1))/(J + i).
//! McSherry & Najork, “Computing Information Retrieval Performance Measures Efficiently in the Presence of Tied
//! Scores”, ECIR 2008. <https://doi.org/10.1007/978-3-540-78646-7_38>

use super::ties::{Group, kinds};

/// Returns the average precision of a ranking; `None` if no link is relevant.
pub(super) fn of(groups: &[Group]) -> Option<f64> {
    let (relevant, _) = kinds(groups);
    let (mut judged_above, mut relevant_above) = (0, 0);
    let mut sum = 0.0;
    for group in groups.iter().filter(|group| group.judged > 0) {
        let (n, r) = (group.judged as f64, group.relevant as f64);
        if group.relevant > 0 {
            let step = if group.judged > 1 { (r - 1.0) / (n - 1.0) } else { 0.0 };
            let precision = |i: usize| {
                (relevant_above as f64 + 1.0 + i as f64 * step) / (judged_above as f64 + 1.0 + i as f64)
            };
            sum += r / n * (0..group.judged).map(precision).sum::<f64>();
        }
        judged_above += group.judged;
        relevant_above += group.relevant;
    }
    (relevant > 0).then(|| sum / relevant as f64)
}

#[cfg(test)]
mod tests {
    use super::super::tests::ranking;
    use super::*;

    #[test]
    fn by_hand() {
        // Relevant at 1 and 3: (1/1 + 2/3)/2.
        assert_eq!(of(&ranking("U E U E")), Some((1.0 + 2.0 / 3.0) / 2.0));
        assert_eq!(of(&ranking("- U - E")), Some(1.0));
        assert_eq!(of(&ranking("E")), None);
    }

    #[test]
    fn a_tie_is_the_mean_of_its_orders() {
        // Relevant first or second: (1 + 1/2)/2.
        assert_eq!(of(&ranking("U=E")), Some(0.75));
    }
}
