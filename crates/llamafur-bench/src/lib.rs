//! What the benchmarks share. The programs are in `src/bin`; the Makefile's `bench` targets run them.
#![forbid(unsafe_code)]

pub mod truth;
