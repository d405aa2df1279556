//! Folders that are written whole or not at all: under a temporary name beside their place, synced, then renamed or swapped.

use super::atomic::{Temporary, sync_folder, temporary};
use super::directory::Directory;
use super::wait::try_for;
use crate::error::Error;
use crate::remedy::Remedy;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The file that makes a folder a corpus.
pub(crate) const MANIFEST: &str = "manifest.json";

/// The folder of a corpus that holds what people judged. All else in a corpus can be made again; this is kept when the
/// corpus is replaced.
pub(crate) const JUDGMENTS: &str = "judgments";

/// The file that is locked while a folder is made or replaced.
pub(crate) const LOCK: &str = "lock";

/// The folder of temporary files in a folder that is being made.
pub(crate) const SCRATCH: &str = "scratch";

const SUFFIX: &str = ".importing";

/// The suffix of a folder's name before it is locked.
const STARTING: &str = "starting";

/// The longest time that another process may take to swap two folders.
const LONGEST_SWAP: Duration = Duration::from_secs(20);

/// The behaviour when the place to write to is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Existing {
    /// Failure: it is left as it is.
    #[default]
    Refuse,
    /// Replacement of a corpus (only) when the new one is whole. A folder with other files in it is refused.
    Replace,
}

/// The contents of a folder that might be replaced.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Contents {
    /// True if the folder is of the kind that may be replaced.
    pub(crate) is_ours: bool,
    /// The first names of other files in it.
    pub(crate) others: Vec<String>,
    /// The number of further names.
    pub(crate) more: usize,
}

/// A function that reads the contents of a folder.
pub(crate) type Look = fn(&Path) -> io::Result<Contents>;

/// A folder that appears under its name once it is whole, and not before.
pub(crate) struct AtomicFolder {
    path: PathBuf,
    /// The path of the folder while it is being made; removed if this process ends.
    temporary: PathBuf,
    _registered: Temporary,
    existing: Existing,
    look: Look,
    /// The lock that keeps other processes from taking the folder for a left-over.
    _lock: File,
}

impl AtomicFolder {
    /// Starts a folder that will be at `path`; left-overs of runs that were killed are removed. `look` says what is in the folder that
    /// it replaces.
    pub(crate) fn create(path: &Path, existing: Existing, look: Look) -> Result<AtomicFolder, Error> {
        let place = place_of(path)?;
        expect_free(&place, path, existing, look)?;
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
        remove_left_overs(parent, &name, look).map_err(Error::io(parent))?;
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
            let _ = remove_started(&unlocked);
            Error::Io { path: path.into(), cause }
        })?;
        Ok(AtomicFolder { path: place, temporary, _registered: registered, existing, look, _lock: lock })
    }

    /// Returns the path that the folder will have.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the folder while it is being made.
    pub(crate) fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// Gives the folder its name; what it replaces is removed, but for its [`JUDGMENTS`].
    pub(crate) fn finish(self) -> Result<(), Error> {
        let io = || Error::io(&self.path);
        sync_folder(Some(self.temporary())).map_err(io())?;
        let own = Directory::open(self.temporary()).map_err(io())?;
        // Held while the two are swapped, so that no other process swaps or removes them.
        let _replaced = ReplaceLock::of(&self.path).map_err(io())?;
        expect_free(&self.path, &self.path, self.existing, self.look)?;
        // A signal must not remove one of two folders that are being swapped.
        let registered = temporary();
        if self.path.join(MANIFEST).exists() {
            let [old, new] = [&*self.path, self.temporary()].map(|folder| folder.join(JUDGMENTS));
            keep_files(&old, &new).map_err(io())?;
            exchange(self.temporary(), &self.path).map_err(io())?;
            // Judging may have begun between the two, or somebody put a file there. What cannot be kept stays where it was.
            let kept = keep_files(&new, &old).map_err(io());
            let replaced = self.temporary();
            if let Err(error) = kept.and_then(|()| expect_ours(replaced, &self.path, self.look)) {
                exchange(self.temporary(), &self.path).map_err(io())?;
                return Err(error);
            }
        } else {
            fs::rename(self.temporary(), &self.path).map_err(io())?;
        }
        drop(registered);
        // Of our own folder, whichever has its name by now.
        let _ = own.remove(OsStr::new(LOCK));
        sync_folder(self.path.parent()).map_err(io())
    }
}

