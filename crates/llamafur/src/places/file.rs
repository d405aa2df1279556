//! The places of links on disk.

use super::write::{OpenedColumns, PlacesFile, PlacesWriter, fields};
use crate::corpus::Corpus;
use crate::error::{Artifact, Error, Missing};
use crate::graph::PageId;
use crate::parts::{PART_SIZES, PartSizes, PartsFolder, Work, is_kept};
use crate::progress::{Cached, Note, Progress, Task};
use crate::storage::arrow_file::{ArrowFile, one_row};
use crate::storage::kept::{Keep, lock, on_disk_or_in_memory};
use crate::storage::list_batches::Batches;
use crate::storage::mmap;
use crate::storage::mmap::Mapped;
use crate::storage::signed::Format;
use arrow_array::{Array, RecordBatch};
use arrow_schema::Schema;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::PathBuf;

/// The version of the format that this program writes and reads; also raised where links are found differently.
pub(crate) const VERSION: u32 = 2;

pub(super) const FORMAT: Format = Format {
    name: "llamafur places",
    version: VERSION,
    of: Artifact::Prepared,
    what: "the corpus that places of links are of",
};

const PART: Format = Format {
    name: "llamafur part of places",
    version: VERSION,
    of: Artifact::Prepared,
    what: "the places of some links",
};

const FILE: &str = "places.arrow";
/// The working folder.
pub(super) const FOLDER: &str = ".places.parts";

/// The identity of the places.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Settings {
    /// The checksum of the corpus's manifest, which names the texts, links, titles and redirects.
    corpus: String,
}

impl Settings {
    pub(super) fn of(corpus: &Corpus) -> Settings {
        Settings { corpus: corpus.manifest().checksum() }
    }
}

/// The start of each record batch.
#[derive(Serialize, Deserialize)]
pub(super) struct Starts {
    pub(super) batches_at: Vec<u64>,
}

/// The places of all links, opened.
#[derive(Debug)]
pub(crate) struct LinkPlaces {
    batches: Batches<OpenedColumns>,
}

/// The places and mentions of a page's links, in their order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PagePlaces<'a> {
    /// The place of the first link to each target, decoded by [`FirstLink::of`](super::FirstLink::of).
    pub(crate) place: &'a [u8],
    /// Its distance from the top of the page.
    pub(crate) depth: &'a [f32],
    /// Number of times that the text names each target.
    pub(crate) mentions: &'a [u16],
    /// The places in which the page links to each target, as [`places_of`](super::places_of) returns them; empty where
    /// the page has no wikitext.
    pub(crate) places: &'a [u16],
}

impl LinkPlaces {
    /// Returns the path of the file.
    pub(crate) fn path(corpus: &Corpus) -> PathBuf {
        corpus.prepared(FILE)
    }

    /// Opens the places that the corpus keeps; `None` where there are none, or they are damaged or of another corpus.
    pub(crate) fn kept(corpus: &Corpus) -> Option<LinkPlaces> {
        LinkPlaces::open(corpus).ok()
    }

    /// Opens the places that the corpus keeps, or makes and keeps them; a failure to write is noted.
    ///
    /// # Errors
    /// If the corpus has no texts.
    pub(crate) fn kept_or_made(corpus: &Corpus, progress: &mut dyn Progress) -> Result<LinkPlaces, Error> {
        if !corpus.has_text() {
            return Err(Error::Missing { path: corpus.path().into(), what: Missing::Text });
        }
        if let Ok(places) = LinkPlaces::open(corpus) {
            return Ok(places);
        }
        // Another process may be making them.
        let path = LinkPlaces::path(corpus);
        let _lock = lock(&path, progress);
        match LinkPlaces::open(corpus) {
            Ok(places) => return Ok(places),
            Err(Error::Damaged { .. }) => progress.note(Note::Rebuilt { path }),
            Err(_) => {}
        }
        LinkPlaces::make(corpus, PART_SIZES, progress)
    }

