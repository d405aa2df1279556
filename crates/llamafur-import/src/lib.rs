//! Makes corpora: reads a graph whose nodes carry categories and writes it as a LlamaFur corpus.
//!
//! - [`wiki`]: a wiki from its XML dump, the SQL dumps of its tables, or its search index;
//! - [`table`]: links and categories from TSV, CSV, JSON lines and Parquet files;
//! - [`vectors`]: vectors of pages made by another program;
//! - `fetch`: downloads a dump from Wikimedia or a mirror (feature `fetch`);
//! - [`input`]: opens plain and compressed files, and the standard input;
//! - [`bzip2`]: decodes bzip2 files on all cores;
//! - [`sort`]: sorts more keys than fit in memory.
//!
//! # Features
//! Both are on by default. `fetch` adds an HTTP client with TLS, `parquet` the reader of Parquet files.

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))] // a test that fails shall panic

pub mod bzip2;
#[cfg(feature = "fetch")]
pub mod fetch;
#[doc(hidden)]
pub mod fuzzing;
mod gather;
pub mod input;
mod redirects;
pub mod sort;
pub mod table;
pub mod vectors;
pub mod wiki;

pub use gather::GatherError;
