//! Held-out links: learn without some of the links, then distinguish them from as many non-links.
//!
//! A pair is taken for a link when its expectedness is positive. With TP, FP and FN counted on the held-out
//! pairs: precision = TP/(TP + FP), recall = TP/(TP + FN), F-measure = 2·TP/(2·TP + FP + FN), their harmonic
//! mean. AUC is the chance that a link scores above a non-link, ties counting half. `interval.rs` has the 95%
//! intervals.
//!
//! [`measure()`] is what [`train`](super::train) does first. The links it holds out are about
//!
//! share = 1000/|L|, but at least 1% and at most 10%
//!
//! of all links L by default ([`LearnConf::held_out`]): enough for a figure worth something where there
//! are few links, and not more than it takes where there are many. The model is then learnt from all links, and is
//! the same as if nothing had been measured.
//!
//! # Quirks
//! The intervals say how much chance there is in which links were held out. They do not say how far the learner
//! would come out elsewhere with another seed, which for `paper` and `original` can be further.

mod interval;
mod split;

pub use interval::Counts;
use split::Pair;
pub use split::Split;

use super::{LearnConf, Method, check_graph, run_uncounted};
use crate::categories::Categories;
use crate::error::Error;
use crate::graph::Graph;
use crate::matrix::{CategoryMatrix, Matrix, Normalise};
use crate::progress::{Progress, Task};
use crate::remedy::Remedy;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Measures of how well held-out links are distinguished from non-links.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Measures {
    /// The share of pairs classified correctly.
    pub accuracy: f64,
    /// The share of links among the pairs taken for links.
    pub precision: f64,
    /// The share of links that are taken for links.
    pub recall: f64,
    /// The harmonic mean of precision and recall.
    pub f_measure: f64,
    /// The chance that a link scores above a non-link; NaN where there is only one kind.
    pub auc: f64,
}

impl Measures {
    /// Measures a matrix on held-out pairs; scores are normalised for the AUC (the rest needs only their sign).
    pub fn of(
        graph: &Graph<'_>,
        pairs: &[Pair],
        matrix: &dyn CategoryMatrix,
        normalise: Normalise,
    ) -> Measures {
        Measures::of_scores(scores(graph, pairs, matrix, normalise))
    }

    /// Measures scores paired with the truth.
    pub fn of_scores(mut scored: Vec<(f64, bool)>) -> Measures {
        Measures::new(Counts::of(&scored), auc(&mut scored))
    }

    fn new(counts: Counts, auc: f64) -> Measures {
        Measures {
            accuracy: counts.accuracy(),
            precision: counts.precision(),
            recall: counts.recall(),
            f_measure: counts.f_measure(),
            auc,
        }
    }
}

/// Returns the score of each pair, and whether it is a link; 0 where a side has no category.
fn scores(
    graph: &Graph<'_>,
    pairs: &[Pair],
    matrix: &dyn CategoryMatrix,
    normalise: Normalise,
) -> Vec<(f64, bool)> {
    let scored = pairs.par_iter().map(|&(source, target, is_link)| {
        let e = normalise.expectedness(matrix.rows(graph.categories(source)), graph.categories(target));
        let e = e.expect("the matrix is in memory, or was checked whole");
        (e.unwrap_or(0.0), is_link)
    });
    scored.collect()
}

/// Returns the chance that a link scores above a non-link, ties half; NaN where there is only one kind.
pub fn auc(scored: &mut [(f64, bool)]) -> f64 {
    scored.par_sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    auc_of_ties(scored.chunk_by(|a, b| a.0 == b.0).map(|tied| {
        let links = tied.iter().filter(|(_, is_link)| *is_link).count();
        [links as u64, (tied.len() - links) as u64]
    }))
}

/// Returns [`auc`] from the groups of equal scores, the lowest first: the links and the non-links of each.
pub fn auc_of_ties(ties: impl IntoIterator<Item = [u64; 2]>) -> f64 {
    let (mut links, mut below, mut pairs_won) = (0.0, 0.0, 0.0);
    for [tied_links, tied_non_links] in ties {
        let (tied_links, tied_non_links) = (tied_links as f64, tied_non_links as f64);
        pairs_won += tied_links * (below + tied_non_links / 2.0);
        links += tied_links;
        below += tied_non_links;
    }
    if links == 0.0 || below == 0.0 { f64::NAN } else { pairs_won / (links * below) }
}

