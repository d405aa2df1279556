//! The links of a page, scored, joined by their sentences, and put in order.
//!
//! Of the links in the places that are ranked, the oddest are looked at one by one: their [worth] is found, and where worth is the
//! order, those of one sentence become one row, which the one of most worth leads. All others follow by how unexpected they are.

use super::evidence::{PageEvidence, convincing};
use super::{Engine, Order, PlaceSet, RankConf, RankingRow};
use crate::Error;
use crate::categories::Feature;
use crate::corpus::{LinkSentence, PageText};
use crate::graph::PageId;
use crate::in_links::InLinks;
use crate::interrupt;
use crate::learn::Model;
use crate::places::best;
use crate::progress::Silent;
use crate::score::{Details, Inputs, Scale, Score, Side, order, signals_of};
use crate::words::{Figures, Words};
use crate::worth::{FeatureValues, LEVEL, RowContext, features, is_apparatus, says_something, worth};
use rapidhash::RapidHashMap;
use std::cell::OnceCell;
use std::sync::Arc;

/// The oddest links of a page, whose worth is found.
const LOOKED_AT: usize = 64;

/// Percentage of the corpus's links than which a link must be odder to be odd, and to be worth reading.
const ODD: f64 = 50.0;
const WORTH_ODD: f64 = 80.0;

/// The links of a page, scored.
pub(super) struct RankedPage<'a> {
    engine: &'a Engine,
    pub(super) inputs: &'a Inputs,
    pub(super) scorer: &'a dyn Score,
    pub(super) page: PageId,
    /// The targets of the links that are ranked.
    pub(super) targets: Vec<PageId>,
    /// The places of each; empty where the text does not say.
    pub(super) places: Vec<u16>,
    pub(super) details: Details,
    /// Indexes of the targets, the most unexpected first.
    pub(super) order: Vec<usize>,
    scale: Arc<Scale>,
    in_links: Arc<InLinks>,
    words: Option<Arc<Words>>,
    evidence: OnceCell<PageEvidence<'a>>,
}

/// A row to be.
pub(super) struct RankedRow {
    /// The index of its target.
    pub(super) at: usize,
    pub(super) worth: Option<f64>,
    pub(super) is_surprising: bool,
    /// The indexes of other targets of the same sentence.
    pub(super) also: Vec<usize>,
    /// Whether its reasons may take reading the target's text.
    is_read: bool,
    sentence: Option<LinkSentence>,
}

