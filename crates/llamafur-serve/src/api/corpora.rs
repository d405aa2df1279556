//! The corpora and the scorers of the server.

use super::query::{Caller, Params, weak_etag};
use crate::app::{About, App, Needs, Work, tagged};
use crate::corpora::Served;
use crate::problem::{Problem, Refused, without_folders};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use llamafur::score::{SCORERS, ScoreConf, is_in_blend};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// What is served here.
#[derive(Serialize, ToSchema)]
pub(crate) struct CorpusList {
    /// The version of the program.
    version: &'static str,
    /// Whether links can be judged.
    judging: bool,
    /// Whether judging needs a token.
    token_needed: bool,
    /// The corpora; the first is meant where a request names none.
    corpora: Vec<CorpusFacts>,
}

/// A corpus that is served.
#[derive(Serialize, ToSchema)]
pub(crate) struct CorpusFacts {
    /// Its name in requests.
    name: String,
    /// How many pages it has.
    num_pages: usize,
    /// How many links.
    num_links: usize,
    /// How many categories.
    num_categories: usize,
    /// Whether it has texts.
    has_text: bool,
    /// Whether they are wikitext.
    has_wikitext: bool,
    /// Whether a model was trained.
    has_model: bool,
    /// The language of its texts, as a code; null where it is not known.
    #[schema(required)]
    language: Option<String>,
    /// The name of the wiki; null where it is none.
    #[schema(required)]
    site: Option<String>,
    /// Changes with everything that answers depend on: the corpus, its words, models and vectors.
    version: String,
    /// The scorer of rankings that name none.
    default_scorer: &'static str,
    /// Whether there is a report of an evaluation, under `/report/NAME/`.
    report: bool,
}

/// The corpora that are served.
#[utoipa::path(get, path = "/api/v1/corpora", tag = "corpora", responses((status = 200, body = CorpusList), Refused))]
pub(super) async fn list(State(app): State<Arc<App>>, caller: Caller) -> Result<Response, Problem> {
    let corpora: Vec<Arc<Served>> = app.corpora.all().collect();
    let by = app.clone();
    let facts = move |served: &Arc<Served>| {
        let corpus = served.engine.corpus();
        let site = corpus.manifest().site.as_ref();
        CorpusFacts {
            name: served.name.clone(),
            num_pages: corpus.num_pages(),
            num_links: corpus.num_links(),
            num_categories: corpus.num_categories(),
            has_text: corpus.has_text(),
            has_wikitext: corpus.wiki_titles().is_some() && corpus.has_text(),
            has_model: served.has_model,
            language: site.map(|site| site.language.clone()),
            site: site.map(|site| site.name.clone()),
            version: served.version.clone(),
            default_scorer: "blend",
            report: by.reports.of(&served.name, corpus.path()).is_some(),
        }
    };
    let list = CorpusList {
        version: env!("CARGO_PKG_VERSION"),
        judging: app.judge,
        token_needed: app.judge && app.token.is_some(),
        corpora: app.work(Work::Light, move || Ok(corpora.iter().map(facts).collect())).await?,
    };
    let body = serde_json::to_vec(&list).map_err(|error| Problem::internal(error.to_string()))?;
    let etag = weak_etag(&body);
    let answer = match caller.has(&etag) {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => ([(header::CONTENT_TYPE, "application/json")], body).into_response(),
    };
    Ok(tagged(answer, &etag))
}

/// Which corpus.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfCorpus {
    /// The corpus by its name. Default: the first.
    pub(super) corpus: Option<String>,
}

/// The scorers.
#[derive(Serialize, ToSchema)]
pub(crate) struct ScorerList {
    /// The default first, then as the command line lists them.
    scorers: Vec<ScorerFacts>,
}

/// What can measure how unexpected a link is.
#[derive(Serialize, ToSchema)]
pub(crate) struct ScorerFacts {
    /// Its name.
    name: &'static str,
    /// What it uses, in a few words.
    about: &'static str,
    /// What of a corpus it looks at.
    inputs: &'static str,
    /// Whose idea it is.
    cites: &'static str,
    /// Whether it is part of the default blend.
    in_blend: bool,
    /// Whether the corpus has what it needs.
    available: bool,
    /// What the corpus lacks; null where it lacks nothing.
    #[schema(required)]
    missing: Option<String>,
}

/// The scorers, and whether the corpus has what each needs.
#[utoipa::path(
    get, path = "/api/v1/scorers", tag = "corpora", params(OfCorpus),
    responses((status = 200, body = ScorerList), Refused)
)]
pub(super) async fn scorers(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(asked): Params<OfCorpus>,
) -> Result<Response, Problem> {
    app.answer(
        &caller,
        asked.corpus.as_deref(),
        |_| Needs::default(),
        About::Other,
        |engine| {
            let mut scorers = Vec::with_capacity(SCORERS.len());
            for scorer in SCORERS {
                let opened =
                    engine.prepare(scorer.name, &ScoreConf::default(), &mut llamafur::progress::Silent);
                let missing = match opened {
                    Ok(_) => None,
                    Err(error) if error.is_lack() => {
                        Some(without_folders(&error.to_string(), engine.corpus().path()))
                    }
                    Err(error) => return Err(error),
                };
                scorers.push(ScorerFacts {
                    name: scorer.name,
                    about: scorer.about,
                    inputs: scorer.inputs,
                    cites: scorer.cites,
                    in_blend: is_in_blend(scorer.name),
                    available: missing.is_none(),
                    missing,
                });
            }
            scorers.sort_by_key(|scorer| scorer.name != "blend");
            Ok(ScorerList { scorers })
        },
    )
    .await
}
