//! The scorer of the paper: minus the sum of the category matrix over the pairs of the two pages' categories.
//!
//! unexpectedness(s, t) = −Σ_{c ∈ C_s} Σ_{c' ∈ C_t} w(c, c') / d, with the divisor d of [`Normalise`]: Boldi &
//! Monti, “LlamaFur”, WebSci 2016, section 5. With the naive matrix it is the paper's Naive-LlamaFur.
//!
//! A model may have matrices over the pages' words beside the one over their categories. Then the score is the sum of
//! theirs, each
//!
//! −L·e(s, t)/(nm),
//!
//! with n and m the numbers of categories or words of the two pages, and L the average number on a page: the mean
//! weight of a pair, on the scale on which the learner took it for the logarithm of the odds of a link. The scorers
//! `categories`, `words` and `lead` are the parts of that sum.
//!
//! For a factored matrix W = U·Vᵀ the sum over the pairs is one product, e(s, t) = nm·⟨P_s, Q_t⟩ with the mean rows
//! P_s = ΣU/n and Q_t = ΣV/m of the two pages. Both are taken in 16 bits, Q_t from the
//! [vectors of the pages](crate::vectors): a score differs from the sum of the weights, which have 32 bits, by at most
//! 2.83·√k·2⁻¹⁶·|P_s|·|Q_t|·nm/d, with k the rank.

use super::scorers::Opened;
use super::{CategoryPair, Inputs, Normalise, Reason, Score, ScoreConf, Scorer, Side, Suffix, added};
use crate::Error;
use crate::categories::Feature;
use crate::graph::{MilestoneId, PageId};
use crate::interrupt;
use crate::learn::features::no_matrix_over;
use crate::learn::{Method, Model};
use crate::progress::Progress;
use crate::vectors::{PageSide, TargetSides, UnitVectors, gives_vectors, mean_row, round};
use std::borrow::Cow;
use std::sync::Arc;

pub(super) const LLAMAFUR: Scorer = Scorer {
    name: "llamafur",
    about: "all matrices of a model: over categories and words",
    inputs: "graph, categories, text",
    cites: "Boldi & Monti 2016",
    model: Some("llamafur"),
    suffix: Suffix::Model,
    reads_link: false,
    open: |inputs, conf, progress| open(inputs, conf, LLAMAFUR, None, progress),
};

pub(super) const CATEGORIES: Scorer = Scorer {
    name: "categories",
    about: "the category matrix of a model",
    inputs: "graph, categories",
    open: |inputs, conf, progress| open(inputs, conf, LLAMAFUR, Some(Feature::Categories), progress),
    ..LLAMAFUR
};

pub(super) const WORDS: Scorer = Scorer {
    name: "words",
    about: "the matrix of a model over the most telling words of the pages",
    inputs: "graph, text",
    open: |inputs, conf, progress| open(inputs, conf, LLAMAFUR, Some(Feature::Words), progress),
    ..LLAMAFUR
};

pub(super) const LEAD: Scorer = Scorer {
    name: "lead",
    about: "the matrix of a model over the most telling words of the pages' first 200",
    inputs: "graph, text",
    open: |inputs, conf, progress| open(inputs, conf, LLAMAFUR, Some(Feature::Lead), progress),
    ..LLAMAFUR
};

pub(super) const NAIVE: Scorer = Scorer {
    name: "naive",
    about: "link frequencies between categories; needs a model by the naive method",
    inputs: "graph, categories",
    model: Some("naive"),
    open: |inputs, conf, progress| open(inputs, conf, NAIVE, None, progress),
    ..LLAMAFUR
};

fn open(
    inputs: &Inputs,
    conf: &ScoreConf,
    scorer: Scorer,
    feature: Option<Feature>,
    progress: &mut dyn Progress,
) -> Opened {
    let name = conf.model.as_deref().or(scorer.model).unwrap_or_default();
    let scorer = LlamaFur::of_inputs(inputs, name, conf.normalise, progress)?;
    Ok(Arc::new(match feature {
        None => scorer,
        Some(feature) => scorer.over(feature)?,
    }))
}

/// Number of links ahead whose weights are prefetched.
const AHEAD: usize = 8;

