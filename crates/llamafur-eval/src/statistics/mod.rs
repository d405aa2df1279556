//! Statistics of means over queries: intervals, tests, and the spread of chance.
//!
//! * [`Resamples`]: a paired bootstrap over queries, with an interval for a mean and for a difference of means;
//! * [`sign_flip`]: whether two scorers differ, by a paired permutation test, and [`holm`] for many such questions;
//! * [`chance_spread`]: how far the mean bpref of a random ranking scatters.
//!
//! A query on which a measure is undefined is NaN, and left out of that measure's mean. All random choices come from
//! a seed; results are the same on any number of threads.

mod bootstrap;
mod permutation;
mod spread;

#[cfg(test)]
mod coverage;

pub use llamafur::statistics::mean;

pub use bootstrap::{Interval, RESAMPLES, Resamples};
pub use permutation::{RANDOM_FLIPS, SignFlip, holm, sign_flip};
pub use spread::chance_spread;

/// Returns the mean of the numbers that are not NaN, and their count; NaN if there are none.
pub fn mean_of_defined(values: &[f64]) -> (f64, usize) {
    let defined: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    (mean(&defined), defined.len())
}

/// Returns the differences of two scorers, query by query; NaN if either is.
///
/// # Panics
/// If the numbers of queries differ.
pub fn differences(first: &[f64], second: &[f64]) -> Vec<f64> {
    assert_eq!(first.len(), second.len(), "two scorers measured on the same queries");
    first.iter().zip(second).map(|(a, b)| a - b).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert!(mean(&[]).is_nan());
        assert_eq!(mean_of_defined(&[1.0, f64::NAN, 3.0]), (2.0, 2));
        assert_eq!(differences(&[1.0, 2.0], &[0.5, 4.0]), [0.5, -2.0]);
    }
}
