//! Opens files: plain, `.gz`, `.zst` or `.bz2`, and the standard input (`-`).
//!
//! The compression is detected from the first bytes, not from the name. The bytes on disk are counted and hashed while
//! they are read.
//!
//! ```
//! use std::io::Read;
//! # let dir = tempfile::tempdir()?;
//! # let path = dir.path().join("a.txt");
//! std::fs::write(&path, "text")?;
//! let mut input = llamafur_import::input::open(&path)?;
//! assert_eq!(input.size(), Some(4));
//! let mut text = String::new();
//! input.read_to_string(&mut text)?;
//! assert_eq!(text, "text");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::bzip2;
use blake3::Hasher;
use flate2::bufread::MultiGzDecoder;
use llamafur::Remedy;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Number of bytes read at a time for a decoder.
const BUFFER: usize = 256 << 10;
/// Number of characters shown of a text.
const SHOWN: usize = 80;
/// Number of bytes that identify a file's compression.
const MAGIC: u64 = 16;

/// The reason why a file cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// No file has that name.
    #[error("{}: no such file", file.display())]
    NotFound {
        /// The requested file.
        file: PathBuf,
    },
    /// A folder was found where a file was expected.
    #[error("{}: a folder where a file was expected", file.display())]
    Folder {
        /// The folder.
        file: PathBuf,
    },
    /// The system could not read the file.
    #[error("{}: cannot be read ({cause})", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// The file is an archive of an unsupported kind.
    #[error("{}: {found}, which is not supported", file.display())]
    Archive {
        /// The file.
        file: PathBuf,
        /// The kind of archive.
        found: &'static str,
        /// The command that unpacks it.
        command: &'static str,
    },
}

impl InputError {
    /// Returns the user's options to fix the problem.
    pub fn remedy(&self) -> Option<Remedy> {
        Some(match self {
            InputError::NotFound { .. } => Remedy::advice("check the name and the folder"),
            InputError::Folder { .. } => Remedy::advice("name a file in it"),
            InputError::Unreadable { .. } => Remedy::advice("check the permissions and the disk"),
            InputError::Archive { command, .. } => {
                Remedy::advice(format!("unpack it into a pipe with `{command} FILE`, and read `-`"))
            }
        })
    }

    pub(crate) fn unreadable(file: &Path) -> impl Fn(io::Error) -> InputError + use<'_> {
        |cause| match cause.kind() {
            ErrorKind::NotFound => InputError::NotFound { file: file.into() },
            ErrorKind::IsADirectory => InputError::Folder { file: file.into() },
            _ => InputError::Unreadable { file: file.into(), cause },
        }
    }
}

/// Opens a file and unpacks it while it is read; `-` is the standard input.
///
/// # Errors
/// If the file is missing, a folder, unreadable, or an archive of another kind.
pub fn open(path: &Path) -> Result<Input, InputError> {
    Raw::open(path)?.decode()
}

/// Checks that a file can be opened, without reading it: a pipe can be opened only once.
pub(crate) fn check(path: &Path) -> Result<(), InputError> {
    match fs::metadata(path) {
        _ if is_stdin(path) => Ok(()),
        Ok(metadata) if !metadata.is_file() && !metadata.is_dir() => Ok(()),
        _ => open_file(path).map(drop),
    }
}

/// Returns whether a path means the standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// Returns the size of a regular file.
pub(crate) fn size(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|metadata| metadata.len())
}

/// Formats a limit in bytes for people.
pub(crate) fn in_words(limit: usize) -> String {
    match limit % (1 << 20) {
        0 => format!("{} MiB", limit >> 20),
        _ => format!("{limit} bytes"),
    }
}

/// Returns the beginning of a text that may be long.
pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns the file's name without its folder.
pub(crate) fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

pub(crate) fn open_file(path: &Path) -> Result<File, InputError> {
    let file = match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Err(ErrorKind::IsADirectory.into()),
        Ok(_) => File::open(path),
        Err(error) => Err(error),
    };
    file.map_err(InputError::unreadable(path))
}

/// An open file, unpacked while it is read.
pub struct Input {
    decoder: Box<dyn Read + Send>,
    tap: Tap,
    /// Bytes that the decoder has taken, of a file that is read ahead.
    taken: Option<Arc<AtomicU64>>,
    size: Option<u64>,
    is_packed: bool,
}

impl Input {
    /// Returns the size of the file on disk, if it is known in advance.
    pub fn size(&self) -> Option<u64> {
        self.size
    }

    /// Counts the bytes of the file on disk that have been read so far.
    pub fn position(&self) -> u64 {
        self.tap.position()
    }

    /// Counts the bytes of the file unpacked so far; may be less than [`Input::position`], since the decoder reads
    /// ahead.
    pub(crate) fn unpacked(&self) -> u64 {
        self.taken.as_ref().map_or_else(|| self.position(), |taken| taken.load(Relaxed))
    }

    /// Returns whether the last error came from unpacking and not from the disk.
    pub(crate) fn is_damaged(&self) -> bool {
        self.is_packed && !self.tap.failed()
    }

    /// Reads the rest, and returns bytes and checksum of the file on disk.
    pub(crate) fn finish(self) -> io::Result<(u64, String)> {
        self.tap.finish()
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.decoder.read(buffer)
    }
}

