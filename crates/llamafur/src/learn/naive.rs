//! `naive`: the paper's baseline, link frequencies between categories.
//!
//! w(c, c') = log(|(D_c × D_c') ∩ L| + 1) − log(|D_c| + 1) − log(|D_c'| + 1), with D_c the pages that carry c:
//! Boldi & Monti, “LlamaFur”, WebSci 2016, section 4. All pages count (the authors' program skips the last).
//! Every weight is at most log 2, so hardly any link is *explained*: only the order of scores has a meaning.

use super::progress::Watch;
use crate::graph::{CategoryId, Graph};
use crate::matrix::{DenseMatrix, pairs};

/// The plain loop: what the threads of `dense` must come to.
pub(super) fn learn(graph: &Graph<'_>, watch: &mut Watch<'_>) -> DenseMatrix {
    let num_categories = graph.num_categories;
    let mut cells = vec![0u32; num_categories * num_categories];
    for page in graph.pages() {
        for &target in graph.links(page) {
            for (source, target) in pairs(graph.categories(page), graph.categories(target)) {
                cells[source.index() * num_categories + target.index()] += 1;
            }
        }
        watch.count(graph.links(page).len() as u64);
    }
    let weight = weight(graph);
    for (row, source) in cells.chunks_mut(num_categories).zip(0..) {
        for (cell, target) in row.iter_mut().zip(0..) {
            // The weight takes the place of the count: a second matrix of this size may not fit.
            *cell = weight(CategoryId(source), CategoryId(target), *cell).to_bits();
        }
    }
    DenseMatrix::from_cells(num_categories, bytemuck::cast_vec(cells))
}

/// The weight of a pair that so many links join.
pub(super) fn weight(graph: &Graph<'_>) -> impl Fn(CategoryId, CategoryId, u32) -> f32 + Sync + use<> {
    let log_pages = log_pages(graph);
    move |source, target, links| {
        // Most pairs have no link, and a logarithm takes longer than all else.
        let log_links = if links == 0 { 0.0 } else { (f64::from(links) + 1.0).ln() };
        (log_links - log_pages[source.index()] - log_pages[target.index()]) as f32
    }
}

/// log(|D_c| + 1) of every category.
pub(super) fn log_pages(graph: &Graph<'_>) -> Vec<f64> {
    let mut num_pages = vec![0u32; graph.num_categories];
    graph.categories.values().iter().for_each(|category| num_pages[category.index()] += 1);
    num_pages.iter().map(|&pages| f64::from(pages + 1).ln()).collect()
}
