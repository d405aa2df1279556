//! The workers: at most three threads download, the calling thread shows the progress.

use super::Fetched;
use super::conf::{FetchConf, MOST_CONNECTIONS};
use super::download::Job;
use super::error::FetchError;
use super::find::Found;
use super::http::Client;
use llamafur::progress::{Note, Progress, Task};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// What a worker reports.
pub(super) enum Event {
    /// A file is going to have this many bytes, if that is known.
    Size(Option<u64>),
    /// So many more bytes have arrived.
    Advance(u64),
    /// Something worth reading.
    Note(Note),
    /// The file of this number is done or failed.
    Done(usize, Result<Option<Fetched>, FetchError>),
}

/// Downloads all files, [`MOST_CONNECTIONS`] at a time, in their order.
pub(super) fn download(
    conf: &FetchConf,
    client: &Client,
    found: &Found,
    progress: &mut dyn Progress,
) -> Result<Vec<Fetched>, FetchError> {
    let files = &found.files;
    let (halt, next) = (AtomicBool::new(false), AtomicUsize::new(0));
    let job = Job { conf, client, date: &found.date, halt: &halt };
    let (sender, events) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..MOST_CONNECTIONS.min(files.len()) {
            let (sender, job, next) = (sender.clone(), &job, &next);
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(file) = files.get(at).filter(|_| !job.halt.load(Ordering::Relaxed)) else {
                        break;
                    };
                    let done = job.fetch(file, &sender);
                    if done.is_err() {
                        job.halt.store(true, Ordering::Relaxed);
                        // Others may wait for bytes; what they have is on the disk.
                        job.client.shutdown();
                    }
                    _ = sender.send(Event::Done(at, done));
                }
            });
        }
        // The channel closes when the last worker is done.
        drop(sender);
        show(events, found, progress)
    })
}

/// Shows what the workers report until they are done.
fn show(
    events: mpsc::Receiver<Event>,
    found: &Found,
    progress: &mut dyn Progress,
) -> Result<Vec<Fetched>, FetchError> {
    let files = &found.files;
    let (mut fetched, mut failure, mut started) = (vec![None; files.len()], None, files.len() > 1);
    if started {
        let total = files.iter().map(|file| found.sizes.get(&file.name)).sum();
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
        None => Ok(fetched.into_iter().flatten().collect()),
    }
}
