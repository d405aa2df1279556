//! The corpora that are measured on: made once, the same for the same sizes.

use crate::Outcome;
use crate::table::thousands;
use llamafur::categories::Categories;
use llamafur::corpus::Corpus;
use llamafur::progress::Silent;
use llamafur::storage::Existing;
use llamafur_eval::synth::{SynthConf, synth};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// English Wikipedia as the paper has it.
const PAGES: f64 = 4_514_662.0;
const LINKS: f64 = 110_699_703.0;

/// How large a corpus is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sizes {
    pub pages: usize,
    pub links: usize,
    pub categories: usize,
    pub per_page: f64,
}

impl Sizes {
    /// So many hundredths of English Wikipedia.
    pub(crate) fn of_wikipedia(scale: f64, categories: usize) -> Sizes {
        let part = |whole: f64| (whole * scale / 100.0).round().max(100.0) as usize;
        Sizes { pages: part(PAGES), links: part(LINKS), categories, per_page: 4.0 }
    }

    /// So many links, and pages in English Wikipedia's proportion.
    pub(crate) fn of_links(links: usize, categories: usize, per_page: f64) -> Sizes {
        Sizes { pages: (links as f64 * PAGES / LINKS) as usize, links, categories, per_page }
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [pages, links, categories] =
            [self.pages, self.links, self.categories].map(|number| thousands(number as u64));
        write!(f, "{pages} pages, {links} links, {categories} categories, {} a page", self.per_page)
    }
}

/// A folder of corpora: one that stays, or one that is gone at the end.
pub(crate) struct Corpora {
    folder: PathBuf,
    temporary: Option<tempfile::TempDir>,
}

impl Corpora {
    pub(crate) fn new(folder: Option<PathBuf>) -> Outcome<Corpora> {
        match folder {
            Some(folder) => {
                std::fs::create_dir_all(&folder)?;
                Ok(Corpora { folder, temporary: None })
            }
            None => {
                let temporary = tempfile::tempdir()?;
                Ok(Corpora { folder: temporary.path().to_owned(), temporary: Some(temporary) })
            }
        }
    }

    /// The corpus of these sizes, made unless it is there, and how long that took.
    pub(crate) fn made(&self, sizes: &Sizes) -> Outcome<(PathBuf, f64)> {
        let Sizes { pages, links, categories, per_page } = *sizes;
        let path = self.folder.join(format!("{pages}-{links}-{categories}-{per_page}.corpus"));
        let started = Instant::now();
        if !path.exists() {
            let conf = SynthConf::default().pages(pages).links(links).categories(categories);
            let mean = per_page.min(categories as f64);
            synth(&conf.categories_per_page(mean), &path, Existing::Refuse, &mut Silent)?;
        }
        // Every block is compared with its checksum here, so that nothing measured has to.
        Categories::whole_graph(&Corpus::open(&path)?)?;
        Ok((path, started.elapsed().as_secs_f64()))
    }

    /// Gives the room back, unless the corpora are to stay.
    pub(crate) fn forget(&self, path: &Path) -> Outcome<()> {
        if self.temporary.is_some() {
            std::fs::remove_dir_all(path)?;
        }
        Ok(())
    }
}
