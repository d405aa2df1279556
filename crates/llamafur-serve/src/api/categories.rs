//! The neighbours of a category in the matrix.

use super::query::{Caller, Params, check_range};
use crate::app::{About, App, Needs};
use crate::problem::{Problem, Refused};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use llamafur::engine::{CategoryConf, CategoryNeighbourhood, Engine};
use serde::Deserialize;
use std::sync::Arc;
use utoipa::IntoParams;

/// Which neighbours of which category.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct CategoryQuery {
    /// The corpus by its name. Default: the first.
    corpus: Option<String>,
    /// The category.
    name: String,
    /// How many neighbours to return at most.
    #[serde(default = "eighteen")]
    #[param(default = 18, maximum = 200)]
    neighbours: usize,
    /// The weight that an arc must exceed.
    #[serde(default = "one")]
    #[param(default = 1.0)]
    min_weight: f64,
    /// How many links must lead between the two, in either direction.
    #[serde(default = "one_link")]
    #[param(default = 1)]
    min_links: u64,
    /// The model. Default: the one that is trained where none is named.
    model: Option<String>,
}

fn eighteen() -> usize {
    18
}

fn one() -> f64 {
    1.0
}

fn one_link() -> u64 {
    1
}

/// The closest neighbours of a category, in both directions, with the links behind them.
#[utoipa::path(
    get, path = "/api/v1/category", tag = "categories", params(CategoryQuery),
    responses((status = 200, body = CategoryNeighbourhood), Refused)
)]
pub(super) async fn category(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(asked): Params<CategoryQuery>,
) -> Result<Response, Problem> {
    let CategoryQuery { corpus, name, neighbours, min_weight, min_links, model } = asked;
    if !min_weight.is_finite() {
        return Err(Problem::new(
            StatusCode::BAD_REQUEST,
            format!("min_weight must be a number, got {min_weight}"),
        ));
    }
    check_range("neighbours", 0..=200, neighbours)?;
    let mut conf = CategoryConf::default().neighbours(neighbours).min_weight(min_weight).min_links(min_links);
    if let Some(model) = model {
        conf = conf.model(model);
    }
    let wanted = conf.clone();
    let needs = move |engine: &Engine| Needs::default().unless(engine.is_category_ready(&wanted));
    let ask = move |engine: &Engine| engine.category(&name, &conf);
    app.answer(&caller, corpus.as_deref(), needs, About::Other, ask).await
}
