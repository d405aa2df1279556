//! The scorer of the paper: minus the sum of the category matrix over the pairs of the two pages' categories.
//!
//! unexpectedness(s, t) = −Σ_{c ∈ C_s} Σ_{c' ∈ C_t} w(c, c') / d, with the divisor d of [`Normalise`]: Boldi &
//! Monti, “LlamaFur”, WebSci 2016, section 5. With the naive matrix it is the paper's Naive-LlamaFur.

use super::{Normalise, Score};
use crate::categories::Categories;
use crate::corpus::{CategoryId, Corpus, CorpusError, PageId};
use crate::learn::Method;
use crate::matrix::Model;

/// Links ahead of the one scored whose weights are asked for.
const AHEAD: usize = 8;

/// The cosine was asked of a matrix that has none.
#[derive(Debug, thiserror::Error)]
#[error(
    "the cosine needs a factored matrix, and model “{model}” was learnt by {method}: take --normalise sum, mean or sqrt"
)]
pub struct NoCosine {
    model: String,
    method: Method,
}

/// Scores links by a category matrix.
pub struct LlamaFur<'a> {
    categories: Categories<'a>,
    model: &'a Model,
    normalise: Normalise,
}

impl<'a> LlamaFur<'a> {
    /// A scorer for the links of a corpus by a model of it.
    ///
    /// # Errors
    /// If the cosine is asked of a dense matrix.
    pub fn new(corpus: &'a Corpus, model: &'a Model, normalise: Normalise) -> Result<Self, NoCosine> {
        let method = model.settings().method;
        if normalise == Normalise::Cosine && method.is_dense() {
            return Err(NoCosine { model: model.name().into(), method });
        }
        Ok(LlamaFur { categories: model.categories(corpus), model, normalise })
    }
}

impl Score for LlamaFur<'_> {
    fn name(&self) -> &str {
        if self.model.settings().method == Method::Naive { "naive" } else { "llamafur" }
    }

    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, CorpusError> {
        let sources = self.categories.of(source)?;
        let matrix = self.model.matrix_rows(sources)?;
        // The lists first, then the weights ahead of their use: so that reads far apart do not wait for each other.
        let lists =
            targets.iter().map(|&target| self.categories.of(target)).collect::<Result<Vec<_>, _>>()?;
        let score = |(at, targets): (usize, &&[CategoryId])| {
            if let Some(later) = lists.get(at + AHEAD) {
                matrix.prefetch(sources, later);
            }
            // Subtracted from zero rather than negated: an expectedness of 0 must not become −0.
            self.normalise.expectedness(matrix, sources, targets).map(|e| 0.0 - e)
        };
        Ok(lists.iter().enumerate().map(score).collect())
    }

    fn explains(&self) -> bool {
        self.model.settings().method.explains()
    }
}
