//! Files that are computed once and kept: opened if they are there and whole, else made.

use super::arrow_file::Sink;
use super::atomic::{AtomicFile, WRITING};
use super::checksum::SMALL_BLOCK;
use super::mmap::{self, Mapped};
use super::wait::try_for;
use crate::Error;
use crate::progress::{Cached, Note, Progress};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The place where something is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    OnDisk,
    InMemory,
}

/// Makes something on disk, or, where one of these files and folders cannot be written, in memory, and notes that.
///
/// # Errors
/// Those of `make`, but for places that cannot be written.
pub(crate) fn on_disk_or_in_memory<T>(
    what: Cached,
    places: &[&Path],
    progress: &mut dyn Progress,
    make: impl Fn(Keep, &mut dyn Progress) -> Result<T, Error>,
) -> Result<T, Error> {
    match make(Keep::OnDisk, progress) {
        Err(error) if is_unwritable(&error, places) => {
            progress.note(Note::NotCached { what, error: error.to_string() });
            make(Keep::InMemory, progress)
        }
        made => made,
    }
}

/// Returns whether the error is that one of these files, or of the files in these folders, cannot be written: the disk
/// is full, broken or read-only, or another process is writing it.
pub(crate) fn is_unwritable(error: &Error, places: &[&Path]) -> bool {
    let (Error::Io { path, .. } | Error::Place { path, .. }) = error else { return false };
    places.iter().any(|place| path.starts_with(place))
}

/// Opens the file at `path` with `open`. If it is not there, or of another version or another corpus, it is made; so is
/// a damaged one, which is noted. `create` starts the file. A second process waits for the first, and then finds the
/// file.
///
/// # Errors
/// If it cannot be made. Where it cannot be written, it is made in memory, and that is noted.
pub(crate) fn kept_or_made<T>(
    path: &Path,
    what: Cached,
    create: impl Fn(&Path, usize) -> Result<AtomicFile, Error>,
    open: impl Fn(PathBuf, Mapped) -> Result<T, Error>,
    make: impl Fn(Sink, &mut dyn Progress) -> Result<Sink, Error>,
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
    let folder = path.parent().unwrap_or(path);
    let map = on_disk_or_in_memory(what, &[folder], progress, |keep, progress| match keep {
        Keep::OnDisk => {
            let _folder = Folder::create(folder)?;
            let sink = Sink::Disk(create(path, SMALL_BLOCK)?);
            make(sink, progress)?.into_map(path)
        }
        Keep::InMemory => make(Sink::in_memory(), progress)?.into_map(path),
    })?;
    open(path.into(), map)
}

/// A folder that is created if need be, and removed again if nothing came into it.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Creates the folder if it is not there.
    pub(crate) fn create(path: &Path) -> Result<Folder, Error> {
        if !path.is_dir() {
            fs::create_dir(path).map_err(Error::io(path))?;
        }
        Ok(Folder(path.into()))
    }

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

/// The longest wait for a lock whose holder makes nothing.
const IDLE: Duration = Duration::from_secs(1);

/// Waits until no other process makes prepared files of the corpus that has this one: the lock is that of its folder. `None`
/// where the system has no such locks, and where a process holds the lock that makes nothing: then the file's own lock is enough.
pub(crate) fn lock(prepared: &Path, progress: &mut dyn Progress) -> Option<File> {
    let folder = prepared.parent()?.parent()?;
    let corpus = File::open(folder).ok()?;
    if corpus.try_lock().is_ok() {
        return Some(corpus);
    }
    progress.note(Note::Waiting { path: prepared.into() });
    let mut before = files_in(folder);
    while !try_for(IDLE, || corpus.try_lock().is_ok()) {
        // A process of ours that is at work begins files, finishes them, or holds the lock of an unfinished one.
        let now = files_in(folder);
        if now == before && !now.iter().any(|path| is_being_written(path)) {
            return None;
        }
        before = now;
    }
    Some(corpus)
}

