//! Extracts from a stretch of a dump the data that the corpus needs: for each page its title, links, categories and
//! text.
//!
//! This part runs on all threads; each page is processed independently. Names go into batches with their hashes, so
//! that numbering them is quick.

use super::xml::Page;
use crate::gather::names::{Batch, Names};
use crate::input::shortened;
use llamafur::text::wikitext::{
    ARTICLES, CATEGORIES, LONGEST_TITLE, Target, Titles, category_redirect, first_target, is_hidden, links,
    redirect_target,
};
use memchr::memmem;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

/// Number of bad pages kept as examples.
pub(crate) const EXAMPLES: usize = 5;

/// The beginning of a dump.
const ROOT: &[u8] = b"<mediawiki";

/// Counts of the links in the text, without the first to each article.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LinkCounts {
    /// Links to an article that the page had linked to before.
    pub(crate) repeated: u64,
    /// Links to a section of the same page.
    pub(crate) sections: u64,
    /// Links to pages of other namespaces, files among them.
    pub(crate) elsewhere: u64,
    /// Links to other wikis.
    pub(crate) interwiki: u64,
    /// Links whose target is no valid title.
    pub(crate) invalid: u64,
}

/// The kinds of page that the corpus uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageKind {
    /// An article; its links follow its title.
    Article,
    /// A redirect between articles; its target, if that is an article, follows its title.
    Redirect,
    /// A category; its parents follow its name.
    Category {
        /// True if it is hidden.
        hidden: bool,
    },
    /// A renamed category; its new name follows.
    CategoryRedirect,
}

/// A page, as ranges of the extract.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub(crate) kind: PageKind,
    pub(crate) revision: u64,
    /// Its title and links in [`Extract::articles`].
    pub(crate) articles: Range<usize>,
    /// Its categories in [`Extract::categories`].
    pub(crate) categories: Range<usize>,
    /// Its text in [`Extract::text`].
    pub(crate) text: Range<usize>,
}

/// The contents of a stretch of a dump.
#[derive(Default)]
pub(crate) struct Extract {
    pub(crate) records: Vec<Record>,
    pub(crate) articles: Batch,
    pub(crate) categories: Batch,
    pub(crate) text: String,
    pub(crate) links: LinkCounts,
    /// Pages by namespace.
    pub(crate) namespaces: BTreeMap<i32, u64>,
    /// Pages whose text was deleted from public view.
    pub(crate) deleted: u64,
    /// Pages with bytes that are not UTF-8, which were replaced.
    pub(crate) not_utf8: u64,
    /// Pages that could not be read.
    pub(crate) bad: u64,
    /// The first few bad pages.
    pub(crate) bad_examples: Vec<String>,
    /// Heads of further dumps between the pages.
    pub(crate) heads: Vec<String>,
    /// The first and the last page's title.
    pub(crate) first_title: Option<String>,
    pub(crate) last_title: Option<String>,
}

impl Extract {
    /// Counts a page that cannot be read.
    pub(crate) fn reject(&mut self, example: impl FnOnce() -> String) {
        self.bad += 1;
        if self.bad_examples.len() < EXAMPLES {
            self.bad_examples.push(example());
        }
    }
}

/// Rejects a title longer than the titles of any wiki.
pub(crate) fn expect_short(name: &str) -> Result<(), String> {
    match name.len() {
        ..=LONGEST_TITLE => Ok(()),
        length => Err(format!("a title of {length} bytes, longer than {LONGEST_TITLE}")),
    }
}

/// Reads the pages of a stretch of XML that begins with a page and ends with one.
pub(crate) fn extract(xml: &[u8], titles: &Titles, keep_text: bool) -> Extract {
    let mut worker = Worker {
        titles,
        keep_text,
        out: Extract {
            text: String::with_capacity(if keep_text { xml.len() } else { 0 }),
            ..Extract::default()
        },
        page: Page::default(),
        buffer: String::new(),
        linked: Names::default(),
    };
    let end = memmem::Finder::new("</page>");
    let mut rest = xml;
    while let Some(start) = memmem::find(rest, b"<page") {
        // Between two pages there is nothing but whitespace, unless another dump begins.
        if start >= ROOT.len()
            && let Some(root) = memmem::find(&rest[..start], ROOT)
        {
            worker.out.heads.push(String::from_utf8_lossy(&rest[root..start]).into_owned());
        }
        rest = &rest[start..];
        let length = end.find(rest).map_or(rest.len(), |at| at + "</page>".len());
        worker.read(&rest[..length]);
        rest = &rest[length..];
    }
    // It is held until the texts are written, as it is.
    worker.out.text.shrink_to_fit();
    worker.out
}

struct Worker<'a> {
    titles: &'a Titles,
    keep_text: bool,
    out: Extract,
    page: Page,
    buffer: String,
    /// The articles that the page has linked to so far.
    linked: Names,
}

