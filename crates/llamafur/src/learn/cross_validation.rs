//! Cross-validation: every pair of pages is held out once, and every learner classifies pairs that it has not seen.
//!
//! All pairs of pages, D×D, are cut into k folds ([`Fold`]). For each fold the matrix is learnt from the other k − 1:
//! their links, and non-links drawn from them alone, so that no pair of the fold is seen in either role. Then the links
//! of the fold are compared with as many non-links of the fold, of the same pages: a pair is taken for a link when its
//! expectedness is positive. Boldi & Monti, “LlamaFur”, WebSci 2016, section 6, table 1.
//!
//! The figures are the mean and the standard deviation over folds. The folds are not independent (any two learn from
//! mostly the same links), so the deviation says how steady the figure is, not how far it can be trusted; the 95%
//! interval of the F-measure is that of all folds' pairs taken together ([`Counts::ci95`]).
//!
//! Folds are learnt at the same time, as many as there are threads and memory for; the result does not depend on that.

use super::held_out::{Counts, Measures, Split, attempt};
use super::memory::free_memory;
use super::{LearnConf, Method, check_graph, num_bytes, num_examples};
use crate::Error;
use crate::graph::{Fold, Graph};
use crate::progress::{Progress, Task, WhenStopped, stop};
use crate::statistics::mean_and_squares;
use serde::Serialize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};

const MOST_FOLDS: u32 = 100;

/// The settings of a cross-validation.
#[derive(Debug, Clone)]
pub struct CrossValidateConf {
    learn: LearnConf,
    folds: u32,
    jobs: Option<usize>,
}

impl CrossValidateConf {
    /// Creates settings for this learner; its seed also assigns the pairs to the folds.
    pub fn new(learn: LearnConf) -> CrossValidateConf {
        CrossValidateConf { learn, folds: 10, jobs: None }
    }

    setters! {
        /// Number of folds. Default: 10, as in the paper. From 2 to 100.
        folds: u32,
        /// Number of folds learnt at the same time. Default: as many as there are threads and memory for. At least 1.
        jobs: Option<usize> => jobs.map(|jobs| jobs.max(1)),
    }

    /// Rejects a number of folds that is out of range.
    pub fn validate(&self) -> Result<(), Error> {
        let in_range = (2..=MOST_FOLDS).contains(&self.folds);
        in_range
            .then_some(())
            .ok_or_else(|| Error::setting("folds", format!("from 2 to {MOST_FOLDS}"), self.folds))
    }
}

/// A mean over folds, and how far they scatter.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The standard deviation of the sample.
    pub sd: f64,
}

/// A learner's results over all folds. Measures that need a sign are `None` where the sign has no meaning
/// ([`Method::explains`]).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CrossValidation {
    /// The number of folds.
    pub folds: usize,
    /// The learner.
    pub method: Method,
    /// The number of categories on each side of the matrix.
    pub categories: usize,
    /// Links classified, of all folds: each link of the graph once.
    pub links: u64,
    /// Non-links that they were compared with.
    pub non_links: u64,
    /// The share of pairs classified correctly.
    pub accuracy: Option<Spread>,
    /// The share of links among the pairs taken for links.
    pub precision: Option<Spread>,
    /// The share of links that are taken for links.
    pub recall: Option<Spread>,
    /// The harmonic mean of precision and recall.
    pub f_measure: Option<Spread>,
    /// The 95% interval of the F-measure on the pairs of all folds.
    pub ci95: Option<[f64; 2]>,
    /// The chance that a link scores above a non-link.
    pub auc: Spread,
    /// The folds one by one.
    pub each: Vec<Measures>,
}

/// Learns without each fold in turn, and distinguishes its links from as many of its non-links.
///
/// ```
/// use llamafur::graph::{MilestoneId, Graph, PageId};
/// use llamafur::storage::CsrBuf;
/// use llamafur::learn::LearnConf;
/// use llamafur::progress::Silent;
/// use llamafur::learn::cross_validation::{CrossValidateConf, cross_validate};
///
/// // Forty pages of two kinds; each links to others of its kind only.
/// let of_kind = |page: u32| (0..40).filter(move |other| other % 2 == page % 2 && *other != page).map(PageId);
/// let links: CsrBuf<PageId> = (0..40).map(of_kind).collect();
/// let categories: CsrBuf<MilestoneId> = (0..40).map(|page| [MilestoneId(page % 2)]).collect();
/// let graph = Graph::new(links.view(), categories.view(), 2);
/// let conf = CrossValidateConf::new(LearnConf::default()).folds(5);
/// let validation = cross_validate(&graph, &conf, &mut Silent)?;
/// assert_eq!((validation.folds, validation.links), (5, 40 * 19));
/// assert!(validation.f_measure.unwrap().mean > 0.95);
/// # Ok::<(), llamafur::Error>(())
/// ```
///
/// # Errors
/// If the number of folds is out of range, a fold has no link, or the learner fails.
pub fn cross_validate(
    graph: &Graph<'_>,
    conf: &CrossValidateConf,
    progress: &mut dyn Progress,
) -> Result<CrossValidation, Error> {
    conf.validate()?;
    check_graph(graph, &conf.learn)?;
    let method = conf.learn.method;
    let examples = num_examples(graph, &conf.learn) * u64::from(conf.folds - 1);
    progress.start(Task::CrossValidate { method: method.name() }, Some(examples));
    let outcomes = fold_by_fold(graph, conf, progress)?;
    progress.finish();
    Ok(CrossValidation::new(method, graph.num_categories, &outcomes))
}

