//! Progress on stderr: a bar on a terminal, plain lines in a log.

use crate::output::{say, thousands};
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use llamafur::matrix::human_bytes;
use llamafur::progress::{Progress, Silent};
use std::fmt;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

/// How progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Choice {
    /// A bar on a terminal, plain lines elsewhere.
    #[default]
    Auto,
    /// A line every few seconds.
    Plain,
    /// Nothing.
    None,
}

impl Choice {
    /// Something that shows progress in this way.
    pub fn start(self) -> Box<dyn Progress> {
        match self {
            Choice::None => Box::new(Silent),
            Choice::Auto if io::stderr().is_terminal() => Box::new(Bar { bar: ProgressBar::hidden() }),
            Choice::Auto | Choice::Plain => Box::new(Plain::default()),
        }
    }
}

struct Bar {
    bar: ProgressBar,
}

impl Bar {
    /// Shows a new bar of this form, or of the other if the total is not known.
    fn show(&mut self, what: &str, total: Option<u64>, known: &str, unknown: &str) {
        self.bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
        let template = if total.is_some() { known } else { unknown };
        if let Ok(style) = ProgressStyle::with_template(template) {
            let rate = |state: &ProgressState, out: &mut dyn fmt::Write| {
                // A bar that cannot be drawn in full is drawn without its rate.
                let _ = out.write_str(&thousands(state.per_sec() as u64));
            };
            self.bar.set_style(style.with_key("rate", rate));
        }
        self.bar.set_message(what.to_owned());
    }
}

impl Progress for Bar {
    fn start(&mut self, what: &str, total: Option<u64>) {
        let known =
            "{msg}  {wide_bar} {percent:>3}%  {human_pos} of {human_len}, {rate} a second, {eta} left";
        self.show(what, total, known, "{msg}  {spinner} {human_pos}, {rate} a second");
    }

    fn start_bytes(&mut self, what: &str, total: Option<u64>) {
        let known = "{msg}  {wide_bar} {percent:>3}%  {decimal_bytes} of {decimal_total_bytes}, \
                     {decimal_bytes_per_sec}, {eta} left";
        self.show(what, total, known, "{msg}  {spinner} {decimal_bytes}, {decimal_bytes_per_sec}");
    }

    fn advance(&mut self, by: u64) {
        self.bar.inc(by);
    }

    fn finish(&mut self) {
        self.bar.finish_and_clear();
    }

    fn note(&mut self, line: &str) {
        self.bar.suspend(|| say(line));
    }
}

/// Time between two lines of the same phase.
const INTERVAL: Duration = Duration::from_secs(5);

struct Plain {
    what: String,
    done: u64,
    total: Option<u64>,
    /// Writes a number of units.
    written: fn(u64) -> String,
    started: Instant,
    last_line: Instant,
    /// Whether the phase has printed a line: then its end is printed too.
    has_line: bool,
}

impl Default for Plain {
    fn default() -> Self {
        let now = Instant::now();
        Plain {
            what: String::new(),
            done: 0,
            total: None,
            written: thousands,
            started: now,
            last_line: now,
            has_line: false,
        }
    }
}

impl Progress for Plain {
    fn start(&mut self, what: &str, total: Option<u64>) {
        self.finish();
        *self = Plain { what: what.to_owned(), total, ..Plain::default() };
    }

    fn start_bytes(&mut self, what: &str, total: Option<u64>) {
        self.start(what, total);
        self.written = human_bytes;
    }

    fn advance(&mut self, by: u64) {
        self.done += by;
        if self.last_line.elapsed() >= INTERVAL {
            self.last_line = Instant::now();
            self.has_line = true;
            say(&self.line());
        }
    }

    fn finish(&mut self) {
        if std::mem::take(&mut self.has_line) {
            say(&self.last());
        }
    }

    fn note(&mut self, line: &str) {
        say(line);
    }
}

impl Plain {
    /// The line of a phase that is over: all of it is done, whether each unit was reported or not.
    fn last(&self) -> String {
        let seconds = self.started.elapsed().as_secs_f64();
        let total = self.total.unwrap_or(self.done);
        let share = if self.total.is_some() { "100%, " } else { "" };
        format!("{}: {share}{} in {seconds:.0} s", self.what, (self.written)(total))
    }

    fn line(&self) -> String {
        let seconds = self.started.elapsed().as_secs_f64();
        let rate = self.done as f64 / seconds.max(1e-9);
        let rate_said = (self.written)(rate as u64);
        match self.total {
            Some(total) if total > 0 => {
                let percent = 100.0 * self.done as f64 / total as f64;
                let left = total.saturating_sub(self.done) as f64 / rate.max(1e-9);
                format!("{}: {percent:.0}%, {rate_said} a second, {left:.0} s left", self.what)
            }
            _ => format!("{}: {}, {rate_said} a second", self.what, (self.written)(self.done)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_that_printed_a_line_ends_at_100_percent() {
        let mut plain =
            Plain { what: "scoring".into(), done: 97, total: Some(100), has_line: true, ..Plain::default() };
        assert!(plain.line().starts_with("scoring: 97%, "), "{}", plain.line());
        assert_eq!(plain.last(), "scoring: 100%, 100 in 0 s");
        plain.finish();
        assert!(!plain.has_line);
        let unknown = Plain { what: "reading".into(), done: 1200, ..Plain::default() };
        assert_eq!(unknown.last(), "reading: 1,200 in 0 s");
    }
}
