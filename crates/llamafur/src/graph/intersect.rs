//! Intersections of two ascending lists, found in one of three ways; all find them in ascending order.

use crate::graph::PageId;

/// Finds the members of a list that are marked in a bitmap, one by one.
pub(super) fn marked<'f>(list: &[PageId], bits: &[u64], found: &'f mut Vec<PageId>) -> &'f [PageId] {
    if found.len() < list.len() {
        found.resize(list.len(), PageId(0));
    }
    // Each is written, and stays where it is marked: whether it is cannot be foreseen, and a wrong guess takes as long
    // as ten looks.
    let mut num = 0;
    let places = &mut found[..list.len()];
    for &page in list {
        places[num] = page;
        num += (bits[page.index() / 64] >> (page.index() % 64) & 1) as usize;
    }
    &found[..num]
}

/// Returns the number of words in a bitmap of `num_pages`.
pub(super) fn num_words(num_pages: usize) -> usize {
    num_pages.div_ceil(64)
}

/// Sets the bits of these pages.
pub(super) fn set(bits: &mut [u64], pages: &[PageId]) {
    for page in pages {
        bits[page.index() / 64] |= 1 << (page.index() % 64);
    }
}

/// Clears the words in which these pages are.
pub(super) fn clear(bits: &mut [u64], pages: &[PageId]) {
    for page in pages {
        bits[page.index() / 64] = 0;
    }
}

/// Finds the members of a short list in a long one: a search for each, onwards from the one before.
pub(super) fn searched<'f>(
    short: &[PageId],
    mut long: &[PageId],
    found: &'f mut Vec<PageId>,
) -> &'f [PageId] {
    found.clear();
    for &page in short {
        let mut step = 1;
        while step < long.len() && long[step] < page {
            step *= 2;
        }
        let (from, to) = (step / 2, (step + 1).min(long.len()));
        let at = from + long[from..to].partition_point(|&other| other < page);
        long = &long[at..];
        match long.first() {
            None => break,
            Some(&other) if other == page => found.push(page),
            Some(_) => {}
        }
    }
    found
}

/// Finds the common members of two lists by going through both.
pub(super) fn merged<'f>(one: &[PageId], two: &[PageId], found: &'f mut Vec<PageId>) -> &'f [PageId] {
    found.clear();
    let (mut i, mut j) = (0, 0);
    while let (Some(a), Some(b)) = (one.get(i), two.get(j)) {
        if a == b {
            found.push(*a);
        }
        i += usize::from(a <= b);
        j += usize::from(b <= a);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::btree_set;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_ways_find_the_same(one in btree_set(0u32..2000, 0..300), two in btree_set(0u32..2000, 0..30)) {
            let [long, short] = [&one, &two].map(|set| set.iter().map(|&page| PageId(page)).collect::<Vec<_>>());
            let both: Vec<PageId> = one.intersection(&two).map(|&page| PageId(page)).collect();
            let bits = |list: &[PageId]| {
                let mut bits = vec![0; num_words(2000)];
                set(&mut bits, list);
                bits
            };
            let mut found = Vec::new();
            prop_assert_eq!(marked(&short, &bits(&long), &mut found), &both[..]);
            prop_assert_eq!(marked(&long, &bits(&short), &mut found), &both[..]);
            prop_assert_eq!(searched(&short, &long, &mut found), &both[..]);
            prop_assert_eq!(searched(&long, &short, &mut found), &both[..]);
            prop_assert_eq!(merged(&short, &long, &mut found), &both[..]);
        }
    }
}
