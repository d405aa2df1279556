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
mod file;
mod similar;
mod tree;

pub use cleanse::{Cleanser, Cleansing, Figures, Move};
pub use conf::{Basis, CleanseConf, Goal};
pub use file::{CleansingId, Milestones, Settings};

use crate::Error;
use crate::corpus::Corpus;
use crate::graph::{CategoryId, Graph, MilestoneId, PageId};
use crate::storage::Csr;
use std::sync::Arc;

/// The name of the cleansing that is used where none is asked for.
pub const DEFAULT: &str = "default";

/// The name by which no cleansing is asked for.
pub const NO_CLEANSING: &str = "none";

/// The categories that a model speaks of: all of the corpus, or the milestones of a cleansing.
///
/// A [`MilestoneId`] is a number among these. Only here does it become the number that the corpus has for the category, a
/// [`CategoryId`]: with a cleansing by the table of milestones, without one it is the same number.
#[derive(Debug, Clone)]
pub struct Categories {
    corpus: Corpus,
    milestones: Option<Arc<Milestones>>,
}

impl Categories {
    /// The categories as the corpus has them.
    pub fn all(corpus: &Corpus) -> Categories {
        Categories { corpus: corpus.clone(), milestones: None }
    }

    /// The milestones of a cleansing.
    ///
    /// # Errors
    /// If there is none of that name, or its file is damaged or of another corpus.
    pub fn cleansed(corpus: &Corpus, name: &str) -> Result<Categories, Error> {
        Ok(Categories { corpus: corpus.clone(), milestones: Some(Arc::new(Milestones::open(corpus, name)?)) })
    }

    /// What is learnt from unless told otherwise: the default cleansing, else the only one, else all categories.
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

    pub(crate) fn of_milestones(corpus: &Corpus, milestones: Option<Arc<Milestones>>) -> Categories {
        Categories { corpus: corpus.clone(), milestones }
    }

    /// The corpus.
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// The cleansing, if there is one.
    pub fn milestones(&self) -> Option<&Arc<Milestones>> {
        self.milestones.as_ref()
    }

    /// How many categories there are.
    pub fn num(&self) -> usize {
        self.milestones.as_ref().map_or(self.corpus.num_categories(), |milestones| milestones.num())
    }

    /// The categories of a page, ascending.
    ///
    /// # Errors
    /// If a file is damaged there, or there is no such page. The same holds for all that follow.
    pub fn of(&self, page: PageId) -> Result<&[MilestoneId], Error> {
        match &self.milestones {
            Some(milestones) => milestones.of(page),
            None => Ok(bytemuck::cast_slice(self.corpus.categories(page)?)),
        }
    }

    /// The name of a category.
    pub fn name(&self, milestone: MilestoneId) -> Result<&str, Error> {
        let category = match &self.milestones {
            Some(milestones) => milestones.category(milestone)?,
            None => CategoryId(milestone.0),
        };
        self.corpus.category_name(category)
    }

    /// The one of these that a category of the corpus is or became; `None` where the cleansing dropped it.
    pub fn milestone(&self, category: CategoryId) -> Result<Option<MilestoneId>, Error> {
        match &self.milestones {
            Some(milestones) => Ok(milestones.milestone(category)?.map(|(milestone, _)| milestone)),
            None => Ok(Some(MilestoneId(category.0))),
        }
    }

    /// The graph with these categories, for work that goes over all of it; every byte of it is checked here.
    ///
    /// # Errors
    /// If a file is damaged.
    pub fn graph(&self) -> Result<Graph<'_>, Error> {
        match &self.milestones {
            None => Categories::whole_graph(&self.corpus),
            Some(milestones) => {
                Ok(Graph::new(self.corpus.all_links()?, milestones.pages()?, milestones.num()))
            }
        }
    }

    /// The graph with all categories of a corpus; every byte of it is checked here.
    ///
    /// # Errors
    /// If a file is damaged.
    pub fn whole_graph(corpus: &Corpus) -> Result<Graph<'_>, Error> {
        let categories: Csr<'_, MilestoneId> = corpus.all_categories()?.cast();
        Ok(Graph::new(corpus.all_links()?, categories, corpus.num_categories()))
    }

    /// Which of a page's own categories a milestone replaces; none where it lies further up.
    pub fn origins(&self, page: PageId, milestone: MilestoneId) -> Result<Vec<&str>, Error> {
        let Some(milestones) = &self.milestones else { return Ok(vec![self.name(milestone)?]) };
        let mut origins = Vec::new();
        for &own in self.corpus.categories(page)? {
            if milestones.milestone(own)?.is_some_and(|(of_own, _)| of_own == milestone) {
                origins.push(self.corpus.category_name(own)?);
            }
        }
        Ok(origins)
    }
}