impl<'a> RankedPage<'a> {
    /// Scores the links of a page that are in one of these places. `inputs` are those of the engine, or of a draft.
    pub(super) fn new(
        engine: &'a Engine,
        inputs: &'a Inputs,
        scorer: &'a dyn Score,
        page: PageId,
        places: PlaceSet,
    ) -> Result<RankedPage<'a>, Error> {
        let links = inputs.corpus().links(page)?;
        match inputs.places_of(page, links)? {
            None => RankedPage::of(engine, inputs, scorer, page, (links.to_vec(), Vec::new())),
            Some(masks) => {
                let taken = links.iter().zip(masks).filter(|(_, mask)| places.takes(*mask));
                RankedPage::of(
                    engine,
                    inputs,
                    scorer,
                    page,
                    taken.map(|(&target, mask)| (target, mask)).unzip(),
                )
            }
        }
    }

    /// Scores these targets, with the places of each, whether the page links to them or not.
    pub(super) fn of(
        engine: &'a Engine,
        inputs: &'a Inputs,
        scorer: &'a dyn Score,
        page: PageId,
        (targets, places): (Vec<PageId>, Vec<u16>),
    ) -> Result<RankedPage<'a>, Error> {
        let details = scorer.details(page, &targets)?;
        Ok(RankedPage {
            engine,
            inputs,
            scorer,
            page,
            order: order(&details.scores),
            targets,
            places,
            details,
            scale: engine.scale_of(scorer, &mut Silent)?,
            in_links: inputs.in_links(&mut Silent)?,
            words: inputs.words_if_any(&mut Silent)?,
            evidence: OnceCell::new(),
        })
    }

    /// Returns the text of the page, where the corpus has texts.
    pub(super) fn text(&self) -> Result<Option<Arc<PageText>>, Error> {
        self.inputs.corpus().has_text().then(|| self.inputs.texts().get(self.page)).transpose()
    }

    /// Returns the percentage of the corpus's links that are less unexpected than one of the page's.
    pub(super) fn odder_than(&self, at: usize) -> Option<f64> {
        self.details.scores[at].map(|score| self.scale.odder_than(score))
    }

    /// Returns what a link's reasons should speak for: it is odder than half of the corpus's links, or not.
    pub(super) fn side(&self, at: usize) -> Side {
        let odder_than = self.odder_than(at).unwrap_or_default();
        if odder_than >= ODD { Side::Odd } else { Side::Expected }
    }

    /// Returns the features of a link of the page; `None` where it has no score, or its sentence or target is no fact.
    pub(super) fn features(
        &self,
        at: usize,
        sentence: Option<&LinkSentence>,
    ) -> Result<Option<FeatureValues>, Error> {
        let Some(score) = self.details.scores[at] else { return Ok(None) };
        let corpus = self.inputs.corpus();
        let (target, in_links) = (corpus.title(self.targets[at])?, self.in_links.of(self.targets[at])?);
        if is_apparatus(target, in_links) || !sentence.is_none_or(says_something) {
            return Ok(None);
        }
        Ok(Some(features(&RowContext {
            oddity: self.scale.standardised(score),
            odder_than: self.scale.odder_than(score),
            kinds: (corpus.num_categories() > 1)
                .then(|| f64::from(in_links.kinds) / (corpus.num_categories() as f64).ln()),
            num_in_links: in_links.in_prose.saturating_add(in_links.elsewhere),
            target_terms: self.num_terms(self.targets[at])?,
            sentence,
            source: corpus.title(self.page)?,
            target,
        })))
    }

    /// Returns the number of different terms in the text of a page, and the mean of all texts; `None` where it has none.
    fn num_terms(&self, page: PageId) -> Result<Option<(usize, f64)>, Error> {
        let Some(words) = &self.words else { return Ok(None) };
        let Figures { documents, page_terms, .. } = words.settings().figures;
        let num = words.bag(page)?.terms().len();
        Ok((num > 0).then(|| (num, page_terms as f64 / documents.max(1) as f64)))
    }

    /// Returns the row of one link by itself.
    pub(super) fn row_of(&self, at: usize, text: Option<&PageText>) -> Result<RankedRow, Error> {
        interrupt::check()?;
        let sentence = text.map_or(Ok(None), |text| text.link_sentence(self.targets[at]))?;
        let is_odd = self.odder_than(at).is_some_and(|odder_than| odder_than >= WORTH_ODD);
        let values = if is_odd { self.features(at, sentence.as_ref())? } else { None };
        let worth = values.map(|values| worth(&values));
        let is_surprising = worth.is_some_and(|worth| worth >= LEVEL);
        Ok(RankedRow { at, worth, is_surprising, also: Vec::new(), is_read: true, sentence })
    }

    /// Returns the rows of the page in an order; at least `top` of them are complete, or all if it is 0.
    pub(super) fn rows(
        &self,
        by: Order,
        top: Option<usize>,
        text: Option<&PageText>,
    ) -> Result<Vec<RankedRow>, Error> {
        let looked_at = match top {
            Some(0) => self.order.len(),
            Some(top) => top.saturating_mul(2).max(LOOKED_AT),
            None => LOOKED_AT,
        };
        let looked_at = looked_at.min(self.order.len());
        let mut rows: Vec<RankedRow> = Vec::with_capacity(self.order.len());
        // The row of each sentence.
        let mut of_sentence: RapidHashMap<u64, usize> = RapidHashMap::default();
        for (place, &at) in self.order[..looked_at].iter().enumerate() {
            let mut row = self.row_of(at, text)?;
            if place >= LOOKED_AT {
                (row.worth, row.is_surprising, row.is_read) = (None, false, false);
            }
            let sentence = row.sentence.as_ref().filter(|_| by == Order::Worth).map(|known| known.sentence);
            match sentence.and_then(|sentence| of_sentence.get(&sentence)).map(|&known| &mut rows[known]) {
                Some(leader) => {
                    if row.worth > leader.worth {
                        std::mem::swap(leader, &mut row);
                        leader.also = std::mem::take(&mut row.also);
                    }
                    leader.also.push(row.at);
                }
                None => {
                    if let Some(sentence) = sentence {
                        of_sentence.insert(sentence, rows.len());
                    }
                    rows.push(row);
                }
            }
        }
        if by == Order::Worth {
            // Equal rows, and those without a worth, stay in the order of their oddity.
            let key = |row: &RankedRow| row.worth.unwrap_or(f64::NEG_INFINITY);
            rows.sort_by(|a, b| key(b).total_cmp(&key(a)));
        }
        let rest = self.order[looked_at..].iter();
        let bare = |&at: &usize| RankedRow {
            at,
            worth: None,
            is_surprising: false,
            also: Vec::new(),
            is_read: false,
            sentence: None,
        };
        rows.extend(rest.map(bare));
        Ok(rows)
    }

    /// Returns a row as it is shown, without its place.
    pub(super) fn row(&self, row: &RankedRow) -> Result<RankingRow, Error> {
        interrupt::check()?;
        let (at, corpus, details) = (row.at, self.inputs.corpus(), &self.details);
        let (target, unexpectedness) = (self.targets[at], details.scores[at]);
        let parts = signals_of(self.scorer);
        let said = parts.iter().zip(&details.signals);
        let signals = said.filter_map(|(part, signal)| Some((part.name().to_owned(), signal.scores[at]?)));
        let reasons = match unexpectedness {
            Some(_) => {
                let found = self.evidence()?.of(target, self.side(at), row.is_read)?;
                convincing(found, self.side(at), row.sentence.is_some())
            }
            None => Vec::new(),
        };
        let title = |&at: &usize| Ok(corpus.title(self.targets[at])?.to_owned());
        Ok(RankingRow {
            rank: 0,
            target: corpus.title(target)?.to_owned(),
            unexpectedness,
            odder_than: self.odder_than(at),
            surprising: row.is_surprising,
            worth: row.worth,
            place: self.places.get(at).and_then(|&places| best(places)),
            also: row.also.iter().map(title).collect::<Result<_, Error>>()?,
            section: row.sentence.as_ref().and_then(|sentence| sentence.section.clone()),
            snippet: row.sentence.as_ref().map(|sentence| sentence.shown.clone()),
            reasons,
            explained: details.explained[at],
            signals: signals.collect(),
            note: unexpectedness.is_none().then(|| self.no_data().to_owned()),
        })
    }

    /// Returns what is counted once for the evidence of all links of the page.
    pub(super) fn evidence(&self) -> Result<&PageEvidence<'a>, Error> {
        if let Some(evidence) = self.evidence.get() {
            return Ok(evidence);
        }
        let evidence = PageEvidence::new(self.engine, self.inputs, self.page)?;
        Ok(self.evidence.get_or_init(|| evidence))
    }

    /// Returns why a link has no score.
    fn no_data(&self) -> &'static str {
        let is_over_categories = |matrix: &Model| matrix.settings().feature == Feature::Categories;
        match self.scorer.model() {
            Some(model) if model.matrices().all(is_over_categories) => "no categories",
            _ => "no data",
        }
    }
}