/// Starts a small file; waits a moment, without a lock, if another process is writing it.
pub(crate) fn create_soon(create: impl Fn() -> Result<AtomicFile, Error>) -> Result<AtomicFile, Error> {
    let mut created = create();
    try_for(IDLE, || {
        if matches!(created, Err(Error::Place { .. })) {
            created = create();
        }
        !matches!(created, Err(Error::Place { .. }))
    });
    created
}

/// Returns the files that are made of a corpus, and those that are not finished yet.
fn files_in(corpus: &Path) -> BTreeSet<PathBuf> {
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries(corpus).filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let folders = folders.map(|entry| entry.path()).chain([corpus.to_owned()]);
    folders.flat_map(|folder| entries(&folder).map(|entry| entry.path()).collect::<Vec<_>>()).collect()
}

/// Returns whether a file is unfinished, and a process has it locked.
fn is_being_written(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(WRITING) && File::open(path).is_ok_and(|file| file.try_lock_shared().is_err())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;

    #[derive(Default)]
    struct Notes(Vec<Note>);

    impl Progress for Notes {
        fn note(&mut self, note: Note) {
            self.0.push(note);
        }
    }

    #[test]
    fn a_lock_of_a_process_that_makes_nothing_is_not_waited_for() {
        let corpus = tempfile::tempdir().unwrap();
        let held = File::open(corpus.path()).unwrap();
        held.lock_shared().unwrap();
        // Left over by a run that was killed.
        fs::write(corpus.path().join(".words.arrow.writing"), "").unwrap();
        let mut notes = Notes::default();
        let prepared = corpus.path().join("prepared/neighbours.arrow");
        assert!(lock(&prepared, &mut notes).is_none());
        assert!(matches!(notes.0[..], [Note::Waiting { .. }]), "{:?}", notes.0);
    }

    #[test]
    fn a_process_that_makes_a_file_is_waited_for() {
        let corpus = tempfile::tempdir().unwrap();
        let held = File::open(corpus.path()).unwrap();
        held.lock().unwrap();
        let file = AtomicFile::create(&corpus.path().join("words.arrow"), SMALL_BLOCK).unwrap();
        let prepared = corpus.path().join("prepared/neighbours.arrow");
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| lock(&prepared, &mut Silent).is_some());
            // Longer than it would wait for nothing.
            std::thread::sleep(3 * IDLE);
            assert!(!waiting.is_finished());
            file.finish().unwrap();
            drop(held);
            assert!(waiting.join().unwrap());
        });
    }

    #[test]
    fn a_small_file_that_another_process_writes_for_a_moment_is_written_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("standards.json");
        let other = AtomicFile::create(&path, SMALL_BLOCK).unwrap();
        let (tries, other) = (std::cell::Cell::new(0), std::cell::Cell::new(Some(other)));
        let create = || {
            tries.set(tries.get() + 1);
            if tries.get() == 3 {
                other.take().unwrap().finish()?;
            }
            AtomicFile::create(&path, SMALL_BLOCK)
        };
        create_soon(create).unwrap().finish().unwrap();
        assert_eq!(tries.get(), 3);
    }

    #[test]
    fn what_cannot_be_written_to_the_end_is_made_in_memory() {
        let full = |keep, _: &mut dyn Progress| match keep {
            Keep::OnDisk => Err(Error::io("c/prepared/a")(std::io::ErrorKind::StorageFull.into())),
            Keep::InMemory => Ok(1),
        };
        let mut notes = Notes::default();
        let made = on_disk_or_in_memory(Cached::Names, &[Path::new("c/prepared")], &mut notes, full);
        assert_eq!(made.unwrap(), 1);
        assert!(matches!(notes.0[..], [Note::NotCached { what: Cached::Names, .. }]), "{:?}", notes.0);
        // What cannot be read cannot be made in memory either.
        assert!(on_disk_or_in_memory(Cached::Names, &[Path::new("other")], &mut notes, full).is_err());
    }
}
