//! Scorers that use [vectors of pages](crate::vectors): those of the model, or, by name, vectors from elsewhere.

mod company;
mod cosine;
mod peers;

pub(super) use company::COMPANY;
pub(super) use cosine::VectorCosine;
pub(super) use peers::PEERS;

use super::{Inputs, ScoreConf};
use crate::Error;
use crate::progress::Progress;
use crate::statistics::mean;
use crate::vectors::{UnitVectors, cosine_of, has_data};
use std::sync::Arc;

/// Number of pages that one is compared with, and of the nearest that count.
const MOST: usize = 512;
const NEAREST: usize = 5;

/// Number of comparisons from which on the links of one page are shared among threads.
const WORTH_THREADS: usize = 1 << 17;

/// Returns the vectors named in the settings, or those of the model.
fn vectors_of(
    inputs: &Inputs,
    conf: &ScoreConf,
    progress: &mut dyn Progress,
) -> Result<Arc<UnitVectors>, Error> {
    match &conf.vectors {
        Some(name) => inputs.brought_vectors(name),
        None => {
            let model = conf.model.as_deref().or(COMPANY.model).unwrap_or_default();
            inputs.model_vectors(model, progress)
        }
    }
}

/// Returns the name of a scorer with that of its vectors.
fn full_name(scorer: &str, conf: &ScoreConf) -> String {
    conf.vectors.as_ref().map_or(scorer.to_owned(), |vectors| format!("{scorer}:{vectors}"))
}

/// The products of a vector with those nearest to it, ascending.
struct Nearest([i32; NEAREST]);

/// Marks a missing product: those of vectors of length 1 are far above.
const NONE: i32 = i32::MIN;

impl Nearest {
    fn new() -> Nearest {
        Nearest([NONE; NEAREST])
    }

    /// Adds a vector; one of a page without data is ignored.
    #[inline(always)]
    fn add(&mut self, product: i32, vector: &[i16]) {
        if self.is_near(product) && (product != 0 || has_data(vector)) {
            self.insert(product);
        }
    }

    /// Returns whether a product is among the largest so far.
    #[inline(always)]
    fn is_near(&self, product: i32) -> bool {
        product > self.0[0]
    }

    /// Adds a product that [`Nearest::is_near`], of a vector with data.
    #[inline(always)]
    fn insert(&mut self, product: i32) {
        self.0[0] = product;
        for at in 1..NEAREST {
            if self.0[at - 1] <= self.0[at] {
                break;
            }
            self.0.swap(at - 1, at);
        }
    }

    /// Returns minus the mean of their cosines; `None` where there are none.
    fn unexpectedness(self) -> Option<f64> {
        let found: Vec<f64> = self.0.into_iter().filter(|&product| product != NONE).map(f64::from).collect();
        (!found.is_empty()).then(|| 0.0 - cosine_of(mean(&found)))
    }
}
