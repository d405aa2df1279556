//! The vectors that a model gives to the pages, kept beside the corpus: `prepared/vectors-MODEL.arrow`.
//!
//! An Arrow file of record batches with one row each, whose columns are lists: of 8,192 pages, in their order.
//!
//! | column | for each page | |
//! |---|---|---|
//! | `vectors` | 2k integers | the page's vector, of the last matrix: the source side, then the target side |
//! | `targets` | k integers a matrix | the target sides of the other matrices |
//! | `scales` | a 32-bit float a matrix, and one | by which the integers of the target side become Q, and those of the last source side P; 0 where the page carries nothing |
//!
//! The footer's metadata has one entry, `llamafur`: the [`Settings`] as JSON with the sums of the blocks of all that is
//! before, and a checksum of itself. Same model, same bytes, on any number of threads.

use super::table::{PAGES_IN_BATCH, Table};
use super::units::{TargetTables, UnitVectors, mean_row, round};
use crate::corpus::Corpus;
use crate::error::{Artifact, Error, Missing};
use crate::graph::PageId;
use crate::learn::{Method, Model};
use crate::matrix::{FactoredMatrix, Matrix};
use crate::progress::{Cached, Note, Progress, Task};
use crate::storage::arrow_file::{ArrowFile, ArrowWriter, Sink, list_of, one_row};
use crate::storage::columns::Table as Batch;
use crate::storage::signed::Format;
use crate::storage::{AtomicFile, BLOCK, mmap};
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
    of: Artifact::Vectors,
    what: "the settings of page vectors",
};
const FOLDER: &str = "prepared";

/// Vectors of at most so many bytes are checked as a whole when they are opened; of larger ones what is read.
const CHECKED_WHOLE: usize = 64 << 20;

/// What they are of.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Settings {
    /// The checksum of the model.
    model: String,
    pages: usize,
    /// The rank of each matrix.
    ranks: Vec<usize>,
}

/// Where each record batch begins.
#[derive(Serialize, Deserialize)]
struct Places {
    batches_at: Vec<u64>,
}

fn path(corpus: &Corpus, model: &str) -> PathBuf {
    corpus.path().join(FOLDER).join(format!("vectors-{model}.arrow"))
}

/// Whether all matrices of a model are factored, so that it gives the pages vectors.
pub(crate) fn gives_vectors(model: &Model) -> bool {
    model.matrices().all(|matrix| matrix.settings().method == Method::Factored)
}

impl UnitVectors {
    /// The vectors that a model gives to the pages: those beside the corpus if they are of this model and whole, or else they
    /// are made, and kept unless that cannot be done, which is noted.
    ///
    /// # Errors
    /// If a matrix of the model is not factored, or a file of the corpus or the model is damaged.
    pub(crate) fn kept_or_made(model: &Model, progress: &mut dyn Progress) -> Result<UnitVectors, Error> {
        let pages = Pages::of(model)?;
        let path = path(pages.corpus, model.name());
        if let Some(kept) = pages.open_whole(&path, progress) {
            return Ok(kept);
        }
        progress.start(Task::PageVectors, Some(pages.settings.pages as u64));
        let written = pages.write(&path, progress).and_then(|()| pages.open(&path, CHECKED_WHOLE));
        let made = match written {
            Ok(Some(made)) => made,
            Ok(None) => pages.held()?,
            Err(error) => {
                let made = pages.held()?;
                progress.note(Note::NotCached { what: Cached::Vectors, error: error.to_string() });
                made
            }
        };
        progress.finish();
        Ok(made)
    }

    /// The same in memory alone.
    ///
    /// # Errors
    /// As for [`UnitVectors::kept_or_made`].
    pub(crate) fn of_model(model: &Model) -> Result<UnitVectors, Error> {
        Pages::of(model)?.held()
    }
}

/// Checks the vectors of all models of a corpus that are kept; the names of their files.
///
/// # Errors
/// At the first damage found.
pub(super) fn verify(corpus: &Corpus) -> Result<Vec<String>, Error> {
    let mut files = Vec::new();
    for name in Model::names(corpus)? {
        let path = path(corpus, &name);
        if path.exists() {
            let file = ArrowFile::<Settings, Places>::open(path.clone(), mmap::map(&path)?, &FORMAT)?;
            file.map.check_all()?;
            files.push(format!("{FOLDER}/vectors-{name}.arrow"));
        }
    }
    Ok(files)
}

/// The pages of a model's corpus, as its matrices see them.
struct Pages<'a> {
    corpus: &'a Corpus,
    matrices: Vec<(&'a Model, &'a FactoredMatrix)>,
    settings: Settings,
    rests_on: String,
}

/// The numbers of some pages, end to end.
struct Rows {
    vectors: Vec<i16>,
    targets: Vec<i16>,
    scales: Vec<f32>,
}

