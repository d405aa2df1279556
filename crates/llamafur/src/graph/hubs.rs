//! The pages with the most neighbours: which of them are neighbours of a page is one look, for all of them together.

use crate::graph::PageId;
use crate::storage::Csr;
use std::cmp::Reverse;

/// Of each page which hubs are its neighbours.
#[derive(Debug, Clone)]
pub(super) struct Hubs {
    /// The hubs, ascending.
    pages: Vec<PageId>,
    /// How many neighbours each of them has at the least.
    least: usize,
    /// Words in a row.
    num_words: usize,
    /// A row for each page, with a bit for each hub.
    rows: Vec<u64>,
}

impl Hubs {
    /// The pages with the most neighbours, `least` or more, as many as there are bits in so many bytes a page.
    pub(super) fn new(lists: Csr<'_, PageId>, bytes_a_page: usize, least: usize) -> Hubs {
        let most = bytes_a_page / 8 * 64;
        let pages = (0..).map(PageId).zip(lists.rows()).filter(|(_, list)| list.len() >= least);
        let mut pages: Vec<(Reverse<usize>, PageId)> =
            pages.map(|(page, list)| (Reverse(list.len()), page)).collect();
        if most < pages.len() {
            pages.select_nth_unstable(most);
            pages.truncate(most);
        }
        let least = pages.iter().map(|&(Reverse(length), _)| length).min().unwrap_or(usize::MAX);
        let mut pages: Vec<PageId> = pages.into_iter().map(|(_, page)| page).collect();
        pages.sort_unstable();
        let num_words = pages.len().div_ceil(64);
        let mut rows = vec![0u64; num_words * lists.num_rows()];
        for (hub, page) in pages.iter().enumerate() {
            for neighbour in lists.row(page.index()) {
                rows[neighbour.index() * num_words + hub / 64] |= 1 << (hub % 64);
            }
        }
        Hubs { pages, least, num_words, rows }
    }

    /// How many there are.
    pub(super) fn num(&self) -> usize {
        self.pages.len()
    }

    /// Which hub a page with so many neighbours is, if it is one.
    #[inline]
    pub(super) fn number(&self, page: PageId, num_neighbours: usize) -> Option<usize> {
        if num_neighbours < self.least { None } else { self.pages.binary_search(&page).ok() }
    }

    /// Adds to what is found of each of the hubs `wanted`, a bit for each, the pages of a list that are its neighbours.
    pub(super) fn find(&self, list: &[PageId], wanted: &[u64], found: &mut [Vec<PageId>]) {
        for &page in list {
            let row = &self.rows[page.index() * self.num_words..][..self.num_words];
            for (word, (row, wanted)) in row.iter().zip(wanted).enumerate() {
                let mut both = row & wanted;
                while both != 0 {
                    found[word * 64 + both.trailing_zeros() as usize].push(page);
                    both &= both - 1;
                }
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.pages[..]) + size_of_val(&self.rows[..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::CsrBuf;

    #[test]
    fn the_pages_with_most_neighbours_get_what_room_there_is() {
        // Page 0 has all others for neighbours, and so do the next two; the rest have those three.
        let row =
            |page: u32| (0..200).filter(move |&other| other != page && (page < 3 || other < 3)).map(PageId);
        let lists: CsrBuf<PageId> = (0..200).map(row).collect();
        let hubs = |bytes, least| Hubs::new(lists.view(), bytes, least);
        assert_eq!(hubs(8, 4).pages, [0, 1, 2].map(PageId));
        assert_eq!(
            hubs(8, 0).pages,
            (0..64).map(PageId).collect::<Vec<_>>(),
            "of those with as many the first"
        );
        assert_eq!(hubs(7, 0).num(), 0);
        let all = hubs(1000, 0);
        assert_eq!(
            (all.num(), all.number(PageId(7), 3), hubs(8, 4).number(PageId(7), 3)),
            (200, Some(7), None)
        );
        let mut found = vec![Vec::new(); 200];
        all.find(&[1, 5, 8].map(PageId), &[1 << 1 | 1 << 8, 0, 1, 0], &mut found);
        let some = |hub: usize| found[hub].iter().map(|page| page.0).collect::<Vec<_>>();
        assert_eq!([some(1), some(8), some(128), some(5)], [vec![5, 8], vec![1], vec![1], vec![]]);
    }
}
