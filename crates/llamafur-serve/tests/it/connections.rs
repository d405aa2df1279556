//! Many clients, slow ones, and the end.

use crate::client::{Answer, Running, eventually, toy};
use llamafur_serve::ServeConf;
use serde_json::json;
use std::io::{BufReader, Read, Write};
use std::time::Duration;

#[test]
fn several_requests_on_one_connection() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::toy(dir.path());
    let mut stream = BufReader::new(server.connect());
    for _ in 0..3 {
        stream
            .get_mut()
            .write_all(b"GET /api/v1/rank?page=Jupiter HTTP/1.1\r\nhost: localhost\r\n\r\n")
            .unwrap();
        assert_eq!(Answer::read(&mut stream).status, 200);
    }
}

#[test]
fn slow_and_idle_clients_are_in_nobodys_way() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::toy(dir.path());
    let idle: Vec<_> = (0..200).map(|_| server.connect()).collect();
    let mut slow = server.connect();
    slow.write_all(b"GET /api/v1/rank?page=Ju").unwrap();
    for _ in 0..20 {
        assert_eq!(server.get("/api/v1/rank?page=Jupiter").status, 200);
    }
    slow.write_all(b"piter HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").unwrap();
    assert_eq!(Answer::read(&mut BufReader::new(slow)).status, 200);
    // The idle ones, and the one that asks.
    eventually("closed connections are no longer counted", || server.metric("llamafur_connections") == 201);
    assert_eq!(server.metric("llamafur_requests_total{route=\"/api/v1/rank\",status=\"200\"}"), 21);
    drop(idle);
}

#[test]
fn a_client_that_leaves_does_no_harm() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::toy(dir.path());
    for _ in 0..50 {
        server
            .connect()
            .write_all(b"GET /api/v1/top?top=1000&snippets=true HTTP/1.1\r\nhost: localhost\r\nx-requested-with: x\r\n\r\n")
            .unwrap();
    }
    assert_eq!(server.get("/api/v1/rank?page=Jupiter").status, 200);
    // A request whose client leaves is counted when it ends.
    eventually("only the one that asks is left", || server.metric("llamafur_requests_in_flight") == 1);
}

#[test]
fn a_stopped_server_answers_what_it_has_begun() {
    let dir = tempfile::tempdir().unwrap();
    let mut server = Running::start(ServeConf::new([toy(dir.path())]).judge(true));
    // A request that lasts until its body comes.
    let body = json!({ "judge": "Ada" }).to_string();
    let mut client = server.connect();
    let head = "POST /api/v1/judge/undo HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json";
    write!(client, "{head}\r\ncontent-length: {}\r\n\r\n{{", body.len()).unwrap();
    eventually("the request has begun", || server.metric("llamafur_requests_in_flight") == 2);
    server.stopper().stop();
    std::thread::sleep(Duration::from_millis(100));
    client.write_all(&body.as_bytes()[1..]).unwrap();
    // She has judged nothing.
    assert!(Answer::read(&mut BufReader::new(client)).is_problem(409));
    server.stop();
}

#[test]
fn answers_are_compressed_where_that_is_understood() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::toy(dir.path());
    for encoding in ["gzip", "br"] {
        let head =
            format!("GET /api/v1/openapi.json HTTP/1.1\r\nhost: localhost\r\naccept-encoding: {encoding}");
        let mut stream = server.connect();
        write!(stream, "{head}\r\nconnection: close\r\n\r\n").unwrap();
        let mut all = Vec::new();
        stream.read_to_end(&mut all).unwrap();
        let text = String::from_utf8_lossy(&all);
        assert!(text.contains(&format!("content-encoding: {encoding}")), "{encoding}");
        assert!(all.len() < server.get("/api/v1/openapi.json").body.len() / 2);
    }
}
