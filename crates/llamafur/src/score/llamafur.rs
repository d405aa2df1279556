//! The scorer of the paper: minus the sum of the category matrix over the pairs of the two pages' categories.
//!
//! unexpectedness(s, t) = −Σ_{c ∈ C_s} Σ_{c' ∈ C_t} w(c, c') / d, with the divisor d of [`Normalise`]: Boldi &
//! Monti, “LlamaFur”, WebSci 2016, section 5. With the naive matrix it is the paper's Naive-LlamaFur.

use super::scorers::Opened;
use super::{CategoryPair, Inputs, Normalise, Reason, Score, ScoreConf, Scorer, Side};
use crate::Error;
use crate::categories::Categories;
use crate::corpus::Corpus;
use crate::graph::{MilestoneId, PageId};
use crate::learn::{Method, Model};
use std::sync::Arc;

pub(super) const LLAMAFUR: Scorer = Scorer {
    name: "llamafur",
    about: "the category matrix of a model",
    inputs: "graph, categories",
    cites: "Boldi & Monti 2016",
    takes_model: true,
    reads_link: false,
    open: |inputs, conf, _| open(inputs, conf, Model::default_name(Method::default())),
};

pub(super) const NAIVE: Scorer = Scorer {
    name: "naive",
    about: "link frequencies between categories; needs a model by the naive method",
    inputs: "graph, categories",
    cites: "Boldi & Monti 2016",
    takes_model: true,
    reads_link: false,
    open: |inputs, conf, _| open(inputs, conf, Model::default_name(Method::Naive)),
};

fn open(inputs: &Inputs, conf: &ScoreConf, default_model: &str) -> Opened {
    let model = inputs.model(conf.model.as_deref().unwrap_or(default_model))?;
    Ok(Arc::new(LlamaFur::new(inputs.corpus(), model, conf.normalise)?))
}

/// Links ahead of the one scored whose weights are asked for.
const AHEAD: usize = 8;

/// Scores links by a category matrix.
#[derive(Debug)]
pub struct LlamaFur {
    name: String,
    categories: Categories,
    model: Arc<Model>,
    normalise: Normalise,
}

impl LlamaFur {
    /// A scorer for the links of a corpus by a model of it.
    ///
    /// # Errors
    /// If the cosine is asked of a dense matrix.
    pub fn new(corpus: &Corpus, model: Arc<Model>, normalise: Normalise) -> Result<LlamaFur, Error> {
        let method = model.settings().method;
        if normalise == Normalise::Cosine && method.is_dense() {
            return Err(Error::NoCosine { model: model.name().into(), method: method.name() });
        }
        let scorer = if method == Method::Naive { NAIVE } else { LLAMAFUR };
        let name = match model.name() {
            usual if usual == Model::default_name(method) => scorer.name.to_owned(),
            other => format!("{scorer}:{other}"),
        };
        Ok(LlamaFur { name, categories: model.categories(corpus), model, normalise })
    }

    /// The pair that says most for a side: the lightest of those that make a link odd, the heaviest of those that explain it.
    fn pair(&self, source: PageId, target: PageId, side: Side) -> Result<Option<CategoryPair>, Error> {
        let (sources, targets) = (self.categories.of(source)?, self.categories.of(target)?);
        let weighted = self.model.matrix_rows(sources)?.weights(targets);
        let strongest = match side {
            // The first of several.
            Side::Odd => weighted.min_by(|a, b| a.2.total_cmp(&b.2)),
            Side::Expected => weighted.min_by(|a, b| b.2.total_cmp(&a.2)),
        };
        // The sign of a weight means something only where links and non-links were told apart by it.
        let speaks = |weight: f64| match side {
            _ if !self.explains() => true,
            Side::Odd => weight < 0.0,
            Side::Expected => weight > 0.0,
        };
        let Some((from, to, weight)) = strongest.filter(|pair| speaks(pair.2)) else { return Ok(None) };
        let name = |category| Ok::<_, Error>(self.categories.name(category)?.to_owned());
        Ok(Some(CategoryPair { source: name(from)?, target: name(to)?, weight }))
    }
}

impl Score for LlamaFur {
    fn name(&self) -> &str {
        &self.name
    }

    fn rests_on(&self) -> String {
        format!("{} {}", self.model.checksum(), self.normalise)
    }

    fn model(&self) -> Option<&Arc<Model>> {
        Some(&self.model)
    }

    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        let sources = self.categories.of(source)?;
        let rows = self.model.matrix_rows(sources)?;
        // The lists first, then the weights ahead of their use: so that reads far apart do not wait for each other.
        let lists =
            targets.iter().map(|&target| self.categories.of(target)).collect::<Result<Vec<_>, _>>()?;
        let score = |(at, targets): (usize, &&[MilestoneId])| {
            if let Some(later) = lists.get(at + AHEAD) {
                rows.prefetch(later);
            }
            // Subtracted from zero rather than negated: an expectedness of 0 must not become −0.
            self.normalise.expectedness(rows, targets).map(|e| 0.0 - e)
        };
        Ok(lists.iter().enumerate().map(score).collect())
    }

    fn explains(&self) -> bool {
        self.model.settings().method.explains()
    }

    fn reason(&self, source: PageId, target: PageId, side: Side) -> Result<Option<Reason>, Error> {
        let Some(pair) = self.pair(source, target, side)? else { return Ok(None) };
        let how = if side == Side::Odd { "seldom" } else { "often" };
        let text = format!("pages in {} {how} link to pages in {}", pair.source, pair.target);
        Ok(Some(Reason { pair: Some(pair), ..Reason::new(&self.name, text) }))
    }
}
