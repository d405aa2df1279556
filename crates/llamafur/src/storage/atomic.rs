//! Writes that happen whole or not at all: a temporary name in the same folder, synced, then renamed.

use super::checksum::{FileSums, SummingWriter};
use super::watch::expect_unchanged_around;
use crate::error::Error;
use crate::remedy::Remedy;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The file that makes a folder a corpus.
pub(crate) const MANIFEST: &str = "manifest.json";

/// The folder of a corpus that holds what people judged. All else in a corpus can be made again; this is kept when the
/// corpus is replaced.
pub(crate) const JUDGMENTS: &str = "judgments";

const LOCK: &str = "lock";
const SUFFIX: &str = ".importing";

/// What a folder's name ends with before it is locked.
const STARTING: &str = "starting";

/// What to do when the place to write to is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Existing {
    /// Leave it and fail.
    #[default]
    Refuse,
    /// Replace a corpus (and nothing else) when the new one is whole.
    Replace,
}

/// The temporary files and folders of this process.
static TEMPORARY: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn temporary() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A path that [`remove_temporary`] removes, until this is dropped.
#[derive(Debug)]
pub struct Temporary(PathBuf);

impl Temporary {
    /// Registers a path, whether it exists yet or not.
    pub(crate) fn new(path: impl Into<PathBuf>) -> Temporary {
        let path = path.into();
        temporary().insert(path.clone());
        Temporary(path)
    }

    /// Makes something and registers its path; no signal is answered in between.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn made<T: AsRef<Path>>(make: impl FnOnce() -> io::Result<T>) -> io::Result<(T, Temporary)> {
        let mut registered = temporary();
        let made = make()?;
        let path = made.as_ref().to_path_buf();
        registered.insert(path.clone());
        Ok((made, Temporary(path)))
    }

    /// Renames it. Afterwards its name may be that of another process's file, which must not be removed.
    fn rename(&self, to: &Path) -> io::Result<()> {
        let mut registered = temporary();
        fs::rename(&self.0, to)?;
        registered.remove(&self.0);
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        temporary().remove(&self.0);
    }
}

/// Removes all temporary files and folders of this process and lets no further ones be made: for a process that ends here,
/// since it was asked to by a signal.
pub fn remove_temporary() {
    let registered = temporary();
    for path in registered.iter() {
        // A thread may put one more file into a folder that is being removed.
        let is_gone =
            || fs::remove_file(path).or_else(|_| fs::remove_dir_all(path)).is_ok() || !path.exists();
        let _ = (0..10).any(|_| is_gone());
    }
    // Never unlocked again.
    std::mem::forget(registered);
}

/// A file that appears under its name once it is whole, and not before.
pub struct AtomicFile {
    path: PathBuf,
    temporary: Temporary,
    /// `None` once finished.
    writer: Option<SummingWriter<BufWriter<File>>>,
    is_renamed: bool,
}

impl AtomicFile {
    /// Starts a file that will be at `path`, summed up in blocks of `block_size`.
    ///
    /// # Errors
    /// If the folder cannot be written, the place is a folder's, or another process is writing the same file.
    pub fn create(path: &Path, block_size: usize) -> Result<AtomicFile, Error> {
        if path.is_dir() {
            let (found, remedy) = ("a folder, where a file is to be written", Remedy::another("out"));
            return Err(Error::Place { path: path.into(), found, remedy });
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let temporary = path.with_file_name(format!(".{name}.writing"));
        let (file, temporary) = loop {
            let file = File::options().create(true).write(true).truncate(false).open(&temporary);
            let file = file.map_err(Error::io(path))?;
            if file.try_lock().is_err() {
                return Err(Error::Place {
                    path: path.into(),
                    found: "another process is writing this file",
                    remedy: Remedy::advice("wait for it to end"),
                });
            }
            // Between our opening and locking it, another process may have finished the file and renamed it:
            // what we hold then is no longer what has the temporary name.
            if is_at(&file, &temporary).map_err(Error::io(path))? {
                break (file, Temporary::new(temporary));
            }
        };
        file.set_len(0).map_err(Error::io(path))?;
        let writer = Some(SummingWriter::new(BufWriter::with_capacity(1 << 20, file), block_size));
        Ok(AtomicFile { path: path.into(), temporary, writer, is_renamed: false })
    }

    /// What sums up the bytes; `None` once finished.
    pub(super) fn sums(&self) -> Option<&SummingWriter<BufWriter<File>>> {
        self.writer.as_ref()
    }

    /// Syncs the file and gives it its name.
    ///
    /// # Errors
    /// If the disk is full or gone; the old file, if any, is then still there.
    pub fn finish(mut self) -> Result<FileSums, Error> {
        expect_unchanged_around(&self.path)?;
        self.sync_and_rename().map_err(Error::io(&self.path))
    }

    fn sync_and_rename(&mut self) -> io::Result<FileSums> {
        let writer = self.writer.take().ok_or_else(|| io::Error::other("written before"))?;
        let (buffered, sums) = writer.finish();
        let file = buffered.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        self.temporary.rename(&self.path)?;
        self.is_renamed = true;
        sync_folder(self.path.parent())?;
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
            let _ = fs::remove_file(&self.temporary.0);
        }
    }
}

