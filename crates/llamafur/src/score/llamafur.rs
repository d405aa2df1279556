//! The scorer of the paper: minus the sum of the category matrix over the pairs of the two pages' categories.
//!
//! unexpectedness(s, t) = −Σ_{c ∈ C_s} Σ_{c' ∈ C_t} w(c, c') / d, with the divisor d of [`Normalise`]: Boldi &
//! Monti, “LlamaFur”, WebSci 2016, section 5. With the naive matrix it is the paper's Naive-LlamaFur.
//!
//! A model may have matrices over the pages' words beside the one over their categories. Then the score is the sum of theirs,
//! of each
//!
//! −L·e(s, t)/(nm),
//!
//! with n and m the numbers of categories or words of the two pages, and L how many a page has on average: the mean weight of a
//! pair, on the scale on which the learner took it for the logarithm of the odds of a link. The scorers `categories`, `words`
//! and `lead` are the parts of that sum.

use super::scorers::Opened;
use super::{CategoryPair, Inputs, Normalise, Reason, Score, ScoreConf, Scorer, Side, Suffix, added};
use crate::Error;
use crate::categories::Feature;
use crate::graph::{MilestoneId, PageId};
use crate::learn::features::no_matrix_over;
use crate::learn::{Method, Model};
use std::sync::Arc;

pub(super) const LLAMAFUR: Scorer = Scorer {
    name: "llamafur",
    about: "all matrices of a model: over categories and words",
    inputs: "graph, categories, text",
    cites: "Boldi & Monti 2016",
    model: Some("llamafur"),
    suffix: Suffix::Model,
    reads_link: false,
    open: |inputs, conf, _| open(inputs, conf, LLAMAFUR, None),
};

pub(super) const CATEGORIES: Scorer = Scorer {
    name: "categories",
    about: "the category matrix of a model",
    inputs: "graph, categories",
    open: |inputs, conf, _| open(inputs, conf, LLAMAFUR, Some(Feature::Categories)),
    ..LLAMAFUR
};

pub(super) const WORDS: Scorer = Scorer {
    name: "words",
    about: "the matrix of a model over the most telling words of the pages",
    inputs: "graph, text",
    open: |inputs, conf, _| open(inputs, conf, LLAMAFUR, Some(Feature::Words)),
    ..LLAMAFUR
};

pub(super) const LEAD: Scorer = Scorer {
    name: "lead",
    about: "the matrix of a model over the most telling words of the pages' first 200",
    inputs: "graph, text",
    open: |inputs, conf, _| open(inputs, conf, LLAMAFUR, Some(Feature::Lead)),
    ..LLAMAFUR
};

pub(super) const NAIVE: Scorer = Scorer {
    name: "naive",
    about: "link frequencies between categories; needs a model by the naive method",
    inputs: "graph, categories",
    model: Some("naive"),
    open: |inputs, conf, _| open(inputs, conf, NAIVE, None),
    ..LLAMAFUR
};

fn open(inputs: &Inputs, conf: &ScoreConf, scorer: Scorer, feature: Option<Feature>) -> Opened {
    let model = inputs.model(conf.model.as_deref().or(scorer.model).unwrap_or_default())?;
    let scorer = LlamaFur::new(model, conf.normalise)?;
    Ok(Arc::new(match feature {
        None => scorer,
        Some(feature) => scorer.over(feature)?,
    }))
}

/// Links ahead of the one scored whose weights are asked for.
const AHEAD: usize = 8;

/// Scores links by the matrices of a model.
#[derive(Debug)]
pub struct LlamaFur {
    name: String,
    model: Arc<Model>,
    normalise: Normalise,
    /// The matrix that counts; without it, all do.
    feature: Option<Feature>,
}

impl LlamaFur {
    /// A scorer for the links of a corpus by a model of it.
    ///
    /// # Errors
    /// If the cosine is asked of a dense matrix.
    pub fn new(model: Arc<Model>, normalise: Normalise) -> Result<LlamaFur, Error> {
        let method = model.settings().method;
        if normalise == Normalise::Cosine && method.is_dense() {
            return Err(Error::NoCosine { model: model.name().into(), method: method.name() });
        }
        let scorer = if method == Method::Naive { NAIVE } else { LLAMAFUR };
        Ok(LlamaFur { name: full_name(scorer.name, &model), model, normalise, feature: None })
    }

