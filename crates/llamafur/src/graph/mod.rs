//! The graph: links and categories of pages, folds of pairs, and the neighbours that pages share.

mod folds;
mod ids;
mod intersect;
pub(crate) mod inverted;
mod neighbours;

pub use folds::{Fold, Pairs};
pub(crate) use ids::TermId;
pub use ids::{CategoryId, MilestoneId, PageId};
pub use neighbours::Neighbours;
pub(crate) use neighbours::in_common;

use crate::storage::Csr;

/// A graph whose nodes carry categories: what the learners learn from.
#[derive(Debug, Clone, Copy)]
pub struct Graph<'a> {
    /// The links of each page, ascending.
    pub links: Csr<'a, PageId>,
    /// The categories of each page, ascending.
    pub categories: Csr<'a, MilestoneId>,
    /// The number of categories; every category id is below.
    pub num_categories: usize,
    /// The pairs that may be drawn as non-links: all, unless a fold of them is held out.
    pub pairs: Pairs,
}

impl<'a> Graph<'a> {
    /// Creates a graph all of whose pairs may be learnt from.
    pub fn new(links: Csr<'a, PageId>, categories: Csr<'a, MilestoneId>, num_categories: usize) -> Graph<'a> {
        Graph { links, categories, num_categories, pairs: Pairs::All }
    }

    /// Returns the number of pages.
    pub fn num_pages(&self) -> usize {
        self.links.num_rows()
    }

    /// Returns the number of links.
    pub fn num_links(&self) -> usize {
        self.links.num_values()
    }

    /// Returns the mean number of categories of a page, of the pages that have any; 1 where none has.
    pub fn mean_num_categories(&self) -> f64 {
        let with_any = (0..self.num_pages()).filter(|&page| !self.categories.row(page).is_empty()).count();
        if with_any == 0 { 1.0 } else { self.categories.num_values() as f64 / with_any as f64 }
    }

    /// Returns the links of a page, ascending.
    #[inline]
    pub fn links(&self, page: PageId) -> &'a [PageId] {
        self.links.row(page.index())
    }

    /// Returns the categories of a page, ascending.
    #[inline]
    pub fn categories(&self, page: PageId) -> &'a [MilestoneId] {
        self.categories.row(page.index())
    }

    /// Returns all pages.
    pub fn pages(&self) -> impl ExactSizeIterator<Item = PageId> + use<> {
        (0..self.num_pages() as u32).map(PageId)
    }
}