/// Whether an open file is the one that has this name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (open, named) = (file.metadata()?, fs::metadata(path));
    Ok(named.is_ok_and(|named| (named.dev(), named.ino()) == (open.dev(), open.ino())))
}

/// Elsewhere an open file cannot be renamed away.
#[cfg(not(unix))]
fn is_at(_file: &File, _path: &Path) -> io::Result<bool> {
    Ok(true)
}

/// A folder that appears under its name once it is whole, and not before.
pub(crate) struct AtomicFolder {
    path: PathBuf,
    temporary: Temporary,
    existing: Existing,
    /// Held while we are at work, so that no other process takes the folder for a left-over.
    _lock: File,
}

impl AtomicFolder {
    /// Starts a folder that will be at `path`; left-overs of runs that were killed are removed.
    pub(crate) fn create(path: &Path, existing: Existing) -> Result<AtomicFolder, Error> {
        expect_free(path, existing)?;
        // The place's own name, also where it was given as “.”.
        let place = std::path::absolute(path).map_err(Error::io(path))?;
        let (Some(parent), Some(name)) = (place.parent(), place.file_name()) else {
            let (found, remedy) = ("the root of the file system cannot be a corpus", Remedy::another("out"));
            return Err(Error::Place { path: path.into(), found, remedy });
        };
        if !parent.exists() {
            let path = path.parent().unwrap_or(path).into();
            let (found, remedy) = ("there is no such folder", Remedy::advice("create it first"));
            return Err(Error::Place { path, found, remedy });
        }
        let name = name.to_string_lossy().into_owned();
        remove_left_overs(parent, &name).map_err(Error::io(parent))?;
        let temporary = parent.join(format!(".{name}.{}{SUFFIX}", std::process::id()));
        // Made under yet another name, so that no process finds it before it is locked.
        let unlocked = temporary.with_extension(STARTING);
        let _unlocked = Temporary::new(&unlocked);
        let registered = Temporary::new(&temporary);
        let start = || -> io::Result<File> {
            fs::create_dir(&unlocked)?;
            let lock = File::create(unlocked.join(LOCK))?;
            lock.lock()?;
            fs::rename(&unlocked, &temporary)?;
            Ok(lock)
        };
        let lock = start().map_err(|cause| {
            let _ = fs::remove_dir_all(&unlocked);
            Error::Io { path: path.into(), cause }
        })?;
        Ok(AtomicFolder { path: place, temporary: registered, existing, _lock: lock })
    }

    /// The place that the folder will have.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Where the folder is while it is being made.
    pub(crate) fn temporary(&self) -> &Path {
        &self.temporary.0
    }

    /// Gives the folder its name; what it replaces is removed, but for its [`JUDGMENTS`].
    pub(crate) fn finish(self) -> Result<(), Error> {
        expect_free(&self.path, self.existing)?;
        let rename = || -> io::Result<()> {
            sync_folder(Some(self.temporary()))?;
            // A signal must not remove one of two folders that are being swapped.
            let registered = temporary();
            if self.path.join(MANIFEST).exists() {
                let [old, new] = [&*self.path, self.temporary()].map(|folder| folder.join(JUDGMENTS));
                keep_files(&old, &new)?;
                exchange(self.temporary(), &self.path)?;
                // Judging may have begun between the two. Where that cannot be kept, the old corpus stays.
                if let Err(error) = keep_files(&new, &old) {
                    exchange(self.temporary(), &self.path)?;
                    return Err(error);
                }
            } else {
                fs::rename(self.temporary(), &self.path)?;
            }
            drop(registered);
            // Gone already if another process has just put its own corpus in our place.
            let _ = fs::remove_file(self.path.join(LOCK));
            sync_folder(self.path.parent())
        };
        rename().map_err(Error::io(&self.path))
    }
}

