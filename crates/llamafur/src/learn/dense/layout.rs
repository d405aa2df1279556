//! Memory layout of what the learner reads at random: columns used together are neighbours, and a page's columns are in
//! one place.
//!
//! An example touches the cells of its target's categories, in each row of its source's. Where these are in the
//! same cache line, they are fetched at once: so the columns are numbered line by line, each made of a category and
//! those that most often go with it on a page, the most frequent categories first. The order of a page's categories
//! stays that of the corpus, and with it the order of every sum.

use crate::graph::{Graph, MilestoneId, PageId};
use crate::learn::records::Records;
use crate::matrix::round_row;
use crate::storage::CsrBuf;
use rayon::prelude::*;
use std::cmp::Reverse;

/// Columns in a line.
const LINE: usize = 16;
/// The number of the most frequent categories that are ordered by frequency alone: nearly every page has links to some
/// of them, whatever they occur with.
const FREQUENT: usize = 128;
/// The most pages of a category that are read to find what it occurs with.
const SAMPLE: usize = 256;

/// The columns of categories and of pages.
#[derive(Debug)]
pub(super) struct Layout {
    /// The column of each category.
    columns: Vec<u32>,
    /// The category of each column.
    categories: Vec<MilestoneId>,
    records: Records,
}

impl Layout {
    pub(super) fn new(graph: &Graph<'_>) -> Layout {
        let categories = in_lines(graph);
        let mut columns = vec![0; graph.num_categories];
        (0..).zip(&categories).for_each(|(column, category)| columns[category.index()] = column);
        let records = Records::new(graph, |category| columns[category.index()]);
        Layout { columns, categories, records }
    }

    /// Returns the bytes that the layout of a graph takes.
    pub(super) fn num_bytes(graph: &Graph<'_>) -> u64 {
        Records::num_bytes(graph) + (2 * graph.num_categories * size_of::<u32>()) as u64
    }

    /// Returns the columns of a page's categories, in the order of the categories.
    #[inline]
    pub(super) fn columns(&self, page: PageId) -> &[u32] {
        self.records.of(page)
    }

    /// Prefetches the columns of a page.
    #[inline]
    pub(super) fn prefetch(&self, page: PageId) {
        self.records.prefetch(page);
    }

    pub(super) fn column(&self, category: MilestoneId) -> u32 {
        self.columns[category.index()]
    }

    /// Returns the categories, column after column.
    pub(super) fn categories(&self) -> &[MilestoneId] {
        &self.categories
    }

    #[inline]
    pub(super) fn category(&self, column: u32) -> MilestoneId {
        self.categories[column as usize]
    }

    /// Turns cells of one or two numbers each into rounded weights in the order of the categories, in the memory of the
    /// cells, or its first half.
    pub(super) fn finish<const WIDTH: usize>(
        &self,
        cells: &mut Vec<u32>,
        weight: impl Fn(MilestoneId, MilestoneId, [u32; WIDTH]) -> f32 + Sync,
    ) {
        const { assert!(WIDTH == 1 || WIDTH == 2) };
        let num = self.columns.len();
        let turn = |source: usize, to: &mut [u32], from: &[u32]| {
            let from = from.as_chunks::<WIDTH>().0;
            for ((to, &column), target) in to.iter_mut().zip(&self.columns).zip(0..) {
                let source = MilestoneId(source as u32);
                *to = weight(source, MilestoneId(target), from[column as usize]).to_bits();
            }
            // Now, while the row is in the cache.
            round_row(bytemuck::cast_slice_mut(to));
        };
        if WIDTH == 1 {
            cells.par_chunks_mut(num).enumerate().for_each_init(Vec::new, |copy, (source, row)| {
                copy.clear();
                copy.extend_from_slice(row);
                turn(source, row, copy);
            });
            return;
        }
        let first = cells[..2 * num].to_vec();
        turn(0, &mut cells[..num], &first);
        // The weights of rows k to 2k go where the cells of rows k/2 to k were, which have gone before.
        let mut done = 1;
        while done < num {
            let next = (2 * done).min(num);
            let (to, from) = cells[done * num..2 * next * num].split_at_mut(done * num);
            let rows = to.par_chunks_mut(num).zip(from.par_chunks(2 * num)).enumerate();
            rows.for_each(|(row, (to, from))| turn(done + row, to, from));
            done = next;
        }
        cells.truncate(num * num);
        cells.shrink_to_fit();
    }
}

