//! The most unexpected links of the whole graph.

use super::ranked_page::{RankedPage, RankedRow};
use super::{Engine, Order, PlaceSet, RankConf, RankingRow};
use crate::Error;
use crate::categories::{Categories, Feature};
use crate::graph::{MilestoneId, PageId};
use crate::interrupt;
use crate::progress::{Progress, Task};
use crate::score::{LeftOut, Score, check_name_in, order};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Settings of a search for the most unexpected links.
///
/// ```
/// use llamafur::engine::TopConf;
/// let conf = TopConf::default().top(20).per_page(1).from_category("Planets");
/// ```
#[derive(Debug, Clone)]
pub struct TopConf {
    rank: RankConf,
    from_category: Option<String>,
    to_category: Option<String>,
    min_links: usize,
    per_page: usize,
}

impl Default for TopConf {
    fn default() -> TopConf {
        TopConf {
            rank: RankConf::default().top(10),
            from_category: None,
            to_category: None,
            min_links: 0,
            per_page: 0,
        }
    }
}

impl TopConf {
    setters! {
        /// Settings of the scorer, the number of links (0 is all) and their sentences. Default: the 10 most unexpected
        /// by `blend`.
        rank: RankConf,
    }

    /// Number of links to return; 0 is all. Default: 10.
    pub fn top(mut self, links: usize) -> TopConf {
        self.rank = self.rank.top(links);
        self
    }

    setters! {
        /// Keeps only links of pages in this category. Default: all.
        from_category: impl Into<String> => Some(from_category.into()),
        /// Keeps only links to pages in this category. Default: all.
        to_category: impl Into<String> => Some(to_category.into()),
        /// Smallest number of links that a page must have. Default: 0.
        min_links: usize,
        /// Largest number of links of the same page; 0 is any number. Default: 0.
        per_page: usize,
    }
}

/// The most unexpected links of the graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TopLinks {
    /// The scorer.
    pub scorer: String,
    /// Links that were compared.
    pub num_links: u64,
    /// Signals that are not part of the scores, since the corpus lacks something.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// The links, the most unexpected first; ties by title.
    pub links: Vec<TopLink>,
}

/// A link among the most unexpected of the graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TopLink {
    /// The title of the page that links.
    pub source: String,
    /// The link; its rank is its place in this list.
    #[serde(flatten)]
    pub link: RankingRow,
}

/// Number of pages scored at a time: enough work for all threads, few enough to hold in memory.
const PAGES_AT_A_TIME: usize = 1 << 14;

/// Number of oddest links whose worth is computed for each row asked for, and the least in all.
const POOL: usize = 8;
const LEAST_POOL: usize = 1000;

/// A link that may be among the most unexpected.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    score: f64,
    source: PageId,
    target: PageId,
}

/// Filter of links and pages.
struct Filter {
    categories: Categories,
    from: Option<MilestoneId>,
    to: Option<MilestoneId>,
    min_links: usize,
    per_page: usize,
    places: PlaceSet,
}

impl Filter {
    fn carries(&self, page: PageId, category: Option<MilestoneId>) -> Result<bool, Error> {
        let Some(category) = category else { return Ok(true) };
        Ok(self.categories.of(page)?.binary_search(&category).is_ok())
    }

    /// Returns the links of a page that pass, the most unexpected first.
    fn links(&self, engine: &Engine, scorer: &dyn Score, page: PageId) -> Result<Vec<Candidate>, Error> {
        interrupt::check()?;
        let links = engine.corpus().links(page)?;
        if links.len() < self.min_links || !self.carries(page, self.from)? {
            return Ok(Vec::new());
        }
        let places = engine.inputs().places_of(page, links)?;
        let mut targets = Vec::with_capacity(links.len());
        for (at, &target) in links.iter().enumerate() {
            let is_ranked = places.as_ref().is_none_or(|places| self.places.takes(places[at]));
            if is_ranked && self.carries(target, self.to)? {
                targets.push(target);
            }
        }
        if targets.is_empty() {
            return Ok(Vec::new());
        }
        let scores = scorer.score(page, &targets)?;
        let places = order(&scores).into_iter();
        let candidate = |at: usize| Some(Candidate { score: scores[at]?, source: page, target: targets[at] });
        Ok(places.map_while(candidate).collect())
    }
}

impl Engine {
    /// Rejects, before any work, names of scorers or categories that [`Engine::top`] would reject.
    ///
    /// # Errors
    /// If there is no such scorer or category.
    pub fn check_top(&self, conf: &TopConf) -> Result<(), Error> {
        self.whole(|| self.check_top_unwatched(conf))
    }

    fn check_top_unwatched(&self, conf: &TopConf) -> Result<(), Error> {
        let all = Categories::all(self.corpus());
        for name in [&conf.from_category, &conf.to_category].into_iter().flatten() {
            self.category_of(&all, name)?;
        }
        check_name_in(&conf.rank.scorer, self.inputs())
    }

    /// Finds the most unexpected links of the whole graph, or of those that pass the filters.
    ///
    /// # Errors
    /// If there is no such scorer or category, or the corpus lacks what is asked for.
    pub fn top(&self, conf: &TopConf, progress: &mut dyn Progress) -> Result<TopLinks, Error> {
        self.whole(|| self.top_unwatched(conf, progress))
    }

