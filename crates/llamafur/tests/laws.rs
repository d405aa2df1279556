//! The dense learners against a literal transcription, and the laws that they obey on any graph.
#![allow(clippy::unwrap_used)]

mod common;
#[path = "common/oracle.rs"]
mod oracle;

use common::{Small, cases, graphs};
use llamafur::learn::{LearnConf, Method};
use oracle::{Rule, Run, dealt_over_rounds, expect_close, hinge, links_then_non_links, original, paper};
use proptest::prelude::*;

const PASSIVE_AGGRESSIVE: [Method; 3] = [Method::Paper, Method::Original, Method::Averaged];

fn conf(method: Method, seed: u64) -> LearnConf {
    LearnConf::default().method(method).seed(seed)
}

/// The literal run of a method with default settings, its matrix, and how far 32-bit weights may be from it.
fn literal(small: &Small, method: Method, seed: u64, rule: Rule) -> (Vec<f64>, f64) {
    let sequence = match method {
        Method::Averaged => dealt_over_rounds(small, seed, 1, 4),
        _ => links_then_non_links(small, seed, 1),
    };
    let run = oracle::run(small, &sequence, rule);
    match method {
        Method::Averaged => (run.average(), run.drift.average),
        _ => (run.last().to_vec(), run.drift.last),
    }
}

fn rule_of(method: Method) -> Rule {
    match method {
        Method::Paper => paper(1.5),
        Method::Original => original(1.5),
        _ => hinge(1.5),
    }
}

fn drift(small: &Small, method: Method, seed: u64) -> f64 {
    literal(small, method, seed, rule_of(method)).1
}

