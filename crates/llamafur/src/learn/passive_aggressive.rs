//! `paper` and `original`: the online learner of Algorithm 1, as printed and as the authors' program has it.
//!
//! For an example (s, t) with σ = 1 if s links to t and −1 otherwise, n = |C_s|, m = |C_t| and
//! e = Σ w over the pairs of their categories, every cell of a pair moves by
//!
//! δ = σ · ρ · min(K, 1 − σ·e·ρ),
//!
//! with ρ = 1/(nm) in `paper` and ρ = 1/√(nm) in `original`, and K the aggressiveness. There is no hinge: when
//! σ·e·ρ > 1 the step is negative, and the pair is pulled back to the margin.
//!
//! Boldi & Monti, “LlamaFur: Learning Latent Category Matrix to Find Unexpected Relations in Wikipedia”,
//! WebSci 2016, Algorithm 1 and “Sequence of pairs” in section 3. <https://doi.org/10.1145/2908131.2908153>
//!
//! # Differences from the paper
//! The paper leaves the order of the pages open; here it is shuffled by the seed, as in the authors' program.
//! Non-links are never the page itself (the program allows that). More than one pass draws fresh non-links.

/// The scale of e relative to the margin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scale {
    /// ρ = 1/(nm).
    Mean,
    /// ρ = 1/√(nm).
    Sqrt,
}

impl Scale {
    #[inline]
    pub(super) fn rho(self, num_pairs: usize) -> f64 {
        match self {
            Scale::Mean => 1.0 / num_pairs as f64,
            Scale::Sqrt => 1.0 / (num_pairs as f64).sqrt(),
        }
    }
}
