//! The part file: what has arrived so far, and its running checksum.

use super::error::FetchError;
use sha1::{Digest, Sha1};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// A part file, locked for this process.
pub(super) struct PartFile {
    file: File,
    path: PathBuf,
    hasher: Sha1,
    pub(super) len: u64,
}

impl PartFile {
    /// Opens or makes the part file of `target`, locks it, and reads what it has.
    pub(super) fn open(target: &Path) -> Result<PartFile, FetchError> {
        let mut path = target.as_os_str().to_owned();
        path.push(".part");
        let path = PathBuf::from(path);
        let mut part = PartFile { file: open_locked(&path)?, path, hasher: Sha1::new(), len: 0 };
        part.len = hash(&mut part.file, &mut part.hasher).map_err(FetchError::reading(&part.path))?;
        Ok(part)
    }

    /// Drops what has arrived.
    pub(super) fn restart(&mut self) -> Result<(), FetchError> {
        let cut = self.file.set_len(0).and_then(|()| self.file.rewind());
        cut.map_err(FetchError::writing(&self.path))?;
        (self.hasher, self.len) = (Sha1::new(), 0);
        Ok(())
    }

    /// Adds what has arrived.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), FetchError> {
        self.file.write_all(bytes).map_err(FetchError::writing(&self.path))?;
        self.hasher.update(bytes);
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// The checksum of what has arrived.
    pub(super) fn sha1(&self) -> String {
        hex(self.hasher.clone())
    }

    /// Gives the file its name when it is on the disk.
    pub(super) fn finish(self, target: &Path) -> Result<(), FetchError> {
        self.file.sync_all().map_err(FetchError::writing(&self.path))?;
        fs::rename(&self.path, target).map_err(FetchError::writing(target))
    }

    /// Removes the part file.
    pub(super) fn discard(&self) -> Result<(), FetchError> {
        fs::remove_file(&self.path).map_err(FetchError::writing(&self.path))
    }
}

/// The checksum and length of a file.
pub(super) fn sha1_of(path: &Path) -> io::Result<(String, u64)> {
    let mut hasher = Sha1::new();
    let len = hash(&mut File::open(path)?, &mut hasher)?;
    Ok((hex(hasher), len))
}

/// Reads a file to its end into the hasher, and gives its length.
fn hash(file: &mut File, hasher: &mut Sha1) -> io::Result<u64> {
    // No further than the length at the beginning: a device would have no end.
    let (mut rest, mut done) = (file.metadata()?.len(), 0);
    let mut buffer = vec![0; 1 << 17];
    loop {
        let most = buffer.len().min(usize::try_from(rest).unwrap_or(usize::MAX));
        let got = file.read(&mut buffer[..most])?;
        if got == 0 {
            return Ok(done);
        }
        hasher.update(&buffer[..got]);
        done += got as u64;
        rest -= got as u64;
    }
}

fn hex(hasher: Sha1) -> String {
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Opens the part file and locks it; a lock that is taken means that another process is downloading.
fn open_locked(path: &Path) -> Result<File, FetchError> {
    loop {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let file = file.map_err(FetchError::writing(path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(FetchError::Busy { file: path.to_owned() }),
            // Some network file systems have no locks.
            Err(TryLockError::Error(cause)) if cause.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(cause)) => return Err(FetchError::writing(path)(cause)),
        }
        // Between opening and locking another process may have finished the file and renamed it.
        if is_at(&file, path) {
            return Ok(file);
        }
    }
}

/// Whether the open file still has its name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |metadata: io::Result<fs::Metadata>| metadata.map(|of| (of.dev(), of.ino())).ok();
    id(file.metadata()) == id(fs::metadata(path))
}

#[cfg(not(unix))]
fn is_at(_file: &File, path: &Path) -> bool {
    path.exists()
}
