//! A meeting point of threads that seldom wait long.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Looks at the barrier before a thread lets others run.
const LOOKS: u32 = 2_000;

/// A barrier that lets threads through when all of them have come.
pub(super) struct Barrier {
    threads: usize,
    waiting: AtomicUsize,
    /// The number of times it was opened.
    opened: AtomicUsize,
    is_broken: AtomicBool,
}

impl Barrier {
    pub(super) fn new(threads: usize) -> Barrier {
        Barrier {
            threads,
            waiting: AtomicUsize::new(0),
            opened: AtomicUsize::new(0),
            is_broken: AtomicBool::new(false),
        }
    }

    /// Waits for all others.
    ///
    /// # Panics
    /// If one of them panicked, and so will never come.
    pub(super) fn wait(&self) {
        let opened = self.opened.load(Ordering::Acquire);
        if self.waiting.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.waiting.store(0, Ordering::Relaxed);
            self.opened.store(opened + 1, Ordering::Release);
            return;
        }
        let mut looks = 0;
        while self.opened.load(Ordering::Acquire) == opened {
            if self.is_broken.load(Ordering::Relaxed) {
                // Quietly: the other thread has said why, or was told to stop.
                std::panic::resume_unwind(Box::new("another thread of the learner failed"));
            }
            looks += 1;
            if looks < LOOKS { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
    }

    /// Breaks the barrier if the thread that holds this panics.
    pub(super) fn guard(&self) -> impl Drop + '_ {
        Guard(self)
    }
}

struct Guard<'a>(&'a Barrier);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.is_broken.store(true, Ordering::Relaxed);
        }
    }
}
