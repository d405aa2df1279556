//! No hints: the processor finds out by itself.

#[inline(always)]
pub(super) fn prefetch<T>(_item: *const T) {}
