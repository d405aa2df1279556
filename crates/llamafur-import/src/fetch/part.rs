//! The part file: the bytes received so far, and their running checksum.

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
    /// Opens or creates the part file of `target`, locks it, and hashes its bytes.
    pub(super) fn open(target: &Path) -> Result<PartFile, FetchError> {
        let mut path = target.as_os_str().to_owned();
        path.push(".part");
        let path = PathBuf::from(path);
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(FetchError::writing(&path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(FetchError::Busy { file: path }),
            // Some network file systems have no locks.
            Err(TryLockError::Error(cause)) if cause.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(cause)) => return Err(FetchError::writing(&path)(cause)),
        }
        let mut hasher = Sha1::new();
        let len = hash(&file, &mut hasher).map_err(FetchError::reading(&path))?;
        Ok(PartFile { file, path, hasher, len })
    }

    /// Discards the received bytes.
    pub(super) fn restart(&mut self) -> Result<(), FetchError> {
        let cut = self.file.set_len(0).and_then(|()| self.file.rewind());
        cut.map_err(FetchError::writing(&self.path))?;
        (self.hasher, self.len) = (Sha1::new(), 0);
        Ok(())
    }

    /// Appends received bytes.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), FetchError> {
        self.file.write_all(bytes).map_err(FetchError::writing(&self.path))?;
        self.hasher.update(bytes);
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// Renames the file to its target if it has this checksum, and deletes it otherwise.
    pub(super) fn finish(self, target: &Path, url: &str, expected: &str) -> Result<u64, FetchError> {
        let found = hex(self.hasher);
        if found != expected {
            fs::remove_file(&self.path).map_err(FetchError::writing(&self.path))?;
            let (url, expected) = (url.to_owned(), expected.to_owned());
            return Err(FetchError::WrongChecksum { url, found, expected });
        }
        self.file.sync_all().map_err(FetchError::writing(&self.path))?;
        fs::rename(&self.path, target).map_err(FetchError::writing(target))?;
        Ok(self.len)
    }
}

/// Returns the checksum and length of a file.
pub(super) fn sha1_of(path: &Path) -> io::Result<(String, u64)> {
    let mut hasher = Sha1::new();
    let len = hash(&File::open(path)?, &mut hasher)?;
    Ok((hex(hasher), len))
}

/// Reads a file to its end into the hasher, and returns its length.
fn hash(file: &File, hasher: &mut Sha1) -> io::Result<u64> {
    // No further than the length at the beginning: a device would have no end.
    let mut rest = file.take(file.metadata()?.len());
    let (mut buffer, mut done) = (vec![0; 1 << 17], 0);
    loop {
        match rest.read(&mut buffer)? {
            0 => return Ok(done),
            got => {
                hasher.update(&buffer[..got]);
                done += got as u64;
            }
        }
    }
}

fn hex(hasher: Sha1) -> String {
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
