//! The state shared by all requests, and the engine's work on threads beside those that handle HTTP.

use crate::api::Caller;
use crate::body::{Body, Unfinished};
use crate::corpora::{Corpora, Served};
use crate::jobs::{Jobs, Key, State, Workers};
use crate::limits::Limits;
use crate::metrics::{Counted, Metrics};
use crate::problem::Problem;
use crate::report::Reports;
use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use llamafur::corpus::Found;
use llamafur::engine::{Engine, TopLinks};
use llamafur::interrupt::{Interrupt, check};
use llamafur::progress::Progress;
use llamafur::score::{ScoreConf, check_name};
use llamafur::{Error, Remedy};
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use utoipa::ToSchema;

/// The kinds of work of a request. Requests wait only for others of their kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// Needs only opened data, and reads few links.
    Light,
    /// Reads the links of a page with very many, which may take seconds and much memory.
    Large,
    /// Computes something first, such as the pages of all categories of a model, which takes seconds in a large corpus.
    Heavy,
    /// Reads or writes judgments, and may wait for other programs that do the same.
    Judging,
}

impl Work {
    /// All kinds, in the order in which they are declared.
    pub(crate) const ALL: [Work; 4] = [Work::Light, Work::Large, Work::Heavy, Work::Judging];

    /// Returns the kind's name in the metrics.
    pub(crate) fn name(self) -> &'static str {
        ["light", "large", "heavy", "judging"][self as usize]
    }
}

/// The subject of a question.
#[derive(Debug)]
pub(crate) enum About {
    /// A page by its title: its links, or its text.
    Page(String),
    /// A link, by the titles of its pages.
    Link(String, String),
    /// Another subject: the answer always takes about the same time.
    Other,
}

/// Number of links above which a page is large. Up to it, a hundredth of a second is enough.
const LARGE_PAGE: usize = 2000;

/// Number of pairs of categories above which a pair of pages is large.
const MANY_PAIRS: usize = 250_000;

impl About {
    /// Returns whether the work is [`Work::Large`]; false for missing pages.
    fn is_large(&self, engine: &Engine) -> bool {
        let found = |title: &str| match engine.corpus().find_page(title) {
            Ok(Found::One(page)) => Some(page),
            // What cannot be read is reported by the work itself.
            _ => None,
        };
        let has_many_links = |page| engine.corpus().links(page).is_ok_and(|links| links.len() > LARGE_PAGE);
        let num_categories = |page| engine.corpus().categories(page).map_or(0, <[_]>::len);
        match self {
            About::Page(title) => found(title).is_some_and(has_many_links),
            About::Link(source, target) => {
                found(source).zip(found(target)).is_some_and(|(source, target)| {
                    has_many_links(source)
                        || num_categories(source).saturating_mul(num_categories(target)) > MANY_PAIRS
                })
            }
            About::Other => false,
        }
    }
}

/// Interrupts work when its request is dropped: the client has left, or its time is over.
struct Waiting(Interrupt);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.set();
    }
}

/// The data that a question needs besides those already open.
#[derive(Debug, Default)]
pub(crate) struct Needs {
    /// A sum of scorers, or one with a model or vectors of its own, which is not open.
    sum: Option<String>,
    /// True if something else may have to be computed.
    makes: bool,
}

impl Needs {
    /// Returns the needs of a question that uses a scorer; `None` is the default one.
    pub(crate) fn scorer(engine: &Engine, scorer: Option<&str>) -> Needs {
        // What has a plain name was opened with the corpus, or cannot be. An unknown name fails at once.
        let is_made = |sum: &&str| {
            sum.contains(['+', ':']) && check_name(sum).is_ok() && !engine.is_open(sum, &ScoreConf::default())
        };
        Needs { sum: scorer.filter(is_made).map(str::to_owned), makes: false }
    }

    /// Adds another need, unless it is met.
    pub(crate) fn unless(self, is_there: bool) -> Needs {
        Needs { makes: !is_there, ..self }
    }
}

