//! Work shared out among the threads of a pool, with reports on the calling thread.

use crate::progress::WhenStopped;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Has `workers` threads, the calling one among them, do tasks 0, 1, …, each with a state of its own, and returns these
/// states. The numbers that tasks return are reported on the calling thread, added up between two reports.
///
/// A panic anywhere is passed on.
pub(super) fn share_out<S: Send>(
    num_tasks: usize,
    workers: usize,
    start: impl Fn() -> S + Sync,
    task: impl Fn(&mut S, usize) -> u64 + Sync,
    report: &mut dyn FnMut(u64),
) -> Vec<S> {
    let (taken, done) = (AtomicUsize::new(0), AtomicU64::new(0));
    let states = Mutex::new(Vec::new());
    let work = |after_task: &mut dyn FnMut()| {
        let mut state = None;
        let take = || Some(taken.fetch_add(1, Ordering::Relaxed)).filter(|&next| next < num_tasks);
        while let Some(next) = take() {
            done.fetch_add(task(state.get_or_insert_with(&start), next), Ordering::Relaxed);
            after_task();
        }
        states.lock().unwrap_or_else(PoisonError::into_inner).extend(state);
    };
    rayon::in_place_scope(|scope| {
        for _ in 1..workers {
            scope.spawn(|_| work(&mut || ()));
        }
        let _stopped = WhenStopped(|| taken.store(num_tasks, Ordering::Relaxed));
        // The caller works too: on a thread of a small pool nobody else might.
        work(&mut || report(done.swap(0, Ordering::Relaxed)));
    });
    report(done.into_inner());
    states.into_inner().unwrap_or_else(PoisonError::into_inner)
}
