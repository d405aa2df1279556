//! Choice of milestones among the categories, and of the milestone that each category's pages get.

use super::conf::Goal;
use crate::Error;
use crate::storage::Csr;

/// The rank or distance of no milestone.
pub(super) const NONE: u32 = u32::MAX;

/// The milestones, the most central first. A milestone's place here is its *rank*.
#[derive(Debug, Clone)]
pub(super) struct Choice {
    pub(super) ranked: Vec<u32>,
}

impl Choice {
    /// Returns the rank of every category, or [`NONE`].
    pub(super) fn rank_of(&self, categories: usize) -> Vec<u32> {
        let mut ranks = vec![NONE; categories];
        for (rank, &category) in self.ranked.iter().enumerate() {
            ranks[category as usize] = rank as u32;
        }
        ranks
    }
}

/// The milestone that the pages of every category get.
#[derive(Debug, Clone)]
pub(super) struct Assignment {
    /// The rank of the milestone, or [`NONE`].
    pub(super) rank: Vec<u32>,
    /// The distance to the milestone: levels of the tree; 0 for a milestone, else 1, where there is no tree.
    pub(super) distance: Vec<u32>,
}

/// Returns all categories, the most central first, ties by id.
pub(super) fn by_centrality(centrality: &[f64]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..centrality.len() as u32).collect();
    order.sort_by(|&a, &b| centrality[b as usize].total_cmp(&centrality[a as usize]).then(a.cmp(&b)));
    order
}

/// Chooses the first of the candidates that reach the goal. `needs` gives for every category the first candidate that
/// would keep its pages.
pub(super) fn choose(
    candidates: Vec<u32>,
    goal: Goal,
    pages: Csr<'_, u32>,
    needs: impl FnOnce(&[u32]) -> Vec<u32>,
) -> Result<Choice, Error> {
    let count = match goal {
        Goal::All => candidates.len(),
        Goal::Count(count) => count,
        Goal::Coverage(share) => {
            let needs = needs(&candidates);
            fewest(pages, share, &needs)?
        }
    };
    let mut ranked = candidates;
    ranked.truncate(count);
    Ok(Choice { ranked })
}

/// Returns the fewest candidates with which this share of the pages keeps one.
fn fewest(pages: Csr<'_, u32>, share: f64, needs: &[u32]) -> Result<usize, Error> {
    let with_categories = pages.rows().filter(|categories| !categories.is_empty());
    let need = |categories: &[u32]| categories.iter().map(|&category| needs[category as usize]).min();
    let mut wanted: Vec<u32> = with_categories.filter_map(need).collect();
    wanted.sort_unstable();
    let covered = (share * wanted.len() as f64).ceil() as usize;
    match wanted.get(covered.saturating_sub(1)) {
        Some(&NONE) => {
            let reached = wanted.partition_point(|&need| need != NONE) as f64 / wanted.len() as f64;
            Err(Error::Coverage { wanted: share * 100.0, reached: reached * 100.0 })
        }
        need => Ok(need.map_or(0, |&need| need as usize + 1)),
    }
}
