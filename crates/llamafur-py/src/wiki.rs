//! A dump read in splits, for workers that share nothing. Files come as Python objects with a method `read`, so that they may
//! be on any file system that Python knows.

use crate::engine::json;
use crate::errors::Failure;
use crate::frame::Frame;
use llamafur::text::wikitext::Site;
use llamafur_import::wiki::{Scanned, Scanner, Split, Text, WikiError, plan};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// An object with a method `read` that returns at most as many bytes as asked for, and none at the end.
struct PythonFile(Py<PyAny>);

impl Read for PythonFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Python::attach(|py| {
            let bytes = self.0.bind(py).call_method1("read", (buffer.len(),))?.cast_into::<PyBytes>()?;
            let bytes = bytes.as_bytes();
            let Some(place) = buffer.get_mut(..bytes.len()) else {
                return Err(PyValueError::new_err("read returned more bytes than asked for"));
            };
            place.copy_from_slice(bytes);
            Ok(bytes.len())
        })
        .map_err(|error: PyErr| io::Error::other(error.to_string()))
    }
}

fn parsed<'a, T: serde::Deserialize<'a>>(text: &'a str) -> PyResult<T> {
    serde_json::from_str(text).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The splits of a dump as JSON: site, splits, notes. `open` opens a file by its name, at its beginning.
#[pyfunction]
pub(crate) fn wiki_plan(
    py: Python<'_>,
    files: Vec<(PathBuf, u64)>,
    split_bytes: u64,
    open: Py<PyAny>,
) -> PyResult<String> {
    let planned = py.detach(|| {
        let plan = plan(&files, split_bytes, |file| {
            let opened = Python::attach(|py| open.call1(py, (file.to_string_lossy(),)));
            opened.map(PythonFile).map_err(|error| io::Error::other(error.to_string()))
        })?;
        json(&plan)
    });
    planned.map_err(|error: Failure| error.raise(py))
}

/// The records of a stretch, how many pages it has, how many could not be read, and the first few of those.
type Stretch = (Frame, u64, u64, Vec<String>);

/// Reads a split: an iterator over stretches of pages.
#[pyclass(frozen, module = "llamafur._llamafur")]
pub(crate) struct WikiScanner(Mutex<Scanner>);

#[pymethods]
impl WikiScanner {
    /// `split` and `site` are as in the plan; `file` is at the split's start.
    #[new]
    fn new(py: Python<'_>, split: &str, site: &str, text: bool, file: Py<PyAny>) -> PyResult<WikiScanner> {
        let (split, site): (Split, Site) = (parsed(split)?, parsed(site)?);
        let text = if text { Text::Keep } else { Text::LeaveOut };
        let scanner = py.detach(|| Scanner::new(&split, &site, text, PythonFile(file)));
        Ok(WikiScanner(Mutex::new(scanner.map_err(|error| Failure::from(error).raise(py))?)))
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Stretch>> {
        let next = py.detach(|| self.0.lock().unwrap_or_else(PoisonError::into_inner).next());
        let scanned: Option<Scanned> =
            next.transpose().map_err(|error: WikiError| Failure::from(error).raise(py))?;
        Ok(scanned.map(|of| (Frame::of_batch(of.records), of.pages, of.bad, of.bad_examples)))
    }
}
