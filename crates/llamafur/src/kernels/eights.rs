//! Vectors of integers, eight of which are multiplied with another one at a time.
//!
//! A product by itself ends with adding up what is in a register. Here the numbers of eight vectors lie side by side, two of each,
//! so that each lane of a register is the sum of one product.

use super::machine;

/// The number of groups multiplied at a time.
pub(super) const GROUPS: usize = 4;

/// Vectors of one length, in groups of eight.
#[derive(Debug)]
pub(crate) struct Eights {
    /// Numbers of a vector, in pairs.
    num_pairs: usize,
    /// The pairs of each group, as many as a vector has: a pair of each of the eight vectors.
    pairs: Vec<[i16; 16]>,
}

impl Eights {
    /// Creates the groups of these vectors, with zeros in place of those that would fill the last groups.
    pub(crate) fn new(vectors: &[&[i16]]) -> Eights {
        let num_pairs = vectors.first().map_or(0, |vector| vector.len()).div_ceil(2);
        let num_groups = vectors.len().div_ceil(8).next_multiple_of(GROUPS);
        let mut pairs = vec![[0; 16]; num_groups * num_pairs];
        for (number, vector) in vectors.iter().enumerate() {
            let group = &mut pairs[number / 8 * num_pairs..][..num_pairs];
            for (of_group, numbers) in group.iter_mut().zip(vector.chunks(2)) {
                of_group[number % 8 * 2..][..numbers.len()].copy_from_slice(numbers);
            }
        }
        Eights { num_pairs, pairs }
    }

    /// Hands over the products of vectors with the eight of each group, as exact as those of
    /// [`dot_of_integers`](super::dot_of_integers), with the place of the vector and the number of the first of the eight. Each part of
    /// the groups is multiplied with all of these vectors while it is in the cache.
    #[inline(always)]
    pub(crate) fn multiply(&self, vectors: &[&[i16]], mut each: impl FnMut(usize, usize, &[i32; 8])) {
        let num_pairs = self.num_pairs.max(1);
        for (number, groups) in self.pairs.chunks_exact(GROUPS * num_pairs).enumerate() {
            let group = |at: usize| &groups[at * num_pairs..][..num_pairs];
            let groups = [group(0), group(1), group(2), group(3)];
            for (place, vector) in vectors.iter().enumerate() {
                let (pairs, last) = vector.as_chunks::<2>();
                let mut products = machine::products_of_eights(pairs, groups);
                if let [x] = last {
                    for (products, group) in products.iter_mut().zip(groups) {
                        let of_eight = group[pairs.len()].iter().step_by(2);
                        let each = products.iter_mut().zip(of_eight);
                        each.for_each(|(sum, y)| *sum += i32::from(*x) * i32::from(*y));
                    }
                }
                for (at, products) in products.iter().enumerate() {
                    each(place, 8 * (GROUPS * number + at), products);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::dot_of_integers;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn products_of_eights_are_those_of_each(
            vectors in (1usize..70).prop_flat_map(|len| {
                proptest::collection::vec(proptest::collection::vec(-3000i16..3000, len..=len), 1..40)
            })
        ) {
            let rows: Vec<&[i16]> = vectors.iter().map(Vec::as_slice).collect();
            let eights = Eights::new(&rows);
            let mut found: Vec<Vec<i32>> = vec![Vec::new(); rows.len()];
            eights.multiply(&rows, |place, first, products| {
                assert_eq!(first, found[place].len());
                found[place].extend(products);
            });
            for (one, found) in rows.iter().zip(found) {
                let expected: Vec<i32> = rows.iter().map(|other| dot_of_integers(one, other)).collect();
                prop_assert_eq!(&found[..rows.len()], &expected);
                prop_assert!(found[rows.len()..].iter().all(|product| *product == 0));
            }
        }
    }

    #[test]
    fn no_vectors_have_no_products() {
        Eights::new(&[]).multiply(&[&[1]], |_, _, _| unreachable!("there is no group"));
    }
}
