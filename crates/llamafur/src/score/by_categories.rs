//! The scorer `llamafur` for pages that are in no corpus, by the categories of the two pages.
//!
//! unexpectedness(s, t) = −Σ_{c ∈ C_s} Σ_{c' ∈ C_t} w(c, c') / d, as [`LlamaFur`](super::LlamaFur) gives it for the
//! same categories, to the last bit: a dense matrix is summed pair by pair; for a factored one, the two pages' sides
//! are taken in 16 bits and multiplied.

use super::Side;
use super::llamafur::{expect_cosine, strongest_pair};
use crate::Error;
use crate::graph::MilestoneId;
use crate::learn::PortableModel;
use crate::matrix::{Matrix, Normalise};
use crate::vectors::{PageSide, both_sides, mean_row, round, target_side};
use std::sync::Arc;

/// A scorer of links by the categories of their pages.
///
/// ```
/// use llamafur::graph::MilestoneId;
/// use llamafur::learn::{LearnConf, Method, PortableModel, naive_of_counts};
/// use llamafur::score::{CategoryScorer, Normalise};
///
/// let matrix = naive_of_counts(&[2, 1], &[(0, 1, 2)])?;
/// let conf = LearnConf::default().method(Method::Naive);
/// let model = PortableModel::new(matrix, ["Fish", "Planets"], &conf, Default::default(), None)?;
/// let scorer = CategoryScorer::new(model.into(), Normalise::Mean)?;
/// let [fish, planets] = [[MilestoneId(0)], [MilestoneId(1)]];
/// let (fish, planets) = (scorer.carried(&fish)?, scorer.carried(&planets)?);
/// assert!(scorer.score(&planets, &fish)? > scorer.score(&fish, &planets)?);
/// # Ok::<(), llamafur::Error>(())
/// ```
#[derive(Debug)]
pub struct CategoryScorer {
    model: Arc<PortableModel>,
    normalise: Normalise,
}

/// The categories of a page, ready to be scored on either side of a link.
#[derive(Debug)]
pub struct Carried<'a> {
    categories: &'a [MilestoneId],
    /// For a factored matrix: both sides end to end, and their scales.
    sides: Option<(Vec<i16>, [f64; 2])>,
}

impl CategoryScorer {
    /// Creates a scorer by a model.
    ///
    /// # Errors
    /// If the cosine is requested of a dense matrix, or the file is damaged, all of which is checked.
    pub fn new(model: Arc<PortableModel>, normalise: Normalise) -> Result<CategoryScorer, Error> {
        expect_cosine("the model", model.settings().method, normalise)?;
        model.matrix()?;
        Ok(CategoryScorer { model, normalise })
    }

    /// Returns the model.
    pub fn model(&self) -> &PortableModel {
        &self.model
    }

    /// Prepares a page with these categories, which ascend.
    ///
    /// # Errors
    /// If one of them is not in the model.
    pub fn carried<'a>(&self, categories: &'a [MilestoneId]) -> Result<Carried<'a>, Error> {
        if let Some(last) = categories.last().filter(|last| last.index() >= self.model.num_categories()) {
            let rule = format!("categories must be below {}, got {last}", self.model.num_categories());
            return Err(Error::Invalid { what: "a page", rule });
        }
        let sides = match self.model.checked_matrix() {
            Matrix::Factored(matrix) if !categories.is_empty() => {
                let mut rows = vec![0; 2 * matrix.rank()];
                // Where the model has matrices beside this one, each side is rounded by itself.
                let scales = if self.model.settings().mean_length.is_some() {
                    let (source, target) = rows.split_at_mut(matrix.rank());
                    let [of_source] = round([&mean_row(matrix.source(), matrix.rank(), categories)], source);
                    [of_source, f64::from(target_side(matrix, categories, target))]
                } else {
                    both_sides(matrix, categories, &mut rows).map(f64::from)
                };
                Some((rows, scales))
            }
            _ => None,
        };
        Ok(Carried { categories, sides })
    }

    /// Returns the unexpectedness of a link; `None` where a page has no category.
    pub fn score(&self, source: &Carried<'_>, target: &Carried<'_>) -> Result<Option<f64>, Error> {
        if source.categories.is_empty() || target.categories.is_empty() {
            return Ok(None);
        }
        let e = match (&source.sides, &target.sides) {
            (Some((of_source, source_scales)), Some((of_target, target_scales))) => {
                let rank = of_source.len() / 2;
                let own = PageSide { row: &of_source[..rank], scale: source_scales[0] };
                let other = PageSide { row: &of_target[rank..], scale: target_scales[1] };
                let num_pairs = || Ok((source.categories.len() * target.categories.len()) as f64);
                Some(own.expectedness(other, self.normalise, num_pairs)?)
            }
            _ => {
                let rows = self.model.checked_matrix().matrix().rows(source.categories);
                self.normalise.expectedness(rows, target.categories)?
            }
        };
        // Subtracted from zero rather than negated: an expectedness of 0 must not become −0.
        Ok(e.map(|e| 0.0 - e * self.model.settings().scale(self.normalise)))
    }

    /// Returns the strongest pair of categories for a side, with its weight; `None` where none speaks for it.
    pub fn strongest(
        &self,
        source: &Carried<'_>,
        target: &Carried<'_>,
        side: Side,
    ) -> Result<Option<(MilestoneId, MilestoneId, f64)>, Error> {
        let rows = self.model.checked_matrix().matrix().rows(source.categories);
        Ok(strongest_pair(rows.weights(target.categories)?, side, self.model.settings().method.explains()))
    }
}
