//! How unexpected a link is: scorers, and the ranking of a page's links.
//!
//! Every scorer gives *unexpectedness*: larger is more surprising. For the category matrix it is −e(s, t),
//! normalised as [`Normalise`] says. Where a scorer has nothing to go by (a page without categories) it gives
//! none, and the ranking says so and puts the link last.

mod graph;
mod inputs;
mod llamafur;
mod normalise;
mod random;
mod scorers;

pub use graph::{AdamicAdar, Neighbours};
pub use inputs::Inputs;
pub use llamafur::{LlamaFur, NoCosine};
pub use normalise::Normalise;
pub use random::Random;
pub use scorers::{SCORERS, ScoreConf, ScoreError, Scorer};

use crate::corpus::{Corpus, CorpusError, PageId};
use crate::matrix::Model;

/// Says how unexpected links are.
pub trait Score: Sync {
    /// Its name, as on the command line.
    fn name(&self) -> &str;

    /// The unexpectedness of the links from a page to each of `targets`, in their order; `None` where there is
    /// nothing to go by.
    ///
    /// # Errors
    /// If a file is damaged.
    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, CorpusError>;

    /// Whether a negative unexpectedness means that the link is *explained*.
    fn explains(&self) -> bool {
        false
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
pub fn rank(corpus: &Corpus, scorer: &dyn Score, page: PageId) -> Result<Vec<RankedLink>, CorpusError> {
    let targets = corpus.links(page)?;
    let scores = scorer.score(page, targets)?;
    let link = |(&target, unexpectedness): (&PageId, Option<f64>)| {
        let explained = unexpectedness.filter(|_| scorer.explains()).map(|score| score < 0.0);
        RankedLink { target, unexpectedness, explained }
    };
    let mut links: Vec<RankedLink> = targets.iter().zip(scores).map(link).collect();
    // Pages are numbered in the order of their titles; infinity below all numbers is where no score goes.
    let key = |link: &RankedLink| link.unexpectedness.unwrap_or(f64::NEG_INFINITY);
    links.sort_by(|a, b| key(b).total_cmp(&key(a)).then(a.target.cmp(&b.target)));
    Ok(links)
}
