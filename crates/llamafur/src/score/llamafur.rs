//! The scorer of the paper: minus the sum of the category matrix over the pairs of the two pages' categories.
//!
//! unexpectedness(s, t) = −Σ_{c ∈ C_s} Σ_{c' ∈ C_t} w(c, c') / d, with the divisor d of [`Normalise`]: Boldi &
//! Monti, “LlamaFur”, WebSci 2016, section 5. With the naive matrix it is the paper's Naive-LlamaFur.

use super::scorers::Opened;
use super::{Normalise, Score, ScoreConf, Scorer};
use crate::Error;
use crate::categories::Categories;
use crate::corpus::Corpus;
use crate::graph::{CategoryId, PageId};
use crate::learn::Method;
use crate::matrix::Model;
use std::borrow::Borrow;

pub(super) const LLAMAFUR: Scorer = Scorer {
    name: "llamafur",
    about: "the category matrix of a model",
    inputs: "graph, categories",
    cites: "Boldi & Monti 2016",
    takes_model: true,
    reads_link: false,
    open: |inputs, conf, _| open(inputs.corpus(), conf, Model::default_name(Method::default())),
};

pub(super) const NAIVE: Scorer = Scorer {
    name: "naive",
    about: "link frequencies between categories; needs `llamafur train --method naive`",
    inputs: "graph, categories",
    cites: "Boldi & Monti 2016",
    takes_model: true,
    reads_link: false,
    open: |inputs, conf, _| open(inputs.corpus(), conf, Model::default_name(Method::Naive)),
};

fn open<'a>(corpus: &'a Corpus, conf: &ScoreConf, default_model: &str) -> Opened<'a> {
    let model = Model::open(corpus, conf.model.as_deref().unwrap_or(default_model))?;
    Ok(Box::new(LlamaFur::new(corpus, model, conf.normalise)?))
}

/// Links ahead of the one scored whose weights are asked for.
const AHEAD: usize = 8;

/// Scores links by a category matrix, of a model that is its own or another's.
pub struct LlamaFur<'a, M = &'a Model> {
    name: String,
    categories: Categories<'a>,
    model: M,
    normalise: Normalise,
}

impl<'a, M: Borrow<Model>> LlamaFur<'a, M> {
    /// A scorer for the links of a corpus by a model of it.
    ///
    /// # Errors
    /// If the cosine is asked of a dense matrix.
    pub fn new(corpus: &'a Corpus, model: M, normalise: Normalise) -> Result<Self, Error> {
        let known: &Model = model.borrow();
        let method = known.settings().method;
        if normalise == Normalise::Cosine && method.is_dense() {
            return Err(Error::NoCosine { model: known.name().into(), method: method.name() });
        }
        let scorer = if method == Method::Naive { NAIVE } else { LLAMAFUR };
        let name = match known.name() {
            usual if usual == Model::default_name(method) => scorer.name.to_owned(),
            other => format!("{scorer}:{other}"),
        };
        Ok(LlamaFur { name, categories: known.categories(corpus), model, normalise })
    }
}

impl<M: Borrow<Model> + Sync> Score for LlamaFur<'_, M> {
    fn name(&self) -> &str {
        &self.name
    }

    fn rests_on(&self) -> String {
        format!("{} {}", self.model.borrow().checksum(), self.normalise)
    }

    fn model(&self) -> Option<&Model> {
        Some(self.model.borrow())
    }

    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        let sources = self.categories.of(source)?;
        let matrix = self.model.borrow().matrix_rows(sources)?;
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
        self.model.borrow().settings().method.explains()
    }
}
