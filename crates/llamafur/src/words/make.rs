//! Counts the words of all pages.
//!
//! The texts are cut in [parts](crate::parts), on all threads: each part gets a dictionary of its own, in order, and its pages'
//! bags with the numbers of its terms. When all parts are there, their dictionaries are merged, and the bags are
//! written with the terms' final numbers, a group of pages at a time.
//!
//! In memory are at the peak a part for each thread, or the final dictionary, without the rare terms, and one group of
//! pages. What is written follows from the texts alone, wherever the parts are cut and whoever makes them.

use super::WordsConf;
use super::cut::Rules;
use super::dictionary::Dictionary;
use super::file::{WORDS_VERSION, Words};
use super::part::{self, Part, PartWriter};
use super::settings::{Figures, Settings};
use super::write::write;
use crate::corpus::Corpus;
use crate::error::{Artifact, Error};
use crate::parts::{PART_SIZES, PartSizes, PartsFolder, Work};
use crate::progress::{Cached, Note, Progress, Task};
use crate::storage::arrow_file::{Sink, one_row};
use crate::storage::signed::Format;
use crate::storage::{AtomicFile, BLOCK};
use arrow_array::RecordBatch;
use arrow_schema::Schema;
use std::ops::Range;

/// The working folder.
pub(super) const FOLDER: &str = ".words.parts";

const PART: Format = Format {
    name: "llamafur part of words",
    version: WORDS_VERSION,
    of: Artifact::Words,
    what: "the words of some pages",
};

/// Counts the words of all pages and keeps them beside the corpus, or in memory where they cannot be.
pub(super) fn make(corpus: &Corpus, conf: &WordsConf, progress: &mut dyn Progress) -> Result<Words, Error> {
    make_in_parts(corpus, conf, PART_SIZES, progress)
}

/// The same in parts of these sizes.
pub(super) fn make_in_parts(
    corpus: &Corpus,
    conf: &WordsConf,
    sizes: PartSizes,
    progress: &mut dyn Progress,
) -> Result<Words, Error> {
    let rules = Rules::new(corpus, conf);
    let settings = Settings::new(corpus, conf, &rules, Figures::default());
    // How many pages a term needs is asked only when all parts are there.
    let of_part = Settings { min_documents: 0, ..settings.clone() };
    let schema = Schema::new(part::fields());
    let work = Work { corpus, format: &PART, settings: of_part, schema: schema.clone(), sizes };
    let opened = AtomicFile::create(&Words::path(corpus), BLOCK).and_then(|file| {
        let folder = work.is_kept().then(|| PartsFolder::open(corpus, FOLDER));
        Ok((Sink::Disk(file), folder.transpose()?))
    });
    let (sink, folder) = opened.unwrap_or_else(|error| {
        progress.note(Note::NotCached { what: Cached::Words, error: error.to_string() });
        (Sink::in_memory(), None)
    });
    progress.start(Task::CountWords, Some(corpus.num_pages() as u64));
    let cut = |batches: Range<usize>, done: &dyn Fn(u64)| cut(corpus, &rules, &schema, batches, done);
    let parts = work.parts(folder.as_ref(), cut, progress)?;
    progress.finish();
    let parts = parts.iter().map(Part::new).collect::<Result<Vec<_>, Error>>()?;
    let dictionary = Dictionary::merge(&parts, conf.min_documents)?;
    let words = write(corpus, sink, settings, &dictionary, &parts, progress)?;
    if let Some(folder) = folder {
        drop(parts);
        folder.remove();
    }
    Ok(words)
}

/// A part: the pages of some batches.
fn cut(
    corpus: &Corpus,
    rules: &Rules,
    schema: &Schema,
    batches: Range<usize>,
    done: &dyn Fn(u64),
) -> Result<RecordBatch, Error> {
    let mut words = PartWriter::new(rules);
    for batch in batches {
        let mut pages = 0;
        corpus.text_batch(batch, |text| {
            words.push(text);
            pages += 1;
        })?;
        done(pages);
    }
    one_row("words", schema.clone(), words.finish())
}
