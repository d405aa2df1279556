//! Scorers that go by the graph alone, most of them by the neighbours that the two ends of a link share.

pub(super) mod adamic_adar;
mod neighbours;

pub use adamic_adar::AdamicAdar;
pub use neighbours::Neighbours;
