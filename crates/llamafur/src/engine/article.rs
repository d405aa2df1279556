//! An article as readable blocks, every link in its place.

use super::Engine;
use crate::Error;
use crate::explain::first_paragraph;
use crate::graph::PageId;
use crate::interrupt;
use crate::text::{Block, plain_blocks};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A page to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Article {
    /// Its title.
    pub title: String,
    /// The names of its categories.
    pub categories: Vec<String>,
    /// How many links it has.
    pub num_links: usize,
    /// Where the article is on the web; `null` where that is not known.
    pub url: Option<String>,
    /// Its text; empty where the corpus has none.
    pub blocks: Vec<Block>,
    /// The titles of pages that it links to, but not in these blocks: the links are in templates, tables or references, or
    /// the text names them nowhere.
    pub unplaced: Vec<String>,
}

impl Engine {
    /// Returns a page's text as blocks in which every link is marked with the title of its target.
    ///
    /// For a wiki, links are where the wikitext has them; templates, tables, references and images are left out. For
    /// plain text, empty lines separate paragraphs, and a link is where the text first names its target.
    ///
    /// # Errors
    /// If there is no such page.
    pub fn article(&self, title: &str) -> Result<Article, Error> {
        self.whole(|| self.article_unwatched(title))
    }

    fn article_unwatched(&self, title: &str) -> Result<Article, Error> {
        let (corpus, page) = (self.corpus(), self.page(title)?);
        let title = corpus.title(page)?;
        let links = corpus.links(page)?;
        let title_of = |&target: &PageId| interrupt::check().and_then(|()| corpus.title(target));
        let titles = links.iter().map(title_of).collect::<Result<Vec<_>, Error>>()?;
        let blocks = match corpus.has_text() {
            true => self.blocks(page, title, links, &titles)?,
            false => Vec::new(),
        };
        let placed: BTreeSet<&str> =
            blocks.iter().flat_map(|block| block.spans()).filter_map(|span| span.target.as_deref()).collect();
        let unplaced = titles.iter().filter(|&target| !placed.contains(target));
        let unplaced = unplaced.map(|&target| target.to_owned()).collect();
        let categories = corpus.categories(page)?.iter();
        let categories = categories.map(|&category| Ok(corpus.category_name(category)?.to_owned()));
        Ok(Article {
            title: title.to_owned(),
            categories: categories.collect::<Result<_, Error>>()?,
            num_links: links.len(),
            url: corpus.manifest().site.as_ref().and_then(|site| site.address(title)),
            blocks,
            unplaced,
        })
    }

    /// Returns the first paragraph of a page as plain text; `None` where it has no text.
    ///
    /// # Errors
    /// If there is no such page.
    pub fn lead(&self, title: &str) -> Result<Option<String>, Error> {
        self.whole(|| self.lead_unwatched(title))
    }

    fn lead_unwatched(&self, title: &str) -> Result<Option<String>, Error> {
        match self.corpus().has_text() {
            true => first_paragraph(self.corpus(), self.page(title)?),
            false => self.page(title).map(|_| None),
        }
    }

    /// Returns the blocks of a page's text, given the pages that it links to and their titles.
    pub(super) fn blocks(
        &self,
        page: PageId,
        title: &str,
        links: &[PageId],
        titles: &[&str],
    ) -> Result<Vec<Block>, Error> {
        let text = self.page_text(page)?;
        let (Some(wiki), Some(syntax)) = (text.wiki()?, self.corpus().wiki_titles()) else {
            return Ok(plain_blocks(text.stored().unwrap_or_default(), title, titles));
        };
        // A link to the page itself, or one that the graph leaves out, is text.
        let target = |page: &Option<PageId>| {
            let place = page.and_then(|page| links.binary_search(&page).ok());
            place.map(|place| titles[place])
        };
        let targets: Vec<Option<&str>> = wiki.targets.iter().map(target).collect();
        Ok(wiki.parsed.blocks(syntax, &targets))
    }
}
