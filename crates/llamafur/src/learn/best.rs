//! The best learner for a graph: each learns without the same links, and the one with the highest F-measure on them
//! is kept.
//!
//! How far the winner leads the second comes with a 95% interval, of the same pairs (`held_out::difference`).
//! Where that holds zero, another sample of links might have chosen the other.
//!
//! # Quirks
//! The winner's figure is the largest of several: where learners are nearly equal, chance flatters it a little.

use super::held_out::{self, HeldOut, Trial};
use super::{LearnConf, Method, check_graph};
use crate::Error;
use crate::graph::Graph;
use crate::progress::{Note, Progress};
use serde::Serialize;

/// The learners that are tried. [`Method::Naive`] is not: it has no threshold, so no F-measure.
pub const LEARNERS: [Method; 4] = [Method::Factored, Method::Averaged, Method::Paper, Method::Original];

/// A learner that was tried.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tried {
    /// The learner.
    pub method: Method,
    /// How well it did.
    #[serde(flatten)]
    pub held_out: HeldOut,
    /// Examples that it saw.
    pub examples: u64,
    /// How long it took.
    pub seconds: f64,
}

/// How far the winner leads the second.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Lead {
    /// The second.
    pub over: Method,
    /// The difference of their F-measures.
    pub f_measure: f64,
    /// Its 95% interval.
    pub ci95: [f64; 2],
}

/// What came of the learners.
#[derive(Debug)]
pub struct Best {
    /// The learners that were tried, the best first; of equal ones in the order of [`LEARNERS`].
    pub tried: Vec<Tried>,
    /// Those that would not have fitted in memory.
    pub skipped: Vec<(Method, Error)>,
    /// How far the first leads the second; none where only one was tried.
    pub lead: Option<Lead>,
}

impl Best {
    /// The winner.
    pub fn winner(&self) -> &Tried {
        &self.tried[0]
    }
}

/// Tries the learners with these settings, whose method is ignored, and says which is best.
///
/// ```
/// use llamafur::graph::{MilestoneId, Graph, PageId};
/// use llamafur::storage::CsrBuf;
/// use llamafur::learn::{LearnConf, best};
/// use llamafur::progress::Silent;
///
/// // Pages of two kinds, each of which links to the ten pages of the other.
/// let links = CsrBuf::from_iter((0..20).map(|page| (0..20).filter(move |to| (to + page) % 2 == 1).map(PageId)));
/// let categories = CsrBuf::from_iter((0..20).map(|page| [MilestoneId(page % 2)]));
/// let graph = Graph::new(links.view(), categories.view(), 2);
/// let best = best::choose(&graph, &LearnConf::default(), &mut Silent)?;
/// assert_eq!((best.tried.len(), best.winner().held_out.f_measure), (4, Some(1.0)));
/// # Ok::<(), llamafur::Error>(())
/// ```
///
/// # Errors
/// As for [`learn()`](super::learn()), if nothing is to be held out or there are too few links for it, or if no
/// learner fits in memory.
pub fn choose(graph: &Graph<'_>, conf: &LearnConf, progress: &mut dyn Progress) -> Result<Best, Error> {
    check_graph(graph, conf)?;
    if conf.held_out_share(graph.num_links()) == 0.0 {
        let rule = "above 0 to find the best learner";
        return Err(Error::setting("held_out", rule, 0));
    }
    let split = held_out::split_of(graph, conf).ok_or(Error::TooFewLinks)?;
    let mut trials: Vec<(Method, Trial)> = Vec::new();
    let mut skipped: Vec<(Method, Error)> = Vec::new();
    for method in LEARNERS {
        match held_out::attempt(graph, &split, &conf.clone().method(method), progress) {
            Ok(trial) => {
                let f_measure = trial.f_measure();
                progress.note(Note::Measured { method: method.name(), f_measure });
                trials.push((method, trial));
            }
            Err(error @ Error::Memory { .. }) => {
                progress.note(Note::left_out(method.name(), &error));
                skipped.push((method, error));
            }
            Err(error) => return Err(error),
        }
    }
    if trials.is_empty() {
        return Err(skipped.swap_remove(0).1);
    }
    // The sort is stable: of equal ones the first stays first.
    trials.sort_by(|(_, one), (_, two)| two.f_measure().total_cmp(&one.f_measure()));
    let lead = trials.get(1).map(|(over, second)| {
        let (f_measure, ci95) = held_out::difference(&trials[0].1.verdicts, &second.verdicts);
        Lead { over: *over, f_measure, ci95 }
    });
    let tried = trials.into_iter().map(|(method, trial)| {
        let Trial { held_out, examples, seconds, .. } = trial;
        Tried { method, held_out, examples, seconds }
    });
    Ok(Best { tried: tried.collect(), skipped, lead })
}
