//! Synthetic corpora by the command: what it prints, what the other commands make of them, and what it refuses.

use crate::common::{Desk, Run, without_checksums};
use insta::assert_snapshot;

const SYNTH: [&str; 9] =
    ["synth", "--pages", "400", "--links", "4000", "--categories", "20", "--out", "made.corpus"];

fn synth(desk: &Desk, more: &[&str]) -> Run {
    desk.llamafur(SYNTH.iter().chain(more))
}

/// The text with what depends on the clock left out: the number before ` s (` and the one after it.
fn without_times(text: &str) -> String {
    let timed = |line: &str| match (line.split_once(" in "), line.split_once(" links a second")) {
        (Some((before, _)), Some((_, after))) => format!("{before} in [time] ([rate] links a second{after}"),
        _ => line.to_owned(),
    };
    text.lines().map(timed).collect::<Vec<_>>().join("\n")
}

#[test]
fn it_prints_what_it_made() {
    let desk = Desk::new();
    let run = synth(&desk, &["--planted", "7", "--format", "table"]);
    assert_snapshot!("synth_table", without_times(&without_checksums(&run.to_string())));
    let json = synth(&desk, &["--planted", "7", "--overwrite", "--format", "json"]).fine().json();
    let numbers = ["pages", "links", "categories", "planted"].map(|name| json[name].as_u64().unwrap());
    assert_eq!(numbers, [400, 4000, 20, 7]);
    assert!(json["seconds"].as_f64().unwrap() > 0.0 && json["links_per_second"].as_f64().unwrap() > 0.0);
    assert_eq!((&json["corpus"], json["checksum"].as_str().unwrap().len()), (&"made.corpus".into(), 64));
    let tsv = synth(&desk, &["--overwrite", "--header", "--format", "tsv"]).fine().stdout;
    let names: Vec<&str> = tsv.lines().map(|line| line.split_once('\t').unwrap().0).collect();
    assert_snapshot!(names.join(" "), @"name pages links categories planted seconds links_per_second corpus checksum");
    assert!(tsv.contains("pages\t400\nlinks\t4000\ncategories\t20\nplanted\t4\n"), "{tsv}");
}

#[test]
fn the_same_options_give_the_same_corpus_on_any_number_of_threads() {
    let desk = Desk::new();
    let checksum = |more: &[&str]| {
        let args = [&["--overwrite", "--format", "json"], more].concat();
        synth(&desk, &args).fine().json()["checksum"].as_str().unwrap().to_owned()
    };
    let one = checksum(&["--threads", "1"]);
    assert_eq!(checksum(&["--threads", "3"]), one);
    for other in [&["--seed", "2"][..], &["--full-rank"], &["--true-rank", "3"], &["--per-page", "2.5"]] {
        assert_ne!(checksum(other), one, "{other:?}");
    }
    assert_eq!(checksum(&["--true-rank", "8", "--planted", "4", "--per-page", "4"]), one);
}

#[test]
fn the_other_commands_take_it_like_any_corpus() {
    let desk = Desk::new();
    synth(&desk, &["--planted-out", "planted.tsv", "--header", "--planted", "5"]).fine();
    desk.llamafur(["verify", "made.corpus"]).fine();
    desk.llamafur(["train", "made.corpus"]).fine();
    let planted = String::from_utf8(desk.read("planted.tsv")).unwrap();
    let mut lines = planted.lines();
    assert_eq!(lines.next(), Some("source\ttarget"));
    assert_eq!(lines.clone().count(), 5);
    for line in lines {
        let (source, target) = line.split_once('\t').unwrap();
        let rank = desk.llamafur(["rank", "made.corpus", source, "--top", "1000"]).fine();
        assert!(rank.stdout.contains(target), "{line}: {rank}");
    }
    desk.llamafur(["cleanse", "made.corpus", "--milestones", "5"]).fine();
    synth(&desk, &["--overwrite", "--planted-out", "planted.parquet"]).fine();
    assert!(desk.read("planted.parquet").starts_with(b"PAR1"));
}

#[test]
fn bad_settings_are_refused() {
    let desk = Desk::new();
    let with = |option: &str, value: &str| {
        let mut args: Vec<String> = SYNTH.map(str::to_owned).into();
        match args.iter().position(|arg| arg == option) {
            Some(place) => args[place + 1] = value.to_owned(),
            None => args.extend([option.to_owned(), value.to_owned()]),
        }
        args
    };
    desk.refused(with("--pages", "1"), 2, &["pages must be 2 or more, got 1"]);
    desk.refused(with("--categories", "1"), 2, &["categories must be 2 or more, got 1"]);
    desk.refused(with("--links", "0"), 2, &["links must be between 1 and 39900 ", "got 0"]);
    desk.refused(with("--links", "39901"), 2, &["links must be between 1 and 39900 ", "got 39901"]);
    for mean in ["0", "-3", "13", "NaN", "inf"] {
        desk.refused(with("--per-page", mean), 2, &["categories per page must be between 1 and 12, got"]);
    }
    desk.refused(with("--true-rank", "0"), 2, &["true rank must be between 1 and 256, got 0"]);
    desk.refused(with("--planted", "401"), 2, &["planted must be at most 400 ", "got 401"]);
    desk.refused(with("--planted-out", "planted.doc"), 2, &[".tsv, .parquet or .arrow"]);
    desk.llamafur(with("--pages", "-5")).misused(&["--pages"]);
    desk.llamafur(with("--seed", "x")).misused(&["--seed"]);
    synth(&desk, &["--full-rank", "--true-rank", "3"]).misused(&["--full-rank", "--true-rank"]);
    synth(&desk, &[]).fine();
    desk.refused(SYNTH, 2, &["made.corpus", "--overwrite"]);
}
