//! Turns a table of lists round: of each value the rows whose lists have it, a part of the values at a time.
//!
//! A part is as many values as fit into memory. Each thread goes over all lists for its share of the part: lists ascend, so
//! that of each they are one stretch. In what order threads run makes no difference.

use crate::Error;
use crate::storage::CsrBuf;
use rayon::prelude::*;
use std::ops::Range;

/// A table of ascending lists.
pub(crate) struct AscendingLists<'a> {
    /// The number of lists.
    pub(crate) num_rows: usize,
    /// The bound of all values: each is below.
    pub(crate) num_values: usize,
    /// The list of a row.
    pub(crate) row: &'a (dyn Fn(usize) -> Result<&'a [u32], Error> + Sync),
    /// Numbers that may be held in memory at a time.
    pub(crate) most: usize,
}

impl AscendingLists<'_> {
    /// Calls `each` with consecutive ranges of the values, and for each value the rows whose lists have it, ascending.
    pub(crate) fn inverted(
        &self,
        mut each: impl FnMut(Range<usize>, CsrBuf<u32>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let counts = self.counts()?;
        let mut first = 0;
        while first < self.num_values {
            let mut offsets = vec![0i64];
            let mut end = 0;
            for &count in &counts[first..] {
                if end > 0 && end + count as usize > self.most {
                    break;
                }
                end += count as usize;
                offsets.push(end as i64);
            }
            let values = first..first + offsets.len() - 1;
            first = values.end;
            let rows = self.part(&values, &offsets)?;
            each(values, CsrBuf::from_parts(offsets, rows))?;
        }
        Ok(())
    }

    /// Counts the lists that have each value.
    fn counts(&self) -> Result<Vec<u32>, Error> {
        let mut counts = vec![0u32; self.num_values];
        let at_a_time = self.num_values.div_ceil(rayon::current_num_threads()).max(1);
        counts.par_chunks_mut(at_a_time).enumerate().try_for_each(|(part, counts)| {
            let first = part * at_a_time;
            let values = first..first + counts.len();
            self.each_in(&values, |_, value| counts[value - first] += 1)
        })?;
        Ok(counts)
    }

    /// Returns the rows that have these values, one value after the other; where each begins is known.
    fn part(&self, values: &Range<usize>, offsets: &[i64]) -> Result<Vec<u32>, Error> {
        let mut rows = vec![0u32; offsets.last().map_or(0, |end| *end as usize)];
        let mut rest = &mut rows[..];
        let mut shares = Vec::new();
        for share in shares_of(offsets, rayon::current_num_threads()) {
            let (room, after) = rest.split_at_mut((offsets[share.end] - offsets[share.start]) as usize);
            shares.push((share, room));
            rest = after;
        }
        shares.into_par_iter().try_for_each(|(share, room)| {
            let start = offsets[share.start];
            let mut next: Vec<usize> =
                offsets[share.clone()].iter().map(|at| (at - start) as usize).collect();
            let first = values.start + share.start;
            self.each_in(&(first..values.start + share.end), |row, value| {
                let place = &mut next[value - first];
                room[*place] = row as u32;
                *place += 1;
            })
        })?;
        Ok(rows)
    }

    /// Calls `each` with every row and value of a range.
    fn each_in(&self, values: &Range<usize>, mut each: impl FnMut(usize, usize)) -> Result<(), Error> {
        for row in 0..self.num_rows {
            let list = (self.row)(row)?;
            let list = &list[list.partition_point(|&value| (value as usize) < values.start)..];
            list.iter().map(|&value| value as usize).take_while(|&value| value < values.end).for_each(
                |value| {
                    each(row, value);
                },
            );
        }
        Ok(())
    }
}

/// Returns ranges of lists that are about as long together.
fn shares_of(offsets: &[i64], num: usize) -> impl Iterator<Item = Range<usize>> {
    let num_lists = offsets.len() - 1;
    let cut = move |part: usize| match part {
        last if last == num => num_lists,
        part => {
            let before = (offsets[num_lists] as u128 * part as u128 / num as u128) as i64;
            offsets[..num_lists].partition_point(|&start| start < before)
        }
    };
    (0..num).map(move |part| cut(part)..cut(part + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn every_value_has_the_rows_that_have_it_whatever_the_threads_and_the_memory(
            pairs in proptest::collection::btree_set((0u32..30, 0u32..40), 0..300),
            threads in 1usize..5,
            most in 0usize..200,
        ) {
            let lists: Vec<Vec<u32>> =
                (0..30).map(|row| pairs.range((row, 0)..(row + 1, 0)).map(|pair| pair.1).collect()).collect();
            let row = |row: usize| Ok(&lists[row][..]);
            let table = AscendingLists { num_rows: 30, num_values: 40, row: &row, most };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut found = BTreeSet::new();
            let mut next = 0;
            pool.install(|| table.inverted(|values, rows| {
                assert_eq!((values.start, values.len()), (next, rows.view().num_rows()));
                next = values.end;
                for (value, rows) in values.zip(rows.view().rows()) {
                    assert!(rows.is_sorted());
                    found.extend(rows.iter().map(|&row| (row, value as u32)));
                }
                Ok(())
            })).unwrap();
            prop_assert_eq!(next, 40);
            prop_assert_eq!(found, pairs);
        }
    }
}
