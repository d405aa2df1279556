//! Explanation of a link's place in the ranking: its verdict, the evidence, and the account of each matrix.

use super::ranked_page::RankedPage;
use super::reasons::Reasons;
use super::{Engine, Evidence, Order, PlaceSet, RankConf};
use crate::Error;
use crate::categories::{Categories, Feature};
use crate::error::Missing;
use crate::explain::{counterfactuals, evidence, explain};
use crate::graph::{MilestoneId, PageId};
use crate::interrupt;
use crate::learn::{Method, Model};
use crate::progress::Silent;
use crate::score::{Normalise, Reason, Score, ScoreConf, Side, expect_cosine};
use crate::text::wikitext::Place;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Settings of an explanation.
#[derive(Debug, Clone)]
pub struct ExplainConf {
    rank: RankConf,
    pairs: usize,
    grid: bool,
}

impl Default for ExplainConf {
    fn default() -> ExplainConf {
        ExplainConf { rank: RankConf::default(), pairs: 5, grid: false }
    }
}

impl ExplainConf {
    /// The scorer whose ranking is explained. Default: `blend`.
    pub fn scorer(mut self, name: impl Into<String>) -> ExplainConf {
        self.rank = self.rank.scorer(name);
        self
    }

    /// Settings of that scorer. Default: [`ScoreConf::default`].
    pub fn score(mut self, conf: ScoreConf) -> ExplainConf {
        self.rank = self.rank.score(conf);
        self
    }

    /// The places whose links are ranked. Default: prose and captions.
    pub fn places(mut self, places: PlaceSet) -> ExplainConf {
        self.rank = self.rank.places(places);
        self
    }

    /// The order of the ranking. Default: [`Order::Worth`].
    pub fn order(mut self, order: Order) -> ExplainConf {
        self.rank = self.rank.order(order);
        self
    }

    /// The largest number of category pairs that are returned with the links behind them.
    pub const MOST_PAIRS: usize = 1000;

    /// The largest number of weights in a table of pairs.
    pub const MOST_CELLS: usize = 10_000;

    /// Number of category pairs to return; 0 is all. Never more than [`ExplainConf::MOST_PAIRS`], the strongest;
    /// [`MatrixAccount::num_pairs`] is the number of all. Default: 5.
    pub fn pairs(mut self, pairs: usize) -> ExplainConf {
        self.pairs = pairs;
        self
    }

    setters! {
        /// Adds the weights of all pairs as a table. One with more than [`ExplainConf::MOST_CELLS`] keeps the rows and
        /// columns with the largest weights, and counts those left out. Default: no.
        grid: bool,
    }
}

/// Why a link is where the ranking has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LinkExplanation {
    /// The title of the page that links.
    pub source: String,
    /// The title of the page that it links to.
    pub target: String,
    /// Whether the link exists.
    pub linked: bool,
    /// Whether the link exists in a place that is ranked; of an explanation that was read from JSON, no.
    #[serde(skip)]
    pub ranked: bool,
    /// The scorer whose ranking is explained.
    pub scorer: String,
    /// What it says; `null` where there is no data.
    pub unexpectedness: Option<f64>,
    /// Percentage of the corpus's links in prose that are less unexpected.
    pub odder_than: Option<f64>,
    /// Whether the ranking calls it surprising.
    pub surprising: bool,
    /// Where the page has the link, the best place if there are several; `null` where the text does not say.
    #[serde(rename = "where")]
    pub place: Option<Place>,
    /// The place of its row in the ranking; of a link that does not exist, or is in a place that is not ranked, where it would be.
    pub rank: usize,
    /// Number of rows, with this one.
    pub of: usize,
    /// Whether it is odder than half of the corpus's links.
    pub verdict: Option<Side>,
    /// The titles of other targets of the same sentence.
    pub also: Vec<String>,
    /// The title of the section that it is in.
    pub section: Option<String>,
    /// The sentence behind the link.
    pub snippet: Option<String>,
    /// What makes it odd, the most convincing first.
    pub odd: Vec<Evidence>,
    /// What makes it expected, the most convincing first.
    pub expected: Vec<Evidence>,
    /// What signals say to make it odd, the strongest first.
    pub odd_signals: Vec<Reason>,
    /// What signals say to make it expected, the strongest first.
    pub expected_signals: Vec<Reason>,
    /// What each signal says.
    pub signals: BTreeMap<String, f64>,
    /// What each matrix of the model says: over categories, over words. Their scores add up to that of `llamafur`. Empty
    /// without a model.
    pub matrices: Vec<MatrixAccount>,
}

