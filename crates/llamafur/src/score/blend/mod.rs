//! Sums of studentised scores, and the blend that is the default.
//!
//! score(s, t) = Σ_i w_i·(x_i(s, t) − μ_i)/σ_i over the scorers i: each score's distance from its mean, in standard
//! deviations, so that scales do not matter: the (internally) studentised residuals of Boldi & Monti, “LlamaFur”,
//! WebSci 2016, section 6. μ and σ are those of all links of the graph (the paper's way), or of the links of the page
//! ([`Studentise`]). A scorer without data on a link stays neutral: 0, as if it were at its mean.
//!
//! `a+b` is such a sum with weights of 1. `blend` is the sum of [`SIGNALS`], as far as the corpus has what they need:
//! the matrices of the model, neighbours, vectors of pages, words, and the place of the link. It uses no labels.
//! Missing links are predicted by another sum, with weights of its own: [`PREDICTION_SIGNALS`].
//!
//! In the blend a score below its mean, which speaks for the link, counts 1.25 times: one good explanation is worth more than one
//! doubt. So the share of signal i is w_i·z for z ≥ 0 and 1.25·w_i·z for z < 0, z = (x_i − μ_i)/σ_i.
//!
//! # Quirks
//! On a graph of more than 10,000 links, μ and σ are those of the links of pages drawn at random, as many as make that number.

mod cache;
mod standardise;

pub(crate) use cache::STANDARDS;
pub use cache::verify_standards;
pub(super) use cache::{Cache, checksum};
pub(crate) use standardise::sample;

use super::{Details, Inputs, LeftOut, Score, ScoreConf, Scorer, SignalScores, Suffix, added, open};
use crate::Error;
use crate::corpus::Corpus;
use crate::graph::PageId;
use crate::interrupt;
use crate::learn::Model;
use crate::progress::{Note, Progress};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use standardise::{Standard, studentised};
use std::sync::Arc;

pub(super) const BLEND: Scorer = Scorer {
    name: "blend",
    about: "the sum of the studentised scores of those that together rank best; the default",
    inputs: "graph, categories, text",
    cites: "",
    model: Some("llamafur"),
    suffix: Suffix::Model,
    reads_link: false,
    open: |inputs, conf, progress| Ok(Arc::new(Sum::blend(inputs, conf, progress)?)),
};

/// A scorer within a blend, with the shape and the weight of its scores.
#[derive(Debug, Clone, Copy)]
pub struct Signal {
    /// The scorer.
    pub name: &'static str,
    shape: Shape,
    /// The weight of its scores in standard deviations.
    pub weight: f64,
}

/// A transformation that makes scores less skewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// The identity.
    Plain,
    /// x ↦ −ln(0.01 − x) of a score that is no more than 0: ratios matter, not differences. One common neighbour that
    /// has a hundred counts as much as the first of none.
    Ratio,
}

impl Shape {
    fn of(self, score: f64) -> f64 {
        match self {
            Shape::Plain => score,
            Shape::Ratio => 0.0 - (0.01 - score).ln(),
        }
    }
}

const fn plain(name: &'static str) -> Signal {
    weighted(name, 1.0)
}

const fn weighted(name: &'static str, weight: f64) -> Signal {
    Signal { name, shape: Shape::Plain, weight }
}

/// The signals of `blend`.
pub const SIGNALS: [Signal; 10] = [
    plain("categories"),
    plain("words"),
    plain("lead"),
    Signal { name: "ra", shape: Shape::Ratio, weight: 1.0 },
    plain("company"),
    plain("peers"),
    plain("m4"),
    plain("cosine"),
    plain("mentions"),
    plain("depth"),
];

/// Further signals of `blend` where pages have neither categories nor text, so that there is no matrix.
const OF_LINKS_ALONE: [Signal; 2] = [plain("reciprocity"), plain("in-degree")];

