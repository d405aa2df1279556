//! Vectors in groups of eight, for the products of one vector with all of them.

/// Vectors in groups of eight: of each group all first numbers, then all second ones, and so on.
pub(crate) struct Eights {
    rank: usize,
    numbers: Vec<f32>,
}

impl Eights {
    /// These vectors, of so many numbers each; the last group is filled up with zeroes.
    pub(crate) fn new(rank: usize, rows: &[&[f32]]) -> Eights {
        let mut numbers = vec![0f32; rows.len().div_ceil(8) * 8 * rank];
        for (at, row) in rows.iter().enumerate() {
            let group = &mut numbers[at / 8 * 8 * rank..][..8 * rank];
            row.iter().zip(group.chunks_exact_mut(8)).for_each(|(x, same)| same[at % 8] = *x);
        }
        Eights { rank, numbers }
    }

    /// The products of a vector with each of a group: those of [`dot_in_fours`](crate::kernels::dot_in_fours) to the bit, whose four lanes are kept for
    /// all eight side by side.
    // By itself it stays in registers, which it does not within a loop of others.
    #[inline(never)]
    pub(crate) fn dots(&self, row: &[f32], group: usize) -> [f32; 8] {
        let group = self.numbers[group * 8 * self.rank..][..8 * self.rank].as_chunks::<8>().0;
        let (fours, rest) = row.as_chunks::<4>();
        let (others, rest_of_others) = group.as_chunks::<4>();
        // Four variables, since an array of them would not stay in registers.
        let [mut a, mut b, mut c, mut d] = [[0f32; 8]; 4];
        for (x, others) in fours.iter().zip(others) {
            a = plus(a, x[0], &others[0]);
            b = plus(b, x[1], &others[1]);
            c = plus(c, x[2], &others[2]);
            d = plus(d, x[3], &others[3]);
        }
        // The sum of nothing is −0.
        let rest = rest.iter().zip(rest_of_others).fold([-0.0; 8], |sum, (x, others)| plus(sum, *x, others));
        std::array::from_fn(|at| a[at] + b[at] + c[at] + d[at] + rest[at])
    }
}

/// sum + factor·others.
#[inline(always)]
fn plus(sum: [f32; 8], factor: f32, others: &[f32; 8]) -> [f32; 8] {
    std::array::from_fn(|at| sum[at] + factor * others[at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::dot_in_fours;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_same_bits_as_one_by_one(rank in 0usize..70, num in 0usize..20, seed in any::<u32>()) {
            let number = |at: usize| ((at as u32 + 1).wrapping_mul(seed | 1) >> 8) as f32 / 1e6 - 8.0;
            let row = |row: usize| (0..rank).map(|at| number(70 * row + at)).collect::<Vec<f32>>();
            let (one, rows) = (row(0), (1..=num).map(row).collect::<Vec<_>>());
            let rows: Vec<&[f32]> = rows.iter().map(|row| &row[..]).collect();
            let eights = Eights::new(rank, &rows);
            for (group, rows) in rows.chunks(8).enumerate() {
                let found = eights.dots(&one, group);
                for (found, row) in found.iter().zip(rows) {
                    prop_assert_eq!(f64::from(*found).to_bits(), dot_in_fours(&one, row).to_bits());
                }
            }
        }
    }
}
