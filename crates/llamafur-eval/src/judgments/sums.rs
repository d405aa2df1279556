//! Checksums of the files that cannot be computed again: `log.sums` for `log.tsv`, `pool.sums` for `pool.tsv`.
//!
//! Each line is a number of bytes and the BLAKE3 of this many first bytes of the other file, in hexadecimal, separated
//! by a tab. A line is appended after every append to the other file, once that is on disk. So a process that dies in
//! between leaves a judgment without a sum, which the next sum covers; and a file without sums, written by older
//! programs or by hand, is accepted. Bytes after the last line break are a partial line, and ignored.
//!
//! The tables themselves stay plain, for other programs.

use super::error::JudgmentError;
use super::own_file;
use blake3::Hasher;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A number of first bytes of a file, and their sum.
type Sum = (u64, String);

/// Largest length of a line: a number of 20 digits, a tab, 64 digits, a line break.
const LONGEST_LINE: u64 = 86;

/// Returns the path of a file's sums.
pub(crate) fn path_of(file: &Path) -> PathBuf {
    file.with_extension("sums")
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> JudgmentError {
    move |cause| JudgmentError::Io { path: path.into(), cause }
}

fn line_of(line: &str) -> Option<Sum> {
    let (bytes, sum) = line.split_once('\t')?;
    Some((bytes.parse().ok()?, sum.to_owned()))
}

/// Returns the last sum of a file; `None` if there is none.
fn last(file: &Path) -> Result<Option<Sum>, JudgmentError> {
    let path = path_of(file);
    let mut sums = match own_file::open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(io_error(&path))?,
    };
    let mut end = Vec::new();
    let length = sums.metadata().map_err(io_error(&path))?.len();
    // Two lines, the last of which may be cut.
    let start = length.saturating_sub(2 * LONGEST_LINE);
    sums.seek(SeekFrom::Start(start)).map_err(io_error(&path))?;
    sums.read_to_end(&mut end).map_err(io_error(&path))?;
    let end = String::from_utf8_lossy(&end).into_owned();
    let Some((whole, _)) = end.rsplit_once('\n') else { return Ok(None) };
    let line = whole.rsplit('\n').next().unwrap_or_default();
    let unreadable = || JudgmentError::Changed { path: path.clone(), line: None };
    line_of(line).map(Some).ok_or_else(unreadable)
}

/// Appends the sum of the first `bytes` bytes of a file. A failure is ignored: the data itself is saved.
pub(crate) fn append(file: &Path, bytes: u64, hasher: &Hasher) {
    let write = || -> io::Result<()> {
        let mut sums = own_file::open_for_appending(&path_of(file))?;
        let length = sums.metadata()?.len();
        let start = sums.seek(SeekFrom::Start(length.saturating_sub(LONGEST_LINE)))?;
        let mut end = Vec::new();
        sums.read_to_end(&mut end)?;
        // The line that a process was writing when it died.
        let whole = start + end.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last as u64 + 1);
        if whole < length {
            sums.set_len(whole)?;
        }
        sums.write_all(format!("{bytes}\t{}\n", hasher.finalize()).as_bytes())
    };
    let _ = write();
}

/// The state of checking a file against its last sum while the file is read, piece by piece.
#[derive(Debug, Default)]
pub(crate) struct Summed {
    hasher: Hasher,
    bytes: u64,
}

impl Summed {
    /// Returns the hasher of the bytes read.
    pub(crate) fn hasher(&self) -> &Hasher {
        &self.hasher
    }

    /// Adds the next bytes without a check: they were just written.
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
        self.bytes += bytes.len() as u64;
    }

    /// Adds the rest of the file, and compares it with the file's last sum.
    pub(crate) fn check(&mut self, file: &Path, rest: &[u8]) -> Result<(), JudgmentError> {
        let before = self.bytes;
        let Some((bytes, expected)) = last(file)?.filter(|(bytes, _)| *bytes > before) else {
            self.take(rest);
            return Ok(());
        };
        let Some((summed, unsummed)) =
            usize::try_from(bytes - before).ok().and_then(|at| rest.split_at_checked(at))
        else {
            return Err(JudgmentError::Changed { path: file.into(), line: None });
        };
        self.take(summed);
        if self.hasher.finalize().to_hex().as_str() != expected {
            return Err(JudgmentError::Changed { path: file.into(), line: changed_line(file) });
        }
        self.take(unsummed);
        Ok(())
    }
}

fn read(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    own_file::open(file)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the first line, from 1, from which the file differs from its sums, as far as they show.
fn changed_line(file: &Path) -> Option<usize> {
    let bytes = read(file).ok()?;
    let sums = String::from_utf8(read(&path_of(file)).ok()?).ok()?;
    let (mut hasher, mut whole) = (Hasher::new(), 0);
    for (end, expected) in sums.lines().filter_map(line_of) {
        let next = bytes.get(whole..usize::try_from(end).ok()?)?;
        if hasher.update(next).finalize().to_hex().as_str() != expected {
            break;
        }
        whole += next.len();
    }
    Some(1 + bytes[..whole].iter().filter(|byte| **byte == b'\n').count())
}

/// Returns whether this may be the partial line of a process that died.
fn is_beginning(line: &str) -> bool {
    let (bytes, sum) = line.split_once('\t').unwrap_or((line, ""));
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    bytes.bytes().all(|byte| byte.is_ascii_digit()) && sum.len() <= 64 && sum.bytes().all(is_hex)
}

/// Checks a file against its sums and every line of those; returns whether it has sums.
pub(crate) fn verify(file: &Path) -> Result<bool, JudgmentError> {
    let path = path_of(file);
    let sums = match own_file::open(&path).and_then(io::read_to_string) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        read => read.map_err(io_error(&path))?,
    };
    let bytes = read(file).map_err(io_error(file))?;
    Summed::default().check(file, &bytes)?;
    let changed = |number| JudgmentError::Changed { path: path.clone(), line: Some(number + 1) };
    let (mut hasher, mut whole) = (Hasher::new(), 0);
    for (number, line) in sums.split_inclusive('\n').enumerate() {
        let Some(line) = line.strip_suffix('\n') else {
            return if is_beginning(line) { Ok(true) } else { Err(changed(number)) };
        };
        let end = line_of(line).and_then(|(end, sum)| Some((usize::try_from(end).ok()?, sum)));
        let next = end.and_then(|(end, sum)| Some((bytes.get(whole..end)?, sum)));
        let is_right = next.is_some_and(|(next, sum)| {
            whole += next.len();
            hasher.update(next).finalize().to_hex().as_str() == sum
        });
        if !is_right {
            return Err(changed(number));
        }
    }
    Ok(true)
}
