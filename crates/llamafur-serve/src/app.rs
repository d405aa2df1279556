//! What every request shares, and how work of the engine is done beside the threads that speak HTTP.

use crate::api::Caller;
use crate::corpora::{Corpora, Served};
use crate::jobs::{Jobs, Workers};
use crate::limits::Limits;
use crate::metrics::Metrics;
use crate::problem::Problem;
use crate::report::Reports;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use llamafur::engine::{Engine, TopLinks};
use llamafur::score::{ScoreConf, check_name};
use llamafur::{Error, Remedy};
use serde::Serialize;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// What a request does. Those of a kind wait for each other, and for no other kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// Needs only what is open.
    Light,
    /// Makes something first, such as the means of a new sum of scorers, which takes seconds in a large corpus.
    Heavy,
    /// Reads or writes judgments, and may wait for other programs that do.
    Judging,
}

impl Work {
    /// Of a request that uses a scorer; none is the default one.
    pub(crate) fn of_scorer(engine: &Engine, scorer: Option<&str>) -> Work {
        let scorer = scorer.unwrap_or("blend");
        // An unknown name fails at once.
        match check_name(scorer).is_err() || engine.is_open(scorer, &ScoreConf::default()) {
            true => Work::Light,
            false => Work::Heavy,
        }
    }
}

/// What every request shares.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) corpora: Corpora,
    pub(crate) metrics: Metrics,
    pub(crate) top_jobs: Jobs<TopLinks>,
    #[cfg(feature = "mcp")]
    pub(crate) mend_jobs: Jobs<llamafur::engine::Mends>,
    pub(crate) reports: Reports,
    /// Whether links can be judged.
    pub(crate) judge: bool,
    /// What judging needs; none where everybody who can ask may judge.
    pub(crate) token: Option<String>,
    /// Puts a remedy into words.
    pub(crate) advice: fn(&Remedy) -> String,
    pub(crate) limits: Limits,
    /// Requests that may be worked on at once, of each kind.
    light: Arc<Semaphore>,
    heavy: Arc<Semaphore>,
    judging: Arc<Semaphore>,
}

impl App {
    pub(crate) fn new(
        corpora: Corpora,
        reports: Reports,
        judge: bool,
        token: Option<String>,
        advice: fn(&Remedy) -> String,
        limits: Limits,
    ) -> Result<App, std::io::Error> {
        let [light, heavy, judging] =
            [limits.light, limits.heavy, limits.judging].map(|most| Arc::new(Semaphore::new(most)));
        let workers = Workers::new()?;
        Ok(App {
            corpora,
            metrics: Metrics::new(),
            top_jobs: Jobs::new(&workers),
            #[cfg(feature = "mcp")]
            mend_jobs: Jobs::going_on(&workers),
            reports,
            judge,
            token,
            advice,
            limits,
            light,
            heavy,
            judging,
        })
    }

    /// A problem from the library's error about a corpus.
    pub(crate) fn problem(&self, error: &Error, served: &Served) -> Problem {
        Problem::of(error, served.engine.corpus().path(), self.advice)
    }

    /// Does work that may take long, on a thread that does not speak HTTP.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        kind: Work,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let permits = match kind {
            Work::Light => &self.light,
            Work::Heavy => &self.heavy,
            Work::Judging => &self.judging,
        };
        let waiting = tokio::time::timeout(self.limits.turn, permits.clone().acquire_owned());
        let Ok(Ok(permit)) = waiting.await else { return Err(Problem::busy()) };
        let work = move || {
            // Returned when the work ends, even if nobody waits for it any more.
            let _permit = permit;
            work()
        };
        let ended = tokio::task::spawn_blocking(work).await;
        ended.unwrap_or_else(|error| {
            tracing::error!(%error, "panic");
            Err(Problem::panicked())
        })
    }

    /// Asks the engine of a corpus, and answers in JSON with an entity tag, or that nothing has changed.
    pub(crate) async fn answer<T: Serialize>(
        self: &Arc<App>,
        caller: &Caller,
        corpus: Option<&str>,
        kind: impl FnOnce(&Engine) -> Work,
        ask: impl FnOnce(&Engine) -> Result<T, Error> + Send + 'static,
    ) -> Result<Response, Problem> {
        let body = |engine: &Engine| {
            serde_json::to_vec(&ask(engine)?)
                .map_err(|error| Error::Invalid { what: "an answer", rule: error.to_string() })
        };
        self.answer_bytes(caller, corpus, kind, "application/json", body).await
    }

    /// The same for an answer in any form.
    pub(crate) async fn answer_bytes(
        self: &Arc<App>,
        caller: &Caller,
        corpus: Option<&str>,
        kind: impl FnOnce(&Engine) -> Work,
        content_type: &'static str,
        ask: impl FnOnce(&Engine) -> Result<Vec<u8>, Error> + Send + 'static,
    ) -> Result<Response, Problem> {
        let served = self.corpora.get(corpus)?;
        if let Some(unchanged) = caller.unchanged(&served) {
            return Ok(unchanged);
        }
        let (kind, etag) = (kind(&served.engine), caller.etag(&served));
        let app = self.clone();
        let work = move || {
            let answer = served.engine.corpus().watch().whole(|| ask(&served.engine));
            answer.map_err(|error| app.problem(&error, &served))
        };
        let body = self.work(kind, work).await?;
        let answer = ([(header::CONTENT_TYPE, content_type)], Bytes::from(body)).into_response();
        Ok(tagged(answer, &etag))
    }
}

/// The answer may be kept, but is asked for again each time, since the corpus may change.
pub(crate) fn tagged(mut response: Response, etag: &str) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(etag) = HeaderValue::from_str(etag) {
        headers.insert(header::ETAG, etag);
    }
    response
}
