//! SIGINT and SIGTERM: temporary files and folders are removed before the process ends.

use std::io;

/// From now on these signals remove what is unfinished and end the process, with 128 and the signal's number as exit code.
#[cfg(unix)]
pub(crate) fn clean_up_on_signals() -> io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
    let wait = move || {
        if let Some(signal) = signals.forever().next() {
            llamafur::storage::remove_temporary();
            std::process::exit(128 + signal);
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(wait)?;
    Ok(())
}

/// Elsewhere the system ends the process; the next run removes what it left.
#[cfg(not(unix))]
pub(crate) fn clean_up_on_signals() -> io::Result<()> {
    Ok(())
}
