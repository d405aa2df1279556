//! A paired bootstrap over queries: estimates how a mean would vary with other queries.
//!
//! A resample draws n of the n queries with replacement. The mean of a measure is taken on each, and the interval
//! runs from the α'/2 to the 1 − α'/2 quantile of those means, where
//!
//! α'/2 = Φ(−√(n/(n − 1)) · t_{α/2, n−1}),
//!
//! with the normal distribution function Φ, the upper quantile t of Student's distribution with n − 1 degrees of
//! freedom, and α = 0.05. A plain percentile interval (α' = α) is too narrow by about √((n − 1)/n) and takes no account
//! of a standard deviation that is itself estimated: with ten queries it covers the truth nine times in ten. T. C.
//! Hesterberg, “What Teachers Should Know About the Bootstrap: Resampling in the Undergraduate Statistics Curriculum”,
//! The American Statistician 69(4), 2015, on the expanded percentile interval.
//! <https://doi.org/10.1080/00031305.2015.1089789>
//!
//! The queries of each resample are drawn once, so that all scorers and measures use the same ones.
//!
//! # Quirks
//! A bootstrap knows only the given queries: if all have the same value the interval is a point, and with few queries
//! and one value nearly always, the coverage is below the nominal one.

use super::differences;
use llamafur::learn::sampler::{Purpose, below, generator};
use rayon::prelude::*;
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// Default number of resamples.
pub const RESAMPLES: usize = 10_000;

/// One minus the probability with which an interval covers the truth.
const ALPHA: f64 = 0.05;

/// A mean and the 95% interval around it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// The mean over the queries where it is defined.
    pub mean: f64,
    /// The ends of the interval; `None` with fewer than two queries.
    pub ci95: Option<[f64; 2]>,
    /// Number of queries on which the measure is defined.
    pub queries: usize,
}

/// The queries of every resample, drawn once for all scorers and measures.
#[derive(Debug, Clone)]
pub struct Resamples {
    num_queries: usize,
    /// The queries of all resamples, `num_queries` each, one after the other.
    drawn: Vec<u32>,
}

impl Resamples {
    /// Draws `num` resamples of `num_queries` queries.
    ///
    /// ```
    /// use llamafur_eval::statistics::{RESAMPLES, Resamples};
    /// let bprefs = [0.0, 0.5, 1.0, 0.25, 0.75, 0.5];
    /// let found = Resamples::new(bprefs.len(), RESAMPLES, 1).mean(&bprefs);
    /// let [low, high] = found.ci95.unwrap();
    /// assert_eq!(found.mean, 0.5);
    /// assert!(low > 0.0 && low < 0.3 && high > 0.7 && high < 1.0);
    /// ```
    pub fn new(num_queries: usize, num: usize, seed: u64) -> Resamples {
        let mut drawn = vec![0; num_queries * num];
        drawn.par_chunks_mut(num_queries.max(1)).enumerate().for_each(|(i, resample)| {
            let mut draw = generator(seed, Purpose::Bootstrap, i as u64);
            resample.iter_mut().for_each(|query| *query = below(&mut draw, num_queries as u64) as u32);
        });
        Resamples { num_queries, drawn }
    }

    /// Returns the mean of a measure over the queries and its 95% interval; a value of NaN is undefined.
    ///
    /// # Panics
    /// If there are not as many values as queries.
    pub fn mean(&self, values: &[f64]) -> Interval {
        assert_eq!(values.len(), self.num_queries, "a value for each query");
        let (mean, queries) = super::mean_of_defined(values);
        let ci95 = (queries > 1).then(|| self.percentiles(values, tail(queries)));
        Interval { mean, ci95: ci95.flatten(), queries }
    }

    /// Returns the mean difference, first less second, over the queries where both are defined, and its 95% interval.
    ///
    /// # Panics
    /// If there are not as many values as queries.
    pub fn difference(&self, first: &[f64], second: &[f64]) -> Interval {
        self.mean(&differences(first, second))
    }

