//! Where the learner keeps what it reads at random: columns by frequency, and a page's columns in one place.
//!
//! The cells of frequent categories are touched most. With the columns numbered by decreasing frequency these
//! stand side by side, and a cache line brings several that will be used. The order of a page's categories
//! stays that of the corpus, and with it the order of every sum.

use crate::corpus::{CategoryId, Graph, PageId};
use crate::learn::records::Records;
use rayon::prelude::*;
use std::cmp::Reverse;

/// The columns of categories and of pages.
#[derive(Debug)]
pub(super) struct Layout {
    /// The column of each category.
    columns: Vec<u32>,
    /// The category of each column.
    categories: Vec<CategoryId>,
    records: Records,
}

impl Layout {
    pub(super) fn new(graph: &Graph<'_>) -> Layout {
        let mut num_pages = vec![0u32; graph.num_categories];
        graph.categories.values().iter().for_each(|category| num_pages[category.index()] += 1);
        let mut categories: Vec<CategoryId> = (0..graph.num_categories as u32).map(CategoryId).collect();
        categories.sort_by_key(|category| Reverse(num_pages[category.index()]));
        let mut columns = vec![0; graph.num_categories];
        (0..).zip(&categories).for_each(|(column, category)| columns[category.index()] = column);
        let records = Records::new(graph, |category| columns[category.index()]);
        Layout { columns, categories, records }
    }

    /// Bytes that the layout of a graph takes.
    pub(super) fn num_bytes(graph: &Graph<'_>) -> u64 {
        Records::num_bytes(graph) + (2 * graph.num_categories * size_of::<u32>()) as u64
    }

    /// The columns of a page's categories, in the order of the categories.
    #[inline]
    pub(super) fn columns(&self, page: PageId) -> &[u32] {
        self.records.of(page)
    }

    /// Asks for the columns of a page ahead of time.
    #[inline]
    pub(super) fn prefetch(&self, page: PageId) {
        self.records.prefetch(page);
    }

    /// The column of a category.
    pub(super) fn column(&self, category: CategoryId) -> u32 {
        self.columns[category.index()]
    }

    /// The categories, column after column.
    pub(super) fn categories(&self) -> &[CategoryId] {
        &self.categories
    }

    /// The category of a column.
    #[inline]
    pub(super) fn category(&self, column: u32) -> CategoryId {
        self.categories[column as usize]
    }

    /// Turns cells of one number each into weights in the order of the categories, where they are.
    pub(super) fn finish(
        &self,
        cells: &mut [u32],
        weight: impl Fn(CategoryId, CategoryId, u32) -> f32 + Sync,
    ) {
        let num = self.columns.len();
        let rows = cells.par_chunks_mut(num).zip(0u32..num as u32);
        rows.for_each_init(Vec::new, |copy, (row, source)| {
            copy.clear();
            copy.extend_from_slice(row);
            for ((to, &column), target) in row.iter_mut().zip(&self.columns).zip(0..) {
                *to = weight(CategoryId(source), CategoryId(target), copy[column as usize]).to_bits();
            }
        });
    }

    /// Turns cells of two numbers each into weights in the order of the categories, in the first half of the
    /// memory of the cells.
    pub(super) fn finish_pairs(&self, cells: &mut Vec<u32>, weight: impl Fn(u32, u32) -> f32 + Sync) {
        let num = self.columns.len();
        let turn = |to: &mut [u32], from: &[u32]| {
            for (to, &column) in to.iter_mut().zip(&self.columns) {
                let at = 2 * column as usize;
                *to = weight(from[at], from[at + 1]).to_bits();
            }
        };
        let first = cells[..2 * num].to_vec();
        turn(&mut cells[..num], &first);
        // The weights of rows k to 2k go where the cells of rows k/2 to k were, which have gone before.
        let mut done = 1;
        while done < num {
            let next = (2 * done).min(num);
            let (to, from) = cells[done * num..2 * next * num].split_at_mut(done * num);
            to.par_chunks_mut(num).zip(from.par_chunks(2 * num)).for_each(|(to, from)| turn(to, from));
            done = next;
        }
        cells.truncate(num * num);
        cells.shrink_to_fit();
    }
}
