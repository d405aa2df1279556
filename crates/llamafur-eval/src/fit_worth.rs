//! The weights of [worth](llamafur::worth), fitted to judged rows by ridge-logistic regression.
//!
//! With z the standardised features of a row and y the value of its letter, 1 for A, ½ for B and 0 for others, the loss
//! is Σ −y·ln p − (1 − y)·ln(1 − p) + (λ/2)·‖w‖² with p = 1/(1 + exp(−b − w·z)). Newton's method finds its minimum.
//! Means and deviations are those of all rows together.

use crate::rows::RowLetter;
use llamafur::worth::{FeatureValues, MOST_DEVIATIONS, NUM_FEATURES};
use nalgebra::{Cholesky, DMatrix, DVector};

/// λ, the strength of the regularisation.
const RIDGE: f64 = 50.0;

/// A judged row.
#[derive(Debug, Clone)]
pub struct WorthExample {
    /// The features of the row.
    pub values: FeatureValues,
    /// The judge's letter.
    pub letter: RowLetter,
}

/// Fitted weights with their scale.
#[derive(Debug, Clone)]
pub struct FittedWorth {
    /// b.
    pub bias: f64,
    /// μ, σ and w of each feature.
    pub features: [(f64, f64, f64); NUM_FEATURES],
}

fn value_of(letter: RowLetter) -> f64 {
    match letter {
        RowLetter::A => 1.0,
        RowLetter::B => 0.5,
        _ => 0.0,
    }
}

impl FittedWorth {
    /// Fits the weights to rows.
    pub fn of(rows: &[WorthExample]) -> FittedWorth {
        let scale = |feature: usize| {
            let known: Vec<f64> = rows.iter().filter_map(|row| row.values[feature]).collect();
            let num = known.len().max(1) as f64;
            let mean = known.iter().sum::<f64>() / num;
            let variance = known.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / num;
            (mean, if variance > 0.0 { variance.sqrt() } else { 1.0 }, 0.0)
        };
        let mut fitted = FittedWorth { bias: 0.0, features: std::array::from_fn(scale) };
        let inputs: Vec<DVector<f64>> = rows.iter().map(|row| fitted.standardised(&row.values)).collect();
        let mut weights = DVector::zeros(NUM_FEATURES + 1);
        for _ in 0..50 {
            let mut slope = &weights * RIDGE;
            let mut curvature = DMatrix::identity(NUM_FEATURES + 1, NUM_FEATURES + 1) * RIDGE;
            // The bias is free.
            slope[NUM_FEATURES] = 0.0;
            curvature[(NUM_FEATURES, NUM_FEATURES)] = 0.0;
            for (row, input) in rows.iter().zip(&inputs) {
                let p = 1.0 / (1.0 + (-input.dot(&weights)).exp());
                slope.axpy(p - value_of(row.letter), input, 1.0);
                curvature.ger(p * (1.0 - p), input, input, 1.0);
            }
            let Some(factors) = Cholesky::new(curvature) else { break };
            let step = factors.solve(&slope);
            weights -= &step;
            if step.amax() < 1e-10 {
                break;
            }
        }
        for (feature, weight) in fitted.features.iter_mut().zip(weights.iter()) {
            feature.2 = *weight;
        }
        fitted.bias = weights[NUM_FEATURES];
        fitted
    }

    /// Returns the features in deviations, and a 1 for the bias.
    fn standardised(&self, values: &FeatureValues) -> DVector<f64> {
        let of = |(value, (mean, deviation, _)): (&Option<f64>, &(f64, f64, f64))| {
            value.map_or(0.0, |value| ((value - mean) / deviation).clamp(-MOST_DEVIATIONS, MOST_DEVIATIONS))
        };
        let all = values.iter().zip(&self.features).map(of).chain([1.0]);
        DVector::from_iterator(NUM_FEATURES + 1, all)
    }

    /// Returns the worth of a row.
    pub fn worth(&self, values: &FeatureValues) -> f64 {
        let weights = self.features.iter().map(|feature| feature.2).chain([self.bias]);
        self.standardised(values).iter().zip(weights).map(|(value, weight)| value * weight).sum()
    }
}

/// Returns the probability that a row that `is_good` has more worth than one that is not; ties count half.
pub fn area_under_curve(rows: &[(f64, RowLetter)], is_good: impl Fn(RowLetter) -> bool) -> f64 {
    let (good, others): (Vec<_>, Vec<_>) = rows.iter().partition(|(_, letter)| is_good(*letter));
    let mut wins = 0.0;
    for (one, _) in &good {
        for (other, _) in &others {
            wins += f64::from(u8::from(one > other)) + f64::from(u8::from(one >= other));
        }
    }
    wins / 2.0 / (good.len() * others.len()).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tells_good_rows_from_others_gets_weight() {
        let row = |value: f64, letter| {
            let mut values = [None; NUM_FEATURES];
            (values[0], values[1]) = (Some(value), Some(1.0));
            WorthExample { values, letter }
        };
        let rows: Vec<WorthExample> = (0..200)
            .map(|at| row(f64::from(at), if at > 150 { RowLetter::A } else { RowLetter::C }))
            .collect();
        let fitted = FittedWorth::of(&rows);
        assert!(fitted.features[0].2 > 0.5 && fitted.features[1].2.abs() < 1e-9, "{fitted:?}");
        let worths: Vec<(f64, RowLetter)> =
            rows.iter().map(|row| (fitted.worth(&row.values), row.letter)).collect();
        assert_eq!(area_under_curve(&worths, |letter| letter == RowLetter::A), 1.0);
        // The bias is free: the mean of p is that of y.
        let mean = worths.iter().map(|(worth, _)| 1.0 / (1.0 + (-worth).exp())).sum::<f64>() / 200.0;
        assert!((mean - 49.0 / 200.0).abs() < 1e-6, "{mean}");
    }

    #[test]
    fn ties_count_half() {
        let rows = [(1.0, RowLetter::A), (1.0, RowLetter::C), (0.0, RowLetter::C)];
        assert_eq!(area_under_curve(&rows, |letter| letter == RowLetter::A), 0.75);
    }
}
