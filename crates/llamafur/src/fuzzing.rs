//! Entry points for fuzz targets to parts that no interface calls alone.

use crate::Error;

/// Returns the rows of the titles that match the query, the best first, and the bytes of the index of the titles.
///
/// # Errors
/// If the index is too large for memory.
pub fn suggest(titles: &[&str], typed: &str, num: usize) -> Result<(Vec<usize>, usize), Error> {
    crate::engine::suggest_among(titles, typed, num)
}
