//! A category's neighbourhood in the matrix, as in the paper's figures.
//!
//! The neighbours of c are the categories c' with the largest max(w(c, c'), w(c', c)); the arcs are those among
//! c and its neighbours whose weight is above a bound: Boldi & Monti, “LlamaFur”, WebSci 2016, figure 1.

use super::WeightedPair;
use crate::Error;
use crate::graph::MilestoneId;
use crate::interrupt;
use crate::matrix::CategoryMatrix;

/// A category with its closest neighbours.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Neighbourhood {
    /// The category itself, then its neighbours, closest first.
    pub(crate) categories: Vec<MilestoneId>,
    /// The arcs among them, heaviest first.
    pub(crate) arcs: Vec<WeightedPair>,
}

/// Returns the at most `num` closest neighbours of a category that `is_neighbour`, and all arcs among them with a
/// weight above `above`.
///
/// A category is a neighbour only if an arc above the bound joins it to the given one. `is_neighbour` is called for the
/// closest first, until there are enough.
///
/// # Errors
/// If `is_neighbour` fails.
pub(crate) fn neighbourhood(
    matrix: &dyn CategoryMatrix,
    category: MilestoneId,
    num: usize,
    above: f64,
    mut is_neighbour: impl FnMut(MilestoneId) -> Result<bool, Error>,
) -> Result<Neighbourhood, Error> {
    let closeness = |other: MilestoneId| matrix.weight(category, other).max(matrix.weight(other, category));
    let mut close: Vec<(f64, MilestoneId)> = Vec::new();
    for other in (0..matrix.num_categories() as u32).map(MilestoneId).filter(|&other| other != category) {
        interrupt::check()?;
        let weight = closeness(other);
        if weight > above {
            close.push((weight, other));
        }
    }
    close.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut categories = vec![category];
    for (_, other) in close {
        interrupt::check()?;
        if categories.len() > num {
            break;
        }
        if is_neighbour(other)? {
            categories.push(other);
        }
    }
    let mut arcs: Vec<WeightedPair> = Vec::new();
    for &source in &categories {
        interrupt::check()?;
        let arc =
            |&target: &MilestoneId| WeightedPair { source, target, weight: matrix.weight(source, target) };
        arcs.extend(categories.iter().map(arc).filter(|arc| arc.weight > above));
    }
    arcs.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    Ok(Neighbourhood { categories, arcs })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::DenseMatrix;

    #[test]
    fn neighbours_are_close_in_either_direction_and_weak_arcs_are_left_out() {
        #[rustfmt::skip]
        let matrix = DenseMatrix::from_cells(4, vec![
            5.0, 2.0, 0.0, 1.0,
            0.0, 0.0, 9.0, 0.0,
            3.0, 0.0, 0.0, 0.0,
            1.0, 0.0, 0.0, 0.0,
        ]);
        let of =
            |category, num| neighbourhood(&matrix, MilestoneId(category), num, 1.0, |_| Ok(true)).unwrap();
        let found = of(0, 18);
        assert_eq!(found.categories, [0, 2, 1].map(MilestoneId));
        let arcs: Vec<_> = found.arcs.iter().map(|arc| (arc.source.0, arc.target.0, arc.weight)).collect();
        assert_eq!(arcs, [(1, 2, 9.0), (0, 0, 5.0), (2, 0, 3.0), (0, 1, 2.0)]);
        assert_eq!(of(0, 1).categories, [0, 2].map(MilestoneId));
        assert_eq!(of(3, 18).categories, [MilestoneId(3)]);
        assert_eq!(of(0, 0).categories, [MilestoneId(0)]);
        // The closest is none of them, and the last is not asked about.
        let asked = std::cell::RefCell::new(Vec::new());
        let found = neighbourhood(&matrix, MilestoneId(0), 1, 0.5, |other| {
            asked.borrow_mut().push(other);
            Ok(other != MilestoneId(2))
        });
        assert_eq!(found.unwrap().categories, [0, 1].map(MilestoneId));
        assert_eq!(*asked.borrow(), [2, 1].map(MilestoneId));
    }
}
