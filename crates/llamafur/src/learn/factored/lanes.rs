//! Arithmetic on rows of eight numbers at a time, written so that the compiler may use wide registers: every sum
//! has a fixed order, so the result has the same bits with narrow ones.

use crate::kernels::dot_in_eights;
use bytemuck::{Pod, Zeroable};

/// Eight numbers of a row.
#[derive(Debug, Clone, Copy, PartialEq, Default, Pod, Zeroable)]
#[repr(C, align(32))]
pub(super) struct Lanes(pub(super) [f32; 8]);

/// Returns the number of lanes in a row of `rank` numbers; the unused places of the last stay zero.
pub(super) fn lanes_for(rank: usize) -> usize {
    rank.div_ceil(8)
}

impl Lanes {
    /// Returns `self` with each number made new from it and its partner.
    #[inline(always)]
    fn with(self, other: Lanes, new: impl Fn(f32, f32) -> f32) -> Lanes {
        let mut made = [0.0; 8];
        for (made, (a, b)) in made.iter_mut().zip(self.0.into_iter().zip(other.0)) {
            *made = new(a, b);
        }
        Lanes(made)
    }
}

/// The length of rows: known at compile time, so that a sum of rows can stay in registers, or not.
pub(super) trait Width {
    /// A row being made.
    type Sum: AsRef<[Lanes]> + AsMut<[Lanes]>;
    fn zeros(lanes: usize) -> Self::Sum;
    /// Returns the row of that number among all rows, end to end.
    fn row(rows: &[Lanes], lanes: usize, number: usize) -> &[Lanes];
    fn row_mut(rows: &mut [Lanes], lanes: usize, number: usize) -> &mut [Lanes];
}

/// Rows of N lanes.
pub(super) struct Fixed<const N: usize>;

impl<const N: usize> Width for Fixed<N> {
    type Sum = [Lanes; N];

    #[inline(always)]
    fn zeros(_: usize) -> [Lanes; N] {
        [Lanes::zeroed(); N]
    }

    #[inline(always)]
    fn row(rows: &[Lanes], _: usize, number: usize) -> &[Lanes] {
        &rows.as_chunks::<N>().0[number]
    }

    #[inline(always)]
    fn row_mut(rows: &mut [Lanes], _: usize, number: usize) -> &mut [Lanes] {
        &mut rows.as_chunks_mut::<N>().0[number]
    }
}

/// Rows of any length.
pub(super) struct Any;

impl Width for Any {
    type Sum = Vec<Lanes>;

    #[inline(always)]
    fn zeros(lanes: usize) -> Vec<Lanes> {
        vec![Lanes::zeroed(); lanes]
    }

    #[inline(always)]
    fn row(rows: &[Lanes], lanes: usize, number: usize) -> &[Lanes] {
        &rows[number * lanes..][..lanes]
    }

    #[inline(always)]
    fn row_mut(rows: &mut [Lanes], lanes: usize, number: usize) -> &mut [Lanes] {
        &mut rows[number * lanes..][..lanes]
    }
}

/// Computes sum += row.
#[inline(always)]
pub(super) fn add(sum: &mut [Lanes], row: &[Lanes]) {
    for (sum, row) in sum.iter_mut().zip(row) {
        *sum = sum.with(*row, |sum, x| sum + x);
    }
}

/// Computes sum += factor·row.
#[inline(always)]
pub(super) fn add_times(sum: &mut [Lanes], factor: f32, row: &[Lanes]) {
    for (sum, row) in sum.iter_mut().zip(row) {
        *sum = sum.with(*row, |sum, x| sum + factor * x);
    }
}

/// Computes row = kept·row − factor·direction.
#[inline(always)]
pub(super) fn shrink_and_move(row: &mut [Lanes], kept: f32, factor: f32, direction: &[Lanes]) {
    for (row, direction) in row.iter_mut().zip(direction) {
        *row = row.with(*direction, |x, towards| kept * x - factor * towards);
    }
}

/// Returns ⟨a, b⟩.
#[inline(always)]
pub(super) fn dot(a: &[Lanes], b: &[Lanes]) -> f32 {
    dot_in_eights(a.iter().zip(b).map(|(a, b)| [&a.0, &b.0]), [&[], &[]])
}

/// Returns eˣ to about seven digits, bit for bit on every machine: x = k·ln 2 + r with |r| ≤ ln 2 / 2, and a polynomial
/// for eʳ.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    // Beyond these the result is no longer a normal number.
    let x = x.clamp(-87.0, 88.0);
    // Adding 1.5·2²³ rounds to a whole number, which is then in the low bits.
    const ROUND: f32 = 12_582_912.0;
    let rounded = x * std::f32::consts::LOG2_E + ROUND;
    let k = rounded - ROUND;
    // ln 2 in two parts, the first of which times k is exact.
    let r = (x - k * 0.693_359_4) - k * -2.121_944_4e-4;
    let series = 1.0
        + r * (1.0 + r * (0.5 + r * (0.166_666_66 + r * (0.041_666_6 + r * (0.008_333_6 + r * 0.001_39)))));
    let exponent = rounded.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(127);
    series * f32::from_bits(exponent << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row_of(numbers: &[f32]) -> Vec<Lanes> {
        let mut row = vec![Lanes::zeroed(); lanes_for(numbers.len())];
        row.iter_mut().flat_map(|lanes| &mut lanes.0).zip(numbers).for_each(|(to, x)| *to = *x);
        row
    }

    #[test]
    fn the_product_of_rows_does_not_depend_on_their_length_being_whole_lanes() {
        for rank in 0..20u8 {
            let a: Vec<f32> = (0..rank).map(|i| f32::from(i) - 4.0).collect();
            let b: Vec<f32> = (0..rank).map(|i| 0.5 * f32::from(i)).collect();
            let expected: f32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            assert_eq!(dot(&row_of(&a), &row_of(&b)), expected);
        }
    }

    #[test]
    fn rows_of_a_known_and_of_any_length_are_the_same() {
        let rows: Vec<Lanes> = (0..12u8).map(|i| Lanes([f32::from(i); 8])).collect();
        for number in 0..4 {
            assert_eq!(Fixed::<3>::row(&rows, 3, number), Any::row(&rows, 3, number));
        }
        assert_eq!(Any::row(&rows, 3, 1)[0], rows[3]);
    }

    #[test]
    fn powers_of_e_are_those_of_the_standard_library_to_six_digits() {
        for step in -870..=880i16 {
            let x = f32::from(step) / 10.0;
            let expected = f64::from(x).exp();
            let off = (f64::from(exp(x)) - expected).abs() / expected;
            assert!(off < 1e-6, "e^{x}: {} instead of {expected}", exp(x));
        }
        assert_eq!(exp(0.0), 1.0);
        assert!(exp(-1000.0) > 0.0 && exp(1000.0).is_finite());
    }
}
