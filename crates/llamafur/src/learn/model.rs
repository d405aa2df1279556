//! A model: a matrix, how it was learnt, and the categories that it has rows for; beside it, matrices over words.

use super::held_out::HeldOut;
use super::progress::Figures;
use super::{LearnConf, Method, Origin};
use crate::categories::{Categories, CleansingId, Feature, Milestones};
use crate::corpus::{Corpus, is_plain};
use crate::error::{Artifact, Error, Missing};
use crate::graph::{MilestoneId, PageId};
use crate::matrix::file::{self, Form, MatrixFile, StoredMatrix};
use crate::matrix::{CategoryMatrix, CheckedRows, FactoredMatrix, Matrix, Normalise};
use crate::progress::Silent;
use crate::storage::signed::checksum_of;
use crate::storage::tensors;
use crate::words::{TextPart, Words, as_categories};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The settings of a model and the figures of its training: everything but its weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The learner.
    pub method: Method,
    /// The seed of all its random choices.
    pub seed: u64,
    /// Passes over the links.
    pub passes: usize,
    /// K of the passive-aggressive learners.
    pub aggressiveness: f64,
    /// Columns of the two tables of a factored matrix: of an ensemble, those of all its members.
    pub rank: usize,
    /// The number of factored matrices that it is the mean of; `None` for a single one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ensemble: Option<usize>,
    /// Rounds over which `averaged` deals a page's examples.
    pub rounds: usize,
    /// The checksum of the graph it was trained on, [`crate::corpus::Manifest::graph_checksum`].
    pub graph: String,
    /// Categories on either side.
    pub categories: usize,
    /// The cleansing whose milestones these are; none if they are the categories of the corpus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cleansing: Option<CleansingId>,
    /// Cells of a sparse matrix, as some older versions wrote; it identifies these, and they are refused.
    #[doc(hidden)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<u64>,
    /// The model from which training continued, if it did: these are the settings of the passes since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The feature of the pages that it was learnt over.
    #[serde(default, skip_serializing_if = "is_categories")]
    pub feature: Feature,
    /// The checksum of the words that it was learnt over; none if those are categories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// The mean number of them on a page, of the pages that have any; `None` where there is no matrix beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_length: Option<f64>,
    /// The counts of training.
    pub figures: Figures,
    /// The measures on held-out links; `None` where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out: Option<HeldOut>,
    /// The measures of this matrix and those beside it together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<HeldOut>,
    /// The settings of the matrices beside it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<Settings>,
}

fn is_categories(feature: &Feature) -> bool {
    *feature == Feature::Categories
}

impl Settings {
    /// Returns the settings of a model learnt with `conf`, the size of the ensemble settled ([`LearnConf::settled`]);
    /// the caller fills in what it was learnt from.
    pub(super) fn learnt(conf: &LearnConf, figures: Figures, held_out: Option<HeldOut>) -> Settings {
        let members = conf.ensemble.filter(|_| conf.method == Method::Factored).unwrap_or(1);
        Settings {
            method: conf.method,
            seed: conf.seed,
            ensemble: Some(members).filter(|members| *members > 1),
            passes: conf.passes_or_default(),
            aggressiveness: conf.aggressiveness,
            rank: conf.rank * members,
            rounds: conf.rounds,
            graph: String::new(),
            categories: 0,
            cleansing: None,
            cells: None,
            feature: Feature::Categories,
            words: None,
            mean_length: None,
            together: None,
            beside: Vec::new(),
            origin: None,
            figures,
            held_out,
        }
    }

    /// Returns the number of matrices that it is the mean of: 1 but for an ensemble.
    pub fn members(&self) -> usize {
        self.ensemble.unwrap_or(1).max(1)
    }

    /// Returns the factor of this matrix's mean weights in the sum with those of the matrices beside it; 1 for other
    /// sums.
    pub(crate) fn scale(&self, normalise: Normalise) -> f64 {
        self.mean_length.filter(|_| normalise == Normalise::Mean).unwrap_or(1.0)
    }
}

/// A trained matrix with its settings.
#[derive(Debug)]
pub struct Model {
    name: String,
    settings: Settings,
    categories: Categories,
    matrix: Arc<StoredMatrix>,
    beside: Vec<Model>,
}

impl Model {
    /// Creates a model of these categories, whose number and cleansing the settings must name.
    pub fn new(name: &str, settings: Settings, matrix: Matrix, categories: &Categories) -> Model {
        let (name, categories) = (name.into(), categories.clone());
        Model { name, settings, categories, matrix: Arc::new(matrix.into()), beside: Vec::new() }
    }

