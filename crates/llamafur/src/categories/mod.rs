//! Clean categories: the few that matter, and for every page those that replace its own.
//!
//! People's categories are noise: duplicates, categories of one page, housekeeping. A *cleansing* keeps some of them,
//! the *milestones*, and moves every page to the milestones that are nearest above its categories: Boldi & Monti,
//! “LlamaFur”, WebSci 2016, section 5, after their “Cleansing Wikipedia Categories using Centrality”, WWW 2016
//! Companion, <https://doi.org/10.1145/2872518.2891111>.
//!
//! 1. Every category gets its harmonic centrality in the category tree, H(c) = Σ_{b ≠ c} 1/d(b, c), with d(b, c) the
//!    length of the shortest path from child to parent that leads from b to c ([`centrality`]).
//! 2. The most central categories become milestones, unless their name is excluded.
//! 3. ι(c) is the milestone nearest above c; a page gets ι(c) for each of its categories c (`tree.rs`).
//!
//! [`Cleanser`] does these; what comes of it is a [`Cleansing`], kept in the corpus's folder as [`Milestones`].
//! [`Categories`] are the categories that a model speaks of: those of the corpus, or milestones.
//!
//! # Differences from the paper
//! Ties go to the more central milestone and then to the smaller id, where the authors' program takes whichever
//! search ends first. A graph without a category tree is cleansed by its pages (`similar.rs`), and pages can get the
//! milestones further up as well ([`CleanseConf::ancestors`]): neither is in the paper.

pub mod centrality;
mod choice;
mod cleanse;
mod conf;
mod few_pages;
mod file;
mod of_categories;
mod similar;
mod tree;

pub use cleanse::{Cleanser, Cleansing, Figures, Move};
pub use conf::{Basis, CleanseConf, Goal};
pub use file::{CleansingId, Milestones, Settings};

use crate::Error;
use crate::corpus::Corpus;
use crate::graph::{CategoryId, Graph, MilestoneId, PageId};
use crate::storage::Csr;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The name of the cleansing that is used by default.
pub const DEFAULT: &str = "default";

/// The name that means no cleansing.
pub(crate) const NO_CLEANSING: &str = "none";

/// What pages carry that a matrix is learnt over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Feature {
    /// Their categories, or the milestones of a cleansing.
    #[default]
    Categories,
    /// The most telling words of their texts.
    Words,
    /// The most telling of the first 200 words.
    Lead,
}

names! {
    Feature "features" {
        Categories = "categories",
        Words = "words",
        Lead = "lead",
    }
}

/// Lists of pages over which a matrix can be learnt as over categories, such as words.
pub(crate) trait PageLists: std::fmt::Debug + Send + Sync {
    /// Returns the kind of these lists.
    fn feature(&self) -> Feature;

    /// Returns what distinguishes these lists from others of the same kind.
    fn checksum(&self) -> String;

    /// Returns the number of ids in the lists; all are below.
    fn num(&self) -> usize;

    /// Returns the list of a page, ascending.
    fn of(&self, page: PageId) -> Result<&[MilestoneId], Error>;

    /// Returns the list that a page with this text would have, ascending.
    ///
    /// # Errors
    /// If a file is damaged, or it is not known how texts were read.
    fn of_text(&self, text: &str) -> Result<Vec<MilestoneId>, Error>;

    /// Returns the name of an id.
    fn name(&self, id: MilestoneId) -> Result<&str, Error>;

    /// Returns the lists of all pages.
    fn all(&self) -> Result<Csr<'_, MilestoneId>, Error>;
}

/// The source of the pages' categories.
#[derive(Debug, Clone)]
enum Source {
    /// The categories of the corpus.
    Corpus,
    /// The milestones of a cleansing.
    Milestones(Arc<Milestones>),
    /// Other lists.
    Lists(Arc<dyn PageLists>),
}

/// The categories of a model: all of the corpus, the milestones of a cleansing, or other lists of the pages.
///
/// A [`MilestoneId`] is a number among these. Only here does it become the number that the corpus has for the category,
/// a [`CategoryId`]: with a cleansing by the table of milestones, without one it is the same number.
#[derive(Debug, Clone)]
pub struct Categories {
    corpus: Corpus,
    source: Source,
    /// A page whose categories differ from those on disk, with them.
    overlay: Option<Arc<(PageId, Vec<MilestoneId>)>>,
}

impl Categories {
    /// Returns all categories of a corpus.
    pub fn all(corpus: &Corpus) -> Categories {
        Categories::new(corpus, Source::Corpus)
    }

    /// Opens the milestones of a cleansing.
    ///
    /// # Errors
    /// If there is none of that name, or its file is damaged or of another corpus.
    pub fn cleansed(corpus: &Corpus, name: &str) -> Result<Categories, Error> {
        Ok(Categories::of_milestones(corpus, Some(Arc::new(Milestones::open(corpus, name)?))))
    }

    /// Opens the categories used by default: the default cleansing, else the only one, else all categories.
    ///
    /// # Errors
    /// If there are several cleansings and none is the default, or the file is damaged.
    pub fn preferred(corpus: &Corpus) -> Result<Categories, Error> {
        let names = Milestones::names(corpus)?;
        match &names[..] {
            [] => Ok(Categories::all(corpus)),
            names if names.iter().any(|name| name == DEFAULT) => Categories::cleansed(corpus, DEFAULT),
            [only] => Categories::cleansed(corpus, only),
            _ => Err(Error::SeveralCleansings { path: corpus.path().into(), there_are: names }),
        }
    }

