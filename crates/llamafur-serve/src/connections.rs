//! The server: listens, and passes each connection to the routes.

use crate::app::{App, Work};
use crate::corpora::{Corpora, Served};
use crate::limits::Limits;
use crate::metrics::Counted;
use crate::problem::Problem;
use crate::report::{Report, Reports};
use crate::security::{self, Callers, REPORT_POLICY};
use crate::timed_stream::{TimedStream, client_left};
use crate::{ServeConf, ServeError, api, assets};
use axum::Router;
use axum::extract::{DefaultBodyLimit, MatchedPath, Path, Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use llamafur::graph::PageId;
use llamafur::progress::Progress;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::{CompressionLayer, CompressionLevel};
use tower_http::cors::{AllowOrigin, CorsLayer};
use tower_http::csrf::CsrfLayer;
use tower_http::timeout::TimeoutLayer;

/// The largest body of a request: a judgment has a few hundred bytes.
const LARGEST_BODY: usize = 64 << 10;

/// Number of characters of a query that are logged.
const LONGEST_LOGGED: usize = 500;

/// Time between two checks for replaced corpora.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// A listening server.
///
/// ```no_run
/// use llamafur_serve::{ServeConf, Server};
/// let server = Server::open(ServeConf::new(["my.corpus".into()]), &mut llamafur::progress::Silent)?;
/// println!("http://{}/", server.address());
/// server.run()?;
/// # Ok::<(), llamafur_serve::ServeError>(())
/// ```
#[derive(Debug)]
pub struct Server {
    pub(crate) app: Arc<App>,
    pub(crate) callers: Arc<Callers>,
    listener: std::net::TcpListener,
    address: SocketAddr,
    stop: watch::Sender<bool>,
}

/// A handle that stops a server, from any thread.
#[derive(Debug, Clone)]
pub struct Stopper(watch::Sender<bool>);

impl Stopper {
    /// Stops accepting connections; requests that have begun are answered, then [`Server::run`] returns.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Server {
    /// Opens the corpora, computes data that answers need and the corpora lack, and listens.
    ///
    /// # Errors
    /// If a corpus cannot be opened, the address is taken, or a setting has a wrong form.
    pub fn open(conf: ServeConf, progress: &mut dyn Progress) -> Result<Server, ServeError> {
        Server::limited(conf, Limits::default(), progress)
    }

    /// Opens a server with other limits.
    pub(crate) fn limited(
        conf: ServeConf,
        limits: Limits,
        progress: &mut dyn Progress,
    ) -> Result<Server, ServeError> {
        if conf.corpora.is_empty() {
            return Err(ServeError::NoCorpus);
        }
        let cors = conf.cors.iter().map(|origin| origin_of(origin)).collect::<Result<Vec<_>, _>>()?;
        if let Some(folder) = conf.report.as_deref().filter(|folder| !Report::in_folder(folder).exists()) {
            let (rule, got) = ("the folder of a report of an evaluation", folder.display().to_string());
            return Err(ServeError::Setting { what: "the report", rule, got });
        }
        let setting = |what, rule, got: &str| ServeError::Setting { what, rule, got: got.to_owned() };
        if let Some(token) = conf.token.as_deref().filter(|token| !is_visible(token)) {
            return Err(setting("the token", "visible ASCII characters without spaces", token));
        }
        if let Some(host) = conf.hosts.iter().find(|host| host.is_empty() || host.contains(['/', ':', ' '])) {
            return Err(setting(
                "a host",
                "a name without port, such as wiki.example.org, or * for all",
                host,
            ));
        }
        // An address that is taken is reported before the work.
        let bind = |cause| ServeError::Bind { address: conf.bind, cause };
        let listener = std::net::TcpListener::bind(conf.bind).map_err(bind)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let corpora = Corpora::open(&conf.corpora, progress)?;
        let reports = Reports::new(conf.report, corpora.names().first().map_or("", |name| name));
        // Under a name of its own a server on the loopback interface is asked by another one for people elsewhere.
        let needs_token = conf.judge && !(address.ip().is_loopback() && conf.hosts.is_empty());
        let token = conf.token.or_else(|| needs_token.then(random_token));
        if conf.judge {
            // A corpus that cannot be judged is reported before somebody tries.
            corpora.all().try_for_each(|served| served.judging(progress).map(drop))?;
        }
        let app = App::new(corpora, reports, conf.judge, token, conf.advice, limits)?;
        let callers = Callers::new(address, conf.hosts, cors);
        let stop = watch::Sender::new(false);
        Ok(Server { app: Arc::new(app), callers: Arc::new(callers), listener, address, stop })
    }

    /// Returns the address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the token that judging needs, if any.
    pub fn token(&self) -> Option<&str> {
        self.app.token.as_deref().filter(|_| self.app.judge)
    }

    /// Returns the names of the corpora.
    pub fn corpora(&self) -> Vec<String> {
        self.app.corpora.names()
    }

    /// Returns a handle that stops the server.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.stop.clone())
    }

    /// Answers requests until the server is stopped.
    pub fn run(self) -> Result<(), ServeError> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let ended = runtime.block_on(self.serve());
        // A pass over a whole graph may still go on: nobody waits for it.
        runtime.shutdown_background();
        ended
    }

    async fn serve(self) -> Result<(), ServeError> {
        let listener = TcpListener::from_std(self.listener)?;
        let router = router(self.app.clone(), self.callers);
        let mut stopped = self.stop.subscribe();
        let graceful = GracefulShutdown::new();
        let permits = Arc::new(Semaphore::new(self.app.limits.connections));
        let watching = tokio::spawn(watch_corpora(self.app.clone()));
        tracing::info!(address = %self.address, corpora = ?self.app.corpora.names(), "listening");
        loop {
            let stream = tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => stream,
                    Err(error) => {
                        // Too many open files, most likely: some will be closed.
                        tracing::warn!(%error, "cannot take a connection");
                        tokio::time::sleep(Duration::from_millis(100)).await;
                        continue;
                    }
                },
                _ = stopped.wait_for(|stopped| *stopped) => break,
            };
            // Beyond the limit a connection is closed at once.
            let Ok(permit) = permits.clone().try_acquire_owned() else { continue };
            connect(stream, router.clone(), self.app.clone(), &graceful, permit);
        }
        drop(listener);
        watching.abort();
        tracing::info!("stopping");
        if tokio::time::timeout(self.app.limits.end, graceful.shutdown()).await.is_err() {
            tracing::warn!("some requests did not end in time");
        }
        Ok(())
    }
}

