//! Writer of the places of links, found in the texts in parts and written a batch at a time.

use super::file::{FORMAT, LinkPlaces, Settings, Starts};
use super::find::{FirstLink, first_links_and_places, mentions};
use crate::Error;
use crate::corpus::{Corpus, WikiText};
use crate::graph::PageId;
use crate::progress::{Cached, Note, Progress};
use crate::storage::SMALL_BLOCK;
use crate::storage::arrow_file::{ArrowWriter, Sink, list_of, lists, one_row};
use crate::storage::columns::{Lists, Table};
use crate::storage::kept::{Folder, is_unwritable};
use crate::storage::list_batches::ROWS_IN_BATCH;
use crate::text::lowercase;
use crate::text::wikitext::plain_text;
use arrow_array::{ArrayRef, Float32Array, RecordBatch, UInt8Array, UInt16Array};
use arrow_schema::{DataType, Field, Schema};
use rapidhash::RapidHashMap;
use std::borrow::Cow;
use std::sync::Arc;

/// Returns the columns of a part and of the file.
pub(crate) fn fields() -> [Field; 4] {
    [
        Field::new("place", list_of(list_of(DataType::UInt8)), false),
        Field::new("depth", list_of(list_of(DataType::Float32)), false),
        Field::new("mentions", list_of(list_of(DataType::UInt16)), false),
        Field::new("places", list_of(list_of(DataType::UInt16)), false),
    ]
}

/// Number of titles whose pages are remembered: some titles are linked to from everywhere.
const REMEMBERED: usize = 1 << 16;

/// A writer of the places of consecutive pages.
pub(crate) struct PlacesWriter<'c> {
    corpus: &'c Corpus,
    /// The next page.
    page: PageId,
    resolved: RapidHashMap<String, Option<PageId>>,
    found: Columns,
}

impl<'c> PlacesWriter<'c> {
    /// Creates a writer for the pages from this one on.
    pub(crate) fn new(corpus: &'c Corpus, first: PageId) -> PlacesWriter<'c> {
        PlacesWriter { corpus, page: first, resolved: RapidHashMap::default(), found: Columns::default() }
    }

    /// Adds the next page by its stored text; returns the text, parsed if that was needed.
    pub(crate) fn push<'t>(&mut self, stored: Option<&'t str>) -> Result<Option<Pushed<'t>>, Error> {
        let page = self.page;
        self.page = PageId(page.0 + 1);
        let targets = self.corpus.links(page)?;
        let Some(stored) = stored else {
            self.found.push(&[], &[], &[]);
            return Ok(None);
        };
        let Some(titles) = self.corpus.wiki_titles() else {
            let mentions = match targets {
                [] => Vec::new(),
                targets => mentions(self.corpus, page, None, &lowercase(stored), targets)?,
            };
            self.found.push(&vec![None; targets.len()], &mentions, &[]);
            return Ok(Some(Pushed::Plain(stored)));
        };
        if targets.is_empty() {
            self.found.push(&[], &[], &[]);
            return Ok(Some(Pushed::Wikitext(stored)));
        }
        let (corpus, resolved) = (self.corpus, &mut self.resolved);
        let resolve = |name: &str| {
            if let Some(page) = resolved.get(name) {
                return Ok(*page);
            }
            if resolved.len() == REMEMBERED {
                resolved.clear();
            }
            let page = corpus.resolve(name)?;
            resolved.insert(name.to_owned(), page);
            Ok(page)
        };
        let wiki = WikiText::new(corpus, page, stored, titles, resolve)?;
        let mentions = mentions(corpus, page, Some(&wiki), &wiki.outside_links(), targets)?;
        let (first, places) = first_links_and_places(&wiki, targets)?;
        self.found.push(&first, &mentions, &places);
        Ok(Some(Pushed::Parsed(wiki.into())))
    }

    pub(crate) fn finish(self) -> [ArrayRef; 4] {
        self.found.finish()
    }
}

/// The text of a page.
pub(crate) enum Pushed<'t> {
    /// The text of a corpus that is no wiki.
    Plain(&'t str),
    /// Wikitext that is not parsed yet.
    Wikitext(&'t str),
    Parsed(Box<WikiText>),
}

impl<'t> Pushed<'t> {
    /// Returns the readable text, for a wiki without markup.
    pub(crate) fn to_read(&self, corpus: &Corpus) -> Cow<'t, str> {
        match (self, corpus.wiki_titles()) {
            (Pushed::Plain(text), _) | (Pushed::Wikitext(text), None) => (*text).into(),
            (Pushed::Wikitext(text), Some(titles)) => plain_text(text, titles).into(),
            (Pushed::Parsed(wiki), Some(titles)) => wiki.parsed.plain_text(titles).into(),
            (Pushed::Parsed(wiki), None) => wiki.parsed.wikitext().to_owned().into(),
        }
    }
}

/// The lists of some pages before writing.
struct Columns {
    offsets: Vec<i64>,
    place: Vec<u8>,
    depth: Vec<f32>,
    mentions: Vec<u16>,
    places: Vec<u16>,
    /// The offsets of `places`, which not all pages have.
    place_offsets: Vec<i64>,
}

impl Default for Columns {
    fn default() -> Columns {
        Columns {
            offsets: vec![0],
            place: Vec::new(),
            depth: Vec::new(),
            mentions: Vec::new(),
            places: Vec::new(),
            place_offsets: vec![0],
        }
    }
}

impl Columns {
    fn push(&mut self, links: &[Option<FirstLink>], mentions: &[u16], places: &[u16]) {
        self.place.extend(links.iter().map(|link| FirstLink::number(link.as_ref())));
        self.depth.extend(links.iter().map(|link| link.map_or(0.0, |link| link.depth)));
        self.mentions.extend(mentions);
        self.places.extend(places);
        self.end_page();
    }

