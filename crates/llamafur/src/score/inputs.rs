//! Inputs that scorers share: made when the first scorer needs them, held once for all.
//!
//! A further input is a field here and a method that makes it, as [`Inputs::neighbours`] does.

use super::Score;
use crate::Error;
use crate::corpus::{Corpus, PageOverlay, PageTexts};
use crate::graph::{Neighbours, PageId};
use crate::in_links::InLinks;
use crate::learn::Model;
use crate::places::{LinkPlaces, places_of};
use crate::progress::Progress;
use crate::vectors::{ModelVectors, PageVectors, UnitVectors};
use crate::words::{Words, WordsConf};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A corpus, the data that its scorers share, and custom scorers.
pub struct Inputs {
    corpus: Corpus,
    words_conf: Option<WordsConf>,
    memory: u64,
    own: Vec<Arc<dyn Score>>,
    /// The inputs of the corpus on disk and the page that differs from it.
    base: Option<(Arc<Inputs>, PageId)>,
    texts: Arc<PageTexts>,
    neighbours: Shared<Neighbours>,
    words: Shared<Words>,
    /// `None` once it is known that the texts have none.
    words_if_any: OnceLock<Option<Arc<Words>>>,
    link_places: Shared<LinkPlaces>,
    in_links: Shared<InLinks>,
    models: ByName<Model>,
    model_vectors: ByName<UnitVectors>,
    brought_vectors: ByName<UnitVectors>,
}

/// Bytes of memory for building what is missing.
const DEFAULT_MEMORY: u64 = 2_000_000_000;

/// Values that are made at most once for each name.
type ByName<T> = Mutex<BTreeMap<String, Arc<T>>>;

/// A value made at most once.
type Shared<T> = OnceLock<Arc<T>>;

impl Inputs {
    /// Creates the inputs of a corpus; nothing is made yet.
    pub fn new(corpus: &Corpus) -> Inputs {
        Inputs {
            corpus: corpus.clone(),
            words_conf: None,
            memory: DEFAULT_MEMORY,
            own: Vec::new(),
            base: None,
            texts: Arc::new(PageTexts::new(corpus)),
            neighbours: Shared::new(),
            words: Shared::new(),
            words_if_any: OnceLock::new(),
            link_places: Shared::new(),
            in_links: Shared::new(),
            models: ByName::default(),
            model_vectors: ByName::default(),
            brought_vectors: ByName::default(),
        }
    }

    /// Returns the inputs of the same corpus with this page. All that is on disk or was made is shared; the page's own
    /// data are computed as if the corpus had it. Means and deviations stay those of the corpus on disk. Registered
    /// scorers know nothing of the page, and are left out.
    pub(crate) fn with_page(self: &Arc<Inputs>, overlay: PageOverlay) -> Inputs {
        let page = overlay.page;
        let inputs = Inputs::new(&self.corpus.with_page(Arc::new(overlay)));
        let words_conf = self.words_conf.clone();
        Inputs { words_conf, memory: self.memory, base: Some((self.clone(), page)), ..inputs }
    }

    /// Returns the inputs of the corpus on disk, if these are of one with another page.
    pub(super) fn base(&self) -> Option<&Inputs> {
        self.base.as_ref().map(|(base, _)| &**base)
    }

    /// Tokenizer settings. Default: those of the stored words, else [`WordsConf::default`].
    pub fn words_conf(mut self, conf: WordsConf) -> Inputs {
        self.words_conf = Some(conf);
        self
    }

    /// Approximate memory limit in bytes for building what is missing. Default: 2 GB.
    pub fn memory(mut self, bytes: u64) -> Inputs {
        self.memory = bytes;
        self
    }

    /// Returns the approximate memory limit in bytes.
    pub(crate) fn memory_bytes(&self) -> u64 {
        self.memory
    }

    /// Registers a custom scorer under its name; it replaces a built-in one of that name.
    pub fn scorer(mut self, scorer: Arc<dyn Score>) -> Inputs {
        self.own.retain(|other| other.name() != scorer.name());
        self.own.push(scorer);
        self
    }

