//! The symmetric graph, and the neighbours that pages share.
//!
//! The links of a page are scored together. Γ(s) becomes a bitmap in which the members of Γ(t) are looked up, one
//! target after the other: a look for each member, however long Γ(s) is. Targets with more neighbours than s are gone
//! about the other way round: of every page it is known which of the few hundred hubs are its neighbours, so that one
//! walk through Γ(s) does for all targets that are hubs; in the long lists of others the members of Γ(s) are searched
//! for. All ways find the shared neighbours in ascending order: sums over them are the same to the last bit.

use super::hubs::Hubs;
use super::intersect::{clear, marked, merged, num_words, searched, set};
use super::symmetric::symmetric;
use crate::graph::PageId;
use crate::storage::{Csr, CsrBuf};
use rayon::prelude::*;
use std::cell::Cell;

/// The symmetric graph: of each page its neighbours Γ, which it links to or which link to it, ascending.
#[derive(Debug, Clone)]
pub struct Neighbours {
    lists: CsrBuf<PageId>,
    /// 1/ln |Γ(d)| of each page d.
    rarities: Vec<f64>,
    hubs: Hubs,
}

/// The part of the lists' memory that hubs may take besides, and the bytes a page that they always may.
const PART_FOR_HUBS: usize = 8;
const BYTES_FOR_HUBS: usize = 8;

/// Pages with fewer neighbours are no hubs: looking something up in their lists is quick enough.
const LEAST_FOR_HUBS: usize = 512;

/// How much longer the one list must be for searches in it to be quicker than going through it.
const MUCH_LONGER: usize = 16;

/// Looks from which on the links of one page are shared among threads, and links that a thread takes at a time.
const WORTH_THREADS: usize = 1 << 19;
const AT_A_TIME: usize = 64;

impl Neighbours {
    /// The symmetric graph of these links, each list ascending and without its own page.
    ///
    /// It takes up to 9 bytes a link and 24 a page: lists, and for hubs an eighth of the lists' memory or 8 bytes a page.
    /// Making it takes no more.
    pub fn new(links: Csr<'_, PageId>) -> Neighbours {
        Neighbours::from_lists(symmetric(links), |lists| {
            let bytes = size_of_val(lists.values()) / PART_FOR_HUBS / lists.num_rows().max(1);
            Hubs::new(lists, bytes.max(BYTES_FOR_HUBS), LEAST_FOR_HUBS)
        })
    }

    fn from_lists(lists: CsrBuf<PageId>, hubs: impl Fn(Csr<'_, PageId>) -> Hubs) -> Neighbours {
        let view = lists.view();
        let rarity = |page| 1.0 / (view.row(page).len() as f64).ln();
        let rarities = (0..view.num_rows()).into_par_iter().map(rarity).collect();
        Neighbours { rarities, hubs: hubs(view), lists }
    }

    /// With hubs of `least` neighbours or more, within so many bytes a page.
    #[cfg(test)]
    pub(crate) fn with_hubs(links: Csr<'_, PageId>, bytes_a_page: usize, least: usize) -> Neighbours {
        Neighbours::from_lists(symmetric(links), |lists| Hubs::new(lists, bytes_a_page, least))
    }

    /// How many pages there are.
    pub fn num_pages(&self) -> usize {
        self.lists.view().num_rows()
    }

    /// Γ of a page.
    #[inline]
    pub fn of(&self, page: PageId) -> &[PageId] {
        self.lists.view().row(page.index())
    }

    /// Γ of all pages.
    pub fn lists(&self) -> Csr<'_, PageId> {
        self.lists.view()
    }

    /// 1/ln |Γ| of a page: how much it counts as a neighbour that two others share.
    #[inline]
    pub(crate) fn rarity(&self, page: PageId) -> f64 {
        self.rarities[page.index()]
    }

    /// Bytes of memory that it takes.
    pub fn bytes(&self) -> usize {
        let lists = self.lists.view();
        let rarities = size_of_val(&self.rarities[..]);
        size_of_val(lists.values()) + size_of_val(lists.offsets()) + rarities + self.hubs.bytes()
    }

