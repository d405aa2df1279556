//! A server with narrow bounds, as its clients meet them.

use crate::ServeConf;
use crate::app::{App, Work};
use crate::connections::{Server, Stopper};
use crate::limits::Limits;
use crate::problem::Problem;
use axum::extract::State;
use llamafur::interrupt::check;
use llamafur::progress::Silent;
use llamafur_import::table::{TableConf, import};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

struct Narrow {
    app: Arc<App>,
    address: SocketAddr,
    stopper: Stopper,
    _dir: tempfile::TempDir,
}

impl Narrow {
    /// Serves the toy corpus.
    fn start(limits: Limits) -> Narrow {
        let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/toy");
        let conf = TableConf::new(tables.join("links.tsv")).categories(tables.join("categories.tsv"));
        Narrow::serve(&conf, tempfile::tempdir().unwrap(), limits)
    }

    /// Serves a page “Hub” with `num_links` links to pages that all link back.
    fn hub(num_links: usize, limits: Limits) -> Narrow {
        let dir = tempfile::tempdir().unwrap();
        let links = dir.path().join("links.tsv");
        let rows = (0..num_links).map(|number| format!("Hub\tLeaf {number}\nLeaf {number}\tHub\n"));
        std::fs::write(&links, rows.collect::<String>()).unwrap();
        Narrow::serve(&TableConf::new(links), dir, limits)
    }

    fn serve(conf: &TableConf, dir: tempfile::TempDir, limits: Limits) -> Narrow {
        let place = dir.path().join("toy.corpus");
        import(conf, &place, &mut Silent).unwrap();
        let conf = ServeConf::new([place]).bind(([127, 0, 0, 1], 0).into()).judge(true);
        let server = Server::limited(conf, limits, &mut Silent).unwrap();
        let (app, address, stopper) = (server.app.clone(), server.address(), server.stopper());
        std::thread::spawn(move || server.run());
        Narrow { app, address, stopper, _dir: dir }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// Returns the answer to the beginning of a request, up to the end of the connection.
    fn send(&self, request: &str) -> String {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn get(&self, path: &str) -> String {
        let head = "host: localhost\r\nx-requested-with: test\r\nconnection: close";
        self.send(&format!("GET {path} HTTP/1.1\r\n{head}\r\n\r\n"))
    }
}

impl Drop for Narrow {
    fn drop(&mut self) {
        self.stopper.stop();
    }
}

fn short() -> Duration {
    Duration::from_millis(200)
}

fn is_busy(answer: &str) -> bool {
    answer.starts_with("HTTP/1.1 503")
        && answer.contains("application/problem+json")
        && answer.contains("retry-after: 1")
}

#[test]
fn one_kind_of_request_makes_no_other_wait() {
    let server = Narrow::start(Limits { turn: short(), light: 1, heavy: 1, judging: 1, ..Limits::default() });
    let paths =
        ["/api/v1/rank?page=Jupiter", "/api/v1/distribution?scorer=llamafur", "/api/v1/judge/next?judge=A"];
    for (kind, own) in [Work::Light, Work::Heavy, Work::Judging].into_iter().zip(paths) {
        let (release, wait) = mpsc::channel::<()>();
        let (begin, begun) = mpsc::channel();
        let app = server.app.clone();
        let worker = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
            let work = move || {
                begin.send(()).unwrap();
                let _ = wait.recv();
                Ok(())
            };
            runtime.block_on(app.work(kind, work)).unwrap();
        });
        begun.recv().unwrap();
        assert!(is_busy(&server.get(own)), "{kind:?}");
        for other in paths.iter().filter(|path| **path != own) {
            // Without a model there is none, but that is only found out by those who look for it.
            if !other.contains("distribution") {
                assert!(server.get(other).starts_with("HTTP/1.1 200"), "{kind:?}: {other}");
            }
        }
        drop(release);
        worker.join().unwrap();
        assert!(server.get(paths[0]).starts_with("HTTP/1.1 200"), "{kind:?}");
    }
}

