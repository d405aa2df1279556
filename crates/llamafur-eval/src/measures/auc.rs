//! ROC-AUC: the probability that a relevant link ranks above an irrelevant one.
//!
//! AUC = (1/(R·N)) · Σ_r (irrelevant links below r + ½ · irrelevant links tied with r), over the R relevant links r of
//! a page with N judged irrelevant ones; unjudged links do not count. It is the statistic of Mann & Whitney: Hanley &
//! McNeil, “The Meaning and Use of the Area under a Receiver Operating Characteristic (ROC) Curve”,
//! Radiology 143(1), 1982. <https://doi.org/10.1148/radiology.143.1.7063747>

use super::ties::{Group, kinds};
use llamafur::learn::held_out::auc_of_ties;

/// Returns the AUC of a ranking; `None` if either kind is missing.
pub(super) fn of(groups: &[Group]) -> Option<f64> {
    let (relevant, irrelevant) = kinds(groups);
    let ties = groups.iter().rev().map(|group| [group.relevant as u64, group.irrelevant() as u64]);
    (relevant > 0 && irrelevant > 0).then(|| auc_of_ties(ties))
}

#[cfg(test)]
mod tests {
    use super::super::tests::ranking;
    use super::*;

    #[test]
    fn by_hand() {
        // Below the first are 2 of 2, below the second 1; then tied with both.
        assert_eq!(of(&ranking("U - E TU TE")), Some(0.75));
        assert_eq!(of(&ranking("U=E=TE")), Some(0.5));
        assert_eq!(of(&ranking("U TU")), None);
    }
}
