//! What must hold of any bytes: a function for each reader of what others write, called by the fuzz targets, and by the test
//! `crates/llamafur-cli/tests/it/fuzzing.rs` with the seeds, what was found, and changes of them.
//!
//! None may panic. Where what is read could make much of little, its check bounds the output; the fuzzer bounds time and memory.
#![allow(unreachable_pub)] // a crate of its own for the fuzzer, a module of a test
#![allow(clippy::unwrap_used)] // a check that fails shall panic

pub mod bzip2;
pub mod cirrus;
pub mod corpus;
pub mod dump;
pub mod http;
pub mod judgments;
pub mod mcp;
pub mod names;
pub mod parquet;
mod sample;
mod scratch;
pub mod sentences;
pub mod sql;
pub mod tables;
pub mod vectors;
pub mod wikitext;

/// A check, by the name of its target and of its folder of seeds.
pub type Check = (&'static str, fn(&[u8]));

/// All checks.
pub const ALL: [Check; 14] = [
    ("bzip2", bzip2::check),
    ("cirrus", cirrus::check),
    ("corpus", corpus::check),
    ("dump", dump::check),
    ("http", http::check),
    ("judgments", judgments::check),
    ("mcp", mcp::check),
    ("names", names::check),
    ("parquet", parquet::check),
    ("sentences", sentences::check),
    ("sql", sql::check),
    ("tables", tables::check),
    ("vectors", vectors::check),
    ("wikitext", wikitext::check),
];