impl Drop for AtomicFolder {
    fn drop(&mut self) {
        // Unfinished work, or the corpus that was replaced; after a plain rename there is nothing here.
        let _ = remove_folder(&self.temporary);
    }
}

/// Removes a folder, into which a thread or another process may put one more file meanwhile. Symbolic links are not followed.
fn remove_folder(path: &Path) -> io::Result<()> {
    let mut removed = Ok(());
    for _ in 0..10 {
        removed = fs::remove_dir_all(path);
        if removed.is_ok() || !path.exists() {
            return Ok(());
        }
    }
    removed
}

/// Removes a folder that has at most a lock.
fn remove_started(path: &Path) -> io::Result<()> {
    let _ = fs::remove_file(path.join(LOCK));
    fs::remove_dir(path)
}

/// Returns the place's own name, also where it was given as “.”, or as a symbolic link to a folder: then the folder is
/// replaced, and the link stays.
fn place_of(path: &Path) -> Result<PathBuf, Error> {
    if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        return fs::canonicalize(path).map_err(Error::io(path));
    }
    std::path::absolute(path).map_err(Error::io(path))
}

/// Fails unless there is nothing at a place, or what may be replaced. An error names it as it was `given`.
fn expect_free(place: &Path, given: &Path, existing: Existing, look: Look) -> Result<(), Error> {
    let taken = |found, remedy| Err(Error::Place { path: given.into(), found, remedy });
    match fs::symlink_metadata(place) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(cause) => return Err(Error::Io { path: given.into(), cause }),
        Ok(metadata) if !metadata.is_dir() => {
            return taken("there is a file of that name", Remedy::another("out"));
        }
        Ok(_) => {}
    }
    if fs::read_dir(place).map_err(Error::io(given))?.next().is_none() {
        return Ok(());
    }
    expect_ours(place, given, look)?;
    match existing {
        Existing::Replace => Ok(()),
        Existing::Refuse => {
            let remedy = Remedy::either([Remedy::another("out"), Remedy::set("overwrite", "")]);
            taken("there is a corpus already", remedy)
        }
    }
}

/// Fails if a folder is not ours, or has files of somebody else.
fn expect_ours(folder: &Path, given: &Path, look: Look) -> Result<(), Error> {
    // An import that swaps the folder takes away what is being looked at.
    let mut looked = Ok(Contents::default());
    for _ in 0..100 {
        let before = id(folder);
        looked = look(folder);
        if before == id(folder) {
            break;
        }
    }
    let Contents { is_ours, others, more } = looked.map_err(Error::io(given))?;
    if is_ours && others.is_empty() {
        return Ok(());
    }
    let found = match is_ours {
        true => "the corpus has files that are not of it",
        false => "the folder is not empty and holds no corpus",
    };
    let remedy = Remedy::either([Remedy::advice("move them away"), Remedy::another("out")]);
    Err(Error::NotOurs { path: given.into(), found, files: others, more, remedy })
}

/// Returns the device and number of a file or folder, where the system has them.
fn id(path: &Path) -> Option<(u64, u64)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}

/// A lock on a corpus while it is replaced.
struct ReplaceLock {
    folder: Directory,
    _file: File,
}

impl ReplaceLock {
    /// Locks the corpus that is at a place, if there is one, against other processes that would replace it.
    fn of(place: &Path) -> io::Result<Option<ReplaceLock>> {
        let is_gone = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        for _ in 0..100 {
            if !place.join(MANIFEST).exists() {
                return Ok(None);
            }
            // Where something is not found, the folder was just replaced.
            let folder = match Directory::open(place) {
                Err(error) if is_gone(&error) => continue,
                folder => folder?,
            };
            let file = match folder.open_or_create(OsStr::new(LOCK)) {
                Err(error) if is_gone(&error) => continue,
                file => file?,
            };
            if !try_for(LONGEST_SWAP, || file.try_lock().is_ok()) {
                let held = "another process holds the lock of the corpus";
                return Err(io::Error::new(io::ErrorKind::TimedOut, held));
            }
            let is_still_there = Directory::open(place).and_then(|now| now.has(OsStr::new(LOCK), &file));
            if is_still_there.unwrap_or(false) {
                return Ok(Some(ReplaceLock { folder, _file: file }));
            }
        }
        Err(io::Error::new(io::ErrorKind::TimedOut, "other processes replace the corpus again and again"))
    }
}

