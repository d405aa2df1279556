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
pub const LEVEL: f64 = -0.55;

/// b, the worth of a row whose features are all at their means.
pub(super) const BIAS: f64 = -1.848;

/// The features, with what `make fit-worth` prints for each.
pub const WORTH_FEATURES: [WorthFeature; 14] = [
    feature("oddity", 0.737, 1.027, 0.422),
    feature("odder_than", 1.370, 1.911, 0.451),
    feature("kinds", 0.545, 0.146, -0.033),
    feature("sentence_links", 0.688, 0.679, -0.210),
    feature("sentence_words", 3.275, 0.450, 0.101),
    feature("commas", 0.076, 0.074, -0.148),
    feature("enumerated", 0.165, 0.371, -0.083),
    feature("lower_anchor", 0.403, 0.490, -0.228),
    feature("common_title", 0.245, 0.430, -0.231),
    feature("lower_words", 0.735, 0.154, 0.087),
    feature("quotation", 0.110, 0.312, 0.095),
    feature("narrative", 0.157, 0.213, 0.274),
    feature("shared_name", 0.033, 0.178, -0.108),
    feature("numeric", 0.008, 0.088, -0.109),
];
