//! Files written whole or not at all: under a temporary name in the same folder, synced, then renamed.

use super::checksum::{FileSums, SummingWriter};
use super::directory::Directory;
use super::watch::expect_unchanged_around;
use crate::error::Error;
use crate::remedy::Remedy;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The temporary files and folders of this process, numbered in the order in which they were made.
static TEMPORARY: Mutex<BTreeMap<u64, Place>> = Mutex::new(BTreeMap::new());

static NEXT: AtomicU64 = AtomicU64::new(0);

/// The place of something temporary.
#[derive(Debug)]
enum Place {
    /// A file or folder.
    Path(PathBuf),
    /// A file in a directory that may be moved.
    In(Arc<Directory>, OsString),
}

impl Place {
    fn remove(&self) {
        // A thread may put one more file into a folder that is being removed.
        let is_gone = || match self {
            Place::Path(path) => {
                fs::remove_file(path).or_else(|_| fs::remove_dir_all(path)).is_ok() || !path.exists()
            }
            Place::In(directory, name) => {
                let _ = directory.remove(name);
                true
            }
        };
        let _ = (0..10).any(|_| is_gone());
    }
}

/// Holds the list of temporary files locked, so that no signal removes them.
pub(super) fn temporary() -> impl Drop {
    registered()
}

fn registered() -> MutexGuard<'static, BTreeMap<u64, Place>> {
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A path that [`remove_temporary`] removes, until this is dropped.
#[derive(Debug)]
pub struct Temporary(u64);

impl Temporary {
    /// Registers a path, whether it exists yet or not.
    pub(crate) fn new(path: impl Into<PathBuf>) -> Temporary {
        Temporary::register(&mut registered(), Place::Path(path.into()))
    }

    /// Creates something and registers its path; no signal is answered in between.
    pub fn made<T: AsRef<Path>>(make: impl FnOnce() -> io::Result<T>) -> io::Result<(T, Temporary)> {
        let mut registered = registered();
        let made = make()?;
        let temporary = Temporary::register(&mut registered, Place::Path(made.as_ref().into()));
        Ok((made, temporary))
    }

    fn register(registered: &mut BTreeMap<u64, Place>, place: Place) -> Temporary {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        registered.insert(number, place);
        Temporary(number)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        registered().remove(&self.0);
    }
}

/// Removes all temporary files and folders of this process and lets no further ones be made: for a process that ends here,
/// since it was asked to by a signal.
pub fn remove_temporary() {
    let registered = registered();
    registered.values().for_each(Place::remove);
    // Never unlocked again.
    std::mem::forget(registered);
}

/// A file that appears under its name once it is whole, and not before.
///
/// It stays in the directory that its path led to when it was started: if that is replaced by another one of the same name, the file
/// does not come into the new one.
pub struct AtomicFile {
    path: PathBuf,
    directory: Arc<Directory>,
    name: OsString,
    /// The name of the file until it is whole.
    temporary_name: OsString,
    temporary: Temporary,
    /// The file, locked while it is being written.
    file: File,
    /// The writer; `None` once finished.
    writer: Option<SummingWriter<BufWriter<File>>>,
    is_renamed: bool,
}

/// Returns the name that a file has until it is whole.
fn temporary_name(name: &OsStr) -> OsString {
    let mut temporary = OsString::from(".");
    temporary.push(name);
    temporary.push(WRITING);
    temporary
}

/// The suffix of the names of unfinished files.
pub(crate) const WRITING: &str = ".writing";

impl AtomicFile {
    /// Starts a file that will be at `path`, with sums of blocks of `block_size` bytes.
    ///
    /// # Errors
    /// If the folder cannot be written, the place is a folder's, or another process is writing the same file.
    pub fn create(path: &Path, block_size: usize) -> Result<AtomicFile, Error> {
        let directory = Directory::open(path.parent().unwrap_or(Path::new(""))).map_err(Error::io(path))?;
        AtomicFile::create_in(directory, path, block_size)
    }

    /// Starts a file that will be in this directory; its path is for errors, and ends with its name.
    pub(crate) fn create_in(
        directory: Directory,
        path: &Path,
        block_size: usize,
    ) -> Result<AtomicFile, Error> {
        if path.is_dir() {
            let (found, remedy) = ("a folder, where a file is to be written", Remedy::another("out"));
            return Err(Error::Place { path: path.into(), found, remedy });
        }
        let io = || Error::io(path);
        let name = path.file_name().unwrap_or_default().to_owned();
        let temporary_name = temporary_name(&name);
        let directory = Arc::new(directory);
        let (file, temporary) = loop {
            // No signal is answered between the making of a file and its registration.
            let mut registered = registered();
            let file = directory.open_or_create(&temporary_name).map_err(io())?;
            if file.try_lock().is_err() {
                return Err(Error::Place {
                    path: path.into(),
                    found: "another process is writing this file",
                    remedy: Remedy::advice("wait for it to end"),
                });
            }
            // Between our opening and locking it, another process may have finished the file and renamed it:
            // what we hold then is no longer what has the temporary name.
            if directory.has(&temporary_name, &file).map_err(io())? {
                let place = Place::In(directory.clone(), temporary_name.clone());
                break (file, Temporary::register(&mut registered, place));
            }
        };
        let (path, writer, is_renamed) = (path.to_owned(), None, false);
        let mut new =
            AtomicFile { path, directory, name, temporary_name, temporary, file, writer, is_renamed };
        let start = || {
            new.file.set_len(0)?;
            new.file.try_clone()
        };
        let file = start().map_err(Error::io(&new.path))?;
        new.writer = Some(SummingWriter::new(BufWriter::with_capacity(1 << 20, file), block_size));
        Ok(new)
    }

