//! e* of pairs of pages, as fast as links are proposed.
//!
//! For a truth of low rank e*(s, t) = ⟨Σ u_c/√n, Σ v_c'/√m⟩: the right-hand side of every page is kept in one
//! array, so that a proposal reads a cache line or two.

use super::random::Normal;
use super::truth::{Weights, column_key, hashed};
use llamafur::graph::MilestoneId;
use llamafur::storage::Csr;
use rayon::prelude::*;

/// The truth and the categories of all pages.
pub(super) struct Affinity<'a> {
    weights: &'a Weights,
    categories: Csr<'a, MilestoneId>,
    /// For each page Σ v_c'/√m, row after row; empty for a truth of full rank.
    targets: Vec<Lanes>,
}

/// Numbers that are read together; aligned, so that as few cache lines as possible are read.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(32))]
pub(super) struct Lanes(pub(super) [f32; LANES]);

/// Number of numbers in a [`Lanes`].
pub(super) const LANES: usize = 8;

/// The left-hand side of one page.
#[derive(Default)]
pub(super) struct Side {
    /// Σ u_c/√n.
    vector: Vec<Lanes>,
    /// The keys of the categories' rows.
    keys: Vec<u64>,
    /// Begin and end of the targets' categories, and the first category of each.
    rows: Vec<(i64, i64)>,
    firsts: Vec<MilestoneId>,
}

impl<'a> Affinity<'a> {
    pub(super) fn new(weights: &'a Weights, categories: Csr<'a, MilestoneId>) -> Affinity<'a> {
        let mut targets = Vec::new();
        if let Weights::LowRank { lanes, target, .. } = weights {
            targets.resize(categories.num_rows() * lanes, Lanes::default());
            let rows = targets.par_chunks_exact_mut(*lanes).enumerate();
            rows.for_each(|(page, row)| add_up(target, categories.row(page), row));
        }
        Affinity { weights, categories, targets }
    }

    pub(super) fn num_pages(&self) -> usize {
        self.categories.num_rows()
    }

    /// Fills `side` for a page.
    pub(super) fn prepare(&self, page: u32, side: &mut Side) {
        let categories = self.categories.row(page as usize);
        match self.weights {
            Weights::LowRank { lanes, source, .. } => {
                side.vector.clear();
                side.vector.resize(*lanes, Lanes::default());
                add_up(source, categories, &mut side.vector);
            }
            Weights::FullRank { keys } => {
                side.keys.clear();
                side.keys.extend(categories.iter().map(|category| keys[category.index()]));
            }
        }
    }

    /// Appends e* of the page of `side` with each of `targets`.
    pub(super) fn score(&self, side: &mut Side, targets: &[u32], scores: &mut Vec<f32>) {
        match self.weights {
            Weights::LowRank { lanes, .. } => {
                // A pass that does nothing but read asks for all rows at once: the products then find them in
                // the cache.
                let first = |&target: &u32| self.targets[target as usize * lanes].0[0];
                std::hint::black_box(targets.iter().map(first).sum::<f32>());
                let row = |&target: &u32| &self.targets[target as usize * lanes..][..*lanes];
                scores.extend(targets.iter().map(|target| product(&side.vector, row(target))));
            }
            Weights::FullRank { .. } => {
                // Each step by itself for all targets, so that their reads overlap.
                let (offsets, values) = (self.categories.offsets(), self.categories.values());
                side.rows.clear();
                side.rows.extend(targets.iter().map(|&t| (offsets[t as usize], offsets[t as usize + 1])));
                side.firsts.clear();
                side.firsts.extend(side.rows.iter().map(|row| values[row.0 as usize]));
                let normal = Normal::get();
                for (&(start, end), &first) in side.rows.iter().zip(&side.firsts) {
                    let others = &values[start as usize + 1..end as usize];
                    let mut sum = 0.0;
                    for &category in std::iter::once(&first).chain(others) {
                        let column = column_key(category);
                        side.keys.iter().for_each(|&row| sum += hashed(normal, row, column));
                    }
                    scores.push(sum / ((side.keys.len() * (end - start) as usize) as f32).sqrt());
                }
            }
        }
    }
}

/// Computes the sum of the categories' rows, divided by the root of their number.
fn add_up(table: &[Lanes], categories: &[MilestoneId], sum: &mut [Lanes]) {
    let scale = 1.0 / (categories.len() as f32).sqrt();
    for category in categories {
        let row = &table[category.index() * sum.len()..][..sum.len()];
        for (sum, row) in sum.iter_mut().zip(row) {
            sum.0.iter_mut().zip(row.0).for_each(|(sum, x)| *sum += scale * x);
        }
    }
}

#[inline]
fn product(a: &[Lanes], b: &[Lanes]) -> f32 {
    let mut sums = [0.0f32; LANES];
    for (a, b) in a.iter().zip(b) {
        sums.iter_mut().zip(a.0.iter().zip(b.0)).for_each(|(sum, (a, b))| *sum += a * b);
    }
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + e) + (b + f)) + ((c + g) + (d + h))
}

#[cfg(test)]
mod tests {
    use super::super::{SynthConf, Truth, TruthKind};
    use super::*;
    use llamafur::storage::CsrBuf;

    #[test]
    fn it_is_the_truths_expectedness() {
        let rows = [vec![1, 4, 9], vec![0], vec![4, 5], vec![2, 3, 5, 7, 11, 13]];
        let categories: CsrBuf<MilestoneId> =
            rows.map(|row| row.into_iter().map(MilestoneId)).into_iter().collect();
        for kind in [TruthKind::LowRank { rank: 5 }, TruthKind::LowRank { rank: 20 }, TruthKind::FullRank] {
            let truth =
                Truth::new(&SynthConf::default().pages(4).links(2).categories(14).kind(kind)).unwrap();
            let affinity = Affinity::new(&truth.weights, categories.view());
            let (mut side, mut scores) = (Side::default(), Vec::new());
            for page in 0..4 {
                affinity.prepare(page, &mut side);
                scores.clear();
                affinity.score(&mut side, &[0, 1, 2, 3], &mut scores);
                for (target, &score) in scores.iter().enumerate() {
                    let row = |page: usize| categories.view().row(page);
                    let expected = truth.expectedness(row(page as usize), row(target));
                    assert!((f64::from(score) - expected).abs() < 1e-5, "{kind}: {score} {expected}");
                }
            }
        }
    }
}