/// Measures of a learner on held-out links, which it had not seen. Part of a model's settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
// A damaged key of a figure that is null would otherwise be overlooked.
#[serde(deny_unknown_fields)]
pub struct HeldOut {
    /// The share of the links that was to be held out.
    pub share: f64,
    /// Links held out.
    pub links: u64,
    /// Non-links that they were compared with: as many, but for pages that link to all others.
    pub non_links: u64,
    /// The harmonic mean of precision and recall; this and all up to the accuracy are `None` for a learner whose
    /// sign says nothing ([`Method::explains`]).
    pub f_measure: Option<f64>,
    /// The 95% interval of the F-measure, [`Counts::ci95`].
    pub ci95: Option<[f64; 2]>,
    /// The share of links among the pairs taken for links.
    pub precision: Option<f64>,
    /// The share of links that are taken for links.
    pub recall: Option<f64>,
    /// The share of pairs classified correctly.
    pub accuracy: Option<f64>,
    /// The chance that a link scores above a non-link, scores normalised as by default; `None` where there are no
    /// non-links.
    pub auc: Option<f64>,
}

/// A learner's attempt at a split.
pub(super) struct Trial {
    held_out: HeldOut,
    pub(super) measures: Measures,
    pub(super) counts: Counts,
}

/// Learns without some of the links and measures how well they are distinguished from non-links; `None` where nothing
/// is to be held out, or there are so few links that nothing would be, or nothing else.
///
/// # Errors
/// As for [`learn()`](super::learn()).
pub fn measure(
    graph: &Graph<'_>,
    conf: &LearnConf,
    progress: &mut dyn Progress,
) -> Result<Option<HeldOut>, Error> {
    let measured = measure_graphs(std::slice::from_ref(graph), conf, progress)?;
    Ok(measured.and_then(|mut measured| measured.each.pop()))
}

/// Returns the split that these settings ask for; `None` where it would leave nothing to learn from or to measure on.
fn split_of(graph: &Graph<'_>, conf: &LearnConf) -> Option<Split> {
    let split = Split::new(graph, conf.held_out_share(graph.num_links()), conf.seed);
    (!split.pairs.is_empty() && split.training(graph).num_links() > 0).then_some(split)
}

/// Learns from one side of a split and measures on the other.
pub(super) fn attempt(
    graph: &Graph<'_>,
    split: &Split,
    conf: &LearnConf,
    progress: &mut dyn Progress,
) -> Result<Trial, Error> {
    attempt_keeping(graph, split, conf, progress).map(|(trial, _)| trial)
}

/// Does what [`attempt`] does, and returns the matrix, too.
fn attempt_keeping(
    graph: &Graph<'_>,
    split: &Split,
    conf: &LearnConf,
    progress: &mut dyn Progress,
) -> Result<(Trial, Matrix), Error> {
    let share = conf.held_out_share(graph.num_links());
    let task = Task::LearnToMeasure { method: conf.method.name(), share };
    let (learnt, _) = run_uncounted(
        &split.training(graph),
        // A part of a graph may be small where the graph is not.
        &conf.settled(graph),
        &mut Renamed { progress, task },
        None,
    )?;
    let mut scored = scores(graph, &split.pairs, learnt.matrix(), Normalise::default());
    let counts = Counts::of(&scored);
    let measures = Measures::new(counts, auc(&mut scored));
    let held_out = HeldOut::new(conf.method, share, counts, measures.auc);
    Ok((Trial { held_out, measures, counts }, learnt))
}

/// Measures of the matrices of a model on held-out links.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The measures of each matrix alone.
    pub each: Vec<HeldOut>,
    /// The measures of the model's scores, which are sums over all matrices.
    pub all: HeldOut,
}

/// Learns a matrix over each of several features without some of the links, and measures how well each and all together
/// distinguish these from non-links; `None` as for [`measure()`].
///
/// # Errors
/// As for [`learn()`](super::learn()).
pub fn measure_features(
    features: &[Categories],
    conf: &LearnConf,
    progress: &mut dyn Progress,
) -> Result<Option<Measured>, Error> {
    let graphs = features.iter().map(Categories::graph).collect::<Result<Vec<_>, _>>()?;
    measure_graphs(&graphs, conf, progress)
}

