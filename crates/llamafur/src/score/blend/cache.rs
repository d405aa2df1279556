//! Means and deviations that a corpus keeps: `standards.json` in its folder, so that a ranking need not look at
//! thousands of links first.
//!
//! Each entry has the name of its scorer and a checksum of what it depends on: the corpus, a model, words, settings.
//! Whatever does not fit, is found anew. The file is signed as the headers of models are; one that is damaged is
//! written over, and that is noted.

use super::Part;
use super::standardise::Standard;
use crate::corpus::Corpus;
use crate::error::{Artifact, Error};
use crate::progress::{Cached, Note, Progress};
use crate::storage::BLOCK;
use crate::storage::kept::create_soon;
use crate::storage::signed::{self, Format};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};

pub(crate) const STANDARDS: &str = "standards.json";

/// The version of the file; another one also where a scorer gives other scores of the same corpus.
const VERSION: u32 = 2;

const FORMAT: Format = Format {
    name: "llamafur standards",
    version: VERSION,
    of: Artifact::Standards,
    what: "means and deviations",
};

/// How many are kept, the latest.
const MOST: usize = 256;

/// What a corpus keeps.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Cache {
    standards: Vec<Entry>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    scorer: String,
    rests_on: String,
    standard: Standard,
}

/// A checksum of all that the scores of a part depend on.
pub(super) fn rests_on(corpus: &Corpus, part: &Part) -> String {
    let mut hasher = blake3::Hasher::new();
    let shape = format!("{:?}", part.shape);
    for what in [corpus.manifest().checksum(), shape, part.scorer.rests_on()] {
        hasher.update(what.as_bytes()).update(b"\n");
    }
    hasher.finalize().to_hex().to_string()
}

fn path(corpus: &Corpus) -> PathBuf {
    corpus.path().join(STANDARDS)
}

/// What a file holds; `None` if it is of another version.
fn read(path: &Path) -> Result<Option<Cache>, Error> {
    let text = std::fs::read_to_string(path).map_err(Error::io(path))?;
    match signed::parse(path, &text, &FORMAT) {
        Ok((kept, _)) => Ok(Some(kept)),
        Err(Error::Version { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

impl Cache {
    /// What the corpus keeps; nothing if the file is damaged, which is noted.
    pub(super) fn open(corpus: &Corpus, progress: &mut dyn Progress) -> Cache {
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

    pub(super) fn get(&self, scorer: &str, rests_on: &str) -> Option<Standard> {
        let is_it = |entry: &&Entry| (&entry.scorer[..], &entry.rests_on[..]) == (scorer, rests_on);
        self.standards.iter().find(is_it).map(|entry| entry.standard)
    }

    pub(super) fn add(&mut self, scorer: &str, rests_on: String, standard: Standard) {
        self.standards.push(Entry { scorer: scorer.into(), rests_on, standard });
        self.standards.drain(..self.standards.len().saturating_sub(MOST));
    }

    /// Writes the file, whole or not at all; where that cannot be done, it is noted.
    pub(super) fn save(self, corpus: &Corpus, progress: &mut dyn Progress) {
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

/// Checks the means and deviations that a corpus keeps; the name of their file, if there is one.
///
/// # Errors
/// If they are damaged.
pub fn verify_standards(corpus: &Corpus) -> Result<Option<&'static str>, Error> {
    let path = path(corpus);
    if !path.exists() {
        return Ok(None);
    }
    read(&path)?;
    Ok(Some(STANDARDS))
}
