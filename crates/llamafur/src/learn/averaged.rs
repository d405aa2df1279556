//! `averaged`: passive-aggressive learning with the hinge, the average of all iterates being the model.
//!
//! For an example with σ, e and ρ = 1/√(nm) as in `passive_aggressive.rs`, and the loss
//! ℓ = max(0, 1 − σ·e·ρ), every cell of a pair moves by δ = σ·ρ·min(K, ℓ): the rule PA-I of Crammer, Dekel,
//! Keshet, Shalev-Shwartz & Singer, “Online Passive-Aggressive Algorithms”, JMLR 7, 2006, section 3. A pair
//! beyond the margin is left alone.
//!
//! With T examples and W_t the matrix after the t-th, the model is W̄ = (1/T)·Σ_t W_t. A step δ at time t is in
//! T − t + 1 of them, so W̄ = Σ δ − Σ δ·(t − 1)/T: both sums are kept, side by side.
//!
//! # Differences from the paper
//! The hinge; the average; and the order. All links of a page before all its non-links make the matrix end
//! where the last non-links pushed it, so here a page's links are dealt over several rounds, each of which goes
//! over the pages in a new order, with as many non-links as the page has links in it, shuffled together.

use super::LearnConf;
use super::passive_aggressive::Scale;
use super::progress::Watch;
use super::sampler::{NonLinks, Purpose, generator, num_examples, page_order, shuffle};
use crate::graph::{CategoryId, Graph, PageId};
use crate::matrix::{DenseMatrix, pairs};

pub(super) fn learn(graph: &Graph<'_>, conf: &LearnConf, watch: &mut Watch<'_>) -> DenseMatrix {
    let rounds = conf.rounds;
    let total = num_examples(graph) * conf.passes_or_default() as u64;
    let mut weights = Weights::zeros(graph.num_categories, conf.aggressiveness);
    let (mut examples, mut seen) = (Vec::new(), 0u64);
    for pass in conf.pass_numbers() {
        for round in 0..rounds {
            for page in page_order(graph.num_pages(), conf.seed, pass * rounds as u64 + round as u64) {
                fill_with_hand(&mut examples, graph, page, conf.seed, (pass, round, rounds));
                for &(target, is_link) in &examples {
                    let time = seen as f64 / total as f64;
                    let expectedness =
                        weights.step(graph.categories(page), graph.categories(target), is_link, time);
                    watch.example(is_link, expectedness);
                    seen += 1;
                }
            }
        }
    }
    DenseMatrix::from_cells(graph.num_categories, weights.average())
}

/// The first of a page's links that is dealt to a round; then it gets one in `rounds`. Not every page begins with
/// the same round, or those with few links would all be in the first.
pub(super) fn first_of_hand(page: PageId, round: usize, rounds: usize) -> usize {
    (round + page.index()) % rounds
}

/// The links of a page that are dealt to a round of a pass, (pass, round, rounds), and as many non-links, shuffled.
pub(super) fn fill_with_hand(
    examples: &mut Vec<(PageId, bool)>,
    graph: &Graph<'_>,
    page: PageId,
    seed: u64,
    (pass, round, rounds): (u64, usize, usize),
) {
    let hand = graph.links(page).iter().skip(first_of_hand(page, round, rounds)).step_by(rounds);
    let of = pass * rounds as u64 + round as u64;
    let mut non_links = NonLinks::new(graph, page, seed, of);
    examples.clear();
    for &target in hand {
        examples.push((target, true));
        examples.extend(non_links.next().map(|target| (target, false)));
    }
    shuffle(&mut generator(seed, Purpose::ExampleOrder, u64::from(page.0) | of << 32), examples);
}

struct Weights {
    num_categories: usize,
    aggressiveness: f64,
    /// For each pair of categories its weight Σ δ, then what the average takes off, Σ δ·(t − 1)/T.
    cells: Vec<f32>,
}

impl Weights {
    fn zeros(num_categories: usize, aggressiveness: f64) -> Weights {
        Weights { num_categories, aggressiveness, cells: vec![0.0; 2 * num_categories * num_categories] }
    }

