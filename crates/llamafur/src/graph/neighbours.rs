//! The symmetric graph, and the neighbours that pages have in common.
//!
//! Γ(d) are the pages that d links to or that link to d. The lists are made once and kept in a file, which is mapped; it is
//! written in the memory that is allowed for it.
//!
//! An Arrow file of record batches with one row each, 8,192 pages in each:
//!
//! | column | one value for each | |
//! |---|---|---|
//! | `neighbours` | page | the pages that it links to or that link to it, ascending |
//! | `in_degree` | page | how many pages link to it |

use super::intersect::{clear, marked, merged, num_words, searched, set};
use super::inverted::AscendingLists;
use crate::Error;
use crate::error::Artifact;
use crate::graph::PageId;
use crate::interrupt;
use crate::progress::{Cached, Progress, Task};
use crate::storage::arrow_file::{ArrowFile, ArrowWriter, Sink, list_of};
use crate::storage::columns::{Ids, lists_type};
use crate::storage::kept::kept_or_made;
use crate::storage::list_batches::{Batches, ListBatchWriter, ListBatches};
use crate::storage::mmap::Mapped;
use crate::storage::signed::Format;
use crate::storage::{AtomicFile, Csr, CsrBuf};
use arrow_schema::{DataType, Field, Schema};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The neighbours of each page.
#[derive(Debug)]
pub struct Neighbours {
    lists: Arc<ListBatches<PageId>>,
    in_degrees: Arc<Batches<Ids<u32>>>,
    /// 1/ln n of each number n of neighbours that is not large.
    rarities: Arc<[f64]>,
    /// The pages whose neighbours are others than in the file.
    overlay: Option<Overlay>,
}

/// The differences from the file with another page in the place of one, or with one page more.
#[derive(Debug)]
struct Overlay {
    num_pages: usize,
    /// The neighbours of each page concerned, and the number of pages that link to it.
    changed: BTreeMap<PageId, (Vec<PageId>, u32)>,
}

const FORMAT: Format = Format {
    name: "llamafur neighbours",
    version: 1,
    of: Artifact::Prepared,
    what: "the settings of neighbours",
};

/// The identity of a file.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Settings {
    /// The checksum of the graph.
    graph: String,
    pages: usize,
}

/// The places of the record batches.
#[derive(Serialize, Deserialize)]
struct Places {
    batches_at: Vec<u64>,
}

fn schema() -> Schema {
    Schema::new(vec![
        Field::new("neighbours", list_of(lists_type()), false),
        Field::new("in_degree", list_of(DataType::UInt32), false),
    ])
}

/// Numbers of neighbours whose rarity is kept.
const KEPT_RARITIES: usize = 4096;

/// The ratio of lengths from which on the longer list is searched, not gone through.
const MUCH_LONGER: usize = 16;

/// Neighbours times targets from which on several threads are used.
const WORTH_THREADS: usize = 1 << 19;
const AT_A_TIME: usize = 64;

impl Neighbours {
    /// Creates the neighbours of these links, in memory.
    pub fn new(links: Csr<'_, PageId>) -> Neighbours {
        let (path, settings) =
            (Path::new("neighbours"), Settings { graph: String::new(), pages: links.num_rows() });
        let made = write(path, Sink::in_memory(), links, usize::MAX, &settings, &mut crate::progress::Silent);
        let opened = made.and_then(|sink| open(path.into(), sink.into_map(path)?, &settings));
        opened.expect("what is written in memory can be read")
    }

