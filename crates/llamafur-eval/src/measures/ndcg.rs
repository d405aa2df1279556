//! nDCG on the judged links: the sum of gains, which count more at higher ranks.
//!
//! nDCG = DCG/DCG*, with DCG = Σ_i g_i/log₂(i + 1) over the places i of the ranking, where g_i is the gain of the link
//! there (0 for TE and E, 1 for U, 2 for TU) and DCG* is the DCG of the best order. Links that nobody judged are taken
//! out of the ranking first. Järvelin & Kekäläinen, “Cumulated Gain-Based Evaluation of IR Techniques”, ACM
//! Transactions on Information Systems 20(4), 2002, with the discount as trec_eval has it.
//! <https://doi.org/10.1145/582415.582418>
//!
//! Ties are taken by expectation: each place of a group has the group's mean gain (McSherry & Najork, ECIR 2008).

use super::ties::Group;

/// Returns the nDCG of a ranking whose judged links have these gains; `None` if all gains are 0.
pub(super) fn of(groups: &[Group], gains: impl IntoIterator<Item = u8>) -> Option<f64> {
    let mut best: Vec<u8> = gains.into_iter().filter(|gain| *gain > 0).collect();
    best.sort_unstable_by(|a, b| b.cmp(a));
    if best.is_empty() {
        return None;
    }
    let best: f64 = best.iter().zip(1..).map(|(gain, place)| f64::from(*gain) * discount(place)).sum();
    let mut place = 0;
    let mut sum = 0.0;
    for group in groups.iter().filter(|group| group.judged > 0) {
        if group.gains > 0 {
            let discounts: f64 = (place + 1..=place + group.judged).map(discount).sum();
            sum += group.gains as f64 / group.judged as f64 * discounts;
        }
        place += group.judged;
    }
    Some(sum / best)
}

fn discount(place: usize) -> f64 {
    1.0 / (place as f64 + 1.0).log2()
}

#[cfg(test)]
mod tests {
    use super::super::tests::ranking;
    use super::*;

    #[test]
    fn by_hand() {
        // Gains 1, 0, 2 where 2, 1, 0 is best: (1 + 2/2)/(2 + 1/log₂ 3).
        let found = of(&ranking("U - E TU"), [1, 0, 2]).unwrap();
        assert!((found - 2.0 / (2.0 + 1.0 / 3f64.log2())).abs() < 1e-15);
        assert_eq!(of(&ranking("E TE"), [0, 0]), None);
    }

    #[test]
    fn a_tie_is_the_mean_of_its_orders() {
        let found = of(&ranking("U=E"), [1, 0]).unwrap();
        assert!((found - (1.0 + 1.0 / 3f64.log2()) / 2.0).abs() < 1e-15);
    }
}
