//! Scorers that use [vectors of pages](crate::vectors): those of the model, or, by name, such as were brought from elsewhere.

mod company;
mod cosine;
mod peers;

pub(super) use company::COMPANY;
pub use company::Company;
pub use cosine::VectorCosine;
pub(super) use peers::PEERS;
pub use peers::Peers;

use super::{Inputs, ScoreConf};
use crate::Error;
use crate::progress::Progress;
use crate::statistics::mean;
use crate::vectors::PageVectors;
use std::sync::Arc;

/// Pages that one is compared with, and those of them that count.
const MOST: usize = 512;
const NEAREST: usize = 5;

/// Comparisons from which on the links of one page are shared among threads.
const WORTH_THREADS: usize = 1 << 17;

/// The vectors that are named, or those of the model.
fn vectors_of(
    inputs: &Inputs,
    conf: &ScoreConf,
    progress: &mut dyn Progress,
) -> Result<Arc<PageVectors>, Error> {
    match &conf.vectors {
        Some(name) => inputs.brought_vectors(name),
        None => {
            let model = conf.model.as_deref().or(COMPANY.model).unwrap_or_default();
            inputs.model_vectors(model, progress)
        }
    }
}

/// The name of a scorer with that of its vectors.
fn full_name(scorer: &str, conf: &ScoreConf) -> String {
    conf.vectors.as_ref().map_or(scorer.to_owned(), |vectors| format!("{scorer}:{vectors}"))
}

/// The cosines of those nearest to a page.
struct Nearest([f64; NEAREST]);

impl Nearest {
    fn new() -> Nearest {
        Nearest([f64::NEG_INFINITY; NEAREST])
    }

    #[inline(always)]
    fn add(&mut self, cosine: f64) {
        // The least near of them is the first.
        if cosine > self.0[0] {
            self.0[0] = cosine;
            self.0.sort_unstable_by(f64::total_cmp);
        }
    }

    /// Minus their mean; `None` where there are none.
    fn unexpectedness(self) -> Option<f64> {
        let found: Vec<f64> = self.0.into_iter().filter(|cosine| cosine.is_finite()).collect();
        (!found.is_empty()).then(|| 0.0 - mean(&found))
    }
}
