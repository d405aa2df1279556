//! Several corpora, and one that is replaced while it is served.

use crate::client::{Running, eventually, made, toy, toy_links, toy_tables, train};
use llamafur::corpus::Corpus;
use llamafur::progress::Silent;
use llamafur::storage::Existing;
use llamafur::words::{Words, WordsConf};
use llamafur_import::table::{TableConf, import};
use llamafur_serve::ServeConf;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

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

/// Asks again and again while something is done, until a ranking has so many links; no request may fail.
fn under_requests(server: &Running, paths: &[&str], links: usize, work: impl FnOnce()) {
    let ask = |path: &str| {
        let answer = server.get(&format!("/api/v1/{path}"));
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer
    };
    paths.iter().for_each(|path| drop(ask(path)));
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let asking = [(); 2].map(|()| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    paths.iter().for_each(|path| drop(ask(path)));
                }
            })
        });
        // Also where the test fails.
        let _over = Over(&is_over);
        work();
        let is_new = || ask("rank?page=Jupiter").json()["num_links"] == links;
        eventually("the new corpus is served, or a request failed", || {
            is_new() || asking.iter().any(|thread| thread.is_finished())
        });
    });
}

/// Ends those who ask when it is dropped.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_replaced_corpus_is_opened_again_and_no_request_fails() {
    let dir = tempfile::tempdir().unwrap();
    let (first, second) = (star(dir.path(), "served", 5), star(dir.path(), "new", 9));
    let server = Running::start(ServeConf::new([first.clone()]));
    let etag = server.get("/api/v1/rank?page=Jupiter").header("etag").to_owned();
    let paths =
        ["rank?page=Jupiter&scorer=llamafur", "explain?source=Jupiter&target=Page%200", "search?q=page"];
    under_requests(&server, &paths, 9, || {
        std::fs::rename(&first, dir.path().join("old.corpus")).unwrap();
        std::fs::rename(&second, &first).unwrap();
    });
    assert_ne!(server.get("/api/v1/rank?page=Jupiter").header("etag"), etag);
}

/// Between import and training the corpus has no model; scorers that nobody has asked for yet must be answered all the same.
#[test]
fn a_corpus_that_is_imported_anew_and_then_trained_fails_no_request() {
    let dir = tempfile::tempdir().unwrap();
    let place = toy(dir.path());
    let server = Running::start(ServeConf::new([place.clone()]));
    let links = std::fs::read_to_string(toy_links()).unwrap() + "Jupiter\tNewcomer\n";
    let new_links = dir.path().join("links.tsv");
    std::fs::write(&new_links, links).unwrap();
    let paths =
        ["rank?page=Jupiter&snippets=true", "explain?source=Jupiter&target=Fish", "page?title=Jupiter"];
    under_requests(&server, &paths, 5, || {
        import(&toy_tables(&new_links).existing(Existing::Replace), &place, &mut Silent).unwrap();
        for scorer in ["llamafur", "aa", "categories", "company", "llamafur%2Baa"] {
            let answer = server.get(&format!("/api/v1/rank?page=Jupiter&scorer={scorer}"));
            assert_eq!(answer.status, 200, "{scorer}: {}", answer.text());
        }
        assert_eq!(server.json("/api/v1/rank?page=Jupiter")["num_links"], 4);
        train(&place);
    });
}

/// Copied file by file, the manifest first: what cannot be opened yet is tried again when a further file is there.
#[test]
fn a_corpus_that_is_copied_slowly_is_opened_in_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let (first, second) = (star(dir.path(), "served", 5), star(dir.path(), "new", 9));
    let server = Running::start(ServeConf::new([first.clone()]));
    std::fs::rename(&first, dir.path().join("old.corpus")).unwrap();
    std::fs::create_dir_all(first.join("models")).unwrap();
    let copy = |name: &PathBuf| {
        std::fs::copy(second.join(name), first.join(name)).unwrap();
    };
    let files = |folder: &str| {
        let entries = std::fs::read_dir(second.join(folder)).unwrap().map(|entry| entry.unwrap());
        let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
        files.map(|file| Path::new(folder).join(file.file_name())).collect::<Vec<_>>()
    };
    files("models").iter().for_each(copy);
    let (manifest, others): (Vec<_>, Vec<_>) =
        files("").into_iter().partition(|name| name.ends_with("manifest.json"));
    manifest.iter().for_each(copy);
    // Long enough for an attempt to open it.
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(server.json("/api/v1/rank?page=Jupiter")["num_links"], 5);
    others.iter().for_each(copy);
    eventually("the copy is served", || server.json("/api/v1/rank?page=Jupiter")["num_links"] == 9);
}

