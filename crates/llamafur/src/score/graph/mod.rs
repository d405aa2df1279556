//! Scorers that go by the graph alone: most of them by the neighbours that the two ends of a link share.

pub(super) mod adamic_adar;
pub(super) mod common_neighbours;
pub(super) mod in_degree;
pub(super) mod jaccard;
pub(super) mod reciprocity;
pub(super) mod resource_allocation;
mod shared;

use crate::graph::Neighbours;
pub use adamic_adar::AdamicAdar;
pub use common_neighbours::CommonNeighbours;
pub use in_degree::InDegree;
pub use jaccard::Jaccard;
pub use reciprocity::Reciprocity;
pub use resource_allocation::ResourceAllocation;
pub use shared::Shared;

/// Expectedness as unexpectedness. Subtracted from zero rather than negated: an expectedness of 0 must not become −0.
fn unexpected(expectedness: f64) -> Option<f64> {
    Some(0.0 - expectedness)
}

#[cfg(test)]
mod tests;