impl Worker<'_> {
    fn read(&mut self, xml: &[u8]) {
        let text = match simdutf8::basic::from_utf8(xml) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => {
                self.out.not_utf8 += 1;
                String::from_utf8_lossy(xml)
            }
        };
        if let Err(why) = self.page.read(&text) {
            return self.reject(&why);
        }
        let (namespace, name) = match self.page.namespace {
            Some(ARTICLES) => (ARTICLES, self.page.title.as_str()),
            // The namespace in the dump counts, not the prefix of the title.
            Some(key) => {
                (key, self.page.title.split_once(':').map_or(self.page.title.as_str(), |(_, name)| name))
            }
            None => self.titles.page(&self.page.title),
        };
        let name = Titles::composed(name).into_owned();
        if let Err(why) = expect_short(&name) {
            return self.reject(&why);
        }
        *self.out.namespaces.entry(namespace).or_default() += 1;
        self.out.deleted += u64::from(self.page.is_deleted);
        match namespace {
            ARTICLES => self.article(&name),
            CATEGORIES => self.category(&name),
            _ => {}
        }
        if self.out.first_title.is_none() {
            self.out.first_title = Some(self.page.title.clone());
        }
        // The last one's title is wanted once, so the buffers change places instead of being copied.
        std::mem::swap(self.out.last_title.get_or_insert_default(), &mut self.page.title);
    }

    /// Counts the page as bad.
    fn reject(&mut self, why: &str) {
        let title = if self.page.title.is_empty() { "?" } else { &self.page.title };
        let (id, title, why) = (self.page.id, shortened(title), shortened(why));
        self.out.reject(|| format!("page {id} ({title:?}): {why}"));
    }

    /// Returns the raw target of a redirect, from the dump or from the text.
    fn redirect(&self) -> Option<String> {
        match &self.page.redirect {
            Some(title) if !title.is_empty() => Some(title.clone()),
            Some(_) => Some(first_target(&self.page.text, self.titles).unwrap_or_default()),
            None => redirect_target(&self.page.text, self.titles),
        }
    }

    fn article(&mut self, name: &str) {
        let first = (self.out.articles.len(), self.out.categories.len(), self.out.text.len());
        self.out.articles.push(name);
        let kind = match self.redirect() {
            Some(target) => {
                if let Target::Page { namespace: ARTICLES, name, .. } =
                    self.titles.parse(&target, &mut self.buffer)
                {
                    self.out.articles.push(name);
                }
                PageKind::Redirect
            }
            None => {
                self.links(true);
                if self.keep_text && !self.page.is_deleted {
                    self.out.text.push_str(&self.page.text);
                }
                PageKind::Article
            }
        };
        self.record(kind, first);
    }

    fn category(&mut self, name: &str) {
        let first = (self.out.articles.len(), self.out.categories.len(), self.out.text.len());
        self.out.categories.push(name);
        let moved = match self.redirect() {
            Some(target) => match self.titles.parse(&target, &mut self.buffer) {
                Target::Page { namespace: CATEGORIES, name, .. } => Some(name.to_owned()),
                _ => None,
            },
            None => category_redirect(&self.page.text, self.titles),
        };
        let kind = match moved {
            Some(to) => {
                self.out.categories.push(&to);
                PageKind::CategoryRedirect
            }
            None => {
                self.links(false);
                PageKind::Category { hidden: is_hidden(&self.page.text, self.titles) }
            }
        };
        self.record(kind, first);
    }

    fn record(&mut self, kind: PageKind, (articles, categories, text): (usize, usize, usize)) {
        let out = &mut self.out;
        out.records.push(Record {
            kind,
            revision: self.page.revision,
            articles: articles..out.articles.len(),
            categories: categories..out.categories.len(),
            text: text..out.text.len(),
        });
    }

    /// Collects the page's categories, and, if `articles` is set, its links to articles, each once.
    fn links(&mut self, articles: bool) {
        if !self.page.is_wikitext {
            return;
        }
        let counts = &mut self.out.links;
        self.linked.clear();
        for link in links(&self.page.text, self.titles) {
            match self.titles.parse(&link.target, &mut self.buffer) {
                Target::Page { namespace: CATEGORIES, name, colon: false } => self.out.categories.push(name),
                _ if !articles => {}
                Target::Page { namespace: ARTICLES, name, .. } => {
                    if self.linked.insert(name) {
                        self.out.articles.push(name);
                    } else {
                        counts.repeated += 1;
                    }
                }
                Target::Page { .. } => counts.elsewhere += 1,
                Target::Section => counts.sections += 1,
                Target::Interwiki => counts.interwiki += 1,
                Target::Invalid => counts.invalid += 1,
            }
        }
    }
}
