//! `naive`: the paper's baseline, link frequencies between categories.
//!
//! w(c, c') = log(|(D_c × D_c') ∩ L| + 1) − log(|D_c| + 1) − log(|D_c'| + 1), with D_c the pages that carry c:
//! Boldi & Monti, “LlamaFur”, WebSci 2016, section 4. All pages count (the authors' program skips the last).
//! Every weight is at most log 2, so hardly any link is *explained*: only the order of scores has a meaning.

use super::progress::Watch;
use crate::corpus::Graph;
use crate::matrix::{DenseMatrix, pairs};

pub(super) fn learn(graph: &Graph<'_>, watch: &mut Watch<'_>) -> DenseMatrix {
    let num_categories = graph.num_categories;
    let mut num_pages = vec![0u32; num_categories];
    let mut cells = vec![0u32; num_categories * num_categories];
    for page in graph.pages() {
        let sources = graph.categories(page);
        sources.iter().for_each(|category| num_pages[category.index()] += 1);
        for &target in graph.links(page) {
            for (source, target) in pairs(sources, graph.categories(target)) {
                cells[source.index() * num_categories + target.index()] += 1;
            }
        }
        watch.count(graph.links(page).len() as u64);
    }
    let log_pages: Vec<f64> = num_pages.iter().map(|&pages| f64::from(pages + 1).ln()).collect();
    for (row, log_sources) in cells.chunks_mut(num_categories).zip(&log_pages) {
        for (cell, log_targets) in row.iter_mut().zip(&log_pages) {
            // The weight takes the place of the count: a second matrix of this size may not fit.
            *cell = (((f64::from(*cell) + 1.0).ln() - log_sources - log_targets) as f32).to_bits();
        }
    }
    DenseMatrix::from_cells(num_categories, bytemuck::cast_vec(cells))
}