/// What a matrix says of a link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MatrixAccount {
    /// The model.
    pub model: String,
    /// What it was learnt over.
    pub over: Feature,
    /// How it was learnt.
    pub method: Method,
    /// How the sum becomes a score.
    pub normalise: Normalise,
    /// e = Σ w over all pairs.
    pub expectedness: f64,
    /// What e is divided by.
    pub divisor: f64,
    /// −e / divisor; `null` where a page has no categories.
    pub unexpectedness: Option<f64>,
    /// Whether e is positive; `null` where that cannot be said.
    pub explained: Option<bool>,
    /// How many pairs there are.
    pub num_pairs: usize,
    /// The pairs that say most, as many as asked for.
    pub pairs: Vec<PairEvidence>,
    /// The weights of all pairs, where asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grid: Option<PairGrid>,
    /// Categories one of which the source would need for the link to be expected; of a matrix over words none.
    pub would_explain: Vec<Counterfactual>,
    /// The categories of the two pages that milestones replace, where that is not their own name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub milestones: Vec<MilestoneOrigin>,
}

/// A pair of categories, its weight, and the links behind it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PairEvidence {
    /// A category of the source.
    pub source: String,
    /// A category of the target.
    pub target: String,
    /// w(source, target).
    pub weight: f64,
    /// How many links join pages of the two.
    pub links: u64,
    /// The most expected of them, this one left out.
    pub typical: Vec<TitledLink>,
}

/// The weights of all pairs of a link, which add up to its expectedness; at most 10,000 of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PairGrid {
    /// The categories (or words) of the source, one a row.
    pub sources: Vec<String>,
    /// The categories (or words) of the target, one a column.
    pub targets: Vec<String>,
    /// w(source, target), row after row.
    pub weights: Vec<Vec<f64>>,
    /// How many categories of the source are left out, those whose weights are nearest to 0, since there are too many.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sources_left_out: usize,
    /// How many categories of the target are left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub targets_left_out: usize,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// A link by the titles of its ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TitledLink {
    /// The page that links.
    pub source: String,
    /// The page that it links to.
    pub target: String,
}

/// A category that would have made a link expected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Counterfactual {
    /// The category.
    pub category: String,
    /// The expectedness with it.
    pub expectedness: f64,
}

/// A milestone of a page, and the page's own categories that became it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MilestoneOrigin {
    /// The page.
    pub page: String,
    /// The milestone.
    pub milestone: String,
    /// The categories; none where it lies further up.
    pub categories: Vec<String>,
}

/// Number of counterfactual categories to return.
const COUNTERFACTUALS: usize = 3;

/// Standard deviations from which on a signal is reported.
const WORTH_A_WORD: f64 = 0.5;

impl Engine {
    /// Explains the place of a link in the ranking; a link that does not exist is explained too.
    ///
    /// # Errors
    /// If there is no such page or scorer, or the corpus lacks what is asked for.
    pub fn explain(&self, source: &str, target: &str, conf: &ExplainConf) -> Result<LinkExplanation, Error> {
        self.whole(|| self.explain_unwatched(source, target, conf))
    }

    fn explain_unwatched(
        &self,
        source: &str,
        target: &str,
        conf: &ExplainConf,
    ) -> Result<LinkExplanation, Error> {
        let (source, target) = (self.page(source)?, self.page(target)?);
        let scorer = self.scorer(&conf.rank.scorer, &conf.rank.score)?;
        let (ranked, is_among) = self.ranked_with(&*scorer, source, target, conf.rank.places)?;
        let at = ranked.targets.binary_search(&target).unwrap_or_default();
        let linked = self.corpus().links(source)?.binary_search(&target).is_ok();
        let text = ranked.text()?;
        // A row with this link may be led by another link of its sentence.
        let rows = ranked.rows(conf.rank.order, Some(0), text.as_deref())?;
        let place = rows.iter().position(|row| row.at == at || row.also.contains(&at)).unwrap_or_default();
        let row = ranked.row(&ranked.row_of(at, text.as_deref())?)?;
        let others = rows.get(place).into_iter().flat_map(|row| row.also.iter().chain([&row.at]));
        let also =
            others.filter(|&&other| other != at).map(|&other| self.corpus().title(ranked.targets[other]));
        let is_ranked = linked && is_among;
        let leads = is_ranked && rows.get(place).is_some_and(|row| row.at == at);
        let details = &ranked.details;
        let verdict = row.unexpectedness.map(|_| ranked.side(at));
        let evidence = |side: Side| match verdict {
            Some(_) => ranked.evidence()?.of(target, side, true),
            None => Ok(Vec::new()),
        };
        let reasons = Reasons { scorer: &*scorer, details, source };
        let said = |side: Side| match verdict {
            None => Ok(Vec::new()),
            Some(verdict) if verdict == side => reasons.of(at, target, side),
            // Raw scores of a single scorer speak for one side only.
            Some(_) if !scorer.is_standardised() => Ok(Vec::new()),
            Some(_) => reasons.strongest(at, target, side, WORTH_A_WORD),
        };
        let matrices = match self.model_to_explain(&conf.rank.score, scorer.model())? {
            None => Vec::new(),
            Some(model) => self.accounts(&model, conf, (source, target))?,
        };
        Ok(LinkExplanation {
            source: self.corpus().title(source)?.to_owned(),
            target: self.corpus().title(target)?.to_owned(),
            linked,
            ranked: is_ranked,
            scorer: scorer.name().to_owned(),
            unexpectedness: row.unexpectedness,
            odder_than: row.odder_than,
            surprising: leads && rows[place].is_surprising,
            place: row.place,
            rank: place + 1,
            of: rows.len(),
            verdict,
            also: also.map(|title| Ok(title?.to_owned())).collect::<Result<_, Error>>()?,
            section: row.section,
            snippet: row.snippet,
            odd: evidence(Side::Odd)?,
            expected: evidence(Side::Expected)?,
            odd_signals: said(Side::Odd)?,
            expected_signals: said(Side::Expected)?,
            signals: row.signals,
            matrices,
        })
    }

