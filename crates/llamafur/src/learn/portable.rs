//! A model without a corpus: one matrix with the names of its categories.
//!
//! A [`Model`] of a corpus knows its categories by the corpus's numbers. Where pages come from elsewhere, in batches and on many
//! machines, only names are common to all. So the file has the names too: the same format, with two tensors more
//! ([`crate::matrix`]), and it can become a model of a corpus with the same categories ([`PortableModel::adopted`]).
//!
//! Of a model with several matrices it is the one over categories.

use super::held_out::HeldOut;
use super::model::read;
use super::progress::Figures;
use super::{LearnConf, Model, Settings};
use crate::categories::{Categories, Feature};
use crate::corpus::Corpus;
use crate::error::{Artifact, Error};
use crate::graph::MilestoneId;
use crate::matrix::Matrix;
use crate::matrix::file::{self, MatrixFile, NameTable, StoredMatrix};
use crate::storage::AtomicFile;
use std::path::Path;

/// A matrix with its settings and the names of its categories.
#[derive(Debug)]
pub struct PortableModel {
    settings: Settings,
    matrix: StoredMatrix,
    names: NameTable,
}

impl PortableModel {
    /// Creates a model from a learnt matrix, the names of its categories and its settings.
    ///
    /// # Errors
    /// If there are not as many names as categories, or they do not ascend bytewise.
    pub fn new<'n>(
        matrix: Matrix,
        names: impl IntoIterator<Item = &'n str>,
        conf: &LearnConf,
        figures: Figures,
        held_out: Option<HeldOut>,
    ) -> Result<PortableModel, Error> {
        let categories = matrix.matrix().num_categories();
        let names: NameTable = names.into_iter().collect();
        let invalid = |rule: &str| Error::Invalid { what: "a model's categories", rule: rule.into() };
        if names.len() != categories {
            return Err(invalid("there must be a name for each"));
        }
        if !(1..names.len()).all(|at| names.get(at - 1) < names.get(at)) {
            return Err(invalid("their names must ascend bytewise"));
        }
        let rank = match &matrix {
            Matrix::Factored(matrix) => matrix.rank(),
            Matrix::Dense(_) => conf.rank,
        };
        let settings = Settings { rank, categories, ..Settings::learnt(conf, figures, held_out) };
        Ok(PortableModel { settings, matrix: matrix.into(), names })
    }

    /// Saves the matrix over categories of a model of a corpus.
    ///
    /// # Errors
    /// If the model has none, or a file is damaged.
    pub fn save_model(model: &Model, path: &Path) -> Result<(), Error> {
        let categories = |matrix: &&Model| matrix.settings().feature == Feature::Categories;
        let Some(of_categories) = model.matrices().find(categories) else {
            return Err(super::features::no_matrix_over(model.categories().corpus(), Feature::Categories));
        };
        let known = of_categories.categories();
        let numbers = (0..known.num() as u32).map(MilestoneId);
        let names: NameTable = numbers.map(|number| known.name(number)).collect::<Result<_, _>>()?;
        let settings = Settings { beside: Vec::new(), together: None, ..of_categories.settings().clone() };
        file::write(
            path,
            AtomicFile::create,
            &settings,
            &[(String::new(), of_categories.whole()?)],
            Some(&names),
        )?;
        Ok(())
    }

    /// Writes the model, whole or not at all.
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        file::write(
            path,
            AtomicFile::create,
            &self.settings,
            &[(String::new(), self.matrix.all()?)],
            Some(&self.names),
        )?;
        Ok(())
    }

    /// Opens a file. Its numbers are mapped, and checked when they are read.
    ///
    /// # Errors
    /// If it is no model, has no names, or its header is damaged.
    pub fn open(path: &Path) -> Result<PortableModel, Error> {
        let file = MatrixFile::<Settings>::open(path)?;
        let matrix = read(&file, "", file.settings())?;
        let names = file.names(file.settings().categories)?;
        let names = names.ok_or_else(|| {
            let found = "a model of a corpus, without the names of its categories";
            Error::damaged(path, found, "a model that was saved by itself")
        })?;
        Ok(PortableModel { matrix, names, settings: file.into_settings() })
    }

    /// Returns it as a model of a corpus, whose categories or milestones must be those of the model.
    pub fn adopted(self, corpus: &Corpus, name: &str) -> Result<Model, Error> {
        let path = Model::path(corpus, name)?;
        let known = [Ok(Categories::all(corpus)), Categories::preferred(corpus)];
        let Some(known) = known.into_iter().flatten().find(|known| self.is_over(known)) else {
            return Err(Error::OtherCorpus { what: Artifact::Model, path });
        };
        let settings = Settings {
            graph: corpus.manifest().graph_checksum(),
            cleansing: known.milestones().map(|milestones| milestones.id().clone()),
            mean_length: None,
            ..self.settings
        };
        Ok(Model::of_stored(name, settings, self.matrix, known))
    }

    fn is_over(&self, known: &Categories) -> bool {
        let is_same =
            |at: usize| known.name(MilestoneId(at as u32)).is_ok_and(|name| name == self.names.get(at));
        known.num() == self.names.len() && (0..self.names.len()).all(is_same)
    }

    /// Returns the model's settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the number of categories.
    pub fn num_categories(&self) -> usize {
        self.names.len()
    }

    /// Returns the name of a category.
    ///
    /// # Panics
    /// If there is no such category.
    pub fn name(&self, category: MilestoneId) -> &str {
        self.names.get(category.index())
    }

    /// Returns the category of a name.
    pub fn category(&self, name: &str) -> Option<MilestoneId> {
        self.names.find(name).map(|at| MilestoneId(at as u32))
    }

    /// Returns the whole matrix.
    pub fn matrix(&self) -> Result<&Matrix, Error> {
        self.matrix.all()
    }

    /// Returns the matrix after [`PortableModel::matrix`] was called before.
    pub(crate) fn checked_matrix(&self) -> &Matrix {
        self.matrix.all_checked_before()
    }
}
