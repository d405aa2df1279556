//! ⟨a, b⟩. In what order products of floats are added decides the last bits of a sum, so the order is in the name.

use super::machine;
use std::ops::{AddAssign, Mul};

/// Adds products in eight sums of the type `S`, as wide registers have them, then adds these in pairs.
#[inline(always)]
pub(crate) fn dot_in_eights<'a, S>(eights: impl Iterator<Item = [&'a [f32; 8]; 2]>, rest: [&[f32]; 2]) -> S
where
    S: From<f32> + Default + Copy + AddAssign + Mul<Output = S>,
{
    let mut sums = [S::default(); 8];
    for [a, b] in eights {
        for (sum, (&x, &y)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += S::from(x) * S::from(y);
        }
    }
    for (sum, (&x, &y)) in sums.iter_mut().zip(rest[0].iter().zip(rest[1])) {
        *sum += S::from(x) * S::from(y);
    }
    for half in [4, 2, 1] {
        for at in 0..half {
            let other = sums[at + half];
            sums[at] += other;
        }
    }
    sums[0]
}

/// Returns the product of vectors of integers, exact in any order. The sum, and that of any part of the products, must
/// be below 2³¹: so it is if the product of the vectors' lengths is.
#[inline(always)]
pub(crate) fn dot_of_integers(one: &[i16], two: &[i16]) -> i32 {
    let ((ones, one), (twos, two)) = (one.as_chunks::<32>(), two.as_chunks::<32>());
    let in_32s = machine::dot_of_integers(ones.iter().zip(twos));
    in_32s + one.iter().zip(two).map(|(&x, &y)| i32::from(x) * i32::from(y)).sum::<i32>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn integers_are_multiplied_as_one_by_one(
            pairs in proptest::collection::vec((-300i16..300, any::<i16>()), 0..200)
        ) {
            let (one, two): (Vec<i16>, Vec<i16>) = pairs.iter().copied().unzip();
            let plain: i64 = pairs.iter().map(|(x, y)| i64::from(*x) * i64::from(*y)).sum();
            prop_assert_eq!(i64::from(dot_of_integers(&one, &two)), plain);
        }
    }
}
