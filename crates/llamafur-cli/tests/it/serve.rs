//! The server as a command: how it starts, what it says, how it ends.

use crate::common::{Desk, TOY};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

/// A running server, killed when it is dropped.
pub(crate) struct Serving {
    child: Child,
    stderr: BufReader<ChildStderr>,
    /// What it said before it was ready.
    said: String,
    address: String,
}

impl Serving {
    pub(crate) fn start(desk: &Desk, args: &[&str]) -> Serving {
        let mut command = desk.command();
        command.args(["serve", "--progress", "none"]).args(args).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        // Warnings come first.
        while !said.contains("http://") {
            said.clear();
            assert!(stderr.read_line(&mut said).unwrap() > 0, "no address");
        }
        let (_, rest) = said.split_once("http://").unwrap();
        let address = rest.split('/').next().unwrap().replace("0.0.0.0", "127.0.0.1");
        Serving { child, stderr, said, address }
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stderr.read_line(&mut line).unwrap();
        line
    }

    /// Sends a request, and returns the whole answer.
    fn send(&self, head: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let length = body.len();
        write!(stream, "{head} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const FREE: [&str; 2] = ["--bind", "127.0.0.1:0"];

#[test]
fn a_corpus_is_served_until_a_signal_ends_it() {
    let desk = Desk::with_model();
    for signal in ["-INT", "-TERM"] {
        let mut server = Serving::start(&desk, &[TOY, FREE[0], FREE[1]]);
        assert!(server.said.starts_with("serving toy at http://127.0.0.1:"), "{}", server.said);
        let answer = server.send("GET /api/v1/rank?page=Jupiter&top=1", "");
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\"Fish\""), "{answer}");
        server.signal(signal);
        assert_eq!(server.child.wait().unwrap().code(), Some(0));
        assert_eq!(server.line(), "");
    }
}

#[test]
fn without_a_corpus_the_encyclopedia_is_served_and_nothing_is_left() {
    let desk = Desk::new();
    let mut server = Serving::start(&desk, &FREE);
    assert!(server.said.starts_with("serving demo at "), "{}", server.said);
    assert!(server.send("GET /api/v1/page?title=Jupiter", "").contains("\"Fish\""));
    server.signal("-INT");
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
    assert!(desk.contents().is_empty());
}

#[test]
fn a_request_in_the_log_is_a_line_of_json() {
    let desk = Desk::with_model();
    let mut server = Serving::start(&desk, &[TOY, FREE[0], FREE[1], "--log", "info", "--log-format", "json"]);
    server.send("GET /api/v1/search?q=%0Aevil", "");
    let mut lines = std::iter::repeat_with(|| server.line()).take_while(|line| !line.is_empty());
    let line = lines.find(|line| line.contains("/api/v1/search")).unwrap();
    let entry: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(entry["fields"]["status"], 200, "{line}");
}

#[test]
fn a_server_for_others_says_what_that_means() {
    let desk = Desk::with_model();
    let mut server = Serving::start(&desk, &[TOY, "--bind", "0.0.0.0:0", "--judge"]);
    assert!(server.line().contains("everybody who can reach this address can read the corpora"));
    let line = server.line();
    let (_, token) = line.trim_end().split_once("#token=").unwrap_or_else(|| panic!("no token: {line}"));
    let asked = "GET /api/v1/judge/next?judge=Ada";
    assert!(server.send(asked, "").starts_with("HTTP/1.1 401"));
    let with =
        |token: &str| server.send(&format!("{asked} HTTP/1.1\r\nauthorization: Bearer {token}\r\nx:"), "");
    assert!(with("wrong").starts_with("HTTP/1.1 401"));
    assert!(with(token).starts_with("HTTP/1.1 200"), "{}", with(token));
}

#[test]
fn killed_while_judging_it_loses_no_judgment_that_was_answered() {
    let desk = Desk::with_model();
    let judge = [TOY, FREE[0], FREE[1], "--judge"];
    let links = |server: &Serving| -> Vec<String> {
        let answer = server.send("GET /api/v1/judge/export?format=tsv", "");
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        body.lines().skip(1).map(str::to_owned).collect()
    };
    for round in 1..=5 {
        let mut server = Serving::start(&desk, &judge);
        assert_eq!(links(&server).len(), round - 1);
        let next = server.send("GET /api/v1/judge/next?judge=Ada", "");
        let task: serde_json::Value = serde_json::from_str(next.split_once("\r\n\r\n").unwrap().1).unwrap();
        let body = serde_json::json!({
            "judge": "Ada", "source": task["link"]["source"], "target": task["link"]["target"], "label": "U"
        });
        let answer = server.send("POST /api/v1/judge/judgments", &body.to_string());
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        server.child.kill().unwrap();
        server.child.wait().unwrap();
    }
    desk.llamafur(["verify", TOY]).fine();
}

#[test]
fn what_cannot_be_served_is_an_error_with_a_way_out() {
    let desk = Desk::with_model();
    let serve = |args: &[&str]| desk.llamafur(["serve"].iter().chain(args));
    serve(&["nowhere.corpus"]).fails(2, &["nowhere.corpus", "run `llamafur import`"]);
    let server = Serving::start(&desk, &[TOY, FREE[0], FREE[1]]);
    let taken = ["--bind", &server.address];
    serve(&[TOY, taken[0], taken[1]]).fails(2, &["cannot listen on 127.0.0.1:", "`--bind`"]);
    serve(&[TOY, "--cors", "example.org"]).fails(2, &["an origin must be", "example.org"]);
    serve(&[TOY, "--report", "nowhere"]).fails(2, &["the report must be the folder of a report", "nowhere"]);
    serve(&["--judge"]).fails(2, &["judgments", "llamafur demo --out demo.corpus"]);
    serve(&[TOY, "--judge", "--token", ""]).fails(2, &["the token must be"]);
    serve(&[TOY, "--host", "http://wiki.example/"]).fails(2, &["a host must be a name without port"]);
    serve(&[TOY, "--bind", "nonsense"]).misused(&["nonsense"]);
}
