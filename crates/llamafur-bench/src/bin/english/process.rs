//! A command as a process of its own: how long it took, and how much memory.

use crate::Outcome;
use std::fs::{File, read_to_string};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

/// What a process took.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Taken {
    pub(crate) seconds: f64,
    /// The most bytes that were resident at a time, mapped files included.
    pub(crate) peak: u64,
    /// The most that were private, as far as was seen.
    pub(crate) private: u64,
}

/// How a process ended.
pub(crate) enum Ended {
    Well(Taken),
    /// The program has no such command.
    Unknown,
}

/// Runs `llamafur`, which is beside this program; memory is looked at every so often.
pub(crate) fn llamafur(arguments: &[&str], corpus: &Path, more: &[&str], every: Duration) -> Outcome<Ended> {
    let program = std::env::current_exe()?.with_file_name("llamafur");
    let errors = tempfile::NamedTempFile::new()?;
    let mut command = Command::new(&program);
    command.args(arguments).arg(corpus).args(more).args(["--progress", "none"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(errors.path())?);
    let started = Instant::now();
    let mut child = command.spawn().map_err(|e| format!("{}: {e}", program.display()))?;
    let (status, is_over) = (format!("/proc/{}/status", child.id()), AtomicBool::new(false));
    let (ended, taken) = thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let mut taken = Taken::default();
            while !is_over.load(Relaxed) {
                let now = read_to_string(&status).unwrap_or_default();
                taken.peak = taken.peak.max(field(&now, "VmHWM:"));
                taken.private = taken.private.max(field(&now, "RssAnon:"));
                thread::sleep(every);
            }
            taken
        });
        let ended = child.wait().map(|status| (status, started.elapsed().as_secs_f64()));
        is_over.store(true, Relaxed);
        (ended, watch.join().unwrap_or_default())
    });
    let (status, seconds) = ended?;
    if status.success() {
        return Ok(Ended::Well(Taken { seconds, ..taken }));
    }
    let errors = read_to_string(errors.path())?;
    if errors.contains("unrecognized subcommand") {
        return Ok(Ended::Unknown);
    }
    Err(format!("llamafur {} {}: {errors}", arguments.join(" "), corpus.display()).into())
}

/// A field in kB of what the system says about a process, in bytes; 0 where it does not say.
fn field(status: &str, name: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().map_or(0, |kilobytes| kilobytes * 1024)
}

/// How many processes ran or waited in the last minute, on average.
pub(crate) fn load() -> String {
    read_to_string("/proc/loadavg").unwrap_or_default().split(' ').next().unwrap_or_default().to_owned()
}

/// The number that so great a part of the numbers is below, which are not empty.
pub(crate) fn quantile(numbers: &[f64], part: f64) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[((sorted.len() as f64 * part) as usize).min(sorted.len() - 1)]
}
