//! Missing links: pages that a page does not link to, and that one would expect it to.
//!
//! A missing link has no place in the text, and whether it is mentioned depends on the text alone, so the signals that
//! read the link itself (`mentions`, `place`, `depth`) say nothing. All others score any pair of pages as if it were a
//! link: no signal counts the link that it scores. The blend has weights of its own ([`PREDICTION_SIGNALS`]), since the
//! features that separate odd links from usual ones are not those that separate links from other pairs: how many pages
//! link to the target, and whether the target links back, say little of the first and much of the second.
//!
//! Candidates are the pages that the text names outside of its links (`named.rs`), or pages of the whole graph
//! (`anywhere.rs`). The latter are too many to compute all signals for a million pages in minutes. So where links are
//! ordered by a blend, only the 32 candidates, or twice the number asked for, are compared that a quick sum expects
//! most: the blend's own weights over the signals that read little for each page.

mod anywhere;
mod best;
mod named;
mod products;
#[cfg(test)]
mod tests;

pub(super) use products::Products;

use super::Engine;
use super::reasons::Reasons;
use crate::Error;
use crate::corpus::PageNames;
use crate::error::Missing;
use crate::graph::{Neighbours, PageId};
use crate::interrupt;
use crate::progress::{Progress, Silent, Task};
#[cfg(doc)]
use crate::score::PREDICTION_SIGNALS;
use crate::score::{
    Blend, Details, LeftOut, LlamaFur, Normalise, Reason, Score, ScoreConf, Side, signals_of,
};
use anywhere::{Anywhere, Matrices};
use best::Best;
use named::Named;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

/// Where pages are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Lookup {
    /// Among those that the text of the page names outside of its links.
    Named,
    /// In the whole graph.
    Anywhere,
}

names! {
    Lookup "lookup" {
        Named = "named",
        Anywhere = "anywhere",
    }
}

/// Settings of predictions.
///
/// ```
/// use llamafur::engine::{Lookup, PredictConf};
/// let conf = PredictConf::default().top(20).lookup(Lookup::Anywhere);
/// ```
#[derive(Debug, Clone)]
pub struct PredictConf {
    scorer: String,
    score: ScoreConf,
    top: usize,
    lookup: Option<Lookup>,
}

impl Default for PredictConf {
    fn default() -> PredictConf {
        PredictConf { scorer: "blend".into(), score: ScoreConf::default(), top: 10, lookup: None }
    }
}

impl PredictConf {
    setters! {
        /// The scorer by its name, or a sum of several; the least unexpected pages come first. Default: `blend`.
        scorer: impl Into<String> => scorer.into(),
        /// Settings of the scorer; `blend` is that of predictions. Default: [`ScoreConf::default`].
        score: ScoreConf,
        /// Number of links of a page to return; 0 is all candidates. Default: 10.
        top: usize,
        /// Source of candidates. Default: for a wiki with text the pages that the text names, else the whole graph.
        lookup: Lookup => Some(lookup),
    }

    /// Returns the settings with which its scorer is opened.
    fn score_conf(&self) -> ScoreConf {
        let blend = if self.is_by_blend() { Blend::Predictions } else { Blend::default() };
        // Of a page that the text only names there is no link to read.
        ScoreConf { without_text_of_links: true, blend, ..self.score.clone() }
    }

    /// Returns the settings of the quick sum; `None` where links are not ordered by the blend.
    fn quick_conf(&self) -> Option<ScoreConf> {
        let quick = || ScoreConf { blend: Blend::QuickPredictions, ..self.score_conf() };
        self.is_by_blend().then(quick)
    }

    fn is_by_blend(&self) -> bool {
        self.scorer == "blend"
    }
}

/// Smallest number of candidates of the whole graph that are compared by all signals.
const COMPARED: usize = 32;

/// Pages that a page does not link to, the most expected first; ties by title.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Predictions {
    /// The title of the page.
    pub page: String,
    /// The scorer.
    pub scorer: String,
    /// Where pages were looked for.
    pub lookup: Lookup,
    /// How many pages were looked at.
    pub num_candidates: usize,
    /// Signals that are not part of the scores, since the corpus lacks something.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// The links that are not there, as many as asked for.
    pub links: Vec<PredictedLink>,
}

