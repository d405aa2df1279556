//! Models by themselves, and links scored by the categories of their pages: what workers of a cluster use.

use crate::arrow;
use crate::engine::{Engine, json};
use crate::errors::{Failure, Kind};
use crate::frame::Frame;
use crate::learner::{self, Lists as Adjacency, Tables, matrix_of};
use crate::numpy::Array;
use crate::settings::{Learning, With, expect_free, method};
use crate::watch::run;
use arrow_array::builder::{Float64Builder, Int32Builder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array as _, ArrayRef, Int32Array, Int64Array, RecordBatch};
use llamafur::graph::MilestoneId;
use llamafur::learn::{self, Figures, LearnConf, Model, continue_from, naive_of_counts};
use llamafur::matrix::{FactoredMatrix, Matrix, Normalise};
use llamafur::score::{Carried, CategoryScorer};
use llamafur::{Error, Side};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// A matrix with its settings and the names of its categories.
#[pyclass(frozen, module = "llamafur._llamafur")]
pub(crate) struct PortableModel(Arc<learn::PortableModel>);

/// How it was learnt, with the figures and the held-out links as JSON.
type Learnt = (Learning, String, Option<String>);

fn model_of(matrix: Matrix, names: &[String], learnt: Learnt) -> Result<learn::PortableModel, Failure> {
    let (learning, figures, held_out) = learnt;
    let broken = |error: serde_json::Error| Failure::argument(error.to_string());
    let method = learning.method.as_deref().map(|name| method(name, "factored or naive")).transpose()?;
    let conf = learning.apply(LearnConf::default().with(method, LearnConf::method))?;
    let figures = serde_json::from_str(&figures).map_err(broken)?;
    let held_out = held_out.map(|text| serde_json::from_str(&text).map_err(broken)).transpose()?;
    let names = names.iter().map(String::as_str);
    Ok(learn::PortableModel::new(matrix, names, &conf, figures, held_out)?)
}

#[pymethods]
impl PortableModel {
    /// Opens a file.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<PortableModel> {
        run(py, None, |_| Ok::<_, Error>(PortableModel(Arc::new(learn::PortableModel::open(&path)?))))
    }

    /// What was learnt, as tables.
    #[staticmethod]
    fn of_tables(
        py: Python<'_>,
        form: &str,
        tables: Tables,
        names: Vec<String>,
        learnt: Learnt,
    ) -> PyResult<PortableModel> {
        let matrix = matrix_of(names.len(), form, &tables)?;
        run(py, None, |_| Ok::<_, Failure>(PortableModel(Arc::new(model_of(matrix, &names, learnt)?))))
    }

    /// A model that knows nothing but the names; the settings are only checked.
    #[staticmethod]
    fn of_names(py: Python<'_>, names: Vec<String>, learning: Learning) -> PyResult<PortableModel> {
        run(py, None, |_| {
            let conf = LearnConf::default();
            learning.apply(conf.clone())?;
            // The smallest matrix that there is.
            let zeros = vec![0.0; names.len()];
            let matrix = Matrix::Factored(FactoredMatrix::from_tables(1, zeros.clone(), zeros));
            let names = names.iter().map(String::as_str);
            let model = learn::PortableModel::new(matrix, names, &conf, Figures::default(), None)?;
            Ok::<_, Error>(PortableModel(Arc::new(model)))
        })
    }

    /// What was counted: the pages of each category, and the links of each pair, which ascend.
    #[staticmethod]
    fn naive(
        py: Python<'_>,
        num_pages: Array<u32>,
        pairs: (Array<u32>, Array<u32>, Array<u32>),
        names: Vec<String>,
        learnt: Learnt,
    ) -> PyResult<PortableModel> {
        run(py, None, |_| {
            let (sources, targets, links) = (pairs.0.numbers(), pairs.1.numbers(), pairs.2.numbers());
            let ends = sources.iter().zip(targets);
            let pairs: Vec<_> =
                ends.zip(links).map(|((&source, &target), &links)| (source, target, links)).collect();
            let matrix = naive_of_counts(num_pages.numbers(), &pairs)?;
            Ok::<_, Failure>(PortableModel(Arc::new(model_of(matrix, &names, learnt)?)))
        })
    }

    /// Writes the file.
    fn save(&self, py: Python<'_>, path: PathBuf, overwrite: bool) -> PyResult<()> {
        run(py, None, |_| {
            expect_free(&path, overwrite)?;
            Ok::<_, Failure>(self.0.save(&path)?)
        })
    }

    fn settings(&self, py: Python<'_>) -> PyResult<String> {
        run(py, None, |_| json(self.0.settings()))
    }

    /// The names of the rows of the matrix, all of which is checked.
    fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        run(py, None, |_| {
            self.0.matrix()?;
            let numbers = (0..self.0.num_categories() as u32).map(MilestoneId);
            Ok::<_, Error>(numbers.map(|category| self.0.name(category).to_owned()).collect())
        })
    }

    /// The numbers of the categories in the one column of a batch, as a column `category`; null for names that the model does not
    /// know.
    fn encode(&self, py: Python<'_>, batch: &Bound<'_, PyAny>) -> PyResult<Frame> {
        let batch = only_batch(batch)?;
        let column = batch.column(0);
        let mut numbers = Int32Builder::with_capacity(column.len());
        py.detach(|| {
            let number =
                |name: Option<&str>| name.and_then(|name| self.0.category(name)).map(|id| id.0 as i32);
            if let Some(names) = column.as_string_opt::<i32>() {
                names.iter().for_each(|name| numbers.append_option(number(name)));
            } else if let Some(names) = column.as_string_opt::<i64>() {
                names.iter().for_each(|name| numbers.append_option(number(name)));
            } else {
                return Err(expected("texts", column));
            }
            Ok(())
        })?;
        Frame::of_columns(vec![("category".into(), Arc::new(numbers.finish()))])
    }

    /// Continues learning from it, from a graph of the same categories.
    fn fit(
        &self,
        py: Python<'_>,
        links: Adjacency,
        categories: Adjacency,
        learning: Learning,
    ) -> PyResult<learner::Learnt> {
        run(py, None, |watch| -> Result<_, Failure> {
            let (num, before) = (self.0.num_categories(), self.0.settings().passes);
            let conf = learning.apply(LearnConf::default())?;
            let graph = learner::graph(&links, &categories, num)?;
            let (matrix, _) = continue_from(self.0.matrix()?, before, &graph, &conf, watch)?;
            Ok(learner::Learnt::new(matrix, num, before + conf.passes_or_default()))
        })
    }

    /// The normalised expectedness of pairs of pages as bytes of `f64`; NaN where a page has no category.
    fn expectedness<'py>(
        &self,
        py: Python<'py>,
        categories: Adjacency,
        sources: Array<u32>,
        targets: Array<u32>,
        normalise: &str,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let matrix = run(py, None, |_| self.0.matrix())?;
        learner::expectedness(py, matrix, &categories, (&sources, &targets), normalise)
    }

    /// AdaGrad's sums of squares of both tables, where training can continue from it.
    fn squares<'py>(&self, py: Python<'py>) -> PyResult<Option<[Bound<'py, PyBytes>; 2]>> {
        let matrix = run(py, None, |_| self.0.matrix())?;
        let Matrix::Factored(matrix) = matrix else { return Ok(None) };
        let bytes = |numbers: &[f32]| {
            let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
            PyBytes::new(py, &bytes)
        };
        Ok(matrix.squares().map(|squares| squares.map(bytes)))
    }

    /// A scorer by it.
    fn scorer(&self, py: Python<'_>, normalise: Option<&str>) -> PyResult<LinkScorer> {
        run(py, None, |_| {
            let normalise = normalise.map(str::parse::<Normalise>).transpose()?.unwrap_or_default();
            Ok::<_, Error>(LinkScorer(CategoryScorer::new(self.0.clone(), normalise)?))
        })
    }
}

