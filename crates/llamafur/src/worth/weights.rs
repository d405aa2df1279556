//! The weights of the features: what `make fit-worth` prints.

/// A feature of a row, and what it counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorthFeature {
    /// Its name.
    pub name: &'static str,
    /// μ, its mean over the judged rows.
    pub mean: f64,
    /// σ, its standard deviation there.
    pub deviation: f64,
    /// w, its weight.
    pub weight: f64,
}

/// Deviations from the mean, beyond which a value says no more.
pub const MOST_DEVIATIONS: f64 = 4.0;

impl WorthFeature {
    /// Returns a value in deviations from the mean, bounded.
    pub fn standardised(&self, value: f64) -> f64 {
        ((value - self.mean) / self.deviation).clamp(-MOST_DEVIATIONS, MOST_DEVIATIONS)
    }
}

const fn feature(name: &'static str, mean: f64, deviation: f64, weight: f64) -> WorthFeature {
    WorthFeature { name, mean, deviation, weight }
}

/// The worth from which on a row is called surprising.
pub const LEVEL: f64 = -0.75;

/// b, the worth of a row whose features are all at their means.
pub(super) const BIAS: f64 = -1.566;

/// The features, with what `make fit-worth` prints for each.
pub const WORTH_FEATURES: [WorthFeature; 16] = [
    feature("oddity", 1.039, 0.953, 0.341),
    feature("odder_than", 1.961, 1.826, 0.370),
    feature("kinds", 0.535, 0.147, 0.075),
    feature("sentence_links", 0.568, 0.643, -0.204),
    feature("sentence_words", 3.290, 0.446, 0.108),
    feature("commas", 0.068, 0.067, -0.120),
    feature("enumerated", 0.130, 0.336, -0.038),
    feature("lower_anchor", 0.343, 0.475, -0.177),
    feature("common_title", 0.180, 0.384, -0.202),
    feature("lower_words", 0.734, 0.146, 0.074),
    feature("quotation", 0.136, 0.343, 0.095),
    feature("narrative", 0.189, 0.222, 0.258),
    feature("shared_name", 0.022, 0.147, -0.088),
    feature("numeric", 0.005, 0.073, -0.082),
    feature("target_terms", 0.202, 0.688, 0.268),
    feature("in_links", 3.704, 1.078, -0.218),
];