    /// Opens the neighbours at `path`, or makes them of the links of the graph with this checksum. Making them takes
    /// `memory` bytes, and 4 bytes a page; `create` starts their file.
    pub(crate) fn kept_or_made<'l>(
        path: &Path,
        (graph, pages): (String, usize),
        links: impl Fn() -> Result<Csr<'l, PageId>, Error>,
        create: impl Fn(&Path, usize) -> Result<AtomicFile, Error>,
        memory: u64,
        progress: &mut dyn Progress,
    ) -> Result<Neighbours, Error> {
        let settings = Settings { graph, pages };
        let make = |sink, progress: &mut dyn Progress| {
            // The lists of links to a page, and those that are merged of them: 4 bytes a link, and at most twice that.
            write(path, sink, links()?, (memory / 12) as usize, &settings, progress)
        };
        kept_or_made(path, Cached::Neighbours, create, |path, map| open(path, map, &settings), make, progress)
    }

    /// Returns the number of pages.
    pub fn num_pages(&self) -> usize {
        self.overlay.as_ref().map_or(self.lists.num_rows(), |overlay| overlay.num_pages)
    }

    /// Returns the page's neighbours and in-degree if they differ from the file.
    #[inline]
    fn changed(&self, page: PageId) -> Option<&(Vec<PageId>, u32)> {
        self.overlay.as_ref().and_then(|overlay| overlay.changed.get(&page))
    }

    /// Returns the neighbours with a page that has these links, ascending and without itself: in the place of one that
    /// had `old` links, or, without any, after the last one. `links_back` says whether a page of the graph links to it.
    ///
    /// # Errors
    /// If the file is damaged, or `links_back` fails.
    pub(crate) fn with_page(
        &self,
        page: PageId,
        old: &[PageId],
        new: &[PageId],
        links_back: impl Fn(PageId) -> Result<bool, Error>,
    ) -> Result<Neighbours, Error> {
        let is_new = page.index() == self.num_pages();
        let mut own: BTreeSet<PageId> = match is_new {
            true => BTreeSet::new(),
            false => self.of(page)?.iter().copied().collect(),
        };
        let mut changed = BTreeMap::new();
        let (before, after): (BTreeSet<PageId>, BTreeSet<PageId>) =
            (old.iter().copied().collect(), new.iter().copied().collect());
        for &other in before.symmetric_difference(&after) {
            let mut near: BTreeSet<PageId> = self.of(other)?.iter().copied().collect();
            let mut in_degree = self.in_degree(other)?;
            if after.contains(&other) {
                near.insert(page);
                own.insert(other);
                in_degree += 1;
            } else {
                if !links_back(other)? {
                    near.remove(&page);
                    own.remove(&other);
                }
                in_degree -= 1;
            }
            changed.insert(other, (near.into_iter().collect(), in_degree));
        }
        let in_degree = if is_new { 0 } else { self.in_degree(page)? };
        changed.insert(page, (own.into_iter().collect(), in_degree));
        let (lists, in_degrees) = (self.lists.clone(), self.in_degrees.clone());
        let overlay = Overlay { num_pages: self.num_pages().max(page.index() + 1), changed };
        Ok(Neighbours { lists, in_degrees, rarities: self.rarities.clone(), overlay: Some(overlay) })
    }

    /// Returns the neighbours of a page, ascending.
    #[inline]
    pub fn of(&self, page: PageId) -> Result<&[PageId], Error> {
        if let Some((near, _)) = self.changed(page) {
            return Ok(near);
        }
        self.lists.get(page.index())
    }

    /// Returns the number of a page's neighbours.
    #[inline]
    pub fn num_of(&self, page: PageId) -> Result<usize, Error> {
        if let Some((near, _)) = self.changed(page) {
            return Ok(near.len());
        }
        self.lists.length(page.index())
    }

    /// Returns the number of pages that link to a page.
    pub fn in_degree(&self, page: PageId) -> Result<u32, Error> {
        if let Some((_, in_degree)) = self.changed(page) {
            return Ok(*in_degree);
        }
        let (batch, row) = self.in_degrees.of(page.index(), |table, _| table.only_list(6))?;
        batch.get(row)
    }

    /// Returns the number of neighbours of all pages together: twice the links, but for those that go both ways.
    pub fn num_all(&self) -> Result<usize, Error> {
        self.lists.num_values()
    }

    /// Returns 1/ln of the number of a page's neighbours.
    #[inline]
    pub(crate) fn rarity(&self, page: PageId) -> Result<f64, Error> {
        let num = self.num_of(page)?;
        Ok(self.rarities.get(num).copied().unwrap_or_else(|| rarity(num)))
    }

    /// Checks every byte.
    pub fn verify(&self) -> Result<(), Error> {
        self.lists.check_all()
    }

    /// Calls `of` with each target and the neighbours, ascending, that it has in common with the source; returns the
    /// results.
    pub fn map_common<T: Send>(
        &self,
        source: PageId,
        targets: &[PageId],
        of: impl Fn(PageId, &[PageId]) -> Result<T, Error> + Sync,
    ) -> Result<Vec<T>, Error> {
        let list = self.of(source)?;
        let mut scratch = Scratch::take();
        let is_marked = targets.len() > 1;
        if is_marked {
            scratch.mark(list, self.num_pages());
        }
        let Scratch { bits, found } = &mut scratch;
        let bits = is_marked.then_some(&bits[..]);
        let each = |&target: &PageId, found: &mut Vec<PageId>| {
            interrupt::check()?;
            of(target, common(list, bits, self.of(target)?, found))
        };
        // A single target is nothing to share, however long the list of the source.
        let results = if targets.len() < AT_A_TIME || list.len() * targets.len() < WORTH_THREADS {
            targets.iter().map(|target| each(target, found)).collect()
        } else {
            let (targets, carried) = (targets.par_iter().with_min_len(AT_A_TIME), interrupt::carried());
            targets.map_init(Vec::new, |found, target| carried.scope(|| each(target, found))).collect()
        };
        if is_marked {
            scratch.unmark(list);
        }
        scratch.put_back();
        results
    }
}

fn rarity(num_neighbours: usize) -> f64 {
    1.0 / (num_neighbours as f64).ln()
}