/// A scorer of links by the matrices of a model.
#[derive(Debug)]
pub struct LlamaFur {
    name: String,
    model: Arc<Model>,
    /// Present for a model whose matrices are factored.
    vectors: Option<Arc<UnitVectors>>,
    normalise: Normalise,
    /// The only matrix to use; `None` for all.
    feature: Option<Feature>,
}

/// Rejects the cosine for a dense matrix.
pub(crate) fn expect_cosine(name: &str, method: Method, normalise: Normalise) -> Result<(), Error> {
    if normalise == Normalise::Cosine && method.is_dense() {
        return Err(Error::NoCosine { model: name.into(), method: method.name() });
    }
    Ok(())
}

impl LlamaFur {
    /// Creates a scorer by a model of a corpus. The vectors that a model of factored matrices gives to the pages are
    /// computed and held in memory; [`open`](super::open) keeps them beside the corpus.
    ///
    /// # Errors
    /// If the cosine is requested of a dense matrix.
    pub fn new(model: Arc<Model>, normalise: Normalise) -> Result<LlamaFur, Error> {
        let vectors = match gives_vectors(&model) {
            true => Some(Arc::new(UnitVectors::of_model(&model)?)),
            false => None,
        };
        LlamaFur::with_vectors(model, normalise, vectors)
    }

    /// Creates a scorer by all matrices of the named model, with the vectors that are kept beside the corpus.
    ///
    /// # Errors
    /// If there is no such model, or the cosine is requested of a dense matrix.
    pub(crate) fn of_inputs(
        inputs: &Inputs,
        model: &str,
        normalise: Normalise,
        progress: &mut dyn Progress,
    ) -> Result<LlamaFur, Error> {
        let opened = inputs.model(model)?;
        let vectors = match gives_vectors(&opened) {
            true => Some(inputs.model_vectors(model, progress)?),
            false => None,
        };
        LlamaFur::with_vectors(opened, normalise, vectors)
    }

    fn with_vectors(
        model: Arc<Model>,
        normalise: Normalise,
        vectors: Option<Arc<UnitVectors>>,
    ) -> Result<LlamaFur, Error> {
        expect_cosine(model.name(), model.settings().method, normalise)?;
        let scorer = if model.settings().method == Method::Naive { NAIVE } else { LLAMAFUR };
        Ok(LlamaFur { name: full_name(scorer.name, &model), model, vectors, normalise, feature: None })
    }

    /// Restricts the scorer to one of the matrices.
    ///
    /// # Errors
    /// If the model has no matrix over the feature.
    pub fn over(self, feature: Feature) -> Result<LlamaFur, Error> {
        if !self.model.matrices().any(|matrix| matrix.settings().feature == feature) {
            return Err(no_matrix_over(self.model.categories().corpus(), feature));
        }
        Ok(LlamaFur { name: full_name(feature.name(), &self.model), feature: Some(feature), ..self })
    }

    /// Restricts the scorer to the last of the matrices, which gives the pages their vectors.
    ///
    /// # Errors
    /// Never, since the model has that matrix.
    pub(crate) fn of_last_matrix(self) -> Result<LlamaFur, Error> {
        match self.model.matrices().last().map(|matrix| matrix.settings().feature) {
            Some(feature) => self.over(feature),
            None => Ok(self),
        }
    }

    /// Returns the matrices in use, with their numbers.
    fn matrices(&self) -> impl Iterator<Item = (usize, &Model)> {
        let counts =
            |matrix: &(usize, &Model)| self.feature.is_none_or(|one| matrix.1.settings().feature == one);
        self.model.matrices().enumerate().filter(counts)
    }

    /// Returns the strongest pair of one matrix for a side: the lightest of those that make a link odd, the heaviest of
    /// those that explain it.
    fn pair(
        &self,
        model: &Model,
        (source, target): (PageId, PageId),
        side: Side,
    ) -> Result<Option<CategoryPair>, Error> {
        let categories = model.categories();
        let (sources, targets) = (categories.of(source)?, categories.of(target)?);
        let weighted = model.matrix_rows(sources)?.weights(targets)?;
        let Some((from, to, weight)) = strongest_pair(weighted, side, self.explains()) else {
            return Ok(None);
        };
        let name = |category| Ok::<_, Error>(categories.name(category)?.to_owned());
        Ok(Some(CategoryPair { source: name(from)?, target: name(to)?, weight }))
    }

