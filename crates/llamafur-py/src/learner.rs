//! A matrix learnt from a graph in memory, for the estimator.

use crate::errors::Failure;
use crate::numpy::Array;
use crate::settings::{Learning, With, method};
use crate::watch::run;
use llamafur::graph::{Graph, MilestoneId, PageId};
use llamafur::learn::{LearnConf, Method, continue_from, held_out, learn};
use llamafur::matrix::{DenseMatrix, FactoredMatrix, Matrix, Normalise};
use llamafur::storage::Csr;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::prelude::*;

/// Lists of numbers: where each begins, and all of them end to end.
pub(crate) type Lists = (Array<i64>, Array<u32>);

/// A named table: its shape and its bytes.
type Table<'py> = (&'static str, Vec<usize>, Bound<'py, PyBytes>);

/// A learnt matrix.
#[pyclass(frozen, module = "llamafur._llamafur")]
pub(crate) struct Learnt {
    matrix: Matrix,
    num_categories: usize,
    /// Passes that were made, with those before it.
    passes: usize,
}

impl Learnt {
    pub(crate) fn new(matrix: Matrix, num_categories: usize, passes: usize) -> Learnt {
        Learnt { matrix, num_categories, passes }
    }
}

/// The lists of a table; fails if they are not lists, or a number is too large.
fn lists<'a>((offsets, values): &'a Lists, below: usize, what: &str) -> Result<Csr<'a, u32>, Failure> {
    let (offsets, values) = (offsets.numbers(), values.numbers());
    let lists = Csr::new(offsets, values);
    let lists = lists.ok_or_else(|| {
        Failure::argument(format!("{what}: indptr must ascend from 0 to the number of indices"))
    })?;
    match values.par_iter().max() {
        Some(&largest) if largest as usize >= below => {
            Err(Failure::argument(format!("{what}: indices must be below {below}, got {largest}")))
        }
        _ => Ok(lists),
    }
}

/// The graph of these lists. Links of a page must ascend, without one twice and without the page itself.
pub(crate) fn graph<'a>(
    links: &'a Lists,
    categories: &'a Lists,
    num_categories: usize,
) -> Result<Graph<'a>, Failure> {
    let num_pages = links.0.numbers().len().saturating_sub(1);
    let (links, categories) =
        (lists(links, num_pages, "adjacency")?, lists(categories, num_categories, "categories")?);
    if categories.num_rows() != num_pages {
        let rows = categories.num_rows();
        return Err(Failure::argument(format!(
            "categories must have a row for each of {num_pages} pages, got {rows}"
        )));
    }
    let is_sound =
        |(page, row): (usize, &[u32])| row.is_sorted_by(|a, b| a < b) && !row.contains(&(page as u32));
    if !links.rows().enumerate().all(is_sound) || !categories.rows().all(|row| row.is_sorted_by(|a, b| a < b))
    {
        return Err(Failure::argument(
            "indices must be sorted, without duplicates and without links of a page to itself",
        ));
    }
    Ok(Graph::new(links.cast::<PageId>(), categories.cast::<MilestoneId>(), num_categories))
}

#[pymethods]
impl Learnt {
    /// Learns from a graph, or continues from what was learnt before.
    #[staticmethod]
    fn fit(
        py: Python<'_>,
        links: Lists,
        categories: Lists,
        num_categories: usize,
        learning: Learning,
        start: Option<&Learnt>,
        display: Option<Py<PyAny>>,
    ) -> PyResult<Learnt> {
        run(py, display, |watch| -> Result<Learnt, Failure> {
            let rule = "factored, averaged, paper, original or naive";
            let method = learning.method.as_deref().map(|name| method(name, rule)).transpose()?;
            let conf = learning.apply(LearnConf::default().with(method, LearnConf::method))?;
            let graph = graph(&links, &categories, num_categories)?;
            let passes = conf.passes_or_default();
            let Some(start) = start else {
                let (matrix, _) = learn(&graph, &conf, watch)?;
                return Ok(Learnt { matrix, num_categories, passes });
            };
            if start.num_categories != num_categories {
                let before = start.num_categories;
                let text = format!("categories must have {before} columns as before, got {num_categories}");
                return Err(Failure::argument(text));
            }
            let (matrix, _) = continue_from(&start.matrix, start.passes, &graph, &conf, watch)?;
            Ok(Learnt { matrix, num_categories, passes: start.passes + passes })
        })
    }

