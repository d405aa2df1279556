//! Tests whether two scorers differ: a paired permutation test.
//!
//! Were they alike, each query's difference d_i might as well have the other sign. p is the share of all 2ⁿ choices of
//! signs s with |Σ s_i·d_i| ≥ |Σ d_i|. With many queries the signs are drawn N times, and p = (1 + #{≥})/(1 + N), so
//! that it is never 0. Smucker, Allan & Carterette, “A Comparison of Statistical Significance Tests for Information
//! Retrieval Evaluation”, CIKM 2007. <https://doi.org/10.1145/1321440.1321528>
//!
//! Among many comparisons some come out small by chance. [`holm`] adjusts them, so that the chance of even one false
//! claim stays below the level: p'_(i) = max_{j ≤ i} min(1, (m − j + 1)·p_(j)), over the m values in ascending order.
//! Holm, “A Simple Sequentially Rejective Multiple Test Procedure”, Scandinavian Journal of Statistics 6(2), 1979.
//! <https://www.jstor.org/stable/4615733>

use super::differences;
use llamafur::learn::sampler::{Purpose, below, generator};
use rayon::prelude::*;
use serde::Serialize;

/// Number of random sign choices, used when all choices would be too many.
pub const RANDOM_FLIPS: u64 = 100_000;

/// Largest number of differences for which all sign choices are tried.
const EXACT: usize = 16;

/// Number of sign choices drawn by one generator.
const BLOCK: u64 = 1_000;

/// Rounding tolerance of sums, as a share of Σ|d_i|.
const ROUNDING: f64 = 1e-12;

/// The result of a permutation test of two scorers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SignFlip {
    /// The probability of a mean difference at least this large, in either direction, if the two were alike.
    pub p: f64,
    /// The mean difference, first less second.
    pub difference: f64,
    /// Number of queries on which both are defined.
    pub queries: usize,
    /// True if all sign choices were tried.
    pub exact: bool,
}

/// Compares two scorers on the queries where both are defined; returns `None` if there is none.
///
/// ```
/// use llamafur_eval::statistics::sign_flip;
/// // All four differences go one way: of 16 choices of signs, two are as extreme.
/// let found = sign_flip(&[0.5, 0.6, 0.7, 0.8], &[0.1, 0.3, 0.2, 0.7], 1).unwrap();
/// assert_eq!((found.p, found.exact), (2.0 / 16.0, true));
/// ```
///
/// # Panics
/// If the numbers of queries differ.
pub fn sign_flip(first: &[f64], second: &[f64], seed: u64) -> Option<SignFlip> {
    let mut values = differences(first, second);
    values.retain(|value| !value.is_nan());
    let queries = values.len();
    let difference = super::mean(&values);
    // A difference of 0 has no sign to flip.
    values.retain(|value| *value != 0.0);
    let size: f64 = values.iter().map(|value| value.abs()).sum();
    let bound = values.iter().sum::<f64>().abs() - ROUNDING * size;
    let sums: Vec<[f64; 256]> = values.chunks(8).map(signed_sums).collect();
    let is_as_large = |flips: &[u8]| -> bool {
        let sum: f64 = sums.iter().zip(flips).map(|(sums, flips)| sums[usize::from(*flips)]).sum();
        sum.abs() >= bound
    };
    let exact = values.len() <= EXACT;
    let p = if exact {
        let all = 1u32 << values.len();
        (0..all).filter(|flips| is_as_large(&flips.to_le_bytes())).count() as f64 / f64::from(all)
    } else {
        let block = |block: u64| {
            let mut draw = generator(seed, Purpose::Permutation, block);
            let mut flips = vec![0; sums.len().next_multiple_of(4)];
            let mut is_next_as_large = || {
                let words = flips.chunks_exact_mut(4);
                words
                    .for_each(|word| word.copy_from_slice(&(below(&mut draw, 1 << 32) as u32).to_le_bytes()));
                is_as_large(&flips)
            };
            (0..BLOCK).filter(|_| is_next_as_large()).count() as u64
        };
        let as_large: u64 = (0..RANDOM_FLIPS / BLOCK).into_par_iter().map(block).sum();
        (1 + as_large) as f64 / (1 + RANDOM_FLIPS) as f64
    };
    (queries > 0).then_some(SignFlip { p, difference, queries, exact })
}

