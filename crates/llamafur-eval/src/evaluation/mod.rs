//! Measures scorers on judged links, with intervals, tests and chance.
//!
//! Each page with judged links of both kinds is a query, its links are the results, the unexpected ones are relevant.
//! A scorer ranks all links of the page; the measures ([`measures`](crate::measures)) are taken on the judged ones.
//! Means over queries have paired bootstrap intervals: every scorer and every measure sees the same resamples. Two scorers
//! are compared by the difference of their bpref, its interval, and a permutation test whose p-values are adjusted for the
//! number of comparisons after Holm ([`statistics`](crate::statistics)).
//!
//! Chance is exact: the measure of a ranking in which all links are tied.

mod by_page;
mod paper;
mod remarks;
mod report;
mod scorers;
pub mod sections;
mod trec;

pub use by_page::{PageFigures, by_page, by_page_table};
pub use paper::{MeasuredScorers, PaperConf, PaperReport};
pub use remarks::{remark_on_f, remarks};
pub use report::EvaluationReport;
pub use scorers::open_scorers;
pub use trec::{qrels, run};

use crate::judgments::{Class, Query};
use crate::measures::{MeanPoint, Measure, QueryMeasures, chance, mean_curve, measure};
use crate::statistics::{Interval, RESAMPLES, Resamples, chance_spread, holm, sign_flip};
use llamafur::Error;
use llamafur::corpus::Corpus;
use llamafur::graph::PageId;
use llamafur::progress::{Progress, Task};
use llamafur::score::{Score, inputs_of};
use rayon::prelude::*;
use serde::Serialize;
use std::sync::Arc;

/// Number of random rankings that estimate the scatter of chance.
const RANDOM_RANKINGS: u64 = 1000;

/// The measures of scorers on judged links.
#[derive(Debug, Clone, Serialize)]
pub struct Evaluation {
    /// Pages with judged links of both kinds.
    pub queries: usize,
    /// Judged links of these pages.
    pub judged: usize,
    /// Number of unexpected ones among them.
    pub relevant: usize,
    /// The scorers, in the requested order.
    pub scorers: Vec<Evaluated>,
    /// The measures of a random ranking.
    pub chance: Chance,
    /// Comparisons of every two scorers by their bpref.
    pub comparisons: Vec<Comparison>,
    /// The pages, in the order of [`Evaluated::measures`].
    #[serde(skip)]
    pub pages: Vec<PageId>,
}

/// The measures of a scorer.
#[derive(Debug, Clone, Serialize)]
pub struct Evaluated {
    /// The scorer's name.
    pub name: String,
    /// The parts of the corpus that it uses.
    pub inputs: String,
    /// The mean bpref.
    pub bpref: f64,
    /// Its 95% interval; `None` with a single query.
    pub ci95: Option<[f64; 2]>,
    /// The mean average precision on judged links.
    pub average_precision: Interval,
    /// The mean nDCG on judged links.
    pub ndcg: Interval,
    /// The mean area under the ROC curve.
    pub auc: Interval,
    /// Mean precision and recall after the paper's percentiles.
    pub curve: Vec<MeanPoint>,
    /// Number of judged links without a score.
    pub without_score: usize,
    /// The measures of each query.
    #[serde(skip)]
    pub measures: Vec<QueryMeasures>,
    /// The unexpectedness of the judged links, by class.
    #[serde(skip)]
    pub by_class: Vec<(Class, Vec<f64>)>,
    /// For each query all links with their unexpectedness.
    #[serde(skip)]
    pub rankings: Vec<Vec<(PageId, Option<f64>)>>,
}

impl Evaluated {
    /// Returns a measure's value on each query.
    pub fn of_each(&self, measure: Measure) -> Vec<f64> {
        self.measures.iter().map(|measures| measures.get(measure)).collect()
    }

    /// Returns a measure's mean and interval.
    pub fn interval(&self, measure: Measure) -> Interval {
        match measure {
            Measure::Bpref => Interval { mean: self.bpref, ci95: self.ci95, queries: self.measures.len() },
            Measure::AveragePrecision => self.average_precision,
            Measure::Ndcg => self.ndcg,
            Measure::Auc => self.auc,
        }
    }
}

/// The measures of a random ranking.
#[derive(Debug, Clone, Serialize)]
pub struct Chance {
    /// The mean bpref, exactly.
    pub bpref: f64,
    /// The standard deviation of the mean bpref of a single random ranking.
    pub bpref_sd: f64,
    /// The mean average precision.
    pub average_precision: f64,
    /// The mean nDCG.
    pub ndcg: f64,
    /// The mean area under the ROC curve.
    pub auc: f64,
    /// Mean precision and recall after the paper's percentiles.
    pub curve: Vec<MeanPoint>,
}

impl Chance {
    /// Returns a measure's mean.
    pub fn get(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Bpref => self.bpref,
            Measure::AveragePrecision => self.average_precision,
            Measure::Ndcg => self.ndcg,
            Measure::Auc => self.auc,
        }
    }
}

/// A comparison of two scorers by their bpref.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// The first scorer.
    pub first: String,
    /// The second scorer.
    pub second: String,
    /// The mean difference of their bpref, first less second.
    pub difference: f64,
    /// Its 95% interval; `None` with a single query.
    pub ci95: Option<[f64; 2]>,
    /// The probability of a difference at least this large, in either direction, if the two were alike.
    pub p: f64,
    /// The p-value adjusted for the number of comparisons after Holm.
    pub p_holm: f64,
}