/// Returns what two ascending lists have in common.
pub(crate) fn in_common(one: &[PageId], other: &[PageId]) -> Vec<PageId> {
    let mut found = Vec::new();
    common(one, None, other, &mut found).to_vec()
}

/// Finds what an ascending list, marked in `bits` if there are any, has in common with another.
fn common<'f>(
    list: &[PageId],
    bits: Option<&[u64]>,
    other: &[PageId],
    found: &'f mut Vec<PageId>,
) -> &'f [PageId] {
    match bits {
        _ if other.len() / MUCH_LONGER > list.len() => searched(list, other, found),
        Some(bits) => marked(other, bits, found),
        None if list.len() / MUCH_LONGER > other.len() => searched(other, list, found),
        None => merged(list, other, found),
    }
}

fn open(path: PathBuf, map: Mapped, expected: &Settings) -> Result<Neighbours, Error> {
    let file = ArrowFile::<Settings, Places>::open(path.clone(), map, &FORMAT)?;
    if file.settings != *expected {
        return Err(Error::OtherCorpus { what: Artifact::Prepared, path });
    }
    let at = &file.places.batches_at;
    Ok(Neighbours {
        lists: Arc::new(ListBatches::new(&file.map, at, 0, expected.pages, PageId(expected.pages as u32))?),
        in_degrees: Arc::new(Batches::new(&file.map, at, expected.pages)?),
        rarities: (0..KEPT_RARITIES).map(rarity).collect(),
        overlay: None,
    })
}

/// Writes the neighbours of all pages, in groups of pages with about `most` links to them.
fn write(
    path: &Path,
    sink: Sink,
    links: Csr<'_, PageId>,
    most: usize,
    settings: &Settings,
    progress: &mut dyn Progress,
) -> Result<Sink, Error> {
    progress.start(Task::Neighbours, Some(links.num_rows() as u64));
    let mut writer = ListBatchWriter::new("neighbours", schema(), ArrowWriter::new(path, sink, &schema())?);
    let row = |page: usize| Ok(bytemuck::cast_slice(links.row(page)));
    let (num_rows, num_values) = (links.num_rows(), links.num_rows());
    let table = AscendingLists { num_rows, num_values, row: &row, most };
    table.inverted(|pages, sources| {
        let num = pages.len() as u64;
        let sources = sources.view();
        let mut neighbours = CsrBuf::<PageId>::new();
        for (page, sources) in pages.zip(sources.rows()) {
            neighbours.push_row(union(links.row(page), bytemuck::cast_slice(sources)));
        }
        let in_degrees = sources.rows().map(|row| row.len() as u32);
        writer.push_all(neighbours.view(), in_degrees)?;
        progress.advance(num);
        Ok(())
    })?;
    let finished = writer.finish()?.finish(&FORMAT, settings, |batches_at| Places { batches_at });
    progress.finish();
    Ok(finished?.0)
}

/// Returns the members of two ascending lists, each once and in order.
fn union<'l>(mut one: &'l [PageId], mut two: &'l [PageId]) -> impl Iterator<Item = PageId> + 'l {
    std::iter::from_fn(move || {
        let next = match (one.first(), two.first()) {
            (Some(a), Some(b)) => *a.min(b),
            (Some(only), None) | (None, Some(only)) => *only,
            (None, None) => return None,
        };
        one = &one[usize::from(one.first() == Some(&next))..];
        two = &two[usize::from(two.first() == Some(&next))..];
        Some(next)
    })
}

/// A thread's own memory for one source.
#[derive(Default)]
struct Scratch {
    /// A bit for each page, all of them clear between uses.
    bits: Vec<u64>,
    found: Vec<PageId>,
}

thread_local! {
    static SCRATCH: Cell<Option<Scratch>> = const { Cell::new(None) };
}

impl Scratch {
    /// Takes the thread's own scratch; a new one where it is in use.
    fn take() -> Scratch {
        SCRATCH.take().unwrap_or_default()
    }

