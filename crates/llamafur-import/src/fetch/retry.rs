//! How long to wait after a failure, and when to stop trying.

use super::conf::FetchConf;
use super::error::FetchError;
use super::http::Trouble;
use llamafur::progress::{Note, Progress};
use std::thread;
use std::time::Duration;

/// Waits double up to this.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// The longest wait that a busy server may ask for.
const LONGEST_ASKED: Duration = Duration::from_secs(600);

/// Counts the failures in a row for one address.
pub(super) struct Retry<'a> {
    conf: &'a FetchConf,
    url: &'a str,
    /// Tries in a row that brought nothing.
    failures: u32,
    progressed: bool,
}

impl<'a> Retry<'a> {
    pub(super) fn new(conf: &'a FetchConf, url: &'a str) -> Self {
        Retry { conf, url, failures: 0, progressed: false }
    }

    /// Something came: the count starts again.
    pub(super) fn progress(&mut self) {
        (self.failures, self.progressed) = (0, true);
    }

    /// Waits as the trouble demands; an error if more tries make no sense.
    pub(super) fn wait(&mut self, trouble: Trouble, progress: &mut dyn Progress) -> Result<(), FetchError> {
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
        progress.note(match asked.is_zero() {
            true => Note::Retrying { url, error: last, seconds },
            false => Note::AskedToWait { url, seconds },
        });
        thread::sleep(wait);
        Ok(())
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
        let conf = FetchConf::new("simplewiki");
        let pause = |failures| Retry { failures, ..Retry::new(&conf, "u") }.pause().as_secs();
        assert_eq!([1, 2, 3, 4, 5, 6, 7, 8].map(pause), [1, 2, 4, 8, 16, 32, 60, 60]);
    }
}
