//! Changes between two corpora of the same wiki: new links that were not expected, vanished links that were expected,
//! pages whose categories changed, and pages that are new, gone or moved.
//!
//! The older corpus judges: its model and its signals say how unexpected each change was before it was made. Links of
//! pages that it does not have get no score; they are counted, and listed after the others.
//!
//! # Quirks
//! A page that was moved without a redirect counts as one gone and one new. Where a redirect between two old pages was
//! changed, the links through it are new links to its new target.

mod distance;
mod links;
mod matching;
mod table;

use super::ranked_page::RankedPage;
use super::{Engine, RankConf, RankingRow, TopLink};
use crate::Error;
use crate::categories::Categories;
use crate::graph::{CategoryId, PageId};
use crate::interrupt;
use crate::progress::{Progress, Task};
use crate::score::{LeftOut, Score, check_name_in};
use distance::Distances;
use links::PageLinks;
use matching::{CategoryMatch, PageMatch};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// Settings of a comparison of two corpora.
///
/// ```
/// use llamafur::engine::{DiffConf, RankConf};
/// let conf = DiffConf::default().rank(RankConf::default().top(20)).category("Planets");
/// ```
#[derive(Debug, Clone)]
pub struct DiffConf {
    rank: RankConf,
    category: Option<String>,
}

impl Default for DiffConf {
    fn default() -> DiffConf {
        DiffConf { rank: RankConf::default().top(10), category: None }
    }
}

impl DiffConf {
    setters! {
        /// Settings of the scorer, the number of changes of each kind (0 is all), and whether to return the sentences
        /// of links. Default: 10 of each kind by `blend`, with sentences.
        rank: RankConf,
        /// Keeps only changes of pages that are or were in this category. Default: all.
        category: impl Into<String> => Some(category.into()),
    }
}

/// The changes between two corpora.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CorpusDiff {
    /// The scorer of the older corpus.
    pub scorer: String,
    /// The number of changes of each kind.
    pub counts: DiffCounts,
    /// Signals that are not part of the scores, since the older corpus lacks something.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// New links, the most unexpected first; those of new pages, which have no score, last. Sentences are of the newer text.
    pub new_links: Vec<TopLink>,
    /// Vanished links between pages that still exist, the most expected first. Sentences are of the older text.
    pub vanished_links: Vec<TopLink>,
    /// Pages whose categories changed, the largest distance first.
    pub recategorised: Vec<Recategorised>,
    /// Pages with a new title, those with the most links first.
    pub moved: Vec<PageChange>,
    /// Pages that only the newer corpus has, those with the most links first.
    pub came: Vec<PageChange>,
    /// Pages that only the older corpus has, those with the most links first.
    pub went: Vec<PageChange>,
}

/// Numbers of changes of each kind. With a filter, those of the pages that pass.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffCounts {
    /// Pages of the older corpus, and of the newer one.
    pub pages: [u64; 2],
    /// Links of the older corpus, and of the newer one.
    pub links: [u64; 2],
    /// Pages with a new title.
    pub moved: u64,
    /// Pages that only the newer corpus has.
    pub came: u64,
    /// Pages that only the older corpus has.
    pub went: u64,
    /// New links between pages that the older corpus has.
    pub new_links: u64,
    /// New links from or to new pages.
    pub new_links_of_new_pages: u64,
    /// Vanished links between pages that still exist.
    pub vanished_links: u64,
    /// Links from or to pages that are gone.
    pub links_of_gone_pages: u64,
    /// Links that lead to another page because their title does: it was merged into another page, or has become a page
    /// of its own.
    pub retargeted_links: u64,
    /// Pages whose categories changed.
    pub recategorised: u64,
    /// Categories that only the newer corpus has.
    pub categories_came: u64,
    /// Categories that only the older corpus has.
    pub categories_went: u64,
}

/// A page whose categories changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recategorised {
    /// Its title in the newer corpus.
    pub page: String,
    /// Distance that it moved by the older category matrix, from 0 to 2: 1 − cos(r, r'), r being the mean row of the
    /// matrix over the page's categories. `null` where the matrix knows none of them, before or now.
    pub distance: Option<f64>,
    /// Categories that it gained.
    pub added: Vec<String>,
    /// Categories that it lost.
    pub removed: Vec<String>,
}

