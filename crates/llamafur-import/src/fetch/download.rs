//! Downloads one file: as often as it takes, from where the last try ended, until its checksum is right.

use super::conf::FetchConf;
use super::error::FetchError;
use super::http::{Client, Rest, Trouble, content_length, cut, text_header};
use super::part::{Memo, PartFile, sha1_of};
use super::retry::{Halt, Retry};
use super::sums::Wanted;
use super::workers::Event;
use super::{Fetched, How};
use llamafur::progress::{Note, Restart};
use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc::Sender;
use ureq::Body;
use ureq::http::{Response, header};

/// What the workers share.
pub(super) struct Job<'a> {
    /// The settings.
    pub conf: &'a FetchConf,
    /// The client.
    pub client: &'a Client,
    /// The date of the dump.
    pub date: &'a str,
    /// The sign to stop.
    pub halt: &'a Halt,
}

impl Job<'_> {
    /// Fetches one file and tells of it; `None` if the stop sign went up.
    pub fn fetch(&self, wanted: &Wanted, tell: &Sender<Event>) -> Result<Option<Fetched>, FetchError> {
        let target = self.conf.out.join(&wanted.name);
        loop {
            if let Some(fetched) = self.there(wanted, &target, tell)? {
                return Ok(Some(fetched));
            }
            let part = PartFile::open(&target, &wanted.sha1)?;
            // Another process may have finished the file before we had the lock.
            if target.exists() && !self.conf.overwrite {
                part.discard()?;
                continue;
            }
            let url = self.conf.file_url(self.date, &wanted.name);
            return Download::new(self, wanted, &url, part, tell).run(&target);
        }
    }

    /// Looks whether the file is there already.
    fn there(
        &self,
        wanted: &Wanted,
        target: &Path,
        tell: &Sender<Event>,
    ) -> Result<Option<Fetched>, FetchError> {
        match fs::metadata(target) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(cause) => return Err(FetchError::reading(target, cause)),
            Ok(meta) if !meta.is_file() => return Err(FetchError::NotAFile { file: target.to_owned() }),
            Ok(_) => {}
        }
        say(tell, Event::Note(Note::Present { path: target.to_owned() }));
        let (found, bytes) = sha1_of(target).map_err(|cause| FetchError::reading(target, cause))?;
        if found == wanted.sha1 {
            say(tell, Event::Size(Some(bytes)));
            say(tell, Event::Advance(bytes));
            return Ok(Some(Fetched { file: target.to_owned(), bytes, how: How::AlreadyThere }));
        }
        if self.conf.overwrite {
            return Ok(None);
        }
        Err(FetchError::WrongFile { file: target.to_owned(), found, expected: wanted.sha1.clone() })
    }
}

/// How a try ended that met no trouble.
enum End {
    /// All has arrived.
    Whole,
    /// What was there is forgotten: ask again from the beginning.
    Again,
    /// The stop sign went up.
    Halted,
}

struct Download<'a> {
    job: &'a Job<'a>,
    wanted: &'a Wanted,
    url: &'a str,
    part: PartFile,
    tell: &'a Sender<Event>,
    retry: Retry<'a>,
    /// As far as the progress has been told of; starting over never goes back there.
    told: u64,
    /// As far as any try has come; only what lies beyond it is progress.
    farthest: u64,
    how: How,
}

impl<'a> Download<'a> {
    fn new(
        job: &'a Job<'a>,
        wanted: &'a Wanted,
        url: &'a str,
        part: PartFile,
        tell: &'a Sender<Event>,
    ) -> Self {
        let retry = Retry::new(job.conf, job.halt, url);
        let farthest = part.len();
        let how = if farthest > 0 { How::Resumed } else { How::Downloaded };
        if farthest > 0 {
            say(tell, Event::Note(Note::Resuming { file: wanted.name.clone(), bytes: farthest }));
        }
        Download { job, wanted, url, part, tell, retry, told: 0, farthest, how }
    }

