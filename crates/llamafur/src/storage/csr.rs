//! Lists of ids stored end to end: the list of row *i* is `values[offsets[i]..offsets[i + 1]]`.

use bytemuck::Pod;

/// A borrowed table of lists, whose offsets are known to ascend and to stay within the values.
#[derive(Debug, Clone, Copy)]
pub struct Csr<'a, T> {
    offsets: &'a [i64],
    values: &'a [T],
}

impl<'a, T: Pod> Csr<'a, T> {
    /// Creates a table over these offsets and values, or `None` where the offsets do not start at zero, ascend and end
    /// at the number of values.
    pub fn new(offsets: &'a [i64], values: &'a [T]) -> Option<Self> {
        let ends_fit = offsets.first() == Some(&0) && offsets.last() == Some(&(values.len() as i64));
        (ends_fit && offsets.is_sorted()).then_some(Csr { offsets, values })
    }

    /// Returns the number of lists.
    pub fn num_rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns the lists with their values taken for another type of the same size, such as ids for plain numbers.
    pub fn cast<U: Pod>(&self) -> Csr<'a, U> {
        const { assert!(size_of::<T>() == size_of::<U>() && align_of::<T>() >= align_of::<U>()) };
        Csr { offsets: self.offsets, values: bytemuck::cast_slice(self.values) }
    }

    /// Returns the number of values of all lists together.
    pub fn num_values(&self) -> usize {
        self.values.len()
    }

    /// Returns the list of a row.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline]
    pub fn row(&self, row: usize) -> &'a [T] {
        &self.values[self.offsets[row] as usize..self.offsets[row + 1] as usize]
    }

    /// Returns all lists in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &'a [T]> + use<'a, T> {
        let table = *self;
        (0..self.num_rows()).map(move |row| table.row(row))
    }

    /// Returns whether every list ascends, without repeats.
    pub(crate) fn has_ascending_rows(&self) -> bool
    where
        T: Ord,
    {
        self.rows().all(|row| row.is_sorted_by(|a, b| a < b))
    }

    /// Returns the start of each list in the values, and the end of the last.
    pub fn offsets(&self) -> &'a [i64] {
        self.offsets
    }

    /// Returns all values, list after list.
    pub fn values(&self) -> &'a [T] {
        self.values
    }
}

/// An owned table of lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsrBuf<T> {
    offsets: Vec<i64>,
    values: Vec<T>,
}

impl<T: Pod> Default for CsrBuf<T> {
    fn default() -> Self {
        CsrBuf { offsets: vec![0], values: Vec::new() }
    }
}

impl<T: Pod> CsrBuf<T> {
    /// Creates a table without rows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a table without rows, with room for this many rows and values.
    pub(crate) fn with_capacity(rows: usize, values: usize) -> Self {
        let mut offsets = Vec::with_capacity(rows + 1);
        offsets.push(0);
        CsrBuf { offsets, values: Vec::with_capacity(values) }
    }

    /// Creates a table of these parts, which must be as [`Csr::new`] wants them.
    pub(crate) fn from_parts(offsets: Vec<i64>, values: Vec<T>) -> Self {
        debug_assert!(Csr::new(&offsets, &values).is_some(), "offsets that fit the values");
        CsrBuf { offsets, values }
    }

    /// Appends a list as the next row.
    pub fn push_row(&mut self, row: impl IntoIterator<Item = T>) {
        self.values.extend(row);
        self.offsets.push(self.values.len() as i64);
    }

    /// Borrows the table.
    pub fn view(&self) -> Csr<'_, T> {
        Csr { offsets: &self.offsets, values: &self.values }
    }
}

impl CsrBuf<u32> {
    /// Returns the table that has row *i* in the list of each value of row *i*; every value must be below `rows`. The
    /// lists ascend.
    ///
    /// # Panics
    /// If a value is not below `rows`.
    pub fn transposed(table: Csr<'_, u32>, rows: usize) -> CsrBuf<u32> {
        let mut ends = vec![0i64; rows + 1];
        for &value in table.values() {
            ends[value as usize + 1] += 1;
        }
        for row in 0..rows {
            ends[row + 1] += ends[row];
        }
        let mut next = ends.clone();
        let mut values = vec![0; table.num_values()];
        for (row, list) in table.rows().enumerate() {
            for &value in list {
                let place = &mut next[value as usize];
                values[*place as usize] = row as u32;
                *place += 1;
            }
        }
        CsrBuf { offsets: ends, values }
    }
}

impl<T: Pod, R: IntoIterator<Item = T>> FromIterator<R> for CsrBuf<T> {
    fn from_iter<I: IntoIterator<Item = R>>(rows: I) -> Self {
        let mut table = CsrBuf::new();
        for row in rows {
            table.push_row(row);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_pushed() {
        let table: CsrBuf<u32> = [vec![3, 1], vec![], vec![2]].into_iter().collect();
        assert_eq!(table.view().rows().collect::<Vec<_>>(), [&[3, 1][..], &[], &[2]]);
        assert_eq!((table.view().num_rows(), table.view().num_values()), (3, 3));
    }

    #[test]
    fn transposing_twice_gives_the_table_back() {
        let table: CsrBuf<u32> = [vec![1, 3], vec![], vec![0, 1], vec![3]].into_iter().collect();
        let turned = CsrBuf::transposed(table.view(), 4);
        assert_eq!(turned.view().rows().collect::<Vec<_>>(), [&[2][..], &[0, 2], &[], &[0, 3]]);
        assert_eq!(CsrBuf::transposed(turned.view(), 4), table);
    }

    #[test]
    fn offsets_that_do_not_fit_are_refused() {
        assert!(Csr::new(&[0, 2, 1, 3], &[1u32, 2, 3]).is_none());
        assert!(Csr::new(&[0, 2], &[1u32, 2, 3]).is_none());
        assert!(Csr::new(&[1, 3], &[1u32, 2, 3]).is_none());
        assert!(Csr::<u32>::new(&[], &[]).is_none());
        assert!(Csr::<u32>::new(&[0], &[]).is_some());
    }
}
