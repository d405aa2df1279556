//! Index of names by their beginnings and the beginnings of their words: a finite-state set, built once and kept in a
//! file.
//!
//! An entry is a name from its beginning or from that of one of its first 32 words, up to 255 bytes of it, in its
//! compared form ([`plain`]), then a zero, a byte that says whether the entry begins the name, and the row of the name.
//! The file is an Arrow file with one column of bytes, `entries`: the set in the format of the crate `fst`. It is
//! checked whole when it is opened, which is when a name is not found or titles are suggested.

use crate::Error;
use crate::corpus::{Corpus, fold};
use crate::error::Artifact;
use crate::interrupt;
use crate::progress::{Cached, Progress, Task};
use crate::storage::arrow_file::{ArrowFile, ArrowWriter, Sink, list_of, one_row};
use crate::storage::columns::{Ids, Table};
use crate::storage::kept::kept_or_made;
use crate::storage::mmap::Mapped;
use crate::storage::signed::Format;
use arrow_array::UInt8Array;
use arrow_schema::{DataType, Field, Schema};
use fst::{Set, SetBuilder};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Largest number of bytes of a name that are indexed. The names of wikis have no more.
const LONGEST: usize = 255;

/// Largest number of words of a name from which it is found.
const MOST_WORDS: usize = 32;

/// Length of an entry's end: a zero, whether the entry begins the title, and the row.
pub(super) const TAIL: usize = 6;

/// Bytes of memory that an entry takes while the set is built.
const BYTES_AN_ENTRY: u64 = 96;

/// Number of names from which on the index is kept in a file.
const WORTH_A_FILE: usize = 100_000;

/// Number of names read at a time.
const AT_A_TIME: usize = 1 << 16;

const FORMAT: Format = Format {
    name: "llamafur names",
    version: 1,
    of: Artifact::Prepared,
    what: "the settings of an index of names",
};

/// Names to be indexed.
pub(super) struct Names<'n> {
    /// Identifies the names.
    pub(super) checksum: String,
    pub(super) num: usize,
    pub(super) get: &'n (dyn Fn(usize) -> Result<&'n str, Error> + Sync),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Settings {
    names: String,
    num: usize,
    bytes: usize,
}

/// The place where the record batch begins.
#[derive(Serialize, Deserialize)]
struct Places {
    batches_at: Vec<u64>,
}

pub(super) struct NameIndex {
    pub(super) entries: Set<Checked>,
}

/// The bytes of a set in a file, checked.
pub(super) struct Checked(Ids<u8>);

impl AsRef<[u8]> for Checked {
    fn as_ref(&self) -> &[u8] {
        // Checked when the index was opened.
        self.0.all().unwrap_or_default()
    }
}

impl NameIndex {
    /// Opens the index of these names that the corpus keeps under `name`, or builds it in `memory` bytes. A small index
    /// is built in memory, which takes less than a moment.
    pub(super) fn kept_or_made(
        corpus: &Corpus,
        name: &str,
        names: &Names<'_>,
        memory: u64,
        progress: &mut dyn Progress,
    ) -> Result<NameIndex, Error> {
        let path = corpus.prepared(name);
        if names.num < WORTH_A_FILE {
            return open(
                path.clone(),
                write(&path, Sink::in_memory(), names, memory, progress)?.into_map(&path)?,
                names,
            );
        }
        let make = |sink, progress: &mut dyn Progress| write(&path, sink, names, memory, progress);
        let create = |path: &Path, block| corpus.create_file(path, block);
        kept_or_made(&path, Cached::Names, create, |path, map| open(path, map, names), make, progress)
    }

    /// Builds the index of these names in memory.
    pub(super) fn in_memory(names: &[&str], memory: u64) -> Result<NameIndex, Error> {
        let get = |row: usize| Ok(names[row]);
        let names = Names { checksum: String::new(), num: names.len(), get: &get };
        let path = Path::new("names");
        let sink = write(path, Sink::in_memory(), &names, memory, &mut crate::progress::Silent)?;
        open(path.into(), sink.into_map(path)?, &names)
    }
}

fn open(path: PathBuf, map: Mapped, names: &Names<'_>) -> Result<NameIndex, Error> {
    let file = ArrowFile::<Settings, Places>::open(path.clone(), map, &FORMAT)?;
    if (&file.settings.names, file.settings.num) != (&names.checksum, names.num) {
        return Err(Error::OtherCorpus { what: Artifact::Prepared, path });
    }
    let damaged = |found: String| Error::damaged(&path, found, "an index of names");
    let at = *file.places.batches_at.first().ok_or_else(|| damaged("no batch".into()))?;
    let bytes: Ids<u8> = Table::of_batch(file.map, at as usize)?.only_list(0)?;
    bytes.all()?;
    Ok(NameIndex { entries: Set::new(Checked(bytes)).map_err(|e| damaged(e.to_string()))? })
}

