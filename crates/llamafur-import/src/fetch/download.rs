//! Downloads one file: resumes after every failure until its checksum is right.

use super::How;
use super::conf::FetchConf;
use super::error::FetchError;
use super::http::{Client, Trouble, cut, text_header};
use super::part::{PartFile, sha1_of};
use super::retry::Retry;
use super::sums::Wanted;
use llamafur::progress::{Note, Progress, Restart, Task};
use std::io::{self, Read};
use std::path::Path;
use ureq::Body;
use ureq::http::{Response, header};

/// Fetches the file of the dump of `date`, and says how many bytes it has and how it got there.
pub(super) fn download(
    conf: &FetchConf,
    client: &Client,
    date: &str,
    wanted: &Wanted,
    progress: &mut dyn Progress,
) -> Result<(u64, How), FetchError> {
    let target = conf.out.join(&wanted.name);
    loop {
        if target.exists() {
            progress.note(Note::Present { path: target.clone() });
            let (found, bytes) = sha1_of(&target).map_err(FetchError::reading(&target))?;
            if found == wanted.sha1 {
                progress.start_bytes(Task::Download { file: wanted.name.clone() }, Some(bytes));
                progress.advance(bytes);
                progress.finish();
                return Ok((bytes, How::AlreadyThere));
            }
            if !conf.overwrite {
                return Err(FetchError::WrongFile { file: target, found, expected: wanted.sha1.clone() });
            }
        }
        let part = PartFile::open(&target)?;
        // Another process may have finished the file before we had the lock.
        if target.exists() && !conf.overwrite {
            part.discard()?;
            continue;
        }
        let url = conf.file_url(date, &wanted.name);
        let mut download = Download::new(client, wanted, &url, part, progress);
        let whole = download.run(&mut Retry::new(conf, &url));
        if download.started {
            download.progress.finish();
        }
        whole?;
        return download.finish(&target);
    }
}

/// How a try ended that had no trouble.
enum End {
    /// All has arrived.
    Whole,
    /// What had arrived was dropped: request the file from the beginning.
    Again,
}

struct Download<'a> {
    client: &'a Client,
    wanted: &'a Wanted,
    url: &'a str,
    part: PartFile,
    progress: &'a mut dyn Progress,
    /// Whether progress is being reported.
    started: bool,
    /// The progress reported so far; starting over does not go back.
    reported: u64,
    /// The most bytes that any try had; only more than that is progress.
    farthest: u64,
    how: How,
}

impl<'a> Download<'a> {
    fn new(
        client: &'a Client,
        wanted: &'a Wanted,
        url: &'a str,
        part: PartFile,
        progress: &'a mut dyn Progress,
    ) -> Self {
        let farthest = part.len;
        let how = if farthest > 0 { How::Resumed } else { How::Downloaded };
        if farthest > 0 {
            progress.note(Note::Resuming { file: wanted.name.clone(), bytes: farthest });
        }
        Download { client, wanted, url, part, progress, started: false, reported: 0, farthest, how }
    }

    /// Downloads until all of the file is in the part file, with the right checksum.
    fn run(&mut self, retry: &mut Retry<'_>) -> Result<(), FetchError> {
        let mut mismatched = false;
        loop {
            let before = self.farthest;
            let end = self.attempt();
            if self.farthest > before {
                retry.progress();
            }
            match end {
                Ok(End::Whole) => {}
                Ok(End::Again) => continue,
                Err(trouble) => {
                    retry.wait(trouble, self.progress)?;
                    continue;
                }
            }
            let (found, expected) = (self.part.sha1(), &self.wanted.sha1);
            if found == *expected {
                return Ok(());
            }
            if mismatched {
                self.part.discard()?;
                let problem =
                    format!("what was sent has the SHA-1 {found}, expected {expected}, twice in a row");
                return Err(FetchError::BadAnswer { url: self.url.to_owned(), problem });
            }
            mismatched = true;
            self.start_over(Restart::WrongChecksum)?;
        }
    }

    fn finish(self, target: &Path) -> Result<(u64, How), FetchError> {
        let bytes = self.part.len;
        self.part.finish(target)?;
        Ok((bytes, self.how))
    }

    /// One request and what it brings.
    fn attempt(&mut self) -> Result<End, Trouble> {
        let at = self.part.len;
        let answer = self.client.get(self.url, at)?;
        match answer.status().as_u16() {
            200 if at > 0 => self.start_over(Restart::CannotResume)?,
            200 => {}
            206 if at > 0 && first_byte(&answer) == Some(at) => {}
            206 if at > 0 => {
                self.start_over(Restart::OtherPart)?;
                return Ok(End::Again);
            }
            // Nothing follows what we have; the checksum decides whether it is the whole file.
            416 if at > 0 => {
                self.announce(Some(at));
                return Ok(End::Whole);
            }
            status => return Err(FetchError::Refused { url: self.url.to_owned(), status }.into()),
        }
        let length: Option<u64> =
            text_header(&answer, header::CONTENT_LENGTH).and_then(|text| text.trim().parse().ok());
        let total = length.map(|length| self.part.len + length);
        self.announce(total);
        self.read(answer.into_body(), total)
    }

    /// Reads a body into the part file.
    fn read(&mut self, body: Body, total: Option<u64>) -> Result<End, Trouble> {
        let mut body = body.into_reader();
        let mut buffer = vec![0; 1 << 17];
        loop {
            match body.read(&mut buffer) {
                Ok(0) if total.is_some_and(|total| total != self.part.len) => {
                    return Err(Trouble::Cut { cause: "the connection was cut".to_owned() });
                }
                Ok(0) => return Ok(End::Whole),
                Ok(got) => {
                    self.part.append(&buffer[..got])?;
                    self.advance();
                }
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
                Err(cause) => return Err(Trouble::Cut { cause: cut(&cause) }),
            }
        }
    }

    fn start_over(&mut self, why: Restart) -> Result<(), FetchError> {
        self.progress.note(Note::Restarting { file: self.wanted.name.clone(), why });
        self.how = How::Downloaded;
        self.part.restart()
    }

    /// Reports how long the file is, and what is there already.
    fn announce(&mut self, total: Option<u64>) {
        if !self.started {
            self.progress.start_bytes(Task::Download { file: self.wanted.name.clone() }, total);
            self.started = true;
        }
        self.advance();
    }

    fn advance(&mut self) {
        let len = self.part.len;
        self.farthest = self.farthest.max(len);
        if len > self.reported {
            self.progress.advance(len - self.reported);
            self.reported = len;
        }
    }
}

/// The first byte of `Content-Range: bytes 7-9/10`.
fn first_byte(answer: &Response<Body>) -> Option<u64> {
    let range = text_header(answer, header::CONTENT_RANGE)?.strip_prefix("bytes ")?;
    range.split_once('-')?.0.trim().parse().ok()
}
