//! A server with narrow bounds, as its clients meet them.

use crate::ServeConf;
use crate::app::{App, Work};
use crate::connections::{Server, Stopper};
use crate::limits::Limits;
use llamafur::progress::Silent;
use llamafur_import::table::{TableConf, import};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
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
    fn start(limits: Limits) -> Narrow {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().join("toy.corpus");
        let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/toy");
        let conf = TableConf::new(tables.join("links.tsv")).categories(tables.join("categories.tsv"));
        import(&conf, &place, &mut Silent).unwrap();
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

    /// The whole answer to the beginning of a request, or what of it came before the connection was closed.
    fn send(&self, request: &str) -> String {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn get(&self, path: &str) -> String {
        self.send(&format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"))
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
    let paths = [
        "/api/v1/rank?page=Jupiter",
        "/api/v1/rank?page=Jupiter&scorer=aa%2Bra",
        "/api/v1/judge/next?judge=A",
    ];
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
            // A sum is light once it is open, so it is only asked for while nothing may open it.
            if !other.contains("scorer") {
                assert!(server.get(other).starts_with("HTTP/1.1 200"), "{kind:?}: {other}");
            }
        }
        drop(release);
        worker.join().unwrap();
        assert!(server.get(paths[0]).starts_with("HTTP/1.1 200"), "{kind:?}");
    }
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

/// Whether it reads nothing, or a little now and then.
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
