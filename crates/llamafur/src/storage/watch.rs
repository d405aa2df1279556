//! Mapped files that other programs change.
//!
//! Our own programs replace files and never change them in place. Another program may: `cp -r new/. served/` writes into the
//! files that are mapped, after their blocks were checked. So every mapped file stays open, with its size and times as they
//! were when it was mapped, and a [`Watch`] of a folder knows those of its files. Work that reads them is done within
//! [`Watch::whole`], which checks all of them once the work is done: if one was changed or cut, the result is
//! discarded. A change that happened before the work began, or before its result was looked at, is thus always noticed;
//! a watch that has noticed one never forgets it, since what was made of the files may be held in memory.
//!
//! The time of the last change of a file's entry is compared too, as its time of modification can be set back, unless the
//! number of its names changed: a file that is replaced loses its name. Not noticed are writes through a map of another
//! program before the system writes them back, and a second change within the tick of the system's clock, some milliseconds, in
//! which the file was written.

use super::faults::Entry;
use crate::Error;
use std::cell::Cell;
use std::fs::{File, Metadata};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, PoisonError, RwLock, Weak};
use std::time::SystemTime;

/// The state of a file by which a change is found.
#[derive(Debug, PartialEq, Eq)]
struct State {
    bytes: u64,
    modified: Option<SystemTime>,
    entry: EntryState,
}

impl State {
    fn of(metadata: &Metadata) -> State {
        State { bytes: metadata.len(), modified: metadata.modified().ok(), entry: EntryState::of(metadata) }
    }

    fn is_changed(&self, before: &State) -> bool {
        (self.bytes, self.modified) != (before.bytes, before.modified)
            || self.entry.names == before.entry.names && self.entry != before.entry
    }
}

/// The state of a file's entry in the file system; zeros where there is none.
#[derive(Debug, PartialEq, Eq)]
struct EntryState {
    names: u64,
    changed: (i64, i64),
}

impl EntryState {
    #[cfg(unix)]
    fn of(metadata: &Metadata) -> EntryState {
        use std::os::unix::fs::MetadataExt;
        EntryState { names: metadata.nlink(), changed: (metadata.ctime(), metadata.ctime_nsec()) }
    }

    #[cfg(not(unix))]
    fn of(_: &Metadata) -> EntryState {
        EntryState { names: 0, changed: (0, 0) }
    }
}

/// A file that is mapped.
#[derive(Debug)]
struct OpenFile {
    path: PathBuf,
    file: File,
    before: State,
    entry: Entry,
}

impl OpenFile {
    fn is_changed(&self) -> bool {
        let now = || self.file.metadata().map(|metadata| State::of(&metadata));
        self.entry.is_lost() || now().map_or(true, |now| now.is_changed(&self.before))
    }
}

/// A mapped file as long as it is mapped: all watches of folders that it is in know it.
#[derive(Debug)]
pub(super) struct Watched(Arc<OpenFile>);

impl Watched {
    /// Watches a file with what was known of it before it was mapped.
    pub(super) fn new(path: &Path, file: File, before: &Metadata, map: &[u8]) -> Watched {
        let (before, entry) = (State::of(before), Entry::new(map));
        let file = Arc::new(OpenFile { path: path.into(), file, before, entry });
        for watch in watches_of(path) {
            watch.files.write().unwrap_or_else(PoisonError::into_inner).push(file.clone());
        }
        Watched(file)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let is_changed = self.0.is_changed();
        for watch in watches_of(&self.0.path) {
            if is_changed {
                watch.changed.get_or_init(|| self.0.path.clone());
            }
            let mut files = watch.files.write().unwrap_or_else(PoisonError::into_inner);
            files.retain(|file| !Arc::ptr_eq(file, &self.0));
        }
    }
}

/// All watches of the process.
static WATCHES: RwLock<Vec<Weak<Watch>>> = RwLock::new(Vec::new());

/// Returns the watches of the folders that a file is in.
fn watches_of(path: &Path) -> Vec<Arc<Watch>> {
    let watches = WATCHES.read().unwrap_or_else(PoisonError::into_inner);
    watches.iter().filter_map(Weak::upgrade).filter(|watch| path.starts_with(&watch.folder)).collect()
}

/// Fails if a mapped file was changed in one of the folders that this path is in: what was made of it must not be kept there.
/// Within work of a watch only its own files count: those of a corpus that was opened before and has changed since do not.
pub(super) fn expect_unchanged_around(path: &Path) -> Result<(), Error> {
    let within = WITHIN.get();
    let counts = |watch: &&Arc<Watch>| within == 0 || within == Arc::as_ptr(watch).addr();
    watches_of(path).iter().filter(counts).try_for_each(|watch| watch.expect_unchanged())
}

/// The mapped files of a folder, watched for changes by other programs.
///
/// ```
/// use llamafur::storage::Watch;
///
/// let watch = Watch::new("my.corpus");
/// let answer = watch.whole(|| Ok::<_, llamafur::Error>(42))?;
/// # assert_eq!(answer, 42);
/// # Ok::<(), llamafur::Error>(())
/// ```
#[derive(Debug)]
pub struct Watch {
    folder: PathBuf,
    files: RwLock<Vec<Arc<OpenFile>>>,
    /// The first file that was changed.
    changed: OnceLock<PathBuf>,
}

