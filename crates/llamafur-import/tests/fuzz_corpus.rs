//! What the fuzzers found interesting, again: see the folder `fuzz`.
#![allow(clippy::unwrap_used)] // a test that fails shall panic

#[path = "../../../fuzz/checks/bzip2.rs"]
mod bzip2;
#[path = "../../../fuzz/checks/cirrus.rs"]
mod cirrus;
#[path = "../../../fuzz/checks/dump.rs"]
mod dump;
#[path = "../../../fuzz/checks/sql.rs"]
mod sql;
#[path = "../../../fuzz/checks/wikitext.rs"]
mod wikitext;

use std::fs;

fn replay(corpus: &str, check: fn(&[u8])) {
    let folder = format!("{}/../../fuzz/corpus/{corpus}", env!("CARGO_MANIFEST_DIR"));
    let files: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 10, "{} files in {folder}", files.len());
    files.iter().for_each(|file| check(&fs::read(file).unwrap()));
}

#[test]
fn wikitext_of_any_kind_is_read() {
    replay("wikitext", wikitext::check);
}

#[test]
fn dumps_of_any_kind_are_read() {
    replay("dump", dump::check);
}

#[test]
fn bzip2_files_of_any_kind_are_read() {
    replay("bzip2", bzip2::check);
}

#[test]
fn sql_dumps_of_any_kind_are_read() {
    replay("sql", sql::check);
}

#[test]
fn search_index_dumps_of_any_kind_are_read() {
    replay("cirrus", cirrus::check);
}
