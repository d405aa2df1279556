//! Kinds of pages, and counts of the links from one kind to another.
//!
//! A page is of the kind c if it carries the category c or one that is at most [`LEVELS`] levels below c in the category tree. With
//! P(c) the pages of a kind and d⁻(t) the number of links to t,
//!
//! * links(c) = Σ_{p ∈ P(c)} |links of p| ([`KindLinks::num_links`]),
//! * links(c, c') = the links from P(c) to P(c') ([`KindLinks::to`]),
//! * links to c' = Σ_{t ∈ P(c')} d⁻(t) ([`PageKinds::num_links_to`]).
//!
//! All are counts that the tables of the corpus have. They are computed on first use and remembered; a category that is
//! too broad to tell something, with a third of all pages, or too large to be counted in a moment, is no kind.

use super::CategoryPages;
use crate::Error;
use crate::corpus::Corpus;
use crate::graph::{CategoryId, MilestoneId, Neighbours, PageId};
use crate::interrupt;
use crate::storage::CsrBuf;
use rapidhash::RapidHashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

/// Number of levels of the category tree between a page's category and its kinds.
const LEVELS: usize = 2;

/// Largest number of pages of a kind.
const MOST_PAGES: usize = 50_000;

/// Inverse of the largest share of all pages that a kind may have.
const ONE_PAGE_IN: usize = 3;

/// Largest number of numbers that are remembered of each sort.
const REMEMBERED: usize = 1 << 24;

/// Parts of the names of maintenance categories, in lower case; a page is of no such kind.
const HOUSEKEEPING: [&str; 21] = [
    "wikipedia",
    "wikidata",
    "articles",
    "pages using",
    "pages with",
    "pages needing",
    "pages containing",
    "webarchive",
    "cs1",
    "dmy dates",
    "mdy dates",
    "harv and sfn",
    "stub",
    "todo",
    "not-yet",
    "short description",
    "commons category",
    "official website",
    "template",
    "infobox",
    "living people",
];

/// The kinds of the pages of a corpus.
#[derive(Debug)]
pub(crate) struct PageKinds {
    corpus: Corpus,
    pages: CategoryPages,
    children: CsrBuf<u32>,
    neighbours: Arc<Neighbours>,
    members: Remembered<CategoryId, Option<Arc<[PageId]>>>,
    links_to: Remembered<CategoryId, u64>,
    links: Remembered<CategoryId, Arc<KindLinks>>,
    telling: Remembered<PageId, Arc<[CategoryId]>>,
}

/// The links of the pages of a kind.
#[derive(Debug)]
pub(crate) struct KindLinks {
    num_links: u64,
    to: RapidHashMap<CategoryId, u64>,
}

impl KindLinks {
    /// Returns the number of links.
    pub(crate) fn num_links(&self) -> u64 {
        self.num_links
    }

    /// Returns the number of links to pages of a kind.
    pub(crate) fn to(&self, kind: CategoryId) -> u64 {
        self.to.get(&kind).copied().unwrap_or(0)
    }
}

/// Computed values of kinds or pages, and the approximate number of numbers in them.
#[derive(Debug)]
struct Remembered<K, T>(Mutex<(RapidHashMap<K, T>, usize)>);

impl<K: Eq + Hash, T: Clone> Remembered<K, T> {
    fn new() -> Remembered<K, T> {
        Remembered(Mutex::default())
    }

    /// Returns the value of a kind or page; `make` gives it with the number of numbers in it.
    fn get(&self, key: K, make: impl FnOnce() -> Result<(T, usize), Error>) -> Result<T, Error> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = known().0.get(&key) {
            return Ok(value.clone());
        }
        let (value, num) = make()?;
        let (values, held) = &mut *known();
        if *held + num > REMEMBERED {
            values.clear();
            *held = 0;
        }
        *held += num + 1;
        values.insert(key, value.clone());
        Ok(value)
    }
}

impl PageKinds {
    /// Creates the kinds of the pages of a corpus, given its [pages by category](CategoryPages).
    pub(crate) fn new(
        corpus: &Corpus,
        pages: CategoryPages,
        neighbours: Arc<Neighbours>,
    ) -> Result<PageKinds, Error> {
        let children = CsrBuf::transposed(corpus.category_tree()?.cast(), corpus.num_categories());
        let (members, links_to, links) = (Remembered::new(), Remembered::new(), Remembered::new());
        let (corpus, telling) = (corpus.clone(), Remembered::new());
        Ok(PageKinds { corpus, pages, children, neighbours, members, links_to, links, telling })
    }

    /// Returns the kinds that say what a page of the corpus is, made by `make` from its text, which takes a while to read.
    pub(crate) fn telling(
        &self,
        page: PageId,
        make: impl FnOnce() -> Result<Vec<CategoryId>, Error>,
    ) -> Result<Arc<[CategoryId]>, Error> {
        self.telling.get(page, || {
            let kinds = make()?;
            let num = kinds.len();
            Ok((kinds.into(), num))
        })
    }

    /// Returns the corpus whose links are counted.
    pub(crate) fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// Returns these categories and those up to [`LEVELS`] levels above them, ascending.
    fn with_ancestors(&self, categories: &[CategoryId]) -> Result<Vec<CategoryId>, Error> {
        let mut all = categories.to_vec();
        let mut level = 0..all.len();
        for _ in 0..LEVELS {
            for at in level.clone() {
                all.extend_from_slice(self.corpus.parents(all[at])?);
            }
            level = level.end..all.len();
        }
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }

