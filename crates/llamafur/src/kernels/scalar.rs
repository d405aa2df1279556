//! Products in plain code, and no hints, which the processor does without.

use super::eights::GROUPS;

#[inline(always)]
pub(super) fn prefetch<T>(_item: *const T) {}

/// Returns the sum of the products of all pairs of numbers.
#[inline(always)]
pub(super) fn dot_of_integers<'a>(pairs: impl Iterator<Item = (&'a [i16; 32], &'a [i16; 32])>) -> i32 {
    let each = pairs.flat_map(|(one, two)| one.iter().zip(two));
    each.map(|(&x, &y)| i32::from(x) * i32::from(y)).sum()
}

/// Returns the products of a vector with the eight vectors of each group, whose pairs of numbers lie side by side.
#[inline(always)]
pub(super) fn products_of_eights(pairs: &[[i16; 2]], groups: [&[[i16; 16]]; GROUPS]) -> [[i32; 8]; GROUPS] {
    groups.map(|group| {
        let mut sums = [0; 8];
        for (&[x, y], of_eight) in pairs.iter().zip(group) {
            for (sum, [of_x, of_y]) in sums.iter_mut().zip(of_eight.as_chunks::<2>().0) {
                *sum += i32::from(x) * i32::from(*of_x) + i32::from(y) * i32::from(*of_y);
            }
        }
        sums
    })
}