    /// Creates a model of a matrix that may be in a file.
    pub(super) fn of_stored(
        name: &str,
        settings: Settings,
        matrix: StoredMatrix,
        categories: Categories,
    ) -> Model {
        Model { name: name.into(), settings, categories, matrix: Arc::new(matrix), beside: Vec::new() }
    }

    /// Joins several models: the first with the others beside it, each with its mean number of categories on a page;
    /// and the measures of all together. Returns a single one as it is, and `None` for none.
    pub(super) fn joined(models: Vec<(Model, f64)>, together: Option<HeldOut>) -> Option<Model> {
        let are_several = models.len() > 1;
        let with_length = |(mut model, length): (Model, f64)| {
            model.settings.mean_length = are_several.then_some(length);
            model
        };
        let mut models = models.into_iter().map(with_length);
        let mut first = models.next()?;
        first.beside = models.collect();
        first.settings.beside = first.beside.iter().map(|model| model.settings.clone()).collect();
        first.settings.together = together.filter(|_| are_several);
        Some(first)
    }

    /// Returns its matrices, each as a model of its own: this one, and those beside it.
    pub fn matrices(&self) -> impl Iterator<Item = &Model> {
        std::iter::once(self).chain(&self.beside)
    }

    /// Returns the model's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the model's settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns what identifies this model: a checksum of its settings, which name the graph and the seed, and so
    /// determine the weights.
    pub fn checksum(&self) -> String {
        checksum_of(&self.settings)
    }

    /// Returns the factor of this matrix's mean weights in the sum with those of the matrices beside it; 1 for other
    /// sums.
    pub fn scale(&self, normalise: Normalise) -> f64 {
        self.settings.scale(normalise)
    }

    /// Returns the categories that the matrix has rows for.
    pub fn categories(&self) -> &Categories {
        &self.categories
    }

    /// Returns the whole matrix.
    pub fn matrix(&self) -> Result<&dyn CategoryMatrix, Error> {
        Ok(self.matrix.all()?.matrix())
    }

    /// Returns the whole matrix in its form.
    pub(crate) fn whole(&self) -> Result<&Matrix, Error> {
        self.matrix.all()
    }

    /// Returns the factored matrix, if it is one, with the rows of these source categories checked.
    pub(crate) fn factored(&self, sources: &[MilestoneId]) -> Result<Option<&FactoredMatrix>, Error> {
        self.matrix.factored(sources)
    }

    /// Returns the factored matrix, if it is one, with the rows of these categories checked in both tables.
    pub(crate) fn factored_on_both_sides(
        &self,
        categories: &[MilestoneId],
    ) -> Result<Option<&FactoredMatrix>, Error> {
        self.matrix.factored_on_both_sides(categories)
    }

    /// Returns the rows of these source categories.
    pub fn matrix_rows<'a>(&'a self, sources: &'a [MilestoneId]) -> Result<CheckedRows<'a>, Error> {
        self.matrix.rows(sources)
    }

