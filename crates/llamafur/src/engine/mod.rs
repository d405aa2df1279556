//! An engine that is opened once and answers questions from any thread.
//!
//! An [`Engine`] owns a corpus and what was made from it: models, neighbours, words, vectors, an index of titles.
//! Clones are cheap and share all of it. Every answer is a `serde` type; serialised, it is the JSON contract of all
//! interfaces.
//!
//! Settings belong to the engine ([`EngineConf`]) or to the call ([`RankConf`] and others), never to the call that came first.
//! Files that a call needs are made on first use, kept beside the corpus, and mapped from then on;
//! [`Engine::prepare_all`] makes them ahead of time and reports its progress.

mod article;
mod category;
mod diff;
mod distribution;
mod draft;
mod evidence;
mod explain;
mod mend;
mod name_index;
mod namesakes;
mod place_set;
mod predict;
mod prepare;
mod rank;
mod ranked_page;
mod reasons;
mod suggest;
mod surprise;
mod top;
mod verify;

pub use crate::text::{Block, Marker, Span};
pub use article::Article;
pub use category::{CategoryArc, CategoryConf, CategoryNeighbour, CategoryNeighbourhood};
pub use diff::{CorpusDiff, DiffConf, DiffCounts, PageChange, Recategorised};
pub use distribution::Distribution;
pub use draft::{Draft, DraftAccount, DraftRanking};
pub use evidence::{Evidence, EvidenceKind};
pub use explain::{
    Counterfactual, ExplainConf, LinkExplanation, MatrixAccount, MilestoneOrigin, PairEvidence, PairGrid,
    TitledLink,
};
pub use mend::{Mends, SuspiciousLink};
pub use namesakes::Likeness;
pub use place_set::PlaceSet;
pub use predict::{Lookup, PredictConf, PredictedLink, PredictedPair, PredictionCounts, Predictions};
pub use prepare::PreparedFile;
pub use rank::{Order, RankConf, Ranking, RankingRow, SignalUnit};
pub use suggest::Suggestion;
pub(crate) use suggest::suggest_among;
pub use top::{TopConf, TopLink, TopLinks};
pub use verify::{FileKind, VerifiedFile, repair, verify};

use crate::categories::Categories;
use crate::corpus::{Corpus, Found, PageNames};
use crate::error::{Error, Named};
use crate::explain::{CategoryPages, PageKinds};
use crate::graph::{MilestoneId, PageId};
use crate::learn::Model;
use crate::progress::{Note, Progress, Silent};
use crate::score::{Inputs, Scale, Score, ScoreConf, open};
use crate::words::WordsConf;
use name_index::NameIndex;
use namesakes::Namesakes;
use predict::Products;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

/// Settings of an engine.
///
/// ```
/// use llamafur::engine::EngineConf;
/// use llamafur::words::WordsConf;
/// let conf = EngineConf::default().words(WordsConf::default().min_documents(5));
/// ```
#[derive(Clone, Default)]
pub struct EngineConf {
    words: Option<WordsConf>,
    memory: Option<u64>,
    scorers: Vec<Arc<dyn Score>>,
}

impl EngineConf {
    /// Tokenizer settings. Default: those of the stored words, else [`WordsConf::default`].
    pub fn words(mut self, conf: WordsConf) -> EngineConf {
        self.words = Some(conf);
        self
    }

    /// Approximate memory limit in bytes for building what the corpus does not keep yet. Default: 2 GB.
    pub fn memory(mut self, bytes: u64) -> EngineConf {
        self.memory = Some(bytes);
        self
    }

    /// Registers a custom scorer under its name, for use alone and in sums.
    pub fn scorer(mut self, scorer: Arc<dyn Score>) -> EngineConf {
        self.scorers.push(scorer);
        self
    }
}

