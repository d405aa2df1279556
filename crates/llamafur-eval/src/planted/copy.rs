//! A copy of a corpus with the planted links.

use super::conf::{PlantConf, PlantError};
use super::draw::draw;
use crate::altered::AlteredCorpus;
use llamafur::categories::Categories;
use llamafur::corpus::{Corpus, Provenance};
use llamafur::graph::PageId;
use llamafur::learn::Model;
use llamafur::progress::Progress;
use llamafur::storage::Temporary;
use std::collections::BTreeSet;
use tempfile::TempDir;

/// A copy of a corpus with planted links. Dropping it removes its folder.
pub struct Planted {
    copy: AlteredCorpus,
    links: BTreeSet<(PageId, PageId)>,
}

/// Creates a folder for [`Planted::new`], removed when dropped, and by a signal.
pub fn temporary_folder() -> Result<(TempDir, Temporary), PlantError> {
    let parent = std::env::temp_dir();
    let made = Temporary::made(|| tempfile::Builder::new().prefix("llamafur-plant-").tempdir_in(&parent));
    made.map_err(|cause| PlantError::Folder { path: parent, cause })
}

impl Planted {
    /// Copies a corpus into a [`temporary_folder`] and plants links in the copy.
    ///
    /// # Errors
    /// Returns an error if there are not enough pairs to plant, a file is damaged, or the disk is full.
    pub fn new(
        corpus: &Corpus,
        conf: &PlantConf,
        folder: (TempDir, Temporary),
        progress: &mut dyn Progress,
    ) -> Result<Planted, PlantError> {
        let planted = draw(&Categories::preferred(corpus)?.graph()?, conf)?;
        let links = |page: PageId, links: &[PageId]| {
            let new = planted.range((page, PageId(0))..=(page, PageId(u32::MAX))).map(|(_, target)| *target);
            let mut row: Vec<PageId> = links.iter().copied().chain(new).collect();
            row.sort_unstable();
            row
        };
        let options = [
            ("kind", conf.kind.to_string()),
            ("share", conf.share.to_string()),
            ("seed", conf.seed.to_string()),
        ];
        let copy = AlteredCorpus::new(corpus, links, provenance("plant", options), folder, progress)?;
        Ok(Planted { copy, links: planted })
    }

    /// Returns the copy.
    pub fn corpus(&self) -> &Corpus {
        self.copy.corpus()
    }

    /// Returns the planted links, as (source, target).
    pub fn links(&self) -> &BTreeSet<(PageId, PageId)> {
        &self.links
    }

    /// Learns a model of the copy with the settings of one of the original corpus; see [`AlteredCorpus::learn`].
    pub fn learn(
        &self,
        model: &Model,
        original: &Corpus,
        progress: &mut dyn Progress,
    ) -> Result<(), PlantError> {
        Ok(self.copy.learn(model, original, progress)?)
    }
}

/// Builds the provenance of a copy from the command and its options.
pub(crate) fn provenance<const N: usize>(command: &str, options: [(&str, String); N]) -> Provenance {
    let options = options.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Provenance { command: command.into(), options, ..Provenance::default() }
}
