//! Numbers the names of all pages and collects the contents of the pages, in the order of the dump.
//!
//! A page is a *record*; its title and link targets are numbered names. Names can be resolved and records chosen only
//! at the end: a redirect may come after the links that use it, and the same page may occur again in another part, with
//! a newer revision.

use super::account::WikiAccount;
use super::conf::{Damage, Text, WikiConf};
use super::error::{Loss, WikiError};
use super::extract::{EXAMPLES, Extract, PageKind, Record};
use crate::gather::names::Names;
use crate::gather::pairs::Pairs;
use crate::gather::texts::Texts;
use std::path::Path;

/// The number of no record and no redirect.
pub(super) const NONE: u32 = u32::MAX;

/// A page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    /// The number of the page's title or name.
    pub(super) name: u32,
    pub(super) what: What,
    pub(super) revision: u64,
}

/// The kinds of page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// An article or a category.
    Page,
    /// A hidden category.
    Hidden,
    /// A redirect to a name.
    To(u32),
    /// A redirect to something else.
    Elsewhere,
}

/// The pages of one namespace.
#[derive(Default)]
pub(super) struct Space {
    pub(super) names: Names,
    pub(super) records: Vec<Seen>,
    /// The valid record of each name, or [`NONE`].
    pub(super) current: Vec<u32>,
}

impl Space {
    /// Returns the page of a name.
    pub(super) fn page(&self, name: u32) -> Option<&Seen> {
        let record = *self.current.get(name as usize)?;
        self.records.get(record as usize)
    }

    /// Adds a page; returns `true` if its name had one before.
    pub(super) fn add(&mut self, seen: Seen) -> bool {
        let record = self.records.len() as u32;
        self.records.push(seen);
        if self.current.len() < self.names.len() {
            self.current.resize(self.names.len(), NONE);
        }
        let current = self.current[seen.name as usize];
        let before = self.records.get(current as usize);
        if before.is_none_or(|before| before.revision < seen.revision) {
            self.current[seen.name as usize] = record;
        }
        before.is_some()
    }
}

/// Pairs of a record and the name that it leads to.
pub(super) struct AllPairs {
    /// From articles to articles.
    pub(super) links: Pairs,
    /// From articles to categories.
    pub(super) page_categories: Pairs,
    /// From categories to categories.
    pub(super) parents: Pairs,
}

impl AllPairs {
    pub(super) fn len(&self) -> u64 {
        self.links.len() + self.page_categories.len() + self.parents.len()
    }
}

/// The collected contents of the pages.
pub(super) struct Collector {
    pub(super) articles: Space,
    pub(super) categories: Space,
    pub(super) pairs: AllPairs,
    /// Texts by the articles' records.
    pub(super) texts: Option<Texts>,
    pub(super) account: WikiAccount,
    damage: Damage,
    last_title: Option<String>,
}

impl Collector {
    pub(super) fn new(conf: &WikiConf, scratch: &Path) -> Result<Collector, WikiError> {
        let pairs = || Pairs::new(scratch, conf.buffer_bytes);
        Ok(Collector {
            articles: Space::default(),
            categories: Space::default(),
            pairs: AllPairs { links: pairs(), page_categories: pairs(), parents: pairs() },
            texts: (conf.text == Text::Keep).then(|| Texts::new(scratch)).transpose()?,
            account: WikiAccount::default(),
            damage: conf.damage,
            last_title: None,
        })
    }

    /// Adds the extract of the next stretch of the dump.
    pub(super) fn take(&mut self, mut extract: Extract) -> Result<(), WikiError> {
        let too_many = || WikiError::TooManyTitles;
        self.articles.names.intern_all(&mut extract.articles).ok_or_else(too_many)?;
        self.categories.names.intern_all(&mut extract.categories).ok_or_else(too_many)?;
        let articles: Vec<u32> = extract.articles.numbers().collect();
        let categories: Vec<u32> = extract.categories.numbers().collect();
        if let Some(texts) = &mut self.texts {
            texts.hold(extract.text, &self.articles.names)?;
        }
        for record in &extract.records {
            self.record(record, &articles[record.articles.clone()], &categories[record.categories.clone()])?;
        }
        let account = &mut self.account;
        account.add_links(extract.links);
        for (key, count) in extract.namespaces {
            *account.namespaces.entry(key).or_default() += count;
        }
        account.pages.deleted += extract.deleted;
        account.pages.not_utf8 += extract.not_utf8;
        account.pages.bad += extract.bad;
        let wanted = EXAMPLES.saturating_sub(account.bad_examples.len());
        account.bad_examples.extend(extract.bad_examples.into_iter().take(wanted));
        if let (Some(loss), Some(first)) = (account.losses.last_mut(), extract.first_title) {
            loss.next_good.get_or_insert(first);
        }
        if extract.last_title.is_some() {
            self.last_title = extract.last_title;
        }
        Ok(())
    }

    /// Records a part that cannot be read.
    pub(super) fn lose(&mut self, mut loss: Loss) -> Result<(), WikiError> {
        loss.last_good = loss.last_good.or_else(|| self.last_title.clone());
        match self.damage {
            Damage::Stop => Err(WikiError::Damaged(Box::new(loss))),
            Damage::KeepGoing => {
                self.account.losses.push(loss);
                Ok(())
            }
        }
    }

    fn record(&mut self, record: &Record, articles: &[u32], categories: &[u32]) -> Result<(), WikiError> {
        let revision = record.revision;
        let first = |names: &[u32]| names.first().copied().unwrap_or(NONE);
        let target = |names: &[u32]| names.get(1).map_or(What::Elsewhere, |&to| What::To(to));
        let repeated = match record.kind {
            PageKind::Article => {
                let number = self.articles.records.len() as u32;
                articles[1..].iter().try_for_each(|&target| self.pairs.links.push(number, target))?;
                categories
                    .iter()
                    .try_for_each(|&category| self.pairs.page_categories.push(number, category))?;
                if let Some(texts) = &mut self.texts {
                    texts.push(number, record.text.clone(), first(articles), &self.articles.names)?;
                }
                self.articles.add(Seen { name: first(articles), what: What::Page, revision })
            }
            PageKind::Redirect => {
                self.articles.add(Seen { name: first(articles), what: target(articles), revision })
            }
            PageKind::Category { hidden } => {
                let number = self.categories.records.len() as u32;
                categories[1..].iter().try_for_each(|&parent| self.pairs.parents.push(number, parent))?;
                let what = if hidden { What::Hidden } else { What::Page };
                self.categories.add(Seen { name: first(categories), what, revision })
            }
            PageKind::CategoryRedirect => {
                self.categories.add(Seen { name: first(categories), what: target(categories), revision })
            }
        };
        self.account.pages.repeated += u64::from(repeated);
        Ok(())
    }
}
