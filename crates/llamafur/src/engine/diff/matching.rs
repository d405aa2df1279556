//! Matching of the pages and categories of two corpora.
//!
//! Names ascend in a corpus, so one pass goes over both lists side by side. Memory holds one number for each page and
//! category.

use crate::Error;
use crate::corpus::Corpus;
use crate::graph::{CategoryId, PageId};
use std::cmp::Ordering;

/// Marks a missing number.
const NONE: u32 = u32::MAX;

/// The matching pages of two corpora.
pub(super) struct PageMatch {
    /// For each older page, the newer one that its title leads to.
    leads_to: Vec<u32>,
    /// For each newer page, the older one that it is.
    older: Vec<u32>,
    /// Pages with a new title, the older page first.
    pub(super) moved: Vec<(PageId, PageId)>,
    /// Newer pages whose titles led to an older page, each with that page.
    split: Vec<(PageId, PageId)>,
}

impl PageMatch {
    /// Matches pages of the same title. A page also matches if its older title now leads to a page whose title no older
    /// page has: it was moved. Of several such pages the one that the new title led to before matches, else the first.
    pub(super) fn new(old: &Corpus, new: &Corpus) -> Result<PageMatch, Error> {
        let mut leads_to = vec![NONE; old.num_pages()];
        let mut older = vec![NONE; new.num_pages()];
        let compare = |left: usize, right: usize| {
            Ok(old.title(PageId(left as u32))?.cmp(new.title(PageId(right as u32))?))
        };
        join(old.num_pages(), new.num_pages(), compare, |left, right| {
            leads_to[left] = right as u32;
            older[right] = left as u32;
        })?;
        let mut split = Vec::new();
        for (page, _) in (0u32..).zip(&older).filter(|(_, older)| **older == NONE) {
            if let Some(led_to) = old.resolve(new.title(PageId(page))?)? {
                split.push((PageId(page), led_to));
            }
        }
        let has_match: Vec<bool> = older.iter().map(|&page| page != NONE).collect();
        let mut without = Vec::new();
        for (page, leads_to) in (0u32..).zip(&mut leads_to).filter(|(_, to)| **to == NONE) {
            let Some(to) = new.resolve(old.title(PageId(page))?)? else { continue };
            *leads_to = to.0;
            if !has_match[to.index()] {
                without.push((PageId(page), to));
                let was_there = split.binary_search(&(to, PageId(page))).is_ok();
                if older[to.index()] == NONE || was_there {
                    older[to.index()] = page;
                }
            }
        }
        let moved = without.into_iter().filter(|(page, to)| older[to.index()] == page.0).collect();
        split.retain(|(page, _)| older[page.index()] == NONE);
        Ok(PageMatch { leads_to, older, moved, split })
    }

    /// Returns the older page that a newer one is.
    pub(super) fn older(&self, page: PageId) -> Option<PageId> {
        some(self.older[page.index()])
    }

    /// Returns the newer page that the title of an older one leads to.
    pub(super) fn leads_to(&self, page: PageId) -> Option<PageId> {
        some(self.leads_to[page.index()])
    }

    /// Returns the newer page that an older one is.
    pub(super) fn newer(&self, page: PageId) -> Option<PageId> {
        self.leads_to(page).filter(|&to| self.older(to) == Some(page))
    }

    /// Returns the older page that the title of a new page led to.
    pub(super) fn led_to(&self, page: PageId) -> Option<PageId> {
        let at = self.split.binary_search_by_key(&page, |(page, _)| *page).ok()?;
        Some(self.split[at].1)
    }
}

/// The matching categories of two corpora.
pub(super) struct CategoryMatch {
    older: Vec<u32>,
    /// Number of new categories, and of removed ones.
    pub(super) came: u64,
    pub(super) went: u64,
}

impl CategoryMatch {
    pub(super) fn new(old: &Corpus, new: &Corpus) -> Result<CategoryMatch, Error> {
        let (mut older, mut same) = (vec![NONE; new.num_categories()], 0);
        let compare = |left: usize, right: usize| {
            Ok(old.category_name(CategoryId(left as u32))?.cmp(new.category_name(CategoryId(right as u32))?))
        };
        join(old.num_categories(), new.num_categories(), compare, |left, right| {
            older[right] = left as u32;
            same += 1;
        })?;
        let [came, went] = [new, old].map(|corpus| corpus.num_categories() as u64 - same);
        Ok(CategoryMatch { older, came, went })
    }

    /// Returns the older category that a newer one is.
    pub(super) fn older(&self, category: CategoryId) -> Option<CategoryId> {
        Some(self.older[category.index()]).filter(|&older| older != NONE).map(CategoryId)
    }
}

fn some(number: u32) -> Option<PageId> {
    (number != NONE).then_some(PageId(number))
}

/// Walks two ascending lists of names of these lengths, and calls `each` for every name that both have.
fn join(
    left: usize,
    right: usize,
    compare: impl Fn(usize, usize) -> Result<Ordering, Error>,
    mut each: impl FnMut(usize, usize),
) -> Result<(), Error> {
    let (mut at, mut other) = (0, 0);
    while at < left && other < right {
        match compare(at, other)? {
            Ordering::Less => at += 1,
            Ordering::Greater => other += 1,
            Ordering::Equal => {
                each(at, other);
                (at, other) = (at + 1, other + 1);
            }
        }
    }
    Ok(())
}
