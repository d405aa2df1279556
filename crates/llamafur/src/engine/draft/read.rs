//! Reader of drafts: links and categories as the corpus names them, and those that the corpus lacks.

use super::{Draft, DraftAccount};
use crate::Error;
use crate::corpus::{Corpus, Found, PageOverlay};
use crate::graph::{CategoryId, PageId};
use crate::interrupt;
use crate::remedy::Remedy;
use crate::text::wikitext::{ARTICLES, CATEGORIES, Site, Target, Titles, links, redirect_target};
use std::collections::BTreeSet;

/// Reads the page of a draft and the account of its categories and links.
///
/// # Errors
/// If it is a redirect, its title is invalid, or it has no link to a page of the corpus.
pub(super) fn page(corpus: &Corpus, draft: &Draft) -> Result<(PageOverlay, DraftAccount), Error> {
    let refuse = |found: String, advice: &'static str| {
        Err(Error::Draft { title: draft.title.clone(), found, remedy: Remedy::advice(advice) })
    };
    let title = match corpus.wiki_titles() {
        Some(titles) => match titles.parse(&draft.title, &mut String::new()) {
            Target::Page { namespace: ARTICLES, name, .. } => name.to_owned(),
            // In a place where drafts are kept: “Draft:Io”, “User:Galileo/Io”.
            Target::Page { .. } => draft.title.trim().replace('_', " "),
            _ => {
                return refuse(
                    "has a title that no page of this wiki can have".into(),
                    "give it another title",
                );
            }
        },
        None => draft.title.trim().to_owned(),
    };
    if corpus.wiki_titles().is_some_and(|titles| redirect_target(&draft.text, titles).is_some()) {
        return refuse("is a redirect: it has no links of its own".into(), "give the text of a page");
    }
    let known = corpus.page_titled(&title)?;
    let page = known.unwrap_or(PageId(corpus.num_pages() as u32));
    let mut reader = Reader {
        corpus,
        title: &title,
        page,
        links: BTreeSet::new(),
        categories: BTreeSet::new(),
        unknown_categories: Names::default(),
        unknown_links: Names::default(),
        repeated_links: Names::default(),
        account: DraftAccount { is_revision: known.is_some(), ..DraftAccount::default() },
    };
    let text = match corpus.wiki_titles() {
        Some(titles) => {
            reader.wikitext(&draft.text, titles)?;
            draft.text.clone()
        }
        None => reader.plain(&draft.text)?,
    };
    let Reader { links, categories, .. } = reader;
    let mut account = DraftAccount {
        unknown_categories: reader.unknown_categories.in_order,
        unknown_links: reader.unknown_links.in_order,
        repeated_links: reader.repeated_links.in_order,
        ..reader.account
    };
    if links.is_empty() {
        return match account.unknown_links.len() {
            0 => refuse("has no links to other pages".into(), "write links as [[Title]] or [[Title|words]]"),
            num => {
                let some = account.unknown_links.iter().take(SHOWN).map(|title| format!("“{title}”"));
                let (some, more) =
                    (some.collect::<Vec<_>>().join(", "), if num > SHOWN { ", …" } else { "" });
                let found = format!("links to no page of the corpus: {some}{more}");
                refuse(found, "check the titles, or that this is the corpus of the same wiki")
            }
        };
    }
    account.categories = categories
        .iter()
        .map(|&category| Ok(corpus.category_name(category)?.to_owned()))
        .collect::<Result<_, Error>>()?;
    let (links, categories) = (links.into_iter().collect(), categories.into_iter().collect());
    Ok((PageOverlay { page, title, links, categories, text }, account))
}

/// Number of titles that an error names.
const SHOWN: usize = 5;

/// The findings so far.
struct Reader<'a> {
    corpus: &'a Corpus,
    title: &'a str,
    page: PageId,
    links: BTreeSet<PageId>,
    categories: BTreeSet<CategoryId>,
    unknown_categories: Names,
    unknown_links: Names,
    repeated_links: Names,
    account: DraftAccount,
}

/// Distinct names in the order of their first appearance.
#[derive(Default)]
struct Names {
    in_order: Vec<String>,
    known: BTreeSet<String>,
}

impl Names {
    fn add(&mut self, name: &str) {
        if self.known.insert(name.to_owned()) {
            self.in_order.push(name.to_owned());
        }
    }
}

impl Reader<'_> {
    /// Collects links and categories as an import of the wiki finds them.
    fn wikitext(&mut self, text: &str, titles: &Titles) -> Result<(), Error> {
        let mut buffer = String::new();
        for link in links(text, titles) {
            interrupt::check()?;
            match titles.parse(&link.target, &mut buffer) {
                Target::Page { namespace: CATEGORIES, name, colon: false } => {
                    self.category(name, self.corpus.category_named(name)?);
                }
                Target::Page { namespace: ARTICLES, name, .. } => {
                    self.link(name, self.corpus.resolve(name)?)?
                }
                Target::Section => self.account.own_links += 1,
                _ => self.account.other_links += 1,
            }
        }
        Ok(())
    }

    /// Collects the links and categories of plain text, and returns its words.
    fn plain(&mut self, text: &str) -> Result<String, Error> {
        let titles = Titles::new(&Site::default());
        let (mut buffer, mut words, mut end) = (String::new(), String::with_capacity(text.len()), 0);
        for link in links(text, &titles) {
            interrupt::check()?;
            // What is within another link was read with it.
            if link.span.start < end {
                continue;
            }
            words.push_str(&text[end..link.span.start]);
            end = link.span.end;
            let target = link.target.trim();
            if let Target::Page { namespace: CATEGORIES, name, colon: false } =
                titles.parse(target, &mut buffer)
            {
                // The prefix is read in any case; the name stays as it is written.
                let written = target.split_once(':').map_or(name, |(_, written)| written.trim());
                self.category(written, only(self.corpus.find_category(written)?));
                continue;
            }
            self.link(target, only(self.corpus.find_page(target)?))?;
            words.push_str(link.text.map_or(target, |label| &text[label]));
        }
        words.push_str(&text[end..]);
        Ok(words)
    }

    fn link(&mut self, name: &str, found: Option<PageId>) -> Result<(), Error> {
        let account = &mut self.account;
        match found {
            Some(page) if page == self.page => account.own_links += 1,
            None if name == self.title => account.own_links += 1,
            Some(page) if self.links.insert(page) => {}
            Some(page) => self.repeated_links.add(self.corpus.title(page)?),
            None => self.unknown_links.add(name),
        }
        Ok(())
    }

    fn category(&mut self, name: &str, found: Option<CategoryId>) {
        match found {
            Some(category) => {
                self.categories.insert(category);
            }
            None => self.unknown_categories.add(name),
        }
    }
}

/// Returns the only id found; several are ambiguous.
fn only<Id>(found: Found<Id>) -> Option<Id> {
    match found {
        Found::One(id) => Some(id),
        _ => None,
    }
}
