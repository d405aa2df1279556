//! Which links of a graph are *unexpected*, and why.
//!
//! Given a directed graph whose nodes carry overlapping categories, LlamaFur learns a category × category
//! matrix that explains the common links, then ranks each page's links by how badly the matrix explains them:
//! Paolo Boldi and Corrado Monti, “LlamaFur: Learning Latent Category Matrix to Find Unexpected Relations in
//! Wikipedia”, WebSci 2016, <https://doi.org/10.1145/2908131.2908153>.
//!
//! The way of the data: a [`corpus`] on disk gives a [`corpus::Graph`], with the corpus's own [`categories`] or with
//! cleansed ones; [`learn`] makes a [`matrix`] of it; [`score`] ranks links by the matrix; [`explain`] shows the category
//! pairs behind a score. Long work tells of itself through a [`progress::Progress`]. [`wikitext`] reads the pages of
//! wikis; [`words`] counts the words of every page.

// Tests of the whole interface can be in the crate.
#[cfg(test)]
extern crate self as llamafur;

pub mod categories;
pub mod corpus;
pub mod embed;
pub mod engine;
mod error;
pub mod explain;
pub mod graph;
mod kernels;
pub mod learn;
pub mod matrix;
pub mod progress;
pub mod random;
mod remedy;
pub mod score;
pub mod storage;
pub mod text;
pub mod words;

pub use error::Error;
pub use error::{Artifact, Missing, Named, human_bytes};
pub use remedy::{Remedy, Step};
#[doc(hidden)]
pub use text::wikitext;
