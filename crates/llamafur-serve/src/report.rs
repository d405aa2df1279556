//! Serves the files of an evaluation's report unchanged.
//!
//! A corpus may come from somebody else, with its folder: nothing in it may make the server read a file elsewhere. So
//! files are opened below the folder, one name after the other, and no symbolic link is followed.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The reports of the corpora.
#[derive(Debug, Default)]
pub(crate) struct Reports {
    /// The folder set for the first corpus.
    of_first: Option<PathBuf>,
    first: String,
}

/// The folder of a report.
#[derive(Debug)]
pub(crate) struct Report {
    /// A folder chosen by the operator: symbolic links to it are followed.
    root: PathBuf,
    /// The folder below it.
    below: &'static str,
}

/// The list of a report's own files, one a line.
const LIST: &str = "files.txt";

/// Largest size of a list in bytes.
const LONGEST_LIST: u64 = 1 << 20;

/// Largest size of a report's file in bytes.
const LARGEST: u64 = 64 << 20;

impl Reports {
    pub(crate) fn new(of_first: Option<PathBuf>, first: &str) -> Reports {
        Reports { of_first, first: first.to_owned() }
    }

    /// Returns the report of a corpus, if it exists.
    pub(crate) fn of(&self, corpus: &str, path: &Path) -> Option<Report> {
        let given = self.of_first.as_deref().filter(|_| corpus == self.first);
        let of_corpus = || Report { root: path.to_owned(), below: "report/" };
        let report = given.map_or_else(of_corpus, Report::in_folder);
        report.exists().then_some(report)
    }
}

impl Report {
    /// Returns the report in a folder, without checking that it is one.
    pub(crate) fn in_folder(folder: &Path) -> Report {
        Report { root: folder.to_owned(), below: "" }
    }

    /// Returns whether the folder has a report.
    pub(crate) fn exists(&self) -> bool {
        self.open(LIST).is_ok()
    }

    /// Returns the name and the bytes of a file of the report; `None` for any other file in the folder.
    pub(crate) fn read(&self, name: &str) -> io::Result<Option<(String, Vec<u8>)>> {
        let name = if name.is_empty() { "index.html" } else { name };
        let is_plain =
            !name.split('/').any(|part| part.is_empty() || part.starts_with('.')) && !name.contains('\\');
        let Ok(list) = self.open(LIST) else { return Ok(None) };
        let list = bytes(list, LONGEST_LIST)?;
        if !is_plain || !list.split(|byte| *byte == b'\n').any(|own| own.trim_ascii_end() == name.as_bytes())
        {
            return Ok(None);
        }
        match self.open(name) {
            Ok(file) => Ok(Some((name.to_owned(), bytes(file, LARGEST)?))),
            Err(_) => Ok(None),
        }
    }

    fn open(&self, name: &str) -> io::Result<File> {
        let file = open_below(&self.root, &format!("{}{name}", self.below))?;
        if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
    }
}

/// Reads the bytes of a file, up to a limit.
fn bytes(file: File, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if file.take(most + 1).read_to_end(&mut bytes)? as u64 > most {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

/// Opens a path in a folder, without following a symbolic link or waiting for a named pipe.
#[cfg(unix)]
fn open_below(root: &Path, path: &str) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open, openat};
    let folder = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut at = open(root, folder, Mode::empty())?;
    let mut names = path.split('/').peekable();
    while let Some(name) = names.next() {
        let kind = if names.peek().is_some() { folder } else { OFlags::NONBLOCK | OFlags::CLOEXEC };
        at = openat(&at, name, kind | OFlags::NOFOLLOW, Mode::empty())?;
    }
    Ok(at.into())
}

#[cfg(not(unix))]
fn open_below(root: &Path, path: &str) -> io::Result<File> {
    let mut place = root.to_owned();
    for name in path.split('/') {
        place.push(name);
        if place.symlink_metadata()?.is_symlink() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
    }
    File::open(place)
}
