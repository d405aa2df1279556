//! Several scorers as one: sums of studentised scores, and the blend that is the default.
//!
//! score(s, t) = Σ_i w_i·(x_i(s, t) − μ_i)/σ_i over the scorers i: each score's distance from its mean, in standard deviations,
//! so that scales do not matter: the (internally) studentised residuals of Boldi & Monti, “LlamaFur”, WebSci 2016, section 6. μ and
//! σ are those of all links of the graph (the paper's way), or of the links of the page ([`Studentise`]). A scorer that has nothing
//! to say of a link stays neutral: 0, as if it were at its mean.
//!
//! `a+b` is such a sum with weights of 1. `blend` is the sum of what [`SIGNALS`] lists, as far as the corpus has what they need:
//! categories, neighbours, the company of other links, words, and where the link stands. No label goes into it. With a file of
//! weights ([`Weights`]) it is what `llamafur learn-blend` learnt from judgments.
//!
//! # Quirks
//! On a graph of more than 32,768 links, μ and σ are those of the links of pages drawn at random, as many as make that number.

mod kept;
mod standard;
mod weights;

pub use kept::verify_standards;
pub use weights::{WeightedSignal, Weights, WeightsError};

use super::{Inputs, NamedScores, Score, ScoreConf, ScoreError, Scorer, open};
use crate::corpus::{Corpus, CorpusError, PageId};
use crate::matrix::Model;
use crate::progress::Progress;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use standard::{Standard, studentised};
use std::fmt;
use std::str::FromStr;

pub(super) const BLEND: Scorer = Scorer {
    name: "blend",
    about: "the sum of the studentised scores of those that together rank best; the default",
    inputs: "graph, categories, text",
    cites: "",
    takes_model: true,
    reads_link: false,
    open: |inputs, conf, progress| Ok(Box::new(Sum::blend(inputs, conf, progress)?)),
};

/// A scorer within a blend, and what is done to its scores before they are studentised.
#[derive(Debug, Clone, Copy)]
pub struct Signal {
    /// The scorer.
    pub name: &'static str,
    shape: Shape,
}

/// What makes scores less skewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Nothing.
    Plain,
    /// x ↦ −ln(0.01 − x) of a score that is no more than 0: ratios matter, not differences. One neighbour in common that has
    /// a hundred counts as much as the first of none.
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
    Signal { name, shape: Shape::Plain }
}

/// What `blend` sums up.
pub const SIGNALS: [Signal; 10] = [
    plain("llamafur"),
    Signal { name: "ra", shape: Shape::Ratio },
    plain("company"),
    plain("reciprocity"),
    plain("in-degree"),
    plain("m4"),
    plain("cosine"),
    plain("text-svd"),
    plain("mentions"),
    plain("depth"),
];

/// Over which links scores are studentised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Studentise {
    /// All links of the graph.
    #[default]
    Graph,
    /// The links of the same page.
    Page,
}

impl fmt::Display for Studentise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Studentise::Graph => "graph",
            Studentise::Page => "page",
        })
    }
}

impl FromStr for Studentise {
    type Err = String;

    fn from_str(name: &str) -> Result<Studentise, String> {
        [Studentise::Graph, Studentise::Page]
            .into_iter()
            .find(|known| known.to_string() == name)
            .ok_or_else(|| format!("studentise must be graph or page, got {name}"))
    }
}

/// A scorer with what makes its scores comparable, and its weight.
struct Part<'a> {
    scorer: Box<dyn Score + 'a>,
    shape: Shape,
    standard: Standard,
    weight: f64,
}

impl Part<'_> {
    fn shaped_scores(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, CorpusError> {
        let scores = self.scorer.score(source, targets)?;
        Ok(scores.into_iter().map(|score| score.map(|score| self.shape.of(score))).collect())
    }
}

/// A sum of studentised scores.
pub struct Sum<'a> {
    name: String,
    corpus: &'a Corpus,
    parts: Vec<Part<'a>>,
    studentise: Studentise,
}

/// Links of one page from which on threads are worth their while.
const WORTH_THREADS: usize = 256;

/// A part to be: its name, what is done to its scores, its weight.
type Planned = (String, Shape, f64);

