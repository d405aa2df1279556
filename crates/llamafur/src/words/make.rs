//! Counts the words of all pages.
//!
//! The texts are cut in [parts](crate::parts), on all threads: each part gets a dictionary of its own, in order, and its pages'
//! bags with the numbers of its terms. When all parts are there, their dictionaries are merged, and the bags are
//! written with the terms' final numbers, a group of pages at a time.
//!
//! In memory are at the peak a part for each thread, or the final dictionary, without the rare terms, and one group of
//! pages. Where the corpus does not keep the [places of its links](crate::places), they are found in the same pass.
//! The result depends on the texts alone, not on where the parts are cut or which thread or run makes them.

use super::WordsConf;
use super::cut::Rules;
use super::dictionary::Dictionary;
use super::file::{WORDS_VERSION, Words};
use super::part::{self, Part, PartWriter};
use super::settings::{Figures, Settings};
use super::write::write;
use crate::corpus::Corpus;
use crate::error::{Artifact, Error};
use crate::parts::{PART_SIZES, PartSizes, PartsFolder, Work, is_kept};
use crate::places::{self, LinkPlaces, PlacesFile, PlacesWriter};
use crate::progress::{Cached, Progress, Task};
use crate::storage::SMALL_BLOCK;
use crate::storage::arrow_file::{Sink, one_row};
use crate::storage::kept::{Keep, on_disk_or_in_memory};
use crate::storage::signed::Format;
use arrow_array::{Array, ArrayRef};
use arrow_schema::Schema;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The working folder.
pub(super) const FOLDER: &str = ".words.parts";

const PART: Format = Format {
    name: "llamafur part of words",
    version: WORDS_VERSION,
    of: Artifact::Words,
    what: "the words of some pages",
};

/// The settings that a part depends on, besides the texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct PartSettings {
    words: Settings,
    /// The version of the places and the checksum of the manifest, where the part has places of links too.
    places: Option<(u32, String)>,
}

/// Counts the words of all pages and keeps them beside the corpus, or in memory where they cannot be.
pub(super) fn make(corpus: &Corpus, conf: &WordsConf, progress: &mut dyn Progress) -> Result<Words, Error> {
    make_in_parts(corpus, conf, PART_SIZES, progress)
}

/// Counts the words of all pages in parts of these sizes.
pub(super) fn make_in_parts(
    corpus: &Corpus,
    conf: &WordsConf,
    sizes: PartSizes,
    progress: &mut dyn Progress,
) -> Result<Words, Error> {
    let (file, folder) = (Words::path(corpus), corpus.path().join(FOLDER));
    on_disk_or_in_memory(Cached::Words, &[&file, &folder], progress, |keep, progress| {
        make_kept(corpus, conf, sizes, keep, progress)
    })
}

fn make_kept(
    corpus: &Corpus,
    conf: &WordsConf,
    sizes: PartSizes,
    keep: Keep,
    progress: &mut dyn Progress,
) -> Result<Words, Error> {
    let rules = Rules::new(corpus, conf);
    let settings = Settings::new(corpus, conf, &rules, Figures::default());
    let (sink, folder, places) = match keep {
        Keep::OnDisk => {
            let sink = Sink::Disk(corpus.create_file(&Words::path(corpus), SMALL_BLOCK)?);
            let folder = is_kept(corpus, sizes).then(|| PartsFolder::open(corpus, FOLDER)).transpose()?;
            // If another process makes the places of links, or they cannot be written, there are words alone.
            let is_missing = LinkPlaces::kept(corpus).is_none();
            (sink, folder, is_missing.then(|| PlacesFile::create(corpus).ok()).flatten())
        }
        Keep::InMemory => (Sink::in_memory(), None, None),
    };
    let mut fields = part::fields();
    fields.extend(places.iter().flat_map(|_| places::fields()));
    let schema = Schema::new(fields);
    let of_part = PartSettings {
        // How many pages a term needs is asked only when all parts are there.
        words: Settings { min_documents: 0, ..settings.clone() },
        places: places.as_ref().map(|_| (places::VERSION, corpus.manifest().checksum())),
    };
    let with_places = places.is_some();
    let work = Work { corpus, format: &PART, settings: of_part, schema: schema.clone(), sizes };
    progress.start(Task::CountWords, Some(corpus.num_pages() as u64));
    let cut = |batches: Range<usize>, done: &dyn Fn(u64)| {
        let columns = match with_places {
            true => cut_and_find(corpus, &rules, batches, done),
            false => cut(corpus, &rules, batches, done),
        };
        one_row("words", schema.clone(), columns?)
    };
    let tables = work.parts(folder.as_ref(), cut, progress)?;
    progress.finish();
    let places = match places {
        Some(places) => places.written(&tables, part::BUFFERS, progress)?,
        None => None,
    };
    let parts = tables.iter().map(Part::new).collect::<Result<Vec<_>, Error>>()?;
    let dictionary = Dictionary::merge(&parts, conf.min_documents)?;
    let words = write(corpus, sink, settings, &dictionary, &parts, progress)?;
    if let Some(places) = places {
        places.publish(progress)?;
    }
    drop((parts, tables));
    if let Some(folder) = folder {
        folder.remove();
    }
    Ok(words)
}

/// Cuts the pages of some batches into the columns of a part.
fn cut(
    corpus: &Corpus,
    rules: &Rules,
    batches: Range<usize>,
    done: &dyn Fn(u64),
) -> Result<Vec<ArrayRef>, Error> {
    let mut words = PartWriter::new(rules);
    for batch in batches {
        let mut pages = 0;
        corpus.text_batch(batch, |text| {
            words.push(text);
            pages += 1;
        })?;
        done(pages);
    }
    Ok(words.finish().into())
}

/// Cuts the texts of some pages and finds the places of their links: each text is parsed once for both.
fn cut_and_find(
    corpus: &Corpus,
    rules: &Rules,
    batches: Range<usize>,
    done: &dyn Fn(u64),
) -> Result<Vec<ArrayRef>, Error> {
    let mut words = PartWriter::new(rules);
    let mut places = PlacesWriter::new(corpus, corpus.first_page_in(batches.start));
    for batch in batches {
        let texts = corpus.stored_batch(batch)?;
        for text in texts.iter() {
            let text = places.push(text)?;
            words.push(text.map(|text| text.to_read(corpus)).as_deref());
        }
        done(texts.len() as u64);
    }
    Ok(words.finish().into_iter().chain(places.finish()).collect())
}
