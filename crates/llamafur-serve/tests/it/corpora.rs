//! Several corpora, and one that is replaced while it is served.

use crate::client::{Running, made, toy, train};
use llamafur_import::table::TableConf;
use llamafur_serve::ServeConf;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A corpus in which Jupiter links to so many pages.
fn star(dir: &Path, name: &str, links: usize) -> PathBuf {
    let rows: String =
        (0..links).map(|page| format!("Jupiter\tPage {page}\nPage {page}\tJupiter\n")).collect();
    let tags: String = (0..links).map(|page| format!("Page {page}\tThings\n")).collect();
    let (table, categories) = (dir.join(format!("{name}.tsv")), dir.join(format!("{name}-tags.tsv")));
    std::fs::write(&table, rows).unwrap();
    std::fs::write(&categories, tags + "Jupiter\tPlanets\n").unwrap();
    made(TableConf::new(table).categories(categories), &dir.join(format!("{name}.corpus")))
}

#[test]
fn each_corpus_has_its_name() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (dir.path().join("a"), dir.path().join("b"));
    std::fs::create_dir(&a).unwrap();
    std::fs::create_dir(&b).unwrap();
    let server = Running::start(ServeConf::new([toy(&a), star(&b, "toy", 7)]));
    let list = server.json("/api/v1/corpora");
    let names: Vec<&str> =
        list["corpora"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["toy", "toy-2"]);
    assert_eq!(server.json("/api/v1/rank?page=Jupiter")["num_links"], 4);
    assert_eq!(server.json("/api/v1/rank?page=Jupiter&corpus=toy-2")["num_links"], 7);
}

#[test]
fn a_replaced_corpus_is_opened_again_and_no_request_fails() {
    let dir = tempfile::tempdir().unwrap();
    let (first, second) = (star(dir.path(), "served", 5), star(dir.path(), "new", 9));
    let server = Running::start(ServeConf::new([first.clone()]));
    let etag = server.get("/api/v1/rank?page=Jupiter").header("etag").to_owned();
    let (is_over, new) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    for path in [
                        "rank?page=Jupiter&scorer=llamafur",
                        "explain?source=Jupiter&target=Page%200",
                        "search?q=page",
                        "rank?page=Jupiter",
                    ] {
                        let answer = server.get(&format!("/api/v1/{path}"));
                        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
                        if path == "rank?page=Jupiter" && answer.json()["num_links"] == 9 {
                            new.store(true, Ordering::Relaxed);
                        }
                    }
                }
            });
        }
        std::thread::sleep(Duration::from_millis(300));
        std::fs::rename(&first, dir.path().join("old.corpus")).unwrap();
        std::fs::rename(&second, &first).unwrap();
        let begun = Instant::now();
        while !new.load(Ordering::Relaxed) && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(20));
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert!(new.load(Ordering::Relaxed), "the new corpus was never served");
    assert_ne!(server.get("/api/v1/rank?page=Jupiter").header("etag"), etag);
}

#[test]
fn a_corpus_that_lost_its_model_is_not_taken_over() {
    let dir = tempfile::tempdir().unwrap();
    let place = star(dir.path(), "report", 5);
    let server = Running::start(ServeConf::new([place.clone()]));
    assert_eq!(server.json("/api/v1/corpora")["corpora"][0]["name"], "corpus");
    std::fs::remove_dir_all(place.join("models")).unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(server.json("/api/v1/rank?page=Jupiter&scorer=llamafur")["num_links"], 5);
}

#[test]
fn a_new_model_is_used() {
    let dir = tempfile::tempdir().unwrap();
    let place = star(dir.path(), "served", 5);
    let server = Running::start(ServeConf::new([place.clone()]));
    let etag = server.get("/api/v1/rank?page=Jupiter").header("etag").to_owned();
    train(&place);
    let begun = Instant::now();
    while server.get("/api/v1/rank?page=Jupiter").header("etag") == etag {
        assert!(begun.elapsed() < Duration::from_secs(60), "the new model was not noticed");
        std::thread::sleep(Duration::from_millis(50));
    }
}
