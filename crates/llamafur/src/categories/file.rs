//! A cleansing on disk: `milestones.arrow` in the corpus's folder, or `milestones-NAME.arrow`.
//!
//! An Arrow file with one row, each of whose columns is a list: three tables of different lengths that must be
//! replaced together are so in one file.
//!
//! | column | one value for each | |
//! |---|---|---|
//! | `category` | milestone | its row in `categories.arrow`, ascending |
//! | `centrality` | milestone | its harmonic centrality; without a tree, its pages |
//! | `milestone` | category of the corpus | the place in `category` of its milestone, 2³² − 1 for none |
//! | `distance` | category of the corpus | levels up to it, 2³² − 1 for none |
//! | `pages` | page | the places in `category` of its milestones, ascending |
//!
//! The footer's metadata has one entry, `llamafur`: the [`Settings`] as JSON with the sums of the blocks of all that
//! is before, and a checksum of itself. Same corpus and settings, same bytes.

use super::choice::NONE;
use super::cleanse::{Cleansing, Figures};
use super::conf::Basis;
use super::{DEFAULT, NO_CLEANSING};
use crate::corpus::{Corpus, is_plain};
use crate::error::{Artifact, Error};
use crate::graph::{CategoryId, MilestoneId, PageId};
use crate::storage::arrow_file::{ArrowFile, ArrowWriter, Sink, list_of, lists, one_row};
use crate::storage::columns::{Ids, Lists, Table, lists_type};
use crate::storage::signed::Format;
use crate::storage::{BLOCK, Csr, mmap};
use arrow_array::{ArrayRef, Float64Array, UInt32Array};
use arrow_schema::{DataType, Field, Schema};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The version of the format that this program writes and reads.
pub(super) const CLEANSING_VERSION: u32 = 1;

const FORMAT: Format = Format {
    name: "llamafur milestones",
    version: CLEANSING_VERSION,
    of: Artifact::Cleansing,
    what: "a cleansing's settings",
};
const STEM: &str = "milestones";
const EXTENSION: &str = ".arrow";

/// The settings of a cleansing and its figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The basis by which the milestones were chosen.
    pub basis: Basis,
    /// The kind of centrality, as files have it.
    pub(super) centrality: Centrality,
    /// The goal, as on the command line.
    pub goal: String,
    /// Texts that a milestone's name must not contain.
    pub exclude: Vec<String>,
    /// Pages that a milestone must have.
    pub min_pages: usize,
    /// Levels above a page's milestones whose milestones it has too.
    pub ancestors: usize,
    /// The checksum of the graph, [`crate::corpus::Manifest::graph_checksum`].
    pub graph: String,
    /// The results of the cleansing in numbers.
    pub figures: Figures,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Centrality {
    #[default]
    Exact,
}

/// The name and checksum of the cleansing that a model was trained on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CleansingId {
    /// The name of the cleansing.
    pub name: String,
    /// The checksum of its file's settings and blocks.
    pub checksum: String,
}

/// The place of the one record batch.
#[derive(Serialize, Deserialize)]
struct Places {
    batch_at: u64,
}

fn schema() -> Schema {
    Schema::new(vec![
        Field::new("category", list_of(DataType::UInt32), false),
        Field::new("centrality", list_of(DataType::Float64), false),
        Field::new("milestone", list_of(DataType::UInt32), false),
        Field::new("distance", list_of(DataType::UInt32), false),
        Field::new("pages", list_of(lists_type()), false),
    ])
}

impl Cleansing {
    /// Writes the cleansing into the corpus's folder, whole or not at all, and returns its path and checksum.
    ///
    /// # Errors
    /// If the name cannot be that of a file, or the disk is full.
    pub fn save(&self, corpus: &Corpus, name: &str) -> Result<(PathBuf, String), Error> {
        let path = Milestones::path(corpus, name)?;
        let sink = Sink::Disk(corpus.create_file(&path, BLOCK)?);
        let mut writer = ArrowWriter::with_sums_in_header(&path, sink, &schema())?;
        writer.write(&one_row("milestones", schema(), self.columns())?)?;
        let places = |places: Vec<u64>| Places { batch_at: places[0] };
        let (sink, checksum) = writer.finish(&FORMAT, &self.settings, places)?;
        if let Sink::Disk(file) = sink {
            file.finish()?;
        }
        Ok((path, checksum))
    }

    fn columns(&self) -> Vec<ArrayRef> {
        let numbers = |values: &[u32]| Arc::new(UInt32Array::from(values.to_vec()));
        let pages = self.pages.view();
        vec![
            numbers(bytemuck::cast_slice(&self.milestones)),
            Arc::new(Float64Array::from(self.centrality.clone())),
            numbers(&self.moves),
            numbers(&self.distances),
            lists(pages.offsets().to_vec(), numbers(bytemuck::cast_slice(pages.values()))),
        ]
    }
}

/// A cleansing of a corpus, opened. Milestones are numbered in the order of their names.
#[derive(Debug)]
pub struct Milestones {
    id: CleansingId,
    settings: Settings,
    table: Table,
    categories: Ids<CategoryId>,
    centrality: Ids<f64>,
    moves: Ids<u32>,
    distances: Ids<u32>,
    pages: Lists<MilestoneId>,
    /// The bound of all category ids: each is below.
    num_categories: usize,
}

impl Milestones {
    /// Returns the path of the cleansing of that name in the corpus.
    ///
    /// # Errors
    /// If the name cannot be that of a file.
    pub fn path(corpus: &Corpus, name: &str) -> Result<PathBuf, Error> {
        if !is_plain(name) || name == NO_CLEANSING {
            return Err(Error::Name { what: Artifact::Cleansing, name: name.into() });
        }
        Ok(corpus.path().join(Milestones::file_of(name)))
    }