/// The signals of [`Blend::Predictions`]. The weights were fitted by the program `predictions` of the benchmarks to
/// links held out of pages of Wikispeedia, enwiki-computing and Debian, and measured on other pages. The matrices
/// themselves have no weight beside `peers` and `company`, which use their vectors.
pub const PREDICTION_SIGNALS: [Signal; 6] = [
    Signal { name: "ra", shape: Shape::Ratio, weight: 0.44 },
    weighted("company", 0.28),
    weighted("peers", 0.47),
    weighted("cosine", 0.32),
    weighted("reciprocity", 0.05),
    weighted("in-degree", 0.46),
];

/// The signal of [`PREDICTION_SIGNALS`] that reads much for each page.
const SLOW: &str = "peers";

/// The choice of the sum for `blend`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Blend {
    /// The sum of [`SIGNALS`], which ranks links.
    #[default]
    Rankings,
    /// The sum of [`PREDICTION_SIGNALS`], which predicts missing links.
    Predictions,
    /// The sum for predictions without the signal that reads much for each page.
    QuickPredictions,
}

impl Blend {
    /// Returns its signals on a corpus.
    fn signals(self, corpus: &Corpus) -> Vec<Signal> {
        match self {
            // Tables never have wikitext: nothing to note.
            Blend::Rankings => {
                let is_wiki = corpus.wiki_titles().is_some();
                let mut signals: Vec<Signal> =
                    SIGNALS.into_iter().filter(|signal| is_wiki || signal.name != "depth").collect();
                if has_links_alone(corpus) {
                    signals.extend(OF_LINKS_ALONE);
                }
                signals
            }
            Blend::Predictions => PREDICTION_SIGNALS.to_vec(),
            Blend::QuickPredictions => {
                PREDICTION_SIGNALS.into_iter().filter(|signal| signal.name != SLOW).collect()
            }
        }
    }
}

/// Factor of scores below the mean in the blend.
const FOR_THE_LINK: f64 = 1.25;

/// The links over which scores are studentised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Studentise {
    /// All links of the graph.
    #[default]
    Graph,
    /// The links of the same page.
    Page,
}

names! {
    Studentise "studentise" {
        Graph = "graph",
        Page = "page",
    }
}

/// A scorer with its shape, its mean and deviation, and its weight.
struct Part {
    scorer: Arc<dyn Score>,
    shape: Shape,
    standard: Standard,
    weight: f64,
}

impl Part {
    fn shaped(&self, scores: &[Option<f64>]) -> Vec<Option<f64>> {
        scores.iter().map(|score| score.map(|score| self.shape.of(score))).collect()
    }

    fn shaped_scores(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        Ok(self.shaped(&self.scorer.score(source, targets)?))
    }
}

/// A sum of studentised scores.
pub struct Sum {
    name: String,
    corpus: Corpus,
    parts: Vec<Part>,
    studentise: Studentise,
    /// Factor of scores below the mean.
    for_the_link: f64,
    left_out: Vec<LeftOut>,
}

/// Number of links of one page from which on several threads are used.
const WORTH_THREADS: usize = 256;

/// The name, shape and weight of a part to be opened.
type Planned = (String, Shape, f64);

/// The studentised scores of a part, and, where their sign says whether a link is explained, the raw ones.
type Scored = (Vec<Option<f64>>, Option<Vec<Option<f64>>>);

impl Sum {
    /// Opens a sum of scorers, each by its name; all must be available.
    pub(super) fn of(
        name: &str,
        inputs: &Inputs,
        conf: &ScoreConf,
        progress: &mut dyn Progress,
    ) -> Result<Sum, Error> {
        let plan = name.split('+').map(|part| (part.to_owned(), Shape::Plain, 1.0));
        Sum::new(name, plan.collect(), true, inputs, conf, progress)
    }