/// A corpus that answers questions, from any number of threads.
///
/// ```no_run
/// use llamafur::{Engine, EngineConf, RankConf};
///
/// let engine = Engine::open("my.corpus", EngineConf::default())?;
/// for link in engine.rank("Jupiter", &RankConf::default().top(5))?.links {
///     println!("{} {:?} {:?}", link.target, link.unexpectedness, link.snippet);
/// }
/// # Ok::<(), llamafur::Error>(())
/// ```
#[derive(Clone)]
pub struct Engine(Arc<Held>);

/// The state that clones of an engine share.
struct Held {
    inputs: Arc<Inputs>,
    /// Open scorers by name and settings.
    scorers: RwLock<BTreeMap<String, Arc<dyn Score>>>,
    /// Held during construction so that no value is built twice; existing values stay readable.
    opening: Mutex<()>,
    /// Keyed by the model's name and the feature that it was learnt over.
    category_pages: Mutex<BTreeMap<String, Arc<CategoryPages>>>,
    page_kinds: OnceLock<Arc<PageKinds>>,
    /// Keyed by file name.
    names: Mutex<BTreeMap<&'static str, Arc<NameIndex>>>,
    page_names: OnceLock<Arc<PageNames>>,
    namesakes: OnceLock<Arc<Namesakes>>,
    /// Keyed by model name; `None` where its matrices are not factored.
    products: Mutex<BTreeMap<String, Option<Arc<Products>>>>,
    /// The pages with the most incoming links.
    famous: OnceLock<Arc<[PageId]>>,
    /// Keyed by the scorers' names and what these depend on.
    scales: Mutex<BTreeMap<String, Arc<Scale>>>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Engine").field(&self.corpus().path()).finish()
    }
}

impl Engine {
    /// Opens the corpus in a folder.
    ///
    /// # Errors
    /// If there is no corpus, or it cannot be read; see [`Corpus::open`].
    pub fn open(path: impl AsRef<Path>, conf: EngineConf) -> Result<Engine, Error> {
        Ok(Engine::new(&Corpus::open(path)?, conf))
    }

    /// Creates an engine for a corpus that is already open.
    pub fn new(corpus: &Corpus, conf: EngineConf) -> Engine {
        let mut inputs = Inputs::new(corpus);
        if let Some(words) = conf.words {
            inputs = inputs.words_conf(words);
        }
        if let Some(bytes) = conf.memory {
            inputs = inputs.memory(bytes);
        }
        for scorer in conf.scorers {
            inputs = inputs.scorer(scorer);
        }
        Engine(Arc::new(Held {
            inputs: Arc::new(inputs),
            scorers: RwLock::default(),
            opening: Mutex::default(),
            category_pages: Mutex::default(),
            page_kinds: OnceLock::new(),
            names: Mutex::default(),
            page_names: OnceLock::new(),
            namesakes: OnceLock::new(),
            products: Mutex::default(),
            famous: OnceLock::new(),
            scales: Mutex::default(),
        }))
    }

    /// Returns the corpus.
    pub fn corpus(&self) -> &Corpus {
        self.0.inputs.corpus()
    }

    /// Answers a question, unless a file of the corpus was changed in place.
    fn whole<T, E: From<Error>>(&self, question: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        self.corpus().watch().whole(question)
    }

    /// Returns what the scorers of this engine share.
    pub fn inputs(&self) -> &Inputs {
        &self.0.inputs
    }

    /// Makes what a scorer needs ahead of the first call that uses it, and reports progress.
    ///
    /// # Errors
    /// If there is no such scorer, the corpus lacks what it needs, or a file is damaged.
    pub fn prepare(
        &self,
        scorer: &str,
        conf: &ScoreConf,
        progress: &mut dyn Progress,
    ) -> Result<Arc<dyn Score>, Error> {
        self.whole(|| self.prepare_unwatched(scorer, conf, progress))
    }

