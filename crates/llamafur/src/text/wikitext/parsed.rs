//! A page parsed once, for all questions about its links.

use super::blocks::blocks;
use super::context::unit;
use super::layout::Layout;
use super::lines::LineKind;
use super::page::redirect_target;
use super::places::{Place, PlacedLink, Section};
use super::plain::rendered;
use super::render::{Parts, Renderer};
use super::site::ARTICLES;
use super::snippet::{LinkContext, Passages, Snippet, around, link_at};
use super::spans::{sorted_links, spans_with_links};
use super::title::{Target, Titles};
use crate::text::Block;
use std::ops::Range;
use std::sync::OnceLock;

/// A page of a wiki, parsed: its links to articles, and their contexts.
pub struct ParsedPage {
    pub(super) parts: Parts<'static>,
    links: Vec<ArticleLink>,
    /// The start of the first heading.
    heading: usize,
    layout: OnceLock<Layout>,
    pub(super) passages: Passages,
}

/// A link to an article, in the page's order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArticleLink {
    /// The title of the article, as the wiki reads it.
    pub name: String,
    /// The range of the link in the wikitext, with its brackets; of the target of an image, the option that names it.
    pub span: Range<usize>,
}

impl ParsedPage {
    /// Parses a page.
    pub fn new(wikitext: &str, titles: &Titles) -> ParsedPage {
        let mut buffer = String::new();
        let mut article = |target: &str| match titles.parse(target, &mut buffer) {
            Target::Page { namespace: ARTICLES, name, .. } => Some(name.to_owned()),
            _ => None,
        };
        let all = sorted_links(wikitext, titles);
        let links: Vec<ArticleLink> = all
            .iter()
            .filter_map(|link| Some(ArticleLink { name: article(&link.target)?, span: link.span.clone() }))
            .collect();
        let spans = spans_with_links(wikitext, titles, all);
        let parts = Parts::with_spans(wikitext.to_owned().into(), spans);
        let heading = parts.lines.iter().find(|line| line.kind == LineKind::Heading);
        let heading = heading.map_or(wikitext.len(), |line| line.range.start);
        ParsedPage { parts, links, heading, layout: OnceLock::new(), passages: Passages::default() }
    }

    /// Returns the wikitext.
    pub fn wikitext(&self) -> &str {
        &self.parts.text
    }

    /// Returns the links to articles.
    pub fn links(&self) -> &[ArticleLink] {
        &self.links
    }

    /// Returns the page as [`plain_text`](super::plain_text) does.
    pub(crate) fn plain_text(&self, titles: &Titles) -> String {
        match redirect_target(self.wikitext(), titles) {
            Some(_) => String::new(),
            None => rendered(&self.parts, &Renderer::new(&self.parts)),
        }
    }

    /// Returns the page to read: headings, paragraphs and items of lists with the text that
    /// [`plain_text`](super::plain_text) has, what is bold, italic or a link marked. Of each of [`ParsedPage::links`]
    /// `targets` has the title of the page that it leads to; one without is text. Of a page that redirects, nothing.
    pub fn blocks(&self, titles: &Titles, targets: &[Option<&str>]) -> Vec<Block> {
        match redirect_target(self.wikitext(), titles) {
            Some(_) => Vec::new(),
            None => blocks(&self.parts, &self.links, targets),
        }
    }

    /// Returns the plain text with a character in the place of each link to an article; of a page that redirects, too.
    pub(crate) fn text_without_links(&self, mark: char) -> String {
        rendered(&self.parts, &Renderer::without_links(&self.parts, &self.links, mark))
    }

    /// Returns the place of a link, by its number among [`ParsedPage::links`].
    pub(crate) fn placed(&self, link: usize) -> PlacedLink {
        let at = self.links[link].span.start;
        PlacedLink {
            place: link_at(&self.parts, at)
                .map_or(Place::Prose, |link| unit(&self.parts, self.layout(), link).place),
            section: if at < self.heading { Section::Lead } else { Section::Rest },
            depth: at as f64 / self.parts.text.len() as f64,
        }
    }

    /// Returns the snippet of the best of these links, by their numbers: the first in the best [`Place`].
    pub fn snippet(&self, links: &[usize]) -> Option<Snippet> {
        around(self, links).map(|context| context.snippet)
    }

    /// Returns the snippet of the best of these links with its section and its sentence.
    pub(crate) fn link_context(&self, links: &[usize]) -> Option<LinkContext> {
        around(self, links)
    }

    /// Returns the groups of the page, which are found at the first call.
    pub(super) fn layout(&self) -> &Layout {
        self.layout.get_or_init(|| Layout::new(&self.parts))
    }
}

impl std::fmt::Debug for ParsedPage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ParsedPage").field("links", &self.links).finish_non_exhaustive()
    }
}
