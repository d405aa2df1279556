//! What the benchmarks share, and the generator of the demo's encyclopedia. The programs are in `src/bin`; the Makefile's `bench`
//! targets run them.
#![forbid(unsafe_code)]

pub mod encyclopedia;
pub mod truth;
