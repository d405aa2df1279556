//! Pooling by the command: the table to be judged, and what is refused.

use crate::common::{Desk, TOY};
use insta::assert_snapshot;
use std::collections::BTreeSet;

const POOL: [&str; 6] = ["pool", TOY, "--queries", "3", "--out", "to-judge.tsv"];

fn table(desk: &Desk) -> String {
    String::from_utf8(desk.read("to-judge.tsv")).unwrap()
}

#[test]
fn the_table_has_what_a_judge_needs() {
    let desk = Desk::with_model();
    let run = desk.llamafur_with_progress("plain", POOL.iter().chain(&["--format", "table"]));
    assert_snapshot!("pool_says", run.to_string());
    assert_snapshot!("pool_table", table(&desk));
}

#[test]
fn the_seed_decides_and_nothing_else() {
    let pooled = |args: &[&str]| {
        let desk = Desk::with_model();
        desk.llamafur(POOL.iter().chain(args)).fine();
        table(&desk)
    };
    assert_eq!(pooled(&[]), pooled(&["--seed", "1"]));
    assert_ne!(pooled(&[]), pooled(&["--seed", "2"]));
}

#[test]
fn with_the_whole_share_every_link_is_pooled_once() {
    let desk = Desk::with_model();
    let args = ["pool", TOY, "--queries", "99", "--share", "1", "--out", "to-judge.tsv", "--format", "json"];
    let json = desk.llamafur(args).fine().json();
    let pooled = table(&desk);
    let links: BTreeSet<(&str, &str)> = pooled
        .lines()
        .skip(1)
        .map(|line| line.split('\t').collect::<Vec<_>>())
        .map(|f| (f[0], f[1]))
        .collect();
    assert_eq!((links.len(), &json["links"]), (23, &23.into()));
    assert_eq!((&json["queries"], &json["queries_wanted"]), (&10.into(), &99.into()));
    // Of the default ones, naive has no model here, and the texts are too few for m2 and m4.
    assert_eq!(json["scorers"], serde_json::json!(["blend", "llamafur", "aa"]));
}

#[test]
fn fewer_pages_than_asked_for_are_mentioned() {
    let desk = Desk::with_model();
    let args = ["pool", TOY, "--queries", "99", "--out", "to-judge.tsv", "--scorer", "aa"];
    let run = desk.llamafur_with_progress("plain", args.iter().chain(&["--format", "table"])).fine();
    let note = "only 10 of the 99 pages asked for: no other page has links\n";
    assert!(run.stdout.contains(note) && run.stderr.contains(note), "{run}");
    let few = ["--min-links", "4", "--overwrite", "--format", "json"];
    let json = desk.llamafur(args.iter().chain(&few)).fine().json();
    let pages: BTreeSet<String> =
        table(&desk).lines().skip(1).map(|line| line.split('\t').next().unwrap().to_owned()).collect();
    assert!(json["queries"] == pages.len() && pages.len() < 10, "{json}");
    let none = ["--min-links", "50", "--overwrite"];
    desk.refused(args.iter().chain(&none), 2, &["no page has 50 or more links"]);
}

#[test]
fn the_help_names_the_default_scorers() {
    let help = Desk::new().llamafur(["pool", "--help"]).fine().stdout;
    let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("[default: blend, llamafur, naive, aa, m2, m4; those of them whose input"),
        "{help}"
    );
}

#[test]
fn judgments_are_not_written_over() {
    let desk = Desk::with_model();
    desk.llamafur(POOL).fine();
    desk.refused(POOL, 2, &["to-judge.tsv: exists already; pass `--overwrite` to replace it"]);
    desk.llamafur(POOL.iter().chain(&["--overwrite"])).fine();
}

#[test]
fn what_makes_no_sense_is_refused() {
    let desk = Desk::with_corpus();
    let refused = |args: &[&str], parts: &[&str]| {
        desk.refused(POOL.iter().chain(args), 2, parts);
    };
    refused(&["--share", "0"], &["the share of links must be above 0 and at most 1, got 0"]);
    refused(&["--share", "NaN"], &["at most 1, got NaN"]);
    // One that is asked for must be there.
    let run = desk.llamafur(POOL.iter().chain(&["--scorer", "aa", "--scorer", "naive"]));
    run.fails(2, &["no such model", "llamafur train toy.corpus --method naive"]);
    desk.refused(["pool", TOY, "--queries", "3", "--out", "x.csv"], 2, &["x.csv: the name must end in .tsv"]);
    drop(desk.llamafur(["pool", TOY, "--queries", "0", "--out", "x.tsv"]).misused(&["'0'", "--queries"]));
}
