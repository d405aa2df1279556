//! Counts of the links between a category and others, in both directions.

use super::CategoryPages;
use crate::Error;
use crate::categories::Categories;
use crate::graph::{MilestoneId, Neighbours, PageId};
use crate::interrupt;
use rayon::prelude::*;

/// Number of pages from which on a category is counted with one other at a time: reading the categories of all their
/// neighbours would take long, and few others are requested.
const LARGE: usize = 4096;

/// Smallest number of pages that a thread takes.
const PAGES_OF_THREAD: usize = 1024;

/// Numbers of links in both directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Links {
    pub(crate) to: u64,
    pub(crate) from: u64,
}

impl std::ops::Add for Links {
    type Output = Links;

    fn add(self, other: Links) -> Links {
        Links { to: self.to + other.to, from: self.from + other.from }
    }
}

/// The links between the pages of a category and those of others.
pub(crate) struct LinksBetween<'a> {
    categories: &'a Categories,
    index: &'a CategoryPages,
    neighbours: &'a Neighbours,
    pages: &'a [PageId],
    counts: Counts,
}

enum Counts {
    /// The links with every category.
    All(Vec<Links>),
    /// For each page, true if it is of the category; links are counted on request.
    Asked(Vec<bool>),
}

impl<'a> LinksBetween<'a> {
    /// Counts the links of this category, or prepares to count them on request if it is large.
    pub(crate) fn new(
        categories: &'a Categories,
        index: &'a CategoryPages,
        neighbours: &'a Neighbours,
        category: MilestoneId,
    ) -> Result<LinksBetween<'a>, Error> {
        let is_large = index.of(category)?.len() >= LARGE;
        LinksBetween::counted(categories, index, neighbours, category, is_large)
    }

    /// Counts the links of this category; on request if `when_asked`.
    pub(super) fn counted(
        categories: &'a Categories,
        index: &'a CategoryPages,
        neighbours: &'a Neighbours,
        category: MilestoneId,
        when_asked: bool,
    ) -> Result<LinksBetween<'a>, Error> {
        let counts = Counts::Asked(if when_asked { index.marked([category])? } else { Vec::new() });
        let mut links = LinksBetween { categories, index, neighbours, pages: index.of(category)?, counts };
        if !when_asked {
            links.counts = Counts::All(links.with_all()?);
        }
        Ok(links)
    }

    /// Returns the links with another category.
    pub(crate) fn with(&self, other: MilestoneId) -> Result<Links, Error> {
        let marked = match &self.counts {
            Counts::All(all) => return Ok(all[other.index()]),
            Counts::Asked(marked) => marked,
        };
        let others = self.index.of(other)?;
        // Of the two, the category with fewer pages is gone through.
        if self.pages.len() < others.len() {
            return self.between(self.pages, &self.index.marked([other])?);
        }
        let back = self.between(others, marked)?;
        Ok(Links { to: back.from, from: back.to })
    }

    fn with_all(&self) -> Result<Vec<Links>, Error> {
        let mut all = vec![Links::default(); self.categories.num()];
        for &page in self.pages {
            interrupt::check()?;
            for &other in self.neighbours.of(page)? {
                let links = self.joining(page, other)?;
                for category in self.categories.of(other)? {
                    all[category.index()] = all[category.index()] + links;
                }
            }
        }
        Ok(all)
    }

    /// Counts the links between some pages and the marked ones.
    fn between(&self, pages: &[PageId], marked: &[bool]) -> Result<Links, Error> {
        let carried = interrupt::carried();
        let of_page = |mut sum: Links, page: PageId| {
            interrupt::check()?;
            for &other in self.neighbours.of(page)? {
                if marked[other.index()] {
                    sum = sum + self.joining(page, other)?;
                }
            }
            Ok::<_, Error>(sum)
        };
        let pages = pages.par_iter().with_min_len(PAGES_OF_THREAD);
        let sums = pages.try_fold(Links::default, |sum, &page| carried.scope(|| of_page(sum, page)));
        sums.try_reduce(Links::default, |one, two| Ok(one + two))
    }

    /// Counts the links between a page and a neighbour of it.
    fn joining(&self, page: PageId, other: PageId) -> Result<Links, Error> {
        let links = |page: PageId, other: PageId| {
            let is_link = self.categories.corpus().links(page)?.binary_search(&other).is_ok();
            Ok::<_, Error>(u64::from(is_link))
        };
        let to = links(page, other)?;
        // Neighbours have a link one way or the other: only one that is there need be looked for both ways.
        Ok(Links { to, from: if to == 0 { 1 } else { links(other, page)? } })
    }
}
