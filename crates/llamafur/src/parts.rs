//! Work over all texts in parts, so that a killed run can be resumed.
//!
//! A part is the pages of some batches of texts. One thread makes it, so that memory holds a part for each thread, and
//! it becomes a file of its own in a working folder beside the corpus: an Arrow file of one row, written whole or not
//! at all, with its settings and the sums of its blocks in its footer. A later run takes over every part that is whole
//! and was made of the same texts with the same settings, and makes the others.
//!
//! The cuts between parts depend on the texts alone. Parts of small corpora, and those of folders that cannot be
//! written, stay in memory.

use crate::Error;
use crate::corpus::Corpus;
use crate::progress::{Progress, WhenStopped};
use crate::storage::arrow_file::{ArrowFile, ArrowWriter, Sink};
use crate::storage::columns::Table;
use crate::storage::kept::Folder;
use crate::storage::mmap::Mapped;
use crate::storage::signed::Format;
use crate::storage::{AtomicFile, BLOCK, WRITING, mmap};
use arrow_array::RecordBatch;
use arrow_schema::Schema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};

/// Sizes of parts, in compressed bytes of texts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PartSizes {
    /// Smallest size of a part, except the last one.
    pub(crate) least: u64,
    /// Size at which a part ends.
    pub(crate) most: u64,
    /// Smallest size of all texts whose parts are kept: making smaller ones again takes a moment.
    pub(crate) kept_from: u64,
}

/// Sizes that give as many parts as threads of common machines, if the parts are not too small: 8 MB, some 20 MB of
/// wikitext, take about 100 MB of a thread's memory.
pub(crate) const PART_SIZES: PartSizes = PartSizes { least: 64 << 10, most: 8 << 20, kept_from: 32 << 20 };
const PARTS: u64 = 64;

/// The identity of a part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct PartOf<S> {
    work: S,
    /// The checksum of the texts.
    text: String,
    /// The batches of texts.
    batches: Range<usize>,
}

#[derive(Serialize, Deserialize)]
struct Places {
    batches_at: Vec<u64>,
}

/// Work on all texts.
pub(crate) struct Work<'a, S> {
    pub(crate) corpus: &'a Corpus,
    pub(crate) format: &'a Format,
    /// All that a part depends on, besides the texts.
    pub(crate) settings: S,
    pub(crate) schema: Schema,
    pub(crate) sizes: PartSizes,
}

/// The working folder of one process at a time.
pub(crate) struct PartsFolder {
    /// Never finished: it locks out other processes. It is in the folder, so it is dropped first.
    _lock: AtomicFile,
    folder: Folder,
}

impl PartsFolder {
    /// Opens the folder of this name beside a corpus.
    ///
    /// # Errors
    /// If it cannot be created, or another process works in it.
    pub(crate) fn open(corpus: &Corpus, name: &str) -> Result<PartsFolder, Error> {
        let folder = Folder::create(&corpus.path().join(name))?;
        Ok(PartsFolder { _lock: corpus.create_file(&folder.path().join("lock"), BLOCK)?, folder })
    }

    fn part(&self, batches: &Range<usize>) -> PathBuf {
        self.folder.path().join(format!("{}-{}.arrow", batches.start, batches.end))
    }

    /// Removes the folder and all parts in it, which may still be mapped where the system can do that.
    pub(crate) fn remove(self) {
        let files = fs::read_dir(self.folder.path()).into_iter().flatten().flatten();
        // What others left behind as well, but not what keeps them out, nor what is not ours.
        let parts = files.filter(|file| is_part(&file.file_name().to_string_lossy()));
        parts.for_each(|file| drop(fs::remove_file(file.path())));
    }
}

/// Returns whether a file is a part, or an unfinished one: `0-12.arrow`, `.0-12.arrow.writing`.
fn is_part(name: &str) -> bool {
    let name = name.strip_prefix('.').and_then(|name| name.strip_suffix(WRITING)).unwrap_or(name);
    let batches = name.strip_suffix(".arrow").and_then(|batches| batches.split_once('-'));
    batches.is_some_and(|(start, end)| start.parse::<usize>().is_ok() && end.parse::<usize>().is_ok())
}

/// Returns whether the parts of a corpus are kept until all are made.
pub(crate) fn is_kept(corpus: &Corpus, sizes: PartSizes) -> bool {
    let batches = 0..corpus.num_text_batches();
    batches.map(|batch| corpus.text_batch_bytes(batch)).sum::<u64>() >= sizes.kept_from
}

