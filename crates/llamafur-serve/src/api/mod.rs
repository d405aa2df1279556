//! The routes of the API, one file per subject. Answers are the engine's own types; errors are problems.

mod categories;
mod corpora;
mod graph;
mod judging;
mod links;
mod pages;
mod query;
mod tsv;

pub(crate) use query::{Caller, STARTS, weak_etag};

use crate::app::App;
use axum::Router;
use axum::response::IntoResponse;
use std::sync::Arc;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The head of the document.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "LlamaFur",
        description = "Which links of a graph are surprising, and why. Names and numbers are those of the command line; an \
            answer about a corpus carries an entity tag that changes with it. What takes a while is started only by a request with the \
            header `X-Requested-With`, whatever its value, which pages of other sites cannot send: without it the answer is 403. As \
            long as such work lasts, the answer is 202 and how far it is; ask again a second later. Errors are `application/problem+json`, but for \
            requests that are no HTTP or whose address or header is too long (400, 414, 431)."
    ),
    components(schemas(crate::problem::Problem)),
    tags(
        (name = "corpora", description = "What is served"),
        (name = "pages", description = "Search and read"),
        (name = "links", description = "Rank and explain"),
        (name = "categories", description = "The matrix between categories"),
        (name = "graph", description = "The whole corpus"),
        (name = "judging", description = "Say how unexpected links are; only where the server lets people judge"),
    )
)]
struct Document;

fn router() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::with_openapi(Document::openapi())
        .routes(routes!(corpora::list))
        .routes(routes!(corpora::scorers))
        .routes(routes!(pages::search))
        .routes(routes!(pages::page))
        .routes(routes!(pages::random))
        .routes(routes!(links::rank))
        .routes(routes!(links::explain))
        .routes(routes!(categories::category))
        .routes(routes!(graph::top))
        .routes(routes!(graph::distribution))
        .routes(routes!(judging::next))
        .routes(routes!(judging::judge))
        .routes(routes!(judging::undo))
        .routes(routes!(judging::summary))
        .routes(routes!(judging::export))
}

pub(crate) fn routes() -> Router<Arc<App>> {
    let (router, document) = router().split_for_parts();
    // Made once: it does not change while the program runs.
    let json: Arc<str> = json(&document).into();
    let answer =
        move || async move { ([("content-type", "application/json")], json.to_string()).into_response() };
    router.route("/api/v1/openapi.json", axum::routing::get(answer))
}

/// Returns the OpenAPI document of the API, as JSON.
pub fn openapi() -> String {
    json(router().get_openapi())
}

fn json(document: &utoipa::openapi::OpenApi) -> String {
    document.to_pretty_json().unwrap_or_else(|error| format!("{{\"error\": \"{error}\"}}"))
}
