//! Pages: searched by typed text, drawn at random, and read.

use super::query::{Caller, Params, check_range, ranked, ten};
use crate::app::{About, App, Needs, Working};
use crate::problem::{Problem, Refused};
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use llamafur::engine::{Article, Engine, Suggestion, TopLink};
use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// What is looked for.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct SearchQuery {
    /// The corpus by its name. Default: the first.
    corpus: Option<String>,
    /// What was typed: the beginning of a title or of a word in it. Case, accents and typing errors are forgiven.
    q: String,
    /// How many names to return.
    #[serde(default = "ten")]
    #[param(default = 10, maximum = 100)]
    num: usize,
    /// What is looked for. Default: pages.
    #[serde(default)]
    #[param(inline)]
    kind: Kind,
}

/// What can be looked for.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Kind {
    /// Pages, by their titles and redirects.
    #[default]
    Page,
    /// Categories, by their names.
    Category,
}

/// What a person may mean.
#[derive(Serialize, ToSchema)]
pub(crate) struct Suggestions {
    /// The best first.
    suggestions: Vec<Suggestion>,
}

/// Titles that a person may mean who typed this much.
#[utoipa::path(
    get, path = "/api/v1/search", tag = "pages", params(SearchQuery),
    responses((status = 200, body = Suggestions), Refused)
)]
pub(super) async fn search(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(asked): Params<SearchQuery>,
) -> Result<Response, Problem> {
    let SearchQuery { corpus, q, num, kind } = asked;
    check_range("num", 0..=100, num)?;
    let ask = move |engine: &Engine| {
        let suggestions = match kind {
            Kind::Page => engine.suggest(&q, num)?,
            Kind::Category => engine.suggest_categories(&q, num)?,
        };
        Ok(Suggestions { suggestions })
    };
    app.answer(&caller, corpus.as_deref(), |_| Needs::default(), About::Other, ask).await
}

/// Which page.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageQuery {
    /// The corpus by its name. Default: the first.
    corpus: Option<String>,
    /// The page by its title; redirects, case and underscores are understood.
    title: String,
}

/// An article to read, every link in its place.
#[utoipa::path(
    get, path = "/api/v1/page", tag = "pages", params(PageQuery),
    responses((status = 200, body = Article), Refused)
)]
pub(super) async fn page(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(asked): Params<PageQuery>,
) -> Result<Response, Problem> {
    let PageQuery { corpus, title } = asked;
    let about = About::Page(title.clone());
    let ask = move |engine: &Engine| engine.article(&title);
    app.answer(&caller, corpus.as_deref(), |_| Needs::default(), about, ask).await
}

ranked! {
    /// How a page is drawn.
    RandomQuery {
        /// The same seed draws the same page. Default: another one each time.
        seed: Option<u64>,
    }
}

/// A page drawn at random that has a link worth reading about, and that link.
#[utoipa::path(
    get, path = "/api/v1/random", tag = "pages", params(RandomQuery),
    responses(
        (status = 200, body = TopLink),
        (status = 202, body = Working, headers(("retry-after" = u32, description = "Seconds"))),
        Refused
    )
)]
pub(super) async fn random(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(asked): Params<RandomQuery>,
) -> Result<Response, Problem> {
    let conf = asked.ranked().conf();
    let RandomQuery { corpus, scorer, seed, .. } = asked;
    let needs = |engine: &Engine| Needs::scorer(engine, scorer.as_deref());
    let drawn = seed.unwrap_or_else(|| rand::rng().random());
    let ask = move |engine: &Engine| engine.surprise(&conf, drawn);
    // What an earlier seed drew is no answer to a request for another one.
    let caller = if seed.is_some() { caller } else { caller.without_answers() };
    let mut response = app.answer(&caller, corpus.as_deref(), needs, About::Other, ask).await?;
    if seed.is_none() {
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    Ok(response)
}