impl Drop for AtomicFolder {
    fn drop(&mut self) {
        // Unfinished work, or the corpus that was replaced; after a plain rename there is nothing here.
        let _ = fs::remove_dir_all(self.temporary());
    }
}

fn expect_free(path: &Path, existing: Existing) -> Result<(), Error> {
    let taken = |found, remedy| Err(Error::Place { path: path.into(), found, remedy });
    let another = || Remedy::another("out");
    if path.join(MANIFEST).exists() {
        match existing {
            Existing::Replace => Ok(()),
            Existing::Refuse => {
                let remedy = Remedy::either([another(), Remedy::set("overwrite", "")]);
                taken("there is a corpus already", remedy)
            }
        }
    } else if path.is_dir() {
        match fs::read_dir(path).map_err(Error::io(path))?.next() {
            None => Ok(()),
            Some(_) => taken("the folder is not empty and holds no corpus", another()),
        }
    } else if path.exists() {
        taken("there is a file of that name", another())
    } else {
        Ok(())
    }
}

/// Whether a process has ended; where the system does not tell, whether its folder is an hour old.
fn is_gone(process: &str, folder: &Path) -> bool {
    if cfg!(target_os = "linux") {
        return !Path::new("/proc").join(process).exists();
    }
    let age =
        fs::metadata(folder).and_then(|data| data.modified()).map(|time| time.elapsed().unwrap_or_default());
    age.is_ok_and(|age| age.as_secs() > 3600)
}

fn remove_left_overs(parent: &Path, name: &str) -> io::Result<()> {
    for entry in fs::read_dir(parent)? {
        let path = entry?.path();
        let file_name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let rest = file_name.strip_prefix('.').and_then(|rest| rest.strip_prefix(name));
        let Some((process, kind)) =
            rest.and_then(|rest| rest.strip_prefix('.')).and_then(|rest| rest.split_once('.'))
        else {
            continue;
        };
        if process.is_empty() || !process.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let abandoned = match (kind, File::open(path.join(LOCK))) {
            // Not locked yet, so nothing but its process tells whether somebody is at work.
            (STARTING, _) => is_gone(process, &path),
            (_, _) if SUFFIX.strip_prefix('.') != Some(kind) => continue,
            (_, Ok(lock)) => lock.try_lock().is_ok(),
            // A corpus that was replaced: the process that replaced it may be removing it right now, or was killed before
            // it had kept the judgments.
            (_, Err(_)) => {
                let place = parent.join(name);
                if place.join(MANIFEST).exists() {
                    keep_files(&path.join(JUDGMENTS), &place.join(JUDGMENTS))?;
                }
                true
            }
        };
        if abandoned
            && let Err(error) = fs::remove_dir_all(&path)
            && path.exists()
        {
            return Err(error);
        }
    }
    Ok(())
}

/// Puts the files of a folder into another as well, if there are any: the same files where the system has hard links, so that
/// what is appended to them meanwhile is in both; else copies. Files that are there already stay, and get what was appended to the
/// others since they were copied.
fn keep_files(from: &Path, to: &Path) -> io::Result<()> {
    if !from.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let (old, new) = {
            let entry = entry?;
            (entry.path(), to.join(entry.file_name()))
        };
        if old.is_dir() {
            keep_files(&old, &new)?;
        } else if new.exists() {
            catch_up(&old, &new)?;
        } else if fs::hard_link(&old, &new).is_err() {
            fs::copy(&old, &new)?;
            File::open(&new)?.sync_all()?;
        }
    }
    sync_folder(Some(to))
}

/// Appends to a copy of a file what was appended to the file since. A file that does not begin like the copy is left alone.
fn catch_up(original: &Path, copy: &Path) -> io::Result<()> {
    let mut file = File::options().read(true).append(true).open(copy)?;
    // Those who append take this lock too, where the system has it.
    let _ = file.lock();
    let (all, mut copied) = (fs::read(original)?, Vec::new());
    file.read_to_end(&mut copied)?;
    match all.strip_prefix(&copied[..]) {
        Some(rest) if !rest.is_empty() => {
            file.write_all(rest)?;
            file.sync_all()
        }
        _ => Ok(()),
    }
}

