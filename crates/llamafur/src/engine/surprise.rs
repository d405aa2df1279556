//! A random page with a strikingly unexpected link.

use super::ranked_page::{RankedPage, RankedRow};
use super::{Engine, Order, RankConf, RankingRow, TopLink};
use crate::Error;
use crate::error::Missing;
use crate::graph::PageId;
use crate::interrupt;
use crate::random::{Purpose, below, generator};
use rayon::prelude::*;

/// Fewest and most links of a drawn page: enough that the first of them says something, few enough to score quickly.
const FEWEST_LINKS: usize = 5;
const MOST_LINKS: usize = 500;

/// Number of pages whose links are scored.
const PAGES: usize = 8;

/// Largest number of draws to find these pages.
const DRAWS: usize = 2000;

impl Engine {
    /// Returns the most unexpected link of a few pages drawn at random. The same seed gives the same link.
    ///
    /// Pages have 5 to 500 links where that is possible. Otherwise any page with a link is used, and only the first 500
    /// links of a page are scored.
    ///
    /// # Errors
    /// If the graph has no link, there is no such scorer, or the corpus lacks what is asked for.
    pub fn surprise(&self, conf: &RankConf, seed: u64) -> Result<TopLink, Error> {
        self.whole(|| self.surprise_unwatched(conf, seed))
    }

    fn surprise_unwatched(&self, conf: &RankConf, seed: u64) -> Result<TopLink, Error> {
        let corpus = self.corpus();
        let pages = self.drawn(seed)?;
        let scorer = self.scorer(&conf.scorer, &conf.score)?;
        let carried = interrupt::carried();
        let rank = |page: PageId| {
            interrupt::check()?;
            let targets = corpus.links(page)?;
            let places = self.inputs().places_of(page, targets)?;
            let taken = |at: &usize| places.as_ref().is_none_or(|places| conf.places.takes(places[*at]));
            let taken: Vec<usize> = (0..targets.len()).filter(taken).take(MOST_LINKS).collect();
            let of = |at: &usize| (targets[*at], places.as_ref().map_or(0, |places| places[*at]));
            let (targets, masks): (Vec<PageId>, Vec<u16>) = taken.iter().map(of).unzip();
            let masks = if places.is_some() { masks } else { Vec::new() };
            let ranked = RankedPage::of(self, self.inputs(), &*scorer, page, (targets, masks))?;
            let text = ranked.text()?;
            let first = ranked.rows(conf.order, Some(1), text.as_deref())?.into_iter().next();
            Ok(first.map(|row| (ranked, row)))
        };
        let ranked = pages.par_iter().map(|&page| carried.scope(|| rank(page)));
        let ranked = ranked.collect::<Result<Vec<_>, Error>>()?;
        let value = |(ranked, row): &(RankedPage<'_>, RankedRow)| match conf.order {
            Order::Worth => row.worth,
            Order::Oddity => ranked.details.scores[row.at],
        };
        // Of equals the one that was drawn first.
        let best = ranked.iter().flatten().rev().max_by(|a, b| match (value(a), value(b)) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        });
        let (ranked, row) = best.ok_or_else(|| self.no_links())?;
        let mut link = RankingRow { rank: 1, ..ranked.row(row)? };
        link.snippet = link.snippet.filter(|_| conf.snippets);
        Ok(TopLink { source: corpus.title(ranked.page)?.to_owned(), link })
    }

    fn no_links(&self) -> Error {
        Error::Missing { path: self.corpus().path().into(), what: Missing::Links }
    }

    /// Draws the pages whose links are scored, each with a link.
    fn drawn(&self, seed: u64) -> Result<Vec<PageId>, Error> {
        let (corpus, num_pages) = (self.corpus(), self.corpus().num_pages() as u64);
        if corpus.num_links() == 0 {
            return Err(self.no_links());
        }
        let mut random = generator(seed, Purpose::Surprise, 0);
        let mut pages: Vec<PageId> = Vec::with_capacity(PAGES);
        for _ in 0..DRAWS {
            let page = PageId(below(&mut random, num_pages) as u32);
            let num = corpus.links(page)?.len();
            if (FEWEST_LINKS..=MOST_LINKS).contains(&num) && !pages.contains(&page) {
                pages.push(page);
                if pages.len() == PAGES {
                    break;
                }
            }
        }
        if pages.is_empty() {
            // Such pages are rare: the next ones in order that have any link, from a random page on.
            let links = corpus.all_links()?;
            let start = below(&mut random, num_pages);
            let others = (0..num_pages).map(|step| PageId(((start + step) % num_pages) as u32));
            pages.extend(others.filter(|page| !links.row(page.index()).is_empty()).take(PAGES));
        }
        Ok(pages)
    }
}
