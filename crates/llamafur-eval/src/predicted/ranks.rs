//! The ranks of hidden links.

use crate::statistics::mean;
use llamafur::graph::PageId;

/// The largest rank that counts as a hit.
const HITS: f64 = 10.0;

/// Figures for the hidden links of a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// The share of them among the first 10.
    pub hits: f64,
    /// The mean of 1/rank.
    pub reciprocal_rank: f64,
    /// The mean share of the other pages that they rank above.
    pub auc: f64,
}

/// A rank: the number of pages above, and of those tied.
#[derive(Debug, Clone, Copy)]
struct Rank {
    above: usize,
    tied: usize,
    /// Number of all pages compared.
    others: usize,
}

impl Rank {
    fn hits(self) -> f64 {
        ((HITS - self.above as f64) / (self.tied + 1) as f64).clamp(0.0, 1.0)
    }

    fn reciprocal(self) -> f64 {
        let ranks = self.above + 1..=self.above + self.tied + 1;
        ranks.map(|rank| 1.0 / rank as f64).sum::<f64>() / (self.tied + 1) as f64
    }

    fn auc(self) -> f64 {
        1.0 - (self.above as f64 + self.tied as f64 / 2.0) / self.others.max(1) as f64
    }
}

fn of_ranks(ranks: &[Rank]) -> Figures {
    let mean_of = |of: fn(Rank) -> f64| mean(&ranks.iter().map(|&rank| of(rank)).collect::<Vec<_>>());
    Figures { hits: mean_of(Rank::hits), reciprocal_rank: mean_of(Rank::reciprocal), auc: mean_of(Rank::auc) }
}

/// Computes the figures of a page's hidden links `wanted` from the unexpectedness of all pages that it is not known to
/// link to. A page without a score ranks below all others.
///
/// # Panics
/// If there are not as many scores as pages.
pub fn figures(targets: &[PageId], scores: &[Option<f64>], wanted: &[PageId]) -> Figures {
    assert_eq!(targets.len(), scores.len(), "a score for each page");
    let score = |score: Option<f64>| score.unwrap_or(f64::INFINITY);
    let (mut unseen, mut others): (Vec<f64>, Vec<f64>) = Default::default();
    for (target, of_target) in targets.iter().zip(scores) {
        let all = if wanted.binary_search(target).is_ok() { &mut unseen } else { &mut others };
        all.push(score(*of_target));
    }
    others.sort_unstable_by(f64::total_cmp);
    let rank = |score: &f64| {
        let above = others.partition_point(|other| other < score);
        let tied = others.partition_point(|other| other <= score) - above;
        Rank { above, tied, others: others.len() }
    };
    of_ranks(&unseen.iter().map(rank).collect::<Vec<_>>())
}

/// Computes the figures from a list of pages, the most expected first, that is cut off; `others` is the number of pages
/// that are no hidden links. Links that are not in the list rank with all pages outside it, in a random order.
pub fn of_list(list: &[PageId], others: usize, wanted: &[PageId]) -> Figures {
    let is_wanted = |page: &PageId| wanted.binary_search(page).is_ok();
    let in_list = list.iter().filter(|page| !is_wanted(page)).count();
    let rank = |target: &PageId| {
        let place = list.iter().position(|page| page == target);
        let above = list[..place.unwrap_or(list.len())].iter().filter(|page| !is_wanted(page)).count();
        let tied = if place.is_some() { 0 } else { others.saturating_sub(in_list) };
        Rank { above, tied, others }
    };
    of_ranks(&wanted.iter().map(rank).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let targets: Vec<PageId> = (0..5).map(PageId).collect();
        // By unexpectedness: 4, then 1, then 0 and 2 tied, then 3 without a score.
        let scores = [Some(2.0), Some(1.0), Some(2.0), None, Some(-1.0)];
        // 1 is below 4; 2 is below 4 and tied with 0; each is left out for the other.
        let found = figures(&targets, &scores, &[PageId(1), PageId(2)]);
        assert_eq!(found.hits, 1.0);
        assert!((found.reciprocal_rank - (0.5 + (1.0 / 2.0 + 1.0 / 3.0) / 2.0) / 2.0).abs() < 1e-12);
        assert!((found.auc - ((1.0 - 1.0 / 3.0) + (1.0 - 1.5 / 3.0)) / 2.0).abs() < 1e-12);
    }

    #[test]
    fn a_tie_over_the_tenth_place_counts_by_its_share() {
        // Nine above, three others tied: one of four places is within ten.
        let targets: Vec<PageId> = (0..13).map(PageId).collect();
        let scores: Vec<Option<f64>> = (0..13).map(|page| Some(if page < 9 { 0.0 } else { 1.0 })).collect();
        assert_eq!(figures(&targets, &scores, &[PageId(12)]).hits, 0.25);
    }

    #[test]
    fn a_list_is_measured_as_the_scores_that_it_comes_from() {
        let targets: Vec<PageId> = (0..30).map(PageId).collect();
        let scores: Vec<Option<f64>> = (0..30).map(|page| Some(f64::from(page * 7 % 30))).collect();
        let mut list = targets.clone();
        list.sort_by(|a, b| scores[a.index()].unwrap().total_cmp(&scores[b.index()].unwrap()));
        let wanted = [PageId(3), PageId(11)];
        assert_eq!(of_list(&list, 28, &wanted), figures(&targets, &scores, &wanted));
        // One that is not in the list is behind it.
        assert_eq!(of_list(&list[..5], 28, &[PageId(29)]).hits, 5.0 / 24.0);
    }
}
