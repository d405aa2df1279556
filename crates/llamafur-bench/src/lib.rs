//! What the benchmarks share, the generator of the demo's encyclopedia, and those of large wikis. The programs are in `src/bin`; the Makefile's `bench`
//! targets run them.
#![forbid(unsafe_code)]

pub mod encyclopedia;
pub mod machine;
pub mod served;
pub mod topics;
pub mod truth;
pub mod wiki;