/// Writes the matrix over categories of a model of a corpus, with their names.
#[pyfunction]
pub(crate) fn save_portable(
    py: Python<'_>,
    engine: &Engine,
    name: &str,
    path: PathBuf,
    overwrite: bool,
) -> PyResult<()> {
    engine.ask(py, None, |engine, _| {
        expect_free(&path, overwrite)?;
        Ok(learn::PortableModel::save_model(&Model::open(engine.corpus(), name)?, &path)?)
    })
}

/// Makes a model that was saved by itself a model of a corpus.
#[pyfunction]
pub(crate) fn adopt_model(
    py: Python<'_>,
    engine: &Engine,
    path: PathBuf,
    name: &str,
    overwrite: bool,
) -> PyResult<()> {
    engine.ask(py, None, |engine, _| {
        expect_free(&Model::path(engine.corpus(), name)?, overwrite)?;
        let model = learn::PortableModel::open(&path)?;
        let adopted = model.adopted(engine.corpus(), name).map_err(|error| match error {
            Error::OtherCorpus { .. } => {
                let text = format!("{}: the corpus has other categories than the model", path.display());
                Failure::Other(Kind::Value, text, None)
            }
            error => error.into(),
        })?;
        adopted.save(engine.corpus())?;
        Ok(())
    })
}

/// Scores links by the categories of their pages.
#[pyclass(frozen, module = "llamafur._llamafur")]
pub(crate) struct LinkScorer(CategoryScorer);

#[pymethods]
impl LinkScorer {
    /// The scores of the links of a batch with the columns `source_categories` and `target_categories`, lists of numbers that
    /// ascend: columns unexpectedness and, if pairs are asked for, source_category, target_category and weight.
    fn score(&self, py: Python<'_>, batch: &Bound<'_, PyAny>, pairs: bool) -> PyResult<Frame> {
        let batch = only_batch(batch)?;
        let (sources, targets) =
            (Lists::of(&batch, "source_categories")?, Lists::of(&batch, "target_categories")?);
        let columns = run(py, None, |_| self.columns(&sources, &targets, pairs))?;
        Frame::of_columns(columns)
    }
}

