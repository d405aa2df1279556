//! Scorers that use the graph alone: most of them the neighbours that the two ends of a link share.

pub(super) mod in_degree;
pub(super) mod reciprocity;
pub(super) mod shared_neighbours;

pub use shared_neighbours::SharedNeighbours;

/// Converts expectedness to unexpectedness. Subtracted from zero rather than negated: an expectedness of 0 must not
/// become −0.
fn unexpected(expectedness: f64) -> Option<f64> {
    Some(0.0 - expectedness)
}

#[cfg(test)]
mod tests;
