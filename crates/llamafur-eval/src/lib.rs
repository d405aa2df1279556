//! How well LlamaFur does: on links that were held out of training, on links that people judged, on links that were
//! planted, and on corpora whose true matrix is known.
#![forbid(unsafe_code)]

pub mod by_milestones;
pub mod evaluation;
pub mod judgments;
pub mod learn_blend;
pub mod measures;
pub mod planted;
pub mod pool;
pub mod report;
pub mod statistics;
pub mod synth;
