//! From the titles in a file to the pages of a corpus.

use llamafur::Error;
use llamafur::corpus::{Corpus, Found};
use llamafur::graph::PageId;

/// What judgments are about: pages with titles, and links.
pub trait Pages {
    /// The page that a title means; `None` where there is none, or several.
    ///
    /// # Errors
    /// If a file is damaged.
    fn page(&mut self, title: &str) -> Result<Option<PageId>, Error>;

    /// Whether a page links to another.
    ///
    /// # Errors
    /// If a file is damaged.
    fn has_link(&self, source: PageId, target: PageId) -> Result<bool, Error>;

    /// The title of a page.
    ///
    /// # Errors
    /// If a file is damaged.
    fn title(&self, page: PageId) -> Result<String, Error>;
}

/// The corpus's pages, found by title as [`Corpus::find_page`] does.
impl Pages for &Corpus {
    fn page(&mut self, title: &str) -> Result<Option<PageId>, Error> {
        Ok(match self.find_page(title)? {
            Found::One(page) => Some(page),
            Found::Several(_) | Found::None => None,
        })
    }

    fn has_link(&self, source: PageId, target: PageId) -> Result<bool, Error> {
        Ok(self.links(source)?.binary_search(&target).is_ok())
    }

    fn title(&self, page: PageId) -> Result<String, Error> {
        Corpus::title(self, page).map(str::to_owned)
    }
}
