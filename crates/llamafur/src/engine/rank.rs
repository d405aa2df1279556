//! The links of a page, the most unexpected first, each with its reasons.

use super::Engine;
use super::reasons::Reasons;
use crate::Error;
use crate::categories::Feature;
use crate::corpus::PageText;
use crate::error::Missing;
use crate::graph::PageId;
use crate::interrupt;
use crate::learn::Model;
use crate::score::{Details, LeftOut, Reason, Score, ScoreConf, Side, order, signals_of};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How a page's links are ranked.
///
/// ```
/// use llamafur::engine::RankConf;
/// let conf = RankConf::default().scorer("llamafur+aa").top(3).snippets(true);
/// ```
#[derive(Debug, Clone)]
pub struct RankConf {
    pub(super) scorer: String,
    pub(super) score: ScoreConf,
    pub(super) top: usize,
    pub(super) snippets: bool,
}

impl Default for RankConf {
    fn default() -> RankConf {
        RankConf { scorer: "blend".into(), score: ScoreConf::default(), top: 0, snippets: false }
    }
}

impl RankConf {
    setters! {
        /// The scorer by its name, or a sum of several: `blend`, `llamafur+aa`. Default: `blend`.
        scorer: impl Into<String> => scorer.into(),
        /// How it scores. Default: [`ScoreConf::default`].
        score: ScoreConf,
        /// How many links to return. Default: 0, which is all.
        top: usize,
        /// Whether to return the sentence behind each link, which needs texts. Default: no.
        snippets: bool,
    }
}

/// The links of a page, the most unexpected first; ties by title, links without a score last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Ranking {
    /// The title of the page.
    pub page: String,
    /// The scorer.
    pub scorer: String,
    /// How many links the page has.
    pub num_links: usize,
    /// How the model was learnt, where the scorer uses one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// What the numbers of `signals` are.
    pub signal_unit: SignalUnit,
    /// Signals that are not part of the ranking, since the corpus lacks something.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// The links, as many as asked for.
    pub links: Vec<RankingRow>,
}

/// What the numbers of signals are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SignalUnit {
    /// Standard deviations from the mean.
    StandardDeviations,
    /// The scorer's own.
    Raw,
}

/// A link in a ranking.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RankingRow {
    /// Its place, from 1.
    pub rank: usize,
    /// The title of the page that it goes to.
    pub target: String,
    /// How unexpected it is; `null` where there is no data.
    pub unexpectedness: Option<f64>,
    /// Whether the category matrix explains it; `null` where that cannot be said.
    pub explained: Option<bool>,
    /// What each signal says.
    pub signals: BTreeMap<String, f64>,
    /// What put it in this place, the strongest first: in the upper half of the ranking what makes it odd, in the lower half
    /// what makes it expected. Empty where it has no score.
    pub reasons: Vec<Reason>,
    /// The sentence behind it, the link between `[[` and `]]`.
    pub snippet: Option<String>,
    /// Why it has no score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl RankingRow {
    /// The columns of a table of links.
    pub const COLUMNS: [&str; 7] =
        ["target", "unexpectedness", "explained", "reason", "source_category", "target_category", "weight"];

    /// The link's fields under these columns; empty where there is no data.
    pub fn fields(&self) -> [String; 7] {
        let pair = self.reasons.iter().find_map(|reason| reason.pair.as_ref());
        let text = |value: Option<String>| value.unwrap_or_default();
        let texts: Vec<&str> = self.reasons.iter().map(|reason| &reason.text[..]).collect();
        [
            self.target.clone(),
            text(self.unexpectedness.map(|score| score.to_string())),
            text(self.explained.map(|explained| explained.to_string())),
            texts.join("; "),
            text(pair.map(|pair| pair.source.clone())),
            text(pair.map(|pair| pair.target.clone())),
            text(pair.map(|pair| pair.weight.to_string())),
        ]
    }
}

/// The side of a place in a ranking of so many links: the upper half is odd.
pub(super) fn half(place: usize, num_links: usize) -> Side {
    if 2 * place < num_links { Side::Odd } else { Side::Expected }
}

/// The links of a page, scored and in order.
pub(super) struct Ranked<'a> {
    pub(super) page: PageId,
    pub(super) targets: &'a [PageId],
    pub(super) details: Details,
    /// Places among the targets, the most unexpected first.
    pub(super) order: Vec<usize>,
    /// How many have a score.
    num_scored: usize,
}

