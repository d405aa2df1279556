//! The vectors that a model gives to the pages, kept beside the corpus: `prepared/vectors-MODEL.arrow`.
//!
//! An Arrow file of record batches with one row each, whose columns are lists over 8,192 pages, in their order.
//!
//! | column | for each page | |
//! |---|---|---|
//! | `vectors` | 2k integers | the page's vector, of the last matrix: the source side, then the target side |
//! | `targets` | k integers a matrix | the target sides of the other matrices |
//! | `scales` | a 32-bit float a matrix, and one | by which the integers of the target side become Q, and those of the last source side P; 0 where the page carries nothing |
//!
//! The footer's metadata has one entry, `llamafur`: the [`Settings`] as JSON with the sums of the blocks of all that is
//! before, and a checksum of itself. The same model gives the same bytes on any number of threads.

use super::table::Table;
use super::units::{TargetTables, UnitVectors, both_sides, target_side};
use crate::error::{Artifact, Error, Missing};
use crate::graph::PageId;
use crate::learn::{Method, Model};
use crate::matrix::{FactoredMatrix, Matrix};
use crate::progress::{Cached, Progress, Silent, Task};
use crate::storage::arrow_file::{ArrowFile, ArrowWriter, Sink, list_of, one_row};
use crate::storage::columns::Table as Batch;
use crate::storage::kept::kept_or_made;
use crate::storage::list_batches::ROWS_IN_BATCH;
use crate::storage::mmap::Mapped;
use crate::storage::signed::Format;
use arrow_array::{ArrayRef, Float32Array, Int16Array};
use arrow_schema::{DataType, Field, Schema};
use bytemuck::Pod;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const FORMAT: Format = Format {
    name: "llamafur page vectors",
    version: 1,
    of: Artifact::Prepared,
    what: "the settings of page vectors",
};

/// The identity of the vectors.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Settings {
    /// The checksum of the model.
    model: String,
    pages: usize,
    /// The rank of each matrix.
    ranks: Vec<usize>,
}

/// The start of each record batch.
#[derive(Serialize, Deserialize)]
struct Places {
    batches_at: Vec<u64>,
}

/// Returns whether all matrices of a model are factored, so that it gives the pages vectors.
pub(crate) fn gives_vectors(model: &Model) -> bool {
    model.matrices().all(|matrix| matrix.settings().method == Method::Factored)
}

impl UnitVectors {
    /// Returns the vectors that a model gives to the pages: those kept beside the corpus if they are of this model, or
    /// else new ones, which are kept; a failure to keep them is noted.
    ///
    /// # Errors
    /// If a matrix of the model is not factored.
    pub(crate) fn kept_or_made(model: &Model, progress: &mut dyn Progress) -> Result<UnitVectors, Error> {
        let shape = Shape::of(model)?;
        let path = model.categories().corpus().prepared(&format!("vectors-{}.arrow", model.name()));
        let make = |sink, progress: &mut dyn Progress| Pages::of(model, &shape)?.write(&path, sink, progress);
        let create = |path: &Path, block| model.categories().corpus().create_file(path, block);
        kept_or_made(&path, Cached::Vectors, create, |path, map| shape.open(path, map), make, progress)
    }

    /// Computes the vectors in memory alone.
    ///
    /// # Errors
    /// As for [`UnitVectors::kept_or_made`].
    pub(crate) fn of_model(model: &Model) -> Result<UnitVectors, Error> {
        let (shape, path) = (Shape::of(model)?, Path::new("vectors"));
        let sink = Pages::of(model, &shape)?.write(path, Sink::in_memory(), &mut Silent)?;
        shape.open(path.into(), sink.into_map(path)?)
    }
}

impl UnitVectors {
    /// Returns the vectors with those that the model gives to a page that differs from the one on disk.
    pub(crate) fn with_page(&self, model: &Model, page: PageId) -> Result<UnitVectors, Error> {
        let shape = Shape::of(model)?;
        let mut matrices = Vec::new();
        for one in model.matrices() {
            matrices
                .extend(one.factored_on_both_sides(one.categories().of(page)?)?.map(|matrix| (one, matrix)));
        }
        let [vectors, targets, scales] = shape.widths();
        let (mut vector, mut targets, mut scales) = (vec![0; vectors], vec![0; targets], vec![0.0; scales]);
        Pages { shape: &shape, matrices }.fill(page, &mut vector, &mut targets, &mut scales)?;
        Ok(self.with_rows(page, vector, targets, scales))
    }
}

/// The layout of a model's vectors.
struct Shape {
    settings: Settings,
    rests_on: String,
}

/// The pages of a model's corpus with its matrices.
struct Pages<'a> {
    shape: &'a Shape,
    matrices: Vec<(&'a Model, &'a FactoredMatrix)>,
}

/// The numbers of some pages, end to end.
struct Rows {
    vectors: Vec<i16>,
    targets: Vec<i16>,
    scales: Vec<f32>,
}

impl Shape {
    fn of(model: &Model) -> Result<Shape, Error> {
        let corpus = model.categories().corpus();
        if !gives_vectors(model) {
            return Err(Error::Missing { path: corpus.path().into(), what: Missing::FactoredMatrix });
        }
        let ranks = model.matrices().map(|matrix| matrix.settings().rank).collect();
        let settings = Settings { model: model.checksum(), pages: corpus.num_pages(), ranks };
        let last = model.matrices().last().unwrap_or(model).settings().feature;
        let rests_on = format!("{} {last}", settings.model);
        Ok(Shape { settings, rests_on })
    }

    /// Returns the length of a row of each table.
    fn widths(&self) -> [usize; 3] {
        let ranks = &self.settings.ranks;
        let (last, all) = (ranks[ranks.len() - 1], ranks.iter().sum::<usize>());
        [2 * last, all - last, ranks.len() + 1]
    }

