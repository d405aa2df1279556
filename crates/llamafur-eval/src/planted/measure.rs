//! Measures how well a scorer finds the planted links.
//!
//! Of m planted links x and n original links y, by unexpectedness, links without a score below all others:
//!
//! - AUC = (1/mn)·Σ_x (#{y below x} + ½·#{y tied with x}): the chance that a planted link ranks above an original
//!   one. With V(x) = that sum's term for x by n, and V(y) = (#{x above y} + ½·#{x tied with y})/m, its variance is
//!   var V(x)/m + var V(y)/n (E. R. DeLong, D. M. DeLong & D. L. Clarke-Pearson, “Comparing the Areas under Two or More
//!   Correlated Receiver Operating Characteristic Curves”, Biometrics 44, 1988, equations 3 to 5,
//!   <https://doi.org/10.2307/2531595>), and the 95% interval AUC ± 1.96·√variance, within [0, 1];
//! - precision at k: the share of planted links among the k on top of the whole graph; of links tied at the border, as
//!   many as a random order would have there on average;
//! - percentile: the share of the page's original links that a planted link ranks above, ties half; the mean
//!   over the planted links of a page, then over pages. Pages that had no link are left out.
//!
//! # Quirks
//! If all planted links rank above all others the interval of the AUC has no width.

use super::conf::PlantError;
use super::copy::Planted;
use crate::statistics::mean;
use llamafur::Error;
use llamafur::graph::PageId;
use llamafur::learn::held_out::auc_of_ties;
use llamafur::progress::{Progress, Task};
use llamafur::score::Score;
use rayon::prelude::*;
use serde::Serialize;
use std::sync::Arc;

/// The 97.5% quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// The results of one scorer on the planted links.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Found {
    /// The scorer.
    pub name: String,
    /// The probability that a planted link ranks above an original one.
    pub auc: f64,
    /// The 95% interval of the AUC.
    pub ci95: [f64; 2],
    /// The share of planted links among the first k.
    pub precision_at_k: Vec<AtTop>,
    /// The share of its page's original links that a planted one ranks above; `None` if no page had a link.
    pub percentile: Option<f64>,
    /// Links without a score, planted or not.
    pub without_score: u64,
}

/// The share of planted links among the links on top.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AtTop {
    /// Number of links on top.
    pub k: usize,
    /// The share of planted links among them.
    pub precision: f64,
}

/// Links ordered by unexpectedness, the most unexpected first, ties together.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// Planted links and original links of each tie.
    ties: Vec<[u64; 2]>,
}

impl Ranked {
    /// Ranks scores, each with a flag for planted links.
    pub fn new(mut scored: Vec<(f64, bool)>) -> Ranked {
        scored.par_sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        let tie = |tied: &[(f64, bool)]| {
            let planted = tied.iter().filter(|(_, is_planted)| *is_planted).count() as u64;
            [planted, tied.len() as u64 - planted]
        };
        Ranked { ties: scored.chunk_by(|a, b| a.0 == b.0).map(tie).collect() }
    }

    /// Returns the AUC and its 95% interval; NaN if either kind is missing.
    pub fn auc(&self) -> (f64, [f64; 2]) {
        let sum = |kind: usize| self.ties.iter().map(|tie| tie[kind]).sum::<u64>() as f64;
        let (planted, there) = (sum(0), sum(1));
        // Σ V(x)² and Σ V(y)².
        let (mut of_planted, mut of_there) = (0.0, 0.0);
        let (mut above, mut below) = (0.0, there);
        for tie in &self.ties {
            let [p, q] = tie.map(|num| num as f64);
            below -= q;
            let (x, y) = ((below + q / 2.0) / there, (above + p / 2.0) / planted);
            above += p;
            of_planted += p * x * x;
            of_there += q * y * y;
        }
        let auc = auc_of_ties(self.ties.iter().rev().copied());
        let variance =
            |squares: f64, num: f64| (squares - num * auc * auc).max(0.0) / (num - 1.0).max(1.0) / num;
        let half = Z * (variance(of_planted, planted) + variance(of_there, there)).sqrt();
        (auc, [(auc - half).max(0.0), (auc + half).min(1.0)])
    }

    /// Returns the share of planted links among the `k` on top.
    pub fn precision(&self, k: usize) -> f64 {
        let (mut left, mut found) = (k as f64, 0.0);
        for tie in &self.ties {
            let [p, q] = tie.map(|num| num as f64);
            let taken = left.min(p + q);
            found += p * taken / (p + q);
            left -= taken;
            if left <= 0.0 {
                break;
            }
        }
        found / k as f64
    }
}

/// The scores of a page's links.
struct OfPage {
    scored: Vec<(f64, bool)>,
    /// The mean percentile of the page's planted links.
    percentile: Option<f64>,
    without_score: u64,
}