    /// Learns from an example at `time` = (t − 1)/T; returns what e was before, `None` without categories.
    #[inline]
    fn step(
        &mut self,
        sources: &[CategoryId],
        targets: &[CategoryId],
        is_link: bool,
        time: f64,
    ) -> Option<f64> {
        if sources.is_empty() || targets.is_empty() {
            return None;
        }
        let cell = |(source, target): (CategoryId, CategoryId)| {
            2 * (source.index() * self.num_categories + target.index())
        };
        let e: f64 = pairs(sources, targets).map(|pair| f64::from(self.cells[cell(pair)])).sum();
        let rho = Scale::Sqrt.rho(sources.len() * targets.len());
        let sigma = if is_link { 1.0 } else { -1.0 };
        let loss = 1.0 - sigma * e * rho;
        if loss > 0.0 {
            let delta = sigma * rho * self.aggressiveness.min(loss);
            for pair in pairs(sources, targets) {
                let at = cell(pair);
                self.cells[at] += delta as f32;
                self.cells[at + 1] += (delta * time) as f32;
            }
        }
        Some(e)
    }

    /// The average of all iterates, in the memory of the last one.
    fn average(mut self) -> Vec<f32> {
        let num_cells = self.cells.len() / 2;
        for cell in 0..num_cells {
            self.cells[cell] = self.cells[2 * cell] - self.cells[2 * cell + 1];
        }
        self.cells.truncate(num_cells);
        self.cells.shrink_to_fit();
        self.cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::CsrBuf;

    const A: CategoryId = CategoryId(0);
    const B: CategoryId = CategoryId(1);

    #[test]
    fn the_average_of_the_iterates_by_hand() {
        // Three examples of one pair: a link (W = 1), a link (margin reached: W = 1), a non-link (W = 1 − 1.5).
        let mut weights = Weights::zeros(1, 1.5);
        assert_eq!(weights.step(&[A], &[A], true, 0.0), Some(0.0));
        assert_eq!(weights.step(&[A], &[A], true, 1.0 / 3.0), Some(1.0));
        assert_eq!(weights.step(&[A], &[A], false, 2.0 / 3.0), Some(1.0));
        assert_eq!(weights.cells[0], -0.5);
        let average = weights.average();
        assert_eq!(average.len(), 1);
        assert!((average[0] - (1.0 + 1.0 - 0.5) / 3.0).abs() < 1e-6, "{average:?}");
    }

    #[test]
    fn a_pair_beyond_the_margin_is_left_alone() {
        let mut weights = Weights::zeros(2, 1.5);
        weights.cells[0] = 4.0;
        weights.step(&[A], &[A], true, 0.5);
        assert_eq!(weights.cells[..2], [4.0, 0.0]);
        weights.step(&[A], &[B], true, 0.5);
        assert_eq!(weights.cells[2..4], [1.0, 0.5]);
    }

    #[test]
    fn every_link_of_a_page_is_dealt_once_over_the_rounds_with_as_many_non_links() {
        let links =
            CsrBuf::from_iter((0..9).map(|i| if i == 1 { [3, 5, 7].map(PageId).to_vec() } else { vec![] }));
        let none = CsrBuf::from_iter((0..9).map(|_| Vec::<CategoryId>::new()));
        let graph = Graph::new(links.view(), none.view(), 0);
        for rounds in 1..6 {
            let (mut hand, mut all) = (Vec::new(), Vec::new());
            for round in 0..rounds {
                fill_with_hand(&mut hand, &graph, PageId(1), 3, (0, round, rounds));
                let num_links = hand.iter().filter(|(_, is_link)| *is_link).count();
                assert_eq!(hand.len(), 2 * num_links);
                assert!(num_links.abs_diff(3 / rounds) <= 1, "{num_links} of 3 in one of {rounds}");
                all.extend_from_slice(&hand);
                let first = hand.clone();
                fill_with_hand(&mut hand, &graph, PageId(1), 3, (0, round, rounds));
                assert_eq!(hand, first);
            }
            let mut dealt: Vec<u32> =
                all.iter().filter(|(_, is_link)| *is_link).map(|(page, _)| page.0).collect();
            dealt.sort_unstable();
            assert_eq!(dealt, [3, 5, 7]);
        }
    }
}
