//! Judging: people rate the links of a corpus one after the other by how unexpected each is.
//!
//! The links and the judgments are in the folder `judgments` of the corpus, which is kept when the corpus is replaced:
//!
//! * `pool.tsv`, the links to be judged, in the format of [`crate::pool::write_table`]. If missing, it is created
//!   according to [`JudgingConf`];
//! * `log.tsv`, the judgments: a line each, appended and synced before [`Judging::judge`] returns. A crash loses at most
//!   the judgment that was being written. [`crate::judgments`] reads it.
//!
//! Each has a file of checksums, `pool.sums` and `log.sums`: a table that was changed since it was written is rejected,
//! one without sums is accepted. [`verify`] checks both.
//!
//! All judges see the same links in the same order, so that they have links in common. The links of a page are
//! consecutive, in random order; nothing that a judge sees depends on a score.
//!
//! A judge who judges a link again replaces the judgment; [`Judging::undo`] withdraws the last one. If judges differ on
//! a link, the latest judgment in the log counts ([`crate::judgments`]).
//!
//! Several processes may judge the same corpus: each appends under a lock and reads the lines appended by the others.

mod error;
mod log;
mod pool;

pub use error::JudgingError;
pub use pool::{JudgingConf, write_pool};

use crate::evaluation::qrels;
use crate::judgments::{Class, Form, Judgments, sums};
use llamafur::Engine;
use llamafur::corpus::Corpus;
use llamafur::first_paragraph;
use llamafur::graph::PageId;
use llamafur::progress::{Progress, Silent};
use log::{Log, judge_name, key};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Returns the path of a corpus's judgments.
///
/// ```no_run
/// # let corpus = llamafur::Corpus::open("my.corpus")?;
/// assert_eq!(llamafur_eval::judging::log_path(&corpus), std::path::Path::new("my.corpus/judgments/log.tsv"));
/// # Ok::<(), llamafur::Error>(())
/// ```
pub fn log_path(corpus: &Corpus) -> PathBuf {
    corpus.judgments().join("log.tsv")
}

/// Returns the path of the links to be judged.
pub fn pool_path(corpus: &Corpus) -> PathBuf {
    corpus.judgments().join("pool.tsv")
}

/// Checks the judgments of the corpus in a folder: its pool and its log, if present and if they have checksums. Returns
/// the path of each in the folder, and the result.
pub fn verify(corpus: &Path) -> Vec<(String, Result<(), JudgingError>)> {
    let files = ["pool.tsv", "log.tsv"].map(|name| format!("judgments/{name}"));
    let is_there = |name: &String| corpus.join(name).exists() || sums::path_of(&corpus.join(name)).exists();
    let checked = |name: String| {
        let path = corpus.join(&name);
        let whole =
            sums::verify(&path).map_err(JudgingError::from).and_then(|_| match name.ends_with("log.tsv") {
                true => Log::open(path, &mut Silent).map(drop),
                false => Ok(()),
            });
        (name, whole)
    };
    files.into_iter().filter(is_there).map(checked).collect()
}

/// What a judge is asked next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct JudgeTask {
    /// How many of the links this judge has judged.
    pub done: usize,
    /// How many links there are to be judged.
    pub total: usize,
    /// The link to be judged; `null` where all are.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub link: Option<JudgeLink>,
    /// Whether the judge has a judgment to take back.
    pub can_undo: bool,
}

/// A link to be judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct JudgeLink {
    /// The title of the page.
    pub source: String,
    /// The title of the page that it links to.
    pub target: String,
    /// The first paragraph of the page; `null` where it has no text.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub source_lead: Option<String>,
    /// The first paragraph of the page that it links to.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub target_lead: Option<String>,
    /// The sentence that holds the link, of a wiki with the link between `[[` and `]]`; `null` where there is none.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub snippet: Option<String>,
    /// The words of the link in the sentence, of a wiki.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
}

