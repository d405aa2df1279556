//! Operations for which the language has no safe words: prefetched memory, large pages, memory shared by threads, and
//! the widest registers there are.
//!
//! The dense learners wait for memory most of the time, the factored one for arithmetic. Nothing here changes a result:
//! a hint that does nothing, as on other architectures and systems, gives the same matrix later, and products of integers are
//! exact in any order.
#![allow(unsafe_code)]

mod dot;
mod eights;
#[cfg_attr(target_arch = "x86_64", path = "x86_64.rs")]
#[cfg_attr(not(target_arch = "x86_64"), path = "scalar.rs")]
mod machine;
mod wide;

pub(crate) use dot::{dot_in_eights, dot_of_integers};
pub(crate) use eights::Eights;
pub(crate) use wide::{Wide, run_wide, run_widest};

use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

/// Bytes of a large page, where there are any: a matrix of gigabytes has more small ones than the processor can
/// keep the addresses of.
const LARGE_PAGE: usize = 1 << 21;
/// Numbers in the smallest pages that a system may have.
const SMALL_PAGE: usize = 4096 / size_of::<u32>();

/// Prefetches the cache line of an item that will be read or written soon; beyond the end, one of no use.
#[inline(always)]
#[cfg_attr(not(feature = "oracle"), allow(unreachable_pub))]
pub fn prefetch<T>(items: &[T], at: usize) {
    machine::prefetch(items.as_ptr().wrapping_add(at));
}

/// Shares numbers, for several threads to read and write at a time.
pub(crate) fn shared(numbers: &mut [u32]) -> &[AtomicU32] {
    const { assert!(size_of::<AtomicU32>() == size_of::<u32>() && align_of::<AtomicU32>() == align_of::<u32>()) };
    // SAFETY: an `AtomicU32` is laid out as a `u32`, of the same alignment as asserted above, and the exclusive
    // borrow lasts as long as the result: nothing else reaches the numbers meanwhile.
    unsafe { &*(std::ptr::from_mut(numbers) as *const [AtomicU32]) }
}

/// Reads a shared number while no other thread writes it. `make tsan` has it read without atomics, and so sees a thread that does.
#[inline(always)]
pub(crate) fn owned(number: &AtomicU32) -> u32 {
    #[cfg(not(tsan))]
    return number.load(Ordering::Relaxed);
    // SAFETY: the place is that of a number. That nobody writes it meanwhile is what the sanitizer is asked.
    #[cfg(tsan)]
    unsafe {
        number.as_ptr().read()
    }
}

/// Writes a shared number while no other thread reads or writes it.
#[inline(always)]
pub(crate) fn set_owned(number: &AtomicU32, value: u32) {
    #[cfg(not(tsan))]
    number.store(value, Ordering::Relaxed);
    // SAFETY: as in `owned`.
    #[cfg(tsan)]
    unsafe {
        number.as_ptr().write(value);
    }
}

/// Returns zeros, in large pages where the system has them.
pub(crate) fn zeros(len: usize) -> Vec<u32> {
    let mut numbers = vec![0; len];
    advise_large_pages(&mut numbers);
    // Touched once here, by all threads: the system takes its time to clear a large page, and later on others
    // would have to wait for the first one.
    let touch = |chunk: &mut [u32]| chunk.iter_mut().step_by(SMALL_PAGE).for_each(|number| *number = 0);
    numbers.par_chunks_mut(LARGE_PAGE / size_of::<u32>()).for_each(touch);
    numbers
}

/// Asks the system to back this memory by large pages as soon as it is touched. Best before it is.
#[cfg(all(target_os = "linux", not(miri)))]
pub(crate) fn advise_large_pages<T>(items: &mut [T]) {
    let range = items.as_mut_ptr_range();
    let start = range.start.addr().next_multiple_of(LARGE_PAGE);
    let end = range.end.addr() / LARGE_PAGE * LARGE_PAGE;
    if start >= end {
        return;
    }
    let first = range.start.with_addr(start).cast();
    // SAFETY: the range lies within memory that is borrowed exclusively, and this advice changes how it is
    // backed, never what it holds.
    let advised = unsafe { rustix::mm::madvise(first, end - start, rustix::mm::Advice::LinuxHugepage) };
    // A system without large pages is slower, not wrong.
    let _ = advised;
}

#[cfg(any(not(target_os = "linux"), miri))]
pub(crate) fn advise_large_pages<T>(_items: &mut [T]) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_threads_write_is_in_the_numbers() {
        // Miri keeps a history of each byte.
        let half = if cfg!(miri) { 1 << 10 } else { 1 << 19 };
        let mut numbers = zeros(3 * half);
        let cells = shared(&mut numbers);
        std::thread::scope(|scope| {
            for cell in [0, half, 3 * half - 1] {
                scope.spawn(move || cells[cell].store(cell as u32 + 1, Ordering::Relaxed));
            }
        });
        prefetch(cells, 5);
        prefetch(cells, usize::MAX);
        let last = 3 * half as u32;
        assert_eq!((numbers[0], numbers[half], numbers[3 * half - 1]), (1, half as u32 + 1, last));
        assert_eq!(numbers.iter().filter(|&&number| number != 0).count(), 3);
    }
}
