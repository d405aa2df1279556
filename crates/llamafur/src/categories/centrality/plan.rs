//! The order in which nodes are searched from, and the graph renumbered for it.

use super::Parallelism;
use super::search::Search;
use super::share::share_out;
use crate::storage::{Csr, CsrBuf};
use rayon::prelude::*;
use std::collections::VecDeque;
use std::ops::Range;

/// The graph as the searches see it.
pub(super) struct Plan {
    /// The number of nodes of the graph.
    num_nodes: usize,
    /// The nodes with incoming arcs, in the order in which they are numbered here.
    pub(super) order: Vec<u32>,
    /// The targets of each inner node, then those of each kind of leaf; all in the new numbers.
    pub(super) rows: CsrBuf<u32>,
    /// The rows to search from, those of equal weight together.
    pub(super) slots: Vec<u32>,
    /// The ranges of the slots of weight 2⁰, 2¹, …
    pub(super) weights: Vec<Range<usize>>,
}

impl Plan {
    pub(super) fn new(arcs: Csr<'_, u32>) -> Self {
        let num_nodes = arcs.num_rows();
        let arcs = without_loops_and_repeats(arcs);
        let order = top_down(arcs.view(), CsrBuf::transposed(arcs.view(), num_nodes).view());

        let mut number = vec![u32::MAX; num_nodes];
        for (new, &old) in order.iter().enumerate() {
            number[old as usize] = new as u32;
        }
        let renumbered = |old: u32| {
            let mut row: Vec<u32> =
                arcs.view().row(old as usize).iter().map(|&p| number[p as usize]).collect();
            row.sort_unstable();
            row
        };
        let mut rows: CsrBuf<u32> = order.iter().map(|&old| renumbered(old)).collect();

        let leaves: CsrBuf<u32> = (0..num_nodes as u32)
            .filter(|&old| number[old as usize] == u32::MAX && !arcs.view().row(old as usize).is_empty())
            .map(renumbered)
            .collect();
        let mut sorted: Vec<&[u32]> = leaves.view().rows().collect();
        sorted.par_sort_unstable();

        let searched = |row: &u32| !rows.view().row(*row as usize).is_empty();
        let mut by_weight = vec![(0..order.len() as u32).filter(searched).collect::<Vec<u32>>()];
        for alike in sorted.chunk_by(|a, b| a == b) {
            let row = rows.view().num_rows() as u32;
            rows.push_row(alike[0].iter().copied());
            for bit in (0..usize::BITS as usize).filter(|bit| alike.len() >> bit & 1 == 1) {
                if by_weight.len() <= bit {
                    by_weight.resize_with(bit + 1, Vec::new);
                }
                by_weight[bit].push(row);
            }
        }

        let mut end = 0;
        let weights = by_weight
            .iter()
            .map(|slots| {
                let start = end;
                end += slots.len();
                start..end
            })
            .collect();
        Plan { num_nodes, order, rows, slots: by_weight.concat(), weights }
    }

    pub(super) fn run(&self, parallelism: Parallelism, on_searched: &mut dyn FnMut(u64)) -> (Vec<f64>, bool) {
        let searched: u64 =
            self.weights.iter().enumerate().map(|(bit, slots)| (slots.len() as u64) << bit).sum();
        let without_arcs = self.num_nodes as u64 - searched;
        if without_arcs > 0 {
            on_searched(without_arcs);
        }

        let (sums, is_cut) = match parallelism.words {
            8 => self.sums::<8>(parallelism.workers, on_searched),
            4 => self.sums::<4>(parallelism.workers, on_searched),
            2 => self.sums::<2>(parallelism.workers, on_searched),
            _ => self.sums::<1>(parallelism.workers, on_searched),
        };
        let mut centrality = vec![0.0; self.num_nodes];
        for (&node, sum) in self.order.iter().zip(sums) {
            // The conversion rounds to nearest, and the scaling is exact.
            centrality[node as usize] = sum as f64 * 2f64.powi(-64);
        }
        (centrality, is_cut)
    }

    /// Returns the sums of the inner nodes in units of 2⁻⁶⁴, and whether a search was cut.
    fn sums<const W: usize>(&self, workers: usize, on_searched: &mut dyn FnMut(u64)) -> (Vec<u128>, bool) {
        let batches: Vec<(u32, Range<usize>)> = (0..)
            .zip(&self.weights)
            .flat_map(|(bit, slots)| {
                slots.clone().step_by(64 * W).map(move |start| (bit, start..slots.end.min(start + 64 * W)))
            })
            .collect();
        let searches = share_out(
            batches.len(),
            workers,
            || Search::<W>::new(self.order.len()),
            |search, task| {
                let (bit, slots) = &batches[task];
                search.batch(self.rows.view(), &self.slots[slots.clone()], *bit);
                (slots.len() as u64) << bit
            },
            on_searched,
        );
        let (mut sums, mut is_cut) = (vec![0; self.order.len()], false);
        for search in searches {
            is_cut = is_cut || search.is_cut;
            for (sum, more) in sums.iter_mut().zip(search.sums) {
                *sum += more;
            }
        }
        (sums, is_cut)
    }
}

/// Returns the arcs in ascending order, without those that no shortest path takes.
pub(crate) fn without_loops_and_repeats(arcs: Csr<'_, u32>) -> CsrBuf<u32> {
    let num_nodes = arcs.num_rows();
    let mut row = Vec::new();
    let mut clean = CsrBuf::new();
    for (node, parents) in arcs.rows().enumerate() {
        row.clear();
        row.extend(parents.iter().copied().filter(|&parent| parent as usize != node));
        row.sort_unstable();
        row.dedup();
        if let Some(&last) = row.last() {
            assert!(
                (last as usize) < num_nodes,
                "node {node} points to node {last}, but there are only {num_nodes}"
            );
        }
        clean.push_row(row.iter().copied());
    }
    clean
}

/// Returns the nodes with incoming arcs in breadth-first order from the top: first down from the nodes that point
/// nowhere, then from those that are left, whose paths up end in cycles; nodes with many incoming arcs first.
fn top_down(arcs: Csr<'_, u32>, children: Csr<'_, u32>) -> Vec<u32> {
    let children_of = |node: u32| children.row(node as usize);
    let mut starts: Vec<u32> =
        (0..arcs.num_rows() as u32).filter(|&node| !children_of(node).is_empty()).collect();
    starts.sort_by_key(|&node| {
        (!arcs.row(node as usize).is_empty(), std::cmp::Reverse(children_of(node).len()), node)
    });
    let tops = starts.partition_point(|&node| arcs.row(node as usize).is_empty());

    let mut order = Vec::with_capacity(starts.len());
    let mut met = vec![false; arcs.num_rows()];
    let mut queue = VecDeque::new();
    let (tops, rest) = starts.split_at(tops);
    for wave in std::iter::once(tops).chain(rest.chunks(1)) {
        for &node in wave {
            if !std::mem::replace(&mut met[node as usize], true) {
                queue.push_back(node);
            }
        }
        while let Some(node) = queue.pop_front() {
            order.push(node);
            for &child in children_of(node) {
                if !children_of(child).is_empty() && !std::mem::replace(&mut met[child as usize], true) {
                    queue.push_back(child);
                }
            }
        }
    }
    order
}