    /// The same by one of the matrices alone.
    ///
    /// # Errors
    /// If the model has none over that.
    pub fn over(self, feature: Feature) -> Result<LlamaFur, Error> {
        if !self.model.matrices().any(|matrix| matrix.settings().feature == feature) {
            return Err(no_matrix_over(self.model.categories().corpus(), feature));
        }
        Ok(LlamaFur { name: full_name(feature.name(), &self.model), feature: Some(feature), ..self })
    }

    /// The matrices that count.
    fn matrices(&self) -> impl Iterator<Item = &Model> {
        let counts = |matrix: &&Model| self.feature.is_none_or(|one| matrix.settings().feature == one);
        self.model.matrices().filter(counts)
    }

    /// The pair of one matrix that says most for a side: the lightest of those that make a link odd, the heaviest of those
    /// that explain it.
    fn pair(
        &self,
        model: &Model,
        (source, target): (PageId, PageId),
        side: Side,
    ) -> Result<Option<CategoryPair>, Error> {
        let categories = model.categories();
        let (sources, targets) = (categories.of(source)?, categories.of(target)?);
        let weighted = model.matrix_rows(sources)?.weights(targets);
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
        let name = |category| Ok::<_, Error>(categories.name(category)?.to_owned());
        Ok(Some(CategoryPair { source: name(from)?, target: name(to)?, weight }))
    }

    /// The scores of one matrix.
    fn scores_of(
        &self,
        model: &Model,
        source: PageId,
        targets: &[PageId],
    ) -> Result<Vec<Option<f64>>, Error> {
        let categories = model.categories();
        let sources = categories.of(source)?;
        let (rows, scale) = (model.matrix_rows(sources)?, model.scale(self.normalise));
        // The lists first, then the weights ahead of their use: so that reads far apart do not wait for each other.
        let lists = targets.iter().map(|&target| categories.of(target)).collect::<Result<Vec<_>, _>>()?;
        let score = |(at, targets): (usize, &&[MilestoneId])| {
            if let Some(later) = lists.get(at + AHEAD) {
                rows.prefetch(later);
            }
            // Subtracted from zero rather than negated: an expectedness of 0 must not become −0.
            self.normalise.expectedness(rows, targets).map(|e| 0.0 - e * scale)
        };
        Ok(lists.iter().enumerate().map(score).collect())
    }
}

/// The name of a scorer with that of its model, where that is not the usual one.
fn full_name(scorer: &str, model: &Model) -> String {
    match model.name() {
        usual if usual == Model::default_name(model.settings().method) => scorer.to_owned(),
        other => format!("{scorer}:{other}"),
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
        let mut sums: Vec<Option<f64>> = vec![None; targets.len()];
        for model in self.matrices() {
            for (sum, score) in sums.iter_mut().zip(self.scores_of(model, source, targets)?) {
                *sum = added(*sum, score);
            }
        }
        Ok(sums)
    }

    fn explains(&self) -> bool {
        self.model.settings().method.explains()
    }

    fn reason(&self, source: PageId, target: PageId, side: Side) -> Result<Option<Reason>, Error> {
        let mut strongest: Option<(f64, Reason)> = None;
        for model in self.matrices() {
            let Some(pair) = self.pair(model, (source, target), side)? else { continue };
            let share = self.scores_of(model, source, &[target])?[0].unwrap_or(0.0);
            let strength = if side == Side::Odd { share } else { -share };
            if strongest.as_ref().is_none_or(|(most, _)| strength > *most) {
                strongest = Some((strength, self.reason_by(model, pair, side)));
            }
        }
        Ok(strongest.map(|(_, reason)| reason))
    }
}

impl LlamaFur {
    fn reason_by(&self, model: &Model, pair: CategoryPair, side: Side) -> Reason {
        let how = if side == Side::Odd { "seldom" } else { "often" };
        let text = match model.categories().feature() {
            Feature::Categories => format!("pages in {} {how} link to pages in {}", pair.source, pair.target),
            _ => format!("pages with the word “{}” {how} link to pages with “{}”", pair.source, pair.target),
        };
        Reason { pair: Some(pair), ..Reason::new(&self.name, text) }
    }
}
