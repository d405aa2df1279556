//! Links that probably lead to the wrong page: they are odd, and a page of a similar title would be expected.
//!
//! For a link s → t, every [namesake](Likeness) b of t that s does not link to is scored as if s linked to it. The link
//! is suspicious if t is in the upper half of the ranking of the links of s, where links are odd, and b would be in the
//! lower half, where they are expected. The gain is the unexpectedness of s → t less that of s → b; of several b the
//! one with the largest gain is the better target.
//!
//! Signals that read the link itself in the text say nothing of b, and are left out. Links to a page from its own
//! namesakes are skipped, since these say that the other page exists, and so are links of disambiguation pages, which
//! list similar titles. A disambiguation page is never the better target, but a link to one is as suspicious as any.

use super::namesakes::{Likeness, Namesakes};
use super::reasons::Reasons;
use super::{Engine, RankConf};
use crate::Error;
use crate::graph::PageId;
use crate::interrupt;
use crate::progress::{Progress, Task};
use crate::score::{LeftOut, Reason, Score, ScoreConf, Side};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// Links that probably lead to the wrong page, the largest gain first; ties by title.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Mends {
    /// The scorer.
    pub scorer: String,
    /// Links that were looked at: those whose target has a namesake that the page does not link to.
    pub num_links: u64,
    /// How many of them are suspicious.
    pub num_suspicious: u64,
    /// Signals that are not part of the scores, since the corpus lacks something.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// The suspicious links, as many as asked for.
    pub links: Vec<SuspiciousLink>,
}

/// A link that probably leads to the wrong page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SuspiciousLink {
    /// Its place, from 1.
    pub rank: usize,
    /// The title of the page that links.
    pub source: String,
    /// The title of the page that it leads to.
    pub target: String,
    /// The title of the page that was probably meant.
    pub better: String,
    /// What the two targets share.
    pub likeness: Likeness,
    /// How unexpected the link is.
    pub unexpectedness: f64,
    /// How unexpected a link to the better target would be.
    pub better_unexpectedness: f64,
    /// The difference of the two.
    pub gain: f64,
    /// What makes a link to the better target expected, the strongest first.
    pub reasons: Vec<Reason>,
    /// The sentence behind the link, the link between `[[` and `]]`, where asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
}

/// Number of pages scored at a time: enough work for all threads, few enough to hold in memory.
const PAGES_AT_A_TIME: usize = 1 << 14;

/// A suspicious link.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    source: PageId,
    target: PageId,
    better: PageId,
    likeness: Likeness,
    scores: [f64; 2],
}

impl Candidate {
    fn gain(&self) -> f64 {
        self.scores[0] - self.scores[1]
    }
}

/// A link that is checked, with the namesakes of its target that the page does not link to.
struct Choice {
    target: PageId,
    others: Vec<(PageId, Likeness)>,
}

impl Engine {
    /// Returns the pages that a page may be mistaken for by its title, ascending.
    ///
    /// # Errors
    /// If there is no such page.
    pub fn namesakes(&self, title: &str) -> Result<Vec<(String, Likeness)>, Error> {
        self.whole(|| self.namesakes_unwatched(title))
    }

    fn namesakes_unwatched(&self, title: &str) -> Result<Vec<(String, Likeness)>, Error> {
        let (page, namesakes) = (self.page(title)?, self.all_namesakes()?);
        let named =
            |&(page, likeness): &(PageId, Likeness)| Ok((self.corpus().title(page)?.to_owned(), likeness));
        namesakes.of(page).iter().map(named).collect()
    }

    /// Returns the links of a page that [`Engine::mend`] checks, each with the pages that may have been meant instead.
    pub fn mistakable_links(&self, page: PageId) -> Result<Vec<(PageId, Vec<PageId>)>, Error> {
        self.whole(|| self.mistakable_links_unwatched(page))
    }

    fn mistakable_links_unwatched(&self, page: PageId) -> Result<Vec<(PageId, Vec<PageId>)>, Error> {
        let choices = self.choices(&*self.all_namesakes()?, page)?;
        let pages = |others: Vec<(PageId, Likeness)>| others.into_iter().map(|(page, _)| page).collect();
        Ok(choices.into_iter().map(|choice| (choice.target, pages(choice.others))).collect())
    }

    fn all_namesakes(&self) -> Result<Arc<Namesakes>, Error> {
        let held = &self.0.namesakes;
        if let Some(namesakes) = held.get() {
            return Ok(namesakes.clone());
        }
        let made = Arc::new(Namesakes::new(self.corpus(), &*self.page_names()?)?);
        Ok(held.get_or_init(|| made).clone())
    }

    fn choices(&self, namesakes: &Namesakes, page: PageId) -> Result<Vec<Choice>, Error> {
        if namesakes.is_disambiguation(page) {
            return Ok(Vec::new());
        }
        let links = self.corpus().links(page)?;
        let choice = |&target: &PageId| {
            let of_target = namesakes.of(target);
            if of_target.is_empty() || of_target.iter().any(|(other, _)| *other == page) {
                return None;
            }
            let may_be_meant = |(other, _): &&(PageId, Likeness)| {
                !namesakes.is_disambiguation(*other) && links.binary_search(other).is_err()
            };
            let others: Vec<(PageId, Likeness)> = of_target.iter().filter(may_be_meant).copied().collect();
            (!others.is_empty()).then_some(Choice { target, others })
        };
        Ok(links.iter().filter_map(choice).collect())
    }