impl Drop for ReplaceLock {
    fn drop(&mut self) {
        let _ = self.folder.remove(OsStr::new(LOCK));
    }
}

/// Returns whether a process has ended; where the system does not say, whether its folder is an hour old.
fn is_gone(process: &str, folder: &Path) -> bool {
    if cfg!(target_os = "linux") {
        return !Path::new("/proc").join(process).exists();
    }
    let age =
        fs::metadata(folder).and_then(|data| data.modified()).map(|time| time.elapsed().unwrap_or_default());
    age.is_ok_and(|age| age.as_secs() > 3600)
}

fn remove_left_overs(parent: &Path, name: &str, look: Look) -> io::Result<()> {
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
        // Not locked yet, so nothing but its process tells whether somebody is at work.
        if kind == STARTING {
            if is_gone(process, &path) {
                remove_started(&path)?;
            }
            continue;
        }
        // One without a lock is a corpus that was replaced: the process that replaced it may be removing it right now.
        let is_at_work = || File::open(path.join(LOCK)).is_ok_and(|lock| lock.try_lock().is_err());
        if SUFFIX.strip_prefix('.') != Some(kind) || is_at_work() {
            continue;
        }
        // Somebody's own files stay, wherever they are.
        if look(&path).is_ok_and(|contents| !contents.others.is_empty()) {
            continue;
        }
        // The process may have been killed before it had kept the judgments of what it replaced.
        let place = parent.join(name);
        if place.join(MANIFEST).exists() {
            keep_files(&path.join(JUDGMENTS), &place.join(JUDGMENTS))?;
        }
        remove_folder(&path)?;
    }
    Ok(())
}

/// Adds the files of a folder, if there are any, to another: the same files where the system has hard links, so that
/// what is appended to them meanwhile is in both; else copies. Files that are there already stay, and get what was
/// appended to the others since they were copied.
fn keep_files(from: &Path, to: &Path) -> io::Result<()> {
    if !from.is_dir() {
        return Ok(());
    }
    if keep_link(from, to)? {
        return Ok(());
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let (old, new) = {
            let entry = entry?;
            (entry.path(), to.join(entry.file_name()))
        };
        if keep_link(&old, &new)? {
        } else if old.is_dir() {
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

/// Puts a symbolic link into another folder as well, unless there is something of that name; `false` if it is none. Where it leads
/// to is not touched.
fn keep_link(from: &Path, to: &Path) -> io::Result<bool> {
    if !fs::symlink_metadata(from)?.is_symlink() {
        return Ok(false);
    }
    #[cfg(unix)]
    if fs::symlink_metadata(to).is_err() {
        std::os::unix::fs::symlink(fs::read_link(from)?, to)?;
    }
    Ok(cfg!(unix))
}

/// Appends to a copy of a file what was appended to the file since. A file that does not begin like the copy is left alone.
fn catch_up(original: &Path, copy: &Path) -> io::Result<()> {
    if id(original).is_some() && id(original) == id(copy) {
        return Ok(());
    }
    let mut file = File::options().read(true).append(true).open(copy)?;
    // Those who append take this lock too, where the system has it.
    let _ = try_for(LONGEST_SWAP, || file.try_lock().is_ok());
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with a manifest is ours, and everything in it but for pictures.
    fn look(folder: &Path) -> io::Result<Contents> {
        let names = fs::read_dir(folder)?.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let others = names.filter(|name| name.ends_with(".jpg")).collect();
        Ok(Contents { is_ours: folder.join(MANIFEST).exists(), others, more: 0 })
    }

    #[test]
    fn folders_are_replaced_only_when_asked_and_only_if_a_corpus() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c");
        let write = |existing, text: &str| -> Result<(), Error> {
            let folder = AtomicFolder::create(&path, existing, look)?;
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
            let folder = AtomicFolder::create(&path, Existing::Replace, look).unwrap();
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
        remove_left_overs(dir.path(), "c", look).unwrap();
        assert!(!early.exists());
        AtomicFolder::create(&dir.path().join("c"), Existing::Refuse, look).unwrap();
        assert!(!killed.exists() && running.exists() && other.exists());
        fs::create_dir(&starting).unwrap();
        remove_left_overs(dir.path(), "c", look).unwrap();
        assert!(starting.exists());
    }
}