    /// What `of` makes of each target and the neighbours that the source shares with it, ascending; in the order of
    /// the targets, whether or not the source links to them.
    pub fn map_common<T: Send>(
        &self,
        source: PageId,
        targets: &[PageId],
        of: impl Fn(PageId, &[PageId]) -> T + Sync,
    ) -> Vec<T> {
        let list = self.of(source);
        let mut scratch = Scratch::take();
        scratch.walk(&self.hubs, list, targets.iter().filter_map(|&target| self.hub(list, target)));
        // One target is not worth a bitmap.
        let is_marked = targets.len() > 1;
        if is_marked {
            scratch.mark(list, self.num_pages());
        }
        let Scratch { bits, found, of_hubs, .. } = &mut scratch;
        let bits = is_marked.then_some(&bits[..]);
        let each = |&target: &PageId, found: &mut Vec<PageId>| {
            let common = match self.hub(list, target) {
                Some(hub) => &of_hubs[hub][..],
                None => self.common(list, bits, target, found),
            };
            of(target, common)
        };
        let results = if list.len() * targets.len() < WORTH_THREADS {
            targets.iter().map(|target| each(target, found)).collect()
        } else {
            let targets = targets.par_iter().with_min_len(AT_A_TIME);
            targets.map_init(Vec::new, |found, target| each(target, found)).collect()
        };
        if is_marked {
            scratch.unmark(list);
        }
        scratch.put_back();
        results
    }

    /// Which hub a target is, if it is one that has more neighbours than there are in the list.
    #[inline]
    fn hub(&self, list: &[PageId], target: PageId) -> Option<usize> {
        let length = self.of(target).len();
        if length > list.len() { self.hubs.number(target, length) } else { None }
    }

    /// What a list, which may have a bitmap, has in common with the neighbours of a page.
    fn common<'f>(
        &self,
        list: &[PageId],
        bits: Option<&[u64]>,
        target: PageId,
        found: &'f mut Vec<PageId>,
    ) -> &'f [PageId] {
        let other = self.of(target);
        match bits {
            _ if other.len() / MUCH_LONGER > list.len() => searched(list, other, found),
            Some(bits) => marked(other, bits, found),
            None if list.len() / MUCH_LONGER > other.len() => searched(other, list, found),
            None => merged(list, other, found),
        }
    }
}

/// Room for a bitmap, which is empty between uses, and for what is found.
#[derive(Default)]
struct Scratch {
    bits: Vec<u64>,
    found: Vec<PageId>,
    /// Which hubs are targets, and what is found of each.
    wanted: Vec<u64>,
    of_hubs: Vec<Vec<PageId>>,
}

thread_local! {
    static SCRATCH: Cell<Option<Scratch>> = const { Cell::new(None) };
}

impl Scratch {
    /// That of the thread, or a new one where it is in use: a thread that waits for others may begin another page.
    fn take() -> Scratch {
        SCRATCH.take().unwrap_or_default()
    }

    fn put_back(self) {
        SCRATCH.set(Some(self));
    }

    /// Finds what of a list are neighbours of hubs.
    fn walk(&mut self, hubs: &Hubs, list: &[PageId], wanted: impl Iterator<Item = usize>) {
        self.wanted.clear();
        self.wanted.resize(num_words(hubs.num()), 0);
        if self.of_hubs.len() < hubs.num() {
            self.of_hubs.resize(hubs.num(), Vec::new());
        }
        let mut is_any = false;
        for hub in wanted {
            self.wanted[hub / 64] |= 1 << (hub % 64);
            self.of_hubs[hub].clear();
            is_any = true;
        }
        if is_any {
            hubs.find(list, &self.wanted, &mut self.of_hubs);
        }
    }

    fn mark(&mut self, list: &[PageId], num_pages: usize) {
        let num_words = num_words(num_pages);
        if self.bits.len() < num_words {
            self.bits.resize(num_words, 0);
        }
        set(&mut self.bits, list);
    }

    fn unmark(&mut self, list: &[PageId]) {
        clear(&mut self.bits, list);
    }
}