    /// Returns the columns of each matrix's target side in a row.
    fn columns(&self) -> Vec<Range<usize>> {
        let (last, others) = self.settings.ranks.split_last().expect("a model has a matrix");
        let mut end = 0;
        let others = others.iter().map(|rank| {
            end += rank;
            end - rank..end
        });
        let mut columns: Vec<Range<usize>> = others.collect();
        columns.push(*last..2 * last);
        columns
    }

    /// Opens the vectors in a file.
    fn open(&self, path: PathBuf, map: Mapped) -> Result<UnitVectors, Error> {
        let file = ArrowFile::<Settings, Places>::open(path.clone(), map, &FORMAT)?;
        if file.settings != self.settings {
            return Err(Error::OtherCorpus { what: Artifact::Prepared, path });
        }
        let batch = |at: &u64| Batch::of_batch(file.map.clone(), *at as usize);
        let batches = file.places.batches_at.iter().map(batch).collect::<Result<Vec<_>, _>>()?;
        let [vectors, targets, scales] = self.widths();
        let vectors = self.mapped(&path, &batches, 0, vectors)?;
        let rows = self.mapped(&path, &batches, 1, targets)?;
        let scales = self.mapped(&path, &batches, 2, scales)?;
        let sides = TargetTables { columns: self.columns(), rows, scales };
        Ok(UnitVectors::new(self.widths()[0], self.rests_on.clone(), vectors, Some(sides)))
    }

    /// Returns the rows of a column.
    fn mapped<T: Pod + Send + Sync>(
        &self,
        path: &Path,
        batches: &[Batch],
        column: usize,
        width: usize,
    ) -> Result<Table<T>, Error> {
        let pages = self.settings.pages;
        let lists = batches.iter().map(|batch| batch.only_list(BUFFERS * column));
        let table = Table::mapped(width, pages, lists.collect::<Result<_, Error>>()?);
        table
            .ok_or_else(|| Error::damaged(path, "other numbers of values", format!("those of {pages} pages")))
    }
}

impl<'a> Pages<'a> {
    fn of(model: &'a Model, shape: &'a Shape) -> Result<Pages<'a>, Error> {
        let mut matrices = Vec::new();
        for one in model.matrices() {
            if let Matrix::Factored(matrix) = one.whole()? {
                matrices.push((one, matrix));
            }
        }
        Ok(Pages { shape, matrices })
    }

    /// Computes the numbers of these pages on all threads.
    fn rows(&self, pages: Range<usize>) -> Result<Rows, Error> {
        let [vectors, targets, scales] = self.shape.widths();
        let num = pages.len();
        let mut rows = Rows {
            vectors: vec![0; num * vectors],
            targets: vec![0; num * targets],
            scales: vec![0.0; num * scales],
        };
        // One of these may have no columns.
        let of_targets: Vec<&mut [i16]> = match targets {
            0 => (0..num).map(|_| &mut [][..]).collect(),
            _ => rows.targets.chunks_exact_mut(targets).collect(),
        };
        let each = rows.vectors.par_chunks_exact_mut(vectors).zip(of_targets);
        let each = each.zip(rows.scales.par_chunks_exact_mut(scales)).zip(pages);
        each.try_for_each(|(((vector, targets), scales), page)| {
            self.fill(PageId(page as u32), vector, targets, scales)
        })?;
        Ok(rows)
    }

    fn fill(
        &self,
        page: PageId,
        vector: &mut [i16],
        mut targets: &mut [i16],
        scales: &mut [f32],
    ) -> Result<(), Error> {
        let last = self.matrices.len() - 1;
        for (at, (model, matrix)) in self.matrices.iter().enumerate() {
            let (carried, rank) = (model.categories().of(page)?, matrix.rank());
            let (of_matrix, others) = targets.split_at_mut(if at == last { 0 } else { rank });
            targets = others;
            if carried.is_empty() {
                continue;
            }
            if at < last {
                scales[at] = target_side(matrix, carried, of_matrix);
            } else {
                [scales[last + 1], scales[last]] = both_sides(matrix, carried, vector);
            }
        }
        Ok(())
    }

    fn batches(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let pages = self.shape.settings.pages;
        (0..pages).step_by(ROWS_IN_BATCH).map(move |start| start..(start + ROWS_IN_BATCH).min(pages))
    }

    /// Writes the file, a batch of pages at a time.
    fn write(&self, path: &Path, sink: Sink, progress: &mut dyn Progress) -> Result<Sink, Error> {
        progress.start(Task::PageVectors, Some(self.shape.settings.pages as u64));
        let field = |name, item| Field::new(name, list_of(item), false);
        let schema = Schema::new(vec![
            field("vectors", DataType::Int16),
            field("targets", DataType::Int16),
            field("scales", DataType::Float32),
        ]);
        let mut writer = ArrowWriter::new(path, sink, &schema)?;
        for pages in self.batches() {
            let (num, rows) = (pages.len(), self.rows(pages)?);
            let columns: [ArrayRef; 3] = [
                Arc::new(Int16Array::from(rows.vectors)),
                Arc::new(Int16Array::from(rows.targets)),
                Arc::new(Float32Array::from(rows.scales)),
            ];
            writer.write(&one_row("vectors", schema.clone(), columns)?)?;
            progress.advance(num as u64);
        }
        let finished = writer.finish(&FORMAT, &self.shape.settings, |batches_at| Places { batches_at });
        progress.finish();
        Ok(finished?.0)
    }
}

/// Number of buffers of a column of lists of numbers.
const BUFFERS: usize = 4;
