//! From the titles in a file to the pages of a corpus, or to numbers where there is no corpus.

use llamafur::Error;

use llamafur::corpus::{Corpus, Found};
use llamafur::graph::PageId;
use std::collections::HashMap;

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

/// Titles numbered as they come, with underscores read as spaces; every pair is taken for a link.
#[derive(Default)]
pub struct Numbered {
    names: Names,
}

impl Numbered {
    /// How many titles there are.
    pub fn num_pages(&self) -> usize {
        self.names.names.len()
    }

    /// The title of a page.
    ///
    /// # Panics
    /// If no title has that number.
    pub fn title(&self, page: PageId) -> &str {
        self.names.get(page.0)
    }
}

impl Pages for Numbered {
    fn page(&mut self, title: &str) -> Result<Option<PageId>, Error> {
        if title.is_empty() {
            return Ok(None);
        }
        let number = if title.contains('_') {
            self.names.number(&title.replace('_', " "))
        } else {
            self.names.number(title)
        };
        Ok(Some(PageId(number)))
    }

    fn has_link(&self, _: PageId, _: PageId) -> Result<bool, Error> {
        Ok(true)
    }

    fn title(&self, page: PageId) -> Result<String, Error> {
        Ok(self.names.get(page.0).to_owned())
    }
}

/// Different names, numbered as they come.
#[derive(Default)]
pub(super) struct Names {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Names {
    /// The number of a name, which is a new one if need be.
    pub(super) fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = u32::try_from(self.names.len()).expect("fewer names than 2³²");
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// The name of a number.
    pub(super) fn get(&self, number: u32) -> &str {
        &self.names[number as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbered_as_they_come() {
        let mut names = Names::default();
        let numbers: Vec<u32> = ["b", "", "a", "b", "ab", ""].map(|name| names.number(name)).to_vec();
        assert_eq!(numbers, [0, 1, 2, 0, 3, 1]);
        assert_eq!((names.get(0), names.get(1), names.get(3)), ("b", "", "ab"));
    }
}
