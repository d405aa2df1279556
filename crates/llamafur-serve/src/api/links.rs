//! The links of a page: ranked, and each explained.

use super::query::{Caller, Format, Params, check_range, hide_folders, ranked, yes};
use crate::app::{About, App, Needs, Working};
use crate::body::Body;
use crate::problem::{Problem, Refused};
use axum::extract::State;
use axum::response::Response;
use llamafur::Error;
use llamafur::engine::{Engine, ExplainConf, LinkExplanation, Ranking};
use std::sync::Arc;

ranked! {
    /// Which ranking.
    RankQuery {
        /// The page by its title; redirects, case and underscores are understood.
        page: String,
        /// How many rows to return; 0 is all, which only pages with at most 10,000 links allow. Default: those that are surprising,
        /// or, where none is, the three that come closest.
        #[param(maximum = 10000)]
        top: Option<usize>,
        /// Whether with the sentence behind each link. Without texts there is none.
        #[serde(default = "yes")]
        #[param(default = true)]
        snippets: bool,
        /// The form of the answer. Default: JSON.
        #[serde(default)]
        #[param(inline)]
        format: Format,
    }
}

/// Largest number of links of a page in an answer.
const MOST: usize = 10_000;

/// The links of a page, those worth reading first, each in its sentence and with its reasons.
#[utoipa::path(
    get, path = "/api/v1/rank", tag = "links", params(RankQuery),
    responses(
        (status = 200, content((Ranking = "application/json"), (String = "text/tab-separated-values"))),
        (status = 202, body = Working, headers(("retry-after" = u32, description = "Seconds"))),
        Refused
    )
)]
pub(super) async fn rank(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(asked): Params<RankQuery>,
) -> Result<Response, Problem> {
    let conf = asked.ranked().conf().snippets(asked.snippets);
    let RankQuery { corpus, page, scorer, top, format, .. } = asked;
    check_range("top", 0..=MOST, top.unwrap_or_default())?;
    let conf = top.map_or(conf.clone(), |top| conf.top(top));
    let needs = |engine: &Engine| Needs::scorer(engine, scorer.as_deref());
    let about = About::Page(page.clone());
    let ranking = move |engine: &Engine| {
        let num_links = engine.corpus().links(engine.page(&page)?)?.len();
        if top == Some(0) && num_links > MOST {
            let rule = format!("from 1 to {MOST} for a page with {num_links} links");
            return Err(Error::setting("top", rule, 0));
        }
        let mut ranking = engine.rank(&page, &conf)?;
        hide_folders(&mut ranking.left_out, engine);
        Ok(ranking)
    };
    match format {
        Format::Json => app.answer(&caller, corpus.as_deref(), needs, about, ranking).await,
        Format::Tsv => {
            let write = move |engine: &Engine, body: &mut Body| super::tsv::ranking(&ranking(engine)?, body);
            app.answer_bytes(&caller, corpus.as_deref(), needs, about, super::tsv::TYPE, write).await
        }
    }
}

ranked! {
    /// Which link of which ranking.
    ExplainQuery {
        /// The page that links.
        source: String,
        /// The page that it links to, or might.
        target: String,
        /// How many pairs to return of each matrix, with the links behind them.
        #[serde(default = "five")]
        #[param(default = 5, minimum = 1, maximum = 100)]
        pairs: usize,
        /// Whether with the weights of all pairs of each matrix as a table; they add up to its expectedness. A table of more than
        /// 10,000 has the categories with the largest weights, and says how many are left out.
        #[serde(default)]
        #[param(default = false)]
        grid: bool,
    }
}

fn five() -> usize {
    5
}

/// Why a link is where the ranking has it.
#[utoipa::path(
    get, path = "/api/v1/explain", tag = "links", params(ExplainQuery),
    responses(
        (status = 200, body = LinkExplanation),
        (status = 202, body = Working, headers(("retry-after" = u32, description = "Seconds"))),
        Refused
    )
)]
pub(super) async fn explain(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(asked): Params<ExplainQuery>,
) -> Result<Response, Problem> {
    let (order, places) = (asked.ranked().order(), asked.places);
    let ExplainQuery { corpus, source, target, scorer, pairs, grid, .. } = asked;
    // 0 would be all of them, which may be many thousands.
    check_range("pairs", 1..=100, pairs)?;
    let mut conf = ExplainConf::default().places(places).order(order).pairs(pairs).grid(grid);
    if let Some(scorer) = &scorer {
        conf = conf.scorer(scorer);
    }
    let needs = |engine: &Engine| Needs::scorer(engine, scorer.as_deref());
    let about = About::Link(source.clone(), target.clone());
    let ask = move |engine: &Engine| engine.explain(&source, &target, &conf);
    app.answer(&caller, corpus.as_deref(), needs, about, ask).await
}
