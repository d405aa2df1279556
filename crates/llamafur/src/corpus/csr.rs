//! Lists of ids stored end to end: the list of row *i* is `values[offsets[i]..offsets[i + 1]]`.

use bytemuck::Pod;

/// A borrowed table of lists, whose offsets are known to ascend and to stay within the values.
#[derive(Debug, Clone, Copy)]
pub struct Csr<'a, T> {
    offsets: &'a [i64],
    values: &'a [T],
}

impl<'a, T: Pod> Csr<'a, T> {
    /// A table over these offsets and values, or `None` where the offsets do not start at zero, ascend and end
    /// at the number of values.
    pub fn new(offsets: &'a [i64], values: &'a [T]) -> Option<Self> {
        let ends_fit = offsets.first() == Some(&0) && offsets.last() == Some(&(values.len() as i64));
        (ends_fit && offsets.is_sorted()).then_some(Csr { offsets, values })
    }

    /// How many lists there are.
    pub fn num_rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// How many values all lists have together.
    pub fn num_values(&self) -> usize {
        self.values.len()
    }

    /// The list of a row.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline]
    pub fn row(&self, row: usize) -> &'a [T] {
        &self.values[self.offsets[row] as usize..self.offsets[row + 1] as usize]
    }

    /// All lists in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &'a [T]> + use<'a, T> {
        let table = *self;
        (0..self.num_rows()).map(move |row| table.row(row))
    }

    /// All values, list after list.
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
    /// A table without rows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a list as the next row.
    pub fn push_row(&mut self, row: impl IntoIterator<Item = T>) {
        self.values.extend(row);
        self.offsets.push(self.values.len() as i64);
    }

    /// The table, borrowed.
    pub fn view(&self) -> Csr<'_, T> {
        Csr { offsets: &self.offsets, values: &self.values }
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
    fn offsets_that_do_not_fit_are_refused() {
        assert!(Csr::new(&[0, 2, 1, 3], &[1u32, 2, 3]).is_none());
        assert!(Csr::new(&[0, 2], &[1u32, 2, 3]).is_none());
        assert!(Csr::new(&[1, 3], &[1u32, 2, 3]).is_none());
        assert!(Csr::<u32>::new(&[], &[]).is_none());
        assert!(Csr::<u32>::new(&[0], &[]).is_some());
    }
}