    /// Returns the registered scorer of that name.
    pub(super) fn own(&self, name: &str) -> Option<&Arc<dyn Score>> {
        self.own.iter().find(|scorer| scorer.name() == name)
    }

    /// Returns whether a name selects a registered scorer, alone or in a sum.
    pub(crate) fn asks_for_own(&self, name: &str) -> bool {
        name.split('+').chain([name]).any(|part| self.own(part).is_some())
    }

    /// Returns the names of the registered scorers.
    pub(super) fn own_names(&self) -> impl Iterator<Item = &str> {
        self.own.iter().map(|scorer| scorer.name())
    }

    /// Returns the corpus.
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// Returns the texts of the pages; those read last are held.
    pub fn texts(&self) -> &Arc<PageTexts> {
        &self.texts
    }

    /// Returns a model of the corpus, opened once.
    ///
    /// # Errors
    /// If there is no model of that name.
    pub fn model(&self, name: &str) -> Result<Arc<Model>, Error> {
        made_once_by_name(&self.models, name, || match &self.base {
            Some((base, page)) => base.model(name)?.with_page(&self.corpus, *page),
            None => Model::open(&self.corpus, name),
        })
    }

    /// Returns the vectors that a model gives to the pages, opened or made once.
    ///
    /// # Errors
    /// If there is no model of that name, or it gives no vectors.
    pub(crate) fn model_vectors(
        &self,
        model: &str,
        progress: &mut dyn Progress,
    ) -> Result<Arc<UnitVectors>, Error> {
        let opened = self.model(model)?;
        made_once_by_name(&self.model_vectors, model, || match &self.base {
            Some((base, page)) => base.model_vectors(model, progress)?.with_page(&opened, *page),
            None => UnitVectors::kept_or_made(&opened, progress),
        })
    }

    /// Returns the vectors of a model as they are on disk, for other programs.
    ///
    /// # Errors
    /// If there is no model of that name, or a matrix of it is not factored.
    pub fn vectors(&self, model: &str, progress: &mut dyn Progress) -> Result<ModelVectors, Error> {
        Ok(ModelVectors::new(self.model_vectors(model, progress)?))
    }

    /// Returns vectors from elsewhere by their name, opened once.
    ///
    /// # Errors
    /// If there are none of that name.
    pub(super) fn brought_vectors(&self, name: &str) -> Result<Arc<UnitVectors>, Error> {
        if let Some((base, page)) = &self.base {
            let vectors = base.brought_vectors(name)?;
            // A page of the corpus keeps its vector, whatever its text is now.
            return Ok(match page.index() < base.corpus.num_pages() {
                true => vectors,
                false => Arc::new(vectors.with_new_page(*page)),
            });
        }
        let open = || Ok(UnitVectors::of(&PageVectors::open(&self.corpus, name)?));
        made_once_by_name(&self.brought_vectors, name, open)
    }

    /// Returns the symmetric graph.
    pub fn neighbours(&self, progress: &mut dyn Progress) -> Result<Arc<Neighbours>, Error> {
        made_once(&self.neighbours, || {
            let corpus = &self.corpus;
            if let Some((base, page)) = &self.base {
                let is_new = page.index() == base.corpus.num_pages();
                let old = if is_new { &[] } else { base.corpus.links(*page)? };
                let links_back = |other| Ok(base.corpus.links(other)?.binary_search(page).is_ok());
                return base.neighbours(progress)?.with_page(*page, old, corpus.links(*page)?, links_back);
            }
            let path = corpus.prepared("neighbours.arrow");
            let graph = (corpus.manifest().graph_checksum(), corpus.num_pages());
            let create = |path: &Path, block| corpus.create_file(path, block);
            Neighbours::kept_or_made(&path, graph, || corpus.all_links(), create, self.memory, progress)
        })
    }

