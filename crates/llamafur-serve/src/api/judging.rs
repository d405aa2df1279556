//! Judging: which link is next, what a judge says of it, and what all judges said.
//!
//! Only where the server was started for it, and where it needs a token, only with that: everything else here only reads.

use super::query::{Body, Params};
use crate::app::App;
use crate::corpora::Served;
use crate::problem::{Problem, without_folders};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
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

/// Which corpus.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct SummaryQuery {
    /// The corpus by its name. Default: the first.
    corpus: Option<String>,
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

/// Refuses who may not judge.
fn expect_judge(app: &App, headers: &HeaderMap) -> Result<(), Problem> {
    if !app.judge {
        let detail = "links cannot be judged here: the server was not started for it";
        return Err(Problem::new(StatusCode::FORBIDDEN, detail));
    }
    let Some(token) = &app.token else { return Ok(()) };
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

fn problem(app: &App, served: &Served, error: &JudgingError) -> Problem {
    let status = match error {
        JudgingError::Corpus(error) => return app.problem(error, served),
        JudgingError::Name { .. } => StatusCode::BAD_REQUEST,
        JudgingError::NotPooled { .. } => StatusCode::NOT_FOUND,
        JudgingError::NothingToUndo { .. } => StatusCode::CONFLICT,
        JudgingError::NoLinks { .. } => StatusCode::UNPROCESSABLE_ENTITY,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    let detail = without_folders(&error.to_string(), served.engine.corpus().path());
    Problem::new(status, detail).remedied(error.remedy(), app.advice)
}

/// Asks the judging of a corpus. What it answers changes with every judgment, so nobody keeps it.
async fn ask<T: Send + 'static>(
    app: &Arc<App>,
    headers: &HeaderMap,
    corpus: Option<&str>,
    ask: impl FnOnce(&Judging) -> Result<T, JudgingError> + Send + 'static,
) -> Result<T, Problem> {
    expect_judge(app, headers)?;
    let served = app.corpora.get(corpus)?;
    let by = app.clone();
    app.work(move || {
        let answer = by.judgings.get(&served).and_then(|judging| ask(&judging));
        answer.map_err(|error| problem(&by, &served, &error))
    })
    .await
}

fn unkept(answer: impl IntoResponse) -> Response {
    let mut response = answer.into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn json(answer: &impl Serialize) -> Response {
    unkept(Json(answer))
}

/// The next link that a judge has not judged, with what a judge needs and nothing about scores.
#[utoipa::path(
    get, path = "/api/v1/judge/next", tag = "judging", params(NextQuery),
    responses((status = 200, body = JudgeTask), (status = "4XX", body = Problem, content_type = "application/problem+json"))
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
    responses((status = 200, body = JudgeTask), (status = "4XX", body = Problem, content_type = "application/problem+json"))
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
    responses((status = 200, body = JudgeTask), (status = "4XX", body = Problem, content_type = "application/problem+json"))
)]
pub(super) async fn undo(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    Body(Undo { corpus, judge }): Body<Undo>,
) -> Result<Response, Problem> {
    let task = ask(&app, &headers, corpus.as_deref(), move |judging| judging.undo(&judge)).await?;
    Ok(json(&task))
}

/// How far each judge is, and how far they agree.
#[utoipa::path(
    get, path = "/api/v1/judge/summary", tag = "judging", params(SummaryQuery),
    responses((status = 200, body = JudgingSummary), (status = "4XX", body = Problem, content_type = "application/problem+json"))
)]
pub(super) async fn summary(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    Params(SummaryQuery { corpus }): Params<SummaryQuery>,
) -> Result<Response, Problem> {
    Ok(json(&ask(&app, &headers, corpus.as_deref(), Judging::summary).await?))
}

/// All judgments as a file.
#[utoipa::path(
    get, path = "/api/v1/judge/export", tag = "judging", params(ExportQuery),
    responses(
        (status = 200, content((String = "text/tab-separated-values"), (String = "text/plain"))),
        (status = "4XX", body = Problem, content_type = "application/problem+json")
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
    Ok(unkept(([(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, file)], text)))
}

#[cfg(test)]
mod tests {
    use crate::app::App;
    use crate::connections::router;
    use crate::corpora::Corpora;
    use crate::report::Reports;
    use crate::security::Callers;
    use axum::Router;
    use axum::body::{Body, to_bytes};
    use axum::http::{Request, StatusCode};
    use llamafur::corpus::{CorpusWriter, ListColumn, Provenance, StringColumn};
    use llamafur::progress::Silent;
    use llamafur::storage::Existing;
    use serde_json::{Value, json};
    use std::path::{Path, PathBuf};
    use std::sync::Arc;
    use tower::ServiceExt;

    /// Six pages that link to one another, one of them named as an attack would be.
    fn write_corpus(path: &Path) {
        let titles = ["<script>alert(1)</script>", "B", "C", "D", "E", "F"];
        let links = (0..6).map(|page| (0..6).filter(|other| *other != page).collect::<Vec<u32>>());
        let mut writer = CorpusWriter::create(path, Existing::Replace).unwrap();
        let categories: ListColumn = (0..6).map(|page| vec![page % 2]).collect();
        writer.write_pages(titles.iter().collect::<StringColumn>(), links.collect(), categories).unwrap();
        let names: StringColumn = ["X", "Y"].iter().collect();
        writer.write_categories(names, [vec![], vec![]].into_iter().collect()).unwrap();
        writer.finish(Provenance::default()).unwrap();
    }