    /// Scores the ranked links of a page and the link to a target; returns whether that is one of them.
    fn ranked_with<'a>(
        &'a self,
        scorer: &'a dyn Score,
        source: PageId,
        target: PageId,
        places: PlaceSet,
    ) -> Result<(RankedPage<'a>, bool), Error> {
        let ranked = RankedPage::new(self, self.inputs(), scorer, source, places)?;
        let Err(at) = ranked.targets.binary_search(&target) else { return Ok((ranked, true)) };
        let RankedPage { mut targets, places: mut masks, .. } = ranked;
        targets.insert(at, target);
        if !masks.is_empty() {
            let of_target = self.inputs().places_of(source, &[target])?;
            masks.insert(at, of_target.and_then(|masks| masks.first().copied()).unwrap_or_default());
        }
        Ok((RankedPage::of(self, self.inputs(), scorer, source, (targets, masks))?, false))
    }

    /// Returns the scorer's model, or that of the settings; `None` where the corpus has none.
    fn model_to_explain(
        &self,
        conf: &ScoreConf,
        model: Option<&Arc<Model>>,
    ) -> Result<Option<Arc<Model>>, Error> {
        match (model, &conf.model) {
            (Some(model), _) => Ok(Some(model.clone())),
            (None, Some(name)) => self.inputs().model(name).map(Some),
            (None, None) => match self.inputs().model(Model::default_name(Method::default())) {
                Err(Error::NotFound { .. } | Error::Missing { what: Missing::Categories, .. }) => Ok(None),
                found => found.map(Some),
            },
        }
    }

    /// Returns the account of each matrix of a model for a link.
    fn accounts(
        &self,
        model: &Arc<Model>,
        conf: &ExplainConf,
        link: (PageId, PageId),
    ) -> Result<Vec<MatrixAccount>, Error> {
        let normalise = conf.rank.score.normalise;
        expect_cosine(model.name(), model.settings().method, normalise)?;
        model.matrices().map(|matrix| self.account(matrix, normalise, link, conf)).collect()
    }

    fn account(
        &self,
        model: &Model,
        normalise: Normalise,
        (source, target): (PageId, PageId),
        conf: &ExplainConf,
    ) -> Result<MatrixAccount, Error> {
        let corpus = self.corpus();
        let most = if conf.pairs == 0 { usize::MAX } else { conf.pairs };
        let explanation = explain(model, normalise, source, target, most.min(ExplainConf::MOST_PAIRS))?;
        let (categories, shown) = (model.categories(), &explanation.pairs[..]);
        let evidence = match shown.is_empty() {
            true => Vec::new(),
            false => evidence(model, &*self.category_pages(model, &mut Silent)?, shown, (source, target))?,
        };
        let link = |(from, to): &(PageId, PageId)| -> Result<TitledLink, Error> {
            Ok(TitledLink { source: corpus.title(*from)?.to_owned(), target: corpus.title(*to)?.to_owned() })
        };
        let mut pairs = Vec::with_capacity(shown.len());
        for (pair, evidence) in shown.iter().zip(evidence) {
            interrupt::check()?;
            pairs.push(PairEvidence {
                source: categories.name(pair.source)?.to_owned(),
                target: categories.name(pair.target)?.to_owned(),
                weight: pair.weight,
                links: evidence.links,
                typical: evidence.typical.iter().map(link).collect::<Result<_, Error>>()?,
            });
        }
        let method = model.settings().method;
        let explains = method.explains() && !pairs.is_empty();
        let explained = explains.then_some(explanation.expectedness > 0.0);
        let changes = match explained {
            Some(false) if categories.feature() == Feature::Categories => {
                counterfactuals(model, source, target)?
            }
            _ => Vec::new(),
        };
        let would_explain = changes.iter().take(COUNTERFACTUALS).map(|change| {
            let category = categories.name(change.category)?.to_owned();
            Ok(Counterfactual { category, expectedness: change.expectedness })
        });
        Ok(MatrixAccount {
            model: model.name().to_owned(),
            over: categories.feature(),
            method,
            normalise,
            expectedness: explanation.expectedness,
            divisor: explanation.divisor,
            unexpectedness: explanation.unexpectedness,
            explained,
            num_pairs: explanation.num_pairs,
            pairs,
            grid: if conf.grid { Some(grid(model, source, target)?) } else { None },
            would_explain: would_explain.collect::<Result<_, Error>>()?,
            milestones: [origins(categories, source)?, origins(categories, target)?].concat(),
        })
    }
}

