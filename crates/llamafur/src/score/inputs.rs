//! What scorers go by that is worth sharing: made when the first scorer asks for it, held once for all of them.
//!
//! A further input is a field here and a method that makes it, as [`Inputs::neighbours`] does.

use super::ScoreConf;
use super::text::words_of;
use crate::Error;
use crate::corpus::Corpus;
use crate::embed::Embedding;
use crate::graph::Neighbours;
use crate::progress::{Progress, Task};
use crate::words::Words;
use std::sync::{Arc, OnceLock};

/// A corpus, and what the scorers opened from it share.
#[derive(Debug)]
pub struct Inputs<'a> {
    corpus: &'a Corpus,
    neighbours: Shared<Neighbours>,
    words: Shared<Words>,
    by_links: Shared<Embedding>,
    by_words: Shared<Embedding>,
}

/// Something made at most once.
type Shared<T> = OnceLock<Arc<T>>;

impl<'a> Inputs<'a> {
    /// The inputs that a corpus has to give; nothing is made yet.
    pub fn new(corpus: &'a Corpus) -> Inputs<'a> {
        Inputs {
            corpus,
            neighbours: Shared::new(),
            words: Shared::new(),
            by_links: Shared::new(),
            by_words: Shared::new(),
        }
    }

    /// The corpus.
    pub fn corpus(&self) -> &'a Corpus {
        self.corpus
    }

    /// The symmetric graph.
    ///
    /// # Errors
    /// If a file is damaged.
    pub fn neighbours(&self, progress: &mut dyn Progress) -> Result<Arc<Neighbours>, Error> {
        made_once(&self.neighbours, || {
            let links = self.corpus.all_links()?;
            progress.start(Task::Neighbours, None);
            let neighbours = Neighbours::new(links);
            progress.finish();
            Ok(neighbours)
        })
    }

    /// The words of the pages; made with the settings that are given when they are first asked for.
    ///
    /// # Errors
    /// If the corpus has no text, or a file is damaged.
    pub fn words(&self, conf: &ScoreConf, progress: &mut dyn Progress) -> Result<Arc<Words>, Error> {
        made_once(&self.words, || words_of(self.corpus, conf, progress))
    }

    /// The embedding by links.
    ///
    /// # Errors
    /// If a file is damaged.
    pub fn by_links(&self, progress: &mut dyn Progress) -> Result<Arc<Embedding>, Error> {
        made_once(&self.by_links, || {
            let neighbours = self.neighbours(progress)?;
            Embedding::by_links(self.corpus, &neighbours, progress)
        })
    }

    /// The embedding by words.
    ///
    /// # Errors
    /// If the corpus has no text, or a file is damaged.
    pub fn by_words(&self, conf: &ScoreConf, progress: &mut dyn Progress) -> Result<Arc<Embedding>, Error> {
        made_once(&self.by_words, || {
            let words = self.words(conf, progress)?;
            Ok(Embedding::by_words(self.corpus, &words, progress)?)
        })
    }
}

/// What is there, or what is now made to be there.
fn made_once<T, E>(shared: &Shared<T>, make: impl FnOnce() -> Result<T, E>) -> Result<Arc<T>, E> {
    if let Some(made) = shared.get() {
        return Ok(made.clone());
    }
    let made = Arc::new(make()?);
    Ok(shared.get_or_init(|| made).clone())
}