/// Returns all categories in the order of their columns.
fn in_lines(graph: &Graph<'_>) -> Vec<MilestoneId> {
    let num = graph.num_categories;
    let pages = CsrBuf::transposed(graph.categories.cast(), num);
    let pages = |category: usize| pages.view().row(category);
    let mut by_frequency: Vec<u32> = (0..num as u32).collect();
    by_frequency.sort_by_key(|&category| Reverse(pages(category as usize).len()));
    let (frequent, others) = by_frequency.split_at(FREQUENT.min(num));
    let mut order = frequent.to_vec();
    let mut is_placed = vec![false; num];
    frequent.iter().for_each(|&category| is_placed[category as usize] = true);
    // How often each category was met on the pages of the one at hand, and which ones were.
    let (mut met, mut companions) = (vec![0u32; num], Vec::new());
    for &category in others {
        if std::mem::replace(&mut is_placed[category as usize], true) {
            continue;
        }
        order.push(category);
        let pages = pages(category as usize);
        for &page in pages.iter().step_by(pages.len().div_ceil(SAMPLE).max(1)) {
            for companion in graph.categories(PageId(page)) {
                let times = &mut met[companion.index()];
                if *times == 0 && !is_placed[companion.index()] {
                    companions.push(companion.0);
                }
                *times += 1;
            }
        }
        companions.sort_unstable_by_key(|&companion| (Reverse(met[companion as usize]), companion));
        for &companion in companions.iter().take(LINE - 1) {
            is_placed[companion as usize] = true;
            order.push(companion);
        }
        companions.clear();
        for &page in pages.iter().step_by(pages.len().div_ceil(SAMPLE).max(1)) {
            graph.categories(PageId(page)).iter().for_each(|companion| met[companion.index()] = 0);
        }
    }
    order.into_iter().map(MilestoneId).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn layout(lists: &[Vec<u32>], num_categories: usize) -> Layout {
        let links = CsrBuf::from_iter(lists.iter().map(|_| Vec::<PageId>::new()));
        let categories = CsrBuf::from_iter(lists.iter().map(|row| row.iter().copied().map(MilestoneId)));
        Layout::new(&Graph::new(links.view(), categories.view(), num_categories))
    }

    #[test]
    fn categories_of_the_same_pages_share_a_line() {
        // Two hundred kinds of pages, each with five categories of its own far from each other.
        let lists: Vec<Vec<u32>> =
            (0..1000).map(|page| (0..5).map(|of| of * 200 + page % 200).collect()).collect();
        let layout = layout(&lists, 1000);
        let line = |&category: &u32| layout.column(MilestoneId(category)) as usize / LINE;
        let shared =
            lists.iter().filter(|list| list[1..].iter().all(|c| line(c).abs_diff(line(&list[0])) <= 1));
        // All but those among the first by frequency, which here is the same for all.
        assert!(shared.count() >= 1000 - 5 * FREQUENT, "few pages have their columns side by side");
    }

    proptest! {
        #[test]
        fn every_category_has_a_column_of_its_own(lists in prop::collection::vec(prop::collection::vec(0u32..300, 0..9), 1..80)) {
            let layout = layout(&lists, 300);
            let mut columns: Vec<u32> = (0..300).map(|category| layout.column(MilestoneId(category))).collect();
            for (category, &column) in (0..).zip(&columns) {
                prop_assert_eq!(layout.category(column), MilestoneId(category));
            }
            for (page, list) in (0..).zip(&lists) {
                let expected: Vec<u32> = list.iter().map(|&category| columns[category as usize]).collect();
                prop_assert_eq!(layout.columns(PageId(page)), &expected[..]);
            }
            columns.sort_unstable();
            prop_assert_eq!(columns, (0..300).collect::<Vec<u32>>());
        }
    }
}
