//! Progress of long work, as data: the library reports a [`Task`] or a [`Note`] to a [`Progress`], and each interface
//! words it in its own way.
//!
//! A [`Progress`] may also stop the work, from any of its methods: [`stop`] unwinds to the caller's [`stoppable`]. All threads
//! of the work end, and what it was writing is removed. Long work reports several times a second.

use crate::remedy::Remedy;
use serde::Serialize;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;

/// A receiver of the progress of long work. Every method does nothing unless overridden.
pub trait Progress {
    /// Reports the start of a task; `total` is the number of its units, where known.
    fn start(&mut self, _task: Task, _total: Option<u64>) {}
    /// Reports the start of a task whose units are bytes.
    fn start_bytes(&mut self, task: Task, total: Option<u64>) {
        self.start(task, total);
    }
    /// Reports the number of further units that are done.
    fn advance(&mut self, _by: u64) {}
    /// Reports the end of the task.
    fn finish(&mut self) {}
    /// Reports a note: a checkpoint, a warning.
    fn note(&mut self, _note: Note) {}
}

/// A [`Progress`] that shows nothing.
#[derive(Debug, Default, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {}

/// The error of work that a [`Progress`] stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

/// Stops the work that reports to a [`Progress`], from one of its methods.
///
/// ```
/// use llamafur::learn::{LearnConf, train};
/// use llamafur::progress::{Progress, Stopped, Task, stop, stoppable};
/// # use llamafur::{Categories, Corpus, corpus::{CorpusWriter, ListColumn, Provenance, StringColumn}, storage::Existing};
/// # let folder = std::env::temp_dir().join(format!("llamafur-stop-{}", std::process::id()));
/// # let mut writer = CorpusWriter::create(&folder, Existing::Replace)?;
/// # let lists = || [vec![1], vec![0]].into_iter().collect::<ListColumn>();
/// # writer.write_pages(["a", "b"].iter().collect::<StringColumn>(), lists(), lists())?;
/// # writer.write_categories(["c", "d"].iter().collect::<StringColumn>(), [vec![], vec![]].into_iter().collect())?;
/// # writer.finish(Provenance::default())?;
/// # let corpus = Corpus::open(&folder)?;
///
/// struct Impatient;
///
/// impl Progress for Impatient {
///     fn start(&mut self, _task: Task, _total: Option<u64>) {
///         stop()
///     }
/// }
///
/// let categories = Categories::all(&corpus);
/// let stopped = stoppable(|| train(&categories, "llamafur", &LearnConf::default(), &mut Impatient));
/// assert_eq!(stopped.err(), Some(Stopped));
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), llamafur::Error>(())
/// ```
pub fn stop() -> ! {
    resume_unwind(Box::new(Stopped))
}

/// Runs work that its [`Progress`] may [`stop`]. What the work was changing in memory must not be used afterwards.
pub fn stoppable<T>(work: impl FnOnce() -> T) -> Result<T, Stopped> {
    catch_unwind(AssertUnwindSafe(work))
        .or_else(|panic| if panic.is::<Stopped>() { Err(Stopped) } else { resume_unwind(panic) })
}

/// A guard of the thread that reports progress: if that unwinds, it calls a function that ends the others.
pub struct WhenStopped<F: Fn()>(pub F);

impl<F: Fn()> Drop for WhenStopped<F> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            (self.0)();
        }
    }
}

/// A kind of long work.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "task", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Task {
    /// Downloads a file.
    Download {
        /// Its name.
        file: String,
    },
    /// Reads a dump.
    ReadDump,
    /// Reads a table.
    ReadTable {
        /// The name of its file.
        name: String,
    },
    /// Reads judgments.
    ReadJudgments,
    /// Sorts names and links.
    Sort,
    /// Writes a corpus.
    WriteCorpus,
    /// Copies a corpus.
    CopyCorpus,
    /// Writes a table.
    WriteTable {
        /// The name of its file.
        name: String,
    },
    /// Writes one file for each page.
    WritePages,
    /// Draws the categories of made-up pages.
    DrawCategories,
    /// Draws the links of made-up pages.
    DrawLinks,
    /// Computes the centrality of every category.
    Centrality,
    /// Counts the words of every page.
    CountWords,
    /// Writes the words of every page.
    WriteWords,
    /// Finds where each link is in the texts.
    LinkPlaces,
    /// Makes the symmetric graph.
    Neighbours,
    /// Counts the links to every page by origin.
    InLinks,
    /// Computes a vector for every page.
    PageVectors,
    /// Lists the pages of every category or word.
    CategoryPages {
        /// The name of the feature.
        feature: &'static str,
    },
    /// Makes the index of names.
    IndexNames,
    /// Learns a model.
    Learn {
        /// The learner.
        method: &'static str,
    },
    /// Learns without some of the links, which are then used to measure.
    LearnToMeasure {
        /// The learner.
        method: &'static str,
        /// The share of the links that is held out.
        share: f64,
    },
    /// Cross-validates a learner.
    CrossValidate {
        /// The learner.
        method: &'static str,
    },
    /// Computes mean and standard deviation of each scorer's scores.
    Standardise,
    /// Scores links.
    Score,
    /// Predicts the links that are missing.
    Predict,
    /// Looks for links that lead to the wrong page.
    Mend,
    /// Scores links by one scorer.
    ScoreBy {
        /// The scorer.
        scorer: String,
    },
    /// Measures scorers on judgments.
    MeasureScorers,
}

