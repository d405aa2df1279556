//! What rankings need, made ahead of time: the same answers with it and without, whatever happened while it was made.

use crate::common::{Desk, TOY, names_in};
#[cfg(unix)]
use crate::killed::{at_once, kill_after, moments};
use std::collections::BTreeMap;
use std::fs;
use std::time::Instant;

/// A desk with the corpus `c` of the demo's encyclopedia, and a model.
fn with_encyclopedia() -> Desk {
    let desk = Desk::new();
    desk.llamafur(["demo", "--dump", "demo.xml"]).fine();
    desk.llamafur(["import", "wiki", "demo.xml", "--out", "c"]).fine();
    desk.llamafur(["train", "c", "--passes", "1", "--held-out", "0", "--ensemble", "1"]).fine();
    desk
}

const RANK: [&str; 7] = ["rank", "c", "Jupiter", "--top", "0", "--format", "json"];

/// The files that `prepare` makes, with their bytes.
fn prepared(desk: &Desk) -> BTreeMap<String, Vec<u8>> {
    let in_folder = names_in(&desk.path("c/prepared")).into_iter().map(|name| format!("c/prepared/{name}"));
    let beside = ["c/words.arrow", "c/standards.json"].map(str::to_owned);
    in_folder.chain(beside).map(|name| (name.clone(), desk.read(&name))).collect()
}

fn remove_prepared(desk: &Desk) {
    let _ = fs::remove_dir_all(desk.path("c/prepared"));
    for file in ["c/words.arrow", "c/standards.json"] {
        let _ = fs::remove_file(desk.path(file));
    }
}

#[test]
fn a_ranking_makes_what_it_needs_and_says_the_same_as_after_prepare() {
    let desk = with_encyclopedia();
    let first = desk.llamafur(RANK).fine();
    remove_prepared(&desk);
    let made = desk.llamafur(["prepare", "c", "--format", "json"]).fine().json();
    assert!(made["files"].as_array().unwrap().iter().all(|file| file["is_new"] == true), "{made}");
    let files = prepared(&desk);
    assert_eq!(desk.llamafur(RANK).fine(), first);
    desk.llamafur(["explain", "c", "Jupiter", "Saturn"]).fine();
    desk.llamafur(["score", "c", "--out", "scores.tsv"]).fine();
    let again = desk.llamafur(["prepare", "c", "--threads", "1", "--memory", "100MB", "--format", "json"]);
    let again = again.fine().json();
    assert!(again["files"].as_array().unwrap().iter().all(|file| file["is_new"] == false), "{again}");
    assert!(prepared(&desk) == files);
    desk.llamafur(["verify", "c"]).fine();
}

#[test]
fn a_byte_that_changed_is_an_error_that_says_what_to_do_or_makes_no_difference() {
    let desk = with_encyclopedia();
    desk.llamafur(["prepare", "c"]).fine();
    let expected = desk.llamafur(RANK).fine();
    for (name, bytes) in prepared(&desk).into_iter().filter(|(name, _)| name.contains("/prepared/")) {
        for at in (0..12).map(|part| (2 * part + 1) * bytes.len() / 24) {
            let mut changed = bytes.clone();
            changed[at] ^= 0x55;
            desk.write(&name, &changed);
            let run = desk.llamafur(RANK);
            if run.code == 0 {
                assert_eq!(run.stdout, expected.stdout, "byte {at} of {name}");
            } else {
                run.fails(2, &[&name, "remove the file: it is made again when it is needed"]);
                desk.llamafur(["verify", "c"]).fails(2, &[&name]);
            }
        }
        fs::remove_file(desk.path(&name)).unwrap();
        assert_eq!(desk.llamafur(RANK).fine().stdout, expected.stdout);
        desk.llamafur(["prepare", "c"]).fine();
        assert!(desk.read(&name) == bytes, "{name} is not the same when it is made again");
    }
}

#[cfg(unix)]
#[test]
fn killed_at_any_moment_it_goes_on_and_ends_with_the_same_files() {
    let desk = with_encyclopedia();
    remove_prepared(&desk);
    let started = Instant::now();
    desk.llamafur(["prepare", "c"]).fine();
    let (undisturbed, files) = (started.elapsed(), prepared(&desk));
    for delay in moments(undisturbed, 10) {
        remove_prepared(&desk);
        kill_after(&desk, &["prepare", "c"], delay);
        desk.llamafur(["verify", "c"]).fine();
        desk.llamafur(["prepare", "c"]).fine();
        assert!(prepared(&desk) == files, "killed after {delay:?}");
        let left = names_in(&desk.path("c"));
        assert!(!left.iter().any(|name| name.starts_with('.')), "{left:?}");
    }
}

#[cfg(unix)]
#[test]
fn several_at_once_wait_for_each_other() {
    let desk = with_encyclopedia();
    for _ in 0..3 {
        remove_prepared(&desk);
        assert_eq!(at_once(&desk, 3, &["--progress", "none", "prepare", "c"]), [""; 0]);
        desk.llamafur(["verify", "c"]).fine();
    }
}

#[test]
fn without_a_model_or_with_a_wrong_size_it_says_so() {
    let desk = Desk::with_corpus();
    desk.llamafur(["prepare", TOY, "--memory", "1"]).misused(&["at least 100MB"]);
    desk.llamafur(["prepare", TOY, "--memory", "lots"]).misused(&["none of kB, MB, GB and TB"]);
    desk.llamafur(["prepare", TOY, "--model", "none"]).fails(2, &["none", "llamafur train"]);
    desk.llamafur(["prepare", "nowhere"]).fails(2, &["nowhere"]);
}

#[cfg(unix)]
#[test]
fn a_lock_of_another_program_does_not_stop_a_ranking() {
    let desk = Desk::with_model();
    let rank = ["rank", TOY, "Jupiter"];
    let expected = desk.llamafur(rank).fine();
    fs::remove_dir_all(desk.path("toy.corpus/prepared")).unwrap();
    fs::remove_file(desk.path("toy.corpus/words.arrow")).unwrap();
    // The lock of the folder, as a reader may take it, and that of an unfinished file.
    let folder = fs::File::open(desk.path(TOY)).unwrap();
    folder.lock_shared().unwrap();
    let run = desk.llamafur_with_progress("plain", rank).fine();
    assert_eq!(run.stdout, expected.stdout);
    assert!(run.stderr.contains("another process is making files of this corpus: waiting"), "{run}");
    fs::remove_file(desk.path("toy.corpus/words.arrow")).unwrap();
    let unfinished = fs::File::create(desk.path("toy.corpus/.words.arrow.writing")).unwrap();
    unfinished.lock_shared().unwrap();
    drop(folder);
    let run = desk.llamafur_with_progress("plain", rank).fine();
    assert_eq!(run.stdout, expected.stdout);
    assert!(run.stderr.contains("another process is writing this file"), "{run}");
}
