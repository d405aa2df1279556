//! The log on disk: appended and synced line by line, under a lock.
//!
//! [`crate::judgments`] describes the lines. A line is appended by one write to a file that is open for appending, and
//! synced before the caller gets an answer. If it cannot be written completely, it is cut off again; if the process
//! dies while it writes, the next append removes the partial line. So every line break in the file ends a complete
//! line. `sums` verifies that the bytes are unchanged.

use super::error::JudgingError;
use crate::judgments::log::{HEADER, for_each_entry, whole_lines};
use crate::judgments::sums::{self, Summed};
use crate::judgments::{Class, JudgmentError, own_file};
use llamafur::interrupt;
use llamafur::progress::{Note, Progress};
use llamafur::storage::sync_folder;
use llamafur::text::is_invisible_or_control;
use std::collections::BTreeMap;
use std::fs::{self, File, Metadata, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// Largest number of characters in the name of a judge.
const LONGEST_NAME: usize = 64;

/// Largest number of judges of a corpus.
const MOST_JUDGES: usize = 500;

/// Longest wait for another process's lock on the file. LlamaFur holds it for as long as it takes to sync a line.
const LONGEST_WAIT: Duration = Duration::from_secs(3);

/// First and longest pause between two attempts to lock.
const PAUSES: [Duration; 2] = [Duration::from_micros(100), Duration::from_millis(20)];

/// Validates the name of a judge, and returns it without whitespace around it.
pub(super) fn judge_name(name: &str) -> Result<&str, JudgingError> {
    let name = name.trim();
    let is_too_long = name.chars().nth(LONGEST_NAME).is_some();
    // Invisible characters make one name look like another.
    let is_nothing = !name.contains(char::is_alphanumeric);
    // A spreadsheet would take it for a formula.
    let is_formula = name.starts_with(['=', '+', '-', '@']);
    if is_nothing || is_too_long || is_formula || name.contains(is_invisible_or_control) {
        return Err(JudgingError::Name { name: name.chars().take(LONGEST_NAME + 1).collect() });
    }
    Ok(name)
}

/// Returns the key of a link in the log: both titles.
pub(super) fn key(source: &str, target: &str) -> String {
    format!("{source}\t{target}")
}

/// The last judgment of a link by a judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Judgment {
    pub(super) class: Class,
    /// The line in the log, which orders judgments by time.
    pub(super) line: u64,
}

/// The position up to which the file was read.
#[derive(Debug, Default)]
struct Seen {
    /// The file's identity; 0 if the system does not report it.
    id: (u64, u64),
    /// Bytes of complete lines.
    bytes: u64,
    lines: u64,
}

/// All valid judgments, and the file that contains them.
#[derive(Debug)]
pub(super) struct Log {
    path: PathBuf,
    seen: Seen,
    summed: Summed,
    /// Time of the last wait that ran out: callers queued meanwhile do not wait as long again.
    given_up: Option<Instant>,
    /// Judgments by judge and link; a judge who withdrew all is included.
    judges: BTreeMap<String, BTreeMap<String, Judgment>>,
}

impl Log {
    /// Reads the log at this path, if there is one.
    pub(super) fn open(path: PathBuf, progress: &mut dyn Progress) -> Result<Log, JudgingError> {
        let (seen, summed, judges) = Default::default();
        let mut log = Log { path, seen, summed, given_up: None, judges };
        let cut = log.refresh()?;
        if cut > 0 {
            progress.note(Note::CutShort { path: log.path.clone(), bytes: cut });
        }
        Ok(log)
    }

    /// Returns the judges, by name.
    pub(super) fn judges(&self) -> impl Iterator<Item = &str> {
        self.judges.iter().filter(|(_, judged)| !judged.is_empty()).map(|(name, _)| &name[..])
    }

    /// Fails if the judge is new, and the limit is reached: anybody who may judge can choose names.
    pub(super) fn expect_room_for(&self, judge: &str) -> Result<(), JudgingError> {
        match self.judges.len() >= MOST_JUDGES && !self.judges.contains_key(judge) {
            true => Err(JudgingError::TooManyJudges { most: MOST_JUDGES }),
            false => Ok(()),
        }
    }

    /// Returns the links that a judge has judged, with the judgments.
    pub(super) fn of(&self, judge: &str) -> impl Iterator<Item = (&str, Judgment)> {
        self.judges.get(judge).into_iter().flatten().map(|(key, judgment)| (&key[..], *judgment))
    }

    /// Returns a judge's class of a link.
    pub(super) fn class(&self, judge: &str, key: &str) -> Option<Class> {
        Some(self.judges.get(judge)?.get(key)?.class)
    }

    /// Reads the lines appended since; returns the number of bytes after the last complete line.
    pub(super) fn refresh(&mut self) -> Result<u64, JudgingError> {
        match own_file::open(&self.path) {
            Ok(file) => {
                self.lock(|| file.try_lock_shared())?;
                self.catch_up(&file)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.forget();
                Ok(0)
            }
            Err(error) => Err(JudgingError::io(&self.path)(error)),
        }
    }

