//! The number of links that a matrix explains.

use crate::graph::{Graph, PageId};
use crate::matrix::CategoryMatrix;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Links with positive expectedness: |L ∩ L*| of the paper's section 5, among those that were scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Explained {
    /// The number of explained links.
    pub links: u64,
    /// The number of links scored.
    pub among: u64,
}

impl Explained {
    /// Counts among all links; where they are more than `most`, among about as many: those of every n-th page.
    pub fn among(graph: &Graph<'_>, matrix: &dyn CategoryMatrix, most: usize) -> Explained {
        let stride = graph.num_links().div_ceil(most.max(1)).max(1);
        let of_page = |page: usize| {
            let (links, sources) = (graph.links.row(page), graph.categories.row(page));
            let is_explained =
                |target: &&PageId| matrix.expectedness(sources, graph.categories(**target)) > 0.0;
            let explained = links.iter().filter(is_explained).count();
            Explained { links: explained as u64, among: links.len() as u64 }
        };
        (0..graph.num_pages()).into_par_iter().step_by(stride).map(of_page).reduce(
            Explained::default,
            |a, b| Explained { links: a.links + b.links, among: a.among + b.among },
        )
    }

    /// Returns the share of explained links; 0 among none.
    pub fn share(&self) -> f64 {
        self.links as f64 / self.among.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::MilestoneId;
    use crate::matrix::DenseMatrix;
    use crate::storage::CsrBuf;

    #[test]
    fn of_many_links_those_of_pages_far_and_wide_are_asked() {
        // Every page links to the next; of the pages, the even ones carry category 0, the odd ones 1, and links
        // out of category 0 are expected.
        let num = 10_000u32;
        let links = CsrBuf::from_iter((0..num).map(|page| [PageId((page + 1) % num)]));
        let categories = CsrBuf::from_iter((0..num).map(|page| [MilestoneId(page % 2)]));
        let graph = Graph::new(links.view(), categories.view(), 2);
        let matrix = DenseMatrix::from_cells(2, vec![1.0, 1.0, -1.0, -1.0]);
        let among = |most| Explained::among(&graph, &matrix, most);
        assert_eq!(among(usize::MAX), Explained { links: 5_000, among: 10_000 });
        assert_eq!(among(10_000), among(usize::MAX));
        // Every third page.
        assert_eq!(among(3_400), Explained { links: 1_667, among: 3_334 });
        assert_eq!(among(0).among, 1);
    }
}