fn write(
    path: &Path,
    sink: Sink,
    names: &Names<'_>,
    memory: u64,
    progress: &mut dyn Progress,
) -> Result<Sink, Error> {
    let most = memory / BYTES_AN_ENTRY;
    let all = 0..BEGINNINGS;
    // Names that fit in any case need not be counted.
    let parts = match (names.num * MOST_WORDS) as u64 <= most {
        true => vec![all],
        false => parts_of(&count_beginnings(names)?, most),
    };
    progress.start(Task::IndexNames, Some((names.num * parts.len()) as u64));
    let mut set = SetBuilder::memory();
    for part in parts {
        let mut entries: Vec<Vec<u8>> = Vec::new();
        for rows in rows_of(names) {
            interrupt::check()?;
            let num = rows.len() as u64;
            let of_row = |row| {
                let mut entries = entries_of(&beginning_of((names.get)(row)?), row as u32);
                entries.retain(|entry| part.contains(&beginning(entry)));
                Ok(entries)
            };
            let of_rows = rows.into_par_iter().map(of_row).collect::<Result<Vec<_>, Error>>()?;
            entries.extend(of_rows.into_iter().flatten());
            progress.advance(num);
        }
        entries.par_sort_unstable();
        for entry in entries {
            // A title may have the same word twice, never the same entry.
            set.insert(entry).expect("sorted entries, each with its row");
        }
    }
    let bytes = set.into_inner().expect("memory can be written");
    let schema = Schema::new(vec![Field::new("entries", list_of(DataType::UInt8), false)]);
    let settings = Settings { names: names.checksum.clone(), num: names.num, bytes: bytes.len() };
    let mut writer = ArrowWriter::new(path, sink, &schema)?;
    writer.write(&one_row("names", schema, [Arc::new(UInt8Array::from(bytes)) as _])?)?;
    let finished = writer.finish(&FORMAT, settings, |batches_at| Places { batches_at });
    progress.finish();
    Ok(finished?.0)
}

fn rows_of(names: &Names<'_>) -> impl Iterator<Item = Range<usize>> {
    let num = names.num;
    (0..num).step_by(AT_A_TIME).map(move |first| first..(first + AT_A_TIME).min(num))
}

/// Number of different first two bytes.
const BEGINNINGS: usize = 1 << 16;

/// Returns the first two bytes of an entry as a number: entries with a lower one come first.
fn beginning(entry: &[u8]) -> usize {
    usize::from(entry[0]) << 8 | usize::from(entry[1])
}

/// Counts the entries with each beginning.
fn count_beginnings(names: &Names<'_>) -> Result<Vec<u64>, Error> {
    let mut counts = vec![0; BEGINNINGS];
    for rows in rows_of(names) {
        interrupt::check()?;
        let of_row = |row| {
            let entries = entries_of(&beginning_of((names.get)(row)?), row as u32);
            Ok(entries.iter().map(|entry| beginning(entry)).collect::<Vec<_>>())
        };
        let found = rows.into_par_iter().map(of_row).collect::<Result<Vec<_>, Error>>()?;
        found.iter().flatten().for_each(|&beginning| counts[beginning] += 1);
    }
    Ok(counts)
}

/// Returns ranges of beginnings, each with at most `most` entries or with a single beginning.
fn parts_of(beginnings: &[u64], most: u64) -> Vec<Range<usize>> {
    let (mut parts, mut first, mut num) = (Vec::new(), 0, 0);
    for (at, count) in beginnings.iter().enumerate() {
        if num > 0 && num + count > most {
            parts.push(first..at);
            (first, num) = (at, 0);
        }
        num += count;
    }
    parts.push(first..beginnings.len());
    parts
}

/// Returns a name in its compared form: in lower case, spaces for underscores, without accents.
pub(super) fn plain(name: &str) -> String {
    let folded = fold(name);
    if folded.is_ascii() {
        return folded;
    }
    folded.nfd().filter(|c| !is_combining_mark(*c)).nfc().collect()
}

/// Returns the indexed beginning of a name, in its compared form.
fn beginning_of(name: &str) -> String {
    // What is longer is cut before the work, to the bytes from which accents or spaces may be taken away.
    let mut name = plain(&name[..name.floor_char_boundary(4 * LONGEST)]);
    name.truncate(name.floor_char_boundary(LONGEST));
    name
}

/// Returns the entries of a name: from its beginning and from the beginning of each of its first words.
fn entries_of(name: &str, row: u32) -> Vec<Vec<u8>> {
    let mut before = ' ';
    let mut entries = Vec::new();
    for (at, letter) in name.char_indices() {
        if at == 0 || (letter.is_alphanumeric() && !before.is_alphanumeric()) {
            let mut entry = Vec::with_capacity(name.len() - at + TAIL);
            entry.extend_from_slice(&name.as_bytes()[at..]);
            entry.extend([0, u8::from(at > 0)]);
            entry.extend(row.to_be_bytes());
            entries.push(entry);
            if entries.len() == MOST_WORDS {
                break;
            }
        }
        before = letter;
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_of_many_words_takes_bounded_memory() {
        let (long, spaces) = ("word ".repeat(150_000), format!("{}x", " ".repeat(1 << 20)));
        let names = [&long[..], &spaces, "Ø ".repeat(2000).leak(), "Fish"];
        let entries: Vec<Vec<u8>> =
            names.iter().flat_map(|name| entries_of(&beginning_of(name), 0)).collect();
        assert!(entries.len() <= names.len() * MOST_WORDS);
        assert!(entries.iter().all(|entry| entry.len() <= LONGEST + TAIL));
        assert!(NameIndex::in_memory(&names, u64::MAX).unwrap().entries.len() <= entries.len());
    }

    #[test]
    fn the_index_is_the_same_in_any_memory() {
        let names: Vec<String> =
            (0..300u32).map(|n| format!("Page {n} of {}", n.wrapping_mul(0x9E37_79B9))).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).chain(["Édouard", "木星", ""]).collect();
        let bytes =
            |memory| NameIndex::in_memory(&names, memory).unwrap().entries.as_fst().as_bytes().to_vec();
        assert_eq!(bytes(u64::MAX), bytes(BYTES_AN_ENTRY * 10));
    }
}