/// Returns the weights of all pairs of a link, or of as many as fit in a table.
fn grid(model: &Model, source: PageId, target: PageId) -> Result<PairGrid, Error> {
    let categories = model.categories();
    let (all_sources, all_targets) = (categories.of(source)?, categories.of(target)?);
    let [sources, targets] = telling(model, [all_sources, all_targets])?;
    let names = |all: &[MilestoneId]| -> Result<Vec<String>, Error> {
        all.iter().map(|&category| Ok(categories.name(category)?.to_owned())).collect()
    };
    let row = |source: &MilestoneId| -> Result<Vec<f64>, Error> {
        interrupt::check()?;
        let rows = model.matrix_rows(std::slice::from_ref(source))?;
        Ok(rows.weights(&targets)?.map(|(_, _, weight)| weight).collect())
    };
    Ok(PairGrid {
        sources: names(&sources)?,
        targets: names(&targets)?,
        weights: sources.iter().map(row).collect::<Result<_, Error>>()?,
        sources_left_out: all_sources.len() - sources.len(),
        targets_left_out: all_targets.len() - targets.len(),
    })
}

/// Returns the categories of both sides that fit in a table: all, or those with the largest sums of absolute weights.
fn telling(model: &Model, all: [&[MilestoneId]; 2]) -> Result<[Vec<MilestoneId>; 2], Error> {
    let [num_sources, num_targets] = all.map(<[_]>::len);
    if num_sources.saturating_mul(num_targets) <= ExplainConf::MOST_CELLS {
        return Ok(all.map(<[_]>::to_vec));
    }
    let (mut of_sources, mut of_targets) = (vec![0.0; num_sources], vec![0.0; num_targets]);
    for (at, source) in all[0].iter().enumerate() {
        interrupt::check()?;
        let weights = model.matrix_rows(std::slice::from_ref(source))?.weights(all[1])?;
        for (of_target, (_, _, weight)) in of_targets.iter_mut().zip(weights) {
            of_sources[at] += weight.abs();
            *of_target += weight.abs();
        }
    }
    // A square, or all of the side that is shorter.
    let side = ExplainConf::MOST_CELLS.isqrt();
    let room = |other: usize| ExplainConf::MOST_CELLS / other.clamp(1, side);
    let kept = |(all, sums, most): (&[MilestoneId], &Vec<f64>, usize)| {
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by(|&a, &b| sums[b].total_cmp(&sums[a]));
        order.truncate(most);
        order.sort_unstable();
        order.into_iter().map(|at| all[at]).collect()
    };
    let sides = [(all[0], &of_sources, room(num_targets)), (all[1], &of_targets, room(num_sources))];
    Ok(sides.map(kept))
}

/// Returns the categories that a page's milestones replace, except those that the page carries itself.
fn origins(categories: &Categories, page: PageId) -> Result<Vec<MilestoneOrigin>, Error> {
    let mut all = Vec::new();
    for &milestone in categories.of(page)? {
        let (name, own) = (categories.name(milestone)?, categories.origins(page, milestone)?);
        if own != [name] {
            let page = categories.corpus().title(page)?.to_owned();
            let categories = own.into_iter().map(str::to_owned).collect();
            all.push(MilestoneOrigin { page, milestone: name.to_owned(), categories });
        }
    }
    Ok(all)
}
