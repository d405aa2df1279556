//! Scorers that go by [embeddings](crate::embed): by where pages point when their links or words are put in few numbers.

mod company;
mod cosines;

pub(super) use company::COMPANY;
pub use company::Company;
pub use cosines::EmbeddingCosine;
pub(super) use cosines::{LINK_SVD, TEXT_SVD};
