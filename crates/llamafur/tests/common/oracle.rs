//! The passive-aggressive learners written out literally in 64-bit arithmetic, with a bound on how far 32-bit
//! weights may drift from them.
//!
//! The learners keep each weight w as a 32-bit float: a step δ is rounded, and the sum w + δ is rounded, which
//! costs at most u·|δ| + u·|w + δ| for a cell, u = 2⁻²⁴. Such errors do not grow: a step is a gradient step of a
//! convex function of the touched cells with curvature ρ²·nm ≤ 1 (−σρ·min(K, 1 − σρΣw) is its slope), and such
//! steps bring no two matrices further apart in the Euclidean norm. So the drift is at most the sum over the
//! steps of √(nm)·u·(|δ| + max |w|), which is what [`Drift`] adds up.

#![allow(unreachable_pub)]

use super::Small;
use llamafur::graph::PageId;
use llamafur::learn::sampler::{NonLinks, Purpose, generator, page_order, shuffle};

/// A pair of pages, and whether it is a link.
pub type Example = (PageId, PageId, bool);

/// The sequence of `paper` and `original`: page by page its links, then as many non-links.
pub fn links_then_non_links(small: &Small, seed: u64, passes: u64) -> Vec<Example> {
    let graph = small.graph();
    let mut sequence = Vec::new();
    for pass in 0..passes {
        for page in page_order(graph.num_pages(), seed, pass) {
            let links = graph.links(page);
            sequence.extend(links.iter().map(|&target| (page, target, true)));
            let non_links = NonLinks::new(&graph, page, seed, pass).take(links.len());
            sequence.extend(non_links.map(|target| (page, target, false)));
        }
    }
    sequence
}

/// The sequence of `averaged`: in each of the rounds, over all pages in a new order, the links of the page whose turn
/// it is, one in so many, and as many non-links drawn for the round, shuffled.
pub fn dealt_over_rounds(small: &Small, seed: u64, passes: u64, rounds: u64) -> Vec<Example> {
    let graph = small.graph();
    let mut sequence = Vec::new();
    for number in 0..passes * rounds {
        for page in page_order(graph.num_pages(), seed, number) {
            let mut non_links = NonLinks::new(&graph, page, seed, number);
            let mut hand: Vec<Example> = Vec::new();
            for (at, &target) in (0..).zip(graph.links(page)) {
                if at % rounds == (number + u64::from(page.0)) % rounds {
                    hand.push((page, target, true));
                    hand.extend(non_links.next().map(|target| (page, target, false)));
                }
            }
            shuffle(&mut generator(seed, Purpose::ExampleOrder, u64::from(page.0) | number << 32), &mut hand);
            sequence.extend(hand);
        }
    }
    sequence
}

/// How e is scaled, what the step is multiplied by, and whether a pair beyond the margin is left alone.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    pub rho: fn(f64) -> f64,
    pub step: f64,
    pub hinge: bool,
    pub aggressiveness: f64,
}

/// Algorithm 1 as printed: ρ = 1/(nm).
pub fn paper(aggressiveness: f64) -> Rule {
    Rule { rho: |num_pairs| 1.0 / num_pairs, step: 1.0, hinge: false, aggressiveness }
}

/// Algorithm 1 with ρ = 1/√(nm).
pub fn original(aggressiveness: f64) -> Rule {
    Rule { rho: |num_pairs| 1.0 / num_pairs.sqrt(), ..paper(aggressiveness) }
}

/// PA-I with ρ = 1/√(nm).
pub fn hinge(aggressiveness: f64) -> Rule {
    Rule { hinge: true, ..original(aggressiveness) }
}

/// What 32-bit weights may differ by.
#[derive(Debug, Clone, Copy, Default)]
pub struct Drift {
    /// Of the last matrix.
    pub last: f64,
    /// Of the average of all matrices, kept as Σδ − Σδ·(t − 1)/T.
    pub average: f64,
}

/// What the literal algorithm came to.
pub struct Run {
    /// Every matrix after the first, which is zero; row after row.
    pub iterates: Vec<Vec<f64>>,
    pub drift: Drift,
    /// The largest |1 − σ·e·ρ|.
    pub largest_loss: f64,
}

impl Run {
    pub fn last(&self) -> &[f64] {
        self.iterates.last().unwrap()
    }

    pub fn average(&self) -> Vec<f64> {
        let cells = 0..self.iterates[0].len();
        cells
            .map(|at| self.iterates.iter().map(|w| w[at]).sum::<f64>() / self.iterates.len() as f64)
            .collect()
    }
}

pub fn run(small: &Small, sequence: &[Example], rule: Rule) -> Run {
    let unit_roundoff = 2f64.powi(-24);
    // For the 64-bit arithmetic, and for taking the bound at our weights instead of the learner's.
    let slack = |bound: f64| 1.01 * bound + 1e-14;
    let num_categories = small.num_categories;
    let mut weights = vec![0.0f64; num_categories * num_categories];
    let mut taken_off = weights.clone();
    let mut run = Run { iterates: Vec::new(), drift: Drift::default(), largest_loss: 0.0 };
    for (index, &(source, target, is_link)) in sequence.iter().enumerate() {
        let (sources, targets) = (&small.categories[source.index()], &small.categories[target.index()]);
        let num_pairs = (sources.len() * targets.len()) as f64;
        if num_pairs > 0.0 {
            let rho = (rule.rho)(num_pairs);
            let cells = || {
                let row = |&c: &u32| targets.iter().map(move |&d| c as usize * num_categories + d as usize);
                sources.iter().flat_map(row)
            };
            let mu: f64 = cells().map(|at| weights[at]).sum();
            let mut delta = if is_link {
                rho * rule.aggressiveness.min(1.0 - mu * rho)
            } else {
                -rho * rule.aggressiveness.min(1.0 + mu * rho)
            };
            let margin = if is_link { mu * rho } else { -mu * rho };
            if rule.hinge && margin >= 1.0 {
                delta = 0.0;
            }
            delta *= rule.step;
            run.largest_loss = run.largest_loss.max((1.0 - margin).abs());
            let time = index as f64 / sequence.len() as f64;
            let (mut largest, mut largest_taken_off) = (0.0f64, 0.0f64);
            for at in cells() {
                weights[at] += delta;
                taken_off[at] += delta * time;
                largest = largest.max(weights[at].abs());
                largest_taken_off = largest_taken_off.max(taken_off[at].abs());
            }
            let of_weights = slack(num_pairs.sqrt() * unit_roundoff * (delta.abs() + largest));
            let of_taken_off =
                slack(num_pairs.sqrt() * unit_roundoff * ((delta * time).abs() + largest_taken_off));
            run.drift.last += of_weights;
            // The iterates drift by as much as the last one; what is taken off does not know of the roundings
            // of the weights, and has its own.
            run.drift.average += 2.0 * of_weights + of_taken_off;
        }
        run.iterates.push(weights.clone());
    }
    let largest = weights.iter().chain(&taken_off).fold(0.0f64, |a, b| a.max(b.abs()));
    run.drift.average += 2.0 * unit_roundoff * largest;
    run
}

/// Says where two matrices differ by more than `bound`.
pub fn expect_close(found: &[f64], expected: &[f64], bound: f64) {
    assert_eq!(found.len(), expected.len());
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() <= bound, "cell {at}: {found}, expected {expected} ± {bound:e}");
    }
}