/// How far the judging of a corpus is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct JudgingSummary {
    /// The judges, by name.
    pub judges: Vec<JudgeProgress>,
    /// How many links there are to be judged.
    pub total: usize,
}

/// How far a judge is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct JudgeProgress {
    /// The judge's name.
    pub name: String,
    /// How many of the links to be judged this judge has judged.
    pub judged: usize,
}

/// A link of the pool.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PooledLink {
    source: PageId,
    target: PageId,
    /// Both titles, as in the log.
    key: String,
}

/// The judging of a corpus, by any number of judges on any number of threads.
///
/// ```no_run
/// use llamafur::{Engine, Silent};
/// use llamafur_eval::judging::{Judging, JudgingConf};
/// use llamafur_eval::judgments::Class;
///
/// let engine = Engine::open("my.corpus", Default::default())?;
/// let judging = Judging::open(&engine, &JudgingConf::default(), &mut Silent)?;
/// let mut task = judging.next("Ada")?;
/// while let Some(link) = &task.link {
///     task = judging.judge("Ada", &link.source, &link.target, Class::TE)?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Judging {
    engine: Engine,
    pool: Vec<PooledLink>,
    /// The places of links in the pool.
    places: BTreeMap<String, usize>,
    log: Mutex<Log>,
}

impl Judging {
    /// Reads the judgments of a corpus and the links to be judged, which are pooled now if there are none yet.
    ///
    /// # Errors
    /// Returns an error if there is no link to judge, a line of a file is wrong, or a file cannot be read or written.
    pub fn open(
        engine: &Engine,
        conf: &JudgingConf,
        progress: &mut dyn Progress,
    ) -> Result<Judging, JudgingError> {
        let log = Log::open(log_path(engine.corpus()), progress)?;
        let pool = pool::read_or_make(engine, conf, progress)?;
        let places = pool.iter().enumerate().map(|(place, link)| (link.key.clone(), place)).collect();
        Ok(Judging { engine: engine.clone(), pool, places, log: Mutex::new(log) })
    }

