//! Judging: the next link, the judgment of a judge, and the judgments of all judges.
//!
//! Works only if the server was started for it, and with its token if it needs one: everything else only reads.

use super::corpora::OfCorpus;
use super::query::{Body, Params};
use crate::app::{App, Work};
use crate::corpora::Served;
use crate::problem::{Problem, Refused, without_folders};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use llamafur::progress::Silent;
use llamafur_eval::judging::{JudgeTask, Judging, JudgingError, JudgingSummary};
use llamafur_eval::judgments::Class;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// Who judges.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct NextQuery {
    /// The corpus by its name. Default: the first.
    corpus: Option<String>,
    /// The name of the judge.
    #[param(min_length = 1, max_length = 64)]
    judge: String,
}

/// A judgment.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewJudgment {
    /// The corpus by its name. Default: the first.
    #[serde(default)]
    corpus: Option<String>,
    /// The name of the judge.
    #[schema(min_length = 1, max_length = 64)]
    judge: String,
    /// The title of the page, as in the task.
    source: String,
    /// The title of the page that it links to, as in the task.
    target: String,
    /// How unexpected the link is.
    label: Class,
}

/// Whose judgment is taken back.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Undo {
    /// The corpus by its name. Default: the first.
    #[serde(default)]
    corpus: Option<String>,
    /// The name of the judge.
    #[schema(min_length = 1, max_length = 64)]
    judge: String,
}

/// Which file.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ExportQuery {
    /// The corpus by its name. Default: the first.
    corpus: Option<String>,
    /// The form of the file. Default: TSV.
    #[serde(default)]
    #[param(inline)]
    format: ExportFormat,
}

/// Which form judgments are wanted in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ExportFormat {
    /// A table with source, target, class and judge, separated by tabs.
    #[default]
    Tsv,
    /// TREC's: query, iteration, document, relevance.
    Qrels,
}

/// Rejects requests that may not judge.
fn expect_judge(app: &App, headers: &HeaderMap) -> Result<(), Problem> {
    if !app.judge {
        let detail = "links cannot be judged here: the server was not started for it";
        return Err(Problem::new(StatusCode::FORBIDDEN, detail));
    }
    let Some(token) = &app.token else { return expect_direct(headers) };
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let given = given.and_then(|value| value.split_once(' '));
    let given =
        given.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")).map(|(_, token)| token.trim());
    // Hashes are compared in constant time.
    let is_right =
        given.is_some_and(|given| blake3::hash(given.as_bytes()) == blake3::hash(token.as_bytes()));
    match is_right {
        true => Ok(()),
        false => Err(Problem::new(
            StatusCode::UNAUTHORIZED,
            "judging needs the token that the server was started with",
        )),
    }
}

/// Headers that proxies add to forwarded requests.
const FORWARDED: [&str; 6] =
    ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"];

/// Rejects forwarded requests: they seem to come from this machine, where no token is needed, but may come from
/// anywhere.
fn expect_direct(headers: &HeaderMap) -> Result<(), Problem> {
    match FORWARDED.iter().find(|name| headers.contains_key(**name)) {
        None => Ok(()),
        Some(name) => Err(Problem::new(
            StatusCode::FORBIDDEN,
            format!(
                "judging behind another server needs a token, and the server was started without one; the request has the header {name}"
            ),
        )),
    }
}

fn problem(app: &App, served: &Served, error: &JudgingError) -> Problem {
    let status = match error {
        JudgingError::Corpus(error) => return app.problem(error, served),
        JudgingError::Name { .. } => StatusCode::BAD_REQUEST,
        JudgingError::NotPooled { .. } => StatusCode::NOT_FOUND,
        JudgingError::NothingToUndo { .. } | JudgingError::TooManyJudges { .. } => StatusCode::CONFLICT,
        JudgingError::NoLinks { .. } => StatusCode::UNPROCESSABLE_ENTITY,
        JudgingError::Locked { .. } => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    let detail = without_folders(&error.to_string(), served.engine.corpus().path());
    Problem::new(status, detail).remedied(error.remedy(), app.advice)
}

/// Asks the judging of a corpus. The answer changes with every judgment, so it is not cached.
async fn ask<T: Send + 'static>(
    app: &Arc<App>,
    headers: &HeaderMap,
    corpus: Option<&str>,
    ask: impl FnOnce(&Judging) -> Result<T, JudgingError> + Send + 'static,
) -> Result<T, Problem> {
    expect_judge(app, headers)?;
    let served = app.corpora.get(corpus)?;
    let by = app.clone();
    app.work(Work::Judging, move || {
        let answer = served.judging(&mut Silent).and_then(|judging| ask(&judging));
        answer.map_err(|error| problem(&by, &served, &error))
    })
    .await
}