    /// Returns the path that it will have.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the writer that sums up the bytes; `None` once finished.
    pub(super) fn sums(&self) -> Option<&SummingWriter<BufWriter<File>>> {
        self.writer.as_ref()
    }

    /// Syncs the file and gives it its name.
    ///
    /// # Errors
    /// If the disk is full or gone, or the folder was removed; the old file, if any, is then still there.
    pub fn finish(mut self) -> Result<FileSums, Error> {
        expect_unchanged_around(&self.path)?;
        self.sync_and_rename().map_err(Error::io(&self.path))
    }

    fn sync_and_rename(&mut self) -> io::Result<FileSums> {
        let writer = self.writer.take().ok_or_else(|| io::Error::other("written before"))?;
        let (buffered, sums) = writer.finish();
        buffered.into_inner().map_err(io::IntoInnerError::into_error)?;
        self.file.sync_all()?;
        // A file that somebody else put there is not published as ours.
        if !self.directory.has(&self.temporary_name, &self.file)? {
            return Err(io::Error::new(io::ErrorKind::NotFound, "it was removed while it was written"));
        }
        let mut registered = registered();
        self.directory.rename(&self.temporary_name, &self.name)?;
        // The temporary name may be that of another process's file now, which must not be removed.
        registered.remove(&self.temporary.0);
        drop(registered);
        self.is_renamed = true;
        self.directory.sync()?;
        Ok(sums)
    }
}

impl Write for AtomicFile {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.writer.as_mut().ok_or_else(|| io::Error::other("written before"))?.write(data)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        // After the rename, what has the temporary name is another process's.
        if !self.is_renamed {
            let _ = self.directory.remove(&self.temporary_name);
        }
    }
}

/// Syncs a folder, so that the names of its files outlive a crash; `None` is the current folder.
pub fn sync_folder(folder: Option<&Path>) -> io::Result<()> {
    let folder = folder.filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_file_leaves_the_old_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        fs::write(&path, "old").unwrap();
        let mut file = AtomicFile::create(&path, 64).unwrap();
        file.write_all(b"new").unwrap();
        file.flush().unwrap();
        drop(file);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_finished_file_replaces_the_old_one_whatever_was_left_over() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        fs::write(&path, "old").unwrap();
        fs::write(dir.path().join(".a.writing"), "left over by a run that was killed").unwrap();
        let mut file = AtomicFile::create(&path, 64).unwrap();
        file.write_all(b"new").unwrap();
        assert_eq!(file.finish().unwrap().bytes, 3);
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn two_writers_of_one_file_are_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        let _first = AtomicFile::create(&path, 64).unwrap();
        assert!(AtomicFile::create(&path, 64).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_file_of_a_folder_that_was_swapped_does_not_come_into_the_new_one() {
        let dir = tempfile::tempdir().unwrap();
        let [corpus, moved] = ["c", "old"].map(|name| dir.path().join(name));
        fs::create_dir(&corpus).unwrap();
        let mut file = AtomicFile::create(&corpus.join("words.arrow"), 64).unwrap();
        file.write_all(b"of the old corpus").unwrap();
        let swap = || {
            fs::rename(&corpus, &moved).unwrap();
            fs::create_dir(&corpus).unwrap();
        };
        swap();
        // Another process has just begun the same file in the new corpus.
        let other = AtomicFile::create(&corpus.join("words.arrow"), 64).unwrap();
        file.finish().unwrap();
        assert!(!corpus.join("words.arrow").exists());
        assert_eq!(fs::read(moved.join("words.arrow")).unwrap(), b"of the old corpus");
        // The old corpus is removed while a file of it is being written.
        fs::remove_dir_all(&moved).unwrap();
        swap();
        fs::remove_dir_all(&moved).unwrap();
        let error = other.finish().unwrap_err();
        assert!(matches!(error, Error::Io { .. }), "{error}");
        assert_eq!(fs::read_dir(&corpus).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_place_of_an_unfinished_file_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let precious = dir.path().join("precious");
        fs::write(&precious, "kept").unwrap();
        std::os::unix::fs::symlink(&precious, dir.path().join(".a.writing")).unwrap();
        assert!(AtomicFile::create(&dir.path().join("a"), 64).is_err());
        assert_eq!(fs::read_to_string(&precious).unwrap(), "kept");
    }
}