/// Returns the sums of up to eight numbers for every choice of their signs; each set bit flips a sign.
fn signed_sums(values: &[f64]) -> [f64; 256] {
    let signed = |flips: usize| {
        let value = |(i, value): (usize, &f64)| if flips >> i & 1 == 1 { -value } else { *value };
        values.iter().enumerate().map(value).sum()
    };
    std::array::from_fn(signed)
}

/// Adjusts p-values for their number, in the given order.
///
/// ```
/// use llamafur_eval::statistics::holm;
/// assert_eq!(holm(&[0.25, 0.125]), [0.25, 0.25]);
/// ```
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (rank, place) in order.into_iter().enumerate() {
        largest = largest.max(((p_values.len() - rank) as f64 * p_values[place]).min(1.0));
        adjusted[place] = largest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p_of(differences: &[f64]) -> SignFlip {
        sign_flip(differences, &vec![0.0; differences.len()], 1).unwrap()
    }

    #[test]
    fn few_queries_by_hand() {
        // Sums of ±1 ±2 ±4 are as large as 5 when they are ±5 or ±7: 4 of 8.
        assert_eq!(p_of(&[-1.0, 2.0, 4.0]).p, 0.5);
        assert_eq!(p_of(&[1.0, 2.0, 4.0]).p, 0.25);
        assert_eq!(p_of(&[1.0]).p, 1.0);
    }

    #[test]
    fn sums_equal_but_for_rounding_are_as_large() {
        // 0.1 + 0.2 − 0.3 is not 0 in binary; every choice of signs is as large as 0.
        assert_eq!(p_of(&[0.1, 0.2, -0.3]).p, 1.0);
        // Twelve differences of 0.1, one the other way: sums of ±10 or more tenths are 2 and 24 of 4,096.
        let mut values = [0.1; 12];
        values[7] = -0.1;
        assert_eq!(p_of(&values).p, 26.0 / 4096.0);
    }

    #[test]
    fn queries_without_a_difference_count_but_do_not_matter() {
        let found = p_of(&[0.0, 1.0, f64::NAN, 2.0, 0.0]);
        assert_eq!(found, SignFlip { p: 0.5, difference: 0.75, queries: 4, exact: true });
        assert_eq!(p_of(&[0.0; 30]).p, 1.0);
        assert_eq!(sign_flip(&[f64::NAN], &[1.0], 1), None);
    }

    #[test]
    fn random_signs_agree_with_all_of_them() {
        // Seventeen are one too many to try all.
        let values: Vec<f64> = (0..17).map(|i| f64::from(i) - 6.0 + 0.01).collect();
        let found = p_of(&values);
        let sums = (0u32..1 << 17).map(|flips| -> f64 {
            values.iter().enumerate().map(|(i, v)| if flips >> i & 1 == 1 { -v } else { *v }).sum()
        });
        let bound = values.iter().sum::<f64>().abs() - 1e-9;
        let exact = sums.filter(|sum| sum.abs() >= bound).count() as f64 / f64::from(1 << 17);
        // Four standard deviations of a share of 100,000.
        let sd = (exact * (1.0 - exact) / 1e5).sqrt();
        assert!(!found.exact && (found.p - exact).abs() < 4.0 * sd, "{found:?} {exact}");
    }

    #[test]
    fn an_overwhelming_difference_has_the_smallest_p_there_is() {
        let found = p_of(&[0.3; 117]);
        assert_eq!((found.p, found.exact), (1.0 / 100_001.0, false));
    }

    #[test]
    fn holm_by_hand() {
        // 0.01·4, 0.02·3, 0.03·2 = 0.06, and 0.9; none falls below the one before.
        let found = holm(&[0.03, 0.01, 0.9, 0.02]);
        for (found, expected) in found.iter().zip([0.06, 0.04, 0.9, 0.06]) {
            assert!((found - expected).abs() < 1e-15);
        }
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }
}