/// A link that is not there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PredictedLink {
    /// Its place, from 1.
    pub rank: usize,
    /// The title of the page that it would go to.
    pub target: String,
    /// How expected it is: the scorer's unexpectedness, negated.
    pub expectedness: f64,
    /// What each signal says, as unexpectedness.
    pub signals: BTreeMap<String, f64>,
    /// What makes it expected, the strongest first.
    pub reasons: Vec<Reason>,
    /// The words of the text to be linked, where pages were looked for there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// The sentence with these words, which are between `[[` and `]]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
}

/// A missing link, among those of the whole graph.
#[derive(Debug, Clone, PartialEq)]
pub struct PredictedPair {
    /// The page that would link.
    pub source: PageId,
    /// The page that it would go to.
    pub target: PageId,
    /// The scorer's unexpectedness, negated.
    pub expectedness: f64,
    /// The words of the text to be linked, where candidates came from the text.
    pub words: Option<String>,
}

/// Numbers of predictions for the whole graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct PredictionCounts {
    /// Number of pages processed.
    pub pages: u64,
    /// Number of pages with at least one prediction.
    pub pages_with_links: u64,
    /// Number of predicted links.
    pub links: u64,
}

/// Number of pages processed together: enough for all threads, few enough to hold in memory.
const PAGES_AT_A_TIME: usize = 1 << 12;

/// A scorer with a source of candidates.
struct Predictor<'a> {
    engine: &'a Engine,
    scorer: Arc<dyn Score>,
    /// Chooses among the candidates of the whole graph.
    quick: Option<Arc<dyn Score>>,
    source: Source,
    top: usize,
}

enum Source {
    Named(Arc<PageNames>),
    Anywhere(Anywhere),
}

/// The candidates of a page.
struct Candidates {
    targets: Vec<PageId>,
    /// The places where the text names them.
    named: Option<Named>,
}

/// Scored candidates, most expected first.
struct Ranked {
    details: Details,
    /// Places among the targets that have a score, the most expected first.
    order: Vec<usize>,
}

