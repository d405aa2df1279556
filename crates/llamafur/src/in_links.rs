//! Origins of the links to each page: the kinds of their pages, and counts in prose and elsewhere.
//!
//! kinds(t) = −Σ_c p(c)·ln p(c), with p(c) the share of category c among the pages s that link to t, each of which
//! counts 1/|C_s| for each of its categories: [`PageInLinks::kinds`]. A country, a language or a common noun is linked
//! from pages of many kinds, so one more such link tells little. The links are also counted by [place](crate::places):
//! in prose or captions ([`PageInLinks::in_prose`]), and elsewhere only ([`PageInLinks::elsewhere`]). A publisher is
//! mostly linked from references.
//!
//! `prepared/in-links.arrow` is an Arrow file of record batches with one row each, 8,192 pages in each:
//!
//! | column | one value for each page | |
//! |---|---|---|
//! | `kinds` | the entropy above; 0 where no page with a category links to it | f32 |
//! | `in_prose` | links to it in prose or captions, or of pages whose text does not say | u32 |
//! | `elsewhere` | links to it in tables, lists, references and the like only | u32 |
//!
//! # Quirks
//! For a page with more than 256 neighbours, about 256 are counted, evenly spread over the list.

use crate::Error;
use crate::corpus::Corpus;
use crate::error::Artifact;
use crate::graph::{CategoryId, Neighbours, PageId};
use crate::interrupt;
use crate::places::{LinkPlaces, contains_fact};
use crate::progress::{Cached, Progress, Task};
use crate::storage::arrow_file::{ArrowFile, ArrowWriter, Sink, list_of, one_row};
use crate::storage::columns::Ids;
use crate::storage::kept::kept_or_made;
use crate::storage::list_batches::{Batches, ROWS_IN_BATCH};
use crate::storage::mmap::Mapped;
use crate::storage::signed::Format;
use arrow_array::{ArrayRef, Float32Array, RecordBatch, UInt32Array};
use arrow_schema::{DataType, Field, Schema};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const FORMAT: Format = Format {
    name: "llamafur in-links",
    version: 1,
    of: Artifact::Prepared,
    what: "the corpus that in-links are of",
};

const FILE: &str = "in-links.arrow";

/// Approximate largest number of neighbours of a page that are counted.
const MOST: usize = 256;

/// The identity of a file.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct InLinksSettings {
    /// The checksum of the corpus's manifest.
    corpus: String,
    /// True if the places of links were known.
    places: bool,
}

/// The start of each record batch.
#[derive(Serialize, Deserialize)]
struct Starts {
    batches_at: Vec<u64>,
}

/// The origins of the links to a page.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct PageInLinks {
    /// The entropy of the categories of the pages that link to it.
    pub(crate) kinds: f32,
    /// Number of links in prose or captions.
    pub(crate) in_prose: u32,
    /// Number of links elsewhere only.
    pub(crate) elsewhere: u32,
}

/// The origins of the links to every page.
#[derive(Debug)]
pub(crate) struct InLinks {
    batches: Batches<InLinkColumns>,
}

#[derive(Debug)]
struct InLinkColumns {
    kinds: Ids<u32>,
    in_prose: Ids<u32>,
    elsewhere: Ids<u32>,
}

/// Number of buffers of a column of lists of numbers.
const BUFFERS: usize = 4;

impl InLinks {
    /// Opens the file that the corpus keeps, or makes it from its links and their places.
    pub(crate) fn kept_or_made(
        corpus: &Corpus,
        neighbours: &Neighbours,
        places: Option<&LinkPlaces>,
        progress: &mut dyn Progress,
    ) -> Result<InLinks, Error> {
        let path = corpus.prepared(FILE);
        let settings = InLinksSettings { corpus: corpus.manifest().checksum(), places: places.is_some() };
        let create = |path: &Path, block| corpus.create_file(path, block);
        let open = |path, map| InLinks::open(path, map, &settings, corpus.num_pages());
        let counter = InLinkCounter { corpus, neighbours, places };
        let make = |sink, progress: &mut dyn Progress| counter.write(&path, sink, &settings, progress);
        kept_or_made(&path, Cached::InLinks, create, open, make, progress)
    }

    fn open(
        path: PathBuf,
        map: Mapped,
        expected: &InLinksSettings,
        num_pages: usize,
    ) -> Result<InLinks, Error> {
        let file = ArrowFile::<InLinksSettings, Starts>::open(path.clone(), map, &FORMAT)?;
        if file.settings != *expected {
            return Err(Error::OtherCorpus { what: Artifact::Prepared, path });
        }
        Ok(InLinks { batches: Batches::new(&file.map, &file.places.batches_at, num_pages)? })
    }

