//! Approximate harmonic centrality by HyperBall, to compare with the exact one.
//!
//! HyperBall keeps a HyperLogLog counter for each node and grows the balls around all nodes together, one
//! step at a time: Paolo Boldi and Sebastiano Vigna, “In-Core Computation of Geometric Centralities with
//! HyperBall: A Hundred Billion Nodes and Beyond”, *ICDM Workshops 2013*, section 4,
//! <https://doi.org/10.1109/ICDMW.2013.10>. The work is done by the authors' own crate, `webgraph-algo`.
//!
//! # Quirks
//!
//! * With 2^`log2m` registers an estimate of the size of a ball is off by 1.04 / √2^`log2m` on average; the
//!   sums are made of differences of such estimates, and of single-precision numbers.
//! * Memory is two counters of 5 · 2^`log2m` bits for each node: 5 KiB a node for `log2m` = 12.
//! * The crate uses its random source only to load counters with weights. Here each node weighs one, so that
//!   the seed matters. The result has the same bits for any number of threads: counters are loaded one by
//!   one, a step takes maxima of the registers of the step before, and a node's sum is made by one thread a
//!   step.

use super::centrality::without_loops_and_repeats;
use crate::corpus::Csr;
use crate::learn::sampler::Generator;
use dsi_progress_logger::no_logging;
use rand::SeedableRng;
use std::ops::RangeInclusive;
use webgraph::graphs::vec_graph::VecGraph;
use webgraph::traits::{RandomAccessLabeling, SequentialLabeling};
use webgraph_algo::distances::hyperball::HyperBallBuilder;

/// The values of `log2m` that may be asked for. With fewer registers a counter does not fill whole words,
/// which the crate refuses; with more it has no correction for small counts.
pub const LOG2M: RangeInclusive<u32> = 6..=18;

/// Why there is no approximation.
#[derive(Debug, thiserror::Error)]
pub enum HyperBallError {
    /// The number of registers is out of range.
    #[error("log2m must be from {} to {}, got {log2m}", LOG2M.start(), LOG2M.end())]
    Log2m {
        /// The value that was asked for.
        log2m: u32,
    },
    /// The crate that does the work failed.
    #[error("HyperBall failed: {0}")]
    Failed(String),
}

