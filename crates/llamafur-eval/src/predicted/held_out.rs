//! Links hidden from the scorers.

use crate::altered::AlteredCorpus;
use crate::planted::provenance;
use llamafur::Error;
use llamafur::corpus::Corpus;
use llamafur::graph::PageId;
use llamafur::learn::sampler::{Purpose, generator, unit};
use llamafur::progress::Progress;
use llamafur::storage::Temporary;
use std::collections::BTreeMap;
use tempfile::TempDir;

/// The hidden links of each page that has any, ascending.
pub type Wanted = BTreeMap<PageId, Vec<PageId>>;

/// A copy of a corpus without some of its links.
pub struct HeldOutLinks {
    /// The copy.
    pub copy: AlteredCorpus,
    /// The removed links.
    pub wanted: Wanted,
}

impl HeldOutLinks {
    /// Holds out about this share of the links, each by an independent draw.
    pub fn new(
        corpus: &Corpus,
        share: f64,
        seed: u64,
        folder: (TempDir, Temporary),
        progress: &mut dyn Progress,
    ) -> Result<HeldOutLinks, Error> {
        let all = corpus.all_links()?;
        let mut wanted = Wanted::new();
        for page in (0..corpus.num_pages() as u32).map(PageId) {
            let mut draw = generator(seed, Purpose::HeldOut, u64::from(page.0));
            let held_out: Vec<PageId> =
                all.row(page.index()).iter().copied().filter(|_| unit(&mut draw) < share).collect();
            if !held_out.is_empty() {
                wanted.insert(page, held_out);
            }
        }
        let links = |page: PageId, links: &[PageId]| {
            let held_out = wanted.get(&page).map_or(&[][..], |held_out| held_out);
            links.iter().copied().filter(|target| held_out.binary_search(target).is_err()).collect()
        };
        let provenance = provenance("hold-out", [("share", share.to_string()), ("seed", seed.to_string())]);
        let copy = AlteredCorpus::new(corpus, links, provenance, folder, progress)?;
        Ok(HeldOutLinks { copy, wanted })
    }
}

/// Returns the links that a later corpus has and an earlier one of the same wiki lacks, as pages of the earlier one,
/// which must have both ends. Pages are the same if their titles are; a title that redirects in the earlier corpus is
/// its target page.
pub fn new_links(earlier: &Corpus, later: &Corpus) -> Result<Wanted, Error> {
    let same = |page: PageId| earlier.resolve(later.title(page)?);
    let mut wanted = Wanted::new();
    for page in (0..later.num_pages() as u32).map(PageId) {
        let Some(source) = same(page)? else { continue };
        let known = earlier.links(source)?;
        let mut new = Vec::new();
        for &target in later.links(page)? {
            if let Some(target) = same(target)?
                && target != source
                && known.binary_search(&target).is_err()
            {
                new.push(target);
            }
        }
        if !new.is_empty() {
            wanted.entry(source).or_default().extend(new);
        }
    }
    // Two pages of the later corpus may be one of the earlier.
    for links in wanted.values_mut() {
        links.sort_unstable();
        links.dedup();
    }
    Ok(wanted)
}
