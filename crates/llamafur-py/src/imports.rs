//! Corpora from tables, frames and dumps.

use crate::arrow;
use crate::engine::json;
use crate::errors::{Failure, with_remedy};
use crate::frame::Frame;
use crate::settings::{With, existing};
use crate::watch::run;
use arrow_array::{ArrayRef, StringArray};
use llamafur::corpus::Counts;
use llamafur_import::table::{self, ColumnName, Columns, Delimiter, ImportError, Mode, Table, TableConf};
use llamafur_import::wiki::{self, Damage, Hidden, Text, WikiConf};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// What an import made.
#[derive(Serialize)]
struct Report {
    corpus: PathBuf,
    #[serde(flatten)]
    counts: Counts,
    account: BTreeMap<String, u64>,
    warnings: Vec<String>,
}

/// A column by its name, or by its number from 1.
#[derive(FromPyObject)]
pub(crate) enum ColumnArgument {
    Name(String),
    Number(usize),
}

/// A table of columns of texts.
#[pyfunction]
pub(crate) fn frame_of_lists(columns: Vec<(String, Vec<Option<String>>)>) -> PyResult<Frame> {
    let column = |values: Vec<Option<String>>| Arc::new(StringArray::from(values)) as ArrayRef;
    Frame::of_columns(columns.into_iter().map(|(name, values)| (name, column(values))).collect())
}

/// Makes a corpus of tables: files by their names, or frames.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "an argument each of the function in Python")]
pub(crate) fn import_table(
    py: Python<'_>,
    tables: &Bound<'_, PyDict>,
    out: PathBuf,
    columns: BTreeMap<String, Vec<ColumnArgument>>,
    delimiter: Option<&str>,
    strict: bool,
    overwrite: bool,
    buffer: Option<usize>,
    site: Option<&str>,
    display: Option<Py<PyAny>>,
) -> PyResult<String> {
    let failed = |error: ImportError| Failure::from(error).raise(py);
    let mut conf: Option<TableConf> = None;
    for (name, table) in tables {
        let (name, given) = (name.extract::<String>()?, table);
        let table: Table = name.replace('_', "-").parse().map_err(failed)?;
        let set = |conf: Option<TableConf>| -> PyResult<TableConf> {
            if given.is_instance_of::<PyString>() || given.hasattr("__fspath__")? {
                let path: PathBuf = given.extract()?;
                return Ok(match conf {
                    Some(conf) => conf.file(table, path),
                    None => TableConf::new(path),
                });
            }
            let frame = arrow::from_python(&given)?.ok_or_else(|| {
                let kind = given.get_type().name().map_or_else(|_| "object".into(), |name| name.to_string());
                PyTypeError::new_err(format!(
                    "{name} must be the path of a file, or a frame that has __arrow_c_stream__ (polars, pandas, pyarrow, \
                     DuckDB), got {kind}"
                ))
            })?;
            let frame = table::Frame::new(frame);
            Ok(match conf {
                Some(conf) => conf.frame(table, frame),
                None => TableConf::of_frame(frame),
            })
        };
        // The links come first.
        conf = Some(set(conf)?);
    }
    let Some(conf) = conf else { return Err(PyTypeError::new_err("links are missing")) };
    let mut conf = conf
        .mode(if strict { Mode::Strict } else { Mode::Lenient })
        .existing(existing(overwrite))
        .with(buffer, TableConf::buffer_bytes);
    if let Some(site) = site {
        conf =
            conf.site(serde_json::from_str(site).map_err(|error| PyValueError::new_err(error.to_string()))?);
    }
    if let Some(delimiter) = delimiter {
        conf = conf.delimiter(delimiter.parse::<Delimiter>().map_err(failed)?);
    }
    for (table, names) in columns {
        let names = names.into_iter().map(|name| match name {
            ColumnArgument::Name(name) => ColumnName::Name(name),
            ColumnArgument::Number(number) => ColumnName::Number(number),
        });
        let table: Table = table.replace('_', "-").parse().map_err(failed)?;
        let columns = Columns::new(table, names.collect())
            .map_err(|error| Failure::argument(error.to_string()).raise(py))?;
        conf = conf.columns(columns);
    }
    run(py, display, |watch| -> Result<String, Failure> {
        let imported = table::import(&conf, &out, watch)?;
        let warning =
            |warning: &table::Warning| with_remedy(warning.problem.clone(), warning.remedy.as_ref());
        json(&Report {
            counts: imported.manifest.counts,
            account: imported.account.counts(),
            warnings: imported.warnings.iter().map(warning).collect(),
            corpus: out,
        })
    })
}

/// Makes a corpus of a dump.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "an argument each of the function in Python")]
pub(crate) fn import_wiki(
    py: Python<'_>,
    dumps: Vec<PathBuf>,
    out: PathBuf,
    text: bool,
    keep_hidden: bool,
    keep_going: bool,
    overwrite: bool,
    buffer: Option<usize>,
    display: Option<Py<PyAny>>,
) -> PyResult<String> {
    let conf = WikiConf::new(dumps)
        .existing(existing(overwrite))
        .text(if text { Text::Keep } else { Text::LeaveOut })
        .hidden(if keep_hidden { Hidden::Keep } else { Hidden::LeaveOut })
        .damage(if keep_going { Damage::KeepGoing } else { Damage::Stop })
        .with(buffer, WikiConf::buffer_bytes);
    run(py, display, |watch| -> Result<String, Failure> {
        let imported = wiki::import(&conf, &out, watch)?;
        json(&Report {
            counts: imported.manifest.counts,
            account: imported.account.counts(),
            warnings: imported.warnings,
            corpus: out,
        })
    })
}