    /// Returns the sums of the scores of some matrices.
    fn scores_of<'a>(
        &'a self,
        matrices: impl Iterator<Item = (usize, &'a Model)>,
        source: PageId,
        targets: &[PageId],
    ) -> Result<Vec<Option<f64>>, Error> {
        if let Some(sides) = self.vectors.as_ref().and_then(|vectors| vectors.target_sides()) {
            return self.scores_by_sides(sides, matrices, source, targets);
        }
        let mut sums: Vec<Option<f64>> = vec![None; targets.len()];
        for (_, model) in matrices {
            for (sum, score) in sums.iter_mut().zip(self.scores_by_pairs(model, source, targets)?) {
                *sum = added(*sum, score);
            }
        }
        Ok(sums)
    }

    /// Returns the scores of one matrix, pair by pair.
    fn scores_by_pairs(
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
            interrupt::check()?;
            // Subtracted from zero rather than negated: an expectedness of 0 must not become −0.
            Ok(self.normalise.expectedness(rows, targets)?.map(|e| 0.0 - e * scale))
        };
        lists.iter().enumerate().map(score).collect()
    }

    /// Returns the sums of the scores of factored matrices, by one product of the two pages' sides for each.
    fn scores_by_sides<'a>(
        &'a self,
        sides: TargetSides<'a>,
        matrices: impl Iterator<Item = (usize, &'a Model)>,
        source: PageId,
        targets: &[PageId],
    ) -> Result<Vec<Option<f64>>, Error> {
        let of_source = |(number, model)| SourceSide::new(sides, number, model, source).transpose();
        let of_source = matrices.filter_map(of_source).collect::<Result<Vec<_>, Error>>()?;
        let factors: Vec<f64> = of_source.iter().map(|side| side.model.scale(self.normalise)).collect();
        let numbers: Vec<usize> = of_source.iter().map(|side| side.number).collect();
        let mut scores = Vec::with_capacity(targets.len());
        for (at, &target) in targets.iter().enumerate() {
            interrupt::check()?;
            if let Some(&later) = targets.get(at + AHEAD) {
                sides.prefetch(&numbers, later);
            }
            let mut sum = None;
            for (side, factor) in of_source.iter().zip(&factors) {
                if let Some(of_target) = sides.get(side.number, target)? {
                    let e = side.expectedness(of_target, target, self.normalise)?;
                    // Subtracted from zero rather than negated: an expectedness of 0 must not become −0.
                    sum = added(sum, Some(0.0 - e * factor));
                }
            }
            scores.push(sum);
        }
        Ok(scores)
    }
}

/// Scores as one product of two vectors.
impl LlamaFur {
    /// Returns the length of the vectors x and y, of which e(s, t) = ⟨x, y⟩ is the mean over the pairs: the sum of the
    /// ranks of all matrices. `None` where a matrix is not factored, or sums are normalised in another way.
    pub(crate) fn num_side_numbers(&self) -> Option<usize> {
        self.sides()?;
        Some(self.matrices().map(|(_, model)| model.settings().rank).sum())
    }

    fn sides(&self) -> Option<TargetSides<'_>> {
        let sides = self.vectors.as_ref()?.target_sides()?;
        (self.normalise == Normalise::Mean).then_some(sides)
    }

    /// Writes x of a page: its source sides end to end, each times its matrix's scale; zeros where it has no categories
    /// or words.
    pub(crate) fn source_numbers(&self, page: PageId, numbers: &mut [f64]) -> Result<(), Error> {
        let Some(sides) = self.sides() else { return Ok(()) };
        self.fill(numbers, |number, model, out| {
            if let Some(side) = SourceSide::new(sides, number, model, page)? {
                write_side(out, &side.row, side.scale * model.scale(self.normalise));
            }
            Ok(())
        })
    }

    /// Writes y of a page: its target sides end to end; zeros where it has no categories or words.
    pub(crate) fn target_numbers(&self, page: PageId, numbers: &mut [f64]) -> Result<(), Error> {
        let Some(sides) = self.sides() else { return Ok(()) };
        self.fill(numbers, |number, _, out| {
            if let Some(side) = sides.get(number, page)? {
                write_side(out, side.row, side.scale);
            }
            Ok(())
        })
    }

    fn fill(
        &self,
        numbers: &mut [f64],
        mut side: impl FnMut(usize, &Model, &mut [f64]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        numbers.fill(0.0);
        let mut rest = numbers;
        for (number, model) in self.matrices() {
            let (out, later) = rest.split_at_mut(model.settings().rank);
            side(number, model, out)?;
            rest = later;
        }
        Ok(())
    }
}

