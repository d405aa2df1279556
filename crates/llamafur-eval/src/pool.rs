//! Pooling: chooses the links worth judging.
//!
//! N random pages are drawn. From a page's t links in the ranked places, each scorer contributes its top ⌊α·t⌋, at
//! least one; the pool is the union: Boldi & Monti, “LlamaFur”, WebSci 2016, section 6, with α = 0.1, as in the
//! collections of TREC. Links that no scorer ranks on top are not judged. Measures on judged links only, such as bpref,
//! allow that.
//!
//! Pages are drawn without replacement from those with enough links ([`PoolConf::min_links`]). Ties are broken at
//! random, by the seed; a link without a score is not pooled. The links of a page stay together, so that a judge reads
//! about the page once. They are in random order, which hides the scorer that found them.
//!
//! The scorer `random` contributes links drawn by the pool's seed instead of the top of its own ranking. Most links are
//! expected. If those on top of its own ranking were judged, that ranking would have expected links on top more often
//! than a random one, and `random` would measure below chance.

use llamafur::Error;
use llamafur::corpus::{Corpus, PageText};
use llamafur::engine::{Engine, PlaceSet};
use llamafur::first_paragraph;
use llamafur::graph::PageId;
use llamafur::learn::sampler::{Purpose, below, generator, shuffle};
use llamafur::progress::{Progress, Task};
use llamafur::score::Score;
use llamafur::storage::{AtomicFile, BLOCK};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// The default scorers of a pool: the blend, and those that the paper compares. More would give too many links to
/// judge.
pub const POOLED: [&str; 6] = ["blend", "llamafur", "naive", "aa", "m2", "m4"];

/// The scorer with a random ranking.
const RANDOM: &str = "random";

/// The settings of a pool.
#[derive(Debug, Clone, PartialEq)]
pub struct PoolConf {
    queries: usize,
    min_links: usize,
    share: f64,
    most: usize,
    seed: u64,
    places: PlaceSet,
}

/// The error for a share out of range.
#[derive(Debug, thiserror::Error)]
#[error("the share of links must be above 0 and at most 1, got {0}")]
pub struct BadShare(f64);

impl PoolConf {
    /// Creates settings for a pool of the links of `queries` pages.
    pub fn new(queries: usize) -> PoolConf {
        PoolConf { queries, min_links: 1, share: 0.1, most: usize::MAX, seed: 1, places: PlaceSet::default() }
    }

    /// Sets the least number of links of a drawn page. Default: 1, which is also the least.
    #[must_use]
    pub fn min_links(mut self, min_links: usize) -> PoolConf {
        self.min_links = min_links.max(1);
        self
    }

    /// Sets α: the share of a page's links that is taken from the top of each ranking. Default: 0.1, as in the paper.
    /// Above 0, at most 1.
    pub fn share(mut self, share: f64) -> Result<PoolConf, BadShare> {
        if !(share > 0.0 && share <= 1.0) {
            return Err(BadShare(share));
        }
        self.share = share;
        Ok(self)
    }

    /// Sets the largest number of links from the top of each ranking, at least 1. Default: no limit but the share.
    #[must_use]
    pub fn most(mut self, most: usize) -> PoolConf {
        self.most = most.max(1);
        self
    }

    /// Sets the seed of all random choices. Default: 1.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> PoolConf {
        self.seed = seed;
        self
    }

    /// Sets the places whose links are pooled, if the text shows them. Default: prose and captions.
    #[must_use]
    pub fn places(mut self, places: PlaceSet) -> PoolConf {
        self.places = places;
        self
    }

    /// Returns ⌊α·t⌋, at least one, and not more than [`PoolConf::most`].
    fn depth(&self, num_links: usize) -> usize {
        // 0.1 · 30 is a little less than 3 in binary.
        ((self.share * num_links as f64 + 1e-9).floor() as usize).max(1).min(self.most)
    }
}

