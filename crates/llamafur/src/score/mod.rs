//! How unexpected a link is: scorers, sums of them, and the blend that is the default.
//!
//! Every scorer gives *unexpectedness*: larger is more surprising. For the category matrix it is −e(s, t),
//! normalised as [`Normalise`] says. Where a scorer has no data (a page without categories) it gives
//! none, and the ranking says so and puts the link last. `graph/` uses the links alone, `text/` what the pages say,
//! `vectors/` vectors of pages; `blend/` sums several.
//!
//! A scorer of your own is an `impl Score`: [`Inputs::scorer`] registers it, and it takes part in sums and blends by its
//! name.

mod blend;
mod by_categories;
mod graph;
mod inputs;
mod llamafur;
mod random;
mod scale;
mod scorers;
mod text;
mod vectors;

pub(crate) use blend::STANDARDS;
pub use blend::{Blend, PREDICTION_SIGNALS, SIGNALS, Signal, Studentise, Sum, is_in_blend, verify_standards};
pub use by_categories::{Carried, CategoryScorer};
pub use graph::SharedNeighbours;
pub use inputs::Inputs;
pub use llamafur::LlamaFur;
pub(crate) use llamafur::expect_cosine;
pub use random::Random;
pub use scale::Scale;
pub(crate) use scorers::check_name_in;
pub use scorers::{SCORERS, ScoreConf, Scorer, Suffix, check_name, inputs_of, open};
pub use text::Cosine;
use vectors::VectorCosine;

pub use crate::matrix::Normalise;

use crate::Error;
use crate::corpus::Corpus;
use crate::graph::PageId;
use crate::learn::Model;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Says how unexpected links are.
pub trait Score: Send + Sync {
    /// Its name, by which it is asked for.
    fn name(&self) -> &str;

    /// The unexpectedness of the links from a page to each of `targets`, in their order; `None` where there is no
    /// data.
    ///
    /// # Errors
    /// If a file is damaged. The same holds for all that follow.
    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error>;

    /// What its scores depend on besides the corpus: a model, words, settings. Two scorers of the same name with the same
    /// answer give the same scores.
    fn rests_on(&self) -> String {
        String::new()
    }

    /// Whether a negative unexpectedness means that the link is *explained*.
    fn explains(&self) -> bool {
        false
    }

    /// The scorers that it is the sum of; none unless it is a sum.
    fn parts(&self) -> Vec<&dyn Score> {
        Vec::new()
    }

    /// Its scores with those of its parts, each computed once.
    fn details(&self, source: PageId, targets: &[PageId]) -> Result<Details, Error> {
        let scores = self.score(source, targets)?;
        let explained = |score: &Option<f64>| score.filter(|_| self.explains()).map(|score| score < 0.0);
        Ok(Details {
            explained: scores.iter().map(explained).collect(),
            signals: vec![SignalScores { weight: 1.0, scores: scores.clone() }],
            scores,
        })
    }

    /// In words, what it has to say for one side; `None` where the link gives it no reason to speak for that side.
    fn reason(&self, _source: PageId, _target: PageId, _side: Side) -> Result<Option<Reason>, Error> {
        Ok(None)
    }

    /// Whether its parts' scores are in standard deviations from their means.
    fn is_standardised(&self) -> bool {
        false
    }

    /// The model that it or one of its parts uses.
    fn model(&self) -> Option<&Arc<Model>> {
        None
    }

    /// The signals that the corpus lacks something for, with what is lacking.
    fn left_out(&self) -> &[LeftOut] {
        &[]
    }
}

/// The scores of some links, and those of the parts that they are the sum of.
#[derive(Debug, Clone, PartialEq)]
pub struct Details {
    /// Of each link.
    pub scores: Vec<Option<f64>>,
    /// Whether the category matrix explains each link; `None` where that cannot be said.
    pub explained: Vec<Option<bool>>,
    /// Of each of [`signals_of`] the scorer.
    pub signals: Vec<SignalScores>,
}

/// The scores of a part.
#[derive(Debug, Clone, PartialEq)]
pub struct SignalScores {
    /// What they are multiplied by in the sum.
    pub weight: f64,
    /// Of each link.
    pub scores: Vec<Option<f64>>,
}

/// The scorers whose scores a scorer's are made of: its parts, or itself if it has none.
pub fn signals_of(scorer: &dyn Score) -> Vec<&dyn Score> {
    let parts = scorer.parts();
    if parts.is_empty() { vec![scorer] } else { parts }
}

/// The title of a page as a reason has it. One that is longer than those of wikis is cut: a page may have many links.
fn title_in_reason(corpus: &Corpus, page: PageId) -> Result<&str, Error> {
    let title = corpus.title(page)?;
    Ok(&title[..title.floor_char_boundary(LONGEST_TITLE)])
}

/// The most bytes of a title in a reason.
const LONGEST_TITLE: usize = 255;

/// What a reason speaks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The link is odd.
    Odd,
    /// The link is expected.
    Expected,
}

/// Why a signal finds a link odd or expected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Reason {
    /// The signal.
    pub signal: String,
    /// A clause in words.
    pub text: String,
    /// The category pair behind it, where the signal is a category matrix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<CategoryPair>,
}

impl Reason {
    /// A reason without a category pair.
    pub fn new(signal: &str, text: impl Into<String>) -> Reason {
        Reason { signal: signal.to_owned(), text: text.into(), pair: None }
    }
}

/// A pair of categories and its weight in the matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CategoryPair {
    /// A category of the source.
    pub source: String,
    /// A category of the target.
    pub target: String,
    /// w(source, target).
    pub weight: f64,
}

/// A signal that is not part of a blend, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LeftOut {
    /// Its name.
    pub name: String,
    /// What the corpus lacks.
    pub reason: String,
}

/// The sum of what there is; `None` where neither is.
fn added(sum: Option<f64>, score: Option<f64>) -> Option<f64> {
    match (sum, score) {
        (Some(sum), Some(score)) => Some(sum + score),
        _ => sum.or(score),
    }
}

/// The places of scores in a ranking, the largest first; ties in their order, what has no score last.
pub(crate) fn order(scores: &[Option<f64>]) -> Vec<usize> {
    // Infinity below all numbers is where no score goes.
    let key = |at: usize| scores[at].unwrap_or(f64::NEG_INFINITY);
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| key(b).total_cmp(&key(a)));
    order
}