    /// Returns the sum of the parts over the sum of the wholes, and its 95% interval, for shares of something whose
    /// amount differs between queries. A query whose whole is 0 is left out of the interval's number of queries.
    ///
    /// ```
    /// use llamafur_eval::statistics::{RESAMPLES, Resamples};
    /// // One of five and two of three: three of eight.
    /// let found = Resamples::new(2, RESAMPLES, 1).ratio(&[1.0, 2.0], &[5.0, 3.0]);
    /// assert_eq!((found.mean, found.queries), (0.375, 2));
    /// ```
    ///
    /// # Panics
    /// If there are not as many parts and wholes as queries.
    pub fn ratio(&self, parts: &[f64], wholes: &[f64]) -> Interval {
        assert_eq!([parts.len(), wholes.len()], [self.num_queries; 2], "a part and a whole for each query");
        let queries = wholes.iter().filter(|whole| **whole > 0.0).count();
        let of = |resample: &[u32]| {
            let sum = |of: &[f64]| resample.iter().map(|query| of[*query as usize]).sum::<f64>();
            sum(parts) / sum(wholes)
        };
        let mean = parts.iter().sum::<f64>() / wholes.iter().sum::<f64>();
        let ci95 = (queries > 1).then(|| self.quantiles(of, tail(queries)));
        Interval { mean, ci95: ci95.flatten(), queries }
    }

    /// Returns the quantiles `tail` and 1 − `tail` of the resamples' means; `None` if there is no resample.
    pub(super) fn percentiles(&self, values: &[f64], tail: f64) -> Option<[f64; 2]> {
        let mean = |resample: &[u32]| {
            let (mut sum, mut num) = (0.0, 0u32);
            for query in resample {
                let value = values[*query as usize];
                if !value.is_nan() {
                    sum += value;
                    num += 1;
                }
            }
            sum / f64::from(num)
        };
        self.quantiles(mean, tail)
    }

    /// Returns the quantiles `tail` and 1 − `tail` of a statistic of the resamples; `None` if there is no resample.
    fn quantiles(&self, of: impl Fn(&[u32]) -> f64 + Send + Sync, tail: f64) -> Option<[f64; 2]> {
        let resamples = self.drawn.par_chunks(self.num_queries.max(1)).with_min_len(256);
        let mut found: Vec<f64> = resamples.map(of).collect();
        // A resample may have drawn none of the queries that have a value.
        found.retain(|value| !value.is_nan());
        let low = quantile(&mut found, tail)?;
        Some([low, quantile(&mut found, 1.0 - tail)?])
    }
}

/// Returns α'/2 for this many queries, at least two.
fn tail(queries: usize) -> f64 {
    let n = queries as f64;
    let normal = Normal::standard();
    // One degree of freedom at least, and a scale of 1.
    let student = StudentsT::new(0.0, 1.0, n - 1.0).expect("a valid distribution");
    normal.cdf(-(n / (n - 1.0)).sqrt() * student.inverse_cdf(1.0 - ALPHA / 2.0))
}

