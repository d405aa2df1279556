//! Handles SIGINT and SIGTERM: removes temporary files and folders before the process ends.

use std::io;
use std::sync::OnceLock;

/// The function that ends the process regularly; see [`end_by`].
static END: OnceLock<Box<dyn Fn() + Send + Sync>> = OnceLock::new();

/// Makes the first signal call `end`, after which the process should end by itself; the second ends it at once.
#[cfg(feature = "serve")]
pub(crate) fn end_by(end: impl Fn() + Send + Sync + 'static) {
    END.get_or_init(|| Box::new(end));
}

/// Makes these signals remove unfinished files and end the process, with 128 plus the signal's number as exit code.
#[cfg(unix)]
pub(crate) fn clean_up_on_signals() -> io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
    let wait = move || {
        let mut is_first = true;
        for signal in signals.forever() {
            match END.get() {
                Some(end) if is_first => end(),
                _ => {
                    llamafur::storage::remove_temporary();
                    std::process::exit(128 + signal);
                }
            }
            is_first = false;
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(wait)?;
    Ok(())
}

/// Does nothing: elsewhere the system ends the process, and the next run removes its temporary files.
#[cfg(not(unix))]
pub(crate) fn clean_up_on_signals() -> io::Result<()> {
    Ok(())
}
