//! A pool of reusable buffers: a number for each term, all zero.

use std::sync::Mutex;

/// As many lists of numbers as were ever in use at once.
#[derive(Debug, Default)]
pub(super) struct Scratch<T>(Mutex<Vec<Vec<T>>>);

impl<T: Copy + Default> Scratch<T> {
    /// So many zeroes.
    pub(super) fn take(&self, num: usize) -> Vec<T> {
        let spare = self.0.lock().ok().and_then(|mut spare| spare.pop());
        spare.unwrap_or_else(|| vec![T::default(); num])
    }

    /// Keeps what was taken, all zero again as far as the next one needs it.
    pub(super) fn put_back(&self, numbers: Vec<T>) {
        if let Ok(mut spare) = self.0.lock() {
            spare.push(numbers);
        }
    }
}
