//! The whole graph: its most interesting links, and the distribution of their unexpectedness.

use super::query::{Caller, Format, Params, check_range, hide_folders, ranked, ten, with_scorer, yes};
use crate::app::{About, App, LONGEST_WAIT, Needs, Work, Working, tagged};
use crate::jobs::{Key, State as JobState};
use crate::problem::{Problem, Refused};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use llamafur::engine::{Distribution, Engine, RankConf, TopConf, TopLinks};
use llamafur::progress::Progress;
use serde::Deserialize;
use std::sync::Arc;
use utoipa::IntoParams;

ranked! {
    /// Which links.
    TopQuery {
        /// How many links to return.
        #[serde(default = "ten")]
        #[param(default = 10, minimum = 1, maximum = 1000)]
        top: usize,
        /// Only links of pages in this category.
        from_category: Option<String>,
        /// Only links to pages in this category.
        to_category: Option<String>,
        /// Only pages with so many links.
        #[serde(default)]
        #[param(default = 0)]
        min_links: usize,
        /// At most so many links of the same page; 0 is any number.
        #[serde(default)]
        #[param(default = 0)]
        per_page: usize,
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

/// Largest number of links in an answer.
const MOST: usize = 1000;

/// The links of the whole graph that are most worth reading. A large graph takes minutes: until it is done, the answer says how far the work
/// is, and asking again a second later is right. The first to ask needs the header `X-Requested-With`.
#[utoipa::path(
    get, path = "/api/v1/top", tag = "graph", params(TopQuery),
    responses(
        (status = 200, content((TopLinks = "application/json"), (String = "text/tab-separated-values"))),
        (status = 202, body = Working, headers(("retry-after" = u32, description = "Seconds"))),
        Refused
    )
)]
pub(super) async fn top(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(asked): Params<TopQuery>,
) -> Result<Response, Problem> {
    check_range("top", 1..=MOST, asked.top)?;
    let served = app.corpora.get(asked.corpus.as_deref())?;
    if let Some(unchanged) = caller.unchanged(&served) {
        return Ok(unchanged);
    }
    let etag = caller.etag(&served);
    // A pass over the graph serves all who ask for about as many links, in whatever form.
    let most = [10, 100, MOST].into_iter().find(|most| asked.top <= *most).unwrap_or(MOST);
    let rank = asked.ranked().conf().top(most);
    let mut conf = TopConf::default().rank(rank).min_links(asked.min_links).per_page(asked.per_page);
    if let Some(name) = &asked.from_category {
        conf = conf.from_category(name);
    }
    if let Some(name) = &asked.to_category {
        conf = conf.to_category(name);
    }
    let key = Key { version: served.version.clone(), question: format!("{conf:?}") };
    // A wrong name does not wait for the passes of others.
    let (by, of, wanted) = (app.clone(), served.clone(), conf.clone());
    let check = move || of.engine.check_top(&wanted).map_err(|error| by.problem(&error, &of));
    app.work(Work::Light, check).await?;
    if !app.top_jobs.is_known(&key) {
        caller.expect_start()?;
    }
    let (by, of) = (app.clone(), served.clone());
    let work = move |progress: &mut dyn Progress| {
        let links = of.engine.top(&conf, progress);
        let mut links = links.map_err(|error| by.problem(&error, &of))?;
        hide_folders(&mut links.left_out, &of.engine);
        Ok(links)
    };
    let found = match app.top_jobs.ask(key, LONGEST_WAIT, work).await? {
        JobState::Ended(found) => found,
        JobState::Working(done, of) => return Ok(Working::response(done, of)),
    };
    let links = found.links.iter().take(asked.top).cloned().map(|mut link| {
        link.link.snippet = link.link.snippet.filter(|_| asked.snippets);
        link
    });
    let found = TopLinks {
        links: links.collect(),
        scorer: found.scorer.clone(),
        num_links: found.num_links,
        left_out: found.left_out.clone(),
    };
    let (content_type, body) = match asked.format {
        Format::Json => ("application/json", app.written(&served, |body| body.json(&found))?),
        Format::Tsv => (super::tsv::TYPE, app.written(&served, |body| super::tsv::top(&found, body))?),
    };
    Ok(tagged(([(header::CONTENT_TYPE, content_type)], body).into_response(), &etag))
}

/// Which distribution.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct DistributionQuery {
    /// The corpus by its name. Default: the first.
    corpus: Option<String>,
    /// The scorer by its name, or a sum such as `llamafur+aa`.
    #[param(default = "blend")]
    scorer: Option<String>,
}

/// How unexpected the links of the graph are: quantiles, of a sample where the graph is large.
#[utoipa::path(
    get, path = "/api/v1/distribution", tag = "graph", params(DistributionQuery),
    responses(
        (status = 200, body = Distribution),
        (status = 202, body = Working, headers(("retry-after" = u32, description = "Seconds"))),
        Refused
    )
)]
pub(super) async fn distribution(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(asked): Params<DistributionQuery>,
) -> Result<Response, Problem> {
    let conf = with_scorer(RankConf::default(), asked.scorer.clone());
    let needs = |engine: &Engine| {
        Needs::scorer(engine, asked.scorer.as_deref()).unless(engine.is_distribution_known(&conf))
    };
    let wanted = conf.clone();
    let ask = move |engine: &Engine| engine.distribution(&wanted);
    app.answer(&caller, asked.corpus.as_deref(), needs, About::Other, ask).await
}