fn write_side(out: &mut [f64], row: &[i16], scale: f64) {
    out.iter_mut().zip(row).for_each(|(number, &x)| *number = f64::from(x) * scale);
}

/// Returns the strongest pair for a side: the lightest of those that make a link odd, the heaviest of those that
/// explain it; the first of several. `None` where no pair speaks for it.
pub(super) fn strongest_pair<C>(
    weighted: impl Iterator<Item = (C, C, f64)>,
    side: Side,
    explains: bool,
) -> Option<(C, C, f64)> {
    let strongest = match side {
        Side::Odd => weighted.min_by(|a, b| a.2.total_cmp(&b.2)),
        Side::Expected => weighted.min_by(|a, b| b.2.total_cmp(&a.2)),
    };
    // The sign of a weight means something only where links and non-links were told apart by it.
    let speaks = |weight: f64| match side {
        _ if !explains => true,
        Side::Odd => weight < 0.0,
        Side::Expected => weight > 0.0,
    };
    strongest.filter(|pair| speaks(pair.2))
}

/// A page's mean row as a source, for one matrix.
struct SourceSide<'a> {
    number: usize,
    model: &'a Model,
    page: PageId,
    row: Cow<'a, [i16]>,
    scale: f64,
}

impl<'a> SourceSide<'a> {
    /// Creates the side of a page; `None` where the page has no categories or words.
    fn new(
        sides: TargetSides<'a>,
        number: usize,
        model: &'a Model,
        page: PageId,
    ) -> Result<Option<SourceSide<'a>>, Error> {
        let side = |row, scale| SourceSide { number, model, page, row, scale };
        if number + 1 == sides.num_matrices() {
            return Ok(sides.source_of_last(page)?.map(|of_page| side(of_page.row.into(), of_page.scale)));
        }
        let carried = model.categories().of(page)?;
        let Some(matrix) = model.factored(carried)? else { return Ok(None) };
        if carried.is_empty() {
            return Ok(None);
        }
        let mut row = vec![0; matrix.rank()];
        let [scale] = round([&mean_row(matrix.source(), matrix.rank(), carried)], &mut row);
        Ok(Some(side(row.into(), scale)))
    }

    /// Returns the normalised expectedness of a link to a page with this side: P·Q is the mean weight of the pairs.
    #[inline(always)]
    fn expectedness(
        &self,
        of_target: PageSide<'_>,
        target: PageId,
        normalise: Normalise,
    ) -> Result<f64, Error> {
        let own = PageSide { row: &self.row, scale: self.scale };
        own.expectedness(of_target, normalise, || self.num_pairs(target))
    }

    fn num_pairs(&self, target: PageId) -> Result<f64, Error> {
        let categories = self.model.categories();
        Ok((categories.of(self.page)?.len() * categories.of(target)?.len()) as f64)
    }
}

/// Returns the name of a scorer with that of its model, where that is not the usual one.
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
        self.scores_of(self.matrices(), source, targets)
    }

    fn explains(&self) -> bool {
        self.model.settings().method.explains()
    }

    fn reason(&self, source: PageId, target: PageId, side: Side) -> Result<Option<Reason>, Error> {
        let mut strengths: Vec<(f64, &Model)> = Vec::new();
        for (number, model) in self.matrices() {
            let share =
                self.scores_of(std::iter::once((number, model)), source, &[target])?[0].unwrap_or(0.0);
            strengths.push((if side == Side::Odd { share } else { -share }, model));
        }
        // The strongest that has a pair; of several the first. Going over the pairs of all takes most of a ranking's time.
        strengths.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (_, model) in strengths {
            if let Some(pair) = self.pair(model, (source, target), side)? {
                return Ok(Some(self.reason_by(model, pair, side)));
            }
        }
        Ok(None)
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
