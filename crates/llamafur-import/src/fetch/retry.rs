//! How long to wait after a failure, and when to stop trying.

use super::conf::FetchConf;
use super::error::FetchError;
use super::http::Trouble;
use llamafur::progress::Note;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Waits double up to this.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// The longest wait that a busy server may ask for.
const LONGEST_ASKED: Duration = Duration::from_secs(600);
/// How often a wait looks at the stop flag.
const TICK: Duration = Duration::from_millis(50);

/// Counts the failures in a row for one address.
pub(super) struct Retry<'a> {
    conf: &'a FetchConf,
    halt: &'a AtomicBool,
    url: &'a str,
    /// Tries in a row that brought nothing.
    failures: u32,
    progressed: bool,
}

impl<'a> Retry<'a> {
    pub(super) fn new(conf: &'a FetchConf, halt: &'a AtomicBool, url: &'a str) -> Self {
        Retry { conf, halt, url, failures: 0, progressed: false }
    }

    /// Something came: the count starts again.
    pub(super) fn progress(&mut self) {
        (self.failures, self.progressed) = (0, true);
    }

    /// Waits as the trouble demands; `false` if the stop flag is set, an error if more tries make no sense.
    pub(super) fn wait(&mut self, trouble: Trouble, note: &mut dyn FnMut(Note)) -> Result<bool, FetchError> {
        let halted = || self.halt.load(Ordering::Relaxed);
        if halted() {
            return Ok(false);
        }
        self.failures += u32::from(!std::mem::take(&mut self.progressed));
        let url = self.url;
        let (asked, last) = match trouble {
            Trouble::Fatal(error) => return Err(error),
            Trouble::Later { asked, .. } if asked > LONGEST_ASKED => {
                let (seconds, most) = (asked.as_secs(), LONGEST_ASKED.as_secs());
                let problem = format!("the server asks to wait {seconds} s, more than the {most} s allowed");
                return Err(FetchError::GaveUp { url: url.to_owned(), problem, seconds });
            }
            Trouble::Later { asked, cause } => (asked, cause),
            Trouble::Cut { cause } | Trouble::NoWay { cause } => (Duration::ZERO, cause),
        };
        if self.failures >= self.conf.tries {
            let tries = self.failures;
            let problem = format!("{tries} tries in a row brought nothing, the last one because {last}");
            return Err(FetchError::GaveUp { url: url.to_owned(), problem, seconds: 0 });
        }
        // A busy server that says "now" still gets a pause.
        let wait = if asked.is_zero() { self.pause() } else { asked };
        let (url, seconds) = (url.to_owned(), wait.as_secs_f64().ceil() as u64);
        note(match asked.is_zero() {
            true => Note::Retrying { url, error: last, seconds },
            false => Note::AskedToWait { url, seconds },
        });
        let started = Instant::now();
        while started.elapsed() < wait && !halted() {
            thread::sleep(TICK.min(wait.saturating_sub(started.elapsed())));
        }
        Ok(!halted())
    }

    /// Twice as long after every further failure.
    fn pause(&self) -> Duration {
        let doubled = 2u32.saturating_pow(self.failures.saturating_sub(1));
        self.conf.first_wait.saturating_mul(doubled).min(LONGEST_WAIT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_minute() {
        let (conf, halt) = (FetchConf::new("simplewiki"), AtomicBool::new(false));
        let pause = |failures| Retry { failures, ..Retry::new(&conf, &halt, "u") }.pause().as_secs();
        assert_eq!([1, 2, 3, 4, 5, 6, 7, 8].map(pause), [1, 2, 4, 8, 16, 32, 60, 60]);
    }

    #[test]
    fn a_stop_flag_ends_the_waiting() {
        let conf = FetchConf::new("simplewiki").first_wait(Duration::from_secs(3600));
        let halt = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                let cut = Trouble::Cut { cause: "it was cut".to_owned() };
                Retry::new(&conf, &halt, "u").wait(cut, &mut |_| ())
            });
            halt.store(true, Ordering::Relaxed);
            assert!(!waiting.join().unwrap().unwrap());
        });
    }
}
