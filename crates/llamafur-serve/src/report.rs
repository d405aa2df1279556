//! The files of an evaluation's report, as they are.
//!
//! A corpus may come from somebody else, and its folder with it: nothing in it makes the server read a file elsewhere. So
//! files are opened below the folder, one name after the other, and no symbolic link is followed.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The reports of the corpora.
#[derive(Debug, Default)]
pub(crate) struct Reports {
    /// The folder that was given for the first corpus.
    of_first: Option<PathBuf>,
    first: String,
}

/// The folder of a report.
#[derive(Debug)]
pub(crate) struct Report {
    /// A folder that the operator named: links that lead to it are followed.
    root: PathBuf,
    /// The folder below it.
    below: &'static str,
}

/// The list of a report's own files, one a line.
const LIST: &str = "files.txt";

/// Bytes of a list.
const LONGEST_LIST: u64 = 1 << 20;

/// Bytes of a file of a report.
const LARGEST: u64 = 64 << 20;

impl Reports {
    pub(crate) fn new(of_first: Option<PathBuf>, first: &str) -> Reports {
        Reports { of_first, first: first.to_owned() }
    }

    /// The report of a corpus, if there is one.
    pub(crate) fn of(&self, corpus: &str, path: &Path) -> Option<Report> {
        let given = self.of_first.as_deref().filter(|_| corpus == self.first);
        let of_corpus = || Report { root: path.to_owned(), below: "report/" };
        let report = given.map_or_else(of_corpus, Report::in_folder);
        report.exists().then_some(report)
    }
}

impl Report {
    /// The report in a folder, which may not be one.
    pub(crate) fn in_folder(folder: &Path) -> Report {
        Report { root: folder.to_owned(), below: "" }
    }

    /// Whether the folder is that of a report.
    pub(crate) fn exists(&self) -> bool {
        self.open(LIST).is_ok()
    }

    /// The name and the bytes of a file of the report, if it is one: nothing else in the folder can be read.
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

/// The bytes of a file that has no more than so many.
fn bytes(file: File, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if file.take(most + 1).read_to_end(&mut bytes)? as u64 > most {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

/// Opens what has this path in a folder, without following a link from there on. A named pipe does not make it wait.
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
