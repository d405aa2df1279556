//! Scorers that use the graph alone: most of them the neighbours that the two ends of a link share.

pub(super) mod adamic_adar;
pub(super) mod common_neighbours;
pub(super) mod in_degree;
pub(super) mod jaccard;
pub(super) mod reciprocity;
pub(super) mod resource_allocation;

use crate::graph::{Neighbours, PageId};
pub use adamic_adar::AdamicAdar;
pub use common_neighbours::CommonNeighbours;
pub use in_degree::InDegree;
pub use jaccard::Jaccard;
pub use reciprocity::Reciprocity;
pub use resource_allocation::ResourceAllocation;

/// Expectedness as unexpectedness. Subtracted from zero rather than negated: an expectedness of 0 must not become −0.
fn unexpected(expectedness: f64) -> Option<f64> {
    Some(0.0 - expectedness)
}

/// How many neighbours two pages share, in words.
fn shared(neighbours: &Neighbours, source: PageId, target: PageId) -> String {
    let common = neighbours.map_common(source, &[target], |_, common| common.len())[0];
    let of_either = neighbours.of(source).len() + neighbours.of(target).len() - common;
    match common {
        0 => format!("the two pages share none of their {of_either} neighbours"),
        common => format!("the two pages share {common} of their {of_either} neighbours"),
    }
}

#[cfg(test)]
mod tests;
