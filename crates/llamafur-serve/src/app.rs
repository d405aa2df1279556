//! What every request shares, and how work of the engine is done beside the threads that speak HTTP.

use crate::api::Caller;
use crate::corpora::{Corpora, Served};
use crate::judging::Judgings;
use crate::metrics::Metrics;
use crate::problem::Problem;
use crate::report::Reports;
use crate::top_jobs::TopJobs;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use llamafur::engine::Engine;
use llamafur::{Error, Remedy};
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// How long a request waits for others to end before it is refused.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// What every request shares.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) corpora: Corpora,
    pub(crate) metrics: Metrics,
    pub(crate) top_jobs: TopJobs,
    pub(crate) reports: Reports,
    /// Whether links can be judged.
    pub(crate) judge: bool,
    pub(crate) judgings: Judgings,
    /// What judging needs; none where everybody who can ask may judge.
    pub(crate) token: Option<String>,
    /// Puts a remedy into words.
    pub(crate) advice: fn(&Remedy) -> String,
    /// Requests that may be worked on at once.
    permits: Arc<Semaphore>,
}

impl App {
    pub(crate) fn new(
        corpora: Corpora,
        reports: Reports,
        judge: bool,
        token: Option<String>,
        advice: fn(&Remedy) -> String,
    ) -> Result<App, std::io::Error> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(App {
            corpora,
            metrics: Metrics::new(),
            top_jobs: TopJobs::new(cores)?,
            reports,
            judge,
            judgings: Judgings::default(),
            token,
            advice,
            // Rankings are bound by the cores: more at once would only wait for each other.
            permits: Arc::new(Semaphore::new(2 * cores)),
        })
    }

    /// A problem from the library's error about a corpus.
    pub(crate) fn problem(&self, error: &Error, served: &Served) -> Problem {
        Problem::of(error, served.engine.corpus().path(), self.advice)
    }

    /// Does work that may take long, on a thread where it is in nobody's way.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let waiting = tokio::time::timeout(LONGEST_WAIT, self.permits.clone().acquire_owned());
        let Ok(Ok(permit)) = waiting.await else { return Err(Problem::busy()) };
        let work = move || {
            // Returned when the work ends, even if nobody waits for it any more.
            let _permit = permit;
            work()
        };
        let ended = tokio::task::spawn_blocking(work).await;
        ended.unwrap_or_else(|_| {
            Err(Problem::internal("the program failed at this request; the log says where"))
        })
    }

    /// Asks the engine of a corpus, and answers in JSON with an entity tag, or that nothing has changed.
    pub(crate) async fn answer<T: Serialize>(
        self: &Arc<App>,
        caller: &Caller,
        corpus: Option<&str>,
        ask: impl Fn(&Engine) -> Result<T, Error> + Send + 'static,
    ) -> Result<Response, Problem> {
        let body = move |served: &Served| {
            serde_json::to_vec(&ask(&served.engine)?)
                .map_err(|error| Error::Invalid { what: "an answer", rule: error.to_string() })
        };
        self.answer_bytes(caller, corpus, "application/json", body).await
    }

    /// The same for an answer in any form.
    pub(crate) async fn answer_bytes(
        self: &Arc<App>,
        caller: &Caller,
        corpus: Option<&str>,
        content_type: &'static str,
        ask: impl Fn(&Served) -> Result<Vec<u8>, Error> + Send + 'static,
    ) -> Result<Response, Problem> {
        let served = self.corpora.get(corpus)?;
        if let Some(unchanged) = caller.unchanged(&served) {
            return Ok(unchanged);
        }
        let app = self.clone();
        let work = move || {
            let (served, answer) = app.asked_of(served, ask);
            match answer {
                Ok(body) => Ok((served, body)),
                Err(error) => Err(app.problem(&error, &served)),
            }
        };
        let (served, body) = self.work(work).await?;
        let answer = ([(header::CONTENT_TYPE, content_type)], Bytes::from(body)).into_response();
        Ok(tagged(answer, &caller.etag(&served)))
    }

    /// What a corpus says. Where that is an error and the corpus was replaced, what the new one says: files that were not open yet may
    /// be those of the new one.
    pub(crate) fn asked_of<T>(
        &self,
        served: Arc<Served>,
        mut ask: impl FnMut(&Served) -> Result<T, Error>,
    ) -> (Arc<Served>, Result<T, Error>) {
        match ask(&served) {
            Err(error) if served.is_replaced() => match self.corpora.renew(&served.name) {
                Ok(new) => {
                    let answer = ask(&new);
                    (new, answer)
                }
                Err(_) => (served, Err(error)),
            },
            answer => (served, answer),
        }
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
