//! A corpus in which one page is another one than on disk, or one page more.
//!
//! What is asked of that page is answered from memory, all else from the files. What goes over the whole graph does not see it.

use super::Corpus;
use crate::graph::{CategoryId, PageId};
use std::sync::Arc;

/// A page in the place of one of the corpus, or after the last one.
#[derive(Debug)]
pub(crate) struct PageOverlay {
    pub(crate) page: PageId,
    pub(crate) title: String,
    /// Ascending, without the page itself.
    pub(crate) links: Vec<PageId>,
    /// Ascending.
    pub(crate) categories: Vec<CategoryId>,
    /// As the corpus would store it.
    pub(crate) text: String,
}

impl Corpus {
    /// The same corpus with this page.
    pub(crate) fn with_page(&self, overlay: Arc<PageOverlay>) -> Corpus {
        Corpus(self.0.clone(), Some(overlay))
    }

    /// The page, if it is the one that is not as on disk.
    #[inline]
    pub(super) fn overlay_of(&self, page: PageId) -> Option<&PageOverlay> {
        self.1.as_deref().filter(|overlay| overlay.page == page)
    }
}
