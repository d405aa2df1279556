//! Downloads one file: resumes partial downloads and verifies the checksum.

use super::error::FetchError;
use super::find::Found;
use super::part::{PartFile, sha1_of};
use super::{FetchConf, request};
use llamafur::progress::{Note, Progress, Task};
use std::io::Read;
use std::path::Path;
use std::thread;
use ureq::Agent;

/// Number of failures in a row after which a download gives up.
const TRIES: u32 = 8;

/// Downloads a file to `target` and returns its length.
pub(super) fn download(
    conf: &FetchConf,
    agent: &Agent,
    found: &Found,
    target: &Path,
    progress: &mut dyn Progress,
) -> Result<u64, FetchError> {
    if target.exists() {
        progress.note(Note::Present { path: target.into() });
        let (sha1, bytes) = sha1_of(target).map_err(FetchError::reading(target))?;
        return match sha1 == found.sha1 {
            true => Ok(bytes),
            false => {
                Err(FetchError::WrongFile { file: target.into(), found: sha1, expected: found.sha1.clone() })
            }
        };
    }
    let part = PartFile::open(target)?;
    if part.len > 0 {
        progress.note(Note::Resuming { file: found.name.clone(), bytes: part.len });
    }
    let mut download = Download { agent, found, part, progress, reported: None };
    let result = download.run(conf);
    if download.reported.is_some() {
        download.progress.finish();
    }
    result?;
    download.part.finish(target, &found.url, &found.sha1)
}

struct Download<'a> {
    agent: &'a Agent,
    found: &'a Found,
    part: PartFile,
    progress: &'a mut dyn Progress,
    /// The bytes reported, once the length is known: those received twice count once.
    reported: Option<u64>,
}

impl Download<'_> {
    /// Downloads until the server has nothing more to send. A lost connection is retried.
    fn run(&mut self, conf: &FetchConf) -> Result<(), FetchError> {
        let mut failures = 0;
        loop {
            let before = self.reported;
            match self.attempt() {
                Err(FetchError::Lost { url, cause }) => {
                    failures = if self.reported > before { 1 } else { failures + 1 };
                    if failures == TRIES {
                        return Err(FetchError::Lost { url, cause });
                    }
                    let pause = conf.pause * 2u32.pow(failures - 1);
                    self.progress.note(Note::Retrying { url, error: cause, seconds: pause.as_secs() });
                    thread::sleep(pause);
                }
                other => return other,
            }
        }
    }

    /// Sends one request and appends its answer to the part file.
    fn attempt(&mut self) -> Result<(), FetchError> {
        let url = &self.found.url;
        let resumes = self.part.len > 0;
        let answer = request(self.agent, url, self.part.len)?;
        match answer.status().as_u16() {
            // The server cannot resume.
            200 if resumes => self.part.restart()?,
            200 => {}
            206 if resumes => {}
            // Nothing follows what is there; the checksum tells whether it is the whole file.
            416 if resumes => return Ok(()),
            status => return Err(FetchError::Refused { url: url.clone(), status }),
        }
        if self.reported.is_none() {
            let total = answer.body().content_length().map(|rest| self.part.len + rest);
            self.progress.start_bytes(Task::Download { file: self.found.name.clone() }, total);
        }
        let mut body = answer.into_body().into_reader();
        let mut buffer = vec![0; 1 << 17];
        loop {
            let (reported, len) = (self.reported.unwrap_or_default(), self.part.len);
            self.progress.advance(len.saturating_sub(reported));
            self.reported = Some(reported.max(len));
            match body.read(&mut buffer).map_err(FetchError::lost(url))? {
                0 => return Ok(()),
                got => self.part.append(&buffer[..got])?,
            }
        }
    }
}