proptest! {
    #![proptest_config(cases(96))]

    #[test]
    fn paper_is_algorithm_1(small in graphs(14, 6), seed: u64, passes in 1u64..4, k in 0.1f64..3.0) {
        let Run { iterates, drift, .. } =
            oracle::run(&small, &links_then_non_links(&small, seed, passes), paper(k));
        let conf = conf(Method::Paper, seed).passes(passes as usize).aggressiveness(k);
        expect_close(&small.weights(&conf), iterates.last().unwrap(), drift.last);
    }

    #[test]
    fn original_is_algorithm_1_with_the_root_of_the_pairs(
        small in graphs(14, 6), seed: u64, passes in 1u64..4, k in 0.1f64..3.0,
    ) {
        let run = oracle::run(&small, &links_then_non_links(&small, seed, passes), original(k));
        let conf = conf(Method::Original, seed).passes(passes as usize).aggressiveness(k);
        expect_close(&small.weights(&conf), run.last(), run.drift.last);
    }

    #[test]
    fn averaged_is_the_average_of_all_iterates(
        small in graphs(12, 5), seed: u64, passes in 1u64..4, rounds in 1u64..6, k in 0.1f64..3.0,
    ) {
        let run = oracle::run(&small, &dealt_over_rounds(&small, seed, passes, rounds), hinge(k));
        let conf = conf(Method::Averaged, seed)
            .passes(passes as usize)
            .rounds(rounds as usize)
            .aggressiveness(k);
        expect_close(&small.weights(&conf), &run.average(), run.drift.average);
    }

    // Let every page carry, with each category c, a twin c*. All four cells of (c, c') and its twins then see
    // the same steps, n and m double, and e is four times the sum over the old pairs.
    //
    // ρ = 1/√(nm) halves. With W' = W/2, e'·ρ' = 4·(e/2)·(ρ/2) = e·ρ and δ' = δ/2, so W' = W/2 remains true:
    // e/√(nm) of every pair of pages is what it was. The same for the average.
    #[test]
    fn twin_categories_halve_the_weights_of_original_and_averaged(small in graphs(12, 4), seed: u64) {
        let twins = small.relabelled(2 * small.num_categories, |c| vec![2 * c, 2 * c + 1]);
        for method in [Method::Original, Method::Averaged] {
            let expected = twice(&small.weights(&conf(method, seed)), small.num_categories);
            let expected: Vec<f64> = expected.iter().map(|w| w / 2.0).collect();
            let bound = drift(&small, method, seed) / 2.0 + drift(&twins, method, seed);
            expect_close(&twins.weights(&conf(method, seed)), &expected, bound);
        }
    }

    // ρ = 1/(nm) quarters, and the mean e·ρ is that over the old pairs: W' moves as W would if every step were
    // a quarter as long. The mean is the same margin, reached more slowly.
    #[test]
    fn twin_categories_quarter_the_steps_of_paper(small in graphs(12, 4), seed: u64) {
        let twins = small.relabelled(2 * small.num_categories, |c| vec![2 * c, 2 * c + 1]);
        let quarter = Rule { step: 0.25, ..paper(1.5) };
        let (expected, of_small) = literal(&small, Method::Paper, seed, quarter);
        let bound = of_small + drift(&twins, Method::Paper, seed);
        expect_close(&twins.weights(&conf(Method::Paper, seed)), &twice(&expected, small.num_categories), bound);
    }

    // The counts of twins are those of the old categories, and counting knows no ρ.
    #[test]
    fn twin_categories_have_the_naive_weights_of_the_old_ones(small in graphs(12, 4)) {
        let twins = small.relabelled(2 * small.num_categories, |c| vec![2 * c, 2 * c + 1]);
        let expected = twice(&small.weights(&conf(Method::Naive, 1)), small.num_categories);
        prop_assert_eq!(twins.weights(&conf(Method::Naive, 1)), expected);
    }

    #[test]
    fn renumbered_categories_have_the_weights_they_had(
        (small, order) in graphs(14, 6).prop_flat_map(|small| {
            let ids: Vec<u32> = (0..small.num_categories as u32).collect();
            (Just(small), Just(ids).prop_shuffle())
        }),
        seed: u64,
    ) {
        let num = small.num_categories;
        let renumbered = small.relabelled(num, |c| vec![order[c as usize]]);
        let at = |c: usize, d: usize| order[c] as usize * num + order[d] as usize;
        let back = |weights: Vec<f64>| -> Vec<f64> {
            (0..num * num).map(|cell| weights[at(cell / num, cell % num)]).collect()
        };
        for method in PASSIVE_AGGRESSIVE {
            // Only the order in which a sum is taken differs; both runs are this near to the exact one.
            let bound = 2.0 * drift(&small, method, seed);
            let found = back(renumbered.weights(&conf(method, seed)));
            expect_close(&found, &small.weights(&conf(method, seed)), bound);
        }
        let naive = conf(Method::Naive, seed);
        prop_assert_eq!(back(renumbered.weights(&naive)), small.weights(&naive));
    }

    #[test]
    fn an_aggressiveness_beyond_the_largest_step_changes_nothing(small in graphs(12, 5), seed: u64) {
        for method in PASSIVE_AGGRESSIVE {
            let sequence = match method {
                Method::Averaged => dealt_over_rounds(&small, seed, 1, 4),
                _ => links_then_non_links(&small, seed, 1),
            };
            let unbounded = Rule { aggressiveness: f64::MAX, ..rule_of(method) };
            let largest = 1.001 * oracle::run(&small, &sequence, unbounded).largest_loss;
            let weights = |k| small.weights(&conf(method, seed).aggressiveness(k));
            prop_assert_eq!(weights(largest), weights(2.0 * largest));
            prop_assert_eq!(weights(largest), weights(1e12));
            // Each example moves a weight by the bound at most; the rest is rounding.
            let most = 1.001e-6 * sequence.len() as f64;
            prop_assert!(weights(1e-6).iter().all(|weight| weight.abs() <= most));
        }
    }

    // The order of the pages depends on their number alone, and the non-links of a page on its own links. So
    // the links of a page without categories, which teach nothing, leave all else as it was. (They do count as
    // examples in the average of `averaged`, so for that one it is the direction of W that stays, not tested.)
    #[test]
    fn links_of_a_page_without_categories_teach_nothing(small in graphs(14, 5), seed: u64, which: prop::sample::Index) {
        let last = small.links.len() as u32;
        let with_links = |row: Vec<u32>| {
            let (mut links, mut categories) = (small.links.clone(), small.categories.clone());
            links.push(row);
            categories.push(vec![]);
            Small::new(links, categories, small.num_categories)
        };
        let row = (0..=which.index(last as usize - 1) as u32).collect();
        let (silent, talkative) = (with_links(vec![]), with_links(row));
        for method in [Method::Paper, Method::Original, Method::Naive, Method::Factored] {
            let conf = conf(method, seed).rank(4);
            prop_assert_eq!(silent.weights(&conf), talkative.weights(&conf), "{}", method);
        }
        // Counting draws no non-links, so for it a page more is nothing at all.
        prop_assert_eq!(small.weights(&conf(Method::Naive, seed)), silent.weights(&conf(Method::Naive, seed)));
    }
}

/// The matrix with every row and every column twice.
fn twice(weights: &[f64], num: usize) -> Vec<f64> {
    let cells = (0..2 * num).flat_map(|c| (0..2 * num).map(move |d| (c / 2, d / 2)));
    cells.map(|(c, d)| weights[c * num + d]).collect()
}