    /// Opens the blend. Signals that the corpus lacks something for are left out, and that is noted.
    fn blend(inputs: &Inputs, conf: &ScoreConf, progress: &mut dyn Progress) -> Result<Sum, Error> {
        let is_wanted = |signal: &Signal| !conf.without_text_of_links || !reads_link(signal.name);
        let signals = conf.blend.signals(inputs.corpus()).into_iter().filter(is_wanted);
        let plan = signals.map(|signal| (signal.name.to_owned(), signal.shape, signal.weight));
        Sum::new(BLEND.name, plan.collect(), false, inputs, conf, progress)
    }

    /// Opens each of these signals as a part of its own, to fit weights; unavailable ones are left out.
    ///
    /// # Errors
    /// If there is no scorer of a name.
    pub fn of_signals(
        names: &[String],
        inputs: &Inputs,
        conf: &ScoreConf,
        progress: &mut dyn Progress,
    ) -> Result<Sum, Error> {
        let plan = names.iter().map(|name| (name.clone(), shape_of(name), 1.0)).collect();
        Sum::new(BLEND.name, plan, false, inputs, conf, progress)
    }

    fn new(
        name: &str,
        plan: Vec<Planned>,
        needs_all: bool,
        inputs: &Inputs,
        conf: &ScoreConf,
        progress: &mut dyn Progress,
    ) -> Result<Sum, Error> {
        let corpus = inputs.corpus().clone();
        let (mut parts, mut left_out): (Vec<Part>, Vec<LeftOut>) = Default::default();
        // Several mostly lack the same.
        let mut without: Vec<(Error, Vec<String>)> = Vec::new();
        let of_base = match inputs.base().filter(|_| conf.studentise == Studentise::Graph) {
            Some(base) => Some(Sum::new(name, plan.clone(), needs_all, base, conf, progress)?),
            None => None,
        };
        for (part, shape, weight) in plan {
            match open(&part, inputs, conf, progress) {
                Ok(scorer) => parts.push(Part { scorer, shape, standard: Standard::default(), weight }),
                Err(error) if !needs_all && error.is_lack() => {
                    left_out.push(LeftOut { name: part.clone(), reason: error.to_string() });
                    match without.iter_mut().find(|(other, _)| other.to_string() == error.to_string()) {
                        Some((_, names)) => names.push(part),
                        None => without.push((error, vec![part])),
                    }
                }
                Err(error) => return Err(error),
            }
        }
        for (error, signals) in without {
            let (scorer, remedy) = (name.to_owned(), error.remedy());
            progress.note(Note::Without { scorer, signals, error: error.to_string(), remedy });
        }
        match of_base {
            Some(base) => parts.iter_mut().for_each(|part| part.standard = base.standard_of(part)),
            None if conf.studentise == Studentise::Graph => {
                standardise::fill(&corpus, &mut parts, progress)?;
            }
            None => {}
        }
        let for_the_link = if name == BLEND.name { FOR_THE_LINK } else { 1.0 };
        Ok(Sum { name: name.to_owned(), corpus, parts, studentise: conf.studentise, for_the_link, left_out })
    }

    /// Returns the mean and deviation of the part of the same name.
    fn standard_of(&self, part: &Part) -> Standard {
        let same = self.parts.iter().find(|other| other.scorer.name() == part.scorer.name());
        same.map_or(Standard::default(), |other| other.standard)
    }

    /// Returns the names of its parts.
    pub fn names(&self) -> Vec<&str> {
        self.parts.iter().map(|part| part.scorer.name()).collect()
    }