impl LinkScorer {
    fn columns(
        &self,
        sources: &Lists,
        targets: &Lists,
        pairs: bool,
    ) -> Result<Vec<(String, ArrayRef)>, Error> {
        let (mut scores, mut weights) = (Float64Builder::new(), Float64Builder::new());
        let (mut from, mut to) = (StringBuilder::new(), StringBuilder::new());
        // Links of one page mostly come one after the other.
        let mut last: Option<(&[MilestoneId], Carried<'_>)> = None;
        for row in 0..sources.len() {
            let (own, other) = (sources.get(row), targets.get(row));
            let source = match last.take() {
                Some((categories, carried)) if categories == own => carried,
                _ => self.0.carried(own)?,
            };
            let target = self.0.carried(other)?;
            let score = self.0.score(&source, &target)?;
            scores.append_option(score);
            if pairs {
                let side = if score.is_some_and(|score| score > 0.0) { Side::Odd } else { Side::Expected };
                let pair = score.map_or(Ok(None), |_| self.0.strongest(&source, &target, side))?;
                let name = |category| self.0.model().name(category);
                from.append_option(pair.map(|pair| name(pair.0)));
                to.append_option(pair.map(|pair| name(pair.1)));
                weights.append_option(pair.map(|pair| pair.2));
            }
            last = Some((own, source));
        }
        let mut columns: Vec<(String, ArrayRef)> = vec![("unexpectedness".into(), Arc::new(scores.finish()))];
        if pairs {
            columns.push(("source_category".into(), Arc::new(from.finish())));
            columns.push(("target_category".into(), Arc::new(to.finish())));
            columns.push(("weight".into(), Arc::new(weights.finish())));
        }
        Ok(columns)
    }
}

/// Counts the links between pairs of categories.
#[pyclass(frozen, module = "llamafur._llamafur")]
#[derive(Default)]
pub(crate) struct PairCounter(Mutex<HashMap<(u32, u32), i64>>);

#[pymethods]
impl PairCounter {
    #[new]
    fn new() -> PairCounter {
        PairCounter::default()
    }

    /// Counts the links of a batch as [`LinkScorer::score`] takes them.
    fn add(&self, py: Python<'_>, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        let batch = only_batch(batch)?;
        let (sources, targets) =
            (Lists::of(&batch, "source_categories")?, Lists::of(&batch, "target_categories")?);
        py.detach(|| {
            let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            for row in 0..sources.len() {
                for source in sources.get(row) {
                    for target in targets.get(row) {
                        *counts.entry((source.0, target.0)).or_default() += 1;
                    }
                }
            }
        });
        Ok(())
    }

    /// How many pairs there are.
    fn __len__(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// The pairs so far, which are then forgotten: columns source_category, target_category and links.
    fn take(&self, py: Python<'_>) -> PyResult<Frame> {
        let columns: Vec<(String, ArrayRef)> = py.detach(|| {
            let counts = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
            let mut pairs: Vec<_> = counts.into_iter().collect();
            pairs.sort_unstable();
            let column = |number: fn(&((u32, u32), i64)) -> u32| -> ArrayRef {
                Arc::new(Int32Array::from_iter_values(pairs.iter().map(|pair| number(pair) as i32)))
            };
            let links: ArrayRef = Arc::new(Int64Array::from_iter_values(pairs.iter().map(|pair| pair.1)));
            vec![
                ("source_category".into(), column(|pair| pair.0.0)),
                ("target_category".into(), column(|pair| pair.0.1)),
                ("links".into(), links),
            ]
        });
        Frame::of_columns(columns)
    }
}

/// A column of lists of category numbers, empty where there is none.
struct Lists {
    values: Vec<MilestoneId>,
    /// Where each list begins and ends.
    ends: Vec<(usize, usize)>,
}

impl Lists {
    fn of(batch: &RecordBatch, name: &str) -> PyResult<Lists> {
        let column =
            batch.column_by_name(name).ok_or_else(|| PyValueError::new_err(format!("no column {name}")))?;
        let lists = column.as_list_opt::<i32>().ok_or_else(|| expected("lists of numbers", column))?;
        let values = lists.values().as_primitive_opt::<Int32Type>();
        let values = values.ok_or_else(|| expected("lists of 32-bit numbers", column))?;
        let offsets = lists.value_offsets();
        let end = |row: usize| match lists.is_valid(row) {
            true => (offsets[row] as usize, offsets[row + 1] as usize),
            false => (0, 0),
        };
        Ok(Lists {
            values: values.values().iter().map(|&number| MilestoneId(number as u32)).collect(),
            ends: (0..lists.len()).map(end).collect(),
        })
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn get(&self, row: usize) -> &[MilestoneId] {
        let (start, end) = self.ends[row];
        &self.values[start..end]
    }
}

fn expected(what: &str, column: &ArrayRef) -> PyErr {
    PyTypeError::new_err(format!("expected a column of {what}, got {}", column.data_type()))
}

/// The one batch of an object with `__arrow_c_array__`.
fn only_batch(object: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
    let batches = arrow::from_python(object)?;
    let batch = batches.and_then(|mut batches| batches.next()).transpose();
    let batch = batch.map_err(|error| PyValueError::new_err(error.to_string()))?;
    batch.ok_or_else(|| PyTypeError::new_err("expected a record batch"))
}