/// Returns the quantile at (num + 1)·p of the order, interpolated between two values.
fn quantile(values: &mut [f64], p: f64) -> Option<f64> {
    let last = values.len().checked_sub(1)?;
    let place = ((values.len() + 1) as f64 * p - 1.0).clamp(0.0, last as f64);
    let (low, high) = (place.floor() as usize, place.ceil() as usize);
    let (_, &mut low_value, above) = values.select_nth_unstable_by(low, f64::total_cmp);
    let high_value =
        if high == low { low_value } else { above.iter().copied().fold(f64::INFINITY, f64::min) };
    Some(low_value + (high_value - low_value) * (place - low as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_by_hand() {
        let mut values = [3.0, 1.0, 2.0, 4.0];
        // The places are 5p: the first value at 0.2, halfway to the second at 0.3.
        assert_eq!(quantile(&mut values, 0.2), Some(1.0));
        assert_eq!(quantile(&mut values, 0.3), Some(1.5));
        assert_eq!(quantile(&mut values, 0.01), Some(1.0));
        assert_eq!(quantile(&mut values, 0.99), Some(4.0));
        assert_eq!(quantile(&mut [], 0.5), None);
    }

    #[test]
    fn tails_are_those_of_hesterberg() {
        // t for 9 degrees of freedom is 2.2622: Φ(−√(10/9)·2.2622) = Φ(−2.3845).
        assert!((tail(10) - 0.00855).abs() < 1e-5, "{}", tail(10));
        // For 4 it is 2.7764: Φ(−√(5/4)·2.7764) = Φ(−3.1042).
        assert!((tail(5) - 0.00095).abs() < 1e-5, "{}", tail(5));
        assert!((tail(1_000_000) - 0.025).abs() < 1e-5);
        assert!(tail(2) < 1e-60 && tail(2) >= 0.0);
    }

    #[test]
    fn two_queries_by_hand() {
        // With two queries, the means of resamples are 0, ½ and 1, and the tail is so thin that both ends are met.
        let found = Resamples::new(2, 1_000, 1).mean(&[0.0, 1.0]);
        assert_eq!(found, Interval { mean: 0.5, ci95: Some([0.0, 1.0]), queries: 2 });
    }

    #[test]
    fn one_query_has_no_interval() {
        let resamples = Resamples::new(3, 100, 1);
        assert_eq!(
            resamples.mean(&[f64::NAN, 2.0, f64::NAN]),
            Interval { mean: 2.0, ci95: None, queries: 1 }
        );
        let none = resamples.mean(&[f64::NAN; 3]);
        assert!(none.mean.is_nan() && none.ci95.is_none());
        assert_eq!(Resamples::new(0, 100, 1).mean(&[]).queries, 0);
    }

    #[test]
    fn undefined_queries_count_for_nothing() {
        let values = [0.1, f64::NAN, 0.9, 0.4, 0.3];
        let found = Resamples::new(5, 10_000, 1).mean(&values);
        let without = Resamples::new(4, 10_000, 2).mean(&[0.1, 0.9, 0.4, 0.3]);
        assert_eq!((found.mean, found.queries), (without.mean, 4));
        let [a, b] = [found, without].map(|interval| interval.ci95.unwrap());
        assert!((a[0] - b[0]).abs() < 0.03 && (a[1] - b[1]).abs() < 0.03, "{a:?} {b:?}");
    }

    #[test]
    fn a_ratio_of_equal_wholes_is_a_mean() {
        let resamples = Resamples::new(5, 2_000, 1);
        let found = resamples.ratio(&[1.0, 0.0, 2.0, 1.0, 4.0], &[4.0; 5]);
        assert_eq!(found, resamples.mean(&[0.25, 0.0, 0.5, 0.25, 1.0]));
    }

    #[test]
    fn a_query_without_a_whole_counts_for_nothing_in_a_ratio() {
        let found = Resamples::new(3, 2_000, 1).ratio(&[0.0, 1.0, 2.0], &[0.0, 1.0, 4.0]);
        // Resamples of the two others are 1, ½ and 3/5, by how often each is drawn.
        assert_eq!((found.mean, found.queries, found.ci95), (0.6, 2, Some([0.5, 1.0])));
        let none = Resamples::new(3, 100, 1).ratio(&[0.0; 3], &[0.0; 3]);
        assert!(none.mean.is_nan() && none.ci95.is_none() && none.queries == 0);
    }

    #[test]
    fn a_difference_is_paired() {
        let first: Vec<f64> = (0..50).map(|i| f64::from(i) / 50.0).collect();
        let second: Vec<f64> = first.iter().map(|value| value - 0.125).collect();
        let found = Resamples::new(50, 1_000, 1).difference(&first, &second);
        let [low, high] = found.ci95.unwrap();
        assert!((found.mean - 0.125).abs() < 1e-12 && high - low < 1e-12);
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let values: Vec<f64> = (0..117).map(|i| f64::from(i % 7)).collect();
            pool.install(|| Resamples::new(117, 3_000, 5).mean(&values))
        };
        assert_eq!(run(1), run(3));
    }
}