    /// Finds the places in a pass over the texts.
    pub(super) fn make(
        corpus: &Corpus,
        sizes: PartSizes,
        progress: &mut dyn Progress,
    ) -> Result<LinkPlaces, Error> {
        let (file, folder) = (LinkPlaces::path(corpus), corpus.path().join(FOLDER));
        let prepared = file.parent().unwrap_or(&file);
        on_disk_or_in_memory(Cached::LinkPlaces, &[prepared, &folder], progress, |keep, progress| {
            LinkPlaces::make_kept(corpus, sizes, keep, progress)
        })
    }

    fn make_kept(
        corpus: &Corpus,
        sizes: PartSizes,
        keep: Keep,
        progress: &mut dyn Progress,
    ) -> Result<LinkPlaces, Error> {
        let schema = Schema::new(fields().to_vec());
        let settings = Settings::of(corpus);
        let work = Work { corpus, format: &PART, settings, schema: schema.clone(), sizes };
        let (file, folder) = match keep {
            Keep::OnDisk => {
                let file = PlacesFile::create(corpus)?;
                (file, is_kept(corpus, sizes).then(|| PartsFolder::open(corpus, FOLDER)).transpose()?)
            }
            Keep::InMemory => (PlacesFile::in_memory(corpus), None),
        };
        progress.start(Task::LinkPlaces, Some(corpus.num_pages() as u64));
        let find = |batches: Range<usize>, done: &dyn Fn(u64)| find(corpus, &schema, batches, done);
        let parts = work.parts(folder.as_ref(), find, progress)?;
        let places = file.write(&parts, 0)?.finish()?;
        progress.finish();
        drop(parts);
        if let Some(folder) = folder {
            folder.remove();
        }
        Ok(places)
    }

    fn open(corpus: &Corpus) -> Result<LinkPlaces, Error> {
        let path = LinkPlaces::path(corpus);
        let map = mmap::map(&path)?;
        LinkPlaces::of_map(corpus, path, map)
    }

    pub(super) fn of_map(corpus: &Corpus, path: PathBuf, map: Mapped) -> Result<LinkPlaces, Error> {
        let file = ArrowFile::<Settings, Starts>::open(path.clone(), map, &FORMAT)?;
        if file.settings != Settings::of(corpus) {
            return Err(Error::OtherCorpus { what: Artifact::Prepared, path });
        }
        Ok(LinkPlaces { batches: Batches::new(&file.map, &file.places.batches_at, corpus.num_pages())? })
    }

    /// Returns the places of a page's links; the lists of a page without text are empty.
    ///
    /// # Errors
    /// If there is no such page, or the file is damaged there.
    pub(crate) fn of(&self, page: PageId) -> Result<PagePlaces<'_>, Error> {
        let (columns, row) = self.batches.of(page.index(), |table, _| OpenedColumns::new(table, 0))?;
        let (place, mentions) = (columns.place.get(row)?, columns.mentions.get(row)?);
        let places = columns.places.get(row)?;
        let depth: &[f32] = bytemuck::cast_slice(columns.depth.get(row)?);
        if place.len() != depth.len() || place.len() != mentions.len() {
            let (found, expected) = (format!("{} mentions", mentions.len()), place.len().to_string());
            return Err(Error::damaged(self.batches.map().path(), found, expected));
        }
        if !places.is_empty() && places.len() != place.len() {
            let (found, expected) = (format!("{} places", places.len()), place.len().to_string());
            return Err(Error::damaged(self.batches.map().path(), found, expected));
        }
        Ok(PagePlaces { place, depth, mentions, places })
    }
}

/// Makes a part: the pages of some batches.
fn find(
    corpus: &Corpus,
    schema: &Schema,
    batches: Range<usize>,
    done: &dyn Fn(u64),
) -> Result<RecordBatch, Error> {
    let mut places = PlacesWriter::new(corpus, corpus.first_page_in(batches.start));
    for batch in batches {
        let texts = corpus.stored_batch(batch)?;
        texts.iter().try_for_each(|text| places.push(text).map(|_| ()))?;
        done(texts.len() as u64);
    }
    one_row("places", schema.clone(), places.finish())
}
