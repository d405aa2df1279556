//! The numbers of a box plot.
//!
//! Quartiles by linear interpolation: with the numbers in ascending order x₀ … xₙ₋₁, the p-quantile is at h = (n − 1)·p,
//! between x⌊h⌋ and x⌈h⌉. Hyndman & Fan, “Sample Quantiles in Statistical Packages”, The American Statistician 1996,
//! definition 7. Whiskers reach to the outermost numbers within 1.5 times the
//! interquartile range.

/// Returns the p-quantile of numbers in ascending order; `None` if there are none.
fn quantile(ascending: &[f64], p: f64) -> Option<f64> {
    let last = ascending.len().checked_sub(1)?;
    let h = last as f64 * p.clamp(0.0, 1.0);
    let (below, part) = (h.floor() as usize, h.fract());
    let (low, high) = (ascending[below], ascending[(below + 1).min(last)]);
    // A weighted mean, because a difference of two large numbers could overflow.
    Some(if low == high { low } else { low * (1.0 - part) + high * part })
}

/// The numbers that define a box.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Quartiles {
    /// Number of finite values.
    pub(crate) num_values: usize,
    /// Number of values left out because they are not finite.
    pub(crate) num_left_out: usize,
    /// The end of the lower whisker.
    pub(crate) low: f64,
    /// The 25th percentile.
    pub(crate) lower: f64,
    /// The 50th percentile.
    pub(crate) median: f64,
    /// The 75th percentile.
    pub(crate) upper: f64,
    /// The end of the upper whisker.
    pub(crate) high: f64,
    /// The values beyond the whiskers, in ascending order.
    pub(crate) outliers: Vec<f64>,
}

impl Quartiles {
    /// Computes the quartiles of the finite values; returns `None` if there are none.
    pub(crate) fn of(values: &[f64]) -> Option<Quartiles> {
        let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let [lower, median, upper] =
            [quantile(&sorted, 0.25)?, quantile(&sorted, 0.5)?, quantile(&sorted, 0.75)?];
        let reach = 1.5 * (upper - lower);
        let is_inside = |value: &&f64| (lower - reach..=upper + reach).contains(*value);
        let low = sorted.iter().find(is_inside).copied().unwrap_or(lower);
        let high = sorted.iter().rev().find(is_inside).copied().unwrap_or(upper);
        let outliers = sorted.iter().copied().filter(|value| *value < low || *value > high).collect();
        let num_left_out = values.len() - sorted.len();
        // With few numbers that are far apart, the outermost one in reach may be within the box.
        let (low, high) = (low.min(lower), high.max(upper));
        Some(Quartiles { num_values: sorted.len(), num_left_out, low, lower, median, upper, high, outliers })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // n = 5: h = 1, 2 and 3. The distance of the quartiles is 2, so 3 more are within reach: −1 to 7.
        let found = Quartiles::of(&[3.0, 1.0, 2.0, 100.0, 4.0]).unwrap();
        assert_eq!((found.lower, found.median, found.upper), (2.0, 3.0, 4.0));
        assert_eq!((found.low, found.high, found.outliers), (1.0, 4.0, vec![100.0]));
    }

    #[test]
    fn between_two_numbers_by_their_distance() {
        // n = 6: h = 1.25, 2.5 and 3.75.
        let sorted = [0.0, 1.0, 3.0, 5.0, 9.0, 10.0];
        assert_eq!([0.25, 0.5, 0.75].map(|p| quantile(&sorted, p)), [Some(1.5), Some(4.0), Some(8.0)]);
        assert_eq!((quantile(&sorted, 0.0), quantile(&sorted, 1.0)), (Some(0.0), Some(10.0)));
    }

    #[test]
    fn few_and_equal_numbers() {
        assert_eq!(Quartiles::of(&[]), None);
        let one = Quartiles::of(&[7.0]).unwrap();
        assert_eq!((one.low, one.median, one.high, one.outliers.len()), (7.0, 7.0, 7.0, 0));
        let two = Quartiles::of(&[0.0, 4.0]).unwrap();
        assert_eq!((two.low, two.lower, two.median, two.upper, two.high), (0.0, 1.0, 2.0, 3.0, 4.0));
        let equal = Quartiles::of(&[2.0; 9]).unwrap();
        assert_eq!((equal.low, equal.lower, equal.high, equal.outliers.len()), (2.0, 2.0, 2.0, 0));
    }

    #[test]
    fn what_is_not_finite_is_left_out() {
        let found = Quartiles::of(&[f64::INFINITY, 1.0, f64::NAN, f64::NEG_INFINITY]).unwrap();
        assert_eq!((found.num_values, found.num_left_out, found.median), (1, 3, 1.0));
        assert_eq!(Quartiles::of(&[f64::NAN]), None);
    }

    #[test]
    fn whiskers_never_end_within_the_box() {
        // The quartiles are 0 and 7.5: the whisker would end at 0, and 10 at 18.75.
        let found = Quartiles::of(&[0.0, 0.0, 0.0, 30.0]).unwrap();
        assert!(found.low <= found.lower && found.high >= found.upper, "{found:?}");
    }
}