/// A page whose links are to be judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pooled {
    /// The page.
    pub page: PageId,
    /// Its links from the top of any ranking, in random order.
    pub targets: Vec<PageId>,
}

/// Pools the links of random pages. Returns fewer pages than requested if fewer have enough links.
pub fn pool(engine: &Engine, scorers: &[Arc<dyn Score>], conf: &PoolConf) -> Result<Vec<Pooled>, Error> {
    let pages = draw_pages(engine.corpus(), conf)?;
    let pooled = pages.into_par_iter().map(|page| {
        let links = &engine.links_in(page, conf.places)?[..];
        let mut draw = generator(conf.seed, Purpose::Pool, u64::from(page.0) + 1);
        let mut taken = BTreeSet::new();
        for scorer in scorers {
            let scores = match scorer.name() {
                RANDOM => vec![Some(0.0); links.len()],
                _ => scorer.score(page, links)?,
            };
            let mut ranked: Vec<(f64, PageId)> =
                scores.into_iter().zip(links).filter_map(|(score, &target)| Some((score?, target))).collect();
            shuffle(&mut draw, &mut ranked);
            ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
            taken.extend(ranked.iter().take(conf.depth(links.len())).map(|(_, target)| *target));
        }
        let mut targets: Vec<PageId> = taken.into_iter().collect();
        shuffle(&mut draw, &mut targets);
        Ok(Pooled { page, targets })
    });
    pooled.collect()
}

/// Draws pages with enough links, in random order, at most as many as requested.
fn draw_pages(corpus: &Corpus, conf: &PoolConf) -> Result<Vec<PageId>, Error> {
    let links = corpus.all_links()?;
    let has_enough = |page: &u32| links.row(*page as usize).len() >= conf.min_links;
    let mut pages: Vec<u32> = (0..corpus.num_pages() as u32).filter(has_enough).collect();
    let num = conf.queries.min(pages.len());
    let mut draw = generator(conf.seed, Purpose::Pool, 0);
    // The first places of a shuffle.
    for place in 0..num {
        let rest = (pages.len() - place) as u64;
        pages.swap(place, place + below(&mut draw, rest) as usize);
    }
    pages.truncate(num);
    Ok(pages.into_iter().map(PageId).collect())
}

/// The columns of the table.
const COLUMNS: [&str; 7] =
    ["source", "target", "class", "judge", "source_paragraph", "target_paragraph", "snippet"];

/// Writes pooled links as a table to be filled in, separated by tabs: source and target, an empty class, an empty
/// judge, the first paragraphs of both pages and the sentence with the link. The file is replaced atomically.
pub fn write_table(
    path: &Path,
    corpus: &Corpus,
    pooled: &[Pooled],
    progress: &mut dyn Progress,
) -> Result<(), Error> {
    let file = AtomicFile::create(path, BLOCK)?;
    let mut writer = csv::WriterBuilder::new().delimiter(b'\t').from_writer(file);
    let mut write = |row: [&str; 7]| {
        // Not every program reads a line break within a field.
        let row = row.map(|field| field.replace(['\t', '\n', '\r'], " "));
        writer.write_record(&row).map_err(|error| Error::io(path)(error.into()))
    };
    write(COLUMNS)?;
    let paragraph = |page: PageId| Ok::<_, Error>(first_paragraph(corpus, page)?.unwrap_or_default());
    progress.start(Task::WritePages, Some(pooled.len() as u64));
    for Pooled { page, targets } in pooled {
        let (source, about) = (corpus.title(*page)?, paragraph(*page)?);
        let text = PageText::read(corpus, *page)?;
        for &target in targets {
            let snippet = text.sentence(target)?.unwrap_or_default();
            write([source, corpus.title(target)?, "", "", &about, &paragraph(target)?, &snippet])?;
        }
        progress.advance(1);
    }
    progress.finish();
    let file = writer.into_inner().map_err(|error| error.into_error());
    file.map_err(Error::io(path))?.finish()?;
    Ok(())
}
