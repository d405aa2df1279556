//! Means and deviations of numbers.

/// Returns the mean of some numbers; NaN where there are none.
pub fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

/// Returns the mean of some numbers, and the sum of the squares of their distances from it.
pub(crate) fn mean_and_squares(numbers: &[f64]) -> (f64, f64) {
    let mean = mean(numbers);
    (mean, numbers.iter().map(|number| (number - mean).powi(2)).sum())
}
