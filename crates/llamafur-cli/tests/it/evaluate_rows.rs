//! Judged rows by the command: the figures of what a ranking shows first, and files that are not as they should be.

use crate::common::{Desk, TOY, rounded};
use insta::assert_snapshot;
use serde_json::Value;

/// All links of Jupiter and Saturn, one of Fish; a page that the corpus has not; a row judged twice, in two ways.
const ROWS: &str = "\
Jupiter\tFish\tA\t+\tann
Jupiter\tGalileo Galilei\tB\t+\tann
Jupiter\tIo (moon)\tC\t0\tann
Jupiter\tSaturn\tC\t−\tann
Saturn\tJupiter\tC\t0\tann
Saturn\tTitan (moon)\tC\t0\tann
Saturn\tGalileo Galilei\tB\t+\tann
Saturn\tChristiaan Huygens\tD\t\tann
Fish\tLlama\tA\t+\tann
Atlantis\tPlato\tA\t+\tann
";

const AGAIN: &str = "Jupiter\tFish\tC\t0\tbob\n";

/// A desk with the toy corpus, its model, and two files of rows.
fn judged() -> Desk {
    let desk = Desk::with_model();
    desk.write("rows.tsv", ROWS);
    desk.write("again.tsv", AGAIN);
    desk
}

const EVALUATE: [&str; 5] = ["evaluate", TOY, "--rows", "rows.tsv", "again.tsv"];

/// All rows, or those that arguments ask for.
fn json(desk: &Desk, args: &[&str]) -> Value {
    let all = ["--level=-inf"].into_iter().filter(|_| args.iter().all(|arg| !arg.starts_with("--level")));
    desk.llamafur(EVALUATE.into_iter().chain(all).chain(args.iter().copied()).chain(["--format", "json"]))
        .fine()
        .json()
}

#[test]
fn rows_are_measured_beside_chance() {
    let desk = judged();
    let run = |form| {
        rounded(
            &desk
                .llamafur(EVALUATE.iter().chain(&["--level=-inf", "--format", form, "--header"]))
                .to_string(),
        )
    };
    assert_snapshot!("evaluate_rows_table", run("table"));
    assert_snapshot!("evaluate_rows_tsv", run("tsv"));
}

#[test]
fn figures_of_all_rows_are_those_by_hand() {
    let found = json(&judged(), &["--rows-shown", "0"]);
    assert_eq!((&found["pages"], &found["labels"]), (&3.into(), &10.into()));
    assert_eq!((&found["repeated"], &found["contradicted"]), (&1.into(), &1.into()));
    assert_eq!(found["missing_pages"], serde_json::json!(["Atlantis"]));
    let [blend, chance] = &found["rows"].as_array().unwrap()[..] else { panic!("{found}") };
    assert_eq!((&blend["scorer"], &chance["scorer"]), (&"blend".into(), &"chance".into()));
    // Galileo is in a row with Io and in one with Huygens. Fish has a link to Salmon, which nobody judged.
    assert_eq!((&blend["shown"], &blend["judged"], &blend["unjudged"]), (&8.into(), &7.into(), &1.into()));
    let share = |name: &str| blend[name]["share"].as_f64().unwrap();
    let expected = [
        ("a", 2.0 / 7.0),
        ("a_or_b", 2.0 / 7.0),
        ("d", 1.0 / 7.0),
        ("e", 0.0),
        ("pages_with_a", 2.0 / 3.0),
        ("a_per_page", 2.0 / 3.0),
        ("plus", 2.0 / 6.0),
        ("minus", 1.0 / 6.0),
    ];
    for (name, expected) in expected {
        assert!((share(name) - expected).abs() < 1e-12, "{name}: {}", share(name));
        assert!(blend[name]["ci95"][0].as_f64().unwrap() <= expected, "{name}: {blend}");
    }
    // Chance is over all judged rows.
    for (name, expected) in [("a", 2.0 / 9.0), ("a_or_b", 4.0 / 9.0), ("plus", 4.0 / 8.0)] {
        assert!((chance[name]["share"].as_f64().unwrap() - expected).abs() < 1e-12, "{name}: {chance}");
    }
}

