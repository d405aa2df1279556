//! Passes over a whole graph, such as for its most unexpected links: work of seconds or many minutes, shared by all
//! clients.

use crate::problem::Problem;
use llamafur::progress::{Progress, Task, stop, stoppable};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, Semaphore};

/// Number of finished answers that are kept.
const KEPT: usize = 64;

/// Largest number of unfinished jobs.
const MOST_WAITING: usize = 8;

/// Time after the last request at which a job is stopped: its clients have left, or its corpus was replaced. Browsers
/// let a hidden page ask once a minute.
const FORGOTTEN: Duration = Duration::from_secs(90);

/// The threads for such work: one pass at a time.
#[derive(Debug, Clone)]
pub(crate) struct Workers {
    one_at_a_time: Arc<Semaphore>,
    /// Half of the cores, so that rankings of pages continue.
    pool: Arc<rayon::ThreadPool>,
}

/// The identity of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    /// The version of the corpus.
    pub(crate) version: String,
    /// The question about it.
    pub(crate) question: String,
}

/// All jobs of one kind, with answers of type `T`.
#[derive(Debug)]
pub(crate) struct Jobs<T> {
    /// The newest last.
    jobs: Mutex<VecDeque<(Key, Arc<Job<T>>)>>,
    workers: Workers,
    /// True if a job continues without further requests.
    go_on: bool,
}

/// A pass over a graph.
#[derive(Debug)]
pub(crate) struct Job<T> {
    done: AtomicU64,
    of: AtomicU64,
    ended: OnceLock<Result<Arc<T>, Problem>>,
    /// Time of the last request; `None` if the job continues without requests.
    asked: Mutex<Option<Instant>>,
    /// True when its corpus was replaced.
    is_outdated: AtomicBool,
    wake: Notify,
}

/// The state of a job.
pub(crate) enum State<T> {
    /// The job has ended.
    Ended(Arc<T>),
    /// Number of finished pages, and of all pages.
    Working(u64, u64),
}

impl Workers {
    pub(crate) fn new() -> Result<Workers, std::io::Error> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let pool = rayon::ThreadPoolBuilder::new().num_threads((cores / 2).max(1));
        let pool =
            pool.thread_name(|number| format!("pass-{number}")).build().map_err(std::io::Error::other)?;
        Ok(Workers { one_at_a_time: Arc::new(Semaphore::new(1)), pool: Arc::new(pool) })
    }
}

