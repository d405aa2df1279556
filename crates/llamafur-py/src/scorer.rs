//! A Python function as a scorer.

use llamafur::graph::PageId;
use llamafur::{Error, Score};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Mutex, PoisonError};

/// Calls a Python function, from any thread.
pub(crate) struct PyScorer {
    name: String,
    /// What its scores depend on: two scorers of the same name and version give the same scores.
    version: String,
    /// Takes a page's number and the numbers of targets as bytes of `u32`; gives bytes of `f64`, NaN for no data.
    function: Py<PyAny>,
    raised: Mutex<Option<PyErr>>,
}

impl PyScorer {
    pub(crate) fn new(name: String, version: String, function: Py<PyAny>) -> PyScorer {
        PyScorer { name, version, function, raised: Mutex::default() }
    }

    /// The exception that the function raised last.
    pub(crate) fn take_raised(&self) -> Option<PyErr> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn call(&self, py: Python<'_>, source: PageId, targets: &[PageId]) -> PyResult<Vec<Option<f64>>> {
        let bytes: Vec<u8> = targets.iter().flat_map(|target| target.0.to_ne_bytes()).collect();
        let given = self.function.call1(py, (source.0, PyBytes::new(py, &bytes)))?;
        let given = given.bind(py).cast::<PyBytes>()?;
        let (numbers, _) = given.as_bytes().as_chunks::<8>();
        if numbers.len() != targets.len() || given.as_bytes().len() % 8 != 0 {
            let text =
                format!("the scorer {} gave {} scores for {} links", self.name, numbers.len(), targets.len());
            return Err(PyValueError::new_err(text));
        }
        Ok(numbers
            .iter()
            .map(|bytes| Some(f64::from_ne_bytes(*bytes)).filter(|score| !score.is_nan()))
            .collect())
    }
}

impl Score for PyScorer {
    fn name(&self) -> &str {
        &self.name
    }

    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        Python::attach(|py| {
            self.call(py, source, targets).map_err(|error| {
                let cause = error.to_string();
                *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                Error::Scorer { name: self.name.clone(), cause }
            })
        })
    }

    fn rests_on(&self) -> String {
        self.version.clone()
    }
}