fn of_page(planted: &Planted, scorer: &dyn Score, page: PageId) -> Result<OfPage, Error> {
    let targets = planted.corpus().links(page)?;
    let scores = scorer.score(page, targets)?;
    let without_score = scores.iter().filter(|score| score.is_none()).count() as u64;
    let scored: Vec<(f64, bool)> = targets
        .iter()
        .zip(scores)
        .map(|(&target, score)| {
            (score.unwrap_or(f64::NEG_INFINITY), planted.links().contains(&(page, target)))
        })
        .collect();
    let has_both = [true, false].iter().all(|kind| scored.iter().any(|(_, is_planted)| is_planted == kind));
    let percentile = has_both.then(|| Ranked::new(scored.clone()).auc().0);
    Ok(OfPage { scored, percentile, without_score })
}

/// Measures how well each scorer, opened for the copy, finds the planted links; `top` are the values of k for the
/// precision.
///
/// # Errors
/// Returns an error if a value of `top` exceeds the number of links, or a file is damaged.
pub fn measure(
    planted: &Planted,
    scorers: &[Arc<dyn Score>],
    top: &[usize],
    progress: &mut dyn Progress,
) -> Result<Vec<Found>, PlantError> {
    let links = planted.corpus().num_links();
    if let Some(&top) = top.iter().find(|top| !(1..=links).contains(*top)) {
        return Err(PlantError::Top { top, links });
    }
    let mut find = |scorer: &dyn Score| {
        progress.start(Task::ScoreBy { scorer: scorer.name().to_owned() }, None);
        let pages: Vec<OfPage> = (0..planted.corpus().num_pages() as u32)
            .into_par_iter()
            .map(|page| of_page(planted, scorer, PageId(page)))
            .collect::<Result<_, _>>()?;
        let percentiles: Vec<f64> = pages.iter().filter_map(|page| page.percentile).collect();
        let without_score = pages.iter().map(|page| page.without_score).sum();
        let ranked = Ranked::new(pages.into_iter().flat_map(|page| page.scored).collect());
        progress.finish();
        let (auc, ci95) = ranked.auc();
        Ok(Found {
            name: scorer.name().to_owned(),
            auc,
            ci95,
            precision_at_k: top.iter().map(|&k| AtTop { k, precision: ranked.precision(k) }).collect(),
            percentile: (!percentiles.is_empty()).then(|| mean(&percentiles)),
            without_score,
        })
    };
    scorers.iter().map(|scorer| find(&**scorer)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranked(links: &[(f64, bool)]) -> Ranked {
        Ranked::new(links.to_vec())
    }

    #[test]
    fn by_hand() {
        // x, y, x = y, y.
        let ranked = ranked(&[(4.0, true), (3.0, false), (2.0, true), (2.0, false), (1.0, false)]);
        let (auc, [low, high]) = ranked.auc();
        // The first ranks above 3 of 3, the second above 1.5.
        assert!((auc - 0.75).abs() < 1e-12);
        // V(x) = 1, ½ with variance 1/8; V(y) = ½, ¾, 1 with variance 1/16: 1/16 + 1/48 = 1/12.
        let half = 1.959_964 * (1.0f64 / 12.0).sqrt();
        assert!((low - (0.75 - half)).abs() < 1e-6 && high == 1.0, "{low} {high}");
        let precision = [1, 2, 3, 4, 5].map(|k| ranked.precision(k));
        assert_eq!(precision, [1.0, 0.5, 0.5, 0.5, 0.4]);
    }

    #[test]
    fn links_that_are_all_tied_are_found_by_chance() {
        let ranked = ranked(&[(0.0, true), (0.0, false), (0.0, false), (0.0, false)]);
        assert_eq!(ranked.auc(), (0.5, [0.5, 0.5]));
        assert_eq!([ranked.precision(1), ranked.precision(4)], [0.25, 0.25]);
    }

    #[test]
    fn the_interval_covers_a_truth_that_is_known() {
        use llamafur::learn::sampler::{Purpose, generator, unit};
        // x = √u and y = u with uniform u: P(x > y) = E[√u] = 2/3.
        let mut covered = 0;
        for trial in 0..400 {
            let mut random = generator(trial, Purpose::RandomScore, 0);
            let mut draw = |num: usize, root: bool| -> Vec<(f64, bool)> {
                let one =
                    |_| if root { (unit(&mut random).sqrt(), true) } else { (unit(&mut random), false) };
                (0..num).map(one).collect()
            };
            let all = [draw(40, true), draw(400, false)].concat();
            let (_, [low, high]) = Ranked::new(all).auc();
            covered += usize::from(low <= 2.0 / 3.0 && 2.0 / 3.0 <= high);
        }
        // 95% of 400 is 380, with a standard deviation of 4.4.
        assert!((360..=396).contains(&covered), "{covered}");
    }
}