impl<T: Send + Sync + 'static> Jobs<T> {
    /// Creates jobs that are stopped when no client asks for them any more.
    pub(crate) fn new(workers: &Workers) -> Jobs<T> {
        Jobs { jobs: Mutex::default(), workers: workers.clone(), go_on: false }
    }

    /// Creates jobs that continue without further requests.
    #[cfg(feature = "mcp")]
    pub(crate) fn going_on(workers: &Workers) -> Jobs<T> {
        Jobs { go_on: true, ..Jobs::new(workers) }
    }

    /// Returns the answer of `work`, begun now or earlier under the same key; after `longest_wait`, the progress.
    pub(crate) async fn ask(
        &self,
        key: Key,
        longest_wait: Duration,
        work: impl FnOnce(&mut dyn Progress) -> Result<T, Problem> + Send + 'static,
    ) -> Result<State<T>, Problem> {
        let job = self.found_or_begun(&key, work)?;
        if !self.go_on {
            job.note_asked();
        }
        let _ = tokio::time::timeout(longest_wait, job.end()).await;
        match job.ended.get() {
            None => Ok(State::Working(job.done.load(Ordering::Relaxed), job.of.load(Ordering::Relaxed))),
            Some(Ok(answer)) => Ok(State::Ended(answer.clone())),
            Some(Err(problem)) => {
                // The next request tries again.
                self.lock().retain(|(_, other)| !Arc::ptr_eq(other, &job));
                Err(problem.clone())
            }
        }
    }

    /// Returns whether this key was requested already.
    pub(crate) fn is_known(&self, key: &Key) -> bool {
        self.lock().iter().any(|(other, _)| other == key)
    }

    /// Drops the answers about other versions of corpora than these, which were replaced, and stops the work on them.
    pub(crate) fn keep_only(&self, versions: &[String]) {
        self.lock().retain(|(key, job)| {
            let is_current = versions.contains(&key.version);
            if !is_current {
                job.is_outdated.store(true, Ordering::Relaxed);
            }
            is_current
        });
    }

    fn found_or_begun(
        &self,
        key: &Key,
        work: impl FnOnce(&mut dyn Progress) -> Result<T, Problem> + Send + 'static,
    ) -> Result<Arc<Job<T>>, Problem> {
        let mut jobs = self.lock();
        if let Some((_, job)) = jobs.iter().find(|(other, _)| other == key) {
            return Ok(job.clone());
        }
        if jobs.iter().filter(|(_, job)| job.ended.get().is_none()).count() >= MOST_WAITING {
            return Err(Problem::busy());
        }
        if jobs.len() >= KEPT
            && let Some(oldest) = jobs.iter().position(|(_, job)| job.ended.get().is_some())
        {
            jobs.remove(oldest);
        }
        let job = Arc::new(Job::new());
        jobs.push_back((key.clone(), job.clone()));
        let Workers { one_at_a_time: turn, pool } = self.workers.clone();
        let begun = job.clone();
        tokio::spawn(async move {
            // The semaphore is never closed.
            let Ok(_turn) = turn.acquire_owned().await else { return };
            if begun.is_unwanted() {
                // Nobody waits for it any more. The problem is for one who asks at this very moment.
                let _ = begun.ended.set(Err(Problem::busy()));
                begun.wake.notify_waiters();
                return;
            }
            let watched = begun.clone();
            let run = move || {
                let work = || pool.install(|| work(&mut Watched(&watched)));
                stoppable(work).unwrap_or_else(|_| Err(Problem::busy()))
            };
            let ended = tokio::task::spawn_blocking(run).await;
            let ended = ended.unwrap_or_else(|_| Err(Problem::internal("the pass over the graph failed")));
            // Set once, here.
            let _ = begun.ended.set(ended.map(Arc::new));
            begun.wake.notify_waiters();
        });
        Ok(job)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<(Key, Arc<Job<T>>)>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Job<T> {
    fn new() -> Job<T> {
        let (done, of) = (AtomicU64::new(0), AtomicU64::new(0));
        let is_outdated = AtomicBool::new(false);
        Job { done, of, ended: OnceLock::new(), asked: Mutex::default(), is_outdated, wake: Notify::new() }
    }

    fn note_asked(&self) {
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Returns whether the job's corpus was replaced, or no client has asked for a long time.
    fn is_unwanted(&self) -> bool {
        if self.is_outdated.load(Ordering::Relaxed) {
            return true;
        }
        let asked = *self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.is_some_and(|asked| asked.elapsed() > FORGOTTEN)
    }

    /// Returns when the job has ended.
    async fn end(&self) {
        // Registered before the look, so that an end between the two is not missed.
        let woken = self.wake.notified();
        if self.ended.get().is_none() {
            woken.await;
        }
    }
}

/// A progress that sets a job's counters: those of the pass over the pages.
struct Watched<'a, T>(&'a Job<T>);

impl<T> Progress for Watched<'_, T> {
    fn start(&mut self, _: Task, total: Option<u64>) {
        self.0.of.store(total.unwrap_or(0), Ordering::Relaxed);
        self.0.done.store(0, Ordering::Relaxed);
    }

    fn advance(&mut self, by: u64) {
        self.0.done.fetch_add(by, Ordering::Relaxed);
        if self.0.is_unwanted() {
            stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn work_on_a_corpus_that_was_replaced_stops() {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_time().build().unwrap();
        let jobs = Jobs::<()> { go_on: true, ..Jobs::new(&Workers::new().unwrap()) };
        let key = |version: &str| Key { version: version.to_owned(), question: String::new() };
        let (ended, end) = mpsc::channel::<()>();
        let endless = move |progress: &mut dyn Progress| {
            // Dropped when the work ends.
            let _ended = ended;
            loop {
                progress.advance(1);
            }
        };
        let at_once = Duration::ZERO;
        let state = runtime.block_on(jobs.ask(key("old"), at_once, endless));
        assert!(matches!(state, Ok(State::Working(..))));
        jobs.keep_only(&["old".to_owned()]);
        assert!(jobs.is_known(&key("old")));
        jobs.keep_only(&["new".to_owned()]);
        assert!(!jobs.is_known(&key("old")));
        assert_eq!(end.recv_timeout(Duration::from_secs(60)), Err(mpsc::RecvTimeoutError::Disconnected));
    }
}