    /// Returns the origins of the links to a page; none for a draft, which the file lacks.
    pub(crate) fn of(&self, page: PageId) -> Result<PageInLinks, Error> {
        if page.index() >= self.batches.num_rows() {
            return Ok(PageInLinks::default());
        }
        let (columns, row) = self.batches.of(page.index(), |table, _| {
            Ok(InLinkColumns {
                kinds: table.only_list(0)?,
                in_prose: table.only_list(BUFFERS)?,
                elsewhere: table.only_list(2 * BUFFERS)?,
            })
        })?;
        Ok(PageInLinks {
            kinds: f32::from_bits(columns.kinds.get(row)?),
            in_prose: columns.in_prose.get(row)?,
            elsewhere: columns.elsewhere.get(row)?,
        })
    }
}

/// A counter of the links to pages.
struct InLinkCounter<'a> {
    corpus: &'a Corpus,
    neighbours: &'a Neighbours,
    places: Option<&'a LinkPlaces>,
}

impl InLinkCounter<'_> {
    fn of_page(&self, page: PageId) -> Result<PageInLinks, Error> {
        let near = self.neighbours.of(page)?;
        let mut found = PageInLinks::default();
        let mut weights: BTreeMap<CategoryId, f64> = BTreeMap::new();
        let mut total = 0.0;
        for &source in near.iter().step_by(near.len().div_ceil(MOST).max(1)) {
            let Ok(at) = self.corpus.links(source)?.binary_search(&page) else { continue };
            match self.is_in_prose(source, at)? {
                true => found.in_prose += 1,
                false => found.elsewhere += 1,
            }
            let categories = self.corpus.categories(source)?;
            for &category in categories {
                *weights.entry(category).or_default() += 1.0 / categories.len() as f64;
            }
            total += if categories.is_empty() { 0.0 } else { 1.0 };
        }
        found.kinds =
            weights.values().map(|weight| -(weight / total) * (weight / total).ln()).sum::<f64>() as f32;
        Ok(found)
    }

    /// Returns whether a link of a page is in prose or a caption, or its page's text does not say.
    fn is_in_prose(&self, source: PageId, at: usize) -> Result<bool, Error> {
        let Some(places) = self.places else { return Ok(true) };
        Ok(places.of(source)?.places.get(at).is_none_or(|&mask| contains_fact(mask)))
    }

    fn batch(&self, schema: &Schema, pages: Range<usize>) -> Result<RecordBatch, Error> {
        let carried = interrupt::carried();
        let of = |page| carried.scope(|| interrupt::check().and_then(|()| self.of_page(PageId(page as u32))));
        let found = pages.into_par_iter().map(of).collect::<Result<Vec<_>, Error>>()?;
        let numbers = |of: fn(&PageInLinks) -> u32| -> ArrayRef {
            Arc::new(UInt32Array::from_iter_values(found.iter().map(of)))
        };
        let kinds: ArrayRef = Arc::new(Float32Array::from_iter_values(found.iter().map(|page| page.kinds)));
        let columns = [kinds, numbers(|page| page.in_prose), numbers(|page| page.elsewhere)];
        one_row("in-links", schema.clone(), columns)
    }

    fn write(
        &self,
        path: &Path,
        sink: Sink,
        settings: &InLinksSettings,
        progress: &mut dyn Progress,
    ) -> Result<Sink, Error> {
        let schema = schema();
        let num_pages = self.corpus.num_pages();
        progress.start(Task::InLinks, Some(num_pages as u64));
        let mut writer = ArrowWriter::new(path, sink, &schema)?;
        for first in (0..num_pages).step_by(ROWS_IN_BATCH) {
            let pages = first..(first + ROWS_IN_BATCH).min(num_pages);
            let num = pages.len() as u64;
            writer.write(&self.batch(&schema, pages)?)?;
            progress.advance(num);
        }
        let finished = writer.finish(&FORMAT, settings, |batches_at| Starts { batches_at });
        progress.finish();
        Ok(finished?.0)
    }
}

fn schema() -> Schema {
    let column = |name, of| Field::new(name, list_of(of), false);
    Schema::new(vec![
        column("kinds", DataType::Float32),
        column("in_prose", DataType::UInt32),
        column("elsewhere", DataType::UInt32),
    ])
}
