//! A server on a free port, and a plain client.

use llamafur::categories::Categories;
use llamafur::corpus::Corpus;
use llamafur::learn::{LearnConf, Method, Model, features, train_features};
use llamafur::progress::Silent;
use llamafur_import::table::{TableConf, import};
use llamafur_serve::{ServeConf, ServeError, Server, Stopper};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A server that runs until it is dropped.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) token: Option<String>,
    stopper: Stopper,
    thread: Option<JoinHandle<Result<(), ServeError>>>,
}

impl Running {
    pub(crate) fn start(conf: ServeConf) -> Running {
        let server = Server::open(conf.bind(([127, 0, 0, 1], 0).into()), &mut Silent).unwrap();
        let (address, token, stopper) =
            (server.address(), server.token().map(str::to_owned), server.stopper());
        let thread = Some(std::thread::spawn(move || server.run()));
        Running { address, token, stopper, thread }
    }

    /// Serves the toy corpus.
    pub(crate) fn toy(dir: &Path) -> Running {
        Running::start(ServeConf::new([toy(dir)]))
    }

    /// Stops it, and waits until it has ended.
    pub(crate) fn stop(&mut self) {
        self.stopper.stop();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap().unwrap();
        }
    }

    pub(crate) fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream
    }

    /// Sends the head of a request and its body, and reads the answer.
    pub(crate) fn send(&self, head: &str, body: &str) -> Answer {
        let mut stream = self.connect();
        let request = format!("{head}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
        // The server may refuse what is too large before it has read all of it.
        let _ = stream.write_all(request.as_bytes());
        Answer::read(&mut BufReader::new(stream))
    }

    /// Asks, as one who may start work, and asks again as long as the server is at work.
    pub(crate) fn get(&self, path: &str) -> Answer {
        let begun = Instant::now();
        loop {
            let answer =
                self.send(&format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nx-requested-with: test"), "");
            if answer.status != 202 || begun.elapsed() > LONGEST {
                return answer;
            }
            assert_eq!(answer.header("retry-after"), "1");
        }
    }

    /// A figure of `/metrics`.
    pub(crate) fn metric(&self, name: &str) -> u64 {
        let text = self.get("/metrics").text();
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value.unwrap_or_else(|| panic!("no {name}: {text}")).parse().unwrap()
    }

    /// The JSON of an answer that must be fine.
    pub(crate) fn json(&self, path: &str) -> Value {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.json()
    }
}

/// How long a test waits for what should take a moment.
const LONGEST: Duration = Duration::from_secs(60);

/// Waits until something holds.
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < LONGEST, "it never happened that {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stopper.stop();
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn read(stream: &mut impl BufRead) -> Answer {
        let mut line = String::new();
        stream.read_line(&mut line).unwrap();
        let status = line.split(' ').nth(1).unwrap_or_else(|| panic!("no answer: {line:?}")).parse().unwrap();
        let mut headers = BTreeMap::new();
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).unwrap();
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            headers.insert(name.to_ascii_lowercase(), value.to_owned());
        }
        let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        stream.read_exact(&mut body).unwrap();
        if !headers.contains_key("content-length") && !matches!(status, 204 | 304) {
            stream.read_to_end(&mut body).unwrap();
        }
        Answer { status, headers, body }
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value)
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// Whether it is a problem of this status that says something.
    pub(crate) fn is_problem(&self, status: u16) -> bool {
        let is_one = self.status == status && self.header("content-type") == "application/problem+json";
        is_one && self.json()["status"] == status && !self.json()["detail"].as_str().unwrap().is_empty()
    }
}

/// The links of the toy corpus.
pub(crate) fn toy_links() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/toy/links.tsv")
}

/// The tables of the toy corpus, with these links.
pub(crate) fn toy_tables(links: &Path) -> TableConf {
    let tables = toy_links();
    TableConf::new(links)
        .categories(tables.with_file_name("categories.tsv"))
        .text(tables.with_file_name("text.tsv"))
}

/// The toy corpus, with a model.
pub(crate) fn toy(dir: &Path) -> PathBuf {
    made(toy_tables(&toy_links()), &dir.join("toy.corpus"))
}

/// A corpus from tables, with a model.
pub(crate) fn made(conf: TableConf, place: &Path) -> PathBuf {
    import(&conf, place, &mut Silent).unwrap();
    train(place);
    place.to_owned()
}

/// Trains the default model.
pub(crate) fn train(place: &Path) {
    let corpus = Corpus::open(place).unwrap();
    let features = features::available(&corpus, Categories::all(&corpus), &mut Silent).unwrap();
    let conf = LearnConf::default().held_out(0.0).ensemble(1);
    let name = Model::default_name(Method::default());
    train_features(&features, name, &conf, &mut Silent).unwrap().save(&corpus).unwrap();
}
