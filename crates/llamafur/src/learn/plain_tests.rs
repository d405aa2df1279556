//! The learners on many threads against the plain loops: the same bits and the same figures.

use super::held_out::Split;
use super::plain::learn_plainly;
use super::sampler::{Generator, Purpose, below, generator};
use super::{Figures, LearnConf, Method, learn};
use crate::common::{Small, cases, graphs, weights_of};
use crate::graph::{Fold, Graph, Pairs};
use crate::matrix::Matrix;
use crate::progress::Silent;
use proptest::prelude::*;
use std::collections::BTreeSet;

const DENSE: [Method; 4] = [Method::Paper, Method::Original, Method::Averaged, Method::Naive];

/// The bits of all weights, row after row.
fn bits(learnt: &Matrix) -> Vec<u32> {
    let bits = |weight: f64| (weight as f32).to_bits();
    weights_of(learnt).into_iter().map(bits).collect()
}

fn on_threads(small: &Small, conf: &LearnConf, threads: usize) -> (Vec<u32>, Figures) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let (learnt, figures) = pool.install(|| learn(&small.graph(), conf, &mut Silent)).unwrap();
    (bits(&learnt), figures)
}

fn expect_the_bits_of_the_loop(small: &Small, conf: &LearnConf, threads: &[usize]) {
    let (learnt, figures) = learn_plainly(&small.graph(), conf, &mut Silent).unwrap();
    let expected = (bits(&learnt), figures);
    for &threads in threads {
        let found = on_threads(small, conf, threads);
        assert_eq!(found.1, expected.1, "{conf:?} on {threads} threads");
        assert!(found.0 == expected.0, "{conf:?} on {threads} threads: other weights");
    }
}

fn some(random: &mut Generator, most: u64, limit: u64) -> BTreeSet<u32> {
    (0..below(random, most + 1)).map(|_| below(random, limit) as u32).collect()
}

/// Pages that carry a few of the categories, and with `common` all of them category 0.
fn crowd(pages: u32, categories: u32, links: u64, common: bool, seed: u64) -> Small {
    let mut random = generator(seed, Purpose::RandomScore, 0);
    let carried = |random: &mut Generator| {
        let mut row = some(random, 4, u64::from(categories));
        if common {
            row.insert(0);
        }
        row.into_iter().collect()
    };
    let carried: Vec<Vec<u32>> = (0..pages).map(|_| carried(&mut random)).collect();
    let linked = |page: u32| {
        let mut row = some(&mut random, links, u64::from(pages));
        row.remove(&page);
        match page % 50 {
            // Some pages link to nothing, and one to all.
            1..10 => vec![],
            0 if page == 50 => (0..pages).filter(|&to| to != page).collect(),
            _ => row.into_iter().collect(),
        }
    };
    Small::new((0..pages).map(linked).collect(), carried, categories as usize)
}

#[test]
fn a_category_on_every_page_changes_no_bit() {
    let small = crowd(400, 30, 30, true, 1);
    for method in DENSE {
        let conf = LearnConf::default().method(method).seed(3).passes(2);
        expect_the_bits_of_the_loop(&small, &conf, &[1, 2, 3, 4, 16]);
    }
}

#[test]
fn few_categories_change_no_bit() {
    for categories in [1, 2, 3] {
        let small = crowd(300, categories, 20, false, u64::from(categories));
        for method in DENSE {
            expect_the_bits_of_the_loop(&small, &LearnConf::default().method(method), &[1, 2, 3, 4, 16]);
        }
    }
}

#[test]
fn many_categories_and_many_checkpoints_change_no_bit() {
    let small = crowd(3000, 700, 40, false, 4);
    for method in DENSE {
        let conf = LearnConf::default().method(method).rounds(3);
        expect_the_bits_of_the_loop(&small, &conf, &[1, 2, 16]);
        let (_, figures) = on_threads(&small, &conf, 4);
        assert_eq!(figures.checkpoints.len(), if method == Method::Naive { 0 } else { 4 }, "{figures:?}");
    }
}