/// Measures on graphs that differ in their categories alone.
fn measure_graphs(
    graphs: &[Graph<'_>],
    conf: &LearnConf,
    progress: &mut dyn Progress,
) -> Result<Option<Measured>, Error> {
    graphs.iter().try_for_each(|graph| check_graph(graph, conf))?;
    let Some(graph) = graphs.first() else { return Ok(None) };
    let share = conf.held_out_share(graph.num_links());
    if share == 0.0 {
        return Ok(None);
    }
    let Some(split) = split_of(graph, conf) else { return Ok(None) };
    let (mut each, mut sums) = (Vec::new(), vec![(0.0, false); split.pairs.len()]);
    for graph in graphs {
        let (trial, learnt) = attempt_keeping(graph, &split, conf, progress).map_err(without_copy)?;
        each.push(trial.held_out);
        let scale = graph.mean_num_categories();
        let scored = scores(graph, &split.pairs, learnt.matrix(), Normalise::Mean);
        sums.iter_mut()
            .zip(scored)
            .for_each(|(sum, (score, is_link))| *sum = (sum.0 + scale * score, is_link));
    }
    let all = HeldOut::new(conf.method, share, Counts::of(&sums), auc(&mut sums));
    Ok(Some(Measured { each, all }))
}

/// Adds the remedy of holding nothing out to an error of too little memory: it saves the copy of the links.
fn without_copy(error: Error) -> Error {
    match error {
        Error::Memory { method, form, num_categories, needed, free, remedy } => {
            let remedy = Remedy::either([remedy, Remedy::set("held_out", "0")]);
            Error::Memory { method, form, num_categories, needed, free, remedy }
        }
        error => error,
    }
}

impl HeldOut {
    /// Computes the measures from counts on held-out pairs; NaN is an AUC that is not known.
    pub fn new(method: Method, share: f64, counts: Counts, auc: f64) -> HeldOut {
        let by_sign = method.explains().then_some(counts);
        HeldOut {
            share,
            links: counts.links,
            non_links: counts.non_links,
            f_measure: by_sign.map(|counts| counts.f_measure()),
            ci95: by_sign.map(|counts| counts.ci95()),
            precision: by_sign.map(|counts| counts.precision()),
            recall: by_sign.map(|counts| counts.recall()),
            accuracy: by_sign.map(|counts| counts.accuracy()),
            auc: Some(auc).filter(|auc| auc.is_finite()),
        }
    }
}

/// The progress of a learning that is not the real one: under another name, without its checkpoints.
struct Renamed<'a> {
    progress: &'a mut dyn Progress,
    task: Task,
}

impl Progress for Renamed<'_> {
    fn start(&mut self, _task: Task, total: Option<u64>) {
        self.progress.start(self.task.clone(), total);
    }

    fn advance(&mut self, by: u64) {
        self.progress.advance(by);
    }

    fn finish(&mut self) {
        self.progress.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_by_hand() {
        // Two of three links and one of three non-links are positive.
        let scored = vec![(2.0, true), (1.0, true), (-1.0, true), (1.0, false), (-1.0, false), (-2.0, false)];
        let measures = Measures::of_scores(scored);
        assert_eq!((measures.accuracy, measures.precision), (4.0 / 6.0, 2.0 / 3.0));
        assert_eq!((measures.recall, measures.f_measure), (2.0 / 3.0, 2.0 / 3.0));
        // 2 beats three, 1 beats two and ties one, −1 beats one and ties one: 3 + 2.5 + 1.5 of 9.
        assert!((measures.auc - 7.0 / 9.0).abs() < 1e-12);
    }

    #[test]
    fn what_cannot_be_said_is_not_said() {
        let counts = Counts { links: 4, non_links: 0, hits: 3, false_alarms: 0 };
        let held_out = HeldOut::new(Method::Paper, 0.1, counts, f64::NAN);
        assert_eq!((held_out.recall, held_out.auc), (Some(0.75), None));
        let naive = HeldOut::new(Method::Naive, 0.1, counts, 0.5);
        assert_eq!((naive.f_measure, naive.ci95, naive.accuracy, naive.auc), (None, None, None, Some(0.5)));
    }
}
