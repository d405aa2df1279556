//! Cycles in the category tree, which is none: categories that are above themselves.
//!
//! Tarjan's algorithm (“Depth-first search and linear graph algorithms”, SIAM J. Comput. 1972), with a stack of its
//! own instead of recursion: a strongly connected component of more than one category is a knot of cycles.

use llamafur::corpus::Csr;

/// How many knots of cycles there are, and how many categories are in them.
pub(crate) fn count(parents: Csr<'_, u32>) -> (u64, u64) {
    const NEW: u32 = u32::MAX;
    let n = parents.num_rows();
    // The order of discovery, and the earliest that can be reached; both as in the paper.
    let (mut number, mut low) = (vec![NEW; n], vec![0u32; n]);
    let mut is_open = vec![false; n];
    let (mut open, mut calls): (Vec<u32>, Vec<(u32, usize)>) = (Vec::new(), Vec::new());
    let (mut next, mut knots, mut members) = (0, 0, 0);
    for root in 0..n as u32 {
        if number[root as usize] != NEW {
            continue;
        }
        calls.push((root, 0));
        while let Some((v, edge)) = calls.pop() {
            let at = v as usize;
            if edge == 0 {
                (number[at], low[at]) = (next, next);
                next += 1;
                open.push(v);
                is_open[at] = true;
            } else {
                let child = parents.row(at)[edge - 1] as usize;
                low[at] = low[at].min(low[child]);
            }
            let mut deeper = None;
            for (i, &w) in parents.row(at).iter().enumerate().skip(edge) {
                if number[w as usize] == NEW {
                    deeper = Some((i + 1, w));
                    break;
                } else if is_open[w as usize] {
                    low[at] = low[at].min(number[w as usize]);
                }
            }
            if let Some((edge, w)) = deeper {
                calls.push((v, edge));
                calls.push((w, 0));
            } else if low[at] == number[at] {
                let size = open.iter().rev().position(|&w| w == v).map_or(0, |place| place + 1);
                open.drain(open.len() - size..).for_each(|w| is_open[w as usize] = false);
                if size > 1 {
                    knots += 1;
                    members += size as u64;
                }
            }
        }
    }
    (knots, members)
}

#[cfg(test)]
mod tests {
    use super::*;
    use llamafur::corpus::CsrBuf;
    use proptest::prelude::*;

    fn counted(rows: &[Vec<u32>]) -> (u64, u64) {
        let table: CsrBuf<u32> = rows.iter().cloned().collect();
        count(table.view())
    }

    #[test]
    fn a_tree_has_none_and_a_ring_is_one() {
        assert_eq!(counted(&[vec![], vec![0], vec![0, 1]]), (0, 0));
        assert_eq!(counted(&[vec![1], vec![2], vec![0], vec![0]]), (1, 3));
        assert_eq!(counted(&[vec![1], vec![0], vec![3], vec![2]]), (2, 4));
    }

    #[test]
    fn a_chain_of_a_million_needs_no_recursion() {
        let rows: Vec<Vec<u32>> = (0..1_000_000u32).map(|i| vec![(i + 1) % 1_000_000]).collect();
        assert_eq!(counted(&rows), (1, 1_000_000));
    }

    proptest! {
        #[test]
        fn equals_mutual_reachability(edges in prop::collection::vec((0usize..9, 0usize..9), 0..24)) {
            let mut reach = [[false; 9]; 9];
            let mut rows = vec![Vec::new(); 9];
            for (a, b) in edges.into_iter().filter(|(a, b)| a != b) {
                reach[a][b] = true;
                rows[a].push(b as u32);
            }
            for k in 0..9 { for i in 0..9 { for j in 0..9 {
                reach[i][j] |= reach[i][k] && reach[k][j];
            }}}
            let in_cycle = (0..9).filter(|&i| reach[i][i]).count() as u64;
            let first = |i: usize| (0..i).all(|j| !(reach[i][j] && reach[j][i]));
            let knots = (0..9).filter(|&i| reach[i][i] && first(i)).count() as u64;
            prop_assert_eq!(counted(&rows), (knots, in_cycle));
        }
    }
}
