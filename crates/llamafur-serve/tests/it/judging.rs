//! Judging over HTTP: what is kept, what is refused, and who may.

use crate::client::{Answer, Running, eventually, toy};
use llamafur::corpus::{CorpusWriter, ListColumn, Provenance, StringColumn};
use llamafur::storage::Existing;
use llamafur_serve::ServeConf;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Six pages that link to one another, one of them named as an attack would be; the category of the last can be changed.
fn write_corpus(path: &Path, last: u32) {
    let titles = ["<script>alert(1)</script>", "B", "C", "D", "E", "F"];
    let links = (0..6).map(|page| (0..6).filter(|other| *other != page).collect::<Vec<u32>>());
    let mut writer = CorpusWriter::create(path, Existing::Replace).unwrap();
    let categories: ListColumn = [0, 1, 0, 1, 0, last].iter().map(|&category| vec![category]).collect();
    writer.write_pages(titles.iter().collect::<StringColumn>(), links.collect(), categories).unwrap();
    let names: StringColumn = ["X", "Y"].iter().collect();
    writer.write_categories(names, [vec![], vec![]].into_iter().collect()).unwrap();
    writer.finish(Provenance::default()).unwrap();
}

fn corpus() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c");
    write_corpus(&path, 1);
    (folder, path)
}

fn conf(path: &Path) -> ServeConf {
    ServeConf::new([path.to_owned()]).advice(|_| "advice".into()).judge(true)
}

const NEXT: &str = "/api/v1/judge/next?judge=Ada";
const JUDGMENTS: &str = "/api/v1/judge/judgments";
const UNDO: &str = "/api/v1/judge/undo";

/// Posts a body with a further header.
fn post_with(server: &Running, path: &str, header: &str, body: impl ToString) -> Answer {
    let head =
        format!("POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{header}");
    server.send(&head, &body.to_string())
}

fn post(server: &Running, path: &str, body: impl ToString) -> Answer {
    post_with(server, path, "accept: */*", body)
}

/// The answer, which must be fine.
fn fine(answer: Answer) -> Value {
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("cache-control"), "no-store");
    answer.json()
}

/// The problem, which must have this status.
fn refused(answer: Answer, status: u16) -> Value {
    assert!(answer.is_problem(status), "{status}: {} {}", answer.status, answer.text());
    answer.json()
}

fn judgment(task: &Value, judge: &str, label: &str) -> Value {
    let link = &task["link"];
    json!({"judge": judge, "source": link["source"], "target": link["target"], "label": label})
}

#[test]
fn links_are_judged_one_after_the_other_and_taken_back() {
    let (_folder, path) = corpus();
    let server = Running::start(conf(&path));
    let first = server.json(NEXT);
    assert_eq!((&first["done"], &first["can_undo"]), (&0.into(), &false.into()));
    assert_eq!(first["link"]["snippet"], Value::Null);
    let second = fine(post(&server, JUDGMENTS, judgment(&first, "Ada", "TU")));
    assert_eq!((&second["done"], &second["can_undo"]), (&1.into(), &true.into()));
    assert_ne!(second["link"], first["link"]);
    fine(post(&server, JUDGMENTS, judgment(&first, "Bob", "U")));
    // Another program that opens the corpus finds it.
    let again = Running::start(conf(&path));
    assert_eq!(again.json(NEXT), second);
    let summary = again.json("/api/v1/judge/summary?corpus=c");
    assert_eq!(summary["judges"], json!([{"name": "Ada", "judged": 1}, {"name": "Bob", "judged": 1}]));
    let table = again.get("/api/v1/judge/export").text();
    assert!(table.starts_with("source\ttarget\tclass\tjudge\n") && table.lines().count() == 3, "{table}");
    let qrels = again.get("/api/v1/judge/export?format=qrels").text();
    assert!(qrels.ends_with(" 1\n") && qrels.lines().count() == 1, "{qrels}");
    assert_eq!(fine(post(&server, UNDO, json!({"judge": "Ada"}))), first);
    let problem = refused(post(&server, UNDO, json!({"judge": "Ada"})), 409);
    assert_eq!(problem["advice"], "advice");
}

#[test]
fn what_is_wrong_is_refused_and_nothing_is_written() {
    let (_folder, path) = corpus();
    let server = Running::start(conf(&path));
    let good = judgment(&server.json(NEXT), "Ada", "TE");
    let with = |field: &str, value: Value| {
        let mut changed = good.clone();
        changed[field] = value;
        changed
    };
    for (body, status) in [
        (with("judge", "".into()), 400),
        (with("judge", "a\nb".into()), 400),
        (with("judge", "x".repeat(65).into()), 400),
        (with("label", "XX".into()), 422),
        (with("label", 1.into()), 400),
        (with("score", 1.into()), 422),
        (with("target", "nowhere".into()), 404),
        (with("source", "../../etc/passwd".into()), 404),
        (with("corpus", "other".into()), 404),
    ] {
        refused(post(&server, JUDGMENTS, &body), status);
    }
    let problem = refused(post(&server, JUDGMENTS, with("label", "XX".into())), 422);
    let detail = problem["detail"].as_str().unwrap();
    let expected = "label: unknown variant `XX`, expected one of `TE`, `E`, `U`, `TU`";
    assert!(detail.starts_with(expected), "{detail}");
    refused(post(&server, JUDGMENTS, "{"), 400);
    refused(post(&server, JUDGMENTS, "x".repeat(70 << 10)), 413);
    refused(server.get("/api/v1/judge/next"), 400);
    refused(server.get("/api/v1/judge/export?format=xml"), 400);
    refused(server.get(JUDGMENTS), 405);
    // A form of another site cannot set the type of its body without asking first.
    let plain = format!("POST {JUDGMENTS} HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain");
    refused(server.send(&plain, &good.to_string()), 415);
    for header in ["origin: https://evil.example", "sec-fetch-site: cross-site"] {
        refused(post_with(&server, JUDGMENTS, header, &good), 403);
    }
    let foreign =
        format!("POST {JUDGMENTS} HTTP/1.1\r\nhost: evil.example\r\ncontent-type: application/json");
    refused(server.send(&foreign, &good.to_string()), 421);
    assert!(!path.join("judgments/log.tsv").exists());
    fine(post(&server, JUDGMENTS, &good));
}