impl<'a> Pages<'a> {
    fn of(model: &'a Model) -> Result<Pages<'a>, Error> {
        let corpus = model.categories().corpus();
        let mut matrices = Vec::new();
        for one in model.matrices() {
            let Matrix::Factored(matrix) = one.whole()? else {
                let path = corpus.path().into();
                return Err(Error::Missing { path, what: Missing::FactoredMatrix });
            };
            matrices.push((one, matrix));
        }
        let ranks = matrices.iter().map(|(_, matrix)| matrix.rank()).collect();
        let settings = Settings { model: model.checksum(), pages: corpus.num_pages(), ranks };
        let last = model.matrices().last().unwrap_or(model).settings().feature;
        let rests_on = format!("{} {last}", settings.model);
        Ok(Pages { corpus, matrices, settings, rests_on })
    }

    /// How many numbers a row of each table has.
    fn widths(&self) -> [usize; 3] {
        let ranks = &self.settings.ranks;
        let (last, all) = (ranks[ranks.len() - 1], ranks.iter().sum::<usize>());
        [2 * last, all - last, ranks.len() + 1]
    }

    /// Which numbers of a row are each matrix's target side.
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

    /// The numbers of these pages, computed on all threads.
    fn rows(&self, pages: Range<usize>) -> Result<Rows, Error> {
        let [vectors, targets, scales] = self.widths();
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
        // Not 0, which would say that the page carries nothing.
        let positive = |scale: f64| (scale as f32).max(f32::MIN_POSITIVE);
        let last = self.matrices.len() - 1;
        for (at, (model, matrix)) in self.matrices.iter().enumerate() {
            let (carried, rank) = (model.categories().of(page)?, matrix.rank());
            let (of_matrix, others) = targets.split_at_mut(if at == last { 0 } else { rank });
            targets = others;
            if carried.is_empty() {
                continue;
            }
            let target = mean_row(matrix.target(), rank, carried);
            if at < last {
                scales[at] = positive(round([&target], of_matrix)[0]);
            } else {
                let source = mean_row(matrix.source(), rank, carried);
                let [of_source, of_target] = round([&source, &target], vector).map(positive);
                (scales[last], scales[last + 1]) = (of_target, of_source);
            }
        }
        Ok(())
    }

    fn batches(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let pages = self.settings.pages;
        (0..pages).step_by(PAGES_IN_BATCH).map(move |start| start..(start + PAGES_IN_BATCH).min(pages))
    }

    /// All in memory.
    fn held(&self) -> Result<UnitVectors, Error> {
        let (pages, [vectors, targets, scales]) = (self.settings.pages, self.widths());
        let rows = self.rows(0..pages)?;
        Ok(self.vectors(
            Table::held(vectors, pages, rows.vectors),
            Table::held(targets, pages, rows.targets),
            Table::held(scales, pages, rows.scales),
        ))
    }

    fn vectors(&self, vectors: Table<i16>, rows: Table<i16>, scales: Table<f32>) -> UnitVectors {
        let sides = TargetTables { columns: self.columns(), rows, scales };
        UnitVectors::new(self.widths()[0], self.rests_on.clone(), vectors, Some(sides))
    }

    /// Writes the file, a batch of pages at a time.
    fn write(&self, path: &Path, progress: &mut dyn Progress) -> Result<(), Error> {
        let folder = path.parent().unwrap_or(path);
        std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
        let written = self.write_file(path, progress);
        if written.is_err() {
            // Removes the folder only if it is empty.
            let _ = std::fs::remove_dir(folder);
        }
        written
    }

    fn write_file(&self, path: &Path, progress: &mut dyn Progress) -> Result<(), Error> {
        let field = |name, item| Field::new(name, list_of(item), false);
        let schema = Schema::new(vec![
            field("vectors", DataType::Int16),
            field("targets", DataType::Int16),
            field("scales", DataType::Float32),
        ]);
        let sink = Sink::Disk(AtomicFile::create(path, BLOCK)?);
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
        let (sink, _) = writer.finish(&FORMAT, &self.settings, |batches_at| Places { batches_at })?;
        if let Sink::Disk(file) = sink {
            file.finish()?;
        }
        Ok(())
    }

    /// The vectors that are kept; `None` if they have to be made. That they are damaged is noted.
    fn open_whole(&self, path: &Path, progress: &mut dyn Progress) -> Option<UnitVectors> {
        if !path.exists() {
            return None;
        }
        match self.open(path, CHECKED_WHOLE) {
            Ok(found) => found,
            Err(Error::Version { .. }) => None,
            Err(_) => {
                progress.note(Note::Rebuilt { path: path.into() });
                None
            }
        }
    }

    /// The vectors in a file, checked up to so many bytes; `None` if they are of another model.
    fn open(&self, path: &Path, checked: usize) -> Result<Option<UnitVectors>, Error> {
        let file = ArrowFile::<Settings, Places>::open(path.into(), mmap::map(path)?, &FORMAT)?;
        if file.settings != self.settings {
            return Ok(None);
        }
        if file.map.num_bytes() <= checked {
            file.map.check_all()?;
        }
        let batch = |at: &u64| Batch::of_batch(file.map.clone(), *at as usize);
        let batches = file.places.batches_at.iter().map(batch).collect::<Result<Vec<_>, _>>()?;
        let [vectors, targets, scales] = self.widths();
        let vectors = self.mapped(path, &batches, 0, vectors)?;
        let targets = self.mapped(path, &batches, 1, targets)?;
        let scales = self.mapped(path, &batches, 2, scales)?;
        Ok(Some(self.vectors(vectors, targets, scales)))
    }

    /// The rows of a column.
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

/// Buffers of a column of lists of numbers.
const BUFFERS: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;
    use crate::vectors::tests::{four, model};

    #[test]
    fn damage_in_a_large_file_is_found_when_it_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let corpus = four(&dir, "a.corpus");
        let model = model(&corpus, 1);
        let pages = Pages::of(&model).unwrap();
        let path = path(&corpus, "x");
        pages.write(&path, &mut Silent).unwrap();
        let whole = pages.open(&path, 0).unwrap().unwrap();
        let row = bytemuck::cast_slice::<i16, u8>(whole.row(PageId(2)).unwrap()).to_vec();
        let mut bytes = std::fs::read(&path).unwrap();
        let at = bytes.windows(row.len()).position(|window| window == row).unwrap();
        bytes[at] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        // The block of the only batch has its places as well.
        let found =
            pages.open(&path, 0).and_then(|opened| opened.unwrap().row(PageId(2)).map(<[i16]>::to_vec));
        assert!(matches!(found, Err(Error::Damaged { path: of, .. }) if of == path));
    }
}
