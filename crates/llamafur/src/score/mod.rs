//! Unexpectedness of links: scorers, sums of them, and the blend that is the default.
//!
//! Every scorer gives *unexpectedness*: larger is more surprising. For the category matrix it is −e(s, t), normalised
//! by [`Normalise`]. Where a scorer has no data (a page without categories) it gives none, and the ranking says so and
//! puts the link last. `graph/` uses the links alone, `text/` the contents of the pages, `vectors/` vectors of pages;
//! `blend/` sums several.
//!
//! A custom scorer is an `impl Score`: [`Inputs::scorer`] registers it, and it takes part in sums and blends by its
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

/// A scorer of links by their unexpectedness.
pub trait Score: Send + Sync {
    /// Returns the name that selects the scorer.
    fn name(&self) -> &str;

    /// Returns the unexpectedness of the links from a page to each of `targets`, in their order; `None` where there is
    /// no data.
    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error>;

    /// Describes what its scores depend on besides the corpus: a model, words, settings. Two scorers of the same name
    /// and the same description give the same scores.
    fn rests_on(&self) -> String {
        String::new()
    }

    /// Returns whether a negative unexpectedness means that the link is *explained*.
    fn explains(&self) -> bool {
        false
    }

    /// Returns the scorers that it is the sum of; none unless it is a sum.
    fn parts(&self) -> Vec<&dyn Score> {
        Vec::new()
    }

    /// Returns its scores with those of its parts, each computed once.
    fn details(&self, source: PageId, targets: &[PageId]) -> Result<Details, Error> {
        let scores = self.score(source, targets)?;
        let explained = |score: &Option<f64>| score.filter(|_| self.explains()).map(|score| score < 0.0);
        Ok(Details {
            explained: scores.iter().map(explained).collect(),
            signals: vec![SignalScores { weight: 1.0, scores: scores.clone() }],
            scores,
        })
    }

    /// Returns its reason for one side in words; `None` where it has none.
    fn reason(&self, _source: PageId, _target: PageId, _side: Side) -> Result<Option<Reason>, Error> {
        Ok(None)
    }

    /// Returns whether its parts' scores are in standard deviations from their means.
    fn is_standardised(&self) -> bool {
        false
    }

    /// Returns the model that it or one of its parts uses.
    fn model(&self) -> Option<&Arc<Model>> {
        None
    }

    /// Returns the signals that the corpus lacks something for, and what is lacking.
    fn left_out(&self) -> &[LeftOut] {
        &[]
    }
}

/// The scores of some links, and those of the parts of the sum.
#[derive(Debug, Clone, PartialEq)]
pub struct Details {
    /// The score of each link.
    pub scores: Vec<Option<f64>>,
    /// True for each link that the category matrix explains; `None` where that is unknown.
    pub explained: Vec<Option<bool>>,
    /// The scores of each of [`signals_of`] the scorer.
    pub signals: Vec<SignalScores>,
}

/// The scores of a part.
#[derive(Debug, Clone, PartialEq)]
pub struct SignalScores {
    /// Weight of the scores in the sum.
    pub weight: f64,
    /// The score of each link.
    pub scores: Vec<Option<f64>>,
}

/// Returns the scorers that a scorer's scores are made of: its parts, or itself if it has none.
pub fn signals_of(scorer: &dyn Score) -> Vec<&dyn Score> {
    let parts = scorer.parts();
    if parts.is_empty() { vec![scorer] } else { parts }
}

/// Returns the title of a page for a reason. One longer than those of wikis is cut: a page may have many links.
fn title_in_reason(corpus: &Corpus, page: PageId) -> Result<&str, Error> {
    let title = corpus.title(page)?;
    Ok(&title[..title.floor_char_boundary(LONGEST_TITLE)])
}

/// Largest number of bytes of a title in a reason.
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
    /// Creates a reason without a category pair.
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

/// Adds the scores that exist; `None` where neither does.
fn added(sum: Option<f64>, score: Option<f64>) -> Option<f64> {
    match (sum, score) {
        (Some(sum), Some(score)) => Some(sum + score),
        _ => sum.or(score),
    }
}

/// Returns the indices of scores in order, the largest first; ties in their order, `None` last.
pub(crate) fn order(scores: &[Option<f64>]) -> Vec<usize> {
    // Infinity below all numbers is where no score goes.
    let key = |at: usize| scores[at].unwrap_or(f64::NEG_INFINITY);
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| key(b).total_cmp(&key(a)));
    order
}