/// Answers the requests of a connection.
fn connect(
    stream: TcpStream,
    router: Router,
    app: Arc<App>,
    graceful: &GracefulShutdown,
    permit: OwnedSemaphorePermit,
) {
    let mut http = hyper::server::conn::http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(app.limits.header).max_buf_size(128 << 10);
    // Answers are written whole: waiting for more bytes would only delay them.
    let _ = stream.set_nodelay(true);
    let stream = Arc::new(stream);
    let timed = TokioIo::new(TimedStream::new(stream.clone(), app.limits.send));
    let connection = graceful.watch(http.serve_connection(timed, TowerToHyperService::new(router)));
    tokio::spawn(async move {
        let _permit = permit;
        let _counted = Counted::new(&app.metrics.connections);
        tokio::select! {
            biased;
            ended = connection => if let Err(error) = ended {
                tracing::debug!(%error, "connection");
            },
            () = client_left(stream) => {}
        }
    });
}

/// Opens replaced corpora again, as long as the server runs.
pub(crate) async fn watch_corpora(app: Arc<App>) {
    let mut ticks = tokio::time::interval(LOOK_EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let app = app.clone();
        // If it fails, the next attempt is a second away.
        let _ = tokio::task::spawn_blocking(move || app.renew()).await;
    }
}

/// Returns all routes with their layers.
pub(crate) fn router(app: Arc<App>, callers: Arc<Callers>) -> Router {
    let origins = callers.origins().to_vec();
    let compression = CompressionLayer::new().quality(CompressionLevel::Fastest);
    let router = Router::new().merge(api::routes());
    #[cfg(feature = "mcp")]
    let router = router.route("/mcp", crate::mcp::http(&app));
    #[cfg(test)]
    let router = router.route("/endless", get(crate::limits_tests::endless));
    let router = router
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
        .route("/report/{corpus}/", get(report_index))
        .route("/report/{corpus}/{*file}", get(report_file))
        .fallback(assets::serve)
        .method_not_allowed_fallback(|| async {
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, "this address does not know that method")
        })
        .layer(CatchPanicLayer::custom(|_: Box<dyn std::any::Any + Send>| {
            tracing::error!("panic");
            Problem::panicked().into_response()
        }))
        .layer(compression)
        .layer(TimeoutLayer::with_status_code(StatusCode::GATEWAY_TIMEOUT, app.limits.answer))
        .layer(middleware::map_response(|response: Response| async {
            match response.status() {
                StatusCode::GATEWAY_TIMEOUT => Problem::late().into_response(),
                _ => response,
            }
        }))
        .layer(DefaultBodyLimit::max(LARGEST_BODY));
    // It would answer preflight requests, so it is there only for those who may ask.
    let router = match origins.is_empty() {
        true => router,
        false => router.layer(
            CorsLayer::new()
                .allow_origin(AllowOrigin::list(origins))
                .allow_methods([Method::GET])
                .allow_headers([api::STARTS]),
        ),
    };
    router
        .layer(CsrfLayer::new().with_rejection_response(|_| Problem::cross_site().into_response()))
        .layer(middleware::from_fn_with_state(callers, security::check))
        .layer(middleware::from_fn(security::guard))
        .layer(middleware::from_fn_with_state(app.clone(), observe))
        .with_state(app)
}

