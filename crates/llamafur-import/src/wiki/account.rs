//! Counts of everything in a dump, used or left out.

use super::error::Loss;
use super::extract::LinkCounts;
use std::collections::BTreeMap;

/// Counts of the pages, redirects, links and categories of a dump.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WikiAccount {
    /// Number of pages by namespace.
    pub namespaces: BTreeMap<i32, u64>,
    /// Counts of these pages.
    pub pages: PageAccount,
    /// Counts of the redirects between articles.
    pub redirects: RedirectAccount,
    /// Counts of the links in articles.
    pub links: LinkAccount,
    /// Counts of the categories.
    pub categories: CategoryAccount,
    /// Parts that could not be read.
    pub losses: Vec<Loss>,
    /// The first few unreadable pages of files that are complete.
    pub bad_examples: Vec<String>,
}

/// Counts of pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PageAccount {
    /// Articles in the corpus.
    pub articles: u64,
    /// Pages found again in another part of the dump: the newest revision counts.
    pub repeated: u64,
    /// Pages whose XML could not be read.
    pub bad: u64,
    /// Pages whose text was deleted from public view.
    pub deleted: u64,
    /// Pages with bytes that are not UTF-8, which were replaced.
    pub not_utf8: u64,
    /// Articles without a category.
    pub uncategorised: u64,
}

/// Counts of redirects between articles.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RedirectAccount {
    /// All redirects.
    pub all: u64,
    /// Redirects directly to an article.
    pub followed: u64,
    /// Redirects to an article through other redirects.
    pub chained: u64,
    /// Redirects to themselves.
    pub looping: u64,
    /// Redirects to a missing page, or without a target.
    pub broken: u64,
    /// Redirects to a page that is no article.
    pub elsewhere: u64,
}

/// Counts of the links in the text of articles: `all = kept + repeated + own + red + dead + sections + elsewhere +
/// interwiki + invalid + superseded`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LinkAccount {
    /// Links in the corpus.
    pub kept: u64,
    /// Links to an article that the page links to already, perhaps by another title.
    pub repeated: u64,
    /// Links from an article to itself.
    pub own: u64,
    /// Links to a title that no page has.
    pub red: u64,
    /// Links to a redirect that leads to no article.
    pub dead: u64,
    /// Links to a section of the same page.
    pub sections: u64,
    /// Links to pages that are no articles.
    pub elsewhere: u64,
    /// Links to other wikis.
    pub interwiki: u64,
    /// Links whose target is no valid title.
    pub invalid: u64,
    /// Links from older revisions of pages.
    pub superseded: u64,
}

/// Counts of categories.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CategoryAccount {
    /// Categories in the corpus.
    pub kept: u64,
    /// Categories with a page of their own.
    pub described: u64,
    /// Hidden categories that were left out.
    pub hidden: u64,
    /// Renamed categories, which the new name replaces.
    pub moved: u64,
    /// Pairs of a page and a category in the corpus.
    pub carried: u64,
    /// Pairs left out because the category is hidden.
    pub carried_hidden: u64,
    /// Edges of the category tree.
    pub tree_edges: u64,
}

impl WikiAccount {
    pub(crate) fn add_links(&mut self, counts: LinkCounts) {
        let links = &mut self.links;
        links.repeated += counts.repeated;
        links.sections += counts.sections;
        links.elsewhere += counts.elsewhere;
        links.interwiki += counts.interwiki;
        links.invalid += counts.invalid;
    }

    /// Counts all pages.
    pub fn all_pages(&self) -> u64 {
        self.namespaces.values().sum()
    }

    /// Counts all links in the text of articles.
    pub fn all_links(&self) -> u64 {
        let LinkAccount {
            kept,
            repeated,
            own,
            red,
            dead,
            sections,
            elsewhere,
            interwiki,
            invalid,
            superseded,
        } = self.links;
        kept + repeated + own + red + dead + sections + elsewhere + interwiki + invalid + superseded
    }

    /// Returns every count by name, as in the corpus's manifest.
    pub fn counts(&self) -> BTreeMap<String, u64> {
        let (pages, redirects, links, categories) =
            (&self.pages, &self.redirects, &self.links, &self.categories);
        let named = [
            ("pages.all", self.all_pages()),
            ("pages.articles", pages.articles),
            ("pages.repeated", pages.repeated),
            ("pages.bad", pages.bad),
            ("pages.deleted", pages.deleted),
            ("pages.not-utf8", pages.not_utf8),
            ("pages.uncategorised", pages.uncategorised),
            ("redirects.all", redirects.all),
            ("redirects.followed", redirects.followed),
            ("redirects.chained", redirects.chained),
            ("redirects.looping", redirects.looping),
            ("redirects.broken", redirects.broken),
            ("redirects.elsewhere", redirects.elsewhere),
            ("links.all", self.all_links()),
            ("links.kept", links.kept),
            ("links.repeated", links.repeated),
            ("links.self", links.own),
            ("links.red", links.red),
            ("links.dead", links.dead),
            ("links.sections", links.sections),
            ("links.elsewhere", links.elsewhere),
            ("links.interwiki", links.interwiki),
            ("links.invalid", links.invalid),
            ("links.superseded", links.superseded),
            ("categories.kept", categories.kept),
            ("categories.described", categories.described),
            ("categories.hidden", categories.hidden),
            ("categories.moved", categories.moved),
            ("categories.carried", categories.carried),
            ("categories.carried-hidden", categories.carried_hidden),
            ("categories.tree-edges", categories.tree_edges),
            ("losses", self.losses.len() as u64),
        ];
        let named = named.into_iter().map(|(name, count)| (name.to_owned(), count));
        let spaces = self.namespaces.iter().map(|(key, count)| (format!("pages.namespace.{key}"), *count));
        named.chain(spaces).collect()
    }
}