    /// Returns the log, including the lines appended by other processes.
    fn log(&self) -> Result<MutexGuard<'_, Log>, JudgingError> {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.refresh()?;
        Ok(log)
    }

    /// Returns the next link that a judge has not judged.
    ///
    /// # Errors
    /// Returns an error if the judge's name is not allowed, or a file is damaged.
    pub fn next(&self, judge: &str) -> Result<JudgeTask, JudgingError> {
        let judge = judge_name(judge)?;
        let log = self.log()?;
        self.next_of(log, judge)
    }

    fn next_of(&self, log: MutexGuard<'_, Log>, judge: &str) -> Result<JudgeTask, JudgingError> {
        let next = self.pool.iter().find(|link| log.class(judge, &link.key).is_none());
        self.task(log, judge, next)
    }

    /// Builds a task with this link.
    fn task(
        &self,
        log: MutexGuard<'_, Log>,
        judge: &str,
        link: Option<&PooledLink>,
    ) -> Result<JudgeTask, JudgingError> {
        let done = self.num_judged(&log, judge);
        // Texts take their time, and need no lock.
        drop(log);
        let link = link.map(|link| self.shown(link)).transpose()?;
        Ok(JudgeTask { done, total: self.pool.len(), link, can_undo: done > 0 })
    }

    /// Counts the links of the pool that a judge has judged.
    fn num_judged(&self, log: &Log, judge: &str) -> usize {
        log.of(judge).filter(|(key, _)| self.places.contains_key(*key)).count()
    }

    /// Returns the information on a link that a judge sees.
    fn shown(&self, link: &PooledLink) -> Result<JudgeLink, JudgingError> {
        let corpus = self.engine.corpus();
        let snippet = self.engine.inputs().texts().get(link.source)?.sentence(link.target)?;
        let marked = snippet.as_deref().filter(|_| corpus.wiki_titles().is_some());
        let anchor = marked.and_then(|text| text.split_once("[[")?.1.split_once("]]"));
        Ok(JudgeLink {
            source: corpus.title(link.source)?.to_owned(),
            target: corpus.title(link.target)?.to_owned(),
            source_lead: first_paragraph(corpus, link.source)?,
            target_lead: first_paragraph(corpus, link.target)?,
            anchor: anchor.map(|(words, _)| words.to_owned()),
            snippet,
        })
    }

    /// Saves a judge's class of a link, on disk when this returns, in place of the judge's earlier one; returns the
    /// next link.
    ///
    /// # Errors
    /// Returns an error if the judge's name is not allowed, there are too many judges already, the link is not in the
    /// pool, or the judgment could not be written; then it is not saved.
    pub fn judge(
        &self,
        judge: &str,
        source: &str,
        target: &str,
        class: Class,
    ) -> Result<JudgeTask, JudgingError> {
        let judge = judge_name(judge)?;
        let Some(&place) = self.places.get(&key(source, target)) else {
            return Err(JudgingError::NotPooled { source_title: source.into(), target_title: target.into() });
        };
        let mut log = self.log()?;
        log.expect_room_for(judge)?;
        log.append(judge, &self.pool[place].key, Some(class))?;
        self.next_of(log, judge)
    }

    /// Withdraws the last judgment of a judge, and returns its link again. A judgment that it had replaced is not
    /// restored.
    ///
    /// # Errors
    /// Returns an error if the judge has none, or the log could not be written.
    pub fn undo(&self, judge: &str) -> Result<JudgeTask, JudgingError> {
        let judge = judge_name(judge)?;
        let mut log = self.log()?;
        let pooled =
            log.of(judge).filter_map(|(key, judgment)| Some((judgment.line, *self.places.get(key)?)));
        let Some((_, place)) = pooled.max() else {
            return Err(JudgingError::NothingToUndo { judge: judge.into() });
        };
        let link = &self.pool[place];
        log.append(judge, &link.key, None)?;
        self.task(log, judge, Some(link))
    }

    /// Returns the progress of the judges.
    pub fn summary(&self) -> Result<JudgingSummary, JudgingError> {
        let log = self.log()?;
        let progress =
            |judge: &str| JudgeProgress { name: judge.into(), judged: self.num_judged(&log, judge) };
        Ok(JudgingSummary { judges: log.judges().map(progress).collect(), total: self.pool.len() })
    }

    /// Exports all judgments as a table separated by tabs, with columns `source`, `target`, `class` and `judge`: those
    /// of the pool in its order, then others in the log; those of one link in the order of the log.
    /// [`crate::judgments`] reads it.
    pub fn export_tsv(&self) -> Result<String, JudgingError> {
        let log = self.log()?;
        let mut rows = Vec::new();
        for judge in log.judges() {
            for (key, judgment) in log.of(judge) {
                let place = self.places.get(key).copied().unwrap_or(usize::MAX);
                rows.push((place, key, judgment.line, judge, judgment.class));
            }
        }
        rows.sort_unstable();
        let mut writer = csv::WriterBuilder::new().delimiter(b'\t').from_writer(Vec::new());
        let mut write = |row: [&str; 4]| writer.write_record(row).expect("a vector can be written to");
        write(["source", "target", "class", "judge"]);
        for (_, key, _, judge, class) in rows {
            let (source, target) = key.split_once('\t').unwrap_or((key, ""));
            write([source, target, class.name(), judge]);
        }
        let bytes = writer.into_inner().expect("a vector can be written to");
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Exports the judged links in TREC's format: `query 0 document relevance`, one line a link, of several judges the
    /// latest. Returns an empty string if nothing is judged.
    pub fn export_qrels(&self) -> Result<String, JudgingError> {
        let table = self.export_tsv()?;
        if table.lines().count() < 2 {
            return Ok(String::new());
        }
        let corpus = self.engine.corpus();
        let path = log_path(corpus);
        let judgments = Judgments::read(table.as_bytes(), path, Form::Authors, &mut { corpus }, &mut Silent)?;
        Ok(qrels(corpus, &judgments.queries.iter().collect::<Vec<_>>())?)
    }
}
