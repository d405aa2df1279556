//! What was done with everything in a dump.

use super::error::Loss;
use super::extract::LinkCounts;
use std::collections::BTreeMap;

/// What was done with the pages, redirects, links and categories of a dump.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WikiAccount {
    /// All pages by namespace.
    pub namespaces: BTreeMap<i32, u64>,
    /// What was done with them.
    pub pages: PageAccount,
    /// What was done with the redirects between articles.
    pub redirects: RedirectAccount,
    /// What was done with the links in articles.
    pub links: LinkAccount,
    /// What was done with the categories.
    pub categories: CategoryAccount,
    /// What could not be read.
    pub losses: Vec<Loss>,
    /// The first few pages that could not be read although the file is whole.
    pub bad_examples: Vec<String>,
}

/// Pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PageAccount {
    /// Articles in the corpus.
    pub articles: u64,
    /// Pages seen again in another part of the dump: the newest revision counts.
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

/// Redirects between articles.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RedirectAccount {
    /// All of them.
    pub all: u64,
    /// That lead straight to an article.
    pub followed: u64,
    /// That lead to an article through other redirects.
    pub chained: u64,
    /// That lead to themselves.
    pub looping: u64,
    /// That lead to a page that does not exist, or to none.
    pub broken: u64,
    /// That lead to a page that is no article.
    pub elsewhere: u64,
}

/// Links as they are written in articles: `all = kept + repeated + own + red + dead + sections + elsewhere +
/// interwiki + invalid + superseded`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LinkAccount {
    /// In the corpus.
    pub kept: u64,
    /// To an article that the page links to already, perhaps by another title.
    pub repeated: u64,
    /// From an article to itself.
    pub own: u64,
    /// To a title that no page has.
    pub red: u64,
    /// To a redirect that leads nowhere.
    pub dead: u64,
    /// To a section of the same page.
    pub sections: u64,
    /// To pages that are no articles.
    pub elsewhere: u64,
    /// To other wikis.
    pub interwiki: u64,
    /// To nothing that could be a title.
    pub invalid: u64,
    /// From pages of which a newer revision was found.
    pub superseded: u64,
}

/// Categories.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CategoryAccount {
    /// In the corpus.
    pub kept: u64,
    /// With a page of their own.
    pub described: u64,
    /// Hidden ones that were left out.
    pub hidden: u64,
    /// That moved to another name, which is used in their place.
    pub moved: u64,
    /// Pairs of a page and a category in the corpus.
    pub carried: u64,
    /// Pairs that were left out since the category is hidden.
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

    /// All pages.
    pub fn all_pages(&self) -> u64 {
        self.namespaces.values().sum()
    }

    /// All links as they are written.
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

    /// Every count by name, as the corpus's manifest keeps them.
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