    /// The normalised expectedness of pairs of pages as bytes of `f64`; NaN where a page has no category.
    fn expectedness<'py>(
        &self,
        py: Python<'py>,
        categories: Lists,
        sources: Array<u32>,
        targets: Array<u32>,
        normalise: &str,
    ) -> PyResult<Bound<'py, PyBytes>> {
        expectedness(py, &self.matrix, &categories, (&sources, &targets), normalise)
    }

    #[getter]
    fn num_categories(&self) -> usize {
        self.num_categories
    }

    #[getter]
    fn passes(&self) -> usize {
        self.passes
    }

    /// The form of the matrix, and its tables.
    fn tables<'py>(&self, py: Python<'py>) -> (&'static str, Vec<Table<'py>>) {
        let num = self.num_categories;
        let floats = |name, shape: Vec<usize>, numbers: &[f32]| {
            let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
            (name, shape, PyBytes::new(py, &bytes))
        };
        match &self.matrix {
            Matrix::Dense(matrix) => ("dense", vec![floats("matrix", vec![num, num], matrix.cells())]),
            Matrix::Factored(matrix) => {
                let shape = vec![num, matrix.rank()];
                let mut tables = vec![
                    floats("source", shape.clone(), matrix.source()),
                    floats("target", shape, matrix.target()),
                ];
                if let Some([source, target]) = matrix.squares() {
                    tables.push(floats("source_squares", vec![source.len()], source));
                    tables.push(floats("target_squares", vec![target.len()], target));
                }
                ("factored", tables)
            }
        }
    }

    /// The matrix of these tables, for pickles.
    #[staticmethod]
    fn from_tables(num_categories: usize, passes: usize, form: &str, tables: Tables) -> PyResult<Learnt> {
        let matrix = matrix_of(num_categories, form, &tables)?;
        Ok(Learnt { matrix, num_categories, passes })
    }

    /// Whether training can continue from it.
    #[getter]
    fn can_continue(&self) -> bool {
        !matches!(&self.matrix, Matrix::Factored(matrix) if matrix.squares().is_none())
    }
}

/// The tables of a matrix by their names.
pub(crate) type Tables = std::collections::BTreeMap<String, Vec<u8>>;

/// The matrix of these tables, in the form that [`Learnt::tables`] says.
pub(crate) fn matrix_of(num_categories: usize, form: &str, tables: &Tables) -> PyResult<Matrix> {
    let broken = || PyValueError::new_err("the tables of the matrix do not fit together");
    let floats = |name: &str| -> PyResult<Vec<f32>> {
        let (numbers, rest) = tables.get(name).ok_or_else(broken)?.as_chunks::<4>();
        let numbers = numbers.iter().map(|bytes| f32::from_ne_bytes(*bytes)).collect();
        if rest.is_empty() { Ok(numbers) } else { Err(broken()) }
    };
    Ok(match form {
        "dense" => {
            let cells = floats("matrix")?;
            if Some(cells.len()) != num_categories.checked_mul(num_categories) {
                return Err(broken());
            }
            Matrix::Dense(DenseMatrix::from_cells(num_categories, cells))
        }
        "factored" => {
            let (source, target) = (floats("source")?, floats("target")?);
            let rank = source.len().checked_div(num_categories).unwrap_or(0);
            if rank == 0 || source.len() != rank * num_categories || target.len() != source.len() {
                return Err(broken());
            }
            let matrix = FactoredMatrix::from_tables(rank, source, target);
            Matrix::Factored(match (floats("source_squares"), floats("target_squares")) {
                (Ok(source), Ok(target))
                    if source.len() == num_categories && target.len() == num_categories =>
                {
                    matrix.with_squares([source, target])
                }
                _ => matrix,
            })
        }
        _ => return Err(broken()),
    })
}

