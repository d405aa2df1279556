//! A pool of reusable buffers: a number for each term, all zero.

use std::sync::Mutex;

/// The buffers that are not in use.
#[derive(Debug, Default)]
pub(super) struct Scratch<T>(Mutex<Vec<Vec<T>>>);

impl<T: Copy + Default> Scratch<T> {
    /// Takes a buffer of `num` zeros.
    pub(super) fn take(&self, num: usize) -> Vec<T> {
        let spare = self.0.lock().ok().and_then(|mut spare| spare.pop());
        spare.unwrap_or_else(|| vec![T::default(); num])
    }

    /// Returns a buffer to the pool, set to zero again as far as the next user needs it.
    pub(super) fn put_back(&self, numbers: Vec<T>) {
        if let Ok(mut spare) = self.0.lock() {
            spare.push(numbers);
        }
    }
}
