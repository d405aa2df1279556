//! Bytes in, corpus out: reads a graph whose nodes carry categories and writes it as a LlamaFur corpus.
//!
//! - [`table`]: links and categories from TSV, CSV, JSON lines and Parquet files;
//! - [`sort`]: sorting more keys than memory holds, which is what makes large imports possible.

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))] // a test that fails shall panic

pub mod bzip2;
pub mod fetch;
mod gather;
pub mod sort;
pub mod table;
pub mod wiki;

pub use gather::GatherError;