impl Watch {
    /// Watches the files below a folder that are mapped from now on; of an empty path, all files.
    pub fn new(folder: impl Into<PathBuf>) -> Arc<Watch> {
        let watch =
            Arc::new(Watch { folder: folder.into(), files: RwLock::default(), changed: OnceLock::new() });
        let mut all = WATCHES.write().unwrap_or_else(PoisonError::into_inner);
        all.retain(|other| other.strong_count() > 0);
        all.push(Arc::downgrade(&watch));
        watch
    }

    /// Fails if one of the files was changed, cut, or could not be read, since it was mapped.
    ///
    /// # Errors
    /// [`Error::Changed`], from then on.
    pub fn expect_unchanged(&self) -> Result<(), Error> {
        if self.changed.get().is_none() {
            let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(file) = files.iter().find(|file| file.is_changed()) {
                self.changed.get_or_init(|| file.path.clone());
            }
        }
        match self.changed.get() {
            None => Ok(()),
            Some(path) => Err(Error::Changed { path: path.clone() }),
        }
    }

    /// Does work that reads the files, and discards its result if one of them was changed meanwhile or before. So is a
    /// panic: what is read of a file that is gone follows no rule.
    ///
    /// # Errors
    /// [`Error::Changed`], and those of the work.
    pub fn whole<T, E: From<Error>>(&self, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        if let Some(path) = self.changed.get() {
            return Err(Error::Changed { path: path.clone() }.into());
        }
        let Some(within) = Within::enter(self) else { return work() };
        let result = catch_unwind(AssertUnwindSafe(work));
        drop(within);
        self.expect_unchanged()?;
        result.unwrap_or_else(|panic| resume_unwind(panic))
    }
}

thread_local! {
    /// The watch whose work this thread does, as its address.
    static WITHIN: Cell<usize> = const { Cell::new(0) };
}

/// Work of a watch on this thread; the address is that of the work around it.
struct Within(usize);

impl Within {
    /// Enters the work of a watch; `None` if it is part of other work of the same watch, which checks the files in the
    /// end. A thread of the pool may take up a piece of other work while it waits, whose result does not wait for the
    /// work around it.
    fn enter(watch: &Watch) -> Option<Within> {
        let address = std::ptr::from_ref(watch).addr();
        let outer = WITHIN.replace(address);
        (outer != address || rayon::current_thread_index().is_some()).then_some(Within(outer))
    }
}

impl Drop for Within {
    fn drop(&mut self) {
        WITHIN.set(self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::mmap;
    use super::*;
    use std::fs;
    use std::io::Write;
    use std::time::Duration;

    fn written(path: &Path, bytes: &[u8]) {
        let mut file = File::create(path).unwrap();
        file.write_all(bytes).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
    }

    fn error_of(watch: &Watch) -> String {
        watch.expect_unchanged().unwrap_err().to_string()
    }

    #[test]
    fn a_file_changed_in_place_is_noticed_and_not_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        written(&path, b"before");
        let (watch, other) = (Watch::new(dir.path()), Watch::new(dir.path().join("b")));
        let map = mmap::map(&path).unwrap();
        watch.expect_unchanged().unwrap();
        let mut file = File::options().write(true).open(&path).unwrap();
        file.write_all(b"B").unwrap();
        assert!(error_of(&watch).contains("changed"), "{}", error_of(&watch));
        other.expect_unchanged().unwrap();
        drop(map);
        assert!(watch.expect_unchanged().is_err() && watch.files.read().unwrap().is_empty());
    }

    #[test]
    fn a_time_set_back_hides_no_change() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        written(&path, b"before");
        let watch = Watch::new(dir.path());
        let _map = mmap::map(&path).unwrap();
        let before = fs::metadata(&path).unwrap().modified().unwrap();
        let mut file = File::options().write(true).open(&path).unwrap();
        file.write_all(b"B").unwrap();
        file.set_modified(before).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), before);
        if cfg!(unix) {
            assert!(watch.expect_unchanged().is_err());
        }
    }

    #[test]
    fn a_replaced_or_removed_file_stays_what_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let [path, new] = ["a", "new"].map(|name| dir.path().join(name));
        written(&path, b"before");
        written(&new, b"after!");
        let watch = Watch::new(dir.path());
        let map = mmap::map(&path).unwrap();
        fs::rename(&new, &path).unwrap();
        assert_eq!(&map[..], b"before");
        watch.expect_unchanged().unwrap();
        fs::remove_file(&path).unwrap();
        watch.expect_unchanged().unwrap();
    }

    #[test]
    fn a_change_is_noticed_after_the_file_was_closed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        written(&path, b"before");
        let watch = Watch::new(dir.path());
        let asked = watch.whole(|| {
            let map = mmap::map(&path)?;
            fs::write(&path, "after").map_err(Error::io(&path))?;
            drop(map);
            Ok::<_, Error>(())
        });
        assert!(matches!(asked, Err(Error::Changed { .. })), "{asked:?}");
    }

    #[test]
    fn a_panic_over_a_changed_file_is_an_error_and_others_are_panics() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        written(&path, b"before");
        let watch = Watch::new(dir.path());
        let panics = || watch.whole(|| -> Result<(), Error> { resume_unwind(Box::new("zeros")) });
        assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
        let _map = mmap::map(&path).unwrap();
        fs::write(&path, "after").unwrap();
        assert!(matches!(panics(), Err(Error::Changed { .. })));
    }
}