impl Engine {
    /// Returns the pages that a page links to in one of these places, or all of them where the text does not say.
    ///
    /// # Errors
    /// If there is no such page, or a file is damaged.
    pub fn links_in(&self, page: PageId, places: PlaceSet) -> Result<Vec<PageId>, Error> {
        let links = self.corpus().links(page)?;
        let Some(masks) = self.inputs().places_of(page, links)? else { return Ok(links.to_vec()) };
        let taken = links.iter().zip(masks).filter(|(_, mask)| places.takes(*mask));
        Ok(taken.map(|(target, _)| *target).collect())
    }

    /// Returns the [features](crate::worth) of links of a page, by the titles of their targets: what their worth is found from, and
    /// fitted to. `None` of one that has no worth, or is in no place that is ranked.
    ///
    /// # Errors
    /// If there is no such page or scorer, or a file is damaged.
    pub fn worth_features(
        &self,
        page: &str,
        targets: &[&str],
        conf: &RankConf,
    ) -> Result<Vec<Option<FeatureValues>>, Error> {
        let page = self.page(page)?;
        let scorer = self.prepare_ranking(&conf.scorer, &conf.score, &mut Silent)?;
        let ranked = RankedPage::new(self, self.inputs(), &*scorer, page, conf.places)?;
        let text = ranked.text()?;
        let of = |target: &&str| {
            let Ok(at) = ranked.targets.binary_search(&self.page(target)?) else { return Ok(None) };
            let sentence = text.as_deref().map_or(Ok(None), |text| text.link_sentence(ranked.targets[at]))?;
            ranked.features(at, sentence.as_ref())
        };
        targets.iter().map(of).collect()
    }
}
