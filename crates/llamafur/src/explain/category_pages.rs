//! Index of the pages of each category, so that the links of a pair are found without reading the whole graph.
//!
//! It is built once and kept in a file: `pages-by-categories.arrow`, for a cleansing `pages-by-categories-NAME.arrow`,
//! for words `pages-by-words.arrow` and `pages-by-lead.arrow`. Record batches of one row, 8,192 categories in each,
//! with one column, `pages`: for each category its pages, ascending.

use crate::Error;
use crate::categories::Categories;
use crate::error::Artifact;
use crate::graph::inverted::AscendingLists;
use crate::graph::{MilestoneId, PageId};
use crate::progress::{Cached, Progress, Task};
use crate::storage::arrow_file::{ArrowFile, ArrowWriter, Sink, list_of};
use crate::storage::columns::lists_type;
use crate::storage::kept::kept_or_made;
use crate::storage::list_batches::{ListBatchWriter, ListBatches};
use crate::storage::mmap::Mapped;
use crate::storage::signed::Format;
use arrow_schema::{Field, Schema};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

const FORMAT: Format = Format {
    name: "llamafur pages by category",
    version: 1,
    of: Artifact::Prepared,
    what: "the settings of pages by category",
};

/// The identity of a file.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Settings {
    /// The checksum of the graph.
    graph: String,
    /// The checksum of the categories.
    categories: String,
    num_categories: usize,
}

/// The start of each record batch.
#[derive(Serialize, Deserialize)]
struct Places {
    batches_at: Vec<u64>,
}

/// The pages of each category.
#[derive(Debug)]
pub(crate) struct CategoryPages {
    lists: ListBatches<PageId>,
    num_pages: usize,
}

impl CategoryPages {
    /// Opens the index of these categories if it is kept, else builds it in `memory` bytes.
    ///
    /// # Errors
    /// If a file is damaged, or the disk is full.
    pub(crate) fn kept_or_made(
        categories: &Categories,
        memory: u64,
        progress: &mut dyn Progress,
    ) -> Result<CategoryPages, Error> {
        let feature = categories.feature().name();
        let (name, identity) = match categories.milestones() {
            None => (feature.to_owned(), categories.checksum().unwrap_or_default()),
            Some(milestones) => {
                (format!("{feature}-{}", milestones.id().name), milestones.id().checksum.clone())
            }
        };
        let path = categories.corpus().prepared(&format!("pages-by-{name}.arrow"));
        let settings = Settings {
            graph: categories.corpus().manifest().graph_checksum(),
            categories: identity,
            num_categories: categories.num(),
        };
        let make = |sink, progress: &mut dyn Progress| {
            write(&path, sink, categories, (memory / 4) as usize, &settings, progress)
        };
        let open = |path, map| {
            let num_pages = categories.corpus().num_pages();
            Ok(CategoryPages { lists: open(path, map, &settings, num_pages)?, num_pages })
        };
        let create = |path: &Path, block| categories.corpus().create_file(path, block);
        kept_or_made(&path, Cached::CategoryPages, create, open, make, progress)
    }

    /// Returns the pages of a category, ascending.
    pub(crate) fn of(&self, category: MilestoneId) -> Result<&[PageId], Error> {
        self.lists.get(category.index())
    }

    /// Returns the pages of any of these categories, ascending, each once.
    pub(super) fn of_any(
        &self,
        categories: impl IntoIterator<Item = MilestoneId>,
    ) -> Result<Vec<PageId>, Error> {
        let mut pages = Vec::new();
        for category in categories {
            pages.extend_from_slice(self.of(category)?);
        }
        pages.sort_unstable();
        pages.dedup();
        Ok(pages)
    }

    /// Returns for each page whether it is of any of these categories.
    pub(super) fn marked(
        &self,
        categories: impl IntoIterator<Item = MilestoneId>,
    ) -> Result<Vec<bool>, Error> {
        let mut marked = vec![false; self.num_pages];
        for category in categories {
            self.of(category)?.iter().for_each(|page| marked[page.index()] = true);
        }
        Ok(marked)
    }
}

fn schema() -> Schema {
    Schema::new(vec![Field::new("pages", list_of(lists_type()), false)])
}

fn open(
    path: PathBuf,
    map: Mapped,
    expected: &Settings,
    num_pages: usize,
) -> Result<ListBatches<PageId>, Error> {
    let file = ArrowFile::<Settings, Places>::open(path.clone(), map, &FORMAT)?;
    if file.settings != *expected {
        return Err(Error::OtherCorpus { what: Artifact::Prepared, path });
    }
    ListBatches::new(&file.map, &file.places.batches_at, 0, expected.num_categories, PageId(num_pages as u32))
}

fn write(
    path: &Path,
    sink: Sink,
    categories: &Categories,
    most: usize,
    settings: &Settings,
    progress: &mut dyn Progress,
) -> Result<Sink, Error> {
    progress
        .start(Task::CategoryPages { feature: categories.feature().name() }, Some(categories.num() as u64));
    let mut writer = ListBatchWriter::new("pages", schema(), ArrowWriter::new(path, sink, &schema())?);
    let row = |page: usize| Ok(bytemuck::cast_slice(categories.of(PageId(page as u32))?));
    let (num_rows, num_values) = (categories.corpus().num_pages(), categories.num());
    let table = AscendingLists { num_rows, num_values, row: &row, most };
    table.inverted(|categories, pages| {
        writer.push_all(pages.view(), [])?;
        progress.advance(categories.len() as u64);
        Ok(())
    })?;
    let finished = writer.finish()?.finish(&FORMAT, settings, |batches_at| Places { batches_at });
    progress.finish();
    Ok(finished?.0)
}