    /// Opens a cleansing by its name, all categories for `none`, and without a name the preferred ones.
    ///
    /// # Errors
    /// As for [`Categories::cleansed`] and [`Categories::preferred`].
    pub fn named(corpus: &Corpus, cleansing: Option<&str>) -> Result<Categories, Error> {
        match cleansing {
            None => Categories::preferred(corpus),
            Some(NO_CLEANSING) => Ok(Categories::all(corpus)),
            Some(name) => Categories::cleansed(corpus, name),
        }
    }

    pub(crate) fn of_milestones(corpus: &Corpus, milestones: Option<Arc<Milestones>>) -> Categories {
        Categories::new(corpus, milestones.map_or(Source::Corpus, Source::Milestones))
    }

    /// Makes lists of the pages the categories.
    pub(crate) fn of_lists(corpus: &Corpus, lists: Arc<dyn PageLists>) -> Categories {
        Categories::new(corpus, Source::Lists(lists))
    }

    fn new(corpus: &Corpus, source: Source) -> Categories {
        Categories { corpus: corpus.clone(), source, overlay: None }
    }

    /// Returns the categories over a corpus in which a page differs from the one on disk: they follow from its
    /// categories and its text.
    ///
    /// # Errors
    /// If a file is damaged, or it is not known how texts were read.
    pub(crate) fn with_page(&self, corpus: &Corpus, page: PageId) -> Result<Categories, Error> {
        let carried: Vec<MilestoneId> = match &self.source {
            Source::Corpus => bytemuck::cast_slice(corpus.categories(page)?).to_vec(),
            Source::Milestones(milestones) => {
                milestones.of_categories(&self.corpus, corpus.categories(page)?)?
            }
            Source::Lists(lists) => lists.of_text(&corpus.text(page)?.unwrap_or_default())?,
        };
        let overlay = Some(Arc::new((page, carried)));
        Ok(Categories { corpus: corpus.clone(), source: self.source.clone(), overlay })
    }

    /// Returns the corpus.
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// Returns the cleansing, if there is one.
    pub fn milestones(&self) -> Option<&Arc<Milestones>> {
        match &self.source {
            Source::Milestones(milestones) => Some(milestones),
            _ => None,
        }
    }

    /// Returns the kind of these categories.
    pub fn feature(&self) -> Feature {
        match &self.source {
            Source::Lists(lists) => lists.feature(),
            _ => Feature::Categories,
        }
    }

    /// Returns what distinguishes these from others of the same kind, where they are neither categories nor milestones.
    pub(crate) fn checksum(&self) -> Option<String> {
        match &self.source {
            Source::Lists(lists) => Some(lists.checksum()),
            _ => None,
        }
    }

    /// Returns the number of categories.
    pub fn num(&self) -> usize {
        match &self.source {
            Source::Corpus => self.corpus.num_categories(),
            Source::Milestones(milestones) => milestones.num(),
            Source::Lists(lists) => lists.num(),
        }
    }

    /// Returns the categories of a page, ascending.
    ///
    /// # Errors
    /// If a file is damaged there, or there is no such page.
    pub fn of(&self, page: PageId) -> Result<&[MilestoneId], Error> {
        if let Some((_, carried)) = self.overlay.as_deref().filter(|(other, _)| *other == page) {
            return Ok(carried);
        }
        match &self.source {
            Source::Corpus => Ok(bytemuck::cast_slice(self.corpus.categories(page)?)),
            Source::Milestones(milestones) => milestones.of(page),
            Source::Lists(lists) => lists.of(page),
        }
    }

    /// Returns the name of a category.
    pub fn name(&self, milestone: MilestoneId) -> Result<&str, Error> {
        match &self.source {
            Source::Corpus => self.corpus.category_name(CategoryId(milestone.0)),
            Source::Milestones(milestones) => self.corpus.category_name(milestones.category(milestone)?),
            Source::Lists(lists) => lists.name(milestone),
        }
    }

    /// Returns what a category of the corpus is or became; `None` where the cleansing dropped it.
    pub fn milestone(&self, category: CategoryId) -> Result<Option<MilestoneId>, Error> {
        match &self.source {
            Source::Corpus => Ok(Some(MilestoneId(category.0))),
            Source::Milestones(milestones) => {
                Ok(milestones.milestone(category)?.map(|(milestone, _)| milestone))
            }
            Source::Lists(_) => Ok(None),
        }
    }

    /// Returns the graph with these categories, for work on all of it; checks every byte.
    pub fn graph(&self) -> Result<Graph<'_>, Error> {
        let lists = match &self.source {
            Source::Corpus => return Categories::whole_graph(&self.corpus),
            Source::Milestones(milestones) => milestones.pages()?,
            Source::Lists(lists) => lists.all()?,
        };
        Ok(Graph::new(self.corpus.all_links()?, lists, self.num()))
    }

    /// Returns the graph with all categories of a corpus; checks every byte.
    pub fn whole_graph(corpus: &Corpus) -> Result<Graph<'_>, Error> {
        let categories: Csr<'_, MilestoneId> = corpus.all_categories()?.cast();
        Ok(Graph::new(corpus.all_links()?, categories, corpus.num_categories()))
    }

    /// Returns those of a page's own categories that a milestone replaces; none where it lies further up.
    pub fn origins(&self, page: PageId, milestone: MilestoneId) -> Result<Vec<&str>, Error> {
        let Some(milestones) = self.milestones() else { return Ok(vec![self.name(milestone)?]) };
        let mut origins = Vec::new();
        for &own in self.corpus.categories(page)? {
            if milestones.milestone(own)?.is_some_and(|(of_own, _)| of_own == milestone) {
                origins.push(self.corpus.category_name(own)?);
            }
        }
        Ok(origins)
    }
}