/// Approximately H(x) = Σ 1 / d(y, x) over the nodes y ≠ x from which x can be reached, for every node x.
///
/// `arcs.row(y)` lists the nodes that *y* points to, as for [`harmonic`](super::centrality::harmonic).
/// Counters have 2^`log2m` registers. Arcs from a node to itself and repeated arcs have no influence. The
/// work is done by the current rayon pool; the same seed gives the same bits on any number of threads.
///
/// # Errors
/// If `log2m` is not in [`LOG2M`], or the crate that does the work fails.
///
/// # Panics
/// If an arc leads to a node that does not exist.
///
/// # Examples
/// ```
/// use llamafur::corpus::CsrBuf;
/// use llamafur::categories::hyperball::harmonic_approx;
///
/// let path: CsrBuf<u32> = [vec![1], vec![2], vec![]].into_iter().collect();
/// let centrality = harmonic_approx(path.view(), 14, 1)?;
/// assert!((centrality[2] - 1.5).abs() < 0.01);
/// # Ok::<(), llamafur::categories::hyperball::HyperBallError>(())
/// ```
pub fn harmonic_approx(arcs: Csr<'_, u32>, log2m: u32, seed: u64) -> Result<Vec<f64>, HyperBallError> {
    if !LOG2M.contains(&log2m) {
        return Err(HyperBallError::Log2m { log2m });
    }
    let num_nodes = arcs.num_rows();
    let arcs = without_loops_and_repeats(arcs);
    let mut to_parents = VecGraph::empty(num_nodes);
    let mut to_children = VecGraph::empty(num_nodes);
    for (node, parents) in arcs.view().rows().enumerate() {
        for &parent in parents {
            to_parents.add_arc(node, parent as usize);
            to_children.add_arc(parent as usize, node);
        }
    }
    if to_parents.num_arcs() == 0 {
        return Ok(vec![0.0; num_nodes]);
    }

    // The crate sums over what a node reaches, so it gets the arcs turned round; the arcs as they are only
    // tell it which nodes to look at again.
    let failed = |error| HyperBallError::Failed(format!("{error:#}"));
    let weights = vec![1; num_nodes];
    let degrees = to_children.build_dcf();
    let mut hyperball = HyperBallBuilder::with_hyper_log_log(
        &to_children,
        Some(&to_parents),
        &degrees,
        log2m,
        Some(&weights),
    )
    .map_err(failed)?
    .sum_of_inverse_distances(true)
    .build(no_logging![]);
    let rng = Generator::seed_from_u64(seed);
    hyperball.run_until_done(rng, no_logging![]).map_err(failed)?;
    let centrality = hyperball.harmonic_centralities().map_err(failed)?;
    Ok(centrality.iter().map(|&value| f64::from(value)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::categories::centrality::harmonic;
    use crate::corpus::CsrBuf;
    use crate::learn::sampler::{Purpose, below, generator};

    /// Every node but the first points to one or two before it, and the first ones to one another in a circle.
    fn category_graph(nodes: u32, seed: u64) -> CsrBuf<u32> {
        let mut draw = generator(seed, Purpose::RandomScore, 0);
        let rows = (0..nodes).map(|node| match node {
            0..10 => vec![(node + 1) % 10],
            _ => (0..=node % 2).map(|_| below(&mut draw, u64::from(node)) as u32).collect(),
        });
        rows.collect()
    }

    #[test]
    fn many_registers_come_close_to_the_exact_values() {
        let graph = category_graph(1000, 1);
        let exact = harmonic(graph.view(), &mut |_| {});
        let approx = harmonic_approx(graph.view(), 14, 1).unwrap();
        for (exact, approx) in exact.iter().zip(&approx) {
            assert!((exact - approx).abs() <= 0.05 * exact, "{approx} for {exact}");
        }
    }

    #[test]
    fn paths_to_a_node_count_and_not_paths_from_it() {
        let graph: CsrBuf<u32> = [vec![1], vec![2], vec![]].into_iter().collect();
        let approx = harmonic_approx(graph.view(), 14, 1).unwrap();
        for (approx, exact) in approx.iter().zip([0.0, 1.0, 1.5]) {
            assert!((approx - exact).abs() < 0.01, "{approx} for {exact}");
        }
    }

    #[test]
    fn loops_and_repeats_do_not_count() {
        let plain: CsrBuf<u32> = [vec![1], vec![2], vec![0], vec![0]].into_iter().collect();
        let more: CsrBuf<u32> = [vec![0, 1, 1], vec![2, 1], vec![0, 2, 0], vec![0]].into_iter().collect();
        assert_eq!(
            harmonic_approx(more.view(), 10, 3).unwrap(),
            harmonic_approx(plain.view(), 10, 3).unwrap()
        );
    }

    #[test]
    fn seed_decides_and_threads_do_not() {
        let graph = category_graph(20_000, 1);
        let run = |threads, seed| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| harmonic_approx(graph.view(), 8, seed)).unwrap()
        };
        let expected = run(1, 1);
        for threads in [1, 2, 3, 8] {
            assert_eq!(run(threads, 1), expected, "{threads} threads");
        }
        assert_ne!(run(1, 2), expected);
    }

    #[test]
    fn numbers_of_registers_out_of_range_are_refused() {
        let graph: CsrBuf<u32> = [vec![1], vec![]].into_iter().collect();
        for log2m in [0, 5, 19, u32::MAX] {
            let error = harmonic_approx(graph.view(), log2m, 1).unwrap_err();
            assert_eq!(error.to_string(), format!("log2m must be from 6 to 18, got {log2m}"));
        }
        for log2m in LOG2M {
            assert!(harmonic_approx(graph.view(), log2m, 1).is_ok(), "{log2m}");
        }
    }

    #[test]
    fn graphs_without_arcs_have_zeros() {
        assert!(harmonic_approx(CsrBuf::new().view(), 8, 1).unwrap().is_empty());
        let graph: CsrBuf<u32> = [vec![0], vec![]].into_iter().collect();
        assert_eq!(harmonic_approx(graph.view(), 8, 1).unwrap(), [0.0, 0.0]);
    }
}
