//! Weights of the blend that suit links that were held out.
//!
//! An example is an unseen link of a page beside pages that are none: the hundred that an equal sum of the signals expects most,
//! and a hundred at random. The weights w ≥ 0 maximise the mean of ln(exp w·x₀ / Σ exp w·x), x₀ being the signals of the link, every
//! corpus counting the same, by gradient ascent with a small penalty. None is negative: two signals that say
//! nearly the same would otherwise be set against each other.

use rayon::prelude::*;

/// The signals that may have a weight.
pub(crate) const NAMES: [&str; 11] = [
    "categories",
    "words",
    "lead",
    "ra",
    "company",
    "peers",
    "cosine",
    "reciprocity",
    "in-degree",
    "aa",
    "jaccard",
];

/// The signals of a link, then those of the pages beside it.
pub(crate) type Example = Vec<Vec<f64>>;

/// Steps of the ascent, and what each is multiplied by.
const STEPS: usize = 600;
const STEP: f64 = 0.01;

/// How much the squares of the weights count.
const PENALTY: f64 = 0.002;

/// The weights of [`NAMES`]; zeros without examples.
pub(crate) fn fitted(corpora: &[&Vec<Example>]) -> Vec<f64> {
    let corpora: Vec<&Vec<Example>> =
        corpora.iter().copied().filter(|examples| !examples.is_empty()).collect();
    if corpora.is_empty() {
        return vec![0.0; NAMES.len()];
    }
    let mut weights = vec![0.3; NAMES.len()];
    let mut squares = vec![1e-6; NAMES.len()];
    for _ in 0..STEPS {
        let mut gradient: Vec<f64> = weights.iter().map(|w| -PENALTY * w).collect();
        for examples in &corpora {
            let parts: Vec<Vec<f64>> = examples.par_iter().map(|example| slope(example, &weights)).collect();
            let scale = 1.0 / (examples.len() * corpora.len()) as f64;
            for part in parts {
                gradient.iter_mut().zip(part).for_each(|(g, s)| *g += s * scale);
            }
        }
        for at in 0..NAMES.len() {
            squares[at] = 0.95 * squares[at] + 0.05 * gradient[at].powi(2);
            weights[at] = (weights[at] + STEP * gradient[at] / squares[at].sqrt()).max(0.0);
        }
    }
    weights
}

/// The gradient of ln(exp w·x₀ / Σ exp w·x).
fn slope(example: &Example, weights: &[f64]) -> Vec<f64> {
    let sums: Vec<f64> =
        example.iter().map(|x| x.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>()).collect();
    let highest = sums.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let shares: Vec<f64> = sums.iter().map(|sum| (sum - highest).exp()).collect();
    let total: f64 = shares.iter().sum();
    let mut slope = example[0].clone();
    for (x, share) in example.iter().zip(shares) {
        slope.iter_mut().zip(x).for_each(|(s, x)| *s -= share / total * x);
    }
    slope
}