impl<'a> Ranked<'a> {
    pub(super) fn new(engine: &'a Engine, scorer: &dyn Score, page: PageId) -> Result<Ranked<'a>, Error> {
        Ranked::of(scorer, page, engine.corpus().links(page)?)
    }

    /// The same of some links of the page.
    pub(super) fn of(scorer: &dyn Score, page: PageId, targets: &'a [PageId]) -> Result<Ranked<'a>, Error> {
        let details = scorer.details(page, targets)?;
        let num_scored = details.scores.iter().flatten().count();
        Ok(Ranked { page, targets, order: order(&details.scores), num_scored, details })
    }

    /// What the reasons of the link in a place should speak for: it is in the upper or the lower half of those with a score.
    pub(super) fn side(&self, place: usize) -> Side {
        half(place, self.num_scored)
    }

    /// The row of the link in a place, its reasons for a side.
    pub(super) fn row(
        &self,
        engine: &Engine,
        scorer: &dyn Score,
        place: usize,
        side: Side,
        text: Option<&PageText>,
    ) -> Result<RankingRow, Error> {
        let row = self.row_of_target(engine, scorer, self.order[place], side, text)?;
        Ok(RankingRow { rank: place + 1, ..row })
    }

    /// The row of the link to a target, by its number, without its place.
    pub(super) fn row_of_target(
        &self,
        engine: &Engine,
        scorer: &dyn Score,
        at: usize,
        side: Side,
        text: Option<&PageText>,
    ) -> Result<RankingRow, Error> {
        interrupt::check()?;
        let (target, details) = (self.targets[at], &self.details);
        let unexpectedness = details.scores[at];
        let parts = signals_of(scorer);
        let said = parts.iter().zip(&details.signals);
        let signals = said.filter_map(|(part, signal)| Some((part.name().to_owned(), signal.scores[at]?)));
        let reasons = match unexpectedness {
            Some(_) => Reasons { scorer, details, source: self.page }.of(at, target, side)?,
            None => Vec::new(),
        };
        let is_over_categories = |matrix: &Model| matrix.settings().feature == Feature::Categories;
        let no_data = match scorer.model() {
            Some(model) if model.matrices().all(is_over_categories) => "no categories",
            _ => "no data",
        };
        Ok(RankingRow {
            rank: 0,
            target: engine.corpus().title(target)?.to_owned(),
            unexpectedness,
            explained: details.explained[at],
            signals: signals.collect(),
            reasons,
            snippet: text.map_or(Ok(None), |text| text.sentence(target))?,
            note: unexpectedness.is_none().then(|| no_data.to_owned()),
        })
    }
}

impl Engine {
    /// The links of a page, the most unexpected first.
    ///
    /// # Errors
    /// If there is no such page or scorer, the corpus lacks what is asked for, or a file is damaged.
    pub fn rank(&self, page: &str, conf: &RankConf) -> Result<Ranking, Error> {
        self.whole(|| self.rank_unwatched(page, conf))
    }

    fn rank_unwatched(&self, page: &str, conf: &RankConf) -> Result<Ranking, Error> {
        let page = self.page(page)?;
        // What cannot be shown is reported before the work.
        let text = if conf.snippets { Some(self.page_text(page)?) } else { None };
        let scorer = self.scorer(&conf.scorer, &conf.score)?;
        let ranked = Ranked::new(self, &*scorer, page)?;
        self.ranking(self.corpus().title(page)?, &*scorer, &ranked, conf.top, text.as_deref())
    }

    /// The first links of a page, or all of them, with their reasons and, where there is a text, their sentences.
    pub(super) fn ranking(
        &self,
        title: &str,
        scorer: &dyn Score,
        ranked: &Ranked<'_>,
        top: usize,
        text: Option<&PageText>,
    ) -> Result<Ranking, Error> {
        let num_links = ranked.order.len();
        let shown = if top == 0 { num_links } else { top.min(num_links) };
        let row = |place| ranked.row(self, scorer, place, ranked.side(place), text);
        Ok(Ranking {
            page: title.to_owned(),
            scorer: scorer.name().to_owned(),
            num_links,
            method: scorer.model().map(|model| model.settings().method.to_string()),
            signal_unit: match scorer.is_standardised() {
                true => SignalUnit::StandardDeviations,
                false => SignalUnit::Raw,
            },
            left_out: scorer.left_out().to_vec(),
            links: (0..shown).map(row).collect::<Result<_, Error>>()?,
        })
    }

    /// The text of a page.
    pub(super) fn page_text(&self, page: PageId) -> Result<Arc<PageText>, Error> {
        if !self.corpus().has_text() {
            return Err(Error::Missing { path: self.corpus().path().into(), what: Missing::Text });
        }
        self.inputs().texts().get(page)
    }
}