/// The measures and counts of a fold.
type FoldOutcome = (Measures, Counts);

/// Returns the number of folds to learn at the same time, and of threads for each.
fn jobs(graph: &Graph<'_>, conf: &CrossValidateConf) -> (usize, usize) {
    let threads = rayon::current_num_threads();
    let links = graph.num_links() as u64;
    // The links to learn from; the pairs to classify, with their scores.
    let copies = 4 * links + 8 * graph.num_pages() as u64 + 64 * links / u64::from(conf.folds);
    let needed = num_bytes(graph, &conf.learn).saturating_add(copies);
    let room = usize::try_from(free_memory() / 10 * 9 / needed.max(1)).unwrap_or(usize::MAX);
    let jobs = conf.jobs.unwrap_or(room.min(threads)).clamp(1, conf.folds as usize);
    (jobs, (threads / jobs).max(1))
}

fn fold_by_fold(
    graph: &Graph<'_>,
    conf: &CrossValidateConf,
    progress: &mut dyn Progress,
) -> Result<Vec<FoldOutcome>, Error> {
    let folds: Vec<Fold> = Fold::all(conf.folds, conf.learn.seed).collect();
    let (jobs, threads) = jobs(graph, conf);
    let pools = (0..jobs).map(|_| rayon::ThreadPoolBuilder::new().num_threads(threads).build());
    let pools = pools.collect::<Result<Vec<_>, _>>()?;
    let next = AtomicUsize::new(0);
    let mut outcomes: Vec<Option<FoldOutcome>> = vec![None; folds.len()];
    let work = |tell: Sender<News>| {
        while let Some(&fold) = folds.get(next.fetch_add(1, Ordering::Relaxed)) {
            let outcome = try_fold(graph, fold, conf, &mut Teller { tell: &tell });
            if outcome.is_err() {
                next.store(folds.len(), Ordering::Relaxed);
            }
            // The receiver is there until all threads have ended.
            let _ = tell.send(News::Fold(fold.number() as usize, outcome));
        }
    };
    let mut failed = None;
    std::thread::scope(|scope| {
        let (tell, news) = mpsc::channel();
        for pool in &pools {
            let (tell, work) = (tell.clone(), &work);
            scope.spawn(move || pool.install(|| work(tell)));
        }
        drop(tell);
        let _stopped = WhenStopped(|| next.store(folds.len(), Ordering::Relaxed));
        for news in news {
            match news {
                News::Examples(num) => progress.advance(num),
                News::Fold(number, Ok(outcome)) => outcomes[number] = Some(outcome),
                News::Fold(_, Err(error)) => failed = Some(failed.take().unwrap_or(error)),
            }
        }
    });
    match failed {
        Some(error) => Err(error),
        None => Ok(outcomes.into_iter().flatten().collect()),
    }
}

fn try_fold(
    graph: &Graph<'_>,
    fold: Fold,
    conf: &CrossValidateConf,
    progress: &mut dyn Progress,
) -> Result<FoldOutcome, Error> {
    let split = Split::of_fold(graph, fold, conf.learn.seed);
    if split.num_links() == 0 || split.training(graph).num_links() == 0 {
        return Err(Error::TooFewLinksForFolds { folds: conf.folds, links: graph.num_links() });
    }
    let trial = attempt(graph, &split, &conf.learn, progress)?;
    Ok((trial.measures, trial.counts))
}

/// Messages from the threads to the one that shows progress.
enum News {
    Examples(u64),
    Fold(usize, Result<FoldOutcome, Error>),
}

/// A progress that only passes on how far learning is.
struct Teller<'a> {
    tell: &'a Sender<News>,
}

impl Progress for Teller<'_> {
    fn advance(&mut self, by: u64) {
        // The receiver is there until all threads have ended, unless it was stopped.
        if self.tell.send(News::Examples(by)).is_err() {
            stop();
        }
    }
}

impl Spread {
    /// Returns the mean and deviation of these values; the deviation of a single one is 0.
    pub fn of(values: &[f64]) -> Spread {
        let (mean, squares) = mean_and_squares(values);
        Spread { mean, sd: (squares / (values.len().max(2) - 1) as f64).sqrt() }
    }
}

impl CrossValidation {
    fn new(method: Method, categories: usize, outcomes: &[FoldOutcome]) -> CrossValidation {
        let spread = |of: fn(&Measures) -> f64| {
            Spread::of(&outcomes.iter().map(|(measures, _)| of(measures)).collect::<Vec<_>>())
        };
        let by_sign = |of| method.explains().then(|| spread(of));
        let sum = |of: fn(&Counts) -> u64| outcomes.iter().map(|(_, counts)| of(counts)).sum::<u64>();
        let all = Counts {
            links: sum(|counts| counts.links),
            non_links: sum(|counts| counts.non_links),
            hits: sum(|counts| counts.hits),
            false_alarms: sum(|counts| counts.false_alarms),
        };
        CrossValidation {
            folds: outcomes.len(),
            method,
            categories,
            links: all.links,
            non_links: all.non_links,
            accuracy: by_sign(|measures| measures.accuracy),
            precision: by_sign(|measures| measures.precision),
            recall: by_sign(|measures| measures.recall),
            f_measure: by_sign(|measures| measures.f_measure),
            ci95: method.explains().then(|| all.ci95()),
            auc: spread(|measures| measures.auc),
            each: outcomes.iter().map(|(measures, _)| *measures).collect(),
        }
    }
}