    /// Returns the studentised scores of every part, in parallel where there are many links.
    fn of_parts(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Scored>, Error> {
        let carried = interrupt::carried();
        let of = |part| carried.scope(|| self.of_part(part, source, targets));
        match targets.len() < WORTH_THREADS {
            true => self.parts.iter().map(of).collect(),
            false => self.parts.par_iter().map(of).collect(),
        }
    }

    /// Returns the studentised scores of one part.
    fn of_part(&self, part: &Part, source: PageId, targets: &[PageId]) -> Result<Scored, Error> {
        let raw = part.scorer.score(source, targets)?;
        let shaped = part.shaped(&raw);
        let standard = match self.studentise {
            Studentise::Graph => part.standard,
            Studentise::Page => {
                let links = self.corpus.links(source)?;
                let of_page =
                    if links == targets { shaped.clone() } else { part.shaped_scores(source, links)? };
                Standard::of(&of_page.into_iter().flatten().collect::<Vec<_>>())
            }
        };
        let counted = |score: f64| if score < 0.0 { self.for_the_link * score } else { score };
        let scores = studentised(shaped, standard).into_iter().map(|score| score.map(counted));
        Ok((scores.collect(), part.scorer.explains().then_some(raw)))
    }

    /// Returns the weighted sum of the parts' scores; `None` where no part has one.
    fn total(&self, of_parts: &[Scored], num: usize) -> Vec<Option<f64>> {
        let mut sums: Vec<Option<f64>> = vec![None; num];
        for (part, (scores, _)) in self.parts.iter().zip(of_parts) {
            for (sum, score) in sums.iter_mut().zip(scores) {
                *sum = added(*sum, score.map(|score| part.weight * score));
            }
        }
        sums
    }
}

/// Returns whether pages have neither categories nor text.
fn has_links_alone(corpus: &Corpus) -> bool {
    corpus.manifest().counts.page_categories == 0 && !corpus.has_text()
}

/// Returns whether a scorer is a signal of the blend.
pub fn is_in_blend(name: &str) -> bool {
    SIGNALS.iter().any(|signal| signal.name == name)
}

/// Returns whether a signal reads the link itself in the source's text.
fn reads_link(name: &str) -> bool {
    Scorer::parse(name).is_ok_and(|(scorer, _)| scorer.reads_link)
}

/// Returns the shape of a signal's scores.
fn shape_of(name: &str) -> Shape {
    SIGNALS.iter().find(|signal| signal.name == name).map_or(Shape::Plain, |signal| signal.shape)
}

impl Score for Sum {
    fn name(&self) -> &str {
        &self.name
    }

    fn parts(&self) -> Vec<&dyn Score> {
        self.parts.iter().map(|part| &*part.scorer).collect()
    }

    /// Returns the weighted sum; `None` where no part has a score.
    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        Ok(self.total(&self.of_parts(source, targets)?, targets.len()))
    }

    /// Returns details in which a link is explained by the sum of the matrices that are parts.
    fn details(&self, source: PageId, targets: &[PageId]) -> Result<Details, Error> {
        let of_parts = self.of_parts(source, targets)?;
        let scores = self.total(&of_parts, targets.len());
        let mut sums: Vec<Option<f64>> = vec![None; targets.len()];
        for matrix in of_parts.iter().filter_map(|(_, matrix)| matrix.as_ref()) {
            sums.iter_mut().zip(matrix).for_each(|(sum, score)| *sum = added(*sum, *score));
        }
        let signal = |(part, (scores, _)): (&Part, Scored)| SignalScores { weight: part.weight, scores };
        Ok(Details {
            scores,
            explained: sums.iter().map(|sum| sum.map(|sum| sum < 0.0)).collect(),
            signals: self.parts.iter().zip(of_parts).map(signal).collect(),
        })
    }

    fn is_standardised(&self) -> bool {
        true
    }

    fn rests_on(&self) -> String {
        let of = |part: &Part| {
            format!("{} {} {};", part.weight, cache::rests_on(&self.corpus, part), part.scorer.name())
        };
        format!("{} {}", self.studentise, self.parts.iter().map(of).collect::<String>())
    }

    fn model(&self) -> Option<&Arc<Model>> {
        self.parts.iter().find_map(|part| part.scorer.model())
    }

    fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }
}
