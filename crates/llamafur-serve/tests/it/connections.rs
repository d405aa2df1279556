//! Many clients, slow ones, and the end.

use crate::client::{Answer, Running};
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
    assert!(server.get("/metrics").text().contains("llamafur_connections"));
    drop(idle);
}

#[test]
fn a_client_that_leaves_does_no_harm() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::toy(dir.path());
    for _ in 0..50 {
        server
            .connect()
            .write_all(b"GET /api/v1/top?top=1000&snippets=true HTTP/1.1\r\nhost: localhost\r\n\r\n")
            .unwrap();
    }
    assert_eq!(server.get("/api/v1/rank?page=Jupiter").status, 200);
}

#[test]
fn a_stopped_server_answers_what_it_has_begun() {
    let dir = tempfile::tempdir().unwrap();
    let mut server = Running::toy(dir.path());
    let clients: Vec<_> = (0..8)
        .map(|_| {
            let mut stream = server.connect();
            stream.write_all(b"GET /api/v1/top?top=3 HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
            stream
        })
        .collect();
    // All are taken by the server before it is stopped.
    while !server.get("/metrics").text().contains("llamafur_connections 9") {
        std::thread::sleep(Duration::from_millis(5));
    }
    server.stopper().stop();
    for client in clients {
        assert_eq!(Answer::read(&mut BufReader::new(client)).status, 200);
    }
    server.stop();
    assert!(std::net::TcpStream::connect(server.address).is_err());
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
