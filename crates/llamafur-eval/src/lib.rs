//! How well LlamaFur does: on links that were held out of training, on links that people judged, and on corpora whose
//! true matrix is known.
#![forbid(unsafe_code)]

pub mod by_milestones;
pub mod chart;
pub mod evaluation;
pub mod judgments;
pub mod measures;
pub mod pool;
pub mod report;
pub mod statistics;
pub mod synth;