/// The normalised expectedness of pairs of pages with these categories as bytes of `f64`; NaN where a page has none.
pub(crate) fn expectedness<'py>(
    py: Python<'py>,
    matrix: &Matrix,
    categories: &Lists,
    (sources, targets): (&Array<u32>, &Array<u32>),
    normalise: &str,
) -> PyResult<Bound<'py, PyBytes>> {
    let scores = run(py, None, |_| -> Result<Vec<f64>, Failure> {
        let normalise: Normalise = normalise.parse()?;
        let of_page =
            lists(categories, matrix.matrix().num_categories(), "categories")?.cast::<MilestoneId>();
        let (sources, targets) = (sources.numbers(), targets.numbers());
        let largest = sources.iter().chain(targets).max();
        if let Some(&page) = largest.filter(|&&page| page as usize >= of_page.num_rows()) {
            return Err(Failure::argument(format!(
                "pairs: page {page}, but there are {} pages",
                of_page.num_rows()
            )));
        }
        let score = |(&source, &target): (&u32, &u32)| {
            let rows = matrix.matrix().rows(of_page.row(source as usize));
            Ok(normalise.expectedness(rows, of_page.row(target as usize))?.unwrap_or(f64::NAN))
        };
        sources.par_iter().zip(targets).map(score).collect()
    })?;
    let bytes: Vec<u8> = scores.iter().flat_map(|score| score.to_ne_bytes()).collect();
    Ok(PyBytes::new(py, &bytes))
}

/// The links of a split: where those of each page to learn from begin, and all of them; and of the pairs to measure on the
/// sources, the targets, and whether each is a link.
type Split<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, [Bound<'py, PyBytes>; 3]);

/// Holds out a share of the links, as training does before it measures.
#[pyfunction]
pub(crate) fn split_links<'py>(
    py: Python<'py>,
    links: Lists,
    categories: Lists,
    num_categories: usize,
    share: f64,
    seed: u64,
) -> PyResult<Split<'py>> {
    let split = run(py, None, |_| -> Result<_, Failure> {
        Ok(held_out::Split::new(&graph(&links, &categories, num_categories)?, share, seed))
    })?;
    let numbers = |numbers: &mut dyn Iterator<Item = u32>| {
        let bytes: Vec<u8> = numbers.flat_map(u32::to_ne_bytes).collect();
        PyBytes::new(py, &bytes)
    };
    let training = split.training.view();
    let offsets: Vec<u8> = training.offsets().iter().flat_map(|offset| offset.to_ne_bytes()).collect();
    let targets = numbers(&mut training.values().iter().map(|page| page.0));
    let pairs = [
        numbers(&mut split.pairs.iter().map(|pair| pair.0.0)),
        numbers(&mut split.pairs.iter().map(|pair| pair.1.0)),
        numbers(&mut split.pairs.iter().map(|pair| u32::from(pair.2))),
    ];
    Ok((PyBytes::new(py, &offsets), targets, pairs))
}

/// What counts on held-out pairs say, as JSON: links, non-links, links taken for links, non-links taken for links.
#[pyfunction]
pub(crate) fn held_out_of_counts(share: f64, counts: [u64; 4]) -> PyResult<String> {
    let [links, non_links, hits, false_alarms] = counts;
    let counts = held_out::Counts { links, non_links, hits, false_alarms };
    let measured = held_out::HeldOut::new(Method::Factored, share, counts, f64::NAN);
    serde_json::to_string(&measured).map_err(|error| PyValueError::new_err(error.to_string()))
}
