//! Internals for benchmarks: not part of the library's interface.

pub use super::factored::Tuning;
pub use crate::kernels::prefetch;
use std::sync::atomic::AtomicU32;

/// Zeros in large pages, as the dense learners have their cells, for benchmarks of the memory itself.
pub fn large_buffer(len: usize) -> Vec<AtomicU32> {
    // The same memory: vectors of the same size and alignment are collected in place.
    crate::kernels::zeros(len).into_iter().map(AtomicU32::new).collect()
}
