//! Hints to x86-64 processors, and products of integers by the instruction that adds them in pairs.

use super::eights::GROUPS;
use std::arch::x86_64::{
    _MM_HINT_T0, _mm_add_epi32, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_madd_epi16, _mm_prefetch,
    _mm_set1_epi32, _mm_setzero_si128, _mm_shuffle_epi32, _mm_storeu_si128, _mm256_add_epi32,
    _mm256_loadu_si256, _mm256_madd_epi16, _mm256_set1_epi32, _mm256_setzero_si256, _mm256_storeu_si256,
};

#[inline(always)]
pub(super) fn prefetch<T>(item: *const T) {
    // SAFETY: a prefetch never faults, whatever the address, and every x86-64 processor has it.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(item.cast()) };
}

/// Returns the sum of the products of all pairs of numbers.
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

/// Returns the products of a vector with the eight vectors of each group, whose pairs of numbers lie side by side.
#[inline(always)]
pub(super) fn products_of_eights(pairs: &[[i16; 2]], groups: [&[[i16; 16]]; GROUPS]) -> [[i32; 8]; GROUPS] {
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, as it was just asked.
        return unsafe { products_by_avx2(pairs, groups) };
    }
    let mut products = [[0; 8]; GROUPS];
    for (products, group) in products.iter_mut().zip(groups) {
        // SAFETY: every x86-64 processor has SSE2; each load reads eight of sixteen numbers, and each store writes four of eight,
        // wherever they lie.
        unsafe {
            let mut sums = [_mm_setzero_si128(); 2];
            for (pair, eight) in pairs.iter().zip(group) {
                let x = _mm_set1_epi32(bytemuck::cast(*pair));
                for (sum, four) in sums.iter_mut().zip(eight.as_chunks::<8>().0) {
                    *sum = _mm_add_epi32(*sum, _mm_madd_epi16(x, _mm_loadu_si128(four.as_ptr().cast())));
                }
            }
            for (sum, four) in sums.into_iter().zip(products.as_chunks_mut::<4>().0) {
                _mm_storeu_si128(four.as_mut_ptr().cast(), sum);
            }
        }
    }
    products
}

#[target_feature(enable = "avx2")]
fn products_by_avx2(pairs: &[[i16; 2]], groups: [&[[i16; 16]]; GROUPS]) -> [[i32; 8]; GROUPS] {
    let [mut one, mut two, mut three, mut four] = [_mm256_setzero_si256(); GROUPS];
    let of_groups = groups[0].iter().zip(groups[1]).zip(groups[2].iter().zip(groups[3]));
    for (pair, ((of_one, of_two), (of_three, of_four))) in pairs.iter().zip(of_groups) {
        let x = _mm256_set1_epi32(bytemuck::cast(*pair));
        // SAFETY: the load reads sixteen numbers, wherever they lie.
        let times = |y: &[i16; 16]| _mm256_madd_epi16(x, unsafe { _mm256_loadu_si256(y.as_ptr().cast()) });
        one = _mm256_add_epi32(one, times(of_one));
        two = _mm256_add_epi32(two, times(of_two));
        three = _mm256_add_epi32(three, times(of_three));
        four = _mm256_add_epi32(four, times(of_four));
    }
    let mut products = [[0; 8]; GROUPS];
    for (sum, eight) in [one, two, three, four].into_iter().zip(&mut products) {
        // SAFETY: the store writes eight numbers, wherever they lie.
        unsafe { _mm256_storeu_si256(eight.as_mut_ptr().cast(), sum) };
    }
    products
}
