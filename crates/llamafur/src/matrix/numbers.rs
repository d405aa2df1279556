//! The numbers of a matrix, in memory or where they lie on disk.

use crate::Error;
use crate::storage::CheckedMap;
use std::ops::Range;
use std::sync::Arc;

/// Numbers, end to end.
#[derive(Debug)]
pub(super) enum Numbers {
    Owned(Vec<f32>),
    /// Numbers in a file, from a byte on. They must be checked before they are read.
    Mapped(Arc<CheckedMap>, usize, usize),
}

impl Numbers {
    #[inline]
    pub(super) fn get(&self) -> &[f32] {
        match self {
            Numbers::Owned(numbers) => numbers,
            Numbers::Mapped(map, at, num) => map.values_as_they_are(*at, 0..*num),
        }
    }

    /// Checks the blocks of the file that hold some of the numbers, unless they were checked before.
    pub(super) fn check(&self, range: Range<usize>) -> Result<(), Error> {
        match self {
            Numbers::Owned(_) => Ok(()),
            Numbers::Mapped(map, at, _) => {
                map.check(at + range.start * size_of::<f32>()..at + range.end * size_of::<f32>())
            }
        }
    }
}
