//! Files that are computed once and kept: opened if they are there and whole, else made.

use super::arrow_file::Sink;
use super::atomic::AtomicFile;
use super::checksum::SMALL_BLOCK;
use super::mmap::{self, Mapped};
use crate::Error;
use crate::progress::{Cached, Note, Progress};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The file at `path` as `open` reads it. If it is not there, or of another version or another corpus, it is made; so is a
/// damaged one, which is noted. A second process waits for the first, and then finds the file.
///
/// # Errors
/// If it cannot be made. Where the folder cannot be written, it is made in memory, and that is noted.
pub(crate) fn kept_or_made<T>(
    path: &Path,
    what: Cached,
    open: impl Fn(PathBuf, Mapped) -> Result<T, Error>,
    make: impl FnOnce(Sink, &mut dyn Progress) -> Result<Sink, Error>,
    progress: &mut dyn Progress,
) -> Result<T, Error> {
    let kept = || match path.exists() {
        true => open(path.into(), mmap::map(path)?).map(Some),
        false => Ok(None),
    };
    if let Ok(Some(kept)) = kept() {
        return Ok(kept);
    }
    let _lock = lock(path, progress);
    // Another process may have made it meanwhile.
    match kept() {
        Ok(Some(kept)) => return Ok(kept),
        Ok(None) | Err(Error::Version { .. } | Error::OtherCorpus { .. }) => {}
        Err(_) => progress.note(Note::Rebuilt { path: path.into() }),
    }
    let created = Folder::create(path.parent().unwrap_or(path)).and_then(|folder| {
        let file = AtomicFile::create(path, SMALL_BLOCK)?;
        Ok((Sink::Disk(file), Some(folder)))
    });
    let (sink, _folder) = created.unwrap_or_else(|error| {
        progress.note(Note::NotCached { what, error: error.to_string() });
        (Sink::in_memory(), None)
    });
    let map = make(sink, progress)?.into_map(path)?;
    open(path.into(), map)
}

/// A folder that is created if need be, and removed again if nothing came into it.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// This folder.
    ///
    /// # Errors
    /// If it cannot be created.
    pub(crate) fn create(path: &Path) -> Result<Folder, Error> {
        if !path.is_dir() {
            fs::create_dir(path).map_err(Error::io(path))?;
        }
        Ok(Folder(path.into()))
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // One that is not empty stays.
        let _ = fs::remove_dir(&self.0);
    }
}

/// Waits until no other process makes prepared files of the corpus that has this one: the lock is that of its folder. `None`
/// where the system has no such locks.
pub(crate) fn lock(prepared: &Path, progress: &mut dyn Progress) -> Option<File> {
    let corpus = File::open(prepared.parent()?.parent()?).ok()?;
    if corpus.try_lock().is_err() {
        progress.note(Note::Waiting { path: prepared.into() });
        corpus.lock().ok()?;
    }
    Some(corpus)
}