/// A message about long work.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "note", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Note {
    /// A text of the caller. The library has none.
    Words {
        /// The text.
        text: String,
    },
    /// A scorer or learner cannot be used and is left out.
    LeftOut {
        /// Its name.
        name: String,
        /// The reason.
        error: String,
        /// A way out.
        remedy: Option<Remedy>,
    },
    /// A blend is made without some of its signals.
    Without {
        /// The blend.
        scorer: String,
        /// The signals.
        signals: Vec<String>,
        /// The reason.
        error: String,
        /// A way out.
        remedy: Option<Remedy>,
    },
    /// A corpus is replaced, and what was made of it is removed with it.
    Replaces {
        /// The corpus.
        path: PathBuf,
        /// Its models, vectors, cleansings and report: files and folders in it.
        made: Vec<String>,
    },
    /// A file is damaged and is made again.
    Rebuilt {
        /// The file.
        path: PathBuf,
    },
    /// The last line of a log was not written to its end and is ignored.
    CutShort {
        /// The log.
        path: PathBuf,
        /// Length of the rest of the line.
        bytes: u64,
    },
    /// The category tree is deeper than its paths are followed, so that its centrality does not count the rest.
    DeepTree {
        /// Number of levels that were followed.
        levels: u32,
    },
    /// Files that rankings need do not exist yet and are made now, once.
    FirstUse {
        /// The corpus.
        path: PathBuf,
    },
    /// Another process is making files of the corpus; this one waits until it ends.
    Waiting {
        /// The file that is needed.
        path: PathBuf,
    },
    /// A result cannot be written, so it serves this run only.
    NotCached {
        /// The result.
        what: Cached,
        /// The reason.
        error: String,
    },
    /// Wrong guesses of a learner, on a doubling schedule.
    Checkpoint {
        /// Its number, from 0.
        number: usize,
        /// Examples seen so far.
        examples: u64,
        /// The share of wrong guesses since the last checkpoint; 0.5 by chance.
        wrong_share: f64,
    },
    /// Categories were cleansed to reach a goal.
    Milestones {
        /// The goal.
        goal: String,
        /// Number of categories that are left.
        categories: usize,
    },
    /// A file is present already and is checked.
    Present {
        /// The file.
        path: PathBuf,
    },
    /// A download continues.
    Resuming {
        /// The file.
        file: String,
        /// Number of bytes that are present.
        bytes: u64,
    },
    /// A request failed and is sent again after a pause.
    Retrying {
        /// The address.
        url: String,
        /// The error.
        error: String,
        /// Length of the pause.
        seconds: u64,
    },
}

/// A result that is computed once and kept beside the corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Cached {
    /// The words of every page.
    Words,
    /// The place of each link in the texts.
    LinkPlaces,
    /// Mean and standard deviation of each scorer's scores.
    Standards,
    /// The neighbours of every page.
    Neighbours,
    /// The origins of the links to every page.
    InLinks,
    /// The vectors of every page.
    Vectors,
    /// The pages of every category or word.
    CategoryPages,
    /// The index of names.
    Names,
}

impl Note {
    /// Creates [`Note::LeftOut`] because of an error.
    pub fn left_out(name: impl Into<String>, error: &crate::Error) -> Note {
        Note::LeftOut { name: name.into(), error: error.to_string(), remedy: error.remedy() }
    }

    /// Creates [`Note::Words`].
    pub fn words(text: impl Into<String>) -> Note {
        Note::Words { text: text.into() }
    }
}
