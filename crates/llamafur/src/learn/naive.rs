//! `naive`: the paper's baseline, link frequencies between categories.
//!
//! w(c, c') = log(|(D_c × D_c') ∩ L| + 1) − log(|D_c| + 1) − log(|D_c'| + 1), with D_c the pages that carry c:
//! Boldi & Monti, “LlamaFur”, WebSci 2016, section 4. All pages count (the authors' program skips the last).
//! Every weight is at most log 2, so hardly any link is *explained*: only the order of scores has a meaning.

use super::memory::expect_memory;
use super::{LearnConf, Method};
use crate::Error;
use crate::graph::{Graph, MilestoneId};
use crate::matrix::{DenseMatrix, Matrix};
use rayon::prelude::*;

/// Returns the function from a pair, and the number of links that join it, to its weight.
pub(super) fn weight(graph: &Graph<'_>) -> impl Fn(MilestoneId, MilestoneId, u32) -> f32 + Sync + use<> {
    let log_pages = log_pages(graph);
    move |source, target, links| weight_of(&log_pages, source, target, links)
}

fn weight_of(log_pages: &[f64], source: MilestoneId, target: MilestoneId, links: u32) -> f32 {
    // Most pairs have no link, and a logarithm takes longer than all else.
    let log_links = if links == 0 { 0.0 } else { (f64::from(links) + 1.0).ln() };
    (log_links - log_pages[source.index()] - log_pages[target.index()]) as f32
}

/// Returns log(|D_c| + 1) of every category.
fn log_pages(graph: &Graph<'_>) -> Vec<f64> {
    let mut num_pages = vec![0u32; graph.num_categories];
    graph.categories.values().iter().for_each(|category| num_pages[category.index()] += 1);
    logs_of(&num_pages)
}

fn logs_of(num_pages: &[u32]) -> Vec<f64> {
    num_pages.iter().map(|&pages| f64::from(pages + 1).ln()).collect()
}

/// Returns the matrix that [`learn`](super::learn()) gives by [`Method::Naive`], bit for bit, from its counts: the
/// number of pages of each category, and the number of links that join each pair, of the pairs that any joins.
///
/// ```
/// use llamafur::graph::MilestoneId;
/// use llamafur::learn::naive_of_counts;
///
/// // Two pages carry category 0, one carries category 1, to which both link.
/// let matrix = naive_of_counts(&[2, 1], &[(0, 1, 2)])?;
/// let weight = matrix.matrix().weight(MilestoneId(0), MilestoneId(1));
/// assert!((weight - (3f64.ln() - 3f64.ln() - 2f64.ln())).abs() < 1e-6);
/// # Ok::<(), llamafur::Error>(())
/// ```
///
/// # Errors
/// If the pairs do not ascend, one is of no category, or the matrix would not fit in memory.
pub fn naive_of_counts(num_pages: &[u32], pairs: &[(u32, u32, u32)]) -> Result<Matrix, Error> {
    let num = num_pages.len();
    let is_pair = |&(source, target, _): &(u32, u32, u32)| (source.max(target) as usize) < num;
    if !pairs.iter().all(is_pair) || !pairs.is_sorted_by(|a, b| (a.0, a.1) < (b.0, b.1)) {
        let rule = "pairs must be of categories that there are, and ascend".into();
        return Err(Error::Invalid { what: "counts of links", rule });
    }
    let conf = LearnConf::default().method(Method::Naive);
    expect_memory(&conf, num, conf.method.matrix_bytes(num, conf.rank))?;
    let log_pages = logs_of(num_pages);
    let weight =
        |source, target, links| weight_of(&log_pages, MilestoneId(source), MilestoneId(target), links);
    let mut cells = vec![0.0; num * num];
    cells.par_chunks_mut(num.max(1)).zip(0..num as u32).for_each(|(row, source)| {
        row.iter_mut().zip(0..).for_each(|(cell, target)| *cell = weight(source, target, 0));
    });
    for &(source, target, links) in pairs {
        cells[source as usize * num + target as usize] = weight(source, target, links);
    }
    Ok(Matrix::Dense(DenseMatrix::from_cells(num, cells)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::learn;
    use crate::progress::Silent;
    use crate::storage::CsrBuf;
    use std::collections::BTreeMap;

    #[test]
    fn a_matrix_of_counts_is_the_matrix_of_the_graph() {
        let links: CsrBuf<crate::PageId> = (0..50u32)
            .map(|page| (1..page % 9).map(move |step| crate::PageId((page + step * 3) % 50)))
            .map(|row| row.collect::<std::collections::BTreeSet<_>>())
            .collect();
        let categories: CsrBuf<MilestoneId> = (0..50u32)
            .map(|page| [page % 7, 7 + page % 4].into_iter().take(page as usize % 3))
            .map(|row| row.map(MilestoneId).collect::<Vec<_>>())
            .collect();
        let graph = Graph::new(links.view(), categories.view(), 11);
        let (mut num_pages, mut pairs) = ([0u32; 11], BTreeMap::<(u32, u32), u32>::new());
        for page in graph.pages() {
            graph.categories(page).iter().for_each(|category| num_pages[category.index()] += 1);
            for target in graph.links(page) {
                for source in graph.categories(page) {
                    graph
                        .categories(*target)
                        .iter()
                        .for_each(|to| *pairs.entry((source.0, to.0)).or_default() += 1);
                }
            }
        }
        let pairs: Vec<_> =
            pairs.into_iter().map(|((source, target), links)| (source, target, links)).collect();
        let counted = naive_of_counts(&num_pages, &pairs).unwrap();
        let (learnt, _) = learn(&graph, &LearnConf::default().method(Method::Naive), &mut Silent).unwrap();
        let all: Vec<MilestoneId> = (0..11).map(MilestoneId).collect();
        assert_eq!(counted.matrix().weights(&all, &all), learnt.matrix().weights(&all, &all));
        assert!(naive_of_counts(&[1], &[(0, 1, 1)]).is_err(), "no such category");
        assert!(naive_of_counts(&[1, 1], &[(1, 0, 1), (0, 0, 1)]).is_err(), "not ascending");
        assert!(naive_of_counts(&[], &[]).is_ok());
        let too_many = naive_of_counts(&vec![1; 3_000_000], &[]).unwrap_err();
        assert!(matches!(too_many, Error::Memory { form: "dense", .. }), "{too_many}");
    }
}
