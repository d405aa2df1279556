#![allow(clippy::unwrap_used)]

use std::panic::{AssertUnwindSafe, catch_unwind};

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::share::share_out;
use super::*;
use crate::storage::CsrBuf;
use rayon::prelude::*;
use std::collections::VecDeque;

const FAR: usize = usize::MAX;

fn graph(num_nodes: usize, arcs: &[(usize, usize)]) -> CsrBuf<u32> {
    let mut rows = vec![Vec::new(); num_nodes];
    for &(from, to) in arcs {
        rows[from].push(to as u32);
    }
    rows.into_iter().collect()
}

fn random_graph(num_nodes: usize, num_arcs: usize, seed: u64) -> CsrBuf<u32> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut node = || rng.random_range(0..num_nodes);
    let arcs: Vec<_> = (0..num_arcs).map(|_| (node(), node())).collect();
    graph(num_nodes, &arcs)
}

fn quiet(graph: &CsrBuf<u32>) -> Vec<f64> {
    harmonic(graph.view(), &mut |_| {})
}

fn in_pool<R: Send>(threads: usize, run: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
}

/// Distances by Floyd and Warshall: `distances[from][to]`.
fn distances(arcs: Csr<'_, u32>) -> Vec<Vec<usize>> {
    let n = arcs.num_rows();
    let mut d = vec![vec![FAR; n]; n];
    for (from, row) in d.iter_mut().enumerate() {
        arcs.row(from).iter().for_each(|&to| row[to as usize] = 1);
        row[from] = 0;
    }
    for via in 0..n {
        for from in 0..n {
            for to in 0..n {
                d[from][to] = d[from][to].min(d[from][via].saturating_add(d[via][to]));
            }
        }
    }
    d
}

/// Σ 1 / d as the nearest double, by way of a fraction over the common multiple of all distances up to
/// 39.
fn nearest_sum(distances: impl Iterator<Item = usize>) -> f64 {
    const MULTIPLE: u128 = 5_342_931_457_063_200;
    let numerator: u128 = distances.map(|d| MULTIPLE / d as u128).sum();
    let scaled = numerator << 64;
    // The lowest bit only says whether anything was cut off, which is what rounding needs to know.
    let sticky = u128::from(!scaled.is_multiple_of(MULTIPLE));
    ((scaled / MULTIPLE) | sticky) as f64 * 2f64.powi(-64)
}

/// Searches from each node, one after the other, with the sums in units of 2⁻⁶⁴.
fn one_by_one(arcs: Csr<'_, u32>) -> Vec<f64> {
    let n = arcs.num_rows();
    let mut sums = vec![0u128; n];
    for source in 0..n {
        let mut distance: Vec<Option<u128>> = vec![None; n];
        distance[source] = Some(0);
        let mut queue = VecDeque::from([(source, 0)]);
        while let Some((node, steps)) = queue.pop_front() {
            for to in arcs.row(node).iter().map(|&to| to as usize) {
                if distance[to].is_none() {
                    let d = steps + 1;
                    distance[to] = Some(d);
                    sums[to] += ((1 << 64) + d / 2) / d;
                    queue.push_back((to, d));
                }
            }
        }
    }
    sums.into_iter().map(|sum| sum as f64 / 2f64.powi(64)).collect()
}

/// A graph of up to 40 nodes with loops and repeated arcs, from hardly any arcs to many.
fn small_graph() -> impl Strategy<Value = CsrBuf<u32>> {
    (1usize..=40).prop_flat_map(|n| {
        prop::collection::vec((0..n, 0..n), 0..=3 * n).prop_map(move |arcs| graph(n, &arcs))
    })
}

