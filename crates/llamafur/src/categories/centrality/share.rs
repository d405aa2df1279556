//! Work shared out among the threads of a pool, with reports to the thread that asked for it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};

/// Has threads of the current pool do tasks 0, 1, …, each with a state of its own, and returns these states.
/// The number that a task returns is reported on the calling thread.
///
/// A panic anywhere stops the others at their next task and is passed on.
pub(super) fn share_out<S: Send>(
    num_tasks: usize,
    workers: usize,
    start: impl Fn() -> S + Sync,
    task: impl Fn(&mut S, usize) -> u64 + Sync,
    report: &mut dyn FnMut(u64),
) -> Vec<S> {
    // On a thread of the pool the caller works too: if it waited, its own share might never be begun.
    let in_pool = rayon::current_thread_index().is_some();
    let started = AtomicUsize::new(usize::from(in_pool));
    let taken = AtomicUsize::new(0);
    let take = || Some(taken.fetch_add(1, Ordering::Relaxed)).filter(|&next| next < num_tasks);
    let states = Mutex::new(Vec::new());
    let work = |report: &mut dyn FnMut(u64)| {
        let _stop = StopOnPanic { taken: &taken, num_tasks };
        let Some(mut next) = take() else { return };
        let mut state = start();
        loop {
            report(task(&mut state, next));
            match take() {
                Some(more) => next = more,
                None => break,
            }
        }
        states.lock().unwrap_or_else(PoisonError::into_inner).push(state);
    };

    let (sender, receiver) = mpsc::channel();
    rayon::in_place_scope(|scope| {
        let _stop = StopOnPanic { taken: &taken, num_tasks };
        let (work, started) = (&work, &started);
        scope.spawn_broadcast(move |_, _| {
            if started.fetch_add(1, Ordering::Relaxed) < workers {
                // The receiver outlives the scope.
                work(&mut |amount| _ = sender.send(amount));
            }
        });
        if in_pool {
            work(&mut |amount| {
                report(amount);
                receiver.try_iter().for_each(&mut *report);
            });
        } else {
            // Ends when the last thread has let go of the sender, also by a panic.
            receiver.iter().for_each(&mut *report);
        }
    });
    receiver.try_iter().for_each(report);
    states.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Leaves no tasks to take when the thread that holds it panics.
struct StopOnPanic<'a> {
    taken: &'a AtomicUsize,
    num_tasks: usize,
}

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.taken.store(self.num_tasks, Ordering::Relaxed);
        }
    }
}
