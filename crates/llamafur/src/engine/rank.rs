//! The links of a page, those worth reading first, each in its sentence and with its reasons.

use super::ranked_page::RankedPage;
use super::{Engine, Evidence, PlaceSet};
use crate::Error;
use crate::corpus::PageText;
use crate::error::Missing;
use crate::graph::PageId;
use crate::score::{LeftOut, ScoreConf};
use crate::text::wikitext::Place;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Settings of a ranking.
///
/// ```
/// use llamafur::engine::{Order, RankConf};
/// let conf = RankConf::default().scorer("llamafur+aa").order(Order::Oddity).top(3);
/// ```
#[derive(Debug, Clone)]
pub struct RankConf {
    pub(super) scorer: String,
    pub(super) score: ScoreConf,
    pub(super) top: Option<usize>,
    pub(super) snippets: bool,
    pub(super) places: PlaceSet,
    pub(super) order: Order,
}

impl Default for RankConf {
    fn default() -> RankConf {
        RankConf {
            scorer: "blend".into(),
            score: ScoreConf::default(),
            top: None,
            snippets: true,
            places: PlaceSet::default(),
            order: Order::default(),
        }
    }
}

impl RankConf {
    setters! {
        /// The scorer by its name, or a sum of several: `blend`, `llamafur+aa`. Default: `blend`.
        scorer: impl Into<String> => scorer.into(),
        /// Settings of the scorer. Default: [`ScoreConf::default`].
        score: ScoreConf,
        /// Number of rows to return; 0 is all. Default: those that are surprising, or, where none is, the three that come closest; ten in
        /// the order of oddity.
        top: usize => Some(top),
        /// Adds the sentence behind each link, where the corpus has text. Default: yes.
        snippets: bool,
        /// The places whose links are ranked, where the text says: see [`PlaceSet`]. Default: prose and captions.
        places: PlaceSet,
        /// The order of the rows. Default: [`Order::Worth`].
        order: Order,
    }

    /// Returns the largest number of rows, given the default of the question.
    pub(super) fn most(&self, default: usize) -> usize {
        match self.top.unwrap_or(default) {
            0 => usize::MAX,
            top => top,
        }
    }
}

/// What comes first in a ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// The rows that are surprising, those most [worth](crate::worth) reading first; then the others. Links of one sentence are one row.
    #[default]
    Worth,
    /// The most unexpected links, each a row.
    Oddity,
}

names! {
    Order "order" {
        Worth = "worth",
        Oddity = "oddity",
    }
}

/// The links of a page in the places that are ranked; links without a score last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Ranking {
    /// The title of the page.
    pub page: String,
    /// The scorer.
    pub scorer: String,
    /// What comes first.
    pub order: Order,
    /// Number of links that the page has.
    pub num_links: usize,
    /// Number of those in the places that are ranked.
    pub num_ranked: usize,
    /// Number of rows that are surprising.
    pub num_surprising: usize,
    /// How the model was learnt, where the scorer uses one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// What the numbers of `signals` are.
    pub signal_unit: SignalUnit,
    /// Signals that are not part of the ranking, since the corpus lacks something.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// The rows, as many as asked for.
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

