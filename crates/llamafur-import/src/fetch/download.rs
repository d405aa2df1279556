//! Downloads one file: resumes after every failure until its checksum is right.

use super::conf::FetchConf;
use super::error::FetchError;
use super::http::{Client, Trouble, cut, text_header};
use super::part::{PartFile, sha1_of};
use super::retry::Retry;
use super::sums::Wanted;
use super::workers::Event;
use super::{Fetched, How};
use llamafur::progress::{Note, Restart};
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use ureq::Body;
use ureq::http::{Response, header};

/// What the workers share.
pub(super) struct Job<'a> {
    pub(super) conf: &'a FetchConf,
    pub(super) client: &'a Client,
    /// The date of the dump.
    pub(super) date: &'a str,
    /// Set when all should stop.
    pub(super) halt: &'a AtomicBool,
}

impl Job<'_> {
    /// Fetches one file; `None` if the stop flag was set.
    pub(super) fn fetch(
        &self,
        wanted: &Wanted,
        events: &Sender<Event>,
    ) -> Result<Option<Fetched>, FetchError> {
        let target = self.conf.out.join(&wanted.name);
        loop {
            if target.exists() {
                send(events, Event::Note(Note::Present { path: target.clone() }));
                let (found, bytes) = sha1_of(&target).map_err(FetchError::reading(&target))?;
                if found == wanted.sha1 {
                    send(events, Event::Size(Some(bytes)));
                    send(events, Event::Advance(bytes));
                    return Ok(Some(Fetched { file: target, bytes, how: How::AlreadyThere }));
                }
                if !self.conf.overwrite {
                    return Err(FetchError::WrongFile { file: target, found, expected: wanted.sha1.clone() });
                }
            }
            let part = PartFile::open(&target)?;
            // Another process may have finished the file before we had the lock.
            if target.exists() && !self.conf.overwrite {
                part.discard()?;
                continue;
            }
            let url = self.conf.file_url(self.date, &wanted.name);
            return Download::new(self, wanted, &url, part, events).run(&target);
        }
    }
}

/// How a try ended that had no trouble.
enum End {
    /// All has arrived.
    Whole,
    /// What had arrived was dropped: request the file from the beginning.
    Again,
    /// The stop flag was set.
    Halted,
}

struct Download<'a> {
    job: &'a Job<'a>,
    wanted: &'a Wanted,
    url: &'a str,
    part: PartFile,
    events: &'a Sender<Event>,
    retry: Retry<'a>,
    /// The progress reported so far; starting over does not go back.
    reported: u64,
    /// The most bytes that any try had; only more than that is progress.
    farthest: u64,
    how: How,
}

impl<'a> Download<'a> {
    fn new(
        job: &'a Job<'a>,
        wanted: &'a Wanted,
        url: &'a str,
        part: PartFile,
        events: &'a Sender<Event>,
    ) -> Self {
        let (retry, farthest) = (Retry::new(job.conf, job.halt, url), part.len);
        let how = if farthest > 0 { How::Resumed } else { How::Downloaded };
        if farthest > 0 {
            send(events, Event::Note(Note::Resuming { file: wanted.name.clone(), bytes: farthest }));
        }
        Download { job, wanted, url, part, events, retry, reported: 0, farthest, how }
    }

    fn run(mut self, target: &Path) -> Result<Option<Fetched>, FetchError> {
        let mut mismatched = false;
        loop {
            match self.attempt() {
                Ok(End::Whole) => {}
                Ok(End::Again) => continue,
                Ok(End::Halted) => return Ok(None),
                Err(trouble) => {
                    let events = self.events;
                    if !self.retry.wait(trouble, &mut |note| send(events, Event::Note(note)))? {
                        return Ok(None);
                    }
                    continue;
                }
            }
            let found = self.part.sha1();
            if found == self.wanted.sha1 {
                break;
            }
            if mismatched {
                self.part.discard()?;
                let expected = &self.wanted.sha1;
                let problem =
                    format!("what was sent has the SHA-1 {found}, expected {expected}, twice in a row");
                return Err(FetchError::BadAnswer { url: self.url.to_owned(), problem });
            }
            mismatched = true;
            self.start_over(Restart::WrongChecksum)?;
        }
        let bytes = self.part.len;
        self.part.finish(target)?;
        Ok(Some(Fetched { file: target.to_owned(), bytes, how: self.how }))
    }

    /// One request and what it brings.
    fn attempt(&mut self) -> Result<End, Trouble> {
        let at = self.part.len;
        let answer = self.job.client.get(self.url, at)?;
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
            if self.job.halt.load(Ordering::Relaxed) {
                return Ok(End::Halted);
            }
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
        send(self.events, Event::Note(Note::Restarting { file: self.wanted.name.clone(), why }));
        self.how = How::Downloaded;
        self.part.restart()
    }

    /// Reports how long the file is, and what is there already.
    fn announce(&mut self, total: Option<u64>) {
        if self.reported == 0 {
            send(self.events, Event::Size(total));
        }
        self.advance();
    }

    fn advance(&mut self) {
        let len = self.part.len;
        if len > self.farthest {
            self.farthest = len;
            self.retry.progress();
        }
        if len > self.reported {
            send(self.events, Event::Advance(len - self.reported));
            self.reported = len;
        }
    }
}

/// Sends to the thread that shows progress; if it is gone, nothing needs to be shown.
fn send(events: &Sender<Event>, event: Event) {
    _ = events.send(event);
}

/// The first byte of `Content-Range: bytes 7-9/10`.
fn first_byte(answer: &Response<Body>) -> Option<u64> {
    let range = text_header(answer, header::CONTENT_RANGE)?.strip_prefix("bytes ")?;
    range.split_once('-')?.0.trim().parse().ok()
}
