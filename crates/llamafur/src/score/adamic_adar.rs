//! Adamic–Adar: two pages that share neighbours are expected to link, the more so the fewer neighbours those have.
//!
//! AA(s, t) = Σ_{d ∈ Γ(s) ∩ Γ(t)} 1/ln |Γ(d)|, with Γ(d) the pages that d links to or that link to d: L. A. Adamic &
//! E. Adar, “Friends and Neighbors on the Web”, Social Networks 25, 2003, section 4,
//! <https://doi.org/10.1016/S0378-8733(03)00009-1>, on the symmetric graph as the footnote in section 6 of the LlamaFur
//! paper says. It is a measure of expectedness: unexpectedness is −AA.
//!
//! s and t are neighbours of each page that they share, so |Γ(d)| ≥ 2 and the logarithm is positive. Terms are added in
//! the order of the pages: the same sum whichever way the common neighbours are found.

use super::scorers::Opened;
use super::{Score, ScoreConf, Scorer};
use crate::corpus::{Corpus, CorpusError, Csr, CsrBuf, PageId};
use crate::progress::Progress;
use rayon::prelude::*;

pub(super) const ADAMIC_ADAR: Scorer = Scorer {
    name: "aa",
    about: "Adamic–Adar: how many neighbours the two pages share, those with few neighbours counting more",
    inputs: "graph",
    takes_model: false,
    open,
};

fn open<'a>(corpus: &'a Corpus, _: &ScoreConf, progress: &mut dyn Progress) -> Opened<'a> {
    let links = corpus.all_links()?;
    progress.start("neighbours", None);
    let scorer = AdamicAdar::new(links);
    progress.finish();
    Ok(Box::new(scorer))
}

/// Scores links by the neighbours that their ends share.
#[derive(Debug, Clone)]
pub struct AdamicAdar {
    /// Γ of each page.
    neighbours: CsrBuf<PageId>,
    /// 1/ln |Γ(d)| of each page d.
    weights: Vec<f64>,
}

impl AdamicAdar {
    /// A scorer for the links of a graph, each list ascending and without its own page.
    ///
    /// It holds the symmetric graph in memory: 8 bytes a link at the most and 24 a page.
    pub fn new(links: Csr<'_, PageId>) -> AdamicAdar {
        let neighbours = symmetric(links);
        let weight = |list: &[PageId]| 1.0 / (list.len() as f64).ln();
        let weights = neighbours.view().rows().map(weight).collect();
        AdamicAdar { neighbours, weights }
    }

    /// AA(s, t), whether or not s links to t.
    pub fn expectedness(&self, source: PageId, target: PageId) -> f64 {
        let neighbours = self.neighbours.view();
        let mut sum = 0.0;
        common(neighbours.row(source.index()), neighbours.row(target.index()), |page| {
            sum += self.weights[page.index()];
        });
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

/// How much longer the one list must be for looking up the other's members in it to be quicker than going through both.
const MUCH_LONGER: usize = 16;

/// Calls `found` with what two ascending lists have in common, in order.
fn common(one: &[PageId], two: &[PageId], mut found: impl FnMut(PageId)) {
    let (short, mut long) = if one.len() <= two.len() { (one, two) } else { (two, one) };
    if short.len() * MUCH_LONGER < long.len() {
        for page in short {
            let at = long.partition_point(|other| other < page);
            long = &long[at..];
            if long.first() == Some(page) {
                found(*page);
            }
        }
        return;
    }
    let (mut i, mut j) = (0, 0);
    while let (Some(a), Some(b)) = (short.get(i), long.get(j)) {
        if a == b {
            found(*a);
        }
        i += usize::from(a <= b);
        j += usize::from(b <= a);
    }
}

/// The graph in which every link goes both ways: of each page those that it links to or that link to it, ascending.
fn symmetric(links: Csr<'_, PageId>) -> CsrBuf<PageId> {
    let num_pages = links.num_rows();
    let back = CsrBuf::transposed(links.cast(), num_pages);
    let back: Csr<'_, PageId> = back.view().cast();
    let rows = |page: usize| (links.row(page), back.row(page));
    let mut offsets = vec![0i64; num_pages + 1];
    offsets[1..].par_iter_mut().enumerate().for_each(|(page, end)| {
        let (there, from) = rows(page);
        let mut both = 0;
        common(there, from, |_| both += 1);
        *end = (there.len() + from.len() - both) as i64;
    });
    for page in 0..num_pages {
        offsets[page + 1] += offsets[page];
    }
    let mut values = vec![PageId(0); offsets[num_pages] as usize];
    let mut rest = &mut values[..];
    let mut lists = Vec::with_capacity(num_pages);
    for page in 0..num_pages {
        let (list, after) = rest.split_at_mut((offsets[page + 1] - offsets[page]) as usize);
        lists.push(list);
        rest = after;
    }
    lists.into_par_iter().enumerate().for_each(|(page, list)| {
        let (there, from) = rows(page);
        unite(there, from, list);
    });
    CsrBuf::from_parts(offsets, values)
}

/// Writes the members of two ascending lists, each once and in order.
fn unite(one: &[PageId], two: &[PageId], into: &mut [PageId]) {
    let (mut i, mut j) = (0, 0);
    for place in into {
        *place = match (one.get(i), two.get(j)) {
            (Some(a), Some(b)) => *a.min(b),
            (Some(only), None) | (None, Some(only)) => *only,
            (None, None) => unreachable!("the room is that of the members"),
        };
        i += usize::from(one.get(i) == Some(place));
        j += usize::from(two.get(j) == Some(place));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn links(rows: &[&[u32]]) -> CsrBuf<PageId> {
        rows.iter().map(|row| row.iter().map(|&page| PageId(page)).collect::<Vec<_>>()).collect()
    }

    #[test]
    fn by_hand() {
        // 0 and 1 share 2 (neighbours 0, 1, 3) and 4 (0, 1): it does not matter which way the links go.
        let links = links(&[&[2, 4], &[2], &[3], &[], &[1]]);
        let scorer = AdamicAdar::new(links.view());
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
            let scorer = AdamicAdar::new(links.view());
            for (source, target) in (0..60).flat_map(|s| (0..60).step_by(7).map(move |t| (s, t))).filter(|(s, t)| s != t) {
                let found = scorer.expectedness(PageId(source), PageId(target));
                prop_assert_eq!(found, plainly(links.view(), source as usize, target as usize));
            }
        }

        #[test]
        fn both_ways_of_intersecting_find_the_same(
            one in proptest::collection::btree_set(0u32..2000, 0..300), two in proptest::collection::btree_set(0u32..2000, 0..12)
        ) {
            let lists = [&one, &two].map(|set| set.iter().map(|&page| PageId(page)).collect::<Vec<_>>());
            let mut found = Vec::new();
            common(&lists[0], &lists[1], |page| found.push(page.0));
            prop_assert_eq!(found, one.intersection(&two).copied().collect::<Vec<_>>());
        }
    }
}
