//! Links led astray: some links of a copy of a corpus are moved to a page of a similar title, and how many of them are found.
//!
//! A link s → b whose target has [namesakes](llamafur::Engine::namesakes) that s does not link to is drawn at random and moved to one of
//! them. The model is learnt again from the copy, since a model in use has seen the links that it looks at. The text of a page
//! stays as it is: who links to the wrong page wrote the same words.
//!
//! Of the suspicious links, the largest gain first, precision at k is the share of moved links among the first k; it counts only if
//! the page that the link was moved from is the better target, too. Recall is the share of the moved links that are found.
//!
//! # Quirks
//! A link that was wrong before counts as an error where it is found.

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
    /// Of each moved link, as (source, target in the copy), the page that it led to.
    pub moved: BTreeMap<(PageId, PageId), PageId>,
    /// Links that might have been moved.
    pub num_mistakable: usize,
}

/// How many of the moved links are found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MendFigures {
    /// The share of moved links, with the right better target, among the first k.
    pub precision: f64,
    /// The same whatever the better target.
    pub precision_of_links: f64,
    /// The share of the moved links that are among all suspicious ones, with the right better target.
    pub recall: f64,
    /// The same among the first k.
    pub recall_at_k: f64,
}

impl Misdirected {
    /// Moves so many links, or as many as there are: one a page at most, so that no page is full of them.
    ///
    /// # Errors
    /// If a file is damaged, or the disk is full.
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

    /// How many of the moved links are among these, which are all suspicious ones, the largest gain first.
    ///
    /// # Errors
    /// If a file is damaged.
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