#[test]
fn pages_with_many_links_leave_places_to_others() {
    let server = Narrow::hub(2001, Limits { turn: short(), large: 0, ..Limits::default() });
    for large in ["/api/v1/rank?page=Hub&top=1", "/api/v1/explain?source=hub&target=Leaf+1"] {
        assert!(is_busy(&server.get(large)), "{large}");
    }
    #[cfg(feature = "mcp")]
    assert!(call(&server, "unexpected_links", r#"{"page": "Hub"}"#).contains("too many requests"));
    for small in
        ["/api/v1/rank?page=Leaf+1", "/api/v1/explain?source=Leaf+1&target=Hub", "/api/v1/search?q=Hub"]
    {
        let answer = server.get(small);
        assert!(answer.starts_with("HTTP/1.1 200"), "{small}: {answer}");
    }
}

#[test]
fn all_links_of_a_page_are_asked_for_by_number_where_they_are_very_many() {
    let server = Narrow::hub(10_001, Limits::default());
    let refused = server.get("/api/v1/rank?page=Hub&scorer=aa&top=0");
    assert!(refused.starts_with("HTTP/1.1 400"), "{refused}");
    assert!(refused.contains("top must be from 1 to 10000 for a page with 10001 links, got 0"), "{refused}");
    let first = server.get("/api/v1/rank?page=Hub&scorer=aa&top=10000");
    assert!(first.contains("\"num_links\":10001") && first.contains("\"rank\":10000"));
    assert!(server.get("/api/v1/rank?page=Hub&top=10001").contains("top must be from 0 to 10000, got 10001"));
}

#[test]
fn an_answer_that_would_be_too_long_is_a_problem() {
    let server = Narrow::start(Limits { body: 300, ..Limits::default() });
    for path in ["/api/v1/rank?page=Jupiter", "/api/v1/top", "/api/v1/rank?page=Jupiter&top=0&format=tsv"] {
        let answer = server.get(path);
        assert!(answer.starts_with("HTTP/1.1 422") && answer.contains("ask for less"), "{path}: {answer}");
    }
    assert!(server.get("/api/v1/search?q=Jup&num=1").starts_with("HTTP/1.1 200"));
}

#[test]
fn a_server_is_ready_while_it_can_take_a_request() {
    let server = Narrow::start(Limits { turn: short(), light: 1, ..Limits::default() });
    assert!(server.get("/readyz").starts_with("HTTP/1.1 200"));
    let mut stream = server.connect();
    stream.write_all(ENDLESS).unwrap();
    expect_free(&server, 0, "work has begun");
    assert!(is_busy(&server.get("/readyz")));
    assert!(server.get("/healthz").starts_with("HTTP/1.1 200"), "it is alive");
    drop(stream);
    expect_free(&server, 1, "the client has left");
    assert!(server.get("/readyz").starts_with("HTTP/1.1 200"));
}

#[test]
fn a_header_that_does_not_come_closes_the_connection() {
    let server = Narrow::start(Limits { header: short(), ..Limits::default() });
    let answer = server.send("GET /healthz HTTP/1.1\r\nhost: loc");
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{answer}");
}

#[test]
fn a_body_that_does_not_come_is_a_problem() {
    let server = Narrow::start(Limits { answer: short(), ..Limits::default() });
    let head = "POST /api/v1/judge/undo HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n";
    let answer = server.send(&format!("{head}content-type: application/json\r\ncontent-length: 9\r\n\r\n{{"));
    assert!(is_busy(&answer) && answer.contains("took too long"), "{answer}");
}

/// Tests clients that read nothing, or a little now and then.
#[test]
fn a_client_that_reads_slowly_is_left() {
    let server = Narrow::start(Limits { send: short(), ..Limits::default() });
    // Far more than the system holds for a connection.
    let requests = "GET /api/v1/openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(1000);
    for bytes in [0, 100] {
        let mut stream = server.connect();
        stream.write_all(requests.as_bytes()).unwrap();
        let begun = Instant::now();
        while server.app.metrics.connections.get() == 0 {
            assert!(begun.elapsed() < Duration::from_secs(60), "the connection was not taken");
        }
        while server.app.metrics.connections.get() > 0 {
            assert!(begun.elapsed() < Duration::from_secs(60), "the connection is still open");
            stream.read_exact(&mut vec![0; bytes]).unwrap();
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Works until it is interrupted.
pub(crate) async fn endless(State(app): State<Arc<App>>) -> Result<(), Problem> {
    let work = || {
        while check().is_ok() {
            std::thread::sleep(Duration::from_millis(1));
        }
        Err(Problem::late())
    };
    app.work(Work::Light, work).await
}

/// Waits until this many places are free.
fn expect_free(server: &Narrow, places: usize, when: &str) {
    let begun = Instant::now();
    while server.app.light.available_permits() != places {
        assert!(begun.elapsed() < Duration::from_secs(5), "{when}: {:?}", server.app.light);
        std::thread::sleep(Duration::from_millis(5));
    }
}

const ENDLESS: &[u8] = b"GET /endless HTTP/1.1\r\nhost: localhost\r\n\r\n";

#[test]
fn work_ends_when_its_client_leaves() {
    let server = Narrow::start(Limits { light: 1, ..Limits::default() });
    type Leave = fn(TcpStream) -> Option<TcpStream>;
    let ways: [(&str, &[u8], Leave); 3] = [
        ("closed", ENDLESS, |_| None),
        ("half closed", ENDLESS, |stream| {
            stream.shutdown(Shutdown::Write).unwrap();
            Some(stream)
        }),
        ("closed after further requests", &ENDLESS.repeat(3), |_| None),
    ];
    for (way, requests, leave) in ways {
        let mut stream = server.connect();
        stream.write_all(requests).unwrap();
        expect_free(&server, 0, way);
        let left = leave(stream);
        expect_free(&server, 1, way);
        drop(left);
    }
}

#[test]
fn work_ends_when_its_time_is_over() {
    let server = Narrow::start(Limits { light: 1, answer: short(), ..Limits::default() });
    let answer = server.get("/endless");
    assert!(is_busy(&answer) && answer.contains("took too long"), "{answer}");
    expect_free(&server, 1, "the time is over");
}

/// Returns a request that calls a tool.
#[cfg(feature = "mcp")]
fn call_of(tool: &str, arguments: &str) -> String {
    let params = format!(r#"{{"name": "{tool}", "arguments": {arguments}}}"#);
    let body = format!(r#"{{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {params}}}"#);
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n\
                accept: application/json, text/event-stream";
    format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

#[cfg(feature = "mcp")]
fn call(server: &Narrow, tool: &str, arguments: &str) -> String {
    server.send(&call_of(tool, arguments))
}

#[cfg(feature = "mcp")]
#[test]
fn a_call_of_a_tool_ends_when_its_client_leaves() {
    let server = Narrow::start(Limits { light: 0, turn: Duration::from_secs(60), ..Limits::default() });
    // A call that waits for its turn holds the semaphore.
    let expect_waiting = |calls: usize, when: &str| {
        let begun = Instant::now();
        while Arc::strong_count(&server.app.light) != 1 + calls {
            assert!(begun.elapsed() < Duration::from_secs(20), "{when}");
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    let mut stream = server.connect();
    stream.write_all(call_of("search_pages", r#"{"query": "j"}"#).as_bytes()).unwrap();
    expect_waiting(1, "the call waits");
    drop(stream);
    expect_waiting(0, "the client has left");
}
