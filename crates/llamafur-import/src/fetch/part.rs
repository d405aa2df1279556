//! The part file: what has arrived so far, its running checksum, and a note on where it came from.
//!
//! Beside `NAME.part` lies `NAME.part.json`, which says which file on which server the bytes belong to;
//! without it, or if it speaks of another checksum, the part file is worth nothing and is begun anew.

use super::error::FetchError;
use serde::{Deserialize, Serialize};
use sha1::{Digest, Sha1};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Where the bytes of a part file come from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Memo {
    /// The checksum the whole shall have.
    pub sha1: String,
    /// The address.
    pub url: String,
    /// The length of the whole, if the server told it.
    pub total: Option<u64>,
    /// The server's mark of this very version, if it gave a strong one.
    pub etag: Option<String>,
    /// The date of this version, if the server gave one.
    pub last_modified: Option<String>,
}

impl Memo {
    /// What to send as `If-Range`. Another mirror has marks of its own; there the checksum alone decides.
    pub fn validator(&self, url: &str) -> Option<&str> {
        (self.url == url).then(|| self.etag.as_deref().or(self.last_modified.as_deref())).flatten()
    }
}

/// A part file, locked for this process.
pub(super) struct PartFile {
    file: File,
    path: PathBuf,
    memo_path: PathBuf,
    memo: Memo,
    hasher: Sha1,
    len: u64,
}

impl PartFile {
    /// Opens or makes the part file of `target`, locks it and reads what it has, if that belongs to this
    /// checksum.
    pub fn open(target: &Path, sha1: &str) -> Result<PartFile, FetchError> {
        let path = with_suffix(target, ".part");
        let memo_path = with_suffix(target, ".part.json");
        let file = open_locked(&path)?;
        let memo = fs::read(&memo_path).ok().and_then(|text| serde_json::from_slice::<Memo>(&text).ok());
        let mut part = PartFile { file, path, memo_path, memo: Memo::default(), hasher: Sha1::new(), len: 0 };
        match memo.filter(|memo| memo.sha1 == sha1) {
            Some(memo) => {
                part.memo = memo;
                part.len = hash(&mut part.file, &mut part.hasher)
                    .map_err(|cause| FetchError::reading(&part.path, cause))?;
            }
            None => part.restart()?,
        }
        Ok(part)
    }

    /// How many bytes have arrived.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Where they come from.
    pub fn memo(&self) -> &Memo {
        &self.memo
    }

    /// Whether nothing is missing, as far as the length tells.
    pub fn is_whole(&self) -> bool {
        self.memo.total == Some(self.len)
    }

    /// Forgets what has arrived.
    pub fn restart(&mut self) -> Result<(), FetchError> {
        self.empty().map_err(|cause| FetchError::writing(&self.path, cause))?;
        self.memo = Memo::default();
        self.hasher = Sha1::new();
        self.len = 0;
        Ok(())
    }

    /// Cuts the file off at its beginning and goes there, or the next write would leave a hole before it.
    fn empty(&mut self) -> io::Result<()> {
        // A device, which a test puts here to have a full disk, cannot be cut off.
        if self.file.metadata()?.len() > 0 {
            self.file.set_len(0)?;
        }
        self.file.rewind()
    }

    /// Notes where the following bytes come from. It has to be called before the first of them.
    pub fn describe(&mut self, memo: Memo) -> Result<(), FetchError> {
        if memo != self.memo {
            let text = serde_json::to_vec(&memo).map_err(io::Error::from);
            text.and_then(|text| fs::write(&self.memo_path, text))
                .map_err(|cause| FetchError::writing(&self.memo_path, cause))?;
            self.memo = memo;
        }
        Ok(())
    }

    /// Adds what has arrived.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), FetchError> {
        self.file.write_all(bytes).map_err(|cause| FetchError::writing(&self.path, cause))?;
        self.hasher.update(bytes);
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// The checksum of all that has arrived.
    pub fn sha1(&self) -> String {
        hex(self.hasher.clone())
    }

    /// Gives the file its name, on the disk and not only in memory.
    pub fn finish(self, target: &Path) -> Result<(), FetchError> {
        self.file.sync_all().map_err(|cause| FetchError::writing(&self.path, cause))?;
        fs::rename(&self.path, target).map_err(|cause| FetchError::writing(target, cause))?;
        // A note without its part file is harmless.
        _ = fs::remove_file(&self.memo_path);
        sync_folder(target).map_err(|cause| FetchError::writing(target, cause))
    }

    /// Removes the part file and its note.
    pub fn discard(self) -> Result<(), FetchError> {
        _ = fs::remove_file(&self.memo_path);
        fs::remove_file(&self.path).map_err(|cause| FetchError::writing(&self.path, cause))
    }
}

/// The checksum and length of a file.
pub(super) fn sha1_of(path: &Path) -> io::Result<(String, u64)> {
    let mut hasher = Sha1::new();
    let len = hash(&mut File::open(path)?, &mut hasher)?;
    Ok((hex(hasher), len))
}

/// Reads all of a file into the hasher, which leaves the file at its end, and says how much it was.
fn hash(file: &mut File, hasher: &mut Sha1) -> io::Result<u64> {
    // No further than the length at the beginning: a device would have no end.
    let mut rest = file.metadata()?.len();
    let mut buffer = vec![0; 1 << 17];
    let mut done = 0;
    while rest > 0 {
        let most = buffer.len().min(usize::try_from(rest).unwrap_or(usize::MAX));
        let got = match file.read(&mut buffer[..most]) {
            Ok(0) => break,
            Ok(got) => got,
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => continue,
            Err(cause) => return Err(cause),
        };
        hasher.update(&buffer[..got]);
        done += got as u64;
        rest -= got as u64;
    }
    Ok(done)
}

fn hex(hasher: Sha1) -> String {
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Opens the part file and locks it; that it is locked already means that another process is at it.
fn open_locked(path: &Path) -> Result<File, FetchError> {
    loop {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let file = file.map_err(|cause| FetchError::writing(path, cause))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(FetchError::Busy { file: path.to_owned() }),
            // Some network file systems know no locks; the user is the only guard there.
            Err(TryLockError::Error(cause)) if cause.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(cause)) => return Err(FetchError::writing(path, cause)),
        }
        if still_there(&file, path).map_err(|cause| FetchError::writing(path, cause))? {
            return Ok(file);
        }
    }
}

/// Whether the open file still bears its name: between opening and locking, another process may have finished
/// it, and what we hold would be the finished file.
#[cfg(unix)]
fn still_there(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let ours = file.metadata()?;
    match fs::metadata(path) {
        Ok(named) => Ok((named.dev(), named.ino()) == (ours.dev(), ours.ino())),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(cause) => Err(cause),
    }
}

#[cfg(not(unix))]
fn still_there(_file: &File, path: &Path) -> io::Result<bool> {
    path.try_exists()
}

/// Makes a new name last; only on Unix is a folder a thing to be synchronised.
fn sync_folder(file: &Path) -> io::Result<()> {
    if cfg!(unix)
        && let Some(folder) = file.parent()
    {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        match File::open(folder)?.sync_all() {
            // Some network file systems do not know how.
            Err(cause)
                if matches!(cause.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput) => {}
            done => return done,
        }
    }
    Ok(())
}
