//! Why a link is expected or not: the category pairs behind its score, and what they rest on.

mod between;
mod category_pages;
mod evidence;
mod neighbours;
mod paragraph;
#[cfg(test)]
mod tests;

pub(crate) use between::LinksBetween;
pub(crate) use category_pages::CategoryPages;
pub(crate) use evidence::evidence;
pub(crate) use neighbours::neighbourhood;
pub use paragraph::first_paragraph;

use crate::Error;
use crate::graph::{MilestoneId, PageId};
use crate::learn::Model;
use crate::matrix::CheckedRows;
use crate::score::Normalise;

/// A pair of categories and its weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WeightedPair {
    /// A category of the source.
    pub(crate) source: MilestoneId,
    /// A category of the target.
    pub(crate) target: MilestoneId,
    /// w(source, target).
    pub(crate) weight: f64,
}

/// The parts of a link's score.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Explanation {
    /// The pairs, those that say most first: the lightest of an unexplained link, the heaviest of another. Their
    /// weights add up exactly to the expectedness.
    pub(crate) pairs: Vec<WeightedPair>,
    /// e = Σ w.
    pub(crate) expectedness: f64,
    /// What e is divided by for the score.
    pub(crate) divisor: f64,
    /// −e / divisor; `None` where a side has no categories.
    pub(crate) unexpectedness: Option<f64>,
}

/// The parts of the score of a link, which need not exist in the graph.
///
/// # Errors
/// If a file is damaged.
pub(crate) fn explain(
    model: &Model,
    normalise: Normalise,
    source: PageId,
    target: PageId,
) -> Result<Explanation, Error> {
    let categories = model.categories();
    let (sources, targets) = (categories.of(source)?, categories.of(target)?);
    let rows = model.matrix_rows(sources)?;
    let expectedness = rows.expectedness(targets)?;
    let divisor = normalise.divisor(rows, targets)?.unwrap_or(1.0) / model.scale(normalise);
    let scored = !sources.is_empty() && !targets.is_empty();
    let mut pairs = weighted_pairs(rows, targets)?;
    if expectedness > 0.0 {
        pairs.reverse();
    }
    Ok(Explanation {
        pairs,
        expectedness,
        divisor,
        unexpectedness: scored.then_some(0.0 - expectedness / divisor),
    })
}

/// All pairs of the two sides' categories with their weights, the lowest first.
///
/// # Errors
/// If a file is damaged.
pub(crate) fn weighted_pairs(
    rows: CheckedRows<'_>,
    targets: &[MilestoneId],
) -> Result<Vec<WeightedPair>, Error> {
    let weighted = |(source, target, weight)| WeightedPair { source, target, weight };
    let mut weighted: Vec<WeightedPair> = rows.weights(targets)?.map(weighted).collect();
    // A stable sort: equal weights stay in the order of the categories.
    weighted.sort_by(|a, b| a.weight.total_cmp(&b.weight));
    Ok(weighted)
}

/// A category that would have made a link expected, had the source carried it too.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Counterfactual {
    /// The category.
    pub(crate) category: MilestoneId,
    /// e with it: e + Σ_{c' ∈ C_t} w(category, c').
    pub(crate) expectedness: f64,
}

/// The categories, one of which the source would need to carry for the link to be expected: those that raise
/// e above zero, the strongest first.
///
/// # Errors
/// If a file is damaged.
pub(crate) fn counterfactuals(
    model: &Model,
    source: PageId,
    target: PageId,
) -> Result<Vec<Counterfactual>, Error> {
    let categories = model.categories();
    let (sources, targets) = (categories.of(source)?, categories.of(target)?);
    let matrix = model.matrix()?;
    let expectedness = matrix.expectedness(sources, targets);
    let all = (0..matrix.num_categories() as u32).map(MilestoneId);
    let with = |category| {
        let gain = matrix.expectedness(&[category], targets);
        Counterfactual { category, expectedness: expectedness + gain }
    };
    let others = all.filter(|category| sources.binary_search(category).is_err());
    let mut raising: Vec<Counterfactual> = others.map(with).filter(|with| with.expectedness > 0.0).collect();
    raising.sort_by(|a, b| b.expectedness.total_cmp(&a.expectedness));
    Ok(raising)
}