    fn put_back(self) {
        SCRATCH.set(Some(self));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;
    use proptest::prelude::*;

    #[test]
    fn a_graph_without_pages_or_links_has_no_neighbours() {
        let none: CsrBuf<PageId> = CsrBuf::new();
        assert_eq!(Neighbours::new(none.view()).num_pages(), 0);
        let unlinked: CsrBuf<PageId> = [vec![], vec![], vec![]].into_iter().collect();
        let neighbours = Neighbours::new(unlinked.view());
        assert_eq!((neighbours.num_pages(), neighbours.num_all().unwrap()), (3, 0));
    }

    #[test]
    fn they_are_kept_and_made_anew_for_another_graph_or_where_they_are_damaged() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("prepared").join("neighbours.arrow");
        let links: CsrBuf<PageId> =
            [vec![PageId(1), PageId(2)], vec![], vec![PageId(0)]].into_iter().collect();
        let made = std::cell::Cell::new(0);
        let get = |graph: &str| {
            let links = || {
                made.set(made.get() + 1);
                Ok(links.view())
            };
            Neighbours::kept_or_made(&path, (graph.into(), 3), links, AtomicFile::create, 1, &mut Silent)
                .unwrap()
        };
        let neighbours = get("a");
        assert_eq!(neighbours.of(PageId(0)).unwrap(), [PageId(1), PageId(2)]);
        assert_eq!([0, 1, 2].map(|page| neighbours.in_degree(PageId(page)).unwrap()), [1, 1, 1]);
        get("a").verify().unwrap();
        assert_eq!(made.get(), 1);
        get("b");
        assert_eq!(made.get(), 2);
        let mut bytes = std::fs::read(&path).unwrap();
        let at = bytes.windows(10).position(|text| text == b"batches_at").unwrap();
        bytes[at] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        get("b").verify().unwrap();
        assert_eq!(made.get(), 3);
    }

    proptest! {
        #[test]
        fn a_page_laid_over_the_graph_is_as_if_the_graph_had_it(
            links in proptest::collection::btree_set((0u32..12, 0u32..12), 0..60),
            new in proptest::collection::btree_set(0u32..12, 0..8),
            page in 0u32..13,
        ) {
            let links: BTreeSet<(u32, u32)> = links.into_iter().filter(|(s, t)| s != t).collect();
            let graph = |links: &BTreeSet<(u32, u32)>, pages: u32| {
                let row = |page| links.range((page, 0)..(page + 1, 0)).map(|&(_, target)| PageId(target));
                let table: CsrBuf<PageId> = (0..pages).map(|page| row(page).collect::<Vec<_>>()).collect();
                Neighbours::new(table.view())
            };
            let old: Vec<PageId> = links.range((page, 0)..(page + 1, 0)).map(|link| PageId(link.1)).collect();
            let new: Vec<u32> = new.into_iter().filter(|target| *target != page).collect();
            let targets: Vec<PageId> = new.iter().copied().map(PageId).collect();
            let links_back = |other: PageId| Ok(links.contains(&(other.0, page)));
            let laid = graph(&links, 12).with_page(PageId(page), &old, &targets, links_back).unwrap();
            let mut changed = links.clone();
            changed.retain(|link| link.0 != page);
            changed.extend(new.iter().map(|&target| (page, target)));
            let expected = graph(&changed, 12.max(page + 1));
            prop_assert_eq!(laid.num_pages(), expected.num_pages());
            for page in (0..laid.num_pages() as u32).map(PageId) {
                prop_assert_eq!(laid.of(page).unwrap(), expected.of(page).unwrap());
                prop_assert_eq!(laid.num_of(page).unwrap(), expected.num_of(page).unwrap());
                prop_assert_eq!(laid.in_degree(page).unwrap(), expected.in_degree(page).unwrap());
            }
            let all: Vec<PageId> = (0..12).map(PageId).collect();
            let common = |graph: &Neighbours| graph.map_common(PageId(page), &all, |_, common| Ok(common.to_vec())).unwrap();
            prop_assert_eq!(common(&laid), common(&expected));
        }

        #[test]
        fn every_link_goes_both_ways_in_any_memory(
            links in proptest::collection::btree_set((0u32..40, 0u32..40), 0..400),
            most in 0usize..300,
        ) {
            let links: BTreeSet<(u32, u32)> = links.into_iter().filter(|(s, t)| s != t).collect();
            let row = |page| links.range((page, 0)..(page + 1, 0)).map(|&(_, target)| PageId(target));
            let table: CsrBuf<PageId> = (0..40).map(|page| row(page).collect::<Vec<_>>()).collect();
            let settings = Settings { graph: String::new(), pages: 40 };
            let path = Path::new("neighbours");
            let bytes = |most| {
                let sink = write(path, Sink::in_memory(), table.view(), most, &settings, &mut Silent).unwrap();
                sink.into_map(path).unwrap()
            };
            let map = bytes(most);
            prop_assert_eq!(&map[..], &bytes(usize::MAX)[..]);
            let neighbours = open(path.into(), map, &settings).unwrap();
            for page in 0..40 {
                let expected: BTreeSet<PageId> = links
                    .iter()
                    .filter_map(|&(s, t)| if s == page { Some(t) } else { (t == page).then_some(s) })
                    .map(PageId)
                    .collect();
                prop_assert_eq!(neighbours.of(PageId(page)).unwrap(), expected.into_iter().collect::<Vec<_>>());
                let to_it = links.iter().filter(|link| link.1 == page).count();
                prop_assert_eq!(neighbours.in_degree(PageId(page)).unwrap(), to_it as u32);
            }
        }
    }
}