    fn served(path: &Path, judge: bool, token: Option<&str>) -> Router {
        let corpora = Corpora::open(&[PathBuf::from(path)], &mut Silent).unwrap();
        let reports = Reports::new(None, "c");
        let app = App::new(corpora, reports, judge, token.map(str::to_owned), |_| "advice".into()).unwrap();
        if judge {
            app.judgings.open_all(&app.corpora, &mut Silent).unwrap();
        }
        let callers = Callers::new(([127, 0, 0, 1], 8080).into(), Vec::new(), Vec::new());
        router(Arc::new(app), Arc::new(callers))
    }

    fn corpus() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c");
        write_corpus(&path);
        (folder, path)
    }

    const NEXT: &str = "/api/v1/judge/next?judge=Ada";
    const JUDGMENTS: &str = "/api/v1/judge/judgments";
    const UNDO: &str = "/api/v1/judge/undo";

    fn get(address: &str) -> Request<Body> {
        Request::get(address).header("host", "localhost").body(Body::empty()).unwrap()
    }

    fn post(address: &str, body: impl ToString) -> Request<Body> {
        let request = Request::post(address).header("host", "localhost");
        request.header("content-type", "application/json").body(Body::from(body.to_string())).unwrap()
    }

    async fn text(server: &Router, request: Request<Body>) -> (StatusCode, String) {
        let response = server.clone().oneshot(request).await.unwrap();
        let status = response.status();
        let bytes = to_bytes(response.into_body(), 1 << 20).await.unwrap();
        (status, String::from_utf8(bytes.to_vec()).unwrap())
    }

    /// The answer, which must be fine.
    async fn fine(server: &Router, request: Request<Body>) -> Value {
        let (status, text) = text(server, request).await;
        assert_eq!(status, StatusCode::OK, "{text}");
        serde_json::from_str(&text).unwrap()
    }

    /// The problem, which must have this status.
    async fn refused(server: &Router, request: Request<Body>, expected: u16) -> Value {
        let response = server.clone().oneshot(request).await.unwrap();
        let status = response.status();
        let kind = response.headers()["content-type"].clone();
        let bytes = to_bytes(response.into_body(), 1 << 20).await.unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert_eq!(
            (status.as_u16(), kind.to_str().unwrap()),
            (expected, "application/problem+json"),
            "{text}"
        );
        serde_json::from_str(&text).unwrap()
    }

    fn judgment(task: &Value, judge: &str, label: &str) -> Value {
        let link = &task["link"];
        json!({"judge": judge, "source": link["source"], "target": link["target"], "label": label})
    }

    #[tokio::test]
    async fn links_are_judged_one_after_the_other_and_taken_back() {
        let (_folder, path) = corpus();
        let server = served(&path, true, None);
        let first = fine(&server, get(NEXT)).await;
        assert_eq!((&first["done"], &first["can_undo"]), (&0.into(), &false.into()));
        assert_eq!(first["link"]["snippet"], Value::Null);
        let second = fine(&server, post(JUDGMENTS, judgment(&first, "Ada", "TU"))).await;
        assert_eq!((&second["done"], &second["can_undo"]), (&1.into(), &true.into()));
        assert_ne!(second["link"], first["link"]);
        fine(&server, post(JUDGMENTS, judgment(&first, "Bob", "U"))).await;
        // Another program that opens the corpus finds it.
        let again = served(&path, true, None);
        assert_eq!(fine(&again, get(NEXT)).await, second);
        let summary = fine(&again, get("/api/v1/judge/summary?corpus=c")).await;
        assert_eq!(summary["judges"], json!([{"name": "Ada", "judged": 1}, {"name": "Bob", "judged": 1}]));
        assert_eq!(summary["agreement"]["links"], 1);
        let (_, table) = text(&again, get("/api/v1/judge/export")).await;
        assert!(table.starts_with("source\ttarget\tclass\tjudge\n") && table.lines().count() == 3, "{table}");
        let (_, qrels) = text(&again, get("/api/v1/judge/export?format=qrels")).await;
        assert!(qrels.ends_with(" 1\n") && qrels.lines().count() == 1, "{qrels}");
        let undone = fine(&server, post(UNDO, json!({"judge": "Ada"}))).await;
        assert_eq!(undone, first);
        let problem = refused(&server, post(UNDO, json!({"judge": "Ada"})), 409).await;
        assert_eq!(problem["advice"], "advice");
    }

    #[tokio::test]
    async fn what_is_wrong_is_refused_and_nothing_is_written() {
        let (_folder, path) = corpus();
        let server = served(&path, true, None);
        let task = fine(&server, get(NEXT)).await;
        let good = judgment(&task, "Ada", "TE");
        let with = |field: &str, value: Value| {
            let mut changed = good.clone();
            changed[field] = value;
            changed
        };
        for (body, status) in [
            (with("judge", "".into()), 400),
            (with("judge", "a\nb".into()), 400),
            (with("judge", "x".repeat(65).into()), 400),
            (with("label", "XX".into()), 422),
            (with("label", 1.into()), 400),
            (with("score", 1.into()), 422),
            (with("target", "nowhere".into()), 404),
            (with("source", "../../etc/passwd".into()), 404),
            (with("corpus", "other".into()), 404),
        ] {
            refused(&server, post(JUDGMENTS, &body), status).await;
        }
        let problem = refused(&server, post(JUDGMENTS, with("label", "XX".into())), 422).await;
        let detail = problem["detail"].as_str().unwrap();
        assert!(
            detail.starts_with("label: unknown variant `XX`, expected one of `TE`, `E`, `U`, `TU`"),
            "{detail}"
        );
        refused(&server, post(JUDGMENTS, "{"), 400).await;
        refused(&server, post(JUDGMENTS, "x".repeat(70 << 10)), 413).await;
        refused(&server, get("/api/v1/judge/next"), 400).await;
        refused(&server, get("/api/v1/judge/export?format=xml"), 400).await;
        refused(&server, get(JUDGMENTS), 405).await;
        // A form of another site cannot set the type of its body without asking first.
        let mut plain = post(JUDGMENTS, &good);
        plain.headers_mut().insert("content-type", "text/plain".parse().unwrap());
        refused(&server, plain, 415).await;
        for (name, value) in [("origin", "https://evil.example"), ("sec-fetch-site", "cross-site")] {
            let mut foreign = post(JUDGMENTS, &good);
            foreign.headers_mut().insert(name, value.parse().unwrap());
            let (status, text) = text(&server, foreign).await;
            assert_eq!(status, StatusCode::FORBIDDEN, "{name}: {text}");
        }
        let mut foreign = post(JUDGMENTS, &good);
        foreign.headers_mut().insert("host", "evil.example".parse().unwrap());
        refused(&server, foreign, 421).await;
        assert!(!path.join("judgments/log.tsv").exists());
        fine(&server, post(JUDGMENTS, &good)).await;
    }

    #[tokio::test]
    async fn without_being_asked_to_the_server_does_not_judge() {
        let (_folder, path) = corpus();
        let server = served(&path, false, None);
        refused(&server, get(NEXT), 403).await;
        refused(&server, get("/api/v1/judge/summary"), 403).await;
        refused(&server, get("/api/v1/judge/export"), 403).await;
        let said = json!({"judge": "Ada", "source": "B", "target": "C", "label": "TE"});
        refused(&server, post(JUDGMENTS, said), 403).await;
        refused(&server, post(UNDO, json!({"judge": "Ada"})), 403).await;
        assert!(!path.join("judgments").exists());
    }

    #[tokio::test]
    async fn where_a_token_is_needed_nothing_goes_without_it() {
        let (_folder, path) = corpus();
        let server = served(&path, true, Some("secret"));
        let with = |mut request: Request<Body>, value: &str| {
            request.headers_mut().insert("authorization", value.parse().unwrap());
            request
        };
        for request in [get(NEXT), get("/api/v1/judge/summary"), get("/api/v1/judge/export")] {
            refused(&server, request, 401).await;
        }
        refused(&server, post(UNDO, json!({"judge": "Ada"})), 401).await;
        let response = server.clone().oneshot(get(NEXT)).await.unwrap();
        assert_eq!(response.headers()["www-authenticate"], "Bearer");
        for wrong in ["secret", "Bearer", "Bearer ", "Bearer secre", "Bearer secret2", "Basic secret"] {
            refused(&server, with(get(NEXT), wrong), 401).await;
        }
        let task = fine(&server, with(get(NEXT), "Bearer secret")).await;
        let said = judgment(&task, "Ada", "TE");
        refused(&server, post(JUDGMENTS, &said), 401).await;
        assert_eq!(fine(&server, with(post(JUDGMENTS, &said), "bearer secret")).await["done"], 1);
    }

    #[tokio::test]
    async fn a_corpus_that_is_replaced_keeps_its_judgments() {
        let (_folder, path) = corpus();
        let corpora = Corpora::open(std::slice::from_ref(&path), &mut Silent).unwrap();
        let app = App::new(corpora, Reports::new(None, "c"), true, None, |_| String::new()).unwrap();
        let app = Arc::new(app);
        let callers = Callers::new(([127, 0, 0, 1], 8080).into(), Vec::new(), Vec::new());
        let server = router(app.clone(), Arc::new(callers));
        let first = fine(&server, get(NEXT)).await;
        fine(&server, post(JUDGMENTS, judgment(&first, "Ada", "TE"))).await;
        write_corpus(&path);
        app.corpora.renew_all();
        let second = fine(&server, get(NEXT)).await;
        assert_eq!(second["done"], 1);
        fine(&server, post(JUDGMENTS, judgment(&second, "Ada", "E"))).await;
        let log = std::fs::read_to_string(path.join("judgments/log.tsv")).unwrap();
        assert_eq!(log.lines().count(), 3, "{log}");
    }
}