/// A page that is new, gone or moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageChange {
    /// Its title: of a page that is gone in the older corpus, of others in the newer one.
    pub page: String,
    /// Number of links that it has there.
    pub num_links: usize,
    /// The older title of a page that moved; for a new page, the page that its title led to before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// For a page that is gone, the page that its title leads to now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// Number of pages compared at a time: enough work for all threads, few enough to hold in memory.
const PAGES_AT_A_TIME: usize = 1 << 14;

/// A link that is new or vanished.
#[derive(Debug, Clone, Copy)]
struct Change {
    score: Option<f64>,
    /// Its ends in the newer corpus.
    newer: (PageId, PageId),
    /// Its ends in the older corpus, where both are in it.
    older: Option<(PageId, PageId)>,
}

/// The changes of a page.
#[derive(Default)]
struct PageDiff {
    counts: DiffCounts,
    added: Vec<Change>,
    vanished: Vec<Change>,
    recategorised: Option<(Option<f64>, usize, PageId)>,
}

/// Two corpora, compared.
struct Comparison<'a> {
    old: &'a Engine,
    new: &'a Engine,
    scorer: &'a dyn Score,
    pages: PageMatch,
    categories: CategoryMatch,
    distances: Option<Distances<'a>>,
    /// The id of the category of the filter in either corpus.
    wanted: Option<[Option<CategoryId>; 2]>,
}

impl Engine {
    /// Compares this corpus with a newer one of the same wiki.
    ///
    /// # Errors
    /// If the corpora are of different wikis, there is no such scorer or category, or the older corpus lacks what the
    /// scorer needs.
    pub fn diff(
        &self,
        new: &Engine,
        conf: &DiffConf,
        progress: &mut dyn Progress,
    ) -> Result<CorpusDiff, Error> {
        self.whole(|| self.diff_unwatched(new, conf, progress))
    }

    fn diff_unwatched(
        &self,
        new: &Engine,
        conf: &DiffConf,
        progress: &mut dyn Progress,
    ) -> Result<CorpusDiff, Error> {
        let [database, newer] = [self, new].map(|engine| engine.corpus().manifest().site.as_ref());
        if let (Some(old), Some(newer)) = (database, newer)
            && !old.database.is_empty()
            && !newer.database.is_empty()
            && old.database != newer.database
        {
            return Err(Error::OtherWiki { old: old.database.clone(), new: newer.database.clone() });
        }
        check_name_in(&conf.rank.scorer, self.inputs())?;
        let wanted = conf.category.as_deref().map(|name| self.category_of_either(new, name)).transpose()?;
        let scorer = self.prepare_ranking(&conf.rank.scorer, &conf.rank.score, progress)?;
        let comparison = Comparison {
            old: self,
            new,
            scorer: &*scorer,
            pages: PageMatch::new(self.corpus(), new.corpus())?,
            categories: CategoryMatch::new(self.corpus(), new.corpus())?,
            distances: match scorer.model() {
                Some(model) => Distances::new(model)?,
                None => None,
            },
            wanted,
        };
        comparison.run(conf, progress)
    }

    /// Returns the ids of a category in this corpus and in another one; it must be in one of them.
    fn category_of_either(&self, other: &Engine, name: &str) -> Result<[Option<CategoryId>; 2], Error> {
        let find = |engine: &Engine| engine.category_of(&Categories::all(engine.corpus()), name);
        match (find(self), find(other)) {
            (Err(_), Err(error)) => Err(error),
            (old, new) => Ok([old, new].map(|found| found.ok().map(|category| CategoryId(category.0)))),
        }
    }
}