    fn prepare_unwatched(
        &self,
        scorer: &str,
        conf: &ScoreConf,
        progress: &mut dyn Progress,
    ) -> Result<Arc<dyn Score>, Error> {
        let is_ready = || self.corpus().prepared("neighbours.arrow").exists();
        if self.corpus().num_links() >= WORTH_A_NOTE && !is_ready() {
            progress.note(Note::FirstUse { path: self.corpus().path().into() });
        }
        self.opened(scorer, conf, progress)
    }

    /// Makes what rankings by a scorer need: the scorer, its scale, and the data behind reasons and worth.
    ///
    /// # Errors
    /// As for [`Engine::prepare`].
    pub fn prepare_ranking(
        &self,
        scorer: &str,
        conf: &ScoreConf,
        progress: &mut dyn Progress,
    ) -> Result<Arc<dyn Score>, Error> {
        self.whole(|| self.prepare_ranking_unwatched(scorer, conf, progress))
    }

    fn prepare_ranking_unwatched(
        &self,
        scorer: &str,
        conf: &ScoreConf,
        progress: &mut dyn Progress,
    ) -> Result<Arc<dyn Score>, Error> {
        let scorer = self.prepare_unwatched(scorer, conf, progress)?;
        self.inputs().in_links(progress)?;
        self.inputs().words_if_any(progress)?;
        self.page_kinds(progress)?;
        self.scale_of(&*scorer, progress)?;
        Ok(scorer)
    }

    /// Returns whether a scorer is open, so that a call that uses it need not make anything first.
    pub fn is_open(&self, scorer: &str, conf: &ScoreConf) -> bool {
        self.held(&key_of(scorer, conf)).is_some()
    }