#[test]
fn requests_that_another_server_passes_on_need_a_token() {
    let dir = tempfile::tempdir().unwrap();
    let place = toy(dir.path());
    let ask = |server: &Running, header: &str| {
        let head = format!("GET /api/v1/judge/next?judge=Ada HTTP/1.1\r\nhost: 127.0.0.1\r\n{header}");
        server.send(&head, "")
    };
    let open = Running::start(ServeConf::new([place.clone()]).judge(true));
    assert_eq!(ask(&open, "x: y").status, 200);
    let forwarded = [
        "Forwarded: for=203.0.113.7",
        "X-Forwarded-For: 203.0.113.7",
        "X-Forwarded-Host: wiki.example",
        "X-Forwarded-Proto: https",
        "X-Real-IP: 203.0.113.7",
        "Via: 1.1 proxy",
    ];
    for header in forwarded {
        let answer = ask(&open, header);
        assert!(
            answer.is_problem(403) && answer.text().contains("needs a token"),
            "{header}: {}",
            answer.text()
        );
    }
    let guarded = Running::start(ServeConf::new([place]).judge(true).token("secret"));
    assert_eq!(ask(&guarded, "via: 1.1 proxy\r\nauthorization: Bearer secret").status, 200);
    assert!(ask(&guarded, "via: 1.1 proxy").is_problem(401));
}

#[test]
fn without_being_asked_to_the_server_does_not_judge() {
    let (_folder, path) = corpus();
    let server = Running::start(conf(&path).judge(false));
    for path in [NEXT, "/api/v1/judge/summary", "/api/v1/judge/export"] {
        refused(server.get(path), 403);
    }
    let said = json!({"judge": "Ada", "source": "B", "target": "C", "label": "TE"});
    refused(post(&server, JUDGMENTS, said), 403);
    refused(post(&server, UNDO, json!({"judge": "Ada"})), 403);
    assert!(!path.join("judgments").exists());
}

#[test]
fn where_a_token_is_needed_nothing_goes_without_it() {
    let (_folder, path) = corpus();
    let server = Running::start(conf(&path).token("secret"));
    for path in [NEXT, "/api/v1/judge/summary", "/api/v1/judge/export"] {
        refused(server.get(path), 401);
    }
    refused(post(&server, UNDO, json!({"judge": "Ada"})), 401);
    assert_eq!(server.get(NEXT).header("www-authenticate"), "Bearer");
    let next = |authorization: &str| {
        server.send(&format!("GET {NEXT} HTTP/1.1\r\nhost: localhost\r\nauthorization: {authorization}"), "")
    };
    for wrong in ["secret", "Bearer", "Bearer ", "Bearer secre", "Bearer secret2", "Basic secret"] {
        refused(next(wrong), 401);
    }
    let said = judgment(&fine(next("Bearer secret")), "Ada", "TE");
    refused(post(&server, JUDGMENTS, &said), 401);
    let answer = post_with(&server, JUDGMENTS, "authorization: bearer secret", &said);
    assert_eq!(fine(answer)["done"], 1);
}

/// A proxy asks on the loopback interface for anybody.
#[test]
fn judging_behind_a_proxy_needs_a_token() {
    let (_folder, path) = corpus();
    let server = Running::start(conf(&path).hosts(["wiki.example".into()]));
    let next = format!("GET {NEXT} HTTP/1.1\r\nhost: wiki.example");
    refused(server.send(&next, ""), 401);
    let token = server.token.clone().unwrap();
    fine(server.send(&format!("{next}\r\nauthorization: Bearer {token}"), ""));
    assert_eq!(Running::start(conf(&path)).token, None);
}

#[test]
fn a_corpus_that_is_replaced_keeps_its_judgments() {
    let (_folder, path) = corpus();
    let server = Running::start(conf(&path));
    let first = server.json(NEXT);
    fine(post(&server, JUDGMENTS, judgment(&first, "Ada", "TE")));
    let version = || server.json("/api/v1/corpora")["corpora"][0]["version"].clone();
    let before = version();
    write_corpus(&path, 0);
    eventually("the new corpus is served", || version() != before);
    let second = server.json(NEXT);
    assert_eq!(second["done"], 1);
    fine(post(&server, JUDGMENTS, judgment(&second, "Ada", "E")));
    let log = std::fs::read_to_string(path.join("judgments/log.tsv")).unwrap();
    assert_eq!(log.lines().count(), 3, "{log}");
}
