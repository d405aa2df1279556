//! Cross-validation by the command: what it prints, and what it refuses.

use crate::common::{Desk, TOY, rounded, write_graph};
use insta::assert_snapshot;

/// A desk with a corpus that has links enough for folds.
fn with_links() -> Desk {
    let desk = Desk::new();
    write_graph(&desk, 20_000, 40);
    desk.llamafur(crate::common::IMPORT).fine();
    desk
}

#[test]
fn it_prints_one_learner_as_the_paper_does_and_several_side_by_side() {
    let desk = with_links();
    let run = |args: &[&str]| {
        let all = ["cross-validate", "c", "--folds", "3"].iter().chain(args);
        rounded(&desk.llamafur(all).fine().to_string())
    };
    assert_snapshot!("one_table", run(&["--format", "table"]));
    assert_snapshot!("one_json", run(&["--format", "json"]));
    assert_snapshot!("all_table", run(&["--method", "all", "--format", "table"]));
    assert_snapshot!("series_table", run(&["--milestones", "5,20", "--format", "table"]));
    assert_snapshot!("all_tsv", run(&["--method", "all", "--format", "tsv", "--header"]));
}

#[test]
fn json_has_the_first_run_on_top_and_all_below() {
    let desk = with_links();
    let args = ["cross-validate", "c", "--folds", "2", "--method", "paper", "--method", "naive"];
    let json = desk.llamafur(args.iter().chain(&["--format", "json"])).fine().json();
    assert_eq!((&json["folds"], &json["method"]), (&2.into(), &"paper".into()));
    for measure in ["accuracy", "precision", "recall", "f_measure", "auc"] {
        assert!(json[measure]["mean"].is_f64() && json[measure]["sd"].is_f64(), "{measure}");
        let naive = &json["runs"][1][measure];
        assert_eq!(naive.is_null(), measure != "auc", "{measure}: {naive}");
    }
    assert_eq!(json["runs"].as_array().map(Vec::len), Some(2));
    assert_eq!(json["each"].as_array().map(Vec::len), Some(2));
}

#[test]
fn milestones_make_a_series() {
    let desk = with_links();
    let args = ["cross-validate", "c", "--folds", "2", "--milestones", "5,20,1000,all", "--format", "json"];
    let run = desk.llamafur_with_progress("plain", args).fine();
    let runs = run.json()["runs"].as_array().unwrap().clone();
    // There are only 40 categories, so that `all` is what 1000 is.
    let of = |key: &str| runs.iter().map(|run| run[key].to_string()).collect::<Vec<_>>();
    assert_eq!(of("milestones"), [r#""5""#, r#""20""#, r#""1000""#]);
    assert_eq!(of("categories"), ["5", "20", "40"]);
    assert_eq!(of("dense_bytes"), ["100", "1600", "6400"]);
    assert!(run.stderr.contains("milestones 20: 20 categories\n"), "{run}");
}

#[test]
fn a_series_is_cleansed_as_the_corpus_is() {
    let desk = with_links();
    desk.llamafur(["cleanse", "c", "--exclude", "category 1"]).fine();
    let args = ["cross-validate", "c", "--folds", "2", "--milestones", "all", "--format", "json"];
    // Category 1 and 10 to 19 are excluded.
    assert_eq!(desk.llamafur(args).fine().json()["categories"], 29);
    let args = args.iter().chain(&["--cleansing", "none"]);
    assert_eq!(desk.llamafur(args).fine().json()["categories"], 40);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let desk = Desk::with_corpus();
    let refused = |args: &[&str], parts: &[&str]| {
        desk.refused(["cross-validate", TOY].iter().chain(args), 2, parts);
    };
    refused(&["--folds", "1"], &["toy.corpus: folds must be from 2 to 100, got 1"]);
    refused(&["--folds", "100"], &["too few links for 100 folds: there are 23", "lower `--folds`"]);
    refused(&["--rank", "0"], &["rank must be"]);
    let misused = |args: &[&str], parts: &[&str]| {
        drop(desk.llamafur(["cross-validate", TOY].iter().chain(args)).misused(parts));
    };
    misused(&["--method", "magic"], &["'magic'", "factored, averaged, paper, original, naive or all"]);
    misused(&["--milestones", "5,many"], &["'many'", "such as 95%"]);
    misused(&["--folds", "-3"], &["'-3'"]);
    misused(&["--jobs", "0"], &["'0'", "--jobs"]);
}
