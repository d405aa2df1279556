//! Adamic–Adar: two pages that share neighbours are expected to link, the more so the fewer neighbours those have.
//!
//! AA(s, t) = Σ_{d ∈ Γ(s) ∩ Γ(t)} 1/ln |Γ(d)|, with Γ(d) the pages that d links to or that link to d: L. A. Adamic &
//! E. Adar, “Friends and Neighbors on the Web”, Social Networks 25, 2003, section 4,
//! <https://doi.org/10.1016/S0378-8733(03)00009-1>, on the symmetric graph as the footnote in section 6 of the LlamaFur
//! paper says. It is a measure of expectedness: unexpectedness is −AA.
//!
//! s and t are neighbours of each page that they share, so |Γ(d)| ≥ 2 and the logarithm is positive. Terms are added in
//! the order of the pages: the same sum whichever way the common neighbours are found.

use super::Neighbours;
use crate::corpus::{CorpusError, PageId};
use crate::score::{Score, Scorer};
use std::sync::Arc;

pub(in crate::score) const ADAMIC_ADAR: Scorer = Scorer {
    name: "aa",
    about: "Adamic–Adar: how many neighbours the two pages share, those with few neighbours counting more",
    inputs: "graph",
    takes_model: false,
    open: |inputs, _, progress| Ok(Box::new(AdamicAdar::new(inputs.neighbours(progress)?))),
};

/// Scores links by the neighbours that their ends share.
#[derive(Debug, Clone)]
pub struct AdamicAdar {
    neighbours: Arc<Neighbours>,
    /// 1/ln |Γ(d)| of each page d.
    weights: Vec<f64>,
}

impl AdamicAdar {
    /// A scorer for the links of this graph.
    pub fn new(neighbours: Arc<Neighbours>) -> AdamicAdar {
        let weight = |list: &[PageId]| 1.0 / (list.len() as f64).ln();
        let weights = neighbours.lists().rows().map(weight).collect();
        AdamicAdar { neighbours, weights }
    }

    /// AA(s, t), whether or not s links to t.
    pub fn expectedness(&self, source: PageId, target: PageId) -> f64 {
        let mut sum = 0.0;
        self.neighbours.common(source, target, |page| sum += self.weights[page.index()]);
        sum
    }
}

impl Score for AdamicAdar {
    fn name(&self) -> &str {
        ADAMIC_ADAR.name
    }

    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, CorpusError> {
        // Subtracted from zero rather than negated: no neighbour in common must not become −0.
        Ok(targets.iter().map(|&target| Some(0.0 - self.expectedness(source, target))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Csr, CsrBuf};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn links(rows: &[&[u32]]) -> CsrBuf<PageId> {
        rows.iter().map(|row| row.iter().map(|&page| PageId(page)).collect::<Vec<_>>()).collect()
    }

    #[test]
    fn by_hand() {
        // 0 and 1 share 2 (neighbours 0, 1, 3) and 4 (0, 1): it does not matter which way the links go.
        let links = links(&[&[2, 4], &[2], &[3], &[], &[1]]);
        let scorer = AdamicAdar::new(Arc::new(Neighbours::new(links.view())));
        let expected = 1.0 / 3f64.ln() + 1.0 / 2f64.ln();
        assert_eq!(scorer.expectedness(PageId(0), PageId(1)), expected);
        assert_eq!(scorer.expectedness(PageId(1), PageId(0)), expected);
        // 0 and 3 share 2; 3 and 4 nothing.
        assert_eq!(scorer.expectedness(PageId(0), PageId(3)), 1.0 / 3f64.ln());
        let scores = scorer.score(PageId(3), &[PageId(0), PageId(4)]).unwrap();
        assert_eq!(scores, [Some(-1.0 / 3f64.ln()), Some(0.0)]);
        assert!(scores[1].unwrap().is_sign_positive());
    }

    /// The formula, set by set.
    fn plainly(links: Csr<'_, PageId>, source: usize, target: usize) -> f64 {
        let neighbours = |page: usize| -> BTreeSet<usize> {
            let there = links.row(page).iter().map(|other| other.index());
            let from = (0..links.num_rows()).filter(|&other| links.row(other).contains(&PageId(page as u32)));
            there.chain(from).collect()
        };
        let (one, two) = (neighbours(source), neighbours(target));
        one.intersection(&two).map(|&page| 1.0 / (neighbours(page).len() as f64).ln()).sum()
    }

    proptest! {
        #[test]
        fn equals_the_formula(rows in proptest::collection::vec(proptest::collection::btree_set(0u32..60, 0..40), 60)) {
            let rows = rows.iter().zip(0..).map(|(row, page)| {
                // Page 0 is a hub and the later pages have few links, so that both ways of intersecting are gone.
                let kept = row.iter().filter(move |&&other| other != page && (page < 20 || other.is_multiple_of(17)));
                kept.map(|&other| PageId(other)).collect::<Vec<_>>()
            });
            let links: CsrBuf<PageId> = rows.collect();
            let scorer = AdamicAdar::new(Arc::new(Neighbours::new(links.view())));
            for (source, target) in (0..60).flat_map(|s| (0..60).step_by(7).map(move |t| (s, t))).filter(|(s, t)| s != t) {
                let found = scorer.expectedness(PageId(source), PageId(target));
                prop_assert_eq!(found, plainly(links.view(), source as usize, target as usize));
            }
        }
    }
}
