//! Links that pages lack, and links that probably lead to the wrong page.

use crate::engine::{Engine, in_one, json};
use crate::frame::{Columns, Frame};
use crate::settings::Scoring;
use crate::whole_graph;
use pyo3::prelude::*;

/// The links that a page lacks: the answer as JSON, and its links as a table.
#[pyfunction]
pub(crate) fn predict(
    py: Python<'_>,
    engine: &Engine,
    page: &str,
    scoring: Scoring,
    top: usize,
    lookup: Option<&str>,
    display: Option<Py<PyAny>>,
) -> PyResult<(String, Frame)> {
    let (json, links) = engine.ask(py, display, |engine, progress| {
        // A wrong title should come to light before the work.
        engine.page(page)?;
        let conf = scoring.predict_conf(lookup)?.top(top);
        engine.prepare_predictions(&conf, progress)?;
        let found = engine.predict(page, &conf)?;
        Ok((json(&found)?, found.links))
    })?;
    let frame = Columns::of(&links)
        .rank(|link| link.rank)
        .text("target", |link| Some(&link.target))
        .number("expectedness", |link| Some(link.expectedness))
        .text("words", |link| link.words.as_ref())
        .text("snippet", |link| link.snippet.as_ref())
        .text("reason", |link| Some(in_one(link.reasons.iter().map(|reason| &reason.text[..]), "; ")))
        .frame()?;
    Ok((json, frame))
}

/// The links that every page lacks.
#[pyfunction]
pub(crate) fn predict_all(
    py: Python<'_>,
    engine: &Engine,
    scoring: Scoring,
    top: usize,
    lookup: Option<&str>,
    display: Option<Py<PyAny>>,
) -> PyResult<Frame> {
    engine.ask(py, display, |engine, progress| {
        Ok(whole_graph::predict_all(engine, &scoring.predict_conf(lookup)?.top(top), progress)?)
    })
}

/// Links that probably lead to the wrong page: the answer as JSON, and its links as a table.
#[pyfunction]
pub(crate) fn mend(
    py: Python<'_>,
    engine: &Engine,
    page: Option<&str>,
    scoring: Scoring,
    top: usize,
    snippets: bool,
    display: Option<Py<PyAny>>,
) -> PyResult<(String, Frame)> {
    let (json, links) = engine.ask(py, display, |engine, progress| {
        let conf = scoring.rank_conf()?.top(top).snippets(snippets);
        let found = match page {
            Some(page) => engine.mend_page(page, &conf, progress)?,
            None => engine.mend(&conf, progress)?,
        };
        Ok((json(&found)?, found.links))
    })?;
    let columns = Columns::of(&links)
        .rank(|link| link.rank)
        .text("source", |link| Some(&link.source))
        .text("target", |link| Some(&link.target))
        .text("better", |link| Some(&link.better))
        .text("likeness", |link| Some(link.likeness.name()))
        .number("unexpectedness", |link| Some(link.unexpectedness))
        .number("better_unexpectedness", |link| Some(link.better_unexpectedness))
        .number("gain", |link| Some(link.gain));
    let columns = match snippets {
        true => columns.text("snippet", |link| link.snippet.as_ref()),
        false => columns,
    };
    Ok((json, columns.frame()?))
}