    /// Returns the name of the file of a cleansing.
    pub(crate) fn file_of(name: &str) -> String {
        let suffix = if name == DEFAULT { String::new() } else { format!("-{name}") };
        format!("{STEM}{suffix}{EXTENSION}")
    }

    /// Returns the names of a corpus's cleansings, in order.
    pub fn names(corpus: &Corpus) -> Result<Vec<String>, Error> {
        Milestones::names_in(corpus.path())
    }

    /// Returns the names of the cleansings of the corpus in a folder.
    pub(crate) fn names_in(corpus: &Path) -> Result<Vec<String>, Error> {
        let mut names = Vec::new();
        for entry in fs::read_dir(corpus).map_err(Error::io(corpus))? {
            let entry = entry.map_err(Error::io(corpus))?;
            let file = entry.file_name().to_string_lossy().into_owned();
            match file.strip_prefix(STEM).and_then(|rest| rest.strip_suffix(EXTENSION)) {
                Some("") => names.push(DEFAULT.to_owned()),
                Some(rest) => names.extend(rest.strip_prefix('-').map(str::to_owned)),
                None => {}
            }
        }
        names.sort();
        Ok(names)
    }

    /// Opens a cleansing of a corpus.
    ///
    /// # Errors
    /// If there is none of that name, it is of another corpus, or it is damaged; the lists are checked when they are
    /// read.
    pub fn open(corpus: &Corpus, name: &str) -> Result<Milestones, Error> {
        let path = Milestones::path(corpus, name)?;
        if !path.exists() {
            let (name, there_are) = (name.to_owned(), Milestones::names(corpus)?);
            return Err(Error::NotFound { what: Artifact::Cleansing, path, name, there_are });
        }
        let map = mmap::map(&path)?;
        let file = ArrowFile::<Settings, Places>::open(path.clone(), map, &FORMAT)?;
        if file.settings.graph != corpus.manifest().graph_checksum() {
            return Err(Error::OtherCorpus { what: Artifact::Cleansing, path });
        }
        let table = Table::of_batch(file.map, file.places.batch_at as usize)?;
        let categories: Ids<CategoryId> = table.only_list(0)?;
        let milestones = Milestones {
            id: CleansingId { name: name.into(), checksum: file.checksum },
            settings: file.settings,
            centrality: table.only_list(4)?,
            moves: table.only_list(8)?,
            distances: table.only_list(12)?,
            pages: table.only_lists(16, Some(MilestoneId(categories.len() as u32)))?,
            categories,
            table,
            num_categories: corpus.num_categories(),
        };
        let lengths = [
            (milestones.centrality.len(), milestones.num()),
            (milestones.moves.len(), corpus.num_categories()),
            (milestones.distances.len(), corpus.num_categories()),
            (milestones.pages.num_rows(), corpus.num_pages()),
        ];
        match lengths.into_iter().find(|(found, expected)| found != expected) {
            Some((found, expected)) => {
                Err(Error::damaged(&path, format!("a list of {found}"), format!("{expected} values")))
            }
            None => Ok(milestones),
        }
    }

    /// Returns the name and checksum of the cleansing.
    pub fn id(&self) -> &CleansingId {
        &self.id
    }

    /// Returns the settings of the cleansing and its figures.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the number of milestones.
    pub fn num(&self) -> usize {
        self.categories.len()
    }

    /// Returns the category of a milestone, as the corpus numbers it.
    ///
    /// # Errors
    /// If the file is damaged there, or there is no such milestone.
    pub fn category(&self, milestone: MilestoneId) -> Result<CategoryId, Error> {
        let category = self.categories.get(milestone.index())?;
        self.expect_below(category.0, self.num_categories)?;
        Ok(category)
    }

    /// Returns the centrality of a milestone.
    pub fn centrality(&self, milestone: MilestoneId) -> Result<f64, Error> {
        self.centrality.get(milestone.index())
    }

    /// Returns the milestone that the pages of a category of the corpus get, and the levels up to it.
    pub fn milestone(&self, category: CategoryId) -> Result<Option<(MilestoneId, u32)>, Error> {
        let milestone = self.moves.get(category.index())?;
        if milestone == NONE {
            return Ok(None);
        }
        self.expect_below(milestone, self.num())?;
        Ok(Some((MilestoneId(milestone), self.distances.get(category.index())?)))
    }

    /// Returns the milestones of a page, ascending.
    pub fn of(&self, page: PageId) -> Result<&[MilestoneId], Error> {
        self.pages.get(page.index())
    }

    /// Returns the milestones of all pages; checks every byte of them.
    pub fn pages(&self) -> Result<Csr<'_, MilestoneId>, Error> {
        self.pages.all()
    }

    /// Checks every checksum, every id's range, and that lists ascend.
    pub fn verify(&self) -> Result<(), Error> {
        self.table.check_all()?;
        let categories = self.categories.all()?;
        if !categories.is_sorted_by(|a, b| a < b) || !self.pages()?.has_ascending_rows() {
            return Err(Error::damaged(self.table.map().path(), "a list out of order", "ascending order"));
        }
        categories.last().map_or(Ok(()), |last| self.expect_below(last.0, self.num_categories))?;
        self.moves
            .all()?
            .iter()
            .filter(|&&to| to != NONE)
            .try_for_each(|&to| self.expect_below(to, self.num()))
    }

    fn expect_below(&self, id: u32, limit: usize) -> Result<(), Error> {
        if (id as usize) < limit {
            return Ok(());
        }
        let path = self.table.map().path();
        Err(Error::damaged(path, "an id that is out of range", format!("ids below {limit}")))
    }
}
