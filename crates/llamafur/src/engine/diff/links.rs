//! The links that a page gained and lost.

use super::matching::PageMatch;
use crate::Error;
use crate::corpus::Corpus;
use crate::graph::PageId;

/// Changes of the links of a page.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PageLinks {
    /// The newer pages that it newly links to.
    pub(super) added: Vec<PageId>,
    /// The newer pages that it no longer links to, each with the older page that it is or was merged from.
    pub(super) vanished: Vec<(PageId, PageId)>,
    /// Number of links to pages that are gone.
    pub(super) to_gone: u64,
    /// Number of links that lead to another page because their title does.
    pub(super) retargeted: u64,
}

impl PageLinks {
    /// Compares the links of an older page with those of the newer page that it is.
    ///
    /// A link is unchanged if it leads to where the title of its older target leads now. So links to a page that was
    /// merged into another one neither vanish nor are new; nor are those whose title was a redirect and has become a
    /// page.
    pub(super) fn of(
        (old, new): (&Corpus, &Corpus),
        pages: &PageMatch,
        was: PageId,
        is: PageId,
    ) -> Result<PageLinks, Error> {
        let mut links = PageLinks::default();
        let mut before: Vec<(PageId, PageId)> = Vec::new();
        for &target in old.links(was)? {
            match pages.leads_to(target) {
                None => links.to_gone += 1,
                Some(to) if to == is => links.retargeted += 1,
                Some(to) => {
                    links.retargeted += u64::from(pages.older(to) != Some(target));
                    before.push((to, target));
                }
            }
        }
        // Of several older pages that are one now, the one that it is comes first.
        before.sort_by_key(|&(to, target)| (to, pages.older(to) != Some(target), target));
        before.dedup_by_key(|&mut (to, _)| to);
        let now = new.links(is)?;
        let was_linked = |to: &PageId| before.binary_search_by_key(to, |&(to, _)| to).is_ok();
        links.added = now.iter().copied().filter(|to| !was_linked(to)).collect();
        links.vanished = before.into_iter().filter(|(to, _)| now.binary_search(to).is_err()).collect();
        links.take_split(pages);
        Ok(links)
    }

    /// Removes the links whose title led to one page and is now a page of its own.
    fn take_split(&mut self, pages: &PageMatch) {
        let mut explained = Vec::new();
        let vanished = &self.vanished;
        self.added.retain(|&to| {
            let led_to = pages.led_to(to).filter(|led| vanished.iter().any(|(_, target)| target == led));
            explained.extend(led_to);
            led_to.is_none()
        });
        self.retargeted += explained.len() as u64;
        self.vanished.retain(|(_, target)| !explained.contains(target));
    }
}