/// The compression of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Packing {
    None,
    Gzip,
    Zstd,
    Bzip2,
}

/// An open file before it is unpacked.
pub(crate) struct Raw {
    pub(crate) path: PathBuf,
    pub(crate) tap: Tap,
    pub(crate) packing: Packing,
    /// The first bytes.
    pub(crate) magic: Vec<u8>,
}

impl Raw {
    pub(crate) fn open(path: &Path) -> Result<Raw, InputError> {
        if is_stdin(path) { Raw::new(path, io::stdin()) } else { Raw::new(path, open_file(path)?) }
    }

    /// Creates a file read from its beginning, with the compression detected from its first bytes.
    pub(crate) fn new(path: &Path, mut file: impl Read + Send + 'static) -> Result<Raw, InputError> {
        let mut magic = Vec::new();
        file.by_ref().take(MAGIC).read_to_end(&mut magic).map_err(InputError::unreadable(path))?;
        let archive = |found, command| Err(InputError::Archive { file: path.into(), found, command });
        let packing = match &magic[..] {
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Packing::Bzip2,
            [0x1F, 0x8B, ..] => Packing::Gzip,
            // The second is a frame that decoders skip, which some tools write first.
            [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Packing::Zstd,
            [b'7', b'z', 0xBC, 0xAF, ..] => return archive("a 7z archive", "7z x -so"),
            [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => return archive("an xz file", "xz -dc"),
            [b'P', b'K', 3, 4, ..] => return archive("a zip archive", "unzip -p"),
            _ => Packing::None,
        };
        let tap = Tap::new(Box::new(Cursor::new(magic.clone()).chain(file)));
        Ok(Raw { path: path.into(), tap, packing, magic })
    }

    /// Creates a file read from any place, whose compression is known.
    #[cfg(feature = "arrow")]
    pub(crate) fn within(path: &Path, file: impl Read + Send + 'static, packing: Packing) -> Raw {
        Raw { path: path.into(), tap: Tap::new(Box::new(file)), packing, magic: Vec::new() }
    }

    /// Unpacks the file while it is read.
    pub(crate) fn decode(self) -> Result<Input, InputError> {
        let Raw { path, tap, packing, .. } = self;
        let taken = Arc::new(AtomicU64::new(0));
        let buffered =
            || Taken { reader: BufReader::with_capacity(BUFFER, tap.clone()), bytes: taken.clone() };
        let decoder: Box<dyn Read + Send> = match packing {
            Packing::None => Box::new(tap.clone()),
            Packing::Gzip => Box::new(MultiGzDecoder::new(buffered())),
            Packing::Bzip2 => Box::new(bzip2::Reader::new(tap.clone())),
            Packing::Zstd => {
                let unreadable = InputError::unreadable(&path);
                let mut decoder = zstd::Decoder::with_buffer(buffered()).map_err(&unreadable)?;
                // Long-distance matching needs windows of up to 2 GiB.
                decoder.window_log_max(31).map_err(&unreadable)?;
                Box::new(decoder)
            }
        };
        let taken = matches!(packing, Packing::Gzip | Packing::Zstd).then_some(taken);
        Ok(Input { decoder, tap, taken, size: size(&path), is_packed: packing != Packing::None })
    }
}

/// A reader that counts the bytes taken by a decoder.
struct Taken<R> {
    reader: R,
    bytes: Arc<AtomicU64>,
}

impl<R: BufRead> Read for Taken<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.bytes.fetch_add(read as u64, Relaxed);
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Taken<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.reader.consume(amount);
        self.bytes.fetch_add(amount as u64, Relaxed);
    }
}

/// A reader that counts and hashes a file. Clones share the position.
#[derive(Clone)]
pub(crate) struct Tap(Arc<Mutex<Tapped>>);

struct Tapped {
    reader: Box<dyn Read + Send>,
    hasher: Hasher,
    bytes: u64,
    failed: bool,
}

impl Tap {
    fn new(reader: Box<dyn Read + Send>) -> Tap {
        Tap(Arc::new(Mutex::new(Tapped { reader, hasher: Hasher::new(), bytes: 0, failed: false })))
    }

    fn lock(&self) -> MutexGuard<'_, Tapped> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn position(&self) -> u64 {
        self.lock().bytes
    }

    /// Returns whether reading from the disk failed, as opposed to decoding.
    pub(crate) fn failed(&self) -> bool {
        self.lock().failed
    }

    /// Reads the rest, and returns bytes and checksum of the whole.
    pub(crate) fn finish(&self) -> io::Result<(u64, String)> {
        io::copy(&mut self.clone(), &mut io::sink())?;
        let tapped = self.lock();
        Ok((tapped.bytes, tapped.hasher.finalize().to_hex().to_string()))
    }
}

impl Read for Tap {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut tapped = self.lock();
        let read = tapped.reader.read(buffer);
        if let Err(error) = &read {
            tapped.failed |= error.kind() != ErrorKind::Interrupted;
        }
        let read = read?;
        tapped.hasher.update(&buffer[..read]);
        tapped.bytes += read as u64;
        Ok(read)
    }
}
