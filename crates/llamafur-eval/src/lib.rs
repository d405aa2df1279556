//! Evaluates LlamaFur: on links held out of training, on judged links, on planted links, and on corpora whose true
//! matrix is known.
#![forbid(unsafe_code)]

pub mod altered;
pub mod by_milestones;
pub mod evaluation;
pub mod fit_worth;
pub mod judging;
pub mod judgments;
pub mod measures;
pub mod misdirected;
pub mod planted;
pub mod pool;
pub mod predicted;
pub mod report;
pub mod rows;
pub mod statistics;
pub mod synth;
