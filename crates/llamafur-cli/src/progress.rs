//! Progress on stderr: a bar on a terminal, plain lines in a log.

use crate::clean::cleaned_line;
use crate::output::{say, thousands};
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use llamafur::Remedy;
use llamafur::human_bytes;
use llamafur::progress::{Cached, Note, Progress, Task};
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
    /// Warnings only.
    None,
}

impl Choice {
    /// Returns the display of progress.
    pub fn start(self) -> Box<dyn Progress> {
        match self {
            Choice::None => Box::new(Warnings),
            Choice::Auto if io::stderr().is_terminal() => Box::new(Bar { bar: ProgressBar::hidden() }),
            Choice::Auto | Choice::Plain => Box::new(Plain::default()),
        }
    }
}

/// A display of notes on what a result lacks, and nothing else.
struct Warnings;

impl Progress for Warnings {
    fn note(&mut self, note: Note) {
        if is_warning(&note) {
            say(&words_of_note(&note));
        }
    }
}

/// Returns whether a note reports something missing or damaged, rather than progress.
fn is_warning(note: &Note) -> bool {
    matches!(
        note,
        Note::LeftOut { .. }
            | Note::Without { .. }
            | Note::Rebuilt { .. }
            | Note::CutShort { .. }
            | Note::NotCached { .. }
    )
}

struct Bar {
    bar: ProgressBar,
}

impl Bar {
    /// Shows a new bar with the template `known`, or with `unknown` if the total is not known.
    fn show(&mut self, task: &Task, total: Option<u64>, known: &str, unknown: &str) {
        self.bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
        let template = if total.is_some() { known } else { unknown };
        if let Ok(style) = ProgressStyle::with_template(template) {
            let rate = |state: &ProgressState, out: &mut dyn fmt::Write| {
                // A bar that cannot be drawn in full is drawn without its rate.
                let _ = out.write_str(&thousands(state.per_sec() as u64));
            };
            self.bar.set_style(style.with_key("rate", rate));
        }
        self.bar.set_message(cleaned_line(&words_of_task(task)).into_owned());
    }
}

impl Progress for Bar {
    fn start(&mut self, task: Task, total: Option<u64>) {
        let known =
            "{msg}  {wide_bar} {percent:>3}%  {human_pos} of {human_len}, {rate} a second, {eta} left";
        self.show(&task, total, known, "{msg}  {spinner} {human_pos}, {rate} a second");
    }

    fn start_bytes(&mut self, task: Task, total: Option<u64>) {
        let known = "{msg}  {wide_bar} {percent:>3}%  {decimal_bytes} of {decimal_total_bytes}, \
                     {decimal_bytes_per_sec}, {eta} left";
        self.show(&task, total, known, "{msg}  {spinner} {decimal_bytes}, {decimal_bytes_per_sec}");
    }

    fn advance(&mut self, by: u64) {
        self.bar.inc(by);
    }

    fn finish(&mut self) {
        self.bar.finish_and_clear();
    }

    fn note(&mut self, note: Note) {
        self.bar.suspend(|| say(&words_of_note(&note)));
    }
}

/// Time between two lines of the same phase.
const INTERVAL: Duration = Duration::from_secs(5);

struct Plain {
    what: String,
    done: u64,
    total: Option<u64>,
    /// Formats a number of units.
    written: fn(u64) -> String,
    started: Instant,
    last_line: Instant,
    /// True if the phase has printed a line: then its end is printed too.
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
    fn start(&mut self, task: Task, total: Option<u64>) {
        self.finish();
        *self = Plain { what: words_of_task(&task), total, ..Plain::default() };
    }