impl<'a> Predictor<'a> {
    fn new(
        engine: &'a Engine,
        conf: &PredictConf,
        progress: &mut dyn Progress,
    ) -> Result<Predictor<'a>, Error> {
        let corpus = engine.corpus();
        let is_wiki = corpus.has_text() && corpus.wiki_titles().is_some();
        let lookup = conf.lookup.unwrap_or(if is_wiki { Lookup::Named } else { Lookup::Anywhere });
        if lookup == Lookup::Named && !corpus.has_text() {
            return Err(Error::Missing { path: corpus.path().into(), what: Missing::Text });
        }
        let scorer = engine.prepare(&conf.scorer, &conf.score_conf(), progress)?;
        let source = match lookup {
            Lookup::Named => Source::Named(engine.page_names()?),
            Lookup::Anywhere => {
                let matrices = engine.matrices(conf, progress)?;
                let neighbours = engine.inputs().neighbours(progress)?;
                let famous = engine.famous(&neighbours)?;
                Source::Anywhere(Anywhere::new(corpus, matrices, neighbours, famous))
            }
        };
        let quick = match conf.quick_conf().filter(|_| lookup == Lookup::Anywhere && conf.top > 0) {
            // What the corpus lacks for it was noted when the scorer was opened.
            Some(quick) => Some(engine.opened("blend", &quick, &mut Silent)?),
            None => None,
        };
        Ok(Predictor { engine, scorer, quick, source, top: conf.top })
    }

    fn lookup(&self) -> Lookup {
        match self.source {
            Source::Named(_) => Lookup::Named,
            Source::Anywhere(_) => Lookup::Anywhere,
        }
    }

    /// Returns the candidates of each of these pages.
    fn candidates(&self, pages: &[PageId]) -> Result<Vec<Candidates>, Error> {
        match &self.source {
            Source::Anywhere(anywhere) => {
                let of_page = |targets| Candidates { targets, named: None };
                Ok(anywhere.of(pages)?.into_iter().map(of_page).collect())
            }
            Source::Named(names) => {
                let carried = interrupt::carried();
                pages.par_iter().map(|&page| carried.scope(|| self.named(names, page))).collect()
            }
        }
    }

    fn named(&self, names: &PageNames, page: PageId) -> Result<Candidates, Error> {
        let corpus = self.engine.corpus();
        let links = corpus.links(page)?;
        let titles = links.iter().map(|&target| corpus.title(target)).collect::<Result<Vec<_>, Error>>()?;
        let blocks = self.engine.blocks(page, corpus.title(page)?, links, &titles)?;
        let named = Named::in_blocks(names, &blocks)?;
        let is_new = |target: &PageId| *target != page && links.binary_search(target).is_err();
        Ok(Candidates { targets: named.pages().filter(is_new).collect(), named: Some(named) })
    }

    /// Returns the candidates that are compared by all signals, ascending.
    fn compared(&self, page: PageId, candidates: Vec<PageId>) -> Result<Vec<PageId>, Error> {
        let most = COMPARED.max(2 * self.top);
        let Some(quick) = self.quick.as_ref().filter(|_| candidates.len() > most) else {
            return Ok(candidates);
        };
        let mut best = Best::new(page, &[], most);
        for (&target, score) in candidates.iter().zip(quick.score(page, &candidates)?) {
            best.add(score.unwrap_or(f64::INFINITY), target);
        }
        let mut chosen = best.pages();
        chosen.sort_unstable();
        Ok(chosen)
    }

    fn ranked(&self, page: PageId, targets: &[PageId]) -> Result<Ranked, Error> {
        let details = self.scorer.details(page, targets)?;
        let scores = &details.scores;
        let mut order: Vec<usize> = (0..targets.len()).filter(|&at| scores[at].is_some()).collect();
        let score = |at: usize| scores[at].unwrap_or(f64::INFINITY);
        order.sort_by(|&a, &b| score(a).total_cmp(&score(b)));
        order.truncate(if self.top == 0 { usize::MAX } else { self.top });
        Ok(Ranked { details, order })
    }

    /// Returns the predictions for a page, with their signals, reasons and sentences.
    fn predictions(&self, page: PageId) -> Result<Predictions, Error> {
        let corpus = self.engine.corpus();
        let candidates = self.candidates(&[page])?.pop();
        let Candidates { targets, named } = candidates.unwrap_or(Candidates { targets: vec![], named: None });
        let num_candidates = targets.len();
        let targets = self.compared(page, targets)?;
        let Ranked { details, order } = self.ranked(page, &targets)?;
        let parts = signals_of(&*self.scorer);
        let link = |(place, &at): (usize, &usize)| {
            interrupt::check()?;
            let target = targets[at];
            let said = parts.iter().zip(&details.signals);
            let signals =
                said.filter_map(|(part, signal)| Some((part.name().to_owned(), signal.scores[at]?)));
            let reasons = Reasons { scorer: &*self.scorer, details: &details, source: page };
            Ok(PredictedLink {
                rank: place + 1,
                target: corpus.title(target)?.to_owned(),
                // Subtracted from zero rather than negated: 0 must not become −0.
                expectedness: 0.0 - details.scores[at].unwrap_or_default(),
                signals: signals.collect(),
                reasons: reasons.of(at, target, Side::Expected)?,
                words: named.as_ref().and_then(|named| named.words(target)).map(str::to_owned),
                snippet: named.as_ref().and_then(|named| named.sentence(target)),
            })
        };
        Ok(Predictions {
            page: corpus.title(page)?.to_owned(),
            scorer: self.scorer.name().to_owned(),
            lookup: self.lookup(),
            num_candidates,
            left_out: self.scorer.left_out().to_vec(),
            links: order.iter().enumerate().map(link).collect::<Result<_, Error>>()?,
        })
    }

    /// Returns the predicted pairs of each of these pages.
    fn pairs(&self, pages: &[PageId]) -> Result<Vec<Vec<PredictedPair>>, Error> {
        let of_page = |source: PageId, candidates: Candidates| {
            interrupt::check()?;
            let Candidates { targets, named } = candidates;
            let targets = self.compared(source, targets)?;
            let Ranked { details, order } = self.ranked(source, &targets)?;
            let pair = |at: usize| PredictedPair {
                source,
                target: targets[at],
                expectedness: 0.0 - details.scores[at].unwrap_or_default(),
                words: named.as_ref().and_then(|named| named.words(targets[at])).map(str::to_owned),
            };
            Ok(order.into_iter().map(pair).collect())
        };
        let (candidates, carried) = (self.candidates(pages)?, interrupt::carried());
        let each = pages.par_iter().zip(candidates);
        each.map(|(&source, candidates)| carried.scope(|| of_page(source, candidates))).collect()
    }
}