/// Swaps two folders in one step where the system can, else in two.
fn exchange(new: &Path, old: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        if renameat_with(CWD, new, CWD, old, RenameFlags::EXCHANGE).is_ok() {
            return Ok(());
        }
    }
    let aside = new.with_extension("replaced");
    fs::rename(old, &aside)?;
    fs::rename(new, old)?;
    fs::rename(&aside, new)
}

/// Makes the names of the files in a folder outlive a crash; none is the current folder.
///
/// # Errors
/// If the folder cannot be opened or synced.
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

    #[test]
    fn folders_are_replaced_only_when_asked_and_only_if_a_corpus() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c");
        let write = |existing, text: &str| -> Result<(), Error> {
            let folder = AtomicFolder::create(&path, existing)?;
            fs::write(folder.temporary().join(MANIFEST), text).unwrap();
            folder.finish()
        };
        write(Existing::Refuse, "1").unwrap();
        assert!(write(Existing::Refuse, "2").is_err());
        write(Existing::Replace, "3").unwrap();
        assert_eq!(fs::read_to_string(path.join(MANIFEST)).unwrap(), "3");
        assert_eq!(fs::read_dir(&path).unwrap().count(), 1);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        fs::remove_file(path.join(MANIFEST)).unwrap();
        fs::write(path.join("holiday.jpg"), "").unwrap();
        assert!(write(Existing::Replace, "4").is_err());
    }

    #[test]
    fn judgments_outlive_the_corpus_that_they_are_in() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c");
        let write = || {
            let folder = AtomicFolder::create(&path, Existing::Replace).unwrap();
            fs::write(folder.temporary().join(MANIFEST), "").unwrap();
            folder.finish().unwrap();
        };
        write();
        fs::create_dir_all(path.join(JUDGMENTS).join("old")).unwrap();
        fs::write(path.join(JUDGMENTS).join("old/log.tsv"), "older").unwrap();
        fs::write(path.join("model"), "made again").unwrap();
        let log = path.join(JUDGMENTS).join("log.tsv");
        fs::write(&log, "one\n").unwrap();
        // A server that has the log open goes on writing to it.
        let mut open = File::options().append(true).open(&log).unwrap();
        write();
        open.write_all(b"two\n").unwrap();
        write();
        assert_eq!(fs::read_to_string(&log).unwrap(), "one\ntwo\n");
        assert_eq!(fs::read_to_string(path.join(JUDGMENTS).join("old/log.tsv")).unwrap(), "older");
        assert!(!path.join("model").exists());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_judged_while_judgments_are_copied_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let [old, new] = ["old", "new"].map(|name| dir.path().join(name));
        for (folder, log, pool) in [(&old, "one\ntwo\n", "a longer pool"), (&new, "one\n", "another")] {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join("log.tsv"), log).unwrap();
            fs::write(folder.join("pool.tsv"), pool).unwrap();
        }
        for _ in 0..2 {
            keep_files(&old, &new).unwrap();
            assert_eq!(fs::read_to_string(new.join("log.tsv")).unwrap(), "one\ntwo\n");
            assert_eq!(fs::read_to_string(new.join("pool.tsv")).unwrap(), "another");
        }
    }

    #[test]
    fn left_overs_of_killed_runs_are_removed_but_not_those_of_running_ones() {
        let dir = tempfile::tempdir().unwrap();
        let (killed, running) = (dir.path().join(".c.1.importing"), dir.path().join(".c.2.importing"));
        let other = dir.path().join(".c.d.1.importing");
        for folder in [&killed, &running, &other] {
            fs::create_dir(folder).unwrap();
            File::create(folder.join(LOCK)).unwrap();
        }
        let lock = File::open(running.join(LOCK)).unwrap();
        lock.lock().unwrap();
        // Killed before the folder was locked, or about to lock it.
        let own = std::process::id();
        let [early, starting] = [u32::MAX, own].map(|id| dir.path().join(format!(".c.{id}.{STARTING}")));
        fs::create_dir(&early).unwrap();
        remove_left_overs(dir.path(), "c").unwrap();
        assert!(!early.exists());
        AtomicFolder::create(&dir.path().join("c"), Existing::Refuse).unwrap();
        assert!(!killed.exists() && running.exists() && other.exists());
        fs::create_dir(&starting).unwrap();
        remove_left_overs(dir.path(), "c").unwrap();
        assert!(starting.exists());
    }
}