#[test]
fn pages_with_many_categories_change_no_bit() {
    let mut small = crowd(200, 40, 12, false, 5);
    for (page, row) in small.categories.iter_mut().enumerate().filter(|(page, _)| page % 3 == 0) {
        *row =
            (0..40).filter(|category| (category + page as u32).is_multiple_of(1 + page as u32 % 5)).collect();
    }
    let small = Small::new(small.links, small.categories, 40);
    for method in DENSE {
        expect_the_bits_of_the_loop(&small, &LearnConf::default().method(method), &[1, 3, 8]);
    }
}

#[test]
fn a_category_named_twice_on_a_page_is_no_lock_for_ever() {
    let small = Small::new(
        vec![vec![1, 2], vec![0], vec![0, 1], vec![2]],
        vec![vec![0, 0, 1], vec![1, 1], vec![0, 1], vec![0, 0]],
        2,
    );
    for method in DENSE {
        expect_the_bits_of_the_loop(&small, &LearnConf::default().method(method).passes(5), &[1, 2, 4]);
    }
}

#[test]
fn categories_without_pages_and_pages_without_categories_change_no_bit() {
    let mut small = crowd(300, 200, 9, false, 6);
    // Categories above 200 are on no page; every fourth page has none; some are named twice.
    for (page, row) in small.categories.iter_mut().enumerate() {
        match page % 4 {
            0 => row.clear(),
            1 => row.extend(row.clone()),
            _ => {}
        }
    }
    let small = Small::new(small.links, small.categories, 900);
    for method in DENSE {
        let conf = LearnConf::default().method(method).passes(3).seed(2);
        expect_the_bits_of_the_loop(&small, &conf, &[1, 2, 3, 16]);
    }
}

#[test]
fn without_a_fold_threads_come_to_the_bits_of_the_plain_loops() {
    // So dense that some pages have no non-link left to be drawn outside the fold.
    let links = |page: u32| (0..12).filter(|&to| to != page && !(to + page).is_multiple_of(6)).collect();
    let categories = |page: u32| vec![page % 4, 4 + page % 3];
    let small = Small::new((0..12).map(links).collect(), (0..12).map(categories).collect(), 7);
    for fold in Fold::all(2, 5) {
        let split = Split::of_fold(&small.graph(), fold, 5);
        let graph = Graph { pairs: Pairs::Outside(fold), ..split.training(&small.graph()) };
        for method in Method::ALL {
            let conf = LearnConf::default().method(method).rank(4).passes(2);
            let (threads, figures) = learn(&graph, &conf, &mut Silent).unwrap();
            let (plain, expected) = learn_plainly(&graph, &conf, &mut Silent).unwrap();
            assert_eq!(weights_of(&threads), weights_of(&plain), "{method}");
            assert_eq!(figures.examples, expected.examples, "{method}");
        }
    }
}

#[test]
fn an_ensemble_comes_to_the_bits_of_the_plain_loop() {
    // Large enough for several threads.
    let row = |page: u32| BTreeSet::from_iter((1..40).map(|i| (page + i * i * 7) % 1500));
    let links = (0..1500).map(|page| row(page).into_iter().filter(|&to| to != page).collect());
    let small =
        Small::new(links.collect(), (0..1500).map(|page| vec![page % 10, 10 + page % 7]).collect(), 17);
    let conf = LearnConf::default().rank(5).seed(3).ensemble(3);
    let (plain, _) = learn_plainly(&small.graph(), &conf, &mut Silent).unwrap();
    assert!(small.weights(&conf) == weights_of(&plain));
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn threads_come_to_what_the_loop_comes_to(
        small in graphs(40, 12), seed: u64, passes in 1usize..3, rounds in 1usize..6, k in 0.1f64..3.0,
    ) {
        for method in DENSE {
            let conf = LearnConf::default().method(method).seed(seed);
            let conf = conf.passes(passes).rounds(rounds).aggressiveness(k);
            expect_the_bits_of_the_loop(&small, &conf, &[1, 2, 5]);
        }
    }

    #[test]
    fn few_links_among_many_categories_come_to_the_same(
        small in graphs(25, 150), seed: u64, passes in 1usize..4, k in 0.1f64..3.0,
    ) {
        for method in DENSE {
            let conf = LearnConf::default().method(method).seed(seed).passes(passes).aggressiveness(k);
            expect_the_bits_of_the_loop(&small, &conf, &[1, 2, 3, 16]);
        }
    }
}