/// A link in a ranking, with the other links of its sentence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RankingRow {
    /// Its place, from 1.
    pub rank: usize,
    /// The title of the page that it goes to.
    pub target: String,
    /// How unexpected it is; `null` where there is no data.
    pub unexpectedness: Option<f64>,
    /// Percentage of the corpus's links in prose that are less unexpected; `null` where it has no score.
    pub odder_than: Option<f64>,
    /// Whether it is worth reading: its worth is above the level.
    pub surprising: bool,
    /// Its [worth](crate::worth); `null` of links that are not among the oddest of the page.
    pub worth: Option<f64>,
    /// Where the page has it, the best place if there are several; `null` where the text does not say.
    #[serde(rename = "where")]
    pub place: Option<Place>,
    /// The titles of other targets of the same sentence.
    pub also: Vec<String>,
    /// The title of the section that it is in; `null` before the first heading.
    pub section: Option<String>,
    /// The sentence behind it, the link between `[[` and `]]`.
    pub snippet: Option<String>,
    /// What makes it odd, or, if it is less odd than half of the corpus's links, what makes it expected: the most convincing first.
    /// Empty where nothing can be said.
    pub reasons: Vec<Evidence>,
    /// Whether the category matrix explains it; `null` where that cannot be said.
    pub explained: Option<bool>,
    /// What each signal says.
    pub signals: BTreeMap<String, f64>,
    /// Why it has no score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl RankingRow {
    /// The columns of a table of links.
    pub const COLUMNS: [&str; 11] = [
        "target",
        "unexpectedness",
        "odder_than",
        "surprising",
        "where",
        "also",
        "section",
        "snippet",
        "reason",
        "kind",
        "explained",
    ];

    /// Returns the link's fields under these columns; empty where there is no data.
    pub fn fields(&self) -> [String; 11] {
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
        let texts: Vec<&str> = self.reasons.iter().map(|reason| &reason.text[..]).collect();
        let kinds: Vec<&str> = self.reasons.iter().map(|reason| reason.kind.name()).collect();
        [
            self.target.clone(),
            number(self.unexpectedness),
            number(self.odder_than),
            self.surprising.to_string(),
            self.place.map(|place| place.name().to_owned()).unwrap_or_default(),
            self.also.join("; "),
            text(&self.section),
            text(&self.snippet),
            texts.join(" "),
            kinds.join("; "),
            self.explained.map(|explained| explained.to_string()).unwrap_or_default(),
        ]
    }
}

/// Number of rows shown of a page where nothing is surprising.
const CLOSEST: usize = 3;

/// Number of rows shown in the order of oddity.
const ODDEST: usize = 10;

impl Engine {
    /// Returns the links of a page, those worth reading first.
    ///
    /// # Errors
    /// If there is no such page or scorer, or the corpus lacks what is asked for.
    pub fn rank(&self, page: &str, conf: &RankConf) -> Result<Ranking, Error> {
        self.whole(|| self.rank_unwatched(page, conf))
    }

    fn rank_unwatched(&self, page: &str, conf: &RankConf) -> Result<Ranking, Error> {
        let page = self.page(page)?;
        let scorer = self.scorer(&conf.scorer, &conf.score)?;
        let ranked = RankedPage::new(self, self.inputs(), &*scorer, page, conf.places)?;
        self.ranking(&ranked, conf)
    }

    /// Returns the first rows of a page, as many as asked for.
    pub(super) fn ranking(&self, ranked: &RankedPage<'_>, conf: &RankConf) -> Result<Ranking, Error> {
        let (scorer, corpus) = (ranked.scorer, ranked.inputs.corpus());
        let text = ranked.text()?;
        let rows = ranked.rows(conf.order, conf.top, text.as_deref())?;
        let num_surprising = rows.iter().filter(|row| row.is_surprising).count();
        let shown = match (conf.top, conf.order) {
            (Some(0), _) => rows.len(),
            (Some(top), _) => top,
            (None, Order::Oddity) => ODDEST,
            (None, Order::Worth) if num_surprising == 0 => CLOSEST,
            (None, Order::Worth) => num_surprising,
        };
        // Those that are surprising come first where worth is the order.
        let rows = rows.iter().enumerate().take(shown);
        let mut links = rows
            .map(|(place, row)| Ok(RankingRow { rank: place + 1, ..ranked.row(row)? }))
            .collect::<Result<Vec<_>, Error>>()?;
        if !conf.snippets {
            links.iter_mut().for_each(|link| link.snippet = None);
        }
        Ok(Ranking {
            page: corpus.title(ranked.page)?.to_owned(),
            scorer: scorer.name().to_owned(),
            order: conf.order,
            num_links: corpus.links(ranked.page)?.len(),
            num_ranked: ranked.targets.len(),
            num_surprising,
            method: scorer.model().map(|model| model.settings().method.to_string()),
            signal_unit: match scorer.is_standardised() {
                true => SignalUnit::StandardDeviations,
                false => SignalUnit::Raw,
            },
            left_out: scorer.left_out().to_vec(),
            links,
        })
    }

    /// Returns the text of a page.
    pub(super) fn page_text(&self, page: PageId) -> Result<Arc<PageText>, Error> {
        if !self.corpus().has_text() {
            return Err(Error::Missing { path: self.corpus().path().into(), what: Missing::Text });
        }
        self.inputs().texts().get(page)
    }
}
