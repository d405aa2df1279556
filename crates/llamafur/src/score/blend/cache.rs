//! Means and deviations of scorers, and their scales, that a corpus keeps: `standards.json` in its folder, so that a
//! ranking need not score thousands of links first.
//!
//! Each entry has the name of its scorer and a checksum of what it depends on: the corpus, a model, words, settings.
//! Entries that do not match are computed anew. The file is signed like the headers of models; a damaged one is
//! overwritten, and that is noted.

use super::Part;
use super::standardise::Standard;
use crate::corpus::Corpus;
use crate::error::{Artifact, Error};
use crate::progress::{Cached, Note, Progress};
use crate::score::scale::Scale;
use crate::storage::BLOCK;
use crate::storage::kept::create_soon;
use crate::storage::signed::{self, Format};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};

pub(crate) const STANDARDS: &str = "standards.json";

/// The version of the file; also raised where a scorer gives other scores of the same corpus.
const VERSION: u32 = 3;

const FORMAT: Format = Format {
    name: "llamafur standards",
    version: VERSION,
    of: Artifact::Standards,
    what: "means and deviations",
};

/// Number of means and deviations to keep, the latest.
const MOST: usize = 256;

/// Number of scales to keep, the latest.
const MOST_SCALES: usize = 32;

/// The values that a corpus keeps.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(in crate::score) struct Cache {
    standards: Vec<Entry<Standard>>,
    scales: Vec<Entry<Scale>>,
}

/// A value of a scorer.
#[derive(Debug, Serialize, Deserialize)]
struct Entry<T> {
    scorer: String,
    rests_on: String,
    #[serde(flatten)]
    known: T,
}

impl<T: Clone> Entry<T> {
    fn find(all: &[Entry<T>], scorer: &str, rests_on: &str) -> Option<T> {
        let is_it = |entry: &&Entry<T>| (&entry.scorer[..], &entry.rests_on[..]) == (scorer, rests_on);
        all.iter().find(is_it).map(|entry| entry.known.clone())
    }

    fn add(all: &mut Vec<Entry<T>>, scorer: &str, rests_on: String, known: T, most: usize) {
        all.push(Entry { scorer: scorer.into(), rests_on, known });
        all.drain(..all.len().saturating_sub(most));
    }
}

/// Computes a checksum of all that the scores of a part depend on.
pub(super) fn rests_on(corpus: &Corpus, part: &Part) -> String {
    checksum(corpus, [format!("{:?}", part.shape), part.scorer.rests_on()])
}

/// Computes the checksum of the corpus and of these settings.
pub(in crate::score) fn checksum(corpus: &Corpus, settings: [String; 2]) -> String {
    let mut hasher = blake3::Hasher::new();
    for what in [corpus.manifest().checksum()].into_iter().chain(settings) {
        hasher.update(what.as_bytes()).update(b"\n");
    }
    hasher.finalize().to_hex().to_string()
}

fn path(corpus: &Corpus) -> PathBuf {
    corpus.path().join(STANDARDS)
}

/// Reads a file; `None` if it is of another version.
fn read(path: &Path) -> Result<Option<Cache>, Error> {
    let text = std::fs::read_to_string(path).map_err(Error::io(path))?;
    match signed::parse(path, &text, &FORMAT) {
        Ok((kept, _)) => Ok(Some(kept)),
        Err(Error::Version { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

impl Cache {
    /// Opens the values that the corpus keeps; none if the file is damaged, which is noted.
    pub(in crate::score) fn open(corpus: &Corpus, progress: &mut dyn Progress) -> Cache {
        let path = path(corpus);
        if !path.exists() {
            return Cache::default();
        }
        let kept = read(&path).unwrap_or_else(|_| {
            progress.note(Note::Rebuilt { path: path.clone() });
            None
        });
        kept.unwrap_or_default()
    }

    pub(super) fn standard(&self, scorer: &str, rests_on: &str) -> Option<Standard> {
        Entry::find(&self.standards, scorer, rests_on)
    }

    pub(super) fn add_standard(&mut self, scorer: &str, rests_on: String, standard: Standard) {
        Entry::add(&mut self.standards, scorer, rests_on, standard, MOST);
    }

    pub(in crate::score) fn scale(&self, scorer: &str, rests_on: &str) -> Option<Scale> {
        Entry::find(&self.scales, scorer, rests_on)
    }

    pub(in crate::score) fn add_scale(&mut self, scorer: &str, rests_on: String, scale: Scale) {
        Entry::add(&mut self.scales, scorer, rests_on, scale, MOST_SCALES);
    }

    /// Writes the file, whole or not at all; a failure is noted.
    pub(in crate::score) fn save(self, corpus: &Corpus, progress: &mut dyn Progress) {
        let path = path(corpus);
        let (text, _) = signed::sign(&FORMAT, self);
        let written = create_soon(|| corpus.create_file(&path, BLOCK)).and_then(|mut file| {
            writeln!(file, "{text}").map_err(Error::io(&path))?;
            file.finish()
        });
        if let Err(error) = written {
            progress.note(Note::NotCached { what: Cached::Standards, error: error.to_string() });
        }
    }
}

/// Checks the means and deviations that a corpus keeps; returns the name of their file, if there is one.
pub fn verify_standards(corpus: &Corpus) -> Result<Option<&'static str>, Error> {
    let path = path(corpus);
    if !path.exists() {
        return Ok(None);
    }
    read(&path)?;
    Ok(Some(STANDARDS))
}
