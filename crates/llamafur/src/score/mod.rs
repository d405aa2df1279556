//! How unexpected a link is: scorers, and the ranking of a page's links.
//!
//! Every scorer gives *unexpectedness*: larger is more surprising. For the category matrix it is −e(s, t),
//! normalised as [`Normalise`] says. Where a scorer has nothing to go by (a page without categories) it gives
//! none, and the ranking says so and puts the link last. Those of `text/` go by what the pages say, those of
//! `embedding/` by where pages point when links or words are put in few numbers; `blend/` makes one of several.

mod blend;
mod embedding;
mod graph;
mod inputs;
mod llamafur;
mod normalise;
mod random;
mod scorers;
mod text;

#[doc(hidden)]
pub use crate::error::Error as ScoreError;
#[doc(hidden)]
pub use crate::error::Error as WeightsError;
#[doc(hidden)]
pub use crate::graph::Neighbours;
pub use blend::{SIGNALS, Signal, Studentise, Sum, WeightedSignal, Weights, is_in_blend, verify_standards};
pub use embedding::{Company, EmbeddingCosine};
pub use graph::{AdamicAdar, CommonNeighbours, InDegree, Jaccard, Reciprocity, ResourceAllocation, Shared};
pub use inputs::Inputs;
pub use llamafur::LlamaFur;
pub use normalise::Normalise;
pub use random::Random;
pub use scorers::{SCORERS, ScoreConf, Scorer, check_name, inputs_of, open};
pub use text::{Cosine, LinkPlace, M1, M2, M4, Mentions};

use crate::Error;
use crate::corpus::Corpus;
use crate::graph::PageId;
use crate::matrix::Model;

/// The name of a scorer and its scores.
pub type NamedScores = (String, Vec<Option<f64>>);

/// Says how unexpected links are.
pub trait Score: Sync {
    /// Its name, as on the command line.
    fn name(&self) -> &str;

    /// The unexpectedness of the links from a page to each of `targets`, in their order; `None` where there is
    /// nothing to go by.
    ///
    /// # Errors
    /// If a file is damaged.
    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error>;

    /// What its scores rest on besides the corpus: a model, words, settings. Two scorers of the same name with the same answer
    /// give the same scores.
    fn rests_on(&self) -> String {
        String::new()
    }

    /// Whether a negative unexpectedness means that the link is *explained*.
    fn explains(&self) -> bool {
        false
    }

    /// The scores that it is made of, each with the name of its scorer: itself, unless it is a sum.
    ///
    /// # Errors
    /// If a file is damaged.
    fn signals(&self, source: PageId, targets: &[PageId]) -> Result<Vec<NamedScores>, Error> {
        Ok(vec![(self.name().to_owned(), self.score(source, targets)?)])
    }

    /// Whether links with these scores are explained; `None` where that cannot be said.
    ///
    /// # Errors
    /// If a file is damaged.
    fn explained(
        &self,
        _source: PageId,
        _targets: &[PageId],
        scores: &[Option<f64>],
    ) -> Result<Vec<Option<bool>>, Error> {
        Ok(scores.iter().map(|score| score.filter(|_| self.explains()).map(|score| score < 0.0)).collect())
    }

    /// The model it goes by, whose category pairs are the reason of a score; `None` of a scorer without one.
    fn model(&self) -> Option<&Model> {
        None
    }
}

/// A link in a ranking.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankedLink {
    /// Where it goes.
    pub target: PageId,
    /// How unexpected it is; `None` where there is nothing to go by.
    pub unexpectedness: Option<f64>,
    /// Whether its expectedness is positive; `None` where the scorer cannot say.
    pub explained: Option<bool>,
}

/// The links of a page, the most unexpected first; ties by title, links without a score last.
///
/// # Errors
/// If a file is damaged.
pub fn rank(corpus: &Corpus, scorer: &dyn Score, page: PageId) -> Result<Vec<RankedLink>, Error> {
    let targets = corpus.links(page)?;
    let scores = scorer.score(page, targets)?;
    let explained = scorer.explained(page, targets, &scores)?;
    let link = |((&target, unexpectedness), explained)| RankedLink { target, unexpectedness, explained };
    let mut links: Vec<RankedLink> = targets.iter().zip(scores).zip(explained).map(link).collect();
    // Pages are numbered in the order of their titles; infinity below all numbers is where no score goes.
    let key = |link: &RankedLink| link.unexpectedness.unwrap_or(f64::NEG_INFINITY);
    links.sort_by(|a, b| key(b).total_cmp(&key(a)).then(a.target.cmp(&b.target)));
    Ok(links)
}
