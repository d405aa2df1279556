//! Hints to x86-64 processors, and products of integers by the instruction that adds them in pairs.

use std::arch::x86_64::{
    _MM_HINT_T0, _mm_add_epi32, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_madd_epi16, _mm_prefetch,
    _mm_setzero_si128, _mm_shuffle_epi32,
};

#[inline(always)]
pub(super) fn prefetch<T>(item: *const T) {
    // SAFETY: a prefetch never faults, whatever the address, and every x86-64 processor has it.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(item.cast()) };
}

/// The sum of the products of all pairs of numbers.
#[inline(always)]
pub(super) fn dot_of_integers<'a>(pairs: impl Iterator<Item = (&'a [i16; 32], &'a [i16; 32])>) -> i32 {
    // SAFETY: every x86-64 processor has SSE2, and each load reads eight of the 32 numbers, wherever they lie.
    unsafe {
        let mut sums = [_mm_setzero_si128(); 2];
        for (one, two) in pairs {
            let (one, two) = (one.as_chunks::<8>().0, two.as_chunks::<8>().0);
            for at in 0..4 {
                let (x, y) =
                    (_mm_loadu_si128(one[at].as_ptr().cast()), _mm_loadu_si128(two[at].as_ptr().cast()));
                sums[at % 2] = _mm_add_epi32(sums[at % 2], _mm_madd_epi16(x, y));
            }
        }
        let four = _mm_add_epi32(sums[0], sums[1]);
        let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b11_10>(four));
        _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<0b01>(two)))
    }
}