    fn start_bytes(&mut self, task: Task, total: Option<u64>) {
        self.start(task, total);
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

    fn note(&mut self, note: Note) {
        say(&words_of_note(&note));
    }
}

impl Plain {
    /// Returns the line of a finished phase: all of it is done, whether each unit was reported or not.
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

fn words_of_task(task: &Task) -> String {
    let words = match task {
        Task::Download { file } => return format!("downloading {file}"),
        Task::ReadTable { name } => return format!("reading {name}"),
        Task::WriteTable { name } => return format!("writing {name}"),
        Task::PageVectors => "computing a vector for each page",
        Task::Learn { method } => return format!("learning ({method})"),
        Task::LearnToMeasure { method, share } => {
            return format!("learning without {} of the links, to measure ({method})", percent(*share));
        }
        Task::CrossValidate { method } => return format!("cross-validating {method}"),
        Task::ScoreBy { scorer } => return format!("scoring by {scorer}"),
        Task::ReadDump => "reading",
        Task::ReadJudgments => "reading judgments",
        Task::Sort => "sorting",
        Task::WriteCorpus => "writing",
        Task::CopyCorpus => "copying the corpus",
        Task::WritePages => "writing pages",
        Task::DrawCategories => "drawing categories",
        Task::DrawLinks => "drawing links",
        Task::Centrality => "measuring centrality",
        Task::CountWords => "words",
        Task::WriteWords => "bags of words",
        Task::LinkPlaces => "links in texts",
        Task::Neighbours => "neighbours",
        Task::InLinks => "links to pages",
        Task::CategoryPages { feature } => return format!("pages by {feature}"),
        Task::IndexNames => "index of names",
        Task::Standardise => "studentising scores",
        Task::Score => "scoring",
        Task::Predict => "predicting",
        Task::Mend => "mending",
        Task::MeasureScorers => "measuring scorers",
        other => return format!("{other:?}"),
    };
    words.to_owned()
}

fn words_of_note(note: &Note) -> String {
    match note {
        Note::Words { text } => text.clone(),
        Note::LeftOut { name, error, remedy } => format!("{name} is left out: {error}{}", then(remedy)),
        Note::Without { scorer, signals, error, remedy } => {
            format!("{scorer} leaves out {}: {error}{}", signals.join(", "), then(remedy))
        }
        Note::Replaces { path, made } => {
            format!("{}: removed with the corpus that is replaced: {}", path.display(), made.join(", "))
        }
        Note::Rebuilt { path } => format!("{} is damaged and is made again", path.display()),
        Note::CutShort { path, bytes } => {
            let path = path.display();
            format!("{path}: the last line was not written to its end and is ignored ({bytes} bytes)")
        }
        Note::DeepTree { levels } => {
            format!("the category tree is deeper than {levels} levels; centrality counts those only")
        }
        Note::FirstUse { path } => format!(
            "what rankings need is made now, once; `llamafur prepare {}` does it ahead of time",
            path.display()
        ),
        Note::Waiting { path } => {
            format!(
                "another process is making files of this corpus: waiting for it to make {}",
                path.display()
            )
        }
        Note::NotCached { what, error } => format!("{} not kept: {error}", words_of_cached(*what)),
        Note::Checkpoint { number, examples, wrong_share } => {
            let head = "     examples    wrong guesses since (50% by chance)\n";
            let head = if *number == 0 { head } else { "" };
            format!("{head}{examples:>13}    {:.1}%", 100.0 * wrong_share)
        }
        Note::Milestones { goal, categories } => format!("milestones {goal}: {categories} categories"),
        Note::Present { path } => format!("{}: there already, checking it", path.display()),
        Note::Resuming { file, bytes } => format!("{file}: resuming after {bytes} bytes"),
        Note::Retrying { url, error, seconds } => format!("{url}: {error}; trying again in {seconds} s"),
        other => format!("{other:?}"),
    }
}

fn words_of_cached(what: Cached) -> String {
    match what {
        Cached::Words => "the words are counted for this run only and".to_owned(),
        Cached::Vectors => "the vectors of the pages are".to_owned(),
        Cached::Standards => "means and deviations are".to_owned(),
        Cached::Neighbours => "the neighbours of pages are".to_owned(),
        Cached::InLinks => "the counts of links to pages are".to_owned(),
        Cached::LinkPlaces => "the places of links are".to_owned(),
        Cached::CategoryPages => "the pages of categories are".to_owned(),
        Cached::Names => "the index of names is".to_owned(),
        other => format!("{other:?}"),
    }
}

fn then(remedy: &Option<Remedy>) -> String {
    let words = remedy.as_ref().and_then(crate::remedy::in_words);
    words.map(|words| format!("; {words}")).unwrap_or_default()
}

/// Formats a share: `1%`, `4.35%`.
fn percent(share: f64) -> String {
    let text = format!("{:.2}", 100.0 * share);
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
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

    #[test]
    fn shares_are_said_in_percent() {
        assert_eq!([0.01, 0.1, 0.043_478, 0.0001].map(percent), ["1%", "10%", "4.35%", "0.01%"]);
    }
}
