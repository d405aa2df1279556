//! The workers: at most three threads download, the calling thread shows what they tell.

use super::Fetched;
use super::conf::FetchConf;
use super::download::Job;
use super::error::FetchError;
use super::http::Client;
use super::retry::Halt;
use super::sums::Wanted;
use llamafur::progress::{Note, Progress, Task};
use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// What a worker tells.
pub(super) enum Event {
    /// A file is going to have this many bytes, if that is known.
    Size(Option<u64>),
    /// So many further bytes are there.
    Advance(u64),
    /// Something worth reading.
    Note(Note),
    /// The file of this number is done, one way or another.
    Done(usize, Result<Option<Fetched>, FetchError>),
}

/// How many bytes several files have together, if it can be found out; one file says so itself when it comes.
pub(super) fn total(
    conf: &FetchConf,
    client: &Client,
    date: &str,
    files: &[Wanted],
    sizes: &BTreeMap<String, u64>,
) -> Option<u64> {
    if files.len() < 2 {
        return None;
    }
    let size = |file: &Wanted| {
        let here = || fs::metadata(conf.out.join(&file.name)).ok().map(|meta| meta.len());
        let known = sizes.get(&file.name).copied().or_else(here);
        known.or_else(|| client.length(&conf.file_url(date, &file.name)))
    };
    // The first that cannot be found out ends the asking.
    files.iter().map(size).sum()
}

/// Downloads all files, `conf.connections` at a time, in their order.
pub(super) fn download(
    conf: &FetchConf,
    client: &Client,
    date: &str,
    files: &[Wanted],
    total: Option<u64>,
    progress: &mut dyn Progress,
) -> Result<Vec<Fetched>, FetchError> {
    let halt = Halt::default();
    let job = Job { conf, client, date, halt: &halt };
    let next = AtomicUsize::new(0);
    let (sender, events) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..conf.connections.min(files.len()) {
            let (sender, job, next) = (sender.clone(), &job, &next);
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(file) = files.get(at).filter(|_| !job.halt.is_set()) else { break };
                    let done = job.fetch(file, &sender);
                    if done.is_err() {
                        job.halt.set();
                        // Others may be waiting for bytes; what they have got lies on the disk.
                        job.client.shutdown();
                    }
                    _ = sender.send(Event::Done(at, done));
                }
            });
        }
        // The workers have the other ends; when they are through, the channel is.
        drop(sender);
        show(events, files, total, progress)
    })
}

/// Shows what the workers tell until they are through.
fn show(
    events: mpsc::Receiver<Event>,
    files: &[Wanted],
    total: Option<u64>,
    progress: &mut dyn Progress,
) -> Result<Vec<Fetched>, FetchError> {
    let mut fetched = vec![None; files.len()];
    let mut failure = None;
    let several = files.len() > 1;
    let mut started = several;
    if several {
        progress.start_bytes(Task::DownloadAll { files: files.len() }, total);
    }
    for event in events {
        match event {
            Event::Size(total) if !started => {
                progress.start_bytes(Task::Download { file: files[0].name.clone() }, total);
                started = true;
            }
            Event::Size(_) => {}
            Event::Advance(by) => progress.advance(by),
            Event::Note(note) => progress.note(note),
            Event::Done(at, Ok(done)) => fetched[at] = done,
            // The first failure is the cause, later ones its consequence.
            Event::Done(_, Err(error)) => _ = failure.get_or_insert(error),
        }
    }
    if started {
        progress.finish();
    }
    match failure {
        Some(error) => Err(error),
        // Without a failure nobody stopped, so every file is there.
        None => Ok(fetched.into_iter().flatten().collect()),
    }
}