proptest! {
    #[test]
    fn agrees_with_floyd_and_warshall(graph in small_graph()) {
        let d = distances(graph.view());
        for (x, &value) in quiet(&graph).iter().enumerate() {
            let exact = nearest_sum(d.iter().map(|row| row[x]).filter(|&d| d != 0 && d != FAR));
            let ulps = value.to_bits().abs_diff(exact.to_bits());
            prop_assert!(ulps <= 1, "node {}: {} for {}", x, value, exact);
        }
    }

    #[test]
    fn loops_and_repeats_do_not_count(graph in small_graph()) {
        let more: CsrBuf<u32> = (0..)
            .zip(graph.view().rows())
            .map(|(node, row)| [row, &[node], row].concat())
            .collect();
        prop_assert_eq!(quiet(&more), quiet(&graph));
    }
}

#[test]
fn several_batches_agree_with_single_searches() {
    for (seed, arcs_per_node) in [(1, 1), (2, 2), (3, 4), (4, 20)] {
        let graph = random_graph(700, 700 * arcs_per_node, seed);
        let expected = one_by_one(graph.view());
        let plan = Plan::new(graph.view());
        for words in [1, 2, 4, 8] {
            assert_eq!(plan.run(Parallelism { words, workers: 1 }, &mut |_| {}).0, expected, "{words} words");
        }
    }
}

#[test]
fn same_bits_for_any_number_of_threads_and_words() {
    let graph = random_graph(5000, 9000, 7);
    let expected = one_by_one(graph.view());
    for threads in [1, 2, 3, 8] {
        in_pool(threads, || {
            assert_eq!(quiet(&graph), expected, "{threads} threads");
            let plan = Plan::new(graph.view());
            for words in [1, 2, 4, 8] {
                for workers in [1, 2, threads] {
                    assert_eq!(plan.run(Parallelism { words, workers }, &mut |_| {}).0, expected);
                }
            }
        });
    }
    assert_eq!(quiet(&graph), expected);
}

#[test]
fn centre_of_a_star_counts_its_children() {
    let children = 100_000u32;
    let star: CsrBuf<u32> = (0..=children).map(|node| (node > 0).then_some(0)).collect();
    let centrality = quiet(&star);
    assert_eq!(centrality[0], f64::from(children));
    assert!(centrality[1..].iter().all(|&value| value == 0.0));
    // Alike as they are, they take a search for each bit of their number.
    assert_eq!(Plan::new(star.view()).slots.len(), children.count_ones() as usize);
}

#[test]
fn cycles_and_paths_have_harmonic_numbers() {
    let harmonic_number = |n: usize| (1..=n).rev().map(|d| 1.0 / d as f64).sum::<f64>();
    let close = |a: f64, b: f64| (a - b).abs() < 1e-13;
    let path: CsrBuf<u32> = (0..300).map(|node| (node < 299).then_some(node + 1)).collect();
    for (place, &value) in quiet(&path).iter().enumerate() {
        assert!(close(value, harmonic_number(place)), "{place}: {value}");
    }
    let cycle: CsrBuf<u32> = (0..300).map(|node| [(node + 1) % 300]).collect();
    for &value in &quiet(&cycle) {
        assert!(close(value, harmonic_number(299)), "{value}");
    }
}

#[test]
fn graphs_without_paths_have_zeros() {
    assert!(quiet(&CsrBuf::new()).is_empty());
    assert_eq!(quiet(&graph(1, &[(0, 0), (0, 0)])), [0.0]);
    assert_eq!(quiet(&graph(3, &[])), [0.0; 3]);
    assert!(in_pool(1, || quiet(&CsrBuf::new())).is_empty());
}

#[test]
fn siblings_are_numbered_next_to_each_other_from_the_top() {
    // 4 is the top; 1 and 3 are its children with children of their own; 5 and 6 are a cycle apart.
    let graph = graph(8, &[(1, 4), (3, 4), (0, 1), (2, 3), (7, 3), (5, 6), (6, 5)]);
    let plan = Plan::new(graph.view());
    assert_eq!(plan.order, [4, 1, 3, 5, 6]);
    // Five inner nodes, then the leaf 0, then 2 and 7 together.
    assert_eq!(plan.rows.view().rows().skip(5).collect::<Vec<_>>(), [&[1u32][..], &[2]]);
    assert_eq!((plan.slots, plan.weights), (vec![1, 2, 3, 4, 5, 6], vec![0..5, 5..6]));
}

