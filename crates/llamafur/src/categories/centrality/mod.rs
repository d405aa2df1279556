//! Exact harmonic centrality: how close the nodes of a graph come to each node.
//!
//! ```text
//! H(x) = Σ_{y ≠ x} 1 / d(y, x)
//! ```
//!
//! where *d(y, x)* is the number of arcs on a shortest path from *y* to *x*, and a node *y* from which *x*
//! cannot be reached adds nothing. The measure is that of Paolo Boldi and Sebastiano Vigna, “Axioms for
//! Centrality”, *Internet Mathematics* 10(3–4), 2014, section 3.2,
//! <https://doi.org/10.1080/15427951.2013.865686>; it counts incoming paths, so in a graph of categories,
//! child → parents, the general categories come out on top.
//!
//! # Algorithm
//!
//! One breadth-first search for each node, many of them at once: bit *i* of a node's words says whether the
//! search from source *i* has come here, and one pass over an arc moves all searches along it. The idea is
//! that of Manuel Then et al., “The More the Merrier: Efficient Multi-Source Graph Traversal”, *Proceedings
//! of the VLDB Endowment* 8(4), 2014, section 3, <https://doi.org/10.14778/2735496.2735507>. What is added
//! here:
//!
//! * A node without incoming arcs (a leaf) is reached by no search. It has no state; its search starts at the
//!   nodes it points to. In a graph of categories most nodes are leaves.
//! * Leaves that point to the same nodes have the same distances. They are searched once for each bit set in
//!   their number, and counted as that power of two.
//! * The other nodes are renumbered in breadth-first order from the top downwards, and the leaves are sorted
//!   by the nodes they point to. Searches that share a batch then share most of their paths.
//!
//! * A search ends after 1,000 steps. Trees of categories have fewer than 300 levels, in which each search reaches all that it
//!   can; in a chain of 200,000 categories the searches would not share any path, and all pairs would be gone through one by one.
//!
//! # Precision
//!
//! Sums are integers in units of 2⁻⁶⁴, with round(2⁶⁴ / d) for 1 / d. Integers commute, so the result has the
//! same bits for any number of threads and any size of batch. For *n* nodes a sum is off by less than *n* ·
//! 2⁻⁶⁵, so the returned value is the double nearest to *H(x)* or a neighbour of that.

mod plan;
mod search;
mod share;
#[cfg(test)]
mod tests;

use crate::storage::Csr;
use plan::Plan;

/// The most steps of a path that is followed: a longer one would add less than 0.001.
pub const MOST_LEVELS: u32 = 1000;

/// The most bytes that the states of all threads may take together.
const STATE_BUDGET: usize = 1 << 30;

/// Computes the harmonic centrality of every node: H(x) = Σ 1 / d(y, x) over the nodes y ≠ x from which x can be
/// reached.
///
/// `arcs.row(y)` lists the nodes that *y* points to. Arcs from a node to itself and repeated arcs have no
/// influence. The work is done by the current rayon pool. `on_searched` is called on the calling thread with
/// numbers of nodes whose searches are finished; together they make up the number of nodes.
///
/// Nodes that are more than [`MOST_LEVELS`] steps away add nothing.
///
/// Time is proportional to the number of batches of 512 nodes times the arcs reached by a batch: seconds for
/// a million categories. Memory is at most about 1 GiB besides a copy of the graph.
///
/// # Panics
/// If an arc leads to a node that does not exist, or `on_searched` panics.
///
/// # Examples
/// ```
/// use llamafur::categories::centrality::harmonic;
/// use llamafur::storage::CsrBuf;
///
/// // 0 → 1 → 2: node 2 is reached from 1 in one step and from 0 in two.
/// let path: CsrBuf<u32> = [vec![1], vec![2], vec![]].into_iter().collect();
/// assert_eq!(harmonic(path.view(), &mut |_| {}), [0.0, 1.0, 1.5]);
/// ```
pub fn harmonic(arcs: Csr<'_, u32>, on_searched: &mut dyn FnMut(u64)) -> Vec<f64> {
    harmonic_of_levels(arcs, on_searched).0
}

/// Computes [`harmonic`], and whether there are paths that were not followed to their ends.
pub(crate) fn harmonic_of_levels(arcs: Csr<'_, u32>, on_searched: &mut dyn FnMut(u64)) -> (Vec<f64>, bool) {
    let plan = Plan::new(arcs);
    let parallelism = Parallelism::choose(plan.slots.len(), plan.order.len(), rayon::current_num_threads());
    plan.run(parallelism, on_searched)
}

/// Numbers of words of bits at a node, and of threads that search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Parallelism {
    words: usize,
    workers: usize,
}

impl Parallelism {
    /// Chooses as many words as are of use to `threads` threads that share `slots` searches, and as fit the budget.
    /// Where even one word does not fit for each thread, fewer threads search.
    fn choose(slots: usize, inner: usize, threads: usize) -> Self {
        let mut words = 8;
        while words > 1
            && (words / 2 * 64 * threads >= slots || inner * bytes_per_node(words) * threads > STATE_BUDGET)
        {
            words /= 2;
        }
        let affordable = STATE_BUDGET / (inner * bytes_per_node(words)).max(1);
        Parallelism { words, workers: threads.min(affordable.max(1)) }
    }
}

/// Returns the bytes of a thread's state for each inner node at worst: two sets of bits, a sum, and a place in each
/// list.
fn bytes_per_node(words: usize) -> usize {
    let bits = 8 * words;
    2 * bits + size_of::<u128>() + (4 + bits) + 4 + 4
}