/// Work that goes on.
#[derive(Serialize, ToSchema)]
pub(crate) struct Working {
    /// Always `working`.
    state: &'static str,
    /// Pages that are done.
    done: u64,
    /// Pages that there are; 0 while that is not known.
    of: u64,
}

impl Working {
    /// Returns the answer that tells a client to ask again.
    pub(crate) fn response(done: u64, of: u64) -> Response {
        let working = Json(Working { state: "working", done, of });
        (StatusCode::ACCEPTED, [(header::RETRY_AFTER, "1")], working).into_response()
    }
}

/// Time for which a request waits for shared work before it gets the progress instead.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_millis(1500);

/// The state shared by all requests.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) corpora: Corpora,
    pub(crate) metrics: Metrics,
    pub(crate) top_jobs: Jobs<TopLinks>,
    /// Sums of scorers that are being opened.
    sum_jobs: Jobs<()>,
    #[cfg(feature = "mcp")]
    pub(crate) mend_jobs: Jobs<llamafur::engine::Mends>,
    pub(crate) reports: Reports,
    /// True if links can be judged.
    pub(crate) judge: bool,
    /// The token that judging needs; none if every client may judge.
    pub(crate) token: Option<String>,
    /// Formats a remedy in words.
    pub(crate) advice: fn(&Remedy) -> String,
    pub(crate) limits: Limits,
    /// Semaphores that limit the concurrent requests of each kind.
    pub(crate) light: Arc<Semaphore>,
    large: Arc<Semaphore>,
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
        let [light, large, heavy, judging] = [limits.light, limits.large, limits.heavy, limits.judging]
            .map(|most| Arc::new(Semaphore::new(most)));
        let workers = Workers::new()?;
        Ok(App {
            corpora,
            metrics: Metrics::new(),
            top_jobs: Jobs::new(&workers),
            // They take seconds, and need not wait for a pass of minutes.
            sum_jobs: Jobs::new(&Workers::new()?),
            #[cfg(feature = "mcp")]
            mend_jobs: Jobs::going_on(&workers),
            reports,
            judge,
            token,
            advice,
            limits,
            light,
            large,
            heavy,
            judging,
        })
    }

    /// Opens replaced corpora again, and stops the work on those before. Requests that have begun continue.
    pub(crate) fn renew(&self) {
        self.corpora.renew_all();
        let versions: Vec<String> = self.corpora.all().map(|served| served.version.clone()).collect();
        self.top_jobs.keep_only(&versions);
        self.sum_jobs.keep_only(&versions);
        #[cfg(feature = "mcp")]
        self.mend_jobs.keep_only(&versions);
    }

    /// Converts the library's error about a corpus to a problem.
    pub(crate) fn problem(&self, error: &Error, served: &Served) -> Problem {
        Problem::of(error, served.engine.corpus().path(), self.advice)
    }

    /// Runs work that may take long, on a thread that does not handle HTTP. It is interrupted when this future is
    /// dropped.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        kind: Work,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let permits = match kind {
            Work::Light => &self.light,
            Work::Large => &self.large,
            Work::Heavy => &self.heavy,
            Work::Judging => &self.judging,
        };
        let waiting = tokio::time::timeout(self.limits.turn, permits.clone().acquire_owned());
        let Ok(Ok(permit)) = waiting.await else { return Err(Problem::busy()) };
        let interrupt = Interrupt::default();
        let _waiting = Waiting(interrupt.clone());
        let working = Counted::new(self.metrics.working(kind));
        let work = move || {
            // Returned when the work ends, which is soon after nobody waits for it any more.
            let (_permit, _working) = (permit, working);
            interrupt.scope(|| {
                check().map_err(|_| Problem::late())?;
                work()
            })
        };
        let ended = tokio::task::spawn_blocking(work).await;
        ended.unwrap_or_else(|error| {
            tracing::error!(%error, "panic");
            Err(Problem::panicked())
        })
    }

    /// Runs work that may be [`Work::Large`]. Only a file can tell, so this is decided on the other thread too.
    pub(crate) async fn work_about<T: Send + 'static>(
        &self,
        about: About,
        engine: Engine,
        kind: Work,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let small = move || if about.is_large(&engine) { Ok(Err(work)) } else { Ok(Ok(work()?)) };
        match self.work(kind, small).await? {
            Ok(answer) => Ok(answer),
            Err(large) => self.work(Work::Large, large).await,
        }
    }

    /// Opens a sum of scorers, which computes means first; meanwhile the answer is the progress.
    async fn open_sum(
        self: &Arc<App>,
        caller: &Caller,
        served: &Arc<Served>,
        sum: String,
    ) -> Result<Option<Response>, Problem> {
        let key = Key { version: served.version.clone(), question: sum.clone() };
        if !self.sum_jobs.is_known(&key) {
            caller.expect_start()?;
        }
        let (app, of) = (self.clone(), served.clone());
        let work = move |progress: &mut dyn Progress| {
            let opened = of.engine.prepare_ranking(&sum, &ScoreConf::default(), progress);
            opened.map(drop).map_err(|error| app.problem(&error, &of))
        };
        Ok(match self.sum_jobs.ask(key, LONGEST_WAIT, work).await? {
            State::Ended(_) => None,
            State::Working(done, of) => Some(Working::response(done, of)),
        })
    }

    /// Writes the body of an answer about a corpus.
    pub(crate) fn written(
        &self,
        served: &Served,
        write: impl FnOnce(&mut Body) -> Result<(), Error>,
    ) -> Result<Vec<u8>, Problem> {
        let mut body = Body::new(self.limits.body);
        let written = write(&mut body);
        body.finish(written).map_err(|error| match error {
            Unfinished::TooLong => Problem::too_long(self.limits.body),
            Unfinished::Failed(error) => self.problem(&error, served),
        })
    }

    /// Asks the engine of a corpus, and answers in JSON with an entity tag, or with status 304.
    pub(crate) async fn answer<T: Serialize>(
        self: &Arc<App>,
        caller: &Caller,
        corpus: Option<&str>,
        needs: impl FnOnce(&Engine) -> Needs,
        about: About,
        ask: impl FnOnce(&Engine) -> Result<T, Error> + Send + 'static,
    ) -> Result<Response, Problem> {
        let write = |engine: &Engine, body: &mut Body| body.json(&ask(engine)?);
        self.answer_bytes(caller, corpus, needs, about, "application/json", write).await
    }

    /// Asks the engine of a corpus, and answers in any format with an entity tag, or with status 304.
    pub(crate) async fn answer_bytes(
        self: &Arc<App>,
        caller: &Caller,
        corpus: Option<&str>,
        needs: impl FnOnce(&Engine) -> Needs,
        about: About,
        content_type: &'static str,
        write: impl FnOnce(&Engine, &mut Body) -> Result<(), Error> + Send + 'static,
    ) -> Result<Response, Problem> {
        let served = self.corpora.get(corpus)?;
        if let Some(unchanged) = caller.unchanged(&served) {
            return Ok(unchanged);
        }
        let needs = needs(&served.engine);
        if let Some(sum) = needs.sum
            && let Some(working) = self.open_sum(caller, &served, sum).await?
        {
            return Ok(working);
        }
        if needs.makes {
            caller.expect_start()?;
        }
        let kind = if needs.makes { Work::Heavy } else { Work::Light };
        let etag = caller.etag(&served);
        let (app, engine) = (self.clone(), served.engine.clone());
        let work = move || {
            let whole =
                |body: &mut Body| served.engine.corpus().watch().whole(|| write(&served.engine, body));
            app.written(&served, whole)
        };
        let body = self.work_about(about, engine, kind, work).await?;
        let answer = ([(header::CONTENT_TYPE, content_type)], Bytes::from(body)).into_response();
        Ok(tagged(answer, &etag))
    }
}

/// Adds the entity tag. Clients may cache the answer, but must revalidate it, since the corpus may change.
pub(crate) fn tagged(mut response: Response, etag: &str) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(etag) = HeaderValue::from_str(etag) {
        headers.insert(header::ETAG, etag);
    }
    response
}
