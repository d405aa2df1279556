//! Scorers that use [embeddings](crate::embed): a short vector for each page, made of its links or its words.

mod company;
mod cosines;

pub(super) use company::COMPANY;
pub use company::Company;
pub use cosines::EmbeddingCosine;
pub(super) use cosines::{LINK_SVD, TEXT_SVD};