#[test]
fn a_corpus_that_lost_its_model_is_not_taken_over() {
    let dir = tempfile::tempdir().unwrap();
    let (place, other) = (star(dir.path(), "report", 5), star(dir.path(), "other", 5));
    let server = Running::start(ServeConf::new([place.clone(), other.clone()]));
    assert_eq!(server.json("/api/v1/corpora")["corpora"][0]["name"], "corpus");
    let version = || server.json("/api/v1/corpora")["corpora"][1]["version"].clone();
    let before = version();
    std::fs::remove_dir_all(place.join("models")).unwrap();
    train(&other);
    // Corpora are looked at in their order, so the first was looked at too.
    eventually("the new model of the other corpus is used", || version() != before);
    assert_eq!(server.json("/api/v1/rank?page=Jupiter&scorer=llamafur")["num_links"], 5);
    assert_eq!(server.json("/api/v1/corpora")["corpora"][0]["has_model"], true);
}

#[test]
fn a_new_model_is_used() {
    let dir = tempfile::tempdir().unwrap();
    let place = star(dir.path(), "served", 5);
    let server = Running::start(ServeConf::new([place.clone()]));
    let etag = || server.get("/api/v1/rank?page=Jupiter").header("etag").to_owned();
    let before = etag();
    train(&place);
    eventually("the new model is used", || etag() != before);
}

#[test]
fn entity_tags_change_with_the_words() {
    let dir = tempfile::tempdir().unwrap();
    let place = toy(dir.path());
    let count = |shortest: usize| {
        let conf = WordsConf::default().min_documents(1).shortest(shortest);
        Words::of(&Corpus::open(&place).unwrap(), &conf, &mut Silent).unwrap();
    };
    count(4);
    let server = Running::start(ServeConf::new([place.clone()]));
    let etag = || server.get("/api/v1/rank?page=Jupiter&scorer=m1").header("etag").to_owned();
    let before = etag();
    assert!(!before.is_empty());
    count(5);
    eventually("the new words are used", || etag() != before);
}

/// Writes every file of a folder into the one of the same name of another, as `cp -r new/. served/` does.
fn overwrite(new: &Path, served: &Path) {
    std::fs::create_dir_all(served).unwrap();
    for entry in std::fs::read_dir(new).unwrap().map(Result::unwrap) {
        let to = served.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            overwrite(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
            // Requests come in between.
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Files that are mapped are cut and written anew: no signal ends the server, no answer is wrong, and others are served.
#[test]
fn a_corpus_that_is_overwritten_in_place_is_unavailable_until_it_is_whole() {
    let dir = tempfile::tempdir().unwrap();
    let [served, new, other] =
        [("served", 5), ("new", 9), ("other", 7)].map(|(name, links)| star(dir.path(), name, links));
    let server = Running::start(ServeConf::new([served.clone(), other]));
    let ranked = |corpus: &str| {
        let answer = server.get(&format!("/api/v1/rank?page=Jupiter&scorer=llamafur&corpus={corpus}"));
        let links = (answer.status == 200).then(|| answer.json()["num_links"].as_u64().unwrap());
        (answer.status, links, answer.text())
    };
    let (right, is_over) = ([5, 9].map(|links| ranked_page(&dir, links)), AtomicBool::new(false));
    let is_right = |links: u64, text: &str| right.iter().any(|(of, page)| *of == links && page == text);
    std::thread::scope(|scope| {
        let asking = [(); 2].map(|()| {
            scope.spawn(|| {
                let mut unavailable = 0;
                while !is_over.load(Ordering::Relaxed) {
                    match ranked("served") {
                        (503, _, text) => {
                            assert!(text.contains("changed or cut"), "{text}");
                            unavailable += 1;
                        }
                        (200, Some(links), text) => assert!(is_right(links, &text), "{text}"),
                        (status, _, text) => panic!("{status}: {text}"),
                    }
                    assert_eq!(ranked("other").1, Some(7));
                }
                unavailable
            })
        });
        let _over = Over(&is_over);
        overwrite(&new, &served);
        eventually("the new corpus is served, or a request failed", || {
            ranked("served").1 == Some(9) || asking.iter().any(|thread| thread.is_finished())
        });
        drop(_over);
        assert!(asking.into_iter().map(|thread| thread.join().unwrap()).sum::<u64>() > 0);
    });
}

/// What is answered of a corpus in which Jupiter links to so many pages.
fn ranked_page(dir: &tempfile::TempDir, links: usize) -> (u64, String) {
    let place = star(dir.path(), &format!("alone-{links}"), links);
    let alone = Running::start(ServeConf::new([place]));
    (links as u64, alone.get("/api/v1/rank?page=Jupiter&scorer=llamafur").text())
}