impl Comparison<'_> {
    fn run(&self, conf: &DiffConf, progress: &mut dyn Progress) -> Result<CorpusDiff, Error> {
        let most = conf.rank.most(10);
        let [old, new] = [self.old, self.new].map(Engine::corpus);
        let mut counts = DiffCounts {
            pages: [old, new].map(|corpus| corpus.num_pages() as u64),
            links: [old, new].map(|corpus| corpus.num_links() as u64),
            categories_came: self.categories.came,
            categories_went: self.categories.went,
            ..DiffCounts::default()
        };
        let carried = interrupt::carried();
        let (mut added, mut vanished): (Vec<Change>, Vec<Change>) = Default::default();
        let mut recategorised: Vec<(Option<f64>, usize, PageId)> = Vec::new();
        progress.start(Task::Score, Some(new.num_pages() as u64));
        for first in (0..new.num_pages()).step_by(PAGES_AT_A_TIME) {
            let pages = first..(first + PAGES_AT_A_TIME).min(new.num_pages());
            let num = pages.len() as u64;
            let found = pages.into_par_iter();
            let found = found.map(|page| carried.scope(|| self.page(PageId(page as u32))));
            for page in found.collect::<Result<Vec<_>, Error>>()? {
                counts.add(&page.counts);
                added.extend(page.added);
                vanished.extend(page.vanished);
                recategorised.extend(page.recategorised);
            }
            // What has no score comes last in both.
            added.sort_by(|a, b| by_score(b.score, a.score).then(a.newer.cmp(&b.newer)));
            vanished.sort_by(|a, b| {
                let scores = [a, b].map(|change| change.score.map(|score| -score));
                by_score(scores[1], scores[0]).then(a.newer.cmp(&b.newer))
            });
            recategorised
                .sort_by(|a, b| by_score(b.0, a.0).then((Reverse(a.1), a.2).cmp(&(Reverse(b.1), b.2))));
            added.truncate(most);
            vanished.truncate(most);
            recategorised.truncate(most);
            progress.advance(num);
        }
        progress.finish();
        let [moved, came, went] = self.pages(&mut counts, most)?;
        let new_link =
            |(place, change): (usize, &Change)| self.link(place, change, self.new, change.newer, conf);
        let vanished_link = |(place, change): (usize, &Change)| {
            self.link(place, change, self.old, change.older.unwrap_or(change.newer), conf)
        };
        Ok(CorpusDiff {
            scorer: self.scorer.name().to_owned(),
            counts,
            left_out: self.scorer.left_out().to_vec(),
            new_links: added.iter().enumerate().map(new_link).collect::<Result<_, Error>>()?,
            vanished_links: vanished.iter().enumerate().map(vanished_link).collect::<Result<_, Error>>()?,
            recategorised: recategorised
                .into_iter()
                .map(|(distance, _, page)| self.recategorised(page, distance))
                .collect::<Result<_, Error>>()?,
            moved,
            came,
            went,
        })
    }

    /// Returns the changes of a page of the newer corpus.
    fn page(&self, page: PageId) -> Result<PageDiff, Error> {
        let [old, new] = [self.old, self.new].map(Engine::corpus);
        interrupt::check()?;
        let mut diff = PageDiff::default();
        let was = self.pages.older(page);
        if !self.is_wanted(was, Some(page))? {
            return Ok(diff);
        }
        let Some(was) = was else {
            let links = new.links(page)?.iter();
            diff.added.extend(links.map(|&to| Change { score: None, newer: (page, to), older: None }));
            diff.counts.new_links_of_new_pages = diff.added.len() as u64;
            return Ok(diff);
        };
        let links = PageLinks::of((old, new), &self.pages, was, page)?;
        diff.counts.links_of_gone_pages = links.to_gone;
        diff.counts.retargeted_links = links.retargeted;
        let known = links.added.iter().filter_map(|&to| Some((to, self.pages.older(to)?)));
        diff.added = self.scored(was, page, &known.collect::<Vec<_>>())?;
        diff.counts.new_links = diff.added.len() as u64;
        let of_new_pages = links.added.iter().filter(|&&to| self.pages.older(to).is_none());
        diff.added.extend(of_new_pages.map(|&to| Change { score: None, newer: (page, to), older: None }));
        diff.counts.new_links_of_new_pages = diff.added.len() as u64 - diff.counts.new_links;
        diff.vanished = self.scored(was, page, &links.vanished)?;
        diff.counts.vanished_links = diff.vanished.len() as u64;
        let (added, removed) = self.changed_categories(was, page)?;
        if !(added.is_empty() && removed.is_empty()) {
            let is: Vec<CategoryId> = new
                .categories(page)?
                .iter()
                .filter_map(|&category| self.categories.older(category))
                .collect();
            let distances = self.distances.as_ref();
            let distance =
                distances.map_or(Ok(None), |distances| distances.between(old.categories(was)?, &is))?;
            diff.recategorised = Some((distance, added.len() + removed.len(), page));
            diff.counts.recategorised = 1;
        }
        Ok(diff)
    }

    /// Scores links of a page by the older corpus, each given as a newer page and the older one that it is.
    fn scored(&self, was: PageId, is: PageId, links: &[(PageId, PageId)]) -> Result<Vec<Change>, Error> {
        if links.is_empty() {
            return Ok(Vec::new());
        }
        let mut links = links.to_vec();
        links.sort_by_key(|&(_, target)| target);
        let targets: Vec<PageId> = links.iter().map(|&(_, target)| target).collect();
        let scores = self.scorer.score(was, &targets)?;
        let change = |(&(to, target), score): (&(PageId, PageId), Option<f64>)| Change {
            score,
            newer: (is, to),
            older: Some((was, target)),
        };
        Ok(links.iter().zip(scores).map(change).collect())
    }

    /// Returns whether the changes of a page pass the filter.
    fn is_wanted(&self, was: Option<PageId>, is: Option<PageId>) -> Result<bool, Error> {
        let Some([old, new]) = self.wanted else { return Ok(true) };
        let carries =
            |engine: &Engine, page: Option<PageId>, category: Option<CategoryId>| match (page, category) {
                (Some(page), Some(category)) => {
                    Ok(engine.corpus().categories(page)?.binary_search(&category).is_ok())
                }
                _ => Ok::<_, Error>(false),
            };
        Ok(carries(self.old, was, old)? || carries(self.new, is, new)?)
    }

    /// Returns the newer categories that a page gained and the older ones that it lost.
    fn changed_categories(
        &self,
        was: PageId,
        is: PageId,
    ) -> Result<(Vec<CategoryId>, Vec<CategoryId>), Error> {
        let (before, now) = (self.old.corpus().categories(was)?, self.new.corpus().categories(is)?);
        let is_new = |category: &CategoryId| {
            self.categories.older(*category).is_none_or(|older| before.binary_search(&older).is_err())
        };
        let added = now.iter().copied().filter(is_new).collect();
        // Both ascend by name, so these do, too.
        let kept: Vec<CategoryId> =
            now.iter().filter_map(|&category| self.categories.older(category)).collect();
        let removed =
            before.iter().copied().filter(|category| kept.binary_search(category).is_err()).collect();
        Ok((added, removed))
    }

    fn recategorised(&self, page: PageId, distance: Option<f64>) -> Result<Recategorised, Error> {
        let (added, removed) = match self.pages.older(page) {
            Some(was) => self.changed_categories(was, page)?,
            None => Default::default(),
        };
        let names = |engine: &Engine, categories: Vec<CategoryId>| {
            let name = |&category| Ok(engine.corpus().category_name(category)?.to_owned());
            categories.iter().map(name).collect::<Result<Vec<String>, Error>>()
        };
        let (added, removed) = (names(self.new, added)?, names(self.old, removed)?);
        Ok(Recategorised { page: self.new.corpus().title(page)?.to_owned(), distance, added, removed })
    }

    /// Counts the pages that moved, are new or are gone, and returns at most `most` of each.
    fn pages(&self, counts: &mut DiffCounts, most: usize) -> Result<[Vec<PageChange>; 3], Error> {
        let [old, new] = [self.old, self.new].map(Engine::corpus);
        let title = |corpus: &crate::Corpus, page| Ok::<_, Error>(corpus.title(page)?.to_owned());
        let (mut moved, mut came, mut went): (Vec<_>, Vec<_>, Vec<_>) = Default::default();
        for &(was, is) in &self.pages.moved {
            if self.is_wanted(Some(was), Some(is))? {
                moved.push((new.links(is)?.len(), is, was));
            }
        }
        for page in (0..new.num_pages() as u32).map(PageId) {
            if self.pages.older(page).is_none() && self.is_wanted(None, Some(page))? {
                came.push((new.links(page)?.len(), page));
            }
        }
        for page in (0..old.num_pages() as u32).map(PageId) {
            if self.pages.newer(page).is_none() && self.is_wanted(Some(page), None)? {
                let num_links = old.links(page)?.len();
                counts.links_of_gone_pages += num_links as u64;
                went.push((num_links, page));
            }
        }
        [counts.moved, counts.came, counts.went] =
            [moved.len(), came.len(), went.len()].map(|num| num as u64);
        moved.sort_by_key(|&(num, page, _)| (Reverse(num), page));
        came.sort_by_key(|&(num, page)| (Reverse(num), page));
        went.sort_by_key(|&(num, page)| (Reverse(num), page));
        let moved = moved.into_iter().take(most).map(|(num_links, is, was)| {
            Ok(PageChange { page: title(new, is)?, num_links, from: Some(title(old, was)?), to: None })
        });
        let came = came.into_iter().take(most).map(|(num_links, page)| {
            let from = self.pages.led_to(page).map(|page| title(old, page)).transpose()?;
            Ok(PageChange { page: title(new, page)?, num_links, from, to: None })
        });
        let went = went.into_iter().take(most).map(|(num_links, page)| {
            let to = self.pages.leads_to(page).map(|page| title(new, page)).transpose()?;
            Ok(PageChange { page: title(old, page)?, num_links, from: None, to })
        });
        let (moved, came): (Result<_, Error>, Result<_, Error>) = (moved.collect(), came.collect());
        Ok([moved?, came?, went.collect::<Result<_, Error>>()?])
    }

    /// Returns the row of a link, with the reasons of the older corpus and its sentence in the text.
    fn link(
        &self,
        place: usize,
        change: &Change,
        text_of: &Engine,
        (source, target): (PageId, PageId),
        conf: &DiffConf,
    ) -> Result<TopLink, Error> {
        interrupt::check()?;
        let new = self.new.corpus();
        let [from, to] = [change.newer.0, change.newer.1].map(|page| new.title(page).map(str::to_owned));
        let snippet = match conf.rank.snippets && text_of.corpus().has_text() {
            true => text_of.page_text(source)?.sentence(target)?,
            false => None,
        };
        let row = match change.older {
            Some((was, target)) => {
                let link = (vec![target], Vec::new());
                let ranked = RankedPage::of(self.old, self.old.inputs(), self.scorer, was, link)?;
                ranked.row(&ranked.row_of(0, None)?)?
            }
            None => self.row_of_new_pages(change)?,
        };
        Ok(TopLink { source: from?, link: RankingRow { rank: place + 1, target: to?, snippet, ..row } })
    }

    /// Returns the row of a link of which the older corpus lacks a page.
    fn row_of_new_pages(&self, change: &Change) -> Result<RankingRow, Error> {
        let is_new = |page| self.pages.older(page).is_none();
        let note = match (is_new(change.newer.0), is_new(change.newer.1)) {
            (true, true) => "both pages are new",
            (true, false) => "the page is new",
            _ => "the target is new",
        };
        Ok(RankingRow {
            rank: 0,
            target: String::new(),
            unexpectedness: None,
            odder_than: None,
            surprising: false,
            worth: None,
            place: None,
            also: Vec::new(),
            section: None,
            snippet: None,
            reasons: Vec::new(),
            explained: None,
            signals: Default::default(),
            note: Some(note.to_owned()),
        })
    }
}

impl DiffCounts {
    /// Adds the counts of a page.
    fn add(&mut self, page: &DiffCounts) {
        self.new_links += page.new_links;
        self.new_links_of_new_pages += page.new_links_of_new_pages;
        self.vanished_links += page.vanished_links;
        self.links_of_gone_pages += page.links_of_gone_pages;
        self.retargeted_links += page.retargeted_links;
        self.recategorised += page.recategorised;
    }

    /// Returns whether nothing changed.
    pub fn is_empty(&self) -> bool {
        let DiffCounts { pages: [old, new], links: [old_links, new_links], .. } = *self;
        let same = DiffCounts { pages: [old; 2], links: [old_links; 2], ..DiffCounts::default() };
        old == new && old_links == new_links && *self == same
    }
}

/// Compares scores; `None` is less than any.
fn by_score(a: Option<f64>, b: Option<f64>) -> std::cmp::Ordering {
    let key = |score: Option<f64>| score.unwrap_or(f64::NEG_INFINITY);
    key(a).total_cmp(&key(b))
}
