//! How long to wait after a failure, and when to stop trying.

use super::clock;
use super::conf::FetchConf;
use super::error::FetchError;
use super::http::Trouble;
use llamafur::progress::Note;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

/// A stop sign for all workers: one that waits sees it at once.
#[derive(Default)]
pub(super) struct Halt {
    set: Mutex<bool>,
    changed: Condvar,
}

impl Halt {
    /// Puts the sign up.
    pub fn set(&self) {
        *self.lock() = true;
        self.changed.notify_all();
    }

    /// Whether the sign is up.
    pub fn is_set(&self) -> bool {
        *self.lock()
    }

    /// Waits until the time is over or the sign goes up.
    fn sleep(&self, time: Duration) {
        // Woken or not, the caller looks at the sign again, so a result has nothing to add.
        drop(self.changed.wait_timeout_while(self.lock(), time, |set| !*set));
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        // A flag is whole whatever happened to the thread that held it.
        self.set.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts the failures in a row for one address.
pub(super) struct Retry<'a> {
    conf: &'a FetchConf,
    halt: &'a Halt,
    url: String,
    /// Tries in a row that brought nothing.
    failures: u32,
    /// Waits since something came, which may be one more: a try that brings something ends in a cut as well.
    waits: u32,
    progressed: bool,
}

impl<'a> Retry<'a> {
    /// Fresh retry.
    pub fn new(conf: &'a FetchConf, halt: &'a Halt, url: &str) -> Self {
        Retry { conf, halt, url: url.to_owned(), failures: 0, waits: 0, progressed: false }
    }

    /// Something came: the count begins anew.
    pub fn progress(&mut self) {
        (self.failures, self.waits, self.progressed) = (0, 0, true);
    }

    /// Waits as the trouble demands; `false` if the stop sign went up, an error if there is no point in going
    /// on.
    pub fn wait(&mut self, trouble: Trouble, note: &mut dyn FnMut(Note)) -> Result<bool, FetchError> {
        if self.halt.is_set() {
            return Ok(false);
        }
        self.waits += 1;
        self.failures += u32::from(!std::mem::take(&mut self.progressed));
        let (asked, last) = match trouble {
            Trouble::Fatal(error) => return Err(error),
            Trouble::Later { status, asked } => {
                self.check(status, asked)?;
                (asked, format!("the server answered {status}"))
            }
            Trouble::Cut { cause } | Trouble::NoWay { cause } => (None, cause),
        };
        if self.failures >= self.conf.tries {
            return Err(FetchError::GaveUp { url: self.url.clone(), tries: self.failures, last });
        }
        // To be told "now" by a server that is too busy is no invitation to hurry.
        let wait = match asked.filter(|asked| !asked.is_zero()) {
            Some(asked) => {
                note(Note::AskedToWait { url: self.url.clone(), seconds: whole_seconds(asked) });
                asked
            }
            None => {
                let wait = self.pause();
                let (url, seconds) = (self.url.clone(), whole_seconds(wait));
                note(Note::Retrying { url, error: last, seconds });
                wait
            }
        };
        self.halt.sleep(wait);
        Ok(!self.halt.is_set())
    }

    /// Twice as long after every further failure, up to a limit.
    fn pause(&self) -> Duration {
        let doubled = 2u32.saturating_pow(self.waits.saturating_sub(1));
        self.conf.first_wait.saturating_mul(doubled).min(self.conf.longest_wait)
    }

    fn check(&self, status: u16, asked: Option<Duration>) -> Result<(), FetchError> {
        match asked {
            Some(asked) if asked > self.conf.max_retry_after => Err(FetchError::TooBusy {
                url: self.url.clone(),
                status,
                seconds: whole_seconds(asked),
                most: self.conf.max_retry_after.as_secs(),
                when: clock::moment(SystemTime::now(), asked),
            }),
            _ => Ok(()),
        }
    }
}

/// Seconds for the reader, rounded up so that no wait is said to take none.
fn whole_seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_minute() {
        let conf = FetchConf::new("simplewiki");
        let halt = Halt::default();
        let mut retry = Retry::new(&conf, &halt, "u");
        let mut pauses = Vec::new();
        for waits in 1..=9 {
            retry.waits = waits;
            pauses.push(retry.pause().as_secs());
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
    }

    #[test]
    fn a_stop_sign_ends_the_waiting() {
        let conf = FetchConf::new("simplewiki").first_wait(Duration::from_secs(3600));
        let halt = Halt::default();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                let cut = Trouble::Cut { cause: "it was cut".to_owned() };
                Retry::new(&conf, &halt, "u").wait(cut, &mut |_| ())
            });
            halt.set();
            assert!(!waiting.join().unwrap().unwrap());
        });
    }
}
