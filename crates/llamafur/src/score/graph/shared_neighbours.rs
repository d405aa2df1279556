//! Shared neighbours: two pages that share neighbours are expected to link.
//!
//! Γ(d) are the pages that d links to or that link to d. Four measures of expectedness, of which unexpectedness is the
//! negative:
//!
//! | name | formula | whose |
//! |---|---|---|
//! | `aa`, Adamic–Adar | AA(s, t) = Σ_{d ∈ Γ(s) ∩ Γ(t)} 1/ln \|Γ(d)\| | L. A. Adamic & E. Adar, “Friends and Neighbors on the Web”, Social Networks 25, 2003, section 4, <https://doi.org/10.1016/S0378-8733(03)00009-1>, on the symmetric graph as the footnote in section 6 of the LlamaFur paper says |
//! | `ra`, resource allocation | RA(s, t) = Σ_{d ∈ Γ(s) ∩ Γ(t)} 1/\|Γ(d)\| | T. Zhou, L. Lü & Y.-C. Zhang, “Predicting missing links via local information”, European Physical Journal B 71, 2009, <https://doi.org/10.1140/epjb/e2009-00335-8> |
//! | `cn`, common neighbours | CN(s, t) = \|Γ(s) ∩ Γ(t)\| | M. E. J. Newman, “Clustering and preferential attachment in growing networks”, Physical Review E 64, 025102, 2001, <https://doi.org/10.1103/PhysRevE.64.025102> |
//! | `jaccard` | J(s, t) = \|Γ(s) ∩ Γ(t)\| / \|Γ(s) ∪ Γ(t)\|, 0 where neither has any | D. Liben-Nowell & J. Kleinberg, “The link-prediction problem for social networks”, Journal of the American Society for Information Science and Technology 58, 2007, <https://doi.org/10.1002/asi.20591> |
//!
//! s and t are neighbours of each page that they share, so |Γ(d)| ≥ 2 and its logarithm is positive. Terms are added in
//! the order of the pages: the same sum whichever way the common neighbours are found.

use super::unexpected;
use crate::Error;
use crate::graph::{Neighbours, PageId};
use crate::score::{Reason, Score, Scorer, Side, Suffix};
use std::sync::Arc;

pub(in crate::score) const ADAMIC_ADAR: Scorer = Scorer {
    name: "aa",
    about: "Adamic–Adar: how many neighbours the two pages share, those with few neighbours counting more",
    inputs: "graph",
    cites: "Adamic & Adar 2003",
    model: None,
    suffix: Suffix::None,
    reads_link: false,
    open: |inputs, _, progress| Ok(Arc::new(SharedNeighbours::adamic_adar(inputs.neighbours(progress)?))),
};

pub(in crate::score) const RESOURCE_ALLOCATION: Scorer = Scorer {
    name: "ra",
    about: "resource allocation: as aa, but those with many neighbours count for less",
    inputs: "graph",
    cites: "Zhou, Lü & Zhang 2009",
    model: None,
    suffix: Suffix::None,
    reads_link: false,
    open: |inputs, _, progress| {
        Ok(Arc::new(SharedNeighbours::resource_allocation(inputs.neighbours(progress)?)))
    },
};

pub(in crate::score) const COMMON_NEIGHBOURS: Scorer = Scorer {
    name: "cn",
    about: "how many neighbours the two pages share",
    inputs: "graph",
    cites: "Liben-Nowell & Kleinberg 2003",
    model: None,
    suffix: Suffix::None,
    reads_link: false,
    open: |inputs, _, progress| Ok(Arc::new(SharedNeighbours::common(inputs.neighbours(progress)?))),
};

pub(in crate::score) const JACCARD: Scorer = Scorer {
    name: "jaccard",
    about: "the part of the two pages' neighbours that both have",
    inputs: "graph",
    cites: "Liben-Nowell & Kleinberg 2003",
    model: None,
    suffix: Suffix::None,
    reads_link: false,
    open: |inputs, _, progress| Ok(Arc::new(SharedNeighbours::jaccard(inputs.neighbours(progress)?))),
};

/// A scorer of links by the neighbours that their ends share.
#[derive(Debug, Clone)]
pub struct SharedNeighbours {
    name: &'static str,
    neighbours: Arc<Neighbours>,
    measure: Measure,
}

/// Expectedness of a link between two pages with these common neighbours.
type Measure = fn(&Neighbours, [PageId; 2], &[PageId]) -> Result<f64, Error>;

impl SharedNeighbours {
    /// Creates the Adamic–Adar scorer of this graph.
    pub fn adamic_adar(neighbours: Arc<Neighbours>) -> SharedNeighbours {
        // Not `Sum`, which begins with −0.
        let measure: Measure = |neighbours, _, common| {
            common.iter().try_fold(0.0, |sum, &page| Ok(sum + neighbours.rarity(page)?))
        };
        SharedNeighbours { name: ADAMIC_ADAR.name, neighbours, measure }
    }

    /// Creates the resource allocation scorer of this graph.
    pub fn resource_allocation(neighbours: Arc<Neighbours>) -> SharedNeighbours {
        let measure: Measure = |neighbours, _, common| {
            common.iter().try_fold(0.0, |sum, &page| Ok(sum + 1.0 / neighbours.num_of(page)? as f64))
        };
        SharedNeighbours { name: RESOURCE_ALLOCATION.name, neighbours, measure }
    }

    /// Creates the scorer of this graph by the number of common neighbours.
    pub fn common(neighbours: Arc<Neighbours>) -> SharedNeighbours {
        let measure: Measure = |_, _, common| Ok(common.len() as f64);
        SharedNeighbours { name: COMMON_NEIGHBOURS.name, neighbours, measure }
    }

    /// Creates the scorer of this graph by Jaccard's coefficient.
    pub fn jaccard(neighbours: Arc<Neighbours>) -> SharedNeighbours {
        let measure: Measure = |neighbours, ends, common| {
            Ok(common.len() as f64 / num_of_either(neighbours, ends, common.len())?.max(1) as f64)
        };
        SharedNeighbours { name: JACCARD.name, neighbours, measure }
    }

    /// Returns the expectedness of links to these pages, existing or not.
    pub fn expectedness(&self, source: PageId, targets: &[PageId]) -> Result<Vec<f64>, Error> {
        let measure = |target, common: &[PageId]| (self.measure)(&self.neighbours, [source, target], common);
        self.neighbours.map_common(source, targets, measure)
    }
}

/// Returns the number of pages that are neighbours of either page.
fn num_of_either(
    neighbours: &Neighbours,
    [one, two]: [PageId; 2],
    num_common: usize,
) -> Result<usize, Error> {
    Ok(neighbours.num_of(one)? + neighbours.num_of(two)? - num_common)
}

impl Score for SharedNeighbours {
    fn name(&self) -> &str {
        self.name
    }

    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        Ok(self.expectedness(source, targets)?.into_iter().map(unexpected).collect())
    }

    fn reason(&self, source: PageId, target: PageId, _: Side) -> Result<Option<Reason>, Error> {
        let neighbours = &self.neighbours;
        let common = neighbours.map_common(source, &[target], |_, common| Ok(common.len()))?[0];
        let of_either = num_of_either(neighbours, [source, target], common)?;
        let common = if common == 0 { "none".to_owned() } else { common.to_string() };
        let text = format!("the two pages share {common} of their {of_either} neighbours");
        Ok(Some(Reason::new(self.name, text)))
    }
}