    /// Locks the file, with a limited wait. If the system has no such locks, only one process may judge at a time.
    fn lock(&mut self, attempt: impl Fn() -> Result<(), TryLockError>) -> Result<(), JudgingError> {
        let is_vain = self.given_up.is_some_and(|since| since.elapsed() < LONGEST_WAIT);
        let wait = if is_vain { Duration::ZERO } else { LONGEST_WAIT };
        let started = Instant::now();
        let [mut pause, longest] = PAUSES;
        while let Err(TryLockError::WouldBlock) = attempt() {
            interrupt::check()?;
            if started.elapsed() >= wait {
                self.given_up = self.given_up.filter(|_| is_vain).or_else(|| Some(Instant::now()));
                return Err(JudgingError::Locked {
                    path: self.path.clone(),
                    seconds: LONGEST_WAIT.as_secs(),
                });
            }
            thread::sleep(pause);
            pause = longest.min(2 * pause);
        }
        self.given_up = None;
        Ok(())
    }

    fn forget(&mut self) {
        (self.seen, self.summed) = Default::default();
        self.judges.clear();
    }

    /// Reads the unread part of an open file; all of it if it is another file than before.
    fn catch_up(&mut self, mut file: &File) -> Result<u64, JudgingError> {
        let io = || JudgingError::io(self.path.clone());
        let metadata = file.metadata().map_err(io())?;
        if id(&metadata) != self.seen.id || metadata.len() < self.seen.bytes {
            self.forget();
            self.seen.id = id(&metadata);
        }
        if metadata.len() == self.seen.bytes {
            return Ok(0);
        }
        let mut bytes = Vec::new();
        let io = || JudgingError::io(self.path.clone());
        file.seek(SeekFrom::Start(self.seen.bytes)).map_err(io())?;
        file.read_to_end(&mut bytes).map_err(io())?;
        let (lines, rest) = bytes.split_at(whole_lines(&bytes));
        // What was taken of these lines would be taken again.
        self.summed.check(&self.path, lines).inspect_err(|_| self.forget())?;
        self.take(lines)?;
        Ok(rest.len() as u64)
    }

    /// Takes complete lines that follow those already read.
    fn take(&mut self, lines: &[u8]) -> Result<(), JudgmentError> {
        let judges = &mut self.judges;
        let num_lines = for_each_entry(&self.path, lines, self.seen.lines, |entry| {
            let judged = judges.entry(entry.judge.to_owned()).or_default();
            let key = key(entry.source, entry.target);
            match entry.class {
                Some(class) => judged.insert(key, Judgment { class, line: entry.line }),
                None => judged.remove(&key),
            };
        });
        let num_lines = num_lines.inspect_err(|_| {
            // What was taken of these lines would be taken again.
            (self.seen, self.summed) = Default::default();
            self.judges.clear();
        })?;
        self.seen.lines = num_lines;
        self.seen.bytes += lines.len() as u64;
        Ok(())
    }

    /// Appends a judge's class of a link, or its withdrawal; it is on disk when this returns.
    ///
    /// # Errors
    /// Returns an error if it could not be written and synced; then it is not in the log.
    pub(super) fn append(
        &mut self,
        judge: &str,
        key: &str,
        class: Option<Class>,
    ) -> Result<(), JudgingError> {
        let line = format!("{judge}\t{key}\t{}\n", class.map_or("", Class::name));
        if let Some(folder) = self.path.parent() {
            create_folder(folder).map_err(JudgingError::io(folder))?;
        }
        loop {
            let io = || JudgingError::io(self.path.clone());
            let file = own_file::open_for_appending(&self.path).map_err(io())?;
            self.lock(|| file.try_lock())?;
            self.catch_up(&file)?;
            let is_new = self.seen.bytes == 0;
            let text = if is_new { format!("{HEADER}\n{line}") } else { line.clone() };
            self.write(&file, &text, is_new).map_err(JudgingError::io(&self.path))?;
            // The corpus may have been replaced while we wrote to a file that has no name any more.
            let is_there = fs::metadata(&self.path).is_ok_and(|metadata| id(&metadata) == self.seen.id);
            if is_there {
                self.summed.take(text.as_bytes());
                self.take(text.as_bytes())?;
                sums::append(&self.path, self.seen.bytes, self.summed.hasher());
                return Ok(());
            }
        }
    }

    /// Writes a text after the last complete line and syncs it; cuts it off if that fails.
    fn write(&self, mut file: &File, text: &str, is_new: bool) -> io::Result<()> {
        if file.metadata()?.len() > self.seen.bytes {
            // The line that a process was writing when it died.
            file.set_len(self.seen.bytes)?;
        }
        let mut write = || {
            file.write_all(text.as_bytes())?;
            file.sync_data()?;
            if is_new { sync_folder(self.path.parent()) } else { Ok(()) }
        };
        write().inspect_err(|_| {
            // If even this fails, the next to append does it.
            let _ = file.set_len(self.seen.bytes);
        })
    }
}

/// Returns the file's identity.
#[cfg(unix)]
fn id(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

/// Returns a constant: elsewhere an open file cannot be replaced.
#[cfg(not(unix))]
fn id(_metadata: &Metadata) -> (u64, u64) {
    (0, 0)
}

/// Creates a folder and syncs its parent, so that it survives a crash.
pub(super) fn create_folder(folder: &Path) -> io::Result<()> {
    match fs::create_dir(folder) {
        Ok(()) => sync_folder(folder.parent()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}
