//! Sums of runs: the mean, and how far they scatter.

/// The mean of some numbers; NaN where there are none.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The mean and the standard deviation of a sample; 0 where there is one number only.
pub fn mean_and_sd(values: &[f64]) -> (f64, f64) {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (values.len().max(2) - 1) as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert_eq!(mean_and_sd(&[1.0, 3.0]), (2.0, 2f64.sqrt()));
        assert_eq!(mean_and_sd(&[5.0]), (5.0, 0.0));
        assert!(mean(&[]).is_nan());
    }
}
