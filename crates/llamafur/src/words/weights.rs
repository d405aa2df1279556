//! The weight of a term in a page: (1 + ln c)·ln(n/df), with c how often it occurs there, df the number of pages that
//! have it and n of those that have words.

use std::sync::LazyLock;

/// Counts whose logarithms are kept.
const KEPT: u16 = 256;

static KNOWN: LazyLock<Vec<f64>> = LazyLock::new(|| (0..KEPT).map(logarithm).collect());

fn logarithm(count: u16) -> f64 {
    1.0 + f64::from(count).ln()
}

/// Returns 1 + ln c.
#[inline]
pub(crate) fn of_count(count: u16) -> f64 {
    KNOWN.get(usize::from(count)).copied().unwrap_or_else(|| logarithm(count))
}

/// Returns ln(n/df).
pub(super) fn rarity(num_pages: u64, documents: u32) -> f64 {
    (num_pages as f64 / f64::from(documents)).ln()
}
