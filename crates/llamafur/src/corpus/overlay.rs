//! A corpus in which one page is another one than on disk, or one page more.
//!
//! That page is read from memory, all else from the files. Work on the whole graph does not see it.

use super::Corpus;
use crate::graph::{CategoryId, PageId};
use std::sync::Arc;

/// A page in the place of one of the corpus, or after the last one.
#[derive(Debug)]
pub(crate) struct PageOverlay {
    pub(crate) page: PageId,
    pub(crate) title: String,
    /// The links, ascending, without the page itself.
    pub(crate) links: Vec<PageId>,
    /// The categories, ascending.
    pub(crate) categories: Vec<CategoryId>,
    /// The text as the corpus would store it.
    pub(crate) text: String,
}

impl Corpus {
    /// Returns the corpus with this page.
    pub(crate) fn with_page(&self, overlay: Arc<PageOverlay>) -> Corpus {
        Corpus(self.0.clone(), Some(overlay))
    }

    /// Returns the page, if it differs from the one on disk.
    #[inline]
    pub(super) fn overlay_of(&self, page: PageId) -> Option<&PageOverlay> {
        self.1.as_deref().filter(|overlay| overlay.page == page)
    }
}