#[test]
#[should_panic(expected = "node 0 points to node 2")]
fn arcs_to_nowhere_are_refused() {
    quiet(&graph(2, &[(0, 2)]));
}

#[test]
fn progress_adds_up_to_the_number_of_nodes_on_the_calling_thread() {
    for graph in [
        random_graph(3000, 4000, 1),
        graph(5, &[]),
        graph(9, &[(1, 0), (2, 0), (3, 0), (4, 4)]),
        CsrBuf::new(),
    ] {
        let total = || {
            let caller = std::thread::current().id();
            let mut total = 0;
            harmonic(graph.view(), &mut |amount| {
                assert_eq!(std::thread::current().id(), caller);
                total += amount;
            });
            total
        };
        assert_eq!(total(), graph.view().num_rows() as u64);
        for threads in [1, 2, 3] {
            assert_eq!(in_pool(threads, total), graph.view().num_rows() as u64);
        }
    }
}

#[test]
fn panics_are_passed_on_and_do_not_hang() {
    let worker_fails = || {
        share_out(100, 8, || (), |(), task| if task == 3 { panic!("worker") } else { 1 }, &mut |_| {});
    };
    let reporter_fails = || {
        share_out(100, 8, || (), |(), _| 1, &mut |_| panic!("reporter"));
    };
    for run in [&worker_fails as &(dyn Fn() + Sync), &reporter_fails] {
        assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
        for threads in [1, 2, 3] {
            assert!(catch_unwind(AssertUnwindSafe(|| in_pool(threads, run))).is_err());
        }
    }
}

#[test]
fn nested_calls_in_a_small_pool_finish() {
    let graph = random_graph(1000, 2000, 5);
    let expected = one_by_one(graph.view());
    in_pool(2, || {
        (0..6).into_par_iter().for_each(|_| assert_eq!(quiet(&graph), expected));
    });
}

#[test]
fn words_and_workers_stay_within_the_budget() {
    assert_eq!(Parallelism::choose(1_000_000, 340_000, 2), Parallelism { words: 8, workers: 2 });
    assert_eq!(Parallelism::choose(100, 100, 2), Parallelism { words: 1, workers: 2 });
    assert_eq!(Parallelism::choose(600, 600, 2), Parallelism { words: 8, workers: 2 });
    assert_eq!(Parallelism::choose(0, 0, 4), Parallelism { words: 1, workers: 4 });
    for inner in [1_000, 1_000_000, 10_000_000] {
        for threads in [1, 2, 16, 128] {
            let parallelism = Parallelism::choose(usize::MAX, inner, threads);
            assert!(
                parallelism.workers == 1
                    || parallelism.workers * inner * bytes_per_node(parallelism.words) <= STATE_BUDGET
            );
            assert!(parallelism.workers >= 1);
        }
    }
}

#[test]
fn paths_are_followed_for_a_thousand_levels() {
    // A chain and a circle, each far longer.
    let num = 10_000u32;
    let chain: CsrBuf<u32> = (0..num).map(|node| (node + 1 < num).then_some(node + 1).into_iter()).collect();
    let circle: CsrBuf<u32> = (0..num).map(|node| [(node + 1) % num]).collect();
    let most: f64 = (1..=MOST_LEVELS).rev().map(|steps| 1.0 / f64::from(steps)).sum();
    let (found, is_cut) = harmonic_of_levels(chain.view(), &mut |_| {});
    assert!(is_cut && (found[num as usize - 1] - most).abs() < 1e-12 && found[2] == 1.5);
    let (found, is_cut) = harmonic_of_levels(circle.view(), &mut |_| {});
    assert!(is_cut && found.iter().all(|centrality| (centrality - most).abs() < 1e-12));
    let short: CsrBuf<u32> =
        (0..=MOST_LEVELS).map(|node| (node < MOST_LEVELS).then_some(node + 1).into_iter()).collect();
    assert!(!harmonic_of_levels(short.view(), &mut |_| {}).1);
}
