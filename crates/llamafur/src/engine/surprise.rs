//! A random page with a strikingly unexpected link.

use super::rank::Ranked;
use super::{Engine, RankConf, TopLink};
use crate::Error;
use crate::error::Missing;
use crate::graph::PageId;
use crate::interrupt;
use crate::random::{Purpose, below, generator};
use rayon::prelude::*;

/// Links that a page should have, so that the first of them says something, and may have, so that it is scored quickly.
const FEWEST_LINKS: usize = 5;
const MOST_LINKS: usize = 500;

/// Pages whose links are scored.
const PAGES: usize = 8;

/// How often a page is drawn at most to find these.
const DRAWS: usize = 2000;

impl Engine {
    /// A link to be surprised by: of a few pages drawn at random, the most unexpected link. The same seed gives the same link.
    ///
    /// Pages have 5 to 500 links where that is possible. Otherwise any page with a link will do, and of a page with more than
    /// 500 the first 500 are looked at.
    ///
    /// # Errors
    /// If the graph has no link, there is no such scorer, the corpus lacks what is asked for, or a file is damaged.
    pub fn surprise(&self, conf: &RankConf, seed: u64) -> Result<TopLink, Error> {
        self.whole(|| self.surprise_unwatched(conf, seed))
    }

    fn surprise_unwatched(&self, conf: &RankConf, seed: u64) -> Result<TopLink, Error> {
        let corpus = self.corpus();
        if conf.snippets && !corpus.has_text() {
            return Err(Error::Missing { path: corpus.path().into(), what: Missing::Text });
        }
        let pages = self.drawn(seed)?;
        let scorer = self.scorer(&conf.scorer, &conf.score)?;
        let carried = interrupt::carried();
        let rank = |page: PageId| {
            interrupt::check()?;
            let targets = corpus.links(page)?;
            Ranked::of(&*scorer, page, &targets[..targets.len().min(MOST_LINKS)])
        };
        let ranked = pages.par_iter().map(|&page| carried.scope(|| rank(page)));
        let ranked = ranked.collect::<Result<Vec<_>, Error>>()?;
        let first = |ranked: &Ranked<'_>| ranked.order.first().and_then(|&at| ranked.details.scores[at]);
        // Of equals the one that was drawn first.
        let best = ranked.iter().rev().max_by(|a, b| match (first(a), first(b)) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        });
        let best = best.ok_or_else(|| self.no_links())?;
        let text = if conf.snippets { Some(self.page_text(best.page)?) } else { None };
        let link = best.row(self, &*scorer, 0, best.side(0), text.as_deref())?;
        Ok(TopLink { source: corpus.title(best.page)?.to_owned(), link })
    }

    fn no_links(&self) -> Error {
        Error::Missing { path: self.corpus().path().into(), what: Missing::Links }
    }

    /// The pages whose links are looked at, each with a link.
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
