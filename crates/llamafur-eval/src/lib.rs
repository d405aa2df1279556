//! How well LlamaFur does: on links that were held out of training, and on links that people judged.
#![forbid(unsafe_code)]

pub mod bpref;
pub mod held_out;
