//! How well LlamaFur does: on links that were held out of training, on links that people judged, and on corpora whose
//! true matrix is known.
#![forbid(unsafe_code)]

pub mod bpref;
pub mod chart;
pub mod stats;
pub mod synth;
