//! The downloader against servers that behave well and badly.

#![allow(clippy::unwrap_used)]

mod download;
mod refuse;
mod resume;
mod server;

use llamafur::progress::{Note, Progress, Task};
use llamafur_import::fetch::{Dump, FetchConf, FetchError, fetch};
use server::{Reply, Request, Server, Then, bytes, serve, sha1, sums};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

const DATE: &str = "20260901";
const NAME: &str = "xwiki-20260901-pages-articles-multistream.xml.bz2";
const SUMS: &str = "/xwiki/20260901/xwiki-20260901-sha1sums.txt";
const FOLDER: &str = "/xwiki/";

#[derive(Default)]
struct Recorder {
    starts: Vec<(Task, Option<u64>)>,
    advanced: u64,
    finished: u32,
    notes: Vec<Note>,
}

impl Progress for Recorder {
    fn start(&mut self, task: Task, total: Option<u64>) {
        self.starts.push((task, total));
    }
    fn advance(&mut self, by: u64) {
        assert_eq!(self.starts.len(), 1, "bytes before the start");
        self.advanced += by;
    }
    fn finish(&mut self) {
        self.finished += 1;
    }
    fn note(&mut self, note: Note) {
        self.notes.push(note);
    }
}

impl Recorder {
    fn noted(&self, what: &str) -> bool {
        self.notes.iter().any(|note| format!("{note:?}").contains(what))
    }
}

/// A server with one dump of one file, whose requests `file` answers.
fn site(data: &[u8], file: impl Fn(&Request, &[u8]) -> Reply + Send + Sync + 'static) -> Server {
    let data = data.to_vec();
    Server::new(move |request| match request.path.as_str() {
        FOLDER => listing_of(&["20260801", DATE]),
        SUMS => sums(&[("xwiki-20260901-pages-articles-multistream-index.txt.bz2", b"i"), (NAME, &data)]),
        path if path == format!("/xwiki/{DATE}/{NAME}") => file(request, &data),
        _ => Reply::not_found(),
    })
}

/// The page of a wiki's folder.
fn listing_of(dates: &[&str]) -> Reply {
    let links: String = dates.iter().map(|date| format!("<a href=\"{date}/\">{date}/</a>\n")).collect();
    Reply::new(200, format!("<a href=\"../\">../</a>\n{links}<a href=\"latest/\">latest/</a>"))
}

fn conf(server: &Server, out: &Path) -> FetchConf {
    let conf = FetchConf::new("xwiki").base_url(server.url()).out(out);
    conf.for_tests(Duration::from_secs(20), Duration::from_millis(2))
}

fn run(conf: &FetchConf) -> (Result<Dump, FetchError>, Recorder) {
    let mut recorder = Recorder::default();
    let result = fetch(conf, &mut recorder);
    (result, recorder)
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// Checks that the folder has the file with these bytes, and nothing else.
fn assert_only(out: &Path, data: &[u8]) {
    assert!(fs::read(out.join(NAME)).unwrap() == data, "the bytes differ");
    assert_eq!(listing(out), [NAME]);
}

fn listing(out: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(out).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The problem and its remedy.
fn text(result: Result<Dump, FetchError>) -> String {
    let error = result.unwrap_err();
    format!("{error}; {:?}", error.remedy())
}

fn assert_says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
}