fn not_stored(answer: impl IntoResponse) -> Response {
    let mut response = answer.into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn json(answer: &impl Serialize) -> Response {
    not_stored(Json(answer))
}

/// The next link that a judge has not judged, with what a judge needs and nothing about scores.
#[utoipa::path(
    get, path = "/api/v1/judge/next", tag = "judging", params(NextQuery),
    responses((status = 200, body = JudgeTask), Refused)
)]
pub(super) async fn next(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    Params(NextQuery { corpus, judge }): Params<NextQuery>,
) -> Result<Response, Problem> {
    let task = ask(&app, &headers, corpus.as_deref(), move |judging| judging.next(&judge)).await?;
    Ok(json(&task))
}

/// Keeps a judgment, in place of an earlier one of the same judge on the same link; it is on disk when the answer comes. The
/// answer is the next link.
#[utoipa::path(
    post, path = "/api/v1/judge/judgments", tag = "judging", request_body = NewJudgment,
    responses((status = 200, body = JudgeTask), Refused)
)]
pub(super) async fn judge(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    Body(said): Body<NewJudgment>,
) -> Result<Response, Problem> {
    let NewJudgment { corpus, judge, source, target, label } = said;
    let keep = move |judging: &Judging| judging.judge(&judge, &source, &target, label);
    Ok(json(&ask(&app, &headers, corpus.as_deref(), keep).await?))
}

/// Takes back the last judgment of a judge. The answer is its link.
#[utoipa::path(
    post, path = "/api/v1/judge/undo", tag = "judging", request_body = Undo,
    responses((status = 200, body = JudgeTask), Refused)
)]
pub(super) async fn undo(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    Body(Undo { corpus, judge }): Body<Undo>,
) -> Result<Response, Problem> {
    let task = ask(&app, &headers, corpus.as_deref(), move |judging| judging.undo(&judge)).await?;
    Ok(json(&task))
}

/// How far each judge is.
#[utoipa::path(
    get, path = "/api/v1/judge/summary", tag = "judging", params(OfCorpus),
    responses((status = 200, body = JudgingSummary), Refused)
)]
pub(super) async fn summary(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    Params(OfCorpus { corpus }): Params<OfCorpus>,
) -> Result<Response, Problem> {
    Ok(json(&ask(&app, &headers, corpus.as_deref(), Judging::summary).await?))
}

/// All judgments as a file.
#[utoipa::path(
    get, path = "/api/v1/judge/export", tag = "judging", params(ExportQuery),
    responses(
        (status = 200, content((String = "text/tab-separated-values"), (String = "text/plain"))),
        Refused
    )
)]
pub(super) async fn export(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    Params(ExportQuery { corpus, format }): Params<ExportQuery>,
) -> Result<Response, Problem> {
    let write = move |judging: &Judging| match format {
        ExportFormat::Tsv => judging.export_tsv(),
        ExportFormat::Qrels => judging.export_qrels(),
    };
    let text = ask(&app, &headers, corpus.as_deref(), write).await?;
    let (kind, file) = match format {
        ExportFormat::Tsv => (super::tsv::TYPE, "attachment; filename=\"judgments.tsv\""),
        ExportFormat::Qrels => ("text/plain; charset=utf-8", "attachment; filename=\"judgments.qrels\""),
    };
    Ok(not_stored(([(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, file)], text)))
}
