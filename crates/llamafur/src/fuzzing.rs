//! Parts that no interface calls alone, for programs that make up their input.

use crate::Error;

/// The rows of the titles that a person may mean who typed this, the best first, and the bytes of the index of the titles.
///
/// # Errors
/// If the index is too large for memory.
pub fn suggest(titles: &[&str], typed: &str, num: usize) -> Result<(Vec<usize>, usize), Error> {
    crate::engine::suggest_among(titles, typed, num)
}