/// Measures scorers on queries, each of which must have links of both kinds.
pub fn evaluate(
    corpus: &Corpus,
    queries: &[&Query],
    scorers: &[Arc<dyn Score>],
    seed: u64,
    progress: &mut dyn Progress,
) -> Result<Evaluation, Error> {
    let resamples = Resamples::new(queries.len(), RESAMPLES, seed);
    progress.start(Task::MeasureScorers, Some((scorers.len() * queries.len()) as u64));
    let mut evaluated = Vec::with_capacity(scorers.len());
    for scorer in scorers {
        evaluated.push(Evaluated::new(corpus, queries, &**scorer, &resamples)?);
        progress.advance(queries.len() as u64);
    }
    progress.finish();
    let judged = || queries.iter().flat_map(|query| &query.links);
    Ok(Evaluation {
        queries: queries.len(),
        judged: judged().count(),
        relevant: judged().filter(|link| link.class.is_relevant()).count(),
        chance: Chance::new(corpus, queries, seed)?,
        comparisons: compare(&evaluated, &resamples, seed),
        scorers: evaluated,
        pages: queries.iter().map(|query| query.page).collect(),
    })
}

/// Returns the places of a query's judged links among all links of the page.
fn places(links: &[PageId], query: &Query) -> Vec<(usize, Class)> {
    let place = |target: &PageId| links.binary_search(target).ok();
    query.links.iter().filter_map(|link| Some((place(&link.target)?, link.class))).collect()
}

impl Evaluated {
    fn new(
        corpus: &Corpus,
        queries: &[&Query],
        scorer: &dyn Score,
        resamples: &Resamples,
    ) -> Result<Evaluated, Error> {
        let of_query = |query: &&Query| {
            let links = corpus.links(query.page)?;
            let scores = scorer.score(query.page, links)?;
            Ok((links, places(links, query), scores))
        };
        let of_queries: Vec<_> = queries.par_iter().map(of_query).collect::<Result<_, Error>>()?;
        let measures: Vec<QueryMeasures> = of_queries
            .iter()
            .map(|(_, judged, scores)| measure(scores, judged).expect("a query has links of both kinds"))
            .collect();
        let judged_scores = || {
            let of = |(_, judged, scores): &(_, Vec<(usize, Class)>, Vec<Option<f64>>)| -> Vec<_> {
                judged.iter().map(|&(place, class)| (class, scores[place])).collect()
            };
            of_queries.iter().flat_map(of)
        };
        let of_class = |class| {
            let scores = judged_scores().filter(|(other, _)| *other == class).filter_map(|(_, score)| score);
            (class, scores.collect())
        };
        let mean =
            |which| resamples.mean(&measures.iter().map(|measures| measures.get(which)).collect::<Vec<_>>());
        let bpref = mean(Measure::Bpref);
        Ok(Evaluated {
            name: scorer.name().to_owned(),
            inputs: inputs_of(scorer.name()),
            bpref: bpref.mean,
            ci95: bpref.ci95,
            average_precision: mean(Measure::AveragePrecision),
            ndcg: mean(Measure::Ndcg),
            auc: mean(Measure::Auc),
            curve: mean_curve(measures.iter().map(|measures| &measures.curve)),
            without_score: judged_scores().filter(|(_, score)| score.is_none()).count(),
            by_class: Class::ALL.map(of_class).into(),
            rankings: of_queries
                .iter()
                .map(|(links, _, scores)| links.iter().copied().zip(scores.iter().copied()).collect())
                .collect(),
            measures,
        })
    }
}

impl Chance {
    fn new(corpus: &Corpus, queries: &[&Query], seed: u64) -> Result<Chance, Error> {
        let of_query = |query: &&Query| {
            let links = corpus.links(query.page)?;
            Ok(chance(links.len(), &places(links, query)).expect("a query has links of both kinds"))
        };
        let measures: Vec<QueryMeasures> = queries.iter().map(of_query).collect::<Result<_, Error>>()?;
        let mean = |which| {
            crate::statistics::mean(&measures.iter().map(|measures| measures.get(which)).collect::<Vec<_>>())
        };
        let kinds: Vec<(usize, usize)> =
            queries.iter().map(|query| (query.num_relevant(), query.num_irrelevant())).collect();
        Ok(Chance {
            bpref: mean(Measure::Bpref),
            bpref_sd: chance_spread(&kinds, RANDOM_RANKINGS, seed).1,
            average_precision: mean(Measure::AveragePrecision),
            ndcg: mean(Measure::Ndcg),
            auc: mean(Measure::Auc),
            curve: mean_curve(measures.iter().map(|measures| &measures.curve)),
        })
    }
}

/// Compares every two scorers.
fn compare(scorers: &[Evaluated], resamples: &Resamples, seed: u64) -> Vec<Comparison> {
    let bprefs: Vec<Vec<f64>> = scorers.iter().map(|scorer| scorer.of_each(Measure::Bpref)).collect();
    let pairs = (0..scorers.len()).flat_map(|one| (one + 1..scorers.len()).map(move |two| (one, two)));
    let mut comparisons: Vec<Comparison> = pairs
        .filter_map(|(one, two)| {
            let (first, second) = (&bprefs[one], &bprefs[two]);
            let test = sign_flip(first, second, seed)?;
            Some(Comparison {
                first: scorers[one].name.clone(),
                second: scorers[two].name.clone(),
                difference: test.difference,
                ci95: resamples.difference(first, second).ci95,
                p: test.p,
                p_holm: test.p,
            })
        })
        .collect();
    let adjusted = holm(&comparisons.iter().map(|comparison| comparison.p).collect::<Vec<_>>());
    comparisons.iter_mut().zip(adjusted).for_each(|(comparison, p)| comparison.p_holm = p);
    comparisons
}
