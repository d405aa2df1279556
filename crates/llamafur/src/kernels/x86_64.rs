//! Hints to x86-64 processors.

use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

#[inline(always)]
pub(super) fn prefetch<T>(item: *const T) {
    // SAFETY: a prefetch never faults, whatever the address, and every x86-64 processor has it.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(item.cast()) };
}