impl Engine {
    /// Returns the pages with the most incoming links, computed once.
    fn famous(&self, neighbours: &Neighbours) -> Result<Arc<[PageId]>, Error> {
        if let Some(famous) = self.0.famous.get() {
            return Ok(famous.clone());
        }
        let found = anywhere::famous(neighbours)?;
        Ok(self.0.famous.get_or_init(|| found).clone())
    }

    /// Returns the matrices of the model asked for.
    fn matrices(&self, conf: &PredictConf, progress: &mut dyn Progress) -> Result<Matrices, Error> {
        let model = ScoreConf { model: conf.score.model.clone(), ..ScoreConf::default() };
        let scorer = match self.opened("llamafur", &model, progress) {
            Ok(scorer) => scorer,
            Err(error) if error.is_lack() => return Ok(Matrices::None),
            Err(error) => return Err(error),
        };
        // A scorer of one's own may have that name.
        let Some(model) = scorer.model().map(|model| model.name().to_owned()) else {
            return Ok(Matrices::Scorer(scorer));
        };
        let mut held = self.0.products.lock().unwrap_or_else(PoisonError::into_inner);
        if !held.contains_key(&model) {
            let all = LlamaFur::of_inputs(self.inputs(), &model, Normalise::default(), progress)?;
            let made = Products::new(all.of_last_matrix()?, self.corpus().num_pages())?.map(Arc::new);
            held.insert(model.clone(), made);
        }
        Ok(held.get(&model).cloned().flatten().map_or(Matrices::Scorer(scorer), Matrices::Products))
    }

    /// Predicts links of a page by its categories, words and neighbours, the most expected first.
    ///
    /// # Errors
    /// If there is no such page or scorer, or the corpus lacks what is asked for.
    pub fn predict(&self, page: &str, conf: &PredictConf) -> Result<Predictions, Error> {
        self.whole(|| self.predict_unwatched(page, conf))
    }

    fn predict_unwatched(&self, page: &str, conf: &PredictConf) -> Result<Predictions, Error> {
        let page = self.page(page)?;
        Predictor::new(self, conf, &mut Silent)?.predictions(page)
    }

    /// Makes what [`Engine::predict`] needs ahead of the first call, and reports progress.
    ///
    /// # Errors
    /// If there is no such scorer, or the corpus lacks what is asked for.
    pub fn prepare_predictions(&self, conf: &PredictConf, progress: &mut dyn Progress) -> Result<(), Error> {
        self.whole(|| self.prepare_predictions_unwatched(conf, progress))
    }

    fn prepare_predictions_unwatched(
        &self,
        conf: &PredictConf,
        progress: &mut dyn Progress,
    ) -> Result<(), Error> {
        Predictor::new(self, conf, progress).map(drop)
    }

    /// Runs [`Engine::predict`] for every page in order: `each` gets the pairs of some pages at a time, which bounds
    /// memory.
    ///
    /// # Errors
    /// As for [`Engine::predict`], or if `each` fails.
    pub fn predict_all<E: From<Error>>(
        &self,
        conf: &PredictConf,
        progress: &mut dyn Progress,
        mut each: impl FnMut(Vec<PredictedPair>) -> Result<(), E>,
    ) -> Result<PredictionCounts, E> {
        self.whole(|| {
            self.predict_all_unwatched(conf, progress, |pairs| {
                self.corpus().watch().expect_unchanged()?;
                each(pairs)
            })
        })
    }

    fn predict_all_unwatched<E: From<Error>>(
        &self,
        conf: &PredictConf,
        progress: &mut dyn Progress,
        mut each: impl FnMut(Vec<PredictedPair>) -> Result<(), E>,
    ) -> Result<PredictionCounts, E> {
        let predictor = Predictor::new(self, conf, progress)?;
        let num_pages = self.corpus().num_pages() as u32;
        let mut counts = PredictionCounts::default();
        progress.start(Task::Predict, Some(num_pages.into()));
        for first in (0..num_pages).step_by(PAGES_AT_A_TIME) {
            let pages = first..(first + PAGES_AT_A_TIME as u32).min(num_pages);
            let pages: Vec<PageId> = pages.map(PageId).collect();
            let pairs = predictor.pairs(&pages)?;
            counts.pages += pages.len() as u64;
            counts.pages_with_links += pairs.iter().filter(|pairs| !pairs.is_empty()).count() as u64;
            let pairs = pairs.concat();
            counts.links += pairs.len() as u64;
            each(pairs)?;
            progress.advance(pages.len() as u64);
        }
        progress.finish();
        Ok(counts)
    }
}