    fn top_unwatched(&self, conf: &TopConf, progress: &mut dyn Progress) -> Result<TopLinks, Error> {
        self.check_top(conf)?;
        let scorer = self.prepare_ranking(&conf.rank.scorer, &conf.rank.score, progress)?;
        let categories = match scorer.model() {
            Some(model) if model.settings().feature == Feature::Categories => model.categories().clone(),
            _ => Categories::all(self.corpus()),
        };
        let find = |name: &Option<String>| {
            name.as_deref().map(|name| self.category_of(&categories, name)).transpose()
        };
        let (from, to) = (find(&conf.from_category)?, find(&conf.to_category)?);
        let filter = Filter {
            categories,
            from,
            to,
            min_links: conf.min_links,
            per_page: conf.per_page,
            places: conf.rank.places,
        };
        let (most, by) = (conf.rank.most(10), conf.rank.order);
        // Worth brings links to the front that are not the oddest.
        let pool = match by {
            Order::Worth => most.saturating_mul(POOL).max(LEAST_POOL),
            Order::Oddity => most,
        };
        let (best, num_links) = self.best(&*scorer, &filter, pool, progress)?;
        // Each page is ranked once, however many of its links are there.
        let mut by_page = best;
        by_page.sort_by_key(|link| (link.source, link.target));
        let mut found: Vec<(f64, TopLink)> = Vec::with_capacity(by_page.len());
        for links in by_page.chunk_by(|a, b| a.source == b.source) {
            let targets: Vec<PageId> = links.iter().map(|link| link.target).collect();
            found.extend(self.top_of_page(
                &*scorer,
                links[0].source,
                targets,
                &conf.rank,
                filter.per_page,
            )?);
        }
        // Ties are in the order of the titles.
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        found.truncate(most);
        let links = found.into_iter().enumerate().map(|(place, (_, found))| TopLink {
            link: RankingRow { rank: place + 1, ..found.link },
            ..found
        });
        let left_out = scorer.left_out().to_vec();
        Ok(TopLinks { scorer: scorer.name().to_owned(), num_links, left_out, links: links.collect() })
    }

    /// Returns the rows of some links of a page, each with its sort key.
    fn top_of_page(
        &self,
        scorer: &dyn Score,
        page: PageId,
        targets: Vec<PageId>,
        conf: &RankConf,
        per_page: usize,
    ) -> Result<Vec<(f64, TopLink)>, Error> {
        let places = self.inputs().places_of(page, self.corpus().links(page)?)?;
        let links = self.corpus().links(page)?;
        let place = |target: &PageId| Some(places.as_ref()?[links.binary_search(target).ok()?]);
        let masks = targets.iter().filter_map(place).collect();
        let ranked = RankedPage::of(self, self.inputs(), scorer, page, (targets, masks))?;
        let text = ranked.text()?;
        let rows = ranked.rows(conf.order, Some(0), text.as_deref())?;
        let of_a_page = if per_page == 0 { rows.len() } else { per_page };
        let value = |row: &RankedRow| match conf.order {
            Order::Worth => row.worth.unwrap_or(f64::NEG_INFINITY),
            Order::Oddity => ranked.details.scores[row.at].unwrap_or(f64::NEG_INFINITY),
        };
        let source = self.corpus().title(page)?;
        let rows = rows.iter().take(of_a_page).map(|row| {
            let mut link = ranked.row(row)?;
            link.snippet = link.snippet.filter(|_| conf.snippets);
            Ok((value(row), TopLink { source: source.to_owned(), link }))
        });
        rows.collect()
    }

    /// Returns the links with the largest scores and the number of links compared.
    fn best(
        &self,
        scorer: &dyn Score,
        filter: &Filter,
        most: usize,
        progress: &mut dyn Progress,
    ) -> Result<(Vec<Candidate>, u64), Error> {
        let of_a_page = match filter.per_page {
            0 => most,
            // Several may be of one sentence, and the oddest need not be worth most.
            per_page => most.min(per_page.saturating_mul(POOL)),
        };
        let (num_pages, carried) = (self.corpus().num_pages(), interrupt::carried());
        let (mut best, mut num_links): (Vec<Candidate>, u64) = Default::default();
        progress.start(Task::Score, Some(num_pages as u64));
        for first in (0..num_pages).step_by(PAGES_AT_A_TIME) {
            let pages = first..(first + PAGES_AT_A_TIME).min(num_pages);
            let num = pages.len() as u64;
            let of_page = |page| {
                let mut links = filter.links(self, scorer, PageId(page as u32))?;
                let num = links.len() as u64;
                links.truncate(of_a_page);
                Ok((links, num))
            };
            let scored = pages.into_par_iter().map(|page| carried.scope(|| of_page(page)));
            for (links, num) in scored.collect::<Result<Vec<_>, Error>>()? {
                best.extend(links);
                num_links += num;
            }
            let key = |c: &Candidate| (c.source, c.target);
            best.sort_by(|a, b| b.score.total_cmp(&a.score).then(key(a).cmp(&key(b))));
            best.truncate(most);
            progress.advance(num);
        }
        progress.finish();
        Ok((best, num_links))
    }
}
