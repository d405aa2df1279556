//! Progress in Python, and Ctrl-C: the interpreter is asked a few times a second whether a signal has come.

use crate::errors::Failure;
use llamafur::progress::{Cached, Note, Progress, Stopped, Task, stop, stoppable};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::time::{Duration, Instant};

/// Time between two looks at the interpreter.
const INTERVAL: Duration = Duration::from_millis(100);

/// Shows progress by a Python object, and stops the work when the interpreter has a signal or the object fails.
pub(crate) struct Watch {
    /// With the methods `start`, `advance`, `finish` and `note`.
    display: Option<Py<PyAny>>,
    last_look: Instant,
    /// Units that are not shown yet.
    unseen: u64,
    raised: Option<PyErr>,
}

/// Does work without the interpreter's lock. It ends early when the user presses Ctrl-C, with nothing half-written.
pub(crate) fn run<T: Send, E: Into<Failure> + Send>(
    py: Python<'_>,
    display: Option<Py<PyAny>>,
    work: impl FnOnce(&mut Watch) -> Result<T, E> + Send,
) -> PyResult<T> {
    let mut watch = Watch { display, last_look: Instant::now(), unseen: 0, raised: None };
    match py.detach(|| stoppable(|| work(&mut watch))) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(error.into().raise(py)),
        Err(Stopped) => Err(watch.raised.take().unwrap_or_else(|| PyKeyboardInterrupt::new_err(()))),
    }
}

impl Watch {
    /// Lets the interpreter handle its signals, and calls `show` with the display.
    fn look(&mut self, show: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<()>) {
        self.last_look = Instant::now();
        let looked = Python::attach(|py| {
            py.check_signals()?;
            self.display.as_ref().map_or(Ok(()), |display| show(display.bind(py)))
        });
        if let Err(error) = looked {
            self.raised = Some(error);
            stop();
        }
    }

    fn start_by(&mut self, task: &Task, total: Option<u64>, unit: &str) {
        self.unseen = 0;
        self.look(|display| display.call_method1("start", (task_in_words(task), total, unit)).map(drop));
    }
}

impl Progress for Watch {
    fn start(&mut self, task: Task, total: Option<u64>) {
        self.start_by(&task, total, "");
    }

    fn start_bytes(&mut self, task: Task, total: Option<u64>) {
        self.start_by(&task, total, "B");
    }

    fn advance(&mut self, by: u64) {
        self.unseen += by;
        if self.last_look.elapsed() >= INTERVAL {
            let units = std::mem::take(&mut self.unseen);
            self.look(|display| display.call_method1("advance", (units,)).map(drop));
        }
    }

    fn finish(&mut self) {
        self.look(|display| display.call_method0("finish").map(drop));
    }

    fn note(&mut self, note: Note) {
        self.look(|display| match note_in_words(&note) {
            Some(words) => display.call_method1("note", (words,)).map(drop),
            None => Ok(()),
        });
    }
}

fn task_in_words(task: &Task) -> String {
    let words = match task {
        Task::Download { file } => return format!("downloading {file}"),
        Task::ReadTable { name } => return format!("reading {name}"),
        Task::WriteTable { name } => return format!("writing {name}"),
        Task::Learn { method } => return format!("learning ({method})"),
        Task::LearnToMeasure { method, .. } => return format!("learning without some links ({method})"),
        Task::CrossValidate { method } => return format!("cross-validating {method}"),
        Task::ScoreBy { scorer } => return format!("scoring by {scorer}"),
        Task::CategoryPages { feature } => return format!("pages by {feature}"),
        Task::ReadDump => "reading",
        Task::ReadJudgments => "reading judgments",
        Task::Sort => "sorting",
        Task::WriteCorpus => "writing",
        Task::Centrality => "measuring centrality",
        Task::CountWords | Task::WriteWords => "counting words",
        Task::LinkPlaces => "finding links in texts",
        Task::Neighbours => "neighbours",
        Task::InLinks => "links to pages",
        Task::PageVectors => "vectors of pages",
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

/// What is worth reading; a file that cannot be kept, and checkpoints, are not.
fn note_in_words(note: &Note) -> Option<String> {
    Some(match note {
        Note::LeftOut { name, error, .. } => format!("{name} is left out: {error}"),
        Note::Without { scorer, signals, error, .. } => {
            format!("{scorer} leaves out {}: {error}", signals.join(", "))
        }
        Note::Replaces { path, made } => {
            format!("{}: removed with the corpus that is replaced: {}", path.display(), made.join(", "))
        }
        Note::Rebuilt { path } => format!("{} is damaged and is made again", path.display()),
        Note::CutShort { path, bytes } => {
            format!("{}: the last line was cut off and is ignored ({bytes} bytes)", path.display())
        }
        Note::DeepTree { levels } => {
            format!("the category tree is deeper than {levels} levels; centrality counts those only")
        }
        Note::FirstUse { .. } => {
            "what rankings need is made now, once; `corpus.prepare()` does it ahead of time".to_owned()
        }
        Note::Waiting { path } => {
            format!("another process is making {}: waiting for it", path.display())
        }
        Note::NotCached { what: Cached::Words, error } => {
            format!("the words are counted for this run only: {error}")
        }
        _ => return None,
    })
}
