//! Files that another program changes or cuts while they are mapped: an error of that corpus, never a signal and never a
//! wrong answer.
#![allow(clippy::unwrap_used)] // a test that fails shall panic

mod common;

use common::full;
use llamafur::Error;
use llamafur::engine::{Engine, EngineConf, RankConf};
use llamafur::storage::handle_lost_pages;
use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The files that are mapped.
fn mapped(path: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in [path.to_owned(), path.join("models"), path.join("prepared")] {
        files.extend(fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
    }
    // The sums of blocks are read whole.
    files.retain(|file| file.extension().is_some_and(|name| name == "arrow" || name == "safetensors"));
    files.retain(|file| !file.ends_with("blocks.arrow"));
    files.sort();
    files
}

/// A copy with files as old as an hour: a change within the same tick of the clock would not show.
fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copied(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), &to).unwrap();
            let old = SystemTime::now() - Duration::from_secs(3600);
            File::options().write(true).open(&to).unwrap().set_modified(old).unwrap();
        }
    }
}

fn expect_changed(engine: &Engine, done: &str) {
    for (question, answer) in full::ask(engine) {
        // What is read without a question says nothing of changes.
        if question != "contents" {
            assert!(matches!(answer, Err(Error::Changed { .. })), "{question} after {done}: {answer:?}");
        }
    }
}

/// Every file in turn is changed by `change` after all was asked.
fn change_each(change: impl Fn(&File)) {
    handle_lost_pages().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let whole = full::made(dir.path());
    let beside = full::engine(&whole).unwrap();
    let expected = format!("{:?}", full::ask(&beside));
    let names: Vec<PathBuf> =
        mapped(&whole).iter().map(|file| file.strip_prefix(&whole).unwrap().into()).collect();
    assert!(names.len() >= 14, "{names:?}");
    for name in names {
        let path = dir.path().join("changed");
        copied(&whole, &path);
        let engine = full::engine(&path).unwrap();
        assert_eq!(format!("{:?}", full::ask(&engine)), expected);
        change(&File::options().read(true).write(true).open(path.join(&name)).unwrap());
        expect_changed(&engine, &format!("{} was changed", name.display()));
        drop(engine);
        fs::remove_dir_all(path).unwrap();
    }
    assert_eq!(format!("{:?}", full::ask(&beside)), expected, "others go on");
}

#[test]
fn a_file_that_is_cut_is_an_error_and_no_signal() {
    change_each(|file| file.set_len(0).unwrap());
}

#[test]
fn a_byte_changed_in_place_after_its_block_was_checked_is_an_error() {
    change_each(|mut file| {
        let middle = file.metadata().unwrap().len() / 2;
        file.seek(SeekFrom::Start(middle)).unwrap();
        file.write_all(b"!").unwrap();
    });
}

#[test]
fn nothing_is_kept_that_was_made_of_a_changed_file() {
    let dir = tempfile::tempdir().unwrap();
    let (whole, path) = (full::made(dir.path()), dir.path().join("changed"));
    copied(&whole, &path);
    fs::remove_dir_all(path.join("prepared")).unwrap();
    let engine = Engine::open(&path, EngineConf::default()).unwrap();
    engine.page("Page 0001").unwrap();
    File::options().write(true).open(path.join("pages.arrow")).unwrap().write_all(b"ARROW2").unwrap();
    let ranking = engine.rank("Page 0001", &RankConf::default().scorer("aa"));
    assert!(matches!(ranking, Err(Error::Changed { .. })), "{ranking:?}");
    assert!(!path.join("prepared/neighbours.arrow").exists());
}
