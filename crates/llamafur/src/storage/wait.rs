//! Waiting for what another process holds, but not for ever.

use std::time::{Duration, Instant};

/// How long to sleep between two looks.
const PAUSE: Duration = Duration::from_millis(20);

/// Tries until it works, for so long at most, and once at least; says whether it worked.
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
