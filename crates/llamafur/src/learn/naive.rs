//! `naive`: the paper's baseline, link frequencies between categories.
//!
//! w(c, c') = log(|(D_c × D_c') ∩ L| + 1) − log(|D_c| + 1) − log(|D_c'| + 1), with D_c the pages that carry c:
//! Boldi & Monti, “LlamaFur”, WebSci 2016, section 4. All pages count (the authors' program skips the last).
//! Every weight is at most log 2, so hardly any link is *explained*: only the order of scores has a meaning.

use crate::graph::{Graph, MilestoneId};

/// The weight of a pair that so many links join.
pub(super) fn weight(graph: &Graph<'_>) -> impl Fn(MilestoneId, MilestoneId, u32) -> f32 + Sync + use<> {
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
