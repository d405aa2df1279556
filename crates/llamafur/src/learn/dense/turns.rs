//! Order of work: every row of the matrix passes from page to page in the order of the sequence.
//!
//! A page's examples touch only the rows of its own categories. Pages are taken one by one in the order of the
//! sequence, and the thread that takes one draws, for each of its rows, the number of its turn: how many pages before it
//! have that row. The page may be worked on once all its rows have reached that turn; then they are passed on.
//! So every cell sees its examples in the order of the sequence, on however many threads. The first page that
//! is not yet done always has its turn, so somebody can always work.

use super::examples::Round;
use super::layout::Layout;
use crate::graph::{Graph, PageId};
use crate::kernels;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// Distance, in pages, at which places and links are prefetched.
const PLACES_AHEAD: usize = 32;
const LINKS_AHEAD: usize = 16;

/// A row that a page waits for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn {
    row: usize,
    number: u32,
}

/// The pages of a round, each taken once.
pub(super) struct Queue<'a> {
    round: Round<'a>,
    layout: &'a Layout,
    order: &'a [PageId],
    next: Mutex<Next>,
    /// The turn that each row has reached.
    reached: Vec<AtomicU32>,
}

/// State for the next page to be taken.
struct Next {
    position: usize,
    /// Examples of the pages before.
    examples: u64,
    /// The next turn of each row.
    turns: Vec<u32>,
}

/// A page with examples, as it is taken.
pub(super) struct Taken {
    pub(super) page: PageId,
    pub(super) num_examples: usize,
    /// Examples in the sequence before those of the page.
    pub(super) before: u64,
}

impl<'a> Queue<'a> {
    /// Creates a queue of the pages in this order, after `examples` of earlier rounds.
    pub(super) fn new(round: Round<'a>, layout: &'a Layout, order: &'a [PageId], examples: u64) -> Queue<'a> {
        let num_rows = round.graph.num_categories;
        let next = Mutex::new(Next { position: 0, examples, turns: vec![0; num_rows] });
        Queue { round, layout, order, next, reached: (0..num_rows).map(|_| AtomicU32::new(0)).collect() }
    }

    /// Returns the bytes that the queue of a graph takes, with the order of its pages.
    pub(super) fn num_bytes(graph: &Graph<'_>) -> u64 {
        (4 * graph.num_pages() + 8 * graph.num_categories) as u64
    }

    /// Takes the next page that has examples, and replaces `turns` by those that it must wait for;
    /// `None` after the last.
    pub(super) fn take(&self, turns: &mut Vec<Turn>) -> Option<Taken> {
        turns.clear();
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let page = *self.order.get(next.position)?;
            self.prefetch(next.position);
            next.position += 1;
            let num_examples = self.round.num_examples(page);
            if num_examples == 0 {
                continue;
            }
            for &column in self.layout.columns(page) {
                let row = self.layout.category(column).index();
                // A list may name a category twice; the page still has one turn.
                if turns.iter().all(|turn| turn.row != row) {
                    turns.push(Turn { row, number: next.turns[row] });
                    next.turns[row] = next.turns[row].wrapping_add(1);
                }
            }
            let before = next.examples;
            next.examples += num_examples as u64;
            return Some(Taken { page, num_examples, before });
        }
    }

    /// Returns the number of examples up to the pages taken so far.
    pub(super) fn num_examples(&self) -> u64 {
        self.next.lock().unwrap_or_else(PoisonError::into_inner).examples
    }

    fn prefetch(&self, position: usize) {
        let graph = &self.round.graph;
        if let Some(page) = self.order.get(position + PLACES_AHEAD) {
            kernels::prefetch(graph.links.offsets(), page.index());
            self.layout.prefetch(*page);
        }
        if let Some(page) = self.order.get(position + LINKS_AHEAD) {
            let links = graph.links(*page);
            // More than a few lines, and the processor sees by itself that they follow each other.
            (0..links.len().min(64)).step_by(16).for_each(|at| kernels::prefetch(links, at));
        }
    }

    /// Returns whether all these rows have reached the turn; `num_reached` counts those at the front that have.
    pub(super) fn are_reached(&self, turns: &[Turn], num_reached: &mut usize) -> bool {
        // Acquire: what the page before wrote into the row is seen by the thread that sees its turn.
        let reached = |turn: &&Turn| self.reached[turn.row].load(Ordering::Acquire) == turn.number;
        *num_reached += turns[*num_reached..].iter().take_while(reached).count();
        *num_reached == turns.len()
    }

    /// Passes the rows on to the next pages that have them.
    pub(super) fn pass_on(&self, turns: &[Turn]) {
        for turn in turns {
            self.reached[turn.row].store(turn.number.wrapping_add(1), Ordering::Release);
        }
    }
}
