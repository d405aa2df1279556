//! Makes the symmetric graph out of links, on all threads and in no more memory than it may take in the end.
//!
//! The pages are cut into ranges, one for each thread, which goes over all links for those that lead into its range:
//! lists ascend, so that of each they are one stretch. A page gets room for the links from it and to it. The links to
//! it are put at the end of the room; then both are merged to the front, which cannot run over what is still to be
//! read, and lists close up where links that go both ways left a gap. In what order threads run makes no difference.

use crate::graph::PageId;
use crate::storage::{Csr, CsrBuf};
use rayon::prelude::*;
use std::ops::Range;

/// The graph in which every link goes both ways: of each page those that it links to or that link to it, ascending.
pub(super) fn symmetric(links: Csr<'_, PageId>) -> CsrBuf<PageId> {
    let mut starts = room(links);
    let num_pages = links.num_rows();
    let mut values = vec![PageId(0); starts[num_pages] as usize];
    let mut rest = &mut values[..];
    let mut parts = Vec::new();
    for pages in ranges(&starts, rayon::current_num_threads()) {
        let (room, after) = rest.split_at_mut((starts[pages.end] - starts[pages.start]) as usize);
        parts.push((pages, room));
        rest = after;
    }
    let parts = parts.into_par_iter();
    let parts: Vec<_> = parts
        .map(|(pages, room)| {
            let lengths = fill(links, &starts, &pages, room);
            (pages, lengths)
        })
        .collect();
    // The lists of a range stand together; now the ranges close up too.
    let mut end = 0i64;
    for (pages, lengths) in parts {
        let from = starts[pages.start] as usize;
        let length: i64 = lengths.iter().sum();
        values.copy_within(from..from + length as usize, end as usize);
        for (start, length) in starts[pages].iter_mut().zip(lengths) {
            *start = end;
            end += length;
        }
    }
    starts[num_pages] = end;
    values.truncate(end as usize);
    values.shrink_to_fit();
    CsrBuf::from_parts(starts, values)
}

/// Where the room of each page begins: as much as there are links from it and to it.
fn room(links: Csr<'_, PageId>) -> Vec<i64> {
    let num_pages = links.num_rows();
    let mut starts = vec![0i64; num_pages + 1];
    let at_a_time = num_pages.div_ceil(rayon::current_num_threads()).max(1);
    starts[1..].par_chunks_mut(at_a_time).enumerate().for_each(|(part, counts)| {
        let first = part * at_a_time;
        let pages = first..first + counts.len();
        for row in links.rows() {
            for target in stretch(row, &pages) {
                counts[target.index() - first] += 1;
            }
        }
        for (count, page) in counts.iter_mut().zip(pages) {
            *count += links.row(page).len() as i64;
        }
    });
    for page in 0..num_pages {
        starts[page + 1] += starts[page];
    }
    starts
}

/// Ranges of pages that have about the same room.
fn ranges(starts: &[i64], num: usize) -> impl Iterator<Item = Range<usize>> {
    let num_pages = starts.len() - 1;
    let cut = move |part: usize| match part {
        last if last == num => num_pages,
        part => {
            let before = (starts[num_pages] as u128 * part as u128 / num as u128) as i64;
            starts[..num_pages].partition_point(|&start| start < before)
        }
    };
    (0..num).map(move |part| cut(part)..cut(part + 1))
}

/// What of an ascending list lies in a range.
fn stretch<'a>(list: &'a [PageId], pages: &Range<usize>) -> &'a [PageId] {
    let from = list.partition_point(|page| page.index() < pages.start);
    let list = &list[from..];
    &list[..list.partition_point(|page| page.index() < pages.end)]
}

/// Writes the lists of a range, one after the other; their lengths.
fn fill(links: Csr<'_, PageId>, starts: &[i64], pages: &Range<usize>, room: &mut [PageId]) -> Vec<i64> {
    let first = starts[pages.start];
    let place = |page: usize| starts[page] - first + links.row(page).len() as i64;
    let mut next: Vec<i64> = pages.clone().map(place).collect();
    for (source, row) in links.rows().enumerate() {
        for target in stretch(row, pages) {
            let place = &mut next[target.index() - pages.start];
            room[*place as usize] = PageId(source as u32);
            *place += 1;
        }
    }
    let mut lengths = next;
    let mut end = 0;
    for (page, length) in pages.clone().zip(&mut lengths) {
        let back = place(page) as usize..*length as usize;
        let before = end;
        end = merge(room, end, links.row(page), back);
        *length = (end - before) as i64;
    }
    lengths
}

/// Writes the members of an ascending list and of a later part of the room, each once and in order, from `end` on;
/// where they end.
fn merge(room: &mut [PageId], mut end: usize, list: &[PageId], back: Range<usize>) -> usize {
    let (mut i, mut j) = (0, back.start);
    while i < list.len() && j < back.end {
        let (one, two) = (list[i], room[j]);
        room[end] = one.min(two);
        end += 1;
        i += usize::from(one <= two);
        j += usize::from(two <= one);
    }
    let list = &list[i..];
    room[end..end + list.len()].copy_from_slice(list);
    end += list.len();
    room.copy_within(j..back.end, end);
    end + (back.end - j)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn on_threads<T: Send>(num: usize, work: impl FnOnce() -> T + Send) -> T {
        rayon::ThreadPoolBuilder::new().num_threads(num).build().unwrap().install(work)
    }

    #[test]
    fn a_graph_without_pages_or_links_has_no_neighbours() {
        let none: CsrBuf<PageId> = CsrBuf::new();
        assert_eq!(symmetric(none.view()), none);
        let unlinked: CsrBuf<PageId> = [vec![], vec![], vec![]].into_iter().collect();
        assert_eq!(on_threads(5, || symmetric(unlinked.view())), unlinked);
    }

    proptest! {
        #[test]
        fn every_link_goes_both_ways_on_any_number_of_threads(
            links in proptest::collection::btree_set((0u32..40, 0u32..40), 0..400)
        ) {
            let links: BTreeSet<(u32, u32)> = links.into_iter().filter(|(s, t)| s != t).collect();
            let table = |links: &BTreeSet<(u32, u32)>| -> CsrBuf<PageId> {
                let row = |page| links.range((page, 0)..(page + 1, 0)).map(|&(_, target)| PageId(target));
                (0..40).map(|page| row(page).collect::<Vec<_>>()).collect()
            };
            let both = links.iter().flat_map(|&(s, t)| [(s, t), (t, s)]).collect();
            for threads in [1, 2, 3, 64] {
                prop_assert_eq!(on_threads(threads, || symmetric(table(&links).view())), table(&both));
            }
        }
    }
}
