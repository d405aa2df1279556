//! Many breadth-first searches at once, a bit each.

use crate::storage::Csr;

/// The most steps of a path that is followed.
pub(super) const MOST_LEVELS: u128 = super::MOST_LEVELS as u128;

/// The state of a thread: up to 64·`W` searches at a time, and the sums of all it has done.
pub(super) struct Search<const W: usize> {
    /// The searches that have reached each node.
    seen: Vec<[u64; W]>,
    /// The searches that come to each node in the next step.
    next: Vec<[u64; W]>,
    /// The nodes with bits in `next`, `num_reached` of them, and one place more.
    reached: Vec<u32>,
    num_reached: usize,
    /// The nodes that searches reached in the last step, and which searches.
    frontier: Vec<u32>,
    bits: Vec<[u64; W]>,
    /// The nodes with bits in `seen`.
    touched: Vec<u32>,
    /// Sums of inverse distances in units of 2⁻⁶⁴.
    pub(super) sums: Vec<u128>,
    /// True if a search ended before it had reached all that it could.
    pub(super) is_cut: bool,
}

impl<const W: usize> Search<W> {
    pub(super) fn new(num_nodes: usize) -> Self {
        Search {
            seen: vec![[0; W]; num_nodes],
            next: vec![[0; W]; num_nodes],
            reached: vec![0; num_nodes + 1],
            num_reached: 0,
            frontier: Vec::new(),
            bits: Vec::new(),
            touched: Vec::new(),
            sums: vec![0; num_nodes],
            is_cut: false,
        }
    }

    /// Searches from these rows at once, each counting 2^`weight` times.
    pub(super) fn batch(&mut self, rows: Csr<'_, u32>, slots: &[u32], weight: u32) {
        for (i, &slot) in slots.iter().enumerate() {
            let mut bit = [0; W];
            bit[i / 64] = 1 << (i % 64);
            // A row beyond the inner nodes belongs to leaves, which no search comes back to.
            if let Some(seen) = self.seen.get_mut(slot as usize) {
                if is_empty(*seen) {
                    self.touched.push(slot);
                }
                *seen = or(*seen, bit);
            }
            self.push(rows.row(slot as usize), bit);
        }
        for distance in 1.. {
            self.settle(inverse(distance) << weight);
            if self.frontier.is_empty() {
                break;
            }
            if distance == MOST_LEVELS {
                self.is_cut = self.is_cut || self.may_go_on(rows);
                break;
            }
            for i in 0..self.frontier.len() {
                self.push(rows.row(self.frontier[i] as usize), self.bits[i]);
            }
        }
        for node in self.touched.drain(..) {
            self.seen[node as usize] = [0; W];
        }
    }

    /// Returns whether a search of the frontier comes to a node that it has not seen.
    fn may_go_on(&self, rows: Csr<'_, u32>) -> bool {
        let is_new = |(&node, &bits): (&u32, &[u64; W])| {
            let row = rows.row(node as usize);
            row.iter().any(|&next| !is_empty(and_not(bits, self.seen[next as usize])))
        };
        self.frontier.iter().zip(&self.bits).any(is_new)
    }

    /// Sends searches along the arcs of a row.
    #[inline]
    fn push(&mut self, row: &[u32], bits: [u64; W]) {
        for &node in row {
            let next = &mut self.next[node as usize];
            // Half of the time the node is there already. Without a branch the processor need not guess, and
            // can wait for several nodes at once.
            self.reached[self.num_reached] = node;
            self.num_reached += usize::from(is_empty(*next));
            *next = or(*next, bits);
        }
    }

    /// Takes the searches that came to nodes they had not seen as the new frontier, and counts them.
    fn settle(&mut self, inverse: u128) {
        self.frontier.clear();
        self.bits.clear();
        for &node in &self.reached[..std::mem::take(&mut self.num_reached)] {
            let i = node as usize;
            let next = std::mem::replace(&mut self.next[i], [0; W]);
            let seen = &mut self.seen[i];
            let new = and_not(next, *seen);
            if is_empty(new) {
                continue;
            }
            if is_empty(*seen) {
                self.touched.push(node);
            }
            *seen = or(*seen, new);
            self.sums[i] += u128::from(count(new)) * inverse;
            self.frontier.push(node);
            self.bits.push(new);
        }
    }
}

#[inline]
fn or<const W: usize>(a: [u64; W], b: [u64; W]) -> [u64; W] {
    std::array::from_fn(|i| a[i] | b[i])
}

#[inline]
fn and_not<const W: usize>(a: [u64; W], b: [u64; W]) -> [u64; W] {
    std::array::from_fn(|i| a[i] & !b[i])
}

// Comparing arrays calls `memcmp`, which costs more than all else a step does.
#[inline]
fn is_empty<const W: usize>(bits: [u64; W]) -> bool {
    bits.iter().fold(0, |all, word| all | word) == 0
}

#[inline]
fn count<const W: usize>(bits: [u64; W]) -> u32 {
    bits.iter().map(|word| word.count_ones()).sum()
}

/// Returns 1 / `distance` in units of 2⁻⁶⁴, rounded to nearest.
fn inverse(distance: u128) -> u128 {
    ((1 << 64) + distance / 2) / distance
}
