//! The links of the graph behind a weight: those that join a pair of categories.

use super::{CategoryPages, WeightedPair};
use crate::Error;
use crate::graph::PageId;
use crate::interrupt;
use crate::learn::Model;
use crate::score::Normalise;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Number of typical links kept for each pair.
const TYPICAL: usize = 3;

/// The links that join a pair of categories.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Evidence {
    /// Number of links.
    pub(crate) links: u64,
    /// The most expected of them, at most three.
    pub(crate) typical: Vec<(PageId, PageId)>,
}

/// Returns the links behind each of the pairs; `except` is left out of the typical ones. Only the links of pages in the
/// source categories are read, and further only those that lead into a target category.
pub(crate) fn evidence(
    model: &Model,
    index: &CategoryPages,
    pairs: &[WeightedPair],
    except: (PageId, PageId),
) -> Result<Vec<Evidence>, Error> {
    let sources = pairs.iter().map(|pair| pair.source).collect::<BTreeSet<_>>();
    let leads_in = index.marked(pairs.iter().map(|pair| pair.target))?;
    let nothing = || vec![Gathered::default(); pairs.len()];
    let carried = interrupt::carried();
    let found = index.of_any(sources)?.into_par_iter().try_fold(nothing, |mut found, page| {
        carried.scope(|| gather(model, pairs, &leads_in, except, page, &mut found))?;
        Ok::<_, Error>(found)
    });
    let all = found.try_reduce(nothing, |mut all, part| {
        all.iter_mut().zip(part).for_each(|(all, part)| all.merge(part));
        Ok(all)
    });
    Ok(all?.into_iter().map(Gathered::into_evidence).collect())
}

fn gather(
    model: &Model,
    pairs: &[WeightedPair],
    leads_in: &[bool],
    except: (PageId, PageId),
    page: PageId,
    found: &mut [Gathered],
) -> Result<(), Error> {
    let categories = model.categories();
    let sources = categories.of(page)?;
    for &target in categories.corpus().links(page)? {
        if !leads_in[target.index()] {
            continue;
        }
        interrupt::check()?;
        let targets = categories.of(target)?;
        let mut expectedness = None;
        for (pair, found) in pairs.iter().zip(found.iter_mut()) {
            if sources.binary_search(&pair.source).is_err() || targets.binary_search(&pair.target).is_err() {
                continue;
            }
            found.links += 1;
            if (page, target) == except {
                continue;
            }
            let e = match expectedness {
                Some(e) => e,
                None => Normalise::Mean.expectedness(model.matrix_rows(sources)?, targets)?.unwrap_or(0.0),
            };
            expectedness = Some(e);
            found.offer((e, page, target));
        }
    }
    Ok(())
}

#[derive(Debug, Clone, Default)]
struct Gathered {
    links: u64,
    /// The most expected first, then by page.
    best: Vec<(f64, PageId, PageId)>,
}

impl Gathered {
    fn offer(&mut self, link: (f64, PageId, PageId)) {
        let place = self.best.partition_point(|kept| {
            kept.0.total_cmp(&link.0).reverse().then((kept.1, kept.2).cmp(&(link.1, link.2))).is_lt()
        });
        if place < TYPICAL {
            self.best.insert(place, link);
            self.best.truncate(TYPICAL);
        }
    }

    fn merge(&mut self, other: Gathered) {
        self.links += other.links;
        other.best.into_iter().for_each(|link| self.offer(link));
    }

    fn into_evidence(self) -> Evidence {
        let typical = self.best.into_iter().map(|(_, source, target)| (source, target)).collect();
        Evidence { links: self.links, typical }
    }
}
