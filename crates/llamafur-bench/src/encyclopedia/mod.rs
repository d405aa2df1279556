//! A small embedded encyclopedia of true facts, to try the tools on.
//!
//! Each fact is stated once, in a table of `encyclopedia/`: a file a kind of thing, a
//! row a page. The kinds are declared in `kinds`: which sentences tell a
//! row's own facts, which sentences tell the same facts on the pages that the
//! row names, and which categories follow from the columns. A category too
//! small to be useful gives its pages to its parents. Last, the sentences of
//! `encyclopedia/oddities.tsv` add true links of a kind that no template ever makes.

mod catalogue;
mod categories;
mod dump;
mod kinds;
mod prose;
mod schema;
mod table;
mod template;
#[cfg(test)]
mod tests;

use catalogue::Catalogue;
use std::collections::BTreeSet;

const ODDITIES_FILE: &str = "oddities.tsv";
const ODDITIES_TABLE: &str = include_str!("../../encyclopedia/oddities.tsv");

/// A page of the encyclopedia.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The unique title, which links name.
    pub title: String,
    /// The categories that the page carries, sorted.
    pub categories: Vec<String>,
    /// The text, with links written `[[Title]]` or `[[Title|anchor]]`.
    pub wikitext: String,
}

/// A true but surprising link between two pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Oddity {
    /// The page with the link.
    pub source: String,
    /// The page it leads to.
    pub target: String,
}

/// The whole encyclopedia.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encyclopedia {
    /// All pages, sorted by title.
    pub pages: Vec<Page>,
    /// The category tree as sorted pairs of child and parent.
    pub category_tree: Vec<(String, String)>,
    /// The surprising links, in the order of their table.
    pub oddities: Vec<Oddity>,
}

impl Encyclopedia {
    /// Writes the encyclopedia from the embedded tables, the same every time.
    ///
    /// # Panics
    ///
    /// When an embedded table is malformed; the message names file and line.
    pub fn build() -> Encyclopedia {
        let catalogue = Catalogue::load();
        let texts = prose::write_all(&catalogue);
        let (carried, category_tree) = categories::classify(&catalogue);
        let entries = catalogue.entries.iter().zip(texts).zip(carried);
        let mut pages: Vec<Page> = entries
            .map(|((entry, wikitext), categories)| Page {
                title: entry.title.clone(),
                categories: categories.into_iter().collect(),
                wikitext,
            })
            .collect();
        pages.sort_by(|a, b| a.title.cmp(&b.title));
        let oddities = append_oddities(&mut pages);
        Encyclopedia { pages, category_tree, oddities }
    }
}

/// Appends each surprising sentence to its page.
fn append_oddities(pages: &mut [Page]) -> Vec<Oddity> {
    let mut oddities = Vec::new();
    for row in table::parse(ODDITIES_FILE, ODDITIES_TABLE) {
        let cell =
            |column| row.first(column).unwrap_or_else(|| panic!("{ODDITIES_FILE}: no {column}")).to_owned();
        let (source, target) = (cell("source"), cell("target"));
        let at = pages
            .binary_search_by(|page| page.title.cmp(&source))
            .unwrap_or_else(|_| panic!("{ODDITIES_FILE}: no page {source}"));
        pages[at].wikitext.push(' ');
        pages[at].wikitext.push_str(&cell("sentence"));
        oddities.push(Oddity { source, target });
    }
    oddities
}

impl Page {
    /// The titles that the page links to, distinct and sorted.
    pub fn links(&self) -> Vec<&str> {
        link_targets(&self.wikitext).into_iter().collect()
    }

    /// The text as a reader sees it: anchors only, without brackets.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for part in split_links(&self.wikitext) {
            text.push_str(match part {
                Part::Plain(plain) => plain,
                Part::Link { anchor, .. } => anchor,
            });
        }
        text
    }
}

/// A stretch of wikitext.
enum Part<'a> {
    Plain(&'a str),
    Link { target: &'a str, anchor: &'a str },
}

/// Cuts wikitext at its links.
fn split_links(wikitext: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = wikitext;
    while let Some((plain, (link, after))) =
        rest.split_once("[[").and_then(|(plain, tail)| Some((plain, tail.split_once("]]")?)))
    {
        let (target, anchor) = link.split_once('|').unwrap_or((link, link));
        parts.push(Part::Plain(plain));
        parts.push(Part::Link { target, anchor });
        rest = after;
    }
    parts.push(Part::Plain(rest));
    parts
}

/// The distinct targets of the links in wikitext.
fn link_targets(wikitext: &str) -> BTreeSet<&str> {
    let target = |part| match part {
        Part::Plain(_) => None,
        Part::Link { target, .. } => Some(target),
    };
    split_links(wikitext).into_iter().filter_map(target).collect()
}
