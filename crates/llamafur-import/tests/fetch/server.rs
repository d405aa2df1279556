//! A server on loopback that does what a test tells it, well or badly, one request per connection.

use sha1::{Digest, Sha1};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub method: String,
    pub path: String,
    pub headers: BTreeMap<String, String>,
    /// How many requests for this path came before it.
    pub nth: usize,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

/// How a body ends.
pub(crate) enum Then {
    /// As it should.
    Close,
    /// After so many bytes, although more were promised.
    Cut(usize),
    /// So many bytes, then silence until the client goes away.
    Stall(usize),
}

/// What to answer.
pub(crate) struct Reply {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
    pub then: Then,
    /// Leaves out the length: the body ends where the connection does.
    pub no_length: bool,
}

impl Reply {
    pub(crate) fn new(status: u16, body: impl Into<Vec<u8>>) -> Reply {
        Reply { status, headers: Vec::new(), body: body.into(), then: Then::Close, no_length: false }
    }

    pub(crate) fn not_found() -> Reply {
        Reply::new(404, "not here")
    }

    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Reply {
        self.headers.push((name, value.into()));
        self
    }

    pub(crate) fn then(mut self, then: Then) -> Reply {
        self.then = then;
        self
    }
}

/// Answers as a good server would, ranges included.
pub(crate) fn serve(request: &Request, data: &[u8]) -> Reply {
    let start = request.header("range").map(|range| {
        range.strip_prefix("bytes=").unwrap().strip_suffix('-').unwrap().parse::<usize>().unwrap()
    });
    let len = data.len();
    match start {
        Some(start) if start >= len => Reply::new(416, "").header("Content-Range", format!("bytes */{len}")),
        Some(start) => Reply::new(206, &data[start..])
            .header("Content-Range", format!("bytes {start}-{}/{len}", len - 1)),
        None => Reply::new(200, data),
    }
}

/// A list of checksums.
pub(crate) fn sums(files: &[(&str, &[u8])]) -> Reply {
    let lines: String = files.iter().map(|(name, data)| format!("{}  {name}\n", sha1(data))).collect();
    Reply::new(200, lines)
}

pub(crate) fn sha1(data: &[u8]) -> String {
    Sha1::digest(data).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Bytes that are the same in every run and nowhere alike.
pub(crate) fn bytes(len: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    })
    .take(len)
    .collect()
}

type Handler = Box<dyn Fn(&Request) -> Reply + Send + Sync>;

struct State {
    handler: Handler,
    seen: Mutex<Vec<Request>>,
    stop: AtomicBool,
}

/// The server; it ends with the test.
pub(crate) struct Server {
    state: Arc<State>,
    port: u16,
    accepting: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn new(handler: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(State {
            handler: Box::new(handler),
            seen: Mutex::default(),
            stop: AtomicBool::new(false),
        });
        let shared = state.clone();
        let accepting = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.stop.load(Ordering::SeqCst) {
                    break;
                }
                let (shared, stream) = (shared.clone(), stream.unwrap());
                // A client that goes away in the middle is part of the game.
                std::thread::spawn(move || shared.answer(stream).unwrap_or_default());
            }
        });
        Server { state, port, accepting: Some(accepting) }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// All requests in the order in which they came.
    pub(crate) fn seen(&self) -> Vec<Request> {
        self.state.seen.lock().unwrap().clone()
    }

    /// The requests for paths with this end.
    pub(crate) fn seen_for(&self, end: &str) -> Vec<Request> {
        self.seen().into_iter().filter(|request| request.path.ends_with(end)).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.state.stop.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(("127.0.0.1", self.port)));
        if let Some(accepting) = self.accepting.take() {
            accepting.join().unwrap();
        }
    }
}

impl State {
    fn answer(&self, stream: TcpStream) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut stream = stream;
        let Some(mut request) = read_request(&mut reader)? else { return Ok(()) };
        {
            let mut seen = self.seen.lock().unwrap();
            request.nth = seen.iter().filter(|before| before.path == request.path).count();
            seen.push(request.clone());
        }
        let reply = (self.handler)(&request);
        let mut head = format!("HTTP/1.1 {} Whatever\r\nConnection: close\r\n", reply.status);
        if !reply.no_length {
            head += &format!("Content-Length: {}\r\n", reply.body.len());
        }
        for (name, value) in &reply.headers {
            head += &format!("{name}: {value}\r\n");
        }
        let sent = match reply.then {
            _ if request.method == "HEAD" => 0,
            Then::Close => reply.body.len(),
            Then::Cut(after) | Then::Stall(after) => after.min(reply.body.len()),
        };
        let mut all = (head + "\r\n").into_bytes();
        all.extend(&reply.body[..sent]);
        stream.write_all(&all)?;
        if let Then::Stall(_) = reply.then {
            // Returns when the client closes its end.
            _ = reader.read(&mut [0])?;
        }
        Ok(())
    }
}

fn read_request(reader: &mut impl BufRead) -> std::io::Result<Option<Request>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split(' ').map(str::to_owned);
    let (method, path) = (words.next().unwrap(), words.next().unwrap());
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        match line.trim_end().split_once(": ") {
            Some((name, value)) => _ = headers.insert(name.to_ascii_lowercase(), value.to_owned()),
            None => return Ok(Some(Request { method, path, headers, nth: 0 })),
        }
    }
}
