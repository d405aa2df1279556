//! Finds the pages of a corpus by the titles in a file.

use llamafur::Error;
use llamafur::corpus::{Corpus, Found};
use llamafur::graph::PageId;

/// The subject of judgments: pages with titles, and links.
pub trait Pages {
    /// Returns the page of a title; `None` if there is none, or several.
    fn page(&mut self, title: &str) -> Result<Option<PageId>, Error>;

    /// Returns whether a page links to another.
    fn has_link(&self, source: PageId, target: PageId) -> Result<bool, Error>;

    /// Returns the title of a page.
    fn title(&self, page: PageId) -> Result<String, Error>;
}

/// Finds the corpus's pages by title, as in [`Corpus::find_page`].
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