    /// Returns the words of the pages.
    ///
    /// # Errors
    /// If the corpus has no text.
    pub fn words(&self, progress: &mut dyn Progress) -> Result<Arc<Words>, Error> {
        made_once(&self.words, || match &self.base {
            Some((base, page)) => {
                let text = self.corpus.text(*page)?.unwrap_or_default();
                base.words(progress)?.with_page(*page, &text)
            }
            None => Words::with_terms(&self.corpus, self.words_conf.as_ref(), progress),
        })
    }

    /// Returns the bags of words; `None` where there is no text, or no term in enough texts.
    ///
    /// # Errors
    /// If a file is damaged, or the disk is full.
    pub(crate) fn words_if_any(&self, progress: &mut dyn Progress) -> Result<Option<Arc<Words>>, Error> {
        if let Some(known) = self.words_if_any.get() {
            return Ok(known.clone());
        }
        let words = match self.corpus.has_text().then(|| self.words(progress)) {
            None => None,
            Some(Ok(words)) => Some(words),
            Some(Err(error)) if error.is_lack() => None,
            Some(Err(error)) => return Err(error),
        };
        Ok(self.words_if_any.get_or_init(|| words).clone())
    }

    /// Returns the place of each link in the texts.
    ///
    /// # Errors
    /// If the corpus has no text.
    pub(crate) fn link_places(&self, progress: &mut dyn Progress) -> Result<Arc<LinkPlaces>, Error> {
        made_once(&self.link_places, || LinkPlaces::kept_or_made(&self.corpus, progress))
    }

    /// Returns the sources of the links to each page; for a corpus with another page, those of the corpus on disk.
    pub(crate) fn in_links(&self, progress: &mut dyn Progress) -> Result<Arc<InLinks>, Error> {
        if let Some((base, _)) = &self.base {
            return base.in_links(progress);
        }
        made_once(&self.in_links, || {
            let neighbours = self.neighbours(progress)?;
            let knows_places = self.corpus.has_text() && self.corpus.wiki_titles().is_some();
            let places = knows_places.then(|| self.link_places(progress)).transpose()?;
            InLinks::kept_or_made(&self.corpus, &neighbours, places.as_deref(), progress)
        })
    }

    /// Returns the places in which the text of a page links to each of `targets`, a bit each; `None` where the text
    /// does not say.
    pub(crate) fn places_of(&self, page: PageId, targets: &[PageId]) -> Result<Option<Vec<u16>>, Error> {
        if !self.corpus.has_text() || self.corpus.wiki_titles().is_none() {
            return Ok(None);
        }
        let is_on_disk = self.base.as_ref().is_none_or(|(_, other)| *other != page);
        if let Some(known) = self.kept_link_places().filter(|_| is_on_disk)
            && self.corpus.links(page)? == targets
        {
            let places = known.of(page)?.places;
            return Ok((places.len() == targets.len()).then(|| places.to_vec()));
        }
        let text = self.texts.get(page)?;
        text.wiki()?.map(|wiki| places_of(wiki, targets)).transpose()
    }

    /// Returns the places of links if the corpus keeps them; for a few links, reading the texts is cheaper than making
    /// all.
    pub(crate) fn kept_link_places(&self) -> Option<Arc<LinkPlaces>> {
        // They are those of the text on disk.
        if self.base.is_some() {
            return None;
        }
        made_once(&self.link_places, || LinkPlaces::kept(&self.corpus).ok_or(())).ok()
    }
}

/// Returns the shared value, made now if it is missing.
fn made_once<T, E>(shared: &Shared<T>, make: impl FnOnce() -> Result<T, E>) -> Result<Arc<T>, E> {
    if let Some(made) = shared.get() {
        return Ok(made.clone());
    }
    let made = Arc::new(make()?);
    Ok(shared.get_or_init(|| made).clone())
}

/// Returns the value of this name, made now if it is missing.
fn made_once_by_name<T>(
    made: &ByName<T>,
    name: &str,
    make: impl FnOnce() -> Result<T, Error>,
) -> Result<Arc<T>, Error> {
    let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(made) = made.get(name) {
        return Ok(made.clone());
    }
    let new = Arc::new(make()?);
    made.insert(name.to_owned(), new.clone());
    Ok(new)
}
