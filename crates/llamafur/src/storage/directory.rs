//! A directory that is held open: what is made in it stays in it, wherever it is moved meanwhile.
//!
//! An import swaps two folders, so a path may lead to another folder a moment later. Names that are resolved from an open
//! directory do not. Where the system has no such calls, paths are used.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::Path;

/// An open directory.
#[derive(Debug)]
pub(crate) struct Directory {
    #[cfg(unix)]
    file: File,
    #[cfg(not(unix))]
    path: std::path::PathBuf,
}

#[cfg(unix)]
impl Directory {
    /// Opens a directory; the empty path is the current one.
    pub(crate) fn open(path: &Path) -> io::Result<Directory> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        Ok(Directory { file: File::open(path)? })
    }

    /// Opens a directory in this one; the empty path is this one.
    pub(crate) fn below(&self, path: &Path) -> io::Result<Directory> {
        use rustix::fs::{Mode, OFlags, openat};
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Directory { file: openat(&self.file, path, flags, Mode::empty())?.into() })
    }

    /// Opens a file for reading.
    pub(crate) fn open_file(&self, name: &str) -> io::Result<File> {
        use rustix::fs::{Mode, OFlags, openat};
        Ok(openat(&self.file, name, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?.into())
    }

    /// Opens a file for writing, which is created if it is not there; a symbolic link is not followed.
    pub(super) fn open_or_create(&self, name: &OsStr) -> io::Result<File> {
        use rustix::fs::{Mode, OFlags, openat};
        let flags = OFlags::CREATE | OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        Ok(openat(&self.file, name, flags, Mode::from_raw_mode(0o666))?.into())
    }

    /// Returns whether a name is that of an open file.
    pub(super) fn has(&self, name: &OsStr, file: &File) -> io::Result<bool> {
        use rustix::fs::{AtFlags, fstat, statat};
        let open = fstat(file)?;
        let named = statat(&self.file, name, AtFlags::SYMLINK_NOFOLLOW);
        Ok(named.is_ok_and(|named| (named.st_dev, named.st_ino) == (open.st_dev, open.st_ino)))
    }

    /// Renames a file within the directory.
    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.file, from, &self.file, to)?)
    }

    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.file, name, rustix::fs::AtFlags::empty())?)
    }

    /// Syncs the directory, so that the names in it outlive a crash.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }
}

#[cfg(not(unix))]
impl Directory {
    pub(crate) fn open(path: &Path) -> io::Result<Directory> {
        Ok(Directory { path: path.into() })
    }

    pub(crate) fn below(&self, path: &Path) -> io::Result<Directory> {
        Ok(Directory { path: self.path.join(path) })
    }

    pub(crate) fn open_file(&self, name: &str) -> io::Result<File> {
        File::open(self.path.join(name))
    }

    pub(super) fn open_or_create(&self, name: &OsStr) -> io::Result<File> {
        File::options().create(true).read(true).write(true).truncate(false).open(self.path.join(name))
    }

    /// Returns true: an open file cannot be renamed away here.
    pub(super) fn has(&self, _name: &OsStr, _file: &File) -> io::Result<bool> {
        Ok(true)
    }

    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        std::fs::rename(self.path.join(from), self.path.join(to))
    }

    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        std::fs::remove_file(self.path.join(name))
    }

    pub(super) fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}