    fn held(&self, key: &str) -> Option<Arc<dyn Score>> {
        self.0.scorers.read().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    /// Returns the scorer, opened if it is not held.
    fn opened(
        &self,
        scorer: &str,
        conf: &ScoreConf,
        progress: &mut dyn Progress,
    ) -> Result<Arc<dyn Score>, Error> {
        let key = key_of(scorer, conf);
        if let Some(scorer) = self.held(&key) {
            return Ok(scorer);
        }
        let _opening = self.0.opening.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(scorer) = self.held(&key) {
            return Ok(scorer);
        }
        conf.expect_used(scorer)?;
        let opened = open(scorer, &self.0.inputs, conf, progress)?;
        keep(&mut self.0.scorers.write().unwrap_or_else(PoisonError::into_inner), key, &opened);
        Ok(opened)
    }

    fn scorer(&self, name: &str, conf: &ScoreConf) -> Result<Arc<dyn Score>, Error> {
        self.opened(name, conf, &mut Silent)
    }

    /// Finds a page by its title: exactly, through a redirect, as the wiki reads it, or up to case and spacing.
    ///
    /// # Errors
    /// If no page has the title (with the most similar titles), or several pages do.
    pub fn page(&self, title: &str) -> Result<PageId, Error> {
        self.whole(|| self.page_unwatched(title))
    }

    fn page_unwatched(&self, title: &str) -> Result<PageId, Error> {
        let (what, asked) = (Named::Page, title.to_owned());
        match self.corpus().find_page(title)? {
            Found::One(page) => Ok(page),
            Found::Several(pages) => {
                let titles = pages.iter().map(|&page| Ok(self.corpus().title(page)?.to_owned()));
                Err(Error::Ambiguous { what, asked, matching: titles.collect::<Result<_, Error>>()? })
            }
            Found::None => {
                Err(Error::NotNamed { what, asked, similar: titles_of(self.suggest(title, SIMILAR)?) })
            }
        }
    }

    /// Finds a category of a model by its name; for one that the cleansing moved, the milestone that it became.
    fn category_of(&self, categories: &Categories, name: &str) -> Result<MilestoneId, Error> {
        let corpus = self.corpus();
        let own_name = |category| Ok::<_, Error>(corpus.category_name(category)?.to_owned());
        let (what, asked) = (Named::Category, name.to_owned());
        match corpus.find_category(name)? {
            Found::One(category) => match categories.milestone(category)? {
                Some(milestone) => Ok(milestone),
                None => Err(Error::DroppedCategory { name: own_name(category)? }),
            },
            Found::Several(all) => {
                let matching = all.into_iter().map(own_name).collect::<Result<_, Error>>()?;
                Err(Error::Ambiguous { what, asked, matching })
            }
            Found::None => {
                let similar = titles_of(self.suggest_categories(name, SIMILAR)?);
                Err(Error::NotNamed { what, asked, similar })
            }
        }
    }

    /// Returns the names of the pages in texts, built on first use.
    fn page_names(&self) -> Result<Arc<PageNames>, Error> {
        let held = &self.0.page_names;
        if held.get().is_none() {
            let _opening = self.0.opening.lock().unwrap_or_else(PoisonError::into_inner);
            if held.get().is_none() {
                let names = Arc::new(PageNames::new(self.corpus())?);
                return Ok(held.get_or_init(|| names).clone());
            }
        }
        Ok(held.get().expect("it was there just now").clone())
    }

    /// Returns the kinds of pages; `None` where pages have no categories.
    fn page_kinds(&self, progress: &mut dyn Progress) -> Result<Option<Arc<PageKinds>>, Error> {
        let held = &self.0.page_kinds;
        if self.corpus().manifest().counts.page_categories == 0 {
            return Ok(None);
        }
        if held.get().is_none() {
            let neighbours = self.inputs().neighbours(progress)?;
            let _opening = self.0.opening.lock().unwrap_or_else(PoisonError::into_inner);
            if held.get().is_none() {
                let all = Categories::all(self.corpus());
                let pages = CategoryPages::kept_or_made(&all, self.inputs().memory_bytes(), progress)?;
                let _ = held.set(Arc::new(PageKinds::new(self.corpus(), pages, neighbours)?));
            }
        }
        Ok(held.get().cloned())
    }

    /// Returns whether [`Engine::category_pages`] of a model are held.
    fn has_category_pages(&self, model: &Model) -> bool {
        let all = self.0.category_pages.lock().unwrap_or_else(PoisonError::into_inner);
        all.contains_key(&category_pages_key(model))
    }

    /// Returns the pages of each category that a model knows.
    fn category_pages(
        &self,
        model: &Model,
        progress: &mut dyn Progress,
    ) -> Result<Arc<CategoryPages>, Error> {
        let key = category_pages_key(model);
        let all = || self.0.category_pages.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pages) = all().get(&key).cloned() {
            return Ok(pages);
        }
        let _opening = self.0.opening.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pages) = all().get(&key).cloned() {
            return Ok(pages);
        }
        let memory = self.0.inputs.memory_bytes();
        let pages = Arc::new(CategoryPages::kept_or_made(model.categories(), memory, progress)?);
        all().insert(key, pages.clone());
        Ok(pages)
    }
}

/// Builds the key of a scorer: its name and settings.
fn key_of(scorer: &str, conf: &ScoreConf) -> String {
    format!("{scorer} {conf:?}")
}

/// Builds the key of a model's category pages: its name and the feature that it was learnt over.
fn category_pages_key(model: &Model) -> String {
    format!("{} {}", model.name(), model.settings().feature)
}

/// Returns the bare titles of suggestions.
fn titles_of(suggestions: Vec<Suggestion>) -> Vec<String> {
    suggestions.into_iter().map(|found| found.title).collect()
}

/// Keeps a value for later calls. The number of possible sums is unlimited, so a full map is cleared.
fn keep<T: Clone>(all: &mut BTreeMap<String, T>, key: String, value: &T) {
    if all.len() >= MOST_KEPT {
        all.clear();
    }
    all.insert(key, value.clone());
}

/// Largest number of values that [`keep`] holds.
const MOST_KEPT: usize = 256;

/// Number of links from which on the first use of a corpus takes more than a moment.
const WORTH_A_NOTE: usize = 1_000_000;

/// Number of similar names that an error offers.
const SIMILAR: usize = 5;
