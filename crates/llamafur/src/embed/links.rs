//! The links as a matrix: how much more often two pages are neighbours than by their numbers of neighbours.

use super::EmbeddingKind;
use super::svd::Matrix;
use crate::graph::{Neighbours, PageId};

/// The embedding by links.
pub(super) const LINKS: EmbeddingKind = EmbeddingKind { name: "links", rank: 64 };

/// A_ij = max(0, ln(N/(d_i·d_j))) for neighbours i, j.
pub(super) struct Ppmi<'a> {
    neighbours: &'a Neighbours,
    /// ½·ln N − ln d of each page.
    logs: Vec<f32>,
}

impl<'a> Ppmi<'a> {
    pub(super) fn new(neighbours: &'a Neighbours) -> Ppmi<'a> {
        let lists = neighbours.lists();
        let half = (lists.num_values() as f64).ln() / 2.0;
        let log = |list: &[PageId]| (half - (list.len() as f64).ln()) as f32;
        Ppmi { neighbours, logs: lists.rows().map(log).collect() }
    }
}

impl Matrix for Ppmi<'_> {
    fn num_rows(&self) -> usize {
        self.logs.len()
    }

    fn num_columns(&self) -> usize {
        self.logs.len()
    }

    fn row(&self, row: usize, entry: &mut dyn FnMut(usize, f32)) {
        let own = self.logs[row];
        for page in self.neighbours.of(PageId(row as u32)) {
            let value = own + self.logs[page.index()];
            if value > 0.0 {
                entry(page.index(), value);
            }
        }
    }

    /// The matrix is symmetric.
    fn transposed_times(&self, x: &[f32], width: usize) -> Vec<f32> {
        self.times(x, width)
    }
}