/// A request that is counted and logged when it ends, even if its client leaves before.
struct Observed {
    app: Arc<App>,
    _in_flight: Counted,
    begun: Instant,
    route: String,
    method: Method,
    query: String,
    status: u16,
}

impl Drop for Observed {
    fn drop(&mut self) {
        let Observed { route, method, query, status, .. } = self;
        let took = self.begun.elapsed();
        self.app.metrics.count(route, *status, took);
        tracing::info!(%method, route, query, status, ms = took.as_secs_f64() * 1000.0, "request");
    }
}

/// The status of a request whose client left, in the log and metrics, as in other servers.
const CLIENT_LEFT: u16 = 499;

/// Counts and logs every request.
async fn observe(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let mut observed = Observed {
        _in_flight: Counted::new(&app.metrics.in_flight),
        begun: Instant::now(),
        route: request.extensions().get::<MatchedPath>().map_or("page", |path| path.as_str()).to_owned(),
        method: request.method().clone(),
        query: request.uri().query().unwrap_or_default().chars().take(LONGEST_LOGGED).collect(),
        status: CLIENT_LEFT,
        app,
    };
    let response = next.run(request).await;
    observed.status = response.status().as_u16();
    response
}

/// Tests whether a question would be answered now: asks one, which waits for its turn as every other does.
async fn ready(State(app): State<Arc<App>>) -> Result<&'static str, Problem> {
    let corpora: Vec<_> = app.corpora.all().collect();
    let is_readable = |served: &Arc<Served>| {
        let corpus = served.engine.corpus();
        corpus.num_pages() == 0 || corpus.title(PageId(0)).is_ok()
    };
    match app.work(Work::Light, move || Ok(corpora.iter().any(is_readable))).await? {
        true => Ok("ready\n"),
        false => Err(Problem::unready()),
    }
}

async fn metrics(State(app): State<Arc<App>>) -> Response {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], app.metrics.text()).into_response()
}

async fn report_index(state: State<Arc<App>>, Path(corpus): Path<String>) -> Result<Response, Problem> {
    report_file(state, Path((corpus, String::new()))).await
}

/// Returns a file of the report of an evaluation.
async fn report_file(
    State(app): State<Arc<App>>,
    Path((corpus, name)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let (served, by) = (app.corpora.get(Some(&corpus))?, app.clone());
    let read = move || {
        let report = by.reports.of(&corpus, served.engine.corpus().path());
        let file = report.map_or(Ok(None), |report| report.read(&name));
        let file = file.map_err(|error| Problem::internal(error.to_string()))?;
        let none = || Problem::new(StatusCode::NOT_FOUND, "there is no such file of a report");
        let (name, bytes) = file.ok_or_else(none)?;
        Ok((mime_guess::from_path(&name).first_or_octet_stream().to_string(), bytes))
    };
    let (kind, bytes) = app.work(Work::Light, read).await?;
    let headers = [(header::CONTENT_TYPE, &kind[..]), (header::CONTENT_SECURITY_POLICY, REPORT_POLICY)];
    Ok((headers, bytes).into_response())
}

/// Parses an origin in the form that browsers send.
fn origin_of(origin: &str) -> Result<HeaderValue, ServeError> {
    let wrong = || ServeError::Setting {
        what: "an origin",
        rule: "scheme and host, such as https://example.org",
        got: origin.to_owned(),
    };
    let is_origin = origin.split_once("://").is_some_and(|(_, host)| !host.is_empty() && !host.contains('/'));
    if !is_origin {
        return Err(wrong());
    }
    HeaderValue::from_str(origin).map_err(|_| wrong())
}

fn is_visible(token: &str) -> bool {
    !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Returns 128 random bits.
fn random_token() -> String {
    use rand::RngExt;
    format!("{:032x}", rand::rng().random::<u128>())
}
