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

use super::sampler::{NonLinks, Purpose, generator, shuffle};
use crate::graph::{Graph, PageId};

/// Returns the first of a page's links that belongs to a round; from there the round gets every `rounds`-th one. The
/// start differs by page, or the links of pages with few would all be in the first round.
pub(super) fn first_of_hand(page: PageId, round: usize, rounds: usize) -> usize {
    (round + page.index()) % rounds
}

/// Replaces `examples` by the shuffled examples of a page in one (pass, round, rounds): the round's share of its links,
/// and as many non-links.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::MilestoneId;
    use crate::storage::CsrBuf;

    #[test]
    fn every_link_of_a_page_is_dealt_once_over_the_rounds_with_as_many_non_links() {
        let links =
            CsrBuf::from_iter((0..9).map(|i| if i == 1 { [3, 5, 7].map(PageId).to_vec() } else { vec![] }));
        let none = CsrBuf::from_iter((0..9).map(|_| Vec::<MilestoneId>::new()));
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
