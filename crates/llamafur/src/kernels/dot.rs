//! ⟨a, b⟩. In what order products are added decides the last bits of a sum, so each order has a name here.

use std::ops::{AddAssign, Mul};

/// In eight sums of the type `S`, as wide registers have them, which are then added in pairs.
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

/// In four sums, which are then added one after the other, with those that are left over last.
#[inline]
pub(crate) fn dot_in_fours(one: &[f32], two: &[f32]) -> f64 {
    let (ones, twos) = (one.chunks_exact(4), two.chunks_exact(4));
    let rest: f32 = ones.remainder().iter().zip(twos.remainder()).map(|(a, b)| a * b).sum();
    let mut lanes = [0f32; 4];
    for (a, b) in ones.zip(twos) {
        for lane in 0..4 {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    f64::from(lanes.iter().sum::<f32>() + rest)
}
