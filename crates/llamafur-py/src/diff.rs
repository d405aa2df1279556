//! What changed between two corpora.

use crate::engine::{Engine, json};
use crate::frame::{Columns, Frame};
use crate::settings::{Scoring, With};
use llamafur::engine::{CorpusDiff, DiffConf};
use pyo3::prelude::*;

/// What changed from a corpus to a newer one: the answer as JSON, whether there is no change, and the changes as a table.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "an argument each of the function in Python")]
pub(crate) fn diff(
    py: Python<'_>,
    old: &Engine,
    new: &Engine,
    scoring: Scoring,
    top: usize,
    snippets: bool,
    category: Option<String>,
    display: Option<Py<PyAny>>,
) -> PyResult<(String, bool, Frame)> {
    let (json, is_empty, rows) = old.ask(py, display, |old, progress| {
        let rank = scoring.rank_conf()?.top(top).snippets(snippets);
        let conf = DiffConf::default().rank(rank).with(category, DiffConf::category);
        let found = old.diff(&new.inner, &conf, progress)?;
        Ok((json(&found)?, found.counts.is_empty(), found.rows()))
    })?;
    let some = |text| Some(text).filter(|text: &&String| !text.is_empty());
    let [change, page, other, score, reason, snippet] = CorpusDiff::COLUMNS;
    let frame = Columns::of(&rows)
        .text(change, |(fields, ..)| some(&fields[0]))
        .text(page, |(fields, ..)| some(&fields[1]))
        .text(other, |(fields, ..)| some(&fields[2]))
        .number(score, |(_, score, _)| *score)
        .text(reason, |(.., fields)| some(&fields[0]))
        .text(snippet, |(.., fields)| some(&fields[1]))
        .frame()?;
    Ok((json, is_empty, frame))
}