impl<S: Clone + PartialEq + Serialize + DeserializeOwned + Sync> Work<'_, S> {
    /// Returns the batches of texts of each part.
    fn cuts(&self) -> Vec<Range<usize>> {
        let sizes: Vec<u64> =
            (0..self.corpus.num_text_batches()).map(|batch| self.corpus.text_batch_bytes(batch)).collect();
        let size = (sizes.iter().sum::<u64>() / PARTS).clamp(self.sizes.least, self.sizes.most);
        let (mut cuts, mut start, mut bytes) = (Vec::new(), 0, 0);
        for (batch, of_batch) in sizes.iter().enumerate() {
            bytes += of_batch;
            if bytes >= size || batch + 1 == sizes.len() {
                cuts.push(start..batch + 1);
                (start, bytes) = (batch + 1, 0);
            }
        }
        cuts
    }

    /// Returns all parts in the pages' order: those on disk, and the others made by `make` from batches of texts.
    /// `make` reports finished pages to its second argument.
    ///
    /// # Errors
    /// Those of `make`, or if a part cannot be written.
    pub(crate) fn parts(
        &self,
        folder: Option<&PartsFolder>,
        make: impl Fn(Range<usize>, &dyn Fn(u64)) -> Result<RecordBatch, Error> + Sync,
        progress: &mut dyn Progress,
    ) -> Result<Vec<Table>, Error> {
        let cuts = self.cuts();
        let mut parts: Vec<Option<Table>> = Vec::new();
        for batches in &cuts {
            // A damaged one, or of other settings, is made again.
            let kept = folder.and_then(|folder| self.open(&folder.part(batches), batches).ok());
            if kept.is_some() {
                progress.advance(self.corpus.num_pages_in(batches));
            }
            parts.push(kept);
        }
        let missing: Vec<usize> = (0..cuts.len()).filter(|&part| parts[part].is_none()).collect();
        let next = AtomicUsize::new(0);
        let (sender, receiver) = mpsc::channel();
        let work = |sender: Sender<Done>| {
            while let Some(&part) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
                // Nobody waits for more where one has failed.
                let pages = |num| drop(sender.send(Done::Pages(num)));
                let made = make(cuts[part].clone(), &pages);
                self.corpus.release_text_batches(cuts[part].clone());
                let made = made.and_then(|batch| self.write(folder, &cuts[part], &batch));
                if made.is_err() {
                    next.store(missing.len(), Ordering::Relaxed);
                }
                let _ = sender.send(Done::Part(part, made));
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..rayon::current_num_threads().min(missing.len()) {
                let (sender, work) = (sender.clone(), &work);
                scope.spawn(move || work(sender));
            }
            drop(sender);
            let _stopped = WhenStopped(|| next.store(missing.len(), Ordering::Relaxed));
            for done in receiver {
                match done {
                    Done::Pages(num) => progress.advance(num),
                    Done::Part(part, made) => parts[part] = Some(made?),
                }
            }
            Ok::<_, Error>(())
        })?;
        Ok(parts.into_iter().map(|part| part.expect("every part was taken over or made")).collect())
    }

    fn part_of(&self, batches: &Range<usize>) -> PartOf<S> {
        let text = self.corpus.manifest().text_checksum().to_owned();
        PartOf { work: self.settings.clone(), text, batches: batches.clone() }
    }

    /// Opens a part that was written before, if it matches and is whole.
    fn open(&self, path: &Path, batches: &Range<usize>) -> Result<Table, Error> {
        let table = self.table(path, mmap::map(path)?, batches)?;
        table.check_all()?;
        Ok(table)
    }

    fn table(&self, path: &Path, map: Mapped, batches: &Range<usize>) -> Result<Table, Error> {
        let file = ArrowFile::<PartOf<S>, Places>::open(path.into(), map, self.format)?;
        match file.places.batches_at[..] {
            [at] if file.settings == self.part_of(batches) => Table::of_batch(file.map, at as usize),
            _ => Err(Error::damaged(path, "a part of other work", self.format.what)),
        }
    }

    fn write(
        &self,
        folder: Option<&PartsFolder>,
        batches: &Range<usize>,
        batch: &RecordBatch,
    ) -> Result<Table, Error> {
        let path = folder.map_or_else(|| self.corpus.path().into(), |folder| folder.part(batches));
        let sink = match folder {
            Some(_) => Sink::Disk(self.corpus.create_file(&path, BLOCK)?),
            None => Sink::in_memory(),
        };
        let mut writer = ArrowWriter::new(&path, sink, &self.schema)?;
        writer.write(batch)?;
        let places = |batches_at| Places { batches_at };
        let map = writer.finish(self.format, self.part_of(batches), places)?.0.into_map(&path)?;
        self.table(&path, map, batches)
    }
}

/// A message of a thread.
enum Done {
    /// A number of finished pages.
    Pages(u64),
    /// A finished part.
    Part(usize, Result<Table, Error>),
}
