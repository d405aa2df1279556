//! What scorers share: made when the first scorer asks for it, held once for all of them.
//!
//! A further input is a field here and a method that makes it, as [`Inputs::neighbours`] does.

use super::Score;
use super::text::words_of;
use crate::Error;
use crate::corpus::{Corpus, PageTexts};
use crate::embed::Embedding;
use crate::graph::Neighbours;
use crate::learn::Model;
use crate::progress::{Progress, Task};
use crate::words::{Words, WordsConf};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A corpus, what the scorers opened from it share, and scorers of one's own.
pub struct Inputs {
    corpus: Corpus,
    words_conf: Option<WordsConf>,
    own: Vec<Arc<dyn Score>>,
    texts: Arc<PageTexts>,
    neighbours: Shared<Neighbours>,
    in_degrees: Shared<Vec<u32>>,
    words: Shared<Words>,
    by_links: Shared<Embedding>,
    by_words: Shared<Embedding>,
    models: Mutex<BTreeMap<String, Arc<Model>>>,
}

/// Something made at most once.
type Shared<T> = OnceLock<Arc<T>>;

impl Inputs {
    /// The inputs of a corpus; nothing is made yet.
    pub fn new(corpus: &Corpus) -> Inputs {
        Inputs {
            corpus: corpus.clone(),
            words_conf: None,
            own: Vec::new(),
            texts: Arc::new(PageTexts::new(corpus)),
            neighbours: Shared::new(),
            in_degrees: Shared::new(),
            words: Shared::new(),
            by_links: Shared::new(),
            by_words: Shared::new(),
            models: Mutex::default(),
        }
    }

    /// What counts as a term. Default: as in the words that the corpus keeps, or, where it keeps none, as [`WordsConf`]
    /// has it.
    pub fn words_conf(mut self, conf: WordsConf) -> Inputs {
        self.words_conf = Some(conf);
        self
    }

    /// Registers a scorer of your own under its name, instead of a built-in one of that name if there is one.
    pub fn scorer(mut self, scorer: Arc<dyn Score>) -> Inputs {
        self.own.retain(|other| other.name() != scorer.name());
        self.own.push(scorer);
        self
    }

    /// The registered scorer of that name.
    pub(super) fn own(&self, name: &str) -> Option<&Arc<dyn Score>> {
        self.own.iter().find(|scorer| scorer.name() == name)
    }

    /// The names of the registered scorers.
    pub(super) fn own_names(&self) -> impl Iterator<Item = &str> {
        self.own.iter().map(|scorer| scorer.name())
    }

    /// The corpus.
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// The texts of the pages, those read last held.
    pub fn texts(&self) -> &Arc<PageTexts> {
        &self.texts
    }

    /// A model of the corpus, opened once.
    ///
    /// # Errors
    /// If there is none of that name, or its file is damaged.
    pub fn model(&self, name: &str) -> Result<Arc<Model>, Error> {
        let mut models = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = models.get(name) {
            return Ok(model.clone());
        }
        let model = Arc::new(Model::open(&self.corpus, name)?);
        models.insert(name.to_owned(), model.clone());
        Ok(model)
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

    /// How many pages link to each page.
    ///
    /// # Errors
    /// If a file is damaged.
    pub fn in_degrees(&self) -> Result<Arc<Vec<u32>>, Error> {
        made_once(&self.in_degrees, || {
            let links = self.corpus.all_links()?;
            let mut degrees = vec![0u32; links.num_rows()];
            links.values().iter().for_each(|target| degrees[target.index()] += 1);
            Ok(degrees)
        })
    }

    /// The words of the pages.
    ///
    /// # Errors
    /// If the corpus has no text, or a file is damaged.
    pub fn words(&self, progress: &mut dyn Progress) -> Result<Arc<Words>, Error> {
        made_once(&self.words, || words_of(&self.corpus, self.words_conf.as_ref(), progress))
    }

    /// The embedding by links.
    ///
    /// # Errors
    /// If a file is damaged.
    pub fn by_links(&self, progress: &mut dyn Progress) -> Result<Arc<Embedding>, Error> {
        made_once(&self.by_links, || {
            let neighbours = self.neighbours(progress)?;
            Embedding::by_links(&self.corpus, &neighbours, progress)
        })
    }

    /// The embedding by words.
    ///
    /// # Errors
    /// If the corpus has no text, or a file is damaged.
    pub fn by_words(&self, progress: &mut dyn Progress) -> Result<Arc<Embedding>, Error> {
        made_once(&self.by_words, || {
            let words = self.words(progress)?;
            Embedding::by_words(&self.corpus, &words, progress)
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