    /// Returns the name of a model of this method that is given no other.
    pub fn default_name(method: Method) -> &'static str {
        if method == Method::Naive { "naive" } else { "llamafur" }
    }

    /// Returns the path of the model of that name in the corpus.
    ///
    /// # Errors
    /// If the name cannot be that of a file.
    pub fn path(corpus: &Corpus, name: &str) -> Result<PathBuf, Error> {
        if !is_plain(name) {
            return Err(Error::Name { what: Artifact::Model, name: name.into() });
        }
        Ok(models_folder(corpus).join(format!("{name}.safetensors")))
    }

    /// Returns the names of a corpus's models, in order.
    pub fn names(corpus: &Corpus) -> Result<Vec<String>, Error> {
        tensors::names_in(&models_folder(corpus))
    }

    /// Writes the model into the corpus's folder, whole or not at all, and returns its path and checksum.
    ///
    /// # Errors
    /// If the name cannot be that of a file, or the disk is full.
    pub fn save(&self, corpus: &Corpus) -> Result<(PathBuf, String), Error> {
        let path = Model::path(corpus, &self.name)?;
        let folder = models_folder(corpus);
        fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
        let mut matrices = Vec::new();
        for model in self.matrices() {
            let prefix = if matrices.is_empty() { String::new() } else { prefix_of(&model.settings) };
            matrices.push((prefix, model.whole()?));
        }
        let written = file::write(
            &path,
            |path, block| corpus.create_file(path, block),
            &self.settings,
            &matrices,
            None,
        );
        if written.is_err() {
            // Removes the folder only if it is empty: made for a model that could not be written.
            let _ = fs::remove_dir(&folder);
        }
        Ok((path, written?.checksum))
    }

    /// Opens a model of a corpus.
    ///
    /// # Errors
    /// If there is none of that name, it was trained on another corpus, or its header is damaged. The
    /// weights are checked when they are read.
    pub fn open(corpus: &Corpus, name: &str) -> Result<Model, Error> {
        let path = Model::path(corpus, name)?;
        if corpus.manifest().counts.page_categories == 0 && !corpus.has_text() {
            return Err(Error::Missing { path: corpus.path().into(), what: Missing::Categories });
        }
        if !path.exists() {
            let (name, there_are) = (name.to_owned(), Model::names(corpus)?);
            return Err(Error::NotFound { what: Artifact::Model, path, name, there_are });
        }
        let file = MatrixFile::<Settings>::open(&path)?;
        let mut features = Features { corpus, path: &path, words: None };
        let mut beside = Vec::new();
        for settings in &file.settings().beside {
            beside.push((features.of(settings)?, read(&file, &prefix_of(settings), settings)?));
        }
        let categories = features.of(file.settings())?;
        let matrix = read(&file, "", file.settings())?;
        let settings = file.into_settings();
        let beside = settings.beside.iter().zip(beside).map(|(settings, (categories, matrix))| {
            let (name, settings) = (name.to_owned(), settings.clone());
            Model { name, settings, categories, matrix: Arc::new(matrix), beside: Vec::new() }
        });
        let (matrix, beside) = (Arc::new(matrix), beside.collect());
        Ok(Model { name: name.into(), categories, matrix, beside, settings })
    }

    /// Returns the model over a corpus in which a page differs from the one on disk.
    ///
    /// # Errors
    /// If a file is damaged, or it is not known how texts were read.
    pub(crate) fn with_page(&self, corpus: &Corpus, page: PageId) -> Result<Model, Error> {
        Ok(Model {
            name: self.name.clone(),
            settings: self.settings.clone(),
            categories: self.categories.with_page(corpus, page)?,
            matrix: self.matrix.clone(),
            beside: self
                .beside
                .iter()
                .map(|model| model.with_page(corpus, page))
                .collect::<Result<_, _>>()?,
        })
    }
}

/// Returns the prefix of the tensor names of a matrix that is not the first.
fn prefix_of(settings: &Settings) -> String {
    format!("{}.", settings.feature)
}

/// Reads the matrix of these settings.
pub(super) fn read(
    file: &MatrixFile<Settings>,
    prefix: &str,
    settings: &Settings,
) -> Result<StoredMatrix, Error> {
    let rank = settings.rank;
    if !rank.is_multiple_of(settings.members()) {
        let found = format!("rank {rank} of {} members", settings.members());
        return Err(Error::damaged(file.path(), found, "as many columns of each"));
    }
    if settings.cells.is_some() {
        return Err(Error::SparseModel { path: file.path().into() });
    }
    let form = match settings.method {
        Method::Factored => Form::Factored { rank },
        _ => Form::Dense,
    };
    file.read(prefix, settings.categories, form)
}

/// The state for opening the features that a model was learnt over.
struct Features<'a> {
    corpus: &'a Corpus,
    path: &'a Path,
    words: Option<Arc<Words>>,
}

impl Features<'_> {
    fn of(&mut self, settings: &Settings) -> Result<Categories, Error> {
        let (corpus, path) = (self.corpus, self.path);
        if settings.graph != corpus.manifest().graph_checksum() {
            return Err(Error::OtherCorpus { what: Artifact::Model, path: path.into() });
        }
        let Some(part) = TextPart::of(settings.feature) else {
            return Ok(Categories::of_milestones(corpus, open_milestones(corpus, path, settings)?));
        };
        let words = match &self.words {
            Some(words) => words.clone(),
            None => Arc::new(Words::kept_or_made(corpus, &mut Silent)?),
        };
        if settings.words.as_ref() != Some(&words.checksum()) || words.num_terms() != settings.categories {
            return Err(Error::OtherWords { path: path.into() });
        }
        self.words = Some(words.clone());
        Ok(as_categories(corpus, &words, part))
    }
}

/// Opens the milestones that a model was trained on, if it was.
fn open_milestones(
    corpus: &Corpus,
    model: &Path,
    settings: &Settings,
) -> Result<Option<Arc<Milestones>>, Error> {
    let Some(id) = &settings.cleansing else { return Ok(None) };
    let failed = |cause| Error::Cleansing { path: model.into(), cause: Box::new(cause) };
    let milestones = Milestones::open(corpus, &id.name).map_err(failed)?;
    if milestones.id() != id || milestones.num() != settings.categories {
        return Err(Error::OtherCleansing { path: model.into(), cleansing: id.name.clone() });
    }
    Ok(Some(Arc::new(milestones)))
}

fn models_folder(corpus: &Corpus) -> PathBuf {
    corpus.path().join("models")
}
