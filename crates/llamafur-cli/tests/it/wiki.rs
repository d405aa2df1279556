//! `fetch`, `import wiki` and what a corpus of a wiki can do, on the demo's encyclopedia.

use crate::common::Desk;
use insta::assert_snapshot;
use llamafur::corpus::Corpus;
use std::fs::File;
use std::io::Write;
use std::process::Stdio;

/// A desk with the encyclopedia's dump.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.llamafur(["demo", "--dump", "demo.xml"]).fine();
    desk
}

#[test]
fn import_wiki() {
    let desk = desk();
    let run = desk.llamafur(["import", "wiki", "demo.xml", "--out", "c", "--format", "table"]).fine();
    // Time and memory differ from run to run.
    let lines: Vec<&str> = run.stdout.lines().filter(|line| !line.contains(" a second")).collect();
    assert_eq!(lines.len() + 1, run.stdout.lines().count());
    assert_snapshot!("import_wiki", lines.join("\n"));
    let json = desk.llamafur(["import", "wiki", "demo.xml", "--out", "d", "--format", "json"]).fine().json();
    for key in ["seconds", "bytes", "bytes_per_second", "peak_memory_bytes"] {
        assert!(json[key].is_number(), "{key}: {json}");
    }
    let manifest = desk.llamafur(["info", "d", "--format", "json"]).fine().json();
    assert_eq!(json["account"], manifest["provenance"]["account"]);
}

#[test]
fn pages_are_found_through_redirects_and_links_in_their_sentences() {
    let desk = Desk::new();
    desk.llamafur(["demo", "--out", "c"]).fine();
    let corpus = Corpus::open(desk.path("c")).unwrap();
    let (title, page) = corpus.redirect(0).unwrap();
    let page = corpus.title(page).unwrap();
    let rank =
        |name: &str| desk.llamafur(["rank", "c", name, "--top", "0", "--format", "json"]).fine().json();
    assert_eq!(rank(title)["page"], page);
    let underscored = title.replace(' ', "_");
    assert_eq!(rank(&underscored)["page"], page);
    for link in rank("Jupiter")["links"].as_array().unwrap() {
        let snippet = link["snippet"].as_str().unwrap_or_else(|| panic!("{link} has no sentence"));
        assert!(snippet.contains("[[") && snippet.contains("]]"), "{snippet}");
    }
    let explained = desk.llamafur(["explain", "c", "Jupiter", "Fish", "--format", "table"]).fine();
    assert!(explained.stdout.contains("the [[fish]] of the seas"), "{explained}");
    let info = desk.llamafur(["info", "c", "--format", "table"]).fine();
    assert!(info.stdout.contains("LlamaFur's demo (demowiki), language en"), "{info}");
}

#[test]
fn a_dump_may_come_through_a_pipe() {
    let desk = desk();
    let mut command = desk.command();
    command.args(["--progress", "none", "import", "wiki", "-", "--out", "c", "--threads", "2"]);
    command.stdin(File::open(desk.path("demo.xml")).unwrap()).stdout(Stdio::null());
    assert!(command.status().unwrap().success());
    desk.llamafur(["import", "wiki", "demo.xml", "--out", "d"]).fine();
    let graph = |corpus| desk.llamafur(["info", corpus, "--format", "json"]).fine().json()["graph"].clone();
    assert_eq!(graph("c"), graph("d"));
}

#[test]
fn a_cut_dump_is_refused_or_imported_as_far_as_it_goes() {
    let desk = desk();
    let whole = desk.read("demo.xml");
    File::create(desk.path("cut.xml")).unwrap().write_all(&whole[..whole.len() / 2]).unwrap();
    let parts =
        ["cut.xml: bytes ", "the file ends in the middle of a page", "the last good page is", "--keep-going"];
    desk.refused(["import", "wiki", "cut.xml", "--out", "c"], 2, &parts);
    let run = desk.llamafur(["import", "wiki", "cut.xml", "--out", "c", "--keep-going"]).fine();
    assert!(run.stderr.contains("warning: lost: cut.xml: bytes"), "{run}");
    desk.llamafur(["verify", "c"]).fine();
}

#[test]
fn text_can_be_left_out() {
    let desk = desk();
    desk.llamafur(["import", "wiki", "demo.xml", "--out", "c", "--no-text"]).fine();
    desk.llamafur(["train", "c", "--passes", "1"]).fine();
    let shown = desk.llamafur(["rank", "c", "Jupiter", "--format", "json"]).fine().json();
    assert!(shown["links"].as_array().unwrap().iter().all(|link| link["snippet"].is_null()), "{shown}");
    desk.refused(
        ["rank", "c", "Jupiter", "--scorer", "mentions"],
        2,
        &["run `llamafur import wiki` or `llamafur import table` again with `--text`"],
    );
    desk.llamafur(["import", "wiki", "demo.xml", "--out", "d", "--no-text", "--text"]).fine();
    let info = desk.llamafur(["info", "d", "--format", "json"]).fine().json();
    assert_eq!(info["counts"]["texts"], info["counts"]["pages"]);
}

#[test]
fn wrong_calls_of_fetch_are_refused_before_anything_is_asked() {
    let desk = Desk::new();
    desk.refused(["fetch", "../x"], 2, &["wiki must be", "simplewiki"]);
    desk.refused(["fetch", "simplewiki", "--date", "yesterday"], 2, &["date must be", "20260901"]);
    desk.refused(
        ["fetch", "simplewiki", "--base-url", "file:///x"],
        2,
        &["base_url must be", "address of a mirror"],
    );
    desk.refused(
        ["fetch", "simplewiki", "--base-url", "http://127.0.0.1:9"],
        2,
        &["no answer", "--base-url"],
    );
}

#[test]
fn tables_come_from_the_standard_input_and_from_bzip2() {
    let desk = Desk::with_tables();
    let links = desk.read("links.tsv");
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    std::io::Write::write_all(&mut encoder, &desk.read("categories.tsv")).unwrap();
    desk.write("categories.tsv.bz2", encoder.finish().unwrap());
    desk.llamafur([
        "import",
        "table",
        "--links",
        "links.tsv",
        "--categories",
        "categories.tsv",
        "--out",
        "a",
    ])
    .fine();
    let args = ["import", "table", "--links", "-", "--categories", "categories.tsv.bz2", "--out", "b"];
    assert_cmd::Command::from_std(desk.command()).args(args).write_stdin(links).assert().success();
    let counts = |corpus| desk.llamafur(["info", corpus, "--format", "json"]).fine().json()["counts"].clone();
    assert_eq!(counts("a"), counts("b"));
}