    /// Returns the suspicious links of a page and the number of links checked.
    fn suspicious(
        &self,
        namesakes: &Namesakes,
        scorer: &dyn Score,
        page: PageId,
    ) -> Result<(Vec<Candidate>, u64), Error> {
        interrupt::check()?;
        let choices = self.choices(namesakes, page)?;
        if choices.is_empty() {
            return Ok((Vec::new(), 0));
        }
        let links = self.corpus().links(page)?;
        let of_links = scorer.score(page, links)?;
        let mut others: Vec<PageId> =
            choices.iter().flat_map(|choice| choice.others.iter().map(|(other, _)| *other)).collect();
        others.sort_unstable();
        others.dedup();
        let of_others = scorer.score(page, &others)?;
        let score_of = |pages: &[PageId], scores: &[Option<f64>], page: PageId| {
            pages.binary_search(&page).ok().and_then(|at| scores[at])
        };
        let mut sorted: Vec<f64> = of_links.iter().flatten().copied().collect();
        sorted.sort_unstable_by(f64::total_cmp);
        // At least half of the links are no more, or no less, unexpected.
        let is_odd = |score: f64| 2 * sorted.partition_point(|other| *other <= score) > sorted.len();
        let is_expected = |score: f64| 2 * sorted.partition_point(|other| *other < score) <= sorted.len();
        let mut found = Vec::new();
        for choice in &choices {
            let Some(own) = score_of(links, &of_links, choice.target).filter(|&own| is_odd(own)) else {
                continue;
            };
            let scored = choice.others.iter().filter_map(|&(better, likeness)| {
                let score = score_of(&others, &of_others, better)?;
                let scores = [own, score];
                (is_expected(score) && score < own).then_some(Candidate {
                    source: page,
                    target: choice.target,
                    better,
                    likeness,
                    scores,
                })
            });
            // Of several as good the first.
            found.extend(scored.reduce(|best, next| if next.gain() > best.gain() { next } else { best }));
        }
        Ok((found, choices.len() as u64))
    }

    /// Finds links of the whole graph that probably lead to the wrong page, with the scorer and number of rows of
    /// `conf`.
    ///
    /// # Errors
    /// If there is no such scorer, or the corpus lacks what is asked for.
    pub fn mend(&self, conf: &RankConf, progress: &mut dyn Progress) -> Result<Mends, Error> {
        self.whole(|| self.mended(0..self.corpus().num_pages(), conf, progress))
    }

    /// Runs [`Engine::mend`] on the links of one page, by its title.
    ///
    /// # Errors
    /// As for [`Engine::mend`], or if there is no such page.
    pub fn mend_page(
        &self,
        title: &str,
        conf: &RankConf,
        progress: &mut dyn Progress,
    ) -> Result<Mends, Error> {
        self.whole(|| self.mend_page_unwatched(title, conf, progress))
    }

    fn mend_page_unwatched(
        &self,
        title: &str,
        conf: &RankConf,
        progress: &mut dyn Progress,
    ) -> Result<Mends, Error> {
        let page = self.page(title)?.index();
        self.mended(page..page + 1, conf, progress)
    }

    fn mended(
        &self,
        pages: Range<usize>,
        conf: &RankConf,
        progress: &mut dyn Progress,
    ) -> Result<Mends, Error> {
        let score = ScoreConf { without_text_of_links: true, ..conf.score.clone() };
        let scorer = self.prepare(&conf.scorer, &score, progress)?;
        let namesakes = self.all_namesakes()?;
        let most = conf.most(0);
        let (mut best, mut num_links, mut num_suspicious): (Vec<Candidate>, u64, u64) = Default::default();
        let carried = interrupt::carried();
        progress.start(Task::Mend, Some(pages.len() as u64));
        for first in pages.clone().step_by(PAGES_AT_A_TIME) {
            let pages = first..(first + PAGES_AT_A_TIME).min(pages.end);
            let num = pages.len() as u64;
            let of_page = |page| self.suspicious(&namesakes, &*scorer, PageId(page as u32));
            let found = pages.into_par_iter().map(|page| carried.scope(|| of_page(page)));
            for (found, num) in found.collect::<Result<Vec<_>, Error>>()? {
                num_suspicious += found.len() as u64;
                num_links += num;
                best.extend(found);
            }
            let key = |c: &Candidate| (c.source, c.target);
            best.sort_by(|a, b| b.gain().total_cmp(&a.gain()).then(key(a).cmp(&key(b))));
            best.truncate(most);
            progress.advance(num);
        }
        progress.finish();
        let snippets = conf.snippets && self.corpus().has_text();
        let rows = best.iter().enumerate().map(|(place, link)| self.row(place, link, &*scorer, snippets));
        Ok(Mends {
            scorer: scorer.name().to_owned(),
            num_links,
            num_suspicious,
            left_out: scorer.left_out().to_vec(),
            links: rows.collect::<Result<_, Error>>()?,
        })
    }

    fn row(
        &self,
        place: usize,
        link: &Candidate,
        scorer: &dyn Score,
        snippets: bool,
    ) -> Result<SuspiciousLink, Error> {
        interrupt::check()?;
        let title = |page: PageId| Ok::<_, Error>(self.corpus().title(page)?.to_owned());
        let details = scorer.details(link.source, &[link.better])?;
        let reasons = Reasons { scorer, details: &details, source: link.source };
        Ok(SuspiciousLink {
            rank: place + 1,
            source: title(link.source)?,
            target: title(link.target)?,
            better: title(link.better)?,
            likeness: link.likeness,
            unexpectedness: link.scores[0],
            better_unexpectedness: link.scores[1],
            gain: link.gain(),
            reasons: reasons.of(0, link.better, Side::Expected)?,
            snippet: if snippets { self.page_text(link.source)?.sentence(link.target)? } else { None },
        })
    }
}
