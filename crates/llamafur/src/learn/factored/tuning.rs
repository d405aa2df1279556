//! Constants found by experiment: `benchmarks/README.md` lists what was tried.

use crate::graph::Graph;
#[cfg(any(test, feature = "oracle"))]
use crate::learn::sampler::Draw;

/// Further settings that determine what `factored` learns. No options of the program: no other values did better on all
/// corpora. A model's settings do not record them, so other values are for experiments alone.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(not(feature = "oracle"), allow(unreachable_pub))]
pub struct Tuning {
    /// The length of AdaGrad's steps.
    pub step: f32,
    /// The weight decay λ.
    pub decay: f32,
    /// Links in a batch, at least; by default, more where there are more links.
    pub batch: Option<usize>,
    /// The number of non-links for each link.
    pub ratio: usize,
    /// True if only the non-link of highest expectedness counts, of those of a link.
    #[cfg(any(test, feature = "oracle"))]
    pub hardest: bool,
    /// The weight of a link relative to a non-link.
    pub cost: f32,
    /// The way non-links are drawn.
    #[cfg(any(test, feature = "oracle"))]
    pub non_links: Draw,
}

impl Default for Tuning {
    fn default() -> Tuning {
        Tuning {
            step: 0.1,
            decay: 1e-4,
            batch: None,
            ratio: 1,
            #[cfg(any(test, feature = "oracle"))]
            hardest: false,
            cost: 1.0,
            #[cfg(any(test, feature = "oracle"))]
            non_links: Draw::Uniform,
        }
    }
}

impl Tuning {
    /// Returns the links in a batch of this graph. Small ones have fresher gradients, large ones let threads work
    /// longer
    /// before they meet: with many links, there are many batches either way.
    pub(super) fn batch_for(&self, graph: &Graph<'_>) -> usize {
        self.batch.unwrap_or((graph.num_links() / 1024).clamp(512, 1 << 14)).max(1)
    }
}