#[test]
fn the_level_says_which_rows_are_shown() {
    let desk = judged();
    let shown = |level: &str| json(&desk, &[level])["rows"][0]["shown"].as_u64().unwrap();
    let levels = ["--level=-inf", "--level=-1", "--level=9"].map(shown);
    assert_eq!((levels[0], levels[2]), (8, 0));
    assert!(levels[1] >= 1 && levels[1] < 8, "{levels:?}");
    // By default those that `rank` calls surprising.
    let surprising = |page: &str| {
        let json = desk.llamafur(["rank", TOY, page, "--format", "json"]).fine().json();
        json["num_surprising"].as_u64().unwrap()
    };
    let by_default = ["evaluate", TOY, "--rows", "rows.tsv", "--format", "json"];
    let found = desk.llamafur(by_default).fine().json();
    let expected: u64 = ["Jupiter", "Saturn", "Fish"].map(surprising).iter().sum();
    assert_eq!(found["rows"][0]["shown"].as_u64(), Some(expected));
    let table = desk.llamafur(["evaluate", TOY, "--rows", "rows.tsv", "--format", "table"]).fine().stdout;
    assert!(table.contains("that have a worth of −0.75 or more"), "{table}");
}

#[test]
fn every_scorer_asked_for_ranks_the_rows() {
    let desk = judged();
    let args = ["--rows-shown", "1", "--scorer", "llamafur", "--scorer", "aa", "--scorer", "aa"];
    let found = json(&desk, &args);
    let rows = found["rows"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["scorer"].as_str().unwrap()).collect();
    assert_eq!(names, ["llamafur", "aa", "chance"]);
    for row in &rows[..2] {
        assert_eq!(row["shown"], 3, "{row}");
    }
    // The first row of a page is the one that `rank` puts first.
    let first = |page: &str| {
        let args = ["rank", TOY, page, "--scorer", "llamafur", "--top", "1", "--format", "json"];
        desk.llamafur(args).fine().json()["links"][0]["target"].as_str().unwrap().to_owned()
    };
    let is_a = |page: &str| ROWS.contains(&format!("{page}\t{}\tA\t", first(page)));
    let expected = ["Jupiter", "Saturn", "Fish"].into_iter().filter(|page| is_a(page)).count();
    let judged = rows[0]["judged"].as_f64().unwrap();
    assert!((rows[0]["a"]["share"].as_f64().unwrap() * judged - expected as f64).abs() < 1e-9, "{found}");
}

#[test]
fn the_seed_decides_the_intervals_alone() {
    let desk = judged();
    let first = json(&desk, &["--seed", "1"]);
    assert_eq!(first, json(&desk, &["--seed", "1", "--threads", "2"]));
    assert_eq!(first["rows"][0]["a"]["share"], json(&desk, &["--seed", "2"])["rows"][0]["a"]["share"]);
}

#[test]
fn files_that_are_not_as_they_should_be_are_refused() {
    let desk = judged();
    let refused = |text: &str, parts: &[&str]| {
        desk.write("bad.tsv", text);
        desk.refused(["evaluate", TOY, "--rows", "rows.tsv", "bad.tsv"], 2, parts);
    };
    refused(
        "Jupiter\tFish\tTU\n",
        &["bad.tsv: line 1: \"TU\", expected a letter: A, B, C, D or E; correct the line"],
    );
    refused(
        "Jupiter\tFish\tA\t+\n\nJupiter\n",
        &["bad.tsv: line 3: \"Jupiter\", expected page, target, letter"],
    );
    desk.write("empty.tsv", "\n");
    desk.refused(["evaluate", TOY, "--rows", "empty.tsv"], 2, &["empty.tsv: no judged row", "`--rows`"]);
    desk.refused(["evaluate", TOY, "--rows", "nowhere.tsv"], 2, &["nowhere.tsv"]);
    desk.write("other.tsv", "Atlantis\tPlato\tA\t+\tann\n");
    let parts = ["other.tsv: none of the pages is in the corpus, such as “Atlantis”"];
    desk.refused(["evaluate", TOY, "--rows", "other.tsv"], 2, &parts);
}

#[test]
fn options_of_links_and_of_rows_do_not_mix() {
    let desk = judged();
    desk.llamafur(EVALUATE.iter().chain(&["--judgments", "judged.tsv"])).misused(&["--judgments"]);
    desk.llamafur(EVALUATE.iter().chain(&["--report", "report"])).misused(&["--report"]);
    desk.llamafur(["evaluate", TOY, "--rows-shown", "3"]).misused(&["--rows"]);
    let studentise = ["--scorer", "aa", "--studentise", "page"];
    desk.refused(EVALUATE.iter().chain(&studentise), 2, &["`--studentise` is for sums and the blend"]);
}