impl<'a> Sum<'a> {
    /// The sum of scorers, each by its name; all must be there.
    pub(super) fn of(
        name: &str,
        inputs: &Inputs<'a>,
        conf: &ScoreConf,
        progress: &mut dyn Progress,
    ) -> Result<Sum<'a>, ScoreError> {
        let plan = name.split('+').map(|part| (part.to_owned(), Shape::Plain, 1.0));
        Sum::new(name, plan.collect(), true, inputs, conf, progress)
    }

    /// The blend: of all signals with equal weights, or by the weights given. What the corpus lacks something for is left out,
    /// and that is noted.
    fn blend(
        inputs: &Inputs<'a>,
        conf: &ScoreConf,
        progress: &mut dyn Progress,
    ) -> Result<Sum<'a>, ScoreError> {
        let is_wanted = |name: &str| !conf.without_text_of_links || !reads_link(name);
        // Tables never have wikitext: nothing to note unless weights ask for it.
        let is_wiki = inputs.corpus().wiki_titles().is_some();
        let plan = match &conf.weights {
            Some(weights) => weights
                .signals
                .iter()
                .filter(|signal| is_wanted(&signal.name))
                .map(|signal| (signal.name.clone(), shape_of(&signal.name), signal.weight))
                .collect(),
            None => SIGNALS
                .iter()
                .filter(|signal| is_wanted(signal.name) && (is_wiki || signal.name != "depth"))
                .map(|signal| (signal.name.to_owned(), signal.shape, 1.0))
                .collect(),
        };
        Sum::new(BLEND.name, plan, false, inputs, conf, progress)
    }

    /// Every signal of these names as a part of its own, for who learns weights; what is lacking is left out.
    ///
    /// # Errors
    /// If a name is no scorer's, or a file is damaged.
    pub fn of_signals(
        names: &[String],
        inputs: &Inputs<'a>,
        conf: &ScoreConf,
        progress: &mut dyn Progress,
    ) -> Result<Sum<'a>, ScoreError> {
        let plan = names.iter().map(|name| (name.clone(), shape_of(name), 1.0)).collect();
        Sum::new(BLEND.name, plan, false, inputs, conf, progress)
    }

    fn new(
        name: &str,
        plan: Vec<Planned>,
        needs_all: bool,
        inputs: &Inputs<'a>,
        conf: &ScoreConf,
        progress: &mut dyn Progress,
    ) -> Result<Sum<'a>, ScoreError> {
        let corpus = inputs.corpus();
        let mut parts: Vec<Part<'a>> = Vec::new();
        // Several mostly lack the same.
        let mut without: Vec<(String, Vec<String>)> = Vec::new();
        for (part, shape, weight) in plan {
            match open(&part, inputs, conf, progress) {
                Ok(scorer) => parts.push(Part { scorer, shape, standard: Standard::default(), weight }),
                Err(error) if !needs_all && error.is_lack() => {
                    let lack = error.to_string();
                    match without.iter_mut().find(|(other, _)| *other == lack) {
                        Some((_, names)) => names.push(part),
                        None => without.push((lack, vec![part])),
                    }
                }
                Err(error) => return Err(error),
            }
        }
        for (lack, names) in &without {
            progress.note(&format!("{name} goes without {}: {lack}", names.join(", ")));
        }
        if conf.studentise == Studentise::Graph {
            standard::fill(corpus, &mut parts, progress)?;
        }
        Ok(Sum { name: name.to_owned(), corpus, parts, studentise: conf.studentise })
    }

    /// The names of its parts.
    pub fn names(&self) -> Vec<&str> {
        self.parts.iter().map(|part| part.scorer.name()).collect()
    }

    /// The studentised scores of every part, side by side where there are many links.
    fn of_parts(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Vec<Option<f64>>>, CorpusError> {
        let of = |part| self.of_part(part, source, targets);
        match targets.len() < WORTH_THREADS {
            true => self.parts.iter().map(of).collect(),
            false => self.parts.par_iter().map(of).collect(),
        }
    }

    /// The studentised scores of one part.
    fn of_part(
        &self,
        part: &Part<'a>,
        source: PageId,
        targets: &[PageId],
    ) -> Result<Vec<Option<f64>>, CorpusError> {
        match self.studentise {
            Studentise::Graph => Ok(studentised(part.shaped_scores(source, targets)?, part.standard)),
            Studentise::Page => {
                let links = self.corpus.links(source)?;
                let standard = Standard::of(part.shaped_scores(source, links)?.into_iter().flatten());
                Ok(studentised(part.shaped_scores(source, targets)?, standard))
            }
        }
    }
}

/// Whether a scorer is a signal of the blend without labels.
pub fn is_in_blend(name: &str) -> bool {
    SIGNALS.iter().any(|signal| signal.name == name)
}

/// Whether a signal reads the link itself in the source's text.
fn reads_link(name: &str) -> bool {
    Scorer::parse(name).is_ok_and(|(scorer, _)| scorer.reads_link)
}

/// What is done to the scores of a signal.
fn shape_of(name: &str) -> Shape {
    SIGNALS.iter().find(|signal| signal.name == name).map_or(Shape::Plain, |signal| signal.shape)
}

impl Score for Sum<'_> {
    fn name(&self) -> &str {
        &self.name
    }

    /// `None` where no part has a score.
    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, CorpusError> {
        let mut sums: Vec<Option<f64>> = vec![None; targets.len()];
        for (part, scores) in self.parts.iter().zip(self.of_parts(source, targets)?) {
            for (sum, score) in sums.iter_mut().zip(scores) {
                if let Some(score) = score {
                    *sum = Some(sum.unwrap_or(0.0) + part.weight * score);
                }
            }
        }
        Ok(sums)
    }

    fn signals(&self, source: PageId, targets: &[PageId]) -> Result<Vec<NamedScores>, CorpusError> {
        let names = self.parts.iter().map(|part| part.scorer.name().to_owned());
        Ok(names.zip(self.of_parts(source, targets)?).collect())
    }

    fn rests_on(&self) -> String {
        let of = |part: &Part<'_>| {
            format!("{} {} {};", part.weight, kept::rests_on(self.corpus, part), part.scorer.name())
        };
        format!("{} {}", self.studentise, self.parts.iter().map(of).collect::<String>())
    }

    fn model(&self) -> Option<&Model> {
        self.parts.iter().find_map(|part| part.scorer.model())
    }

    /// By the category matrix, if it is a part.
    fn explained(
        &self,
        source: PageId,
        targets: &[PageId],
        _: &[Option<f64>],
    ) -> Result<Vec<Option<bool>>, CorpusError> {
        match self.parts.iter().find(|part| part.scorer.explains()) {
            Some(part) => {
                let scores = part.scorer.score(source, targets)?;
                part.scorer.explained(source, targets, &scores)
            }
            None => Ok(vec![None; targets.len()]),
        }
    }
}
