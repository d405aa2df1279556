//! Moves some links of a copy of a corpus to a page of a similar title, and measures how many of them are found.
//!
//! A link s → b whose target has [namesakes](llamafur::Engine::namesakes) that s does not link to is drawn at random
//! and moved to one of them. The model is learnt again from the copy, since the existing model has seen the original
//! links. The text of a page is unchanged: an author who links to the wrong page writes the same words.
//!
//! For the suspicious links, the largest gain first, precision at k is the share of moved links among the first k; such
//! a link counts only if its better target is the page from which it was moved. Recall is the share of the moved links
//! that are found.
//!
//! # Quirks
//! A link that was wrong in the original counts as an error of the method if it is found.

use crate::altered::AlteredCorpus;
use crate::planted::provenance;
use llamafur::Error;
use llamafur::corpus::Corpus;
use llamafur::engine::{Engine, EngineConf, SuspiciousLink};
use llamafur::graph::PageId;
use llamafur::learn::sampler::{Purpose, below, generator, shuffle};
use llamafur::progress::Progress;
use llamafur::storage::Temporary;
use serde::Serialize;
use std::collections::BTreeMap;
use tempfile::TempDir;

/// A copy of a corpus in which some links lead to the wrong page.
pub struct Misdirected {
    /// The copy.
    pub copy: AlteredCorpus,
    /// The original target of each moved link, by (source, target in the copy).
    pub moved: BTreeMap<(PageId, PageId), PageId>,
    /// Number of links that could have been moved.
    pub num_mistakable: usize,
}

/// Precision and recall for the moved links.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MendFigures {
    /// The share of moved links with the right better target among the first k.
    pub precision: f64,
    /// The share of moved links among the first k, whatever the better target.
    pub precision_of_links: f64,
    /// The share of the moved links that are among all suspicious ones, with the right better target.
    pub recall: f64,
    /// The share of the moved links that are among the first k, with the right better target.
    pub recall_at_k: f64,
}

impl Misdirected {
    /// Moves `num` links, or as many as possible: at most one per page, so that errors are spread.
    pub fn new(
        corpus: &Corpus,
        num: usize,
        seed: u64,
        folder: (TempDir, Temporary),
        progress: &mut dyn Progress,
    ) -> Result<Misdirected, Error> {
        let engine = Engine::new(corpus, EngineConf::default());
        let mut random = generator(seed, Purpose::Planted, 1);
        let mut pages: Vec<PageId> = (0..corpus.num_pages() as u32).map(PageId).collect();
        shuffle(&mut random, &mut pages);
        let (mut moved, mut num_mistakable) = (BTreeMap::new(), 0);
        for page in pages {
            let links = engine.mistakable_links(page)?;
            num_mistakable += links.len();
            if links.is_empty() || moved.len() >= num {
                continue;
            }
            let (target, others) = &links[below(&mut random, links.len() as u64) as usize];
            let wrong = others[below(&mut random, others.len() as u64) as usize];
            moved.insert((page, wrong), *target);
        }
        let links = |page: PageId, links: &[PageId]| {
            let of_page = || moved.range((page, PageId(0))..=(page, PageId(u32::MAX)));
            let is_moved = |target: &PageId| of_page().any(|(_, from)| from == target);
            let kept = links.iter().copied().filter(|target| !is_moved(target));
            let mut row: Vec<PageId> = kept.chain(of_page().map(|((_, wrong), _)| *wrong)).collect();
            row.sort_unstable();
            row
        };
        let provenance = provenance("misdirect", [("links", num.to_string()), ("seed", seed.to_string())]);
        let copy = AlteredCorpus::new(corpus, links, provenance, folder, progress)?;
        Ok(Misdirected { copy, moved, num_mistakable })
    }

    /// Measures the moved links among `found`, which are all suspicious links, the largest gain first.
    pub fn measure(&self, found: &[SuspiciousLink], k: usize) -> Result<MendFigures, Error> {
        let corpus = self.copy.corpus();
        let page = |title: &str| Ok::<_, Error>(corpus.resolve(title)?.unwrap_or(PageId(u32::MAX)));
        let mut kinds = Vec::with_capacity(found.len());
        for link in found {
            let from = self.moved.get(&(page(&link.source)?, page(&link.target)?));
            kinds.push((from.is_some(), from == Some(&page(&link.better)?)));
        }
        let right = |kinds: &[(bool, bool)]| kinds.iter().filter(|kind| kind.1).count() as f64;
        let first = &kinds[..k.min(kinds.len())];
        let num_moved = self.moved.len().max(1) as f64;
        Ok(MendFigures {
            precision: right(first) / k.max(1) as f64,
            precision_of_links: first.iter().filter(|kind| kind.0).count() as f64 / k.max(1) as f64,
            recall: right(&kinds) / num_moved,
            recall_at_k: right(first) / num_moved,
        })
    }
}