    fn run(mut self, target: &Path) -> Result<Option<Fetched>, FetchError> {
        let mut mismatched = false;
        loop {
            match self.attempt() {
                Ok(End::Whole) => {}
                Ok(End::Again) => continue,
                Ok(End::Halted) => return Ok(None),
                Err(trouble) => {
                    let tell = self.tell;
                    if !self.retry.wait(trouble, &mut |note| say(tell, Event::Note(note)))? {
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
                let (url, expected) = (self.url.to_owned(), self.wanted.sha1.clone());
                return Err(FetchError::WrongChecksum { file: target.to_owned(), url, found, expected });
            }
            mismatched = true;
            self.start_over(Restart::WrongChecksum)?;
        }
        let bytes = self.part.len();
        self.part.finish(target)?;
        Ok(Some(Fetched { file: target.to_owned(), bytes, how: self.how }))
    }

    /// One request and what it brings.
    fn attempt(&mut self) -> Result<End, Trouble> {
        let at = self.part.len();
        if at > 0 && self.part.is_whole() {
            self.announce();
            return Ok(End::Whole);
        }
        let rest = (at > 0).then(|| Rest { at, validator: self.part.memo().validator(self.url) });
        let answer = self.job.client.get(self.url, rest)?;
        match answer.status().as_u16() {
            200 => {
                if at > 0 {
                    let changed = self.has_changed(&answer);
                    self.start_over(if changed { Restart::Changed } else { Restart::CannotResume })?;
                }
                self.part.describe(self.memo(&answer, content_length(&answer)))?;
            }
            206 if at == 0 => {
                return Err(Trouble::Cut { cause: "a part came where all was asked for".to_owned() });
            }
            206 => {
                let total = match content_range(&answer) {
                    Some((first, total)) if first == at && !self.contradicts(total) => total,
                    _ => {
                        self.start_over(Restart::OtherPart)?;
                        return Ok(End::Again);
                    }
                };
                if self.has_changed(&answer) {
                    self.start_over(Restart::Changed)?;
                    return Ok(End::Again);
                }
                self.part.describe(self.memo(&answer, total.or(self.part.memo().total)))?;
            }
            // Nothing lies behind what we have: if the server's file ends there too, that is all.
            416 if at > 0 && unsatisfied_total(&answer) == Some(at) => {
                self.announce();
                return Ok(End::Whole);
            }
            416 if at > 0 => {
                self.start_over(Restart::Shorter)?;
                return Ok(End::Again);
            }
            status => return Err(FetchError::Refused { url: self.url.to_owned(), status }.into()),
        }
        self.announce();
        self.pull(answer.into_body())
    }

    /// Reads a body into the part file.
    fn pull(&mut self, body: Body) -> Result<End, Trouble> {
        let mut body = body.into_reader();
        let mut buffer = vec![0; 1 << 17];
        loop {
            if self.job.halt.is_set() {
                return Ok(End::Halted);
            }
            match body.read(&mut buffer) {
                Ok(0) if self.part.memo().total.is_some_and(|total| total != self.part.len()) => {
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
        say(self.tell, Event::Note(Note::Restarting { file: self.wanted.name.clone(), why }));
        self.how = How::Downloaded;
        self.part.restart()
    }

    /// Tells how long the file is, and of what is there already.
    fn announce(&mut self) {
        if self.told == 0 {
            say(self.tell, Event::Size(self.part.memo().total));
        }
        self.advance();
    }

    fn advance(&mut self) {
        let len = self.part.len();
        if len > self.farthest {
            self.farthest = len;
            self.retry.progress();
        }
        if len > self.told {
            say(self.tell, Event::Advance(len - self.told));
            self.told = len;
        }
    }

    fn contradicts(&self, total: Option<u64>) -> bool {
        matches!((total, self.part.memo().total), (Some(now), Some(before)) if now != before)
    }

    /// Whether the marks of the answer are others than those of what has arrived.
    fn has_changed(&self, answer: &Response<Body>) -> bool {
        let (now, before) = (self.memo(answer, None), self.part.memo());
        let differ = |now: &Option<String>, before: &Option<String>| {
            now.is_some() && before.is_some() && now != before
        };
        now.url == before.url
            && (differ(&now.etag, &before.etag)
                || before.etag.is_none() && differ(&now.last_modified, &before.last_modified))
    }

    fn memo(&self, answer: &Response<Body>, total: Option<u64>) -> Memo {
        let text = |name| text_header(answer, name).map(str::to_owned);
        Memo {
            sha1: self.wanted.sha1.clone(),
            url: self.url.to_owned(),
            total,
            // A weak mark says "much the same", which is not enough to glue bytes together.
            etag: text(header::ETAG).filter(|etag| etag.starts_with('"')),
            last_modified: text(header::LAST_MODIFIED),
        }
    }
}

/// Sends to the thread that shows progress; if it is gone, nobody wants to know.
fn say(tell: &Sender<Event>, event: Event) {
    _ = tell.send(event);
}

/// First byte and length of the whole from `Content-Range: bytes 7-9/10`.
fn content_range(answer: &Response<Body>) -> Option<(u64, Option<u64>)> {
    let (range, total) =
        text_header(answer, header::CONTENT_RANGE)?.strip_prefix("bytes ")?.split_once('/')?;
    let first = range.split_once('-')?.0.trim().parse().ok()?;
    let total = if total.trim() == "*" { None } else { Some(total.trim().parse().ok()?) };
    Some((first, total))
}

/// Length of the whole from `Content-Range: bytes */10`, which comes with a 416.
fn unsatisfied_total(answer: &Response<Body>) -> Option<u64> {
    text_header(answer, header::CONTENT_RANGE)?.strip_prefix("bytes */")?.trim().parse().ok()
}
