//! Ahead-of-time construction of all that answers need.

use super::Engine;
use crate::Error;
use crate::corpus::Corpus;
use crate::learn::Model;
use crate::progress::{Note, Progress, Task, stop, stoppable};
use crate::score::ScoreConf;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

/// A file that answers need.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreparedFile {
    /// Its name in the folder of the corpus.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// True if it was made just now.
    pub is_new: bool,
}

impl Engine {
    /// Makes and keeps beside the corpus all that rankings by the default scorer, explanations, categories and
    /// suggestions need: words, places of links, neighbours, vectors, means and deviations, indexes. Existing files are
    /// kept, so a stopped run can be resumed.
    ///
    /// # Errors
    /// If the corpus has no such model, or a file cannot be written.
    pub fn prepare_all(
        &self,
        conf: &ScoreConf,
        progress: &mut dyn Progress,
    ) -> Result<Vec<PreparedFile>, Error> {
        self.whole(|| self.prepare_all_unwatched(conf, progress))
    }

    fn prepare_all_unwatched(
        &self,
        conf: &ScoreConf,
        progress: &mut dyn Progress,
    ) -> Result<Vec<PreparedFile>, Error> {
        let before = kept_files(self.corpus())?;
        let mut must_keep = MustKeep { progress, failed: None };
        match (stoppable(|| self.warm_up_unwatched(conf, &mut must_keep)), must_keep.failed) {
            (Ok(made), _) => made?,
            (Err(_), Some(cause)) => {
                return Err(Error::NotKept { path: self.corpus().path().into(), cause });
            }
            (Err(_), None) => stop(),
        }
        let files = kept_files(self.corpus())?.into_iter().map(|(name, file)| PreparedFile {
            is_new: before.get(&name) != Some(&file),
            bytes: file.0,
            name,
        });
        Ok(files.collect())
    }

    /// Runs [`Engine::prepare_all`] for this engine alone: what cannot be written stays in memory, and that is noted.
    ///
    /// # Errors
    /// If the corpus has no such model.
    pub fn warm_up(&self, conf: &ScoreConf, progress: &mut dyn Progress) -> Result<(), Error> {
        self.whole(|| self.warm_up_unwatched(conf, progress))
    }

    fn warm_up_unwatched(&self, conf: &ScoreConf, progress: &mut dyn Progress) -> Result<(), Error> {
        // One that is asked for must be there; without any, the rest is made.
        conf.model.iter().try_for_each(|name| self.inputs().model(name).map(drop))?;
        self.titles(progress)?;
        if self.corpus().has_text() {
            // Counting words finds the places of links in the same pass.
            match self.inputs().words(progress) {
                Err(error) if !error.is_lack() => return Err(error),
                _ => self.inputs().link_places(progress)?,
            };
        }
        let scorer = self.prepare_ranking_unwatched("blend", conf, progress)?;
        if let Some(model) = scorer.model() {
            self.prepare_explanations(model, progress)?;
        }
        Ok(())
    }

    fn prepare_explanations(&self, model: &Arc<Model>, progress: &mut dyn Progress) -> Result<(), Error> {
        for matrix in model.matrices() {
            self.category_pages(matrix, progress)?;
        }
        if self.corpus().num_categories() > 0 {
            self.category_names(progress)?;
        }
        Ok(())
    }
}

/// Stops the work when something cannot be kept.
struct MustKeep<'p> {
    progress: &'p mut dyn Progress,
    /// The error of the file that could not be kept.
    failed: Option<String>,
}

impl Progress for MustKeep<'_> {
    fn start(&mut self, task: Task, total: Option<u64>) {
        self.progress.start(task, total);
    }

    fn start_bytes(&mut self, task: Task, total: Option<u64>) {
        self.progress.start_bytes(task, total);
    }

    fn advance(&mut self, by: u64) {
        self.progress.advance(by);
    }

    fn finish(&mut self) {
        self.progress.finish();
    }

    fn note(&mut self, note: Note) {
        match note {
            Note::NotCached { error, .. } => {
                self.failed = Some(error);
                stop()
            }
            note => self.progress.note(note),
        }
    }
}

/// The size of a file and its modification time.
type Stamp = (u64, Option<SystemTime>);

/// Lists the files that the corpus keeps for answers.
fn kept_files(corpus: &Corpus) -> Result<BTreeMap<String, Stamp>, Error> {
    let names = ["words.arrow", "standards.json"]
        .map(str::to_owned)
        .into_iter()
        .chain(prepared_names(&corpus.prepared(""))?);
    let stamp = |name: String| {
        let metadata = fs::metadata(corpus.path().join(&name)).ok()?;
        Some((name, (metadata.len(), metadata.modified().ok())))
    };
    Ok(names.filter_map(stamp).collect())
}

/// Lists the names of the files in the folder of prepared ones.
pub(super) fn prepared_names(folder: &Path) -> Result<Vec<String>, Error> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(Error::io(folder))? {
        let name = entry.map_err(Error::io(folder))?.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') {
            names.push(Path::new("prepared").join(name).to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}
