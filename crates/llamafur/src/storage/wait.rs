//! Waiting for what another process holds, but not for ever.

use std::time::{Duration, Instant};

/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(20);

/// Tries until `attempt` succeeds, once at least and for `patience` at most; returns whether it succeeded.
pub(crate) fn try_for(patience: Duration, mut attempt: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    loop {
        if attempt() {
            return true;
        }
        if started.elapsed() >= patience {
            return false;
        }
        std::thread::sleep(PAUSE);
    }
}
