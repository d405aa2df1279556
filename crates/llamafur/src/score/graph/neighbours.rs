//! Of each page those that it links to or that link to it.

use crate::corpus::{Csr, CsrBuf, PageId};
use rayon::prelude::*;

/// The symmetric graph: of each page its neighbours Γ, which it links to or which link to it, ascending.
#[derive(Debug, Clone)]
pub struct Neighbours {
    lists: CsrBuf<PageId>,
}

impl Neighbours {
    /// The symmetric graph of these links, each list ascending and without its own page.
    ///
    /// It takes 8 bytes a link at the most and 16 a page.
    pub fn new(links: Csr<'_, PageId>) -> Neighbours {
        Neighbours { lists: symmetric(links) }
    }

    /// Γ of all pages.
    pub fn lists(&self) -> Csr<'_, PageId> {
        self.lists.view()
    }

    /// Calls `found` with every neighbour that two pages share, ascending.
    pub fn common(&self, one: PageId, two: PageId, found: impl FnMut(PageId)) {
        common(self.lists().row(one.index()), self.lists().row(two.index()), found);
    }
}

/// How much longer the one list must be for looking up the other's members in it to be quicker than going through both.
const MUCH_LONGER: usize = 16;

/// Calls `found` with what two ascending lists have in common, in order.
fn common(one: &[PageId], two: &[PageId], mut found: impl FnMut(PageId)) {
    let (short, mut long) = if one.len() <= two.len() { (one, two) } else { (two, one) };
    if short.len() * MUCH_LONGER < long.len() {
        for page in short {
            let at = long.partition_point(|other| other < page);
            long = &long[at..];
            if long.first() == Some(page) {
                found(*page);
            }
        }
        return;
    }
    let (mut i, mut j) = (0, 0);
    while let (Some(a), Some(b)) = (short.get(i), long.get(j)) {
        if a == b {
            found(*a);
        }
        i += usize::from(a <= b);
        j += usize::from(b <= a);
    }
}

/// The graph in which every link goes both ways: of each page those that it links to or that link to it, ascending.
fn symmetric(links: Csr<'_, PageId>) -> CsrBuf<PageId> {
    let num_pages = links.num_rows();
    let back = CsrBuf::transposed(links.cast(), num_pages);
    let back: Csr<'_, PageId> = back.view().cast();
    let rows = |page: usize| (links.row(page), back.row(page));
    let mut offsets = vec![0i64; num_pages + 1];
    offsets[1..].par_iter_mut().enumerate().for_each(|(page, end)| {
        let (there, from) = rows(page);
        let mut both = 0;
        common(there, from, |_| both += 1);
        *end = (there.len() + from.len() - both) as i64;
    });
    for page in 0..num_pages {
        offsets[page + 1] += offsets[page];
    }
    let mut values = vec![PageId(0); offsets[num_pages] as usize];
    let mut rest = &mut values[..];
    let mut lists = Vec::with_capacity(num_pages);
    for page in 0..num_pages {
        let (list, after) = rest.split_at_mut((offsets[page + 1] - offsets[page]) as usize);
        lists.push(list);
        rest = after;
    }
    lists.into_par_iter().enumerate().for_each(|(page, list)| {
        let (there, from) = rows(page);
        unite(there, from, list);
    });
    CsrBuf::from_parts(offsets, values)
}

/// Writes the members of two ascending lists, each once and in order.
fn unite(one: &[PageId], two: &[PageId], into: &mut [PageId]) {
    let (mut i, mut j) = (0, 0);
    for place in into {
        *place = match (one.get(i), two.get(j)) {
            (Some(a), Some(b)) => *a.min(b),
            (Some(only), None) | (None, Some(only)) => *only,
            (None, None) => unreachable!("the room is that of the members"),
        };
        i += usize::from(one.get(i) == Some(place));
        j += usize::from(two.get(j) == Some(place));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn both_ways_of_intersecting_find_the_same(
            one in proptest::collection::btree_set(0u32..2000, 0..300), two in proptest::collection::btree_set(0u32..2000, 0..12)
        ) {
            let lists = [&one, &two].map(|set| set.iter().map(|&page| PageId(page)).collect::<Vec<_>>());
            let mut found = Vec::new();
            common(&lists[0], &lists[1], |page| found.push(page.0));
            prop_assert_eq!(found, one.intersection(&two).copied().collect::<Vec<_>>());
        }
    }
}
