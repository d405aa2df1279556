//! Explanation of a link's score: the category pairs behind it, and the links behind these.

mod between;
mod category_pages;
mod evidence;
mod kinds;
mod neighbours;
mod paragraph;
#[cfg(test)]
mod tests;

pub(crate) use between::LinksBetween;
pub(crate) use category_pages::CategoryPages;
pub(crate) use evidence::evidence;
pub use kinds::is_housekeeping;
pub(crate) use kinds::{KindLinks, PageKinds};
pub(crate) use neighbours::neighbourhood;
pub use paragraph::first_paragraph;

use crate::Error;
use crate::graph::{MilestoneId, PageId};
use crate::interrupt;
use crate::learn::Model;
use crate::score::Normalise;
use std::cmp::Ordering;

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
    /// The pairs, the strongest first: the lightest of an unexplained link, the heaviest of another; as many as
    /// requested. The weights of all pairs add up exactly to the expectedness.
    pub(crate) pairs: Vec<WeightedPair>,
    /// Number of all pairs.
    pub(crate) num_pairs: usize,
    /// e = Σ w.
    pub(crate) expectedness: f64,
    /// The divisor of e for the score.
    pub(crate) divisor: f64,
    /// −e / divisor; `None` where a side has no categories.
    pub(crate) unexpectedness: Option<f64>,
}

/// Returns the parts of the score of a link, which need not exist in the graph, with at most `most` of the pairs.
pub(crate) fn explain(
    model: &Model,
    normalise: Normalise,
    source: PageId,
    target: PageId,
    most: usize,
) -> Result<Explanation, Error> {
    let categories = model.categories();
    let (sources, targets) = (categories.of(source)?, categories.of(target)?);
    let rows = model.matrix_rows(sources)?;
    let expectedness = rows.expectedness(targets)?;
    let divisor = normalise.divisor(rows, targets)?.unwrap_or(1.0) / model.scale(normalise);
    let scored = !sources.is_empty() && !targets.is_empty();
    let by_weight = |a: &WeightedPair, b: &WeightedPair| {
        let key = |pair: &WeightedPair| (pair.source, pair.target);
        // Equal weights are in the order of the categories, which ascend.
        let order = a.weight.total_cmp(&b.weight).then_with(|| key(a).cmp(&key(b)));
        if expectedness > 0.0 { order.reverse() } else { order }
    };
    let of_source = |source| model.matrix_rows(std::slice::from_ref(source))?.weights(targets);
    Ok(Explanation {
        pairs: first_pairs(sources, of_source, by_weight, most)?,
        num_pairs: sources.len() * targets.len(),
        expectedness,
        divisor,
        unexpectedness: scored.then_some(0.0 - expectedness / divisor),
    })
}

/// Returns the first pairs in an order, without ever holding many more.
fn first_pairs<'a, I: Iterator<Item = (MilestoneId, MilestoneId, f64)>>(
    sources: &'a [MilestoneId],
    of_source: impl Fn(&'a MilestoneId) -> Result<I, Error>,
    order: impl Fn(&WeightedPair, &WeightedPair) -> Ordering,
    most: usize,
) -> Result<Vec<WeightedPair>, Error> {
    let mut first: Vec<WeightedPair> = Vec::new();
    for source in sources {
        interrupt::check()?;
        let weighted = |(source, target, weight)| WeightedPair { source, target, weight };
        first.extend(of_source(source)?.map(weighted));
        if first.len() > most {
            first.select_nth_unstable_by(most, &order);
            first.truncate(most);
        }
    }
    first.sort_unstable_by(&order);
    Ok(first)
}

/// A category that would have made a link expected, had the source carried it too.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Counterfactual {
    /// The category.
    pub(crate) category: MilestoneId,
    /// e with it: e + Σ_{c' ∈ C_t} w(category, c').
    pub(crate) expectedness: f64,
}

/// Returns the categories that would each make the link expected if the source carried it: those that raise e above
/// zero, the strongest first.
pub(crate) fn counterfactuals(
    model: &Model,
    source: PageId,
    target: PageId,
) -> Result<Vec<Counterfactual>, Error> {
    let categories = model.categories();
    let (sources, targets) = (categories.of(source)?, categories.of(target)?);
    let matrix = model.matrix()?;
    let expectedness = matrix.expectedness(sources, targets);
    let mut raising = Vec::new();
    for category in (0..matrix.num_categories() as u32).map(MilestoneId) {
        interrupt::check()?;
        if sources.binary_search(&category).is_err() {
            let expectedness = expectedness + matrix.expectedness(&[category], targets);
            if expectedness > 0.0 {
                raising.push(Counterfactual { category, expectedness });
            }
        }
    }
    raising.sort_by(|a, b| b.expectedness.total_cmp(&a.expectedness));
    Ok(raising)
}