    /// Returns the kinds of a page that carries these categories, ascending.
    pub(crate) fn of(&self, categories: &[CategoryId]) -> Result<Vec<CategoryId>, Error> {
        let mut kinds = Vec::new();
        for kind in self.with_ancestors(categories)? {
            if !is_housekeeping(self.corpus.category_name(kind)?) && self.members(kind)?.is_some() {
                kinds.push(kind);
            }
        }
        Ok(kinds)
    }

    /// Returns the pages that carry one of these categories, ascending; `None` where there are too many. Maintenance
    /// categories do not count.
    pub(crate) fn sharing(&self, categories: &[CategoryId]) -> Result<Option<Vec<PageId>>, Error> {
        let most = MOST_PAGES.min(self.corpus.num_pages() / ONE_PAGE_IN);
        let mut pages: Vec<PageId> = Vec::new();
        for &category in categories {
            interrupt::check()?;
            if !is_housekeeping(self.corpus.category_name(category)?) {
                pages.extend_from_slice(self.pages.of(MilestoneId(category.0))?);
            }
            if pages.len() > 2 * most {
                return Ok(None);
            }
        }
        pages.sort_unstable();
        pages.dedup();
        Ok(Some(pages).filter(|pages| pages.len() <= most))
    }

    /// Returns the pages of a kind, ascending; `None` where there are too many.
    pub(crate) fn members(&self, kind: CategoryId) -> Result<Option<Arc<[PageId]>>, Error> {
        self.members.get(kind, || {
            let most = MOST_PAGES.min(self.corpus.num_pages() / ONE_PAGE_IN);
            let (mut below, mut level) = (vec![kind.0], 0..1);
            let mut pages: Vec<PageId> = Vec::new();
            for depth in 0..=LEVELS {
                for at in level.clone() {
                    interrupt::check()?;
                    pages.extend_from_slice(self.pages.of(MilestoneId(below[at]))?);
                    if depth < LEVELS {
                        below.extend_from_slice(self.children.view().row(below[at] as usize));
                    }
                }
                level = level.end..below.len();
                // A page may be there several times.
                pages.sort_unstable();
                pages.dedup();
                if pages.len() > most || level.len() > MOST_PAGES {
                    return Ok((None, 0));
                }
            }
            let num = pages.len();
            Ok((Some(pages.into()), num))
        })
    }

    /// Returns the number of links to pages of a kind; 0 for one that is too broad.
    pub(crate) fn num_links_to(&self, kind: CategoryId) -> Result<u64, Error> {
        self.links_to.get(kind, || {
            let mut num = 0;
            for &page in self.members(kind)?.iter().flat_map(|pages| pages.iter()) {
                num += u64::from(self.neighbours.in_degree(page)?);
            }
            Ok((num, 1))
        })
    }

    /// Returns the links of the pages of a kind; none for one that is too broad.
    pub(crate) fn links_of(&self, kind: CategoryId) -> Result<Arc<KindLinks>, Error> {
        self.links.get(kind, || {
            let mut links = KindLinks { num_links: 0, to: RapidHashMap::default() };
            let mut targets: Vec<PageId> = Vec::new();
            for &page in self.members(kind)?.iter().flat_map(|pages| pages.iter()) {
                interrupt::check()?;
                targets.extend_from_slice(self.corpus.links(page)?);
            }
            links.num_links = targets.len() as u64;
            targets.sort_unstable();
            for same in targets.chunk_by(|a, b| a == b) {
                for kind in self.with_ancestors(self.corpus.categories(same[0])?)? {
                    *links.to.entry(kind).or_default() += same.len() as u64;
                }
            }
            let num = 4 * links.to.len();
            Ok((Arc::new(links), num))
        })
    }

    /// Counts these pages by kind.
    pub(crate) fn count(&self, pages: &[PageId]) -> Result<RapidHashMap<CategoryId, u32>, Error> {
        let mut counts = RapidHashMap::default();
        for &page in pages {
            interrupt::check()?;
            for kind in self.with_ancestors(self.corpus.categories(page)?)? {
                *counts.entry(kind).or_default() += 1;
            }
        }
        Ok(counts)
    }

    /// Returns the pages that link to a page, ascending; `None` where they are more than `most`.
    pub(crate) fn linking_to(&self, page: PageId, most: u32) -> Result<Option<Vec<PageId>>, Error> {
        if page.index() >= self.corpus.num_pages() || self.neighbours.in_degree(page)? > most {
            return Ok(None);
        }
        let mut found = Vec::new();
        for &other in self.neighbours.of(page)? {
            interrupt::check()?;
            if other.index() < self.corpus.num_pages() && self.corpus.has_link(other, page)? {
                found.push(other);
            }
        }
        Ok(Some(found))
    }
}

/// Returns whether a category, by its name, is for maintenance of a wiki or a catalogue or gives a date, rather than
/// the subject of a page. Reasons leave such categories out.
pub fn is_housekeeping(name: &str) -> bool {
    let name = name.to_lowercase();
    HOUSEKEEPING.iter().any(|part| name.contains(part)) || is_of_a_year(&name)
}

/// Returns whether a name begins or ends with a year: “1973 births”, “Companies established in 1990”.
fn is_of_a_year(name: &str) -> bool {
    let is_year = |word: &str| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    name.split_once(' ').is_some_and(|(first, _)| is_year(first))
        || name.rsplit_once(' ').is_some_and(|(_, last)| is_year(last))
}
