//! The milestones of a page that the cleansing has not seen, by its categories.
//!
//! A page gets ι(c) for each of its categories c. Where the cleansing gave pages the milestones further up as well, it left out
//! those that nearly all pages would have got; its file does not name them, but the lists of the pages show them.

use super::Milestones;
use crate::Error;
use crate::corpus::Corpus;
use crate::graph::{CategoryId, MilestoneId, PageId};
use std::collections::{BTreeMap, BTreeSet};

impl Milestones {
    /// Returns the milestones that a page with these categories would have, ascending.
    pub(super) fn of_categories(
        &self,
        corpus: &Corpus,
        categories: &[CategoryId],
    ) -> Result<Vec<MilestoneId>, Error> {
        let nearest = self.nearest(categories)?;
        let levels = self.settings().ancestors;
        let mut all = nearest.clone();
        if levels > 0 {
            // Of each milestone further up those that it is above.
            let mut above: BTreeMap<MilestoneId, Vec<MilestoneId>> = BTreeMap::new();
            for &milestone in &nearest {
                for higher in self.above(corpus, milestone, levels)? {
                    above.entry(higher).or_default().push(milestone);
                }
            }
            above.retain(|higher, _| !nearest.contains(higher));
            all.extend(self.given(corpus, above)?);
        }
        Ok(all.into_iter().collect())
    }

    /// Returns ι of these categories.
    fn nearest(&self, categories: &[CategoryId]) -> Result<BTreeSet<MilestoneId>, Error> {
        let milestones = categories.iter().filter_map(|&category| self.milestone(category).transpose());
        milestones.map(|found| Ok(found?.0)).collect()
    }

    /// Returns the milestones up to `levels` above one.
    fn above(
        &self,
        corpus: &Corpus,
        milestone: MilestoneId,
        levels: usize,
    ) -> Result<BTreeSet<MilestoneId>, Error> {
        let start = self.category(milestone)?;
        let (mut seen, mut level, mut found) = (BTreeSet::from([start]), vec![start], BTreeSet::new());
        for _ in 0..levels {
            let mut next = Vec::new();
            for category in level {
                next.extend(corpus.parents(category)?.iter().copied().filter(|&parent| seen.insert(parent)));
            }
            for &category in &next {
                // A category at no distance from its milestone is that milestone.
                found.extend(self.milestone(category)?.filter(|found| found.1 == 0).map(|found| found.0));
            }
            level = next;
        }
        Ok(found)
    }

    /// Returns those that the cleansing gave to pages that have one of the milestones below, as the first such page
    /// shows; one that no page can show is kept.
    fn given(
        &self,
        corpus: &Corpus,
        mut above: BTreeMap<MilestoneId, Vec<MilestoneId>>,
    ) -> Result<Vec<MilestoneId>, Error> {
        let mut given = Vec::new();
        for page in (0..corpus.num_pages() as u32).map(PageId) {
            if above.is_empty() {
                break;
            }
            let (nearest, all) = (self.nearest(corpus.categories(page)?)?, self.of(page)?);
            above.retain(|higher, below| {
                let is_shown = !nearest.contains(higher) && below.iter().any(|one| nearest.contains(one));
                if is_shown && all.binary_search(higher).is_ok() {
                    given.push(*higher);
                }
                !is_shown
            });
        }
        given.extend(above.into_keys());
        Ok(given)
    }
}