    /// Ends the lists of a page.
    fn end_page(&mut self) {
        self.offsets.push(self.mentions.len() as i64);
        self.place_offsets.push(self.places.len() as i64);
    }

    fn finish(self) -> [ArrayRef; 4] {
        [
            lists(self.offsets.clone(), Arc::new(UInt8Array::from(self.place))),
            lists(self.offsets.clone(), Arc::new(Float32Array::from(self.depth))),
            lists(self.offsets, Arc::new(UInt16Array::from(self.mentions))),
            lists(self.place_offsets, Arc::new(UInt16Array::from(self.places))),
        ]
    }
}

/// The lists of some pages, opened: first places, depths as bits, mentions, all places.
#[derive(Debug)]
pub(super) struct OpenedColumns {
    pub(super) place: Lists<u8>,
    pub(super) depth: Lists<u32>,
    pub(super) mentions: Lists<u16>,
    pub(super) places: Lists<u16>,
}

impl OpenedColumns {
    pub(super) fn new(table: &Table, first_buffer: usize) -> Result<OpenedColumns, Error> {
        Ok(OpenedColumns {
            place: table.only_lists(first_buffer, None)?,
            depth: table.only_lists(first_buffer + 6, None)?,
            mentions: table.only_lists(first_buffer + 12, None)?,
            places: table.only_lists(first_buffer + 18, None)?,
        })
    }
}

/// A file of places that is being made; it locks out other processes.
pub(crate) struct PlacesFile<'c> {
    corpus: &'c Corpus,
    sink: Sink,
    /// Removed again if it stays empty.
    _folder: Option<Folder>,
}

impl<'c> PlacesFile<'c> {
    /// Begins the file.
    ///
    /// # Errors
    /// If the folder cannot be written, or another process makes the file.
    pub(crate) fn create(corpus: &'c Corpus) -> Result<PlacesFile<'c>, Error> {
        let path = LinkPlaces::path(corpus);
        let folder = path.parent().map(Folder::create).transpose()?;
        Ok(PlacesFile { corpus, sink: Sink::Disk(corpus.create_file(&path, SMALL_BLOCK)?), _folder: folder })
    }

    /// Creates the file in memory, for a folder that cannot be written.
    pub(crate) fn in_memory(corpus: &'c Corpus) -> PlacesFile<'c> {
        PlacesFile { corpus, sink: Sink::in_memory(), _folder: None }
    }

    /// Writes the columns of parts that begin with a buffer; the file gets its name later.
    ///
    /// # Errors
    /// If a part is damaged or the file cannot be written.
    pub(crate) fn write(self, parts: &[Table], first_buffer: usize) -> Result<PlacesFile<'c>, Error> {
        let path = LinkPlaces::path(self.corpus);
        let schema = Schema::new(fields().to_vec());
        let mut writer = ArrowWriter::new(&path, self.sink, &schema)?;
        let batch = |columns: Columns| one_row("places", schema.clone(), columns.finish());
        let mut columns = Columns::default();
        let write = |writer: &mut ArrowWriter<'_>, batch: Result<RecordBatch, Error>| writer.write(&batch?);
        for part in parts {
            let part = OpenedColumns::new(part, first_buffer)?;
            for page in 0..part.place.num_rows() {
                columns.place.extend(part.place.get(page)?);
                columns.depth.extend(part.depth.get(page)?.iter().map(|bits| f32::from_bits(*bits)));
                columns.mentions.extend(part.mentions.get(page)?);
                columns.places.extend(part.places.get(page)?);
                columns.end_page();
                if columns.offsets.len() > ROWS_IN_BATCH {
                    write(&mut writer, batch(std::mem::take(&mut columns)))?;
                }
            }
        }
        if columns.offsets.len() > 1 {
            write(&mut writer, batch(columns))?;
        }
        let (settings, starts) = (Settings::of(self.corpus), |batches_at| Starts { batches_at });
        let sink = writer.finish(&FORMAT, settings, starts)?.0;
        Ok(PlacesFile { sink, ..self })
    }

    /// Runs [`PlacesFile::write`] for work that can do without the file; returns `None` if it cannot be written, which
    /// is noted.
    ///
    /// # Errors
    /// If a part is damaged.
    pub(crate) fn written(
        self,
        parts: &[Table],
        first_buffer: usize,
        progress: &mut dyn Progress,
    ) -> Result<Option<PlacesFile<'c>>, Error> {
        let corpus = self.corpus;
        unless_unwritable(corpus, self.write(parts, first_buffer), progress)
    }

    /// Runs [`PlacesFile::finish`] for work that can do without the file.
    ///
    /// # Errors
    /// If the file is not what was written.
    pub(crate) fn publish(self, progress: &mut dyn Progress) -> Result<(), Error> {
        let corpus = self.corpus;
        unless_unwritable(corpus, self.finish(), progress).map(drop)
    }

    /// Gives the written file its name and opens it.
    pub(crate) fn finish(self) -> Result<LinkPlaces, Error> {
        let path = LinkPlaces::path(self.corpus);
        let map = self.sink.into_map(&path)?;
        LinkPlaces::of_map(self.corpus, path, map)
    }
}

/// Returns `None` where the file cannot be written, which is noted.
fn unless_unwritable<T>(
    corpus: &Corpus,
    made: Result<T, Error>,
    progress: &mut dyn Progress,
) -> Result<Option<T>, Error> {
    match made {
        Err(error) if is_unwritable(&error, &[&LinkPlaces::path(corpus)]) => {
            progress.note(Note::NotCached { what: Cached::LinkPlaces, error: error.to_string() });
            Ok(None)
        }
        made => made.map(Some),
    }
}
