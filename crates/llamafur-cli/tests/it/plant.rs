//! Planted links by the command: what it says, what it leaves alone, and what is refused.

use crate::common::{Desk, TOY, names_in, rounded};
use insta::assert_snapshot;
use serde_json::Value;

fn json(desk: &Desk, args: &[&str]) -> Value {
    desk.llamafur(["plant", TOY, "--format", "json"].iter().chain(args)).fine().json()
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect()
}

#[test]
fn every_scorer_is_measured_on_the_toy_corpus() {
    let desk = Desk::with_model();
    let run = |form| {
        let args = [
            "plant",
            TOY,
            "--scorer",
            "llamafur",
            "--scorer",
            "aa",
            "--scorer",
            "in-degree",
            "--format",
            form,
        ];
        desk.llamafur(args).fine()
    };
    assert_snapshot!("plant_table", rounded(&run("table").to_string()));
    assert_snapshot!("plant_tsv", rounded(&run("tsv").stdout));
    let found = json(&desk, &[]);
    assert_eq!(
        (&found["kind"], &found["planted"], &found["links"]),
        (&"uniform".into(), &10.into(), &23.into())
    );
    for scorer in found["scorers"].as_array().unwrap() {
        let [auc, low, high] =
            [&scorer["auc"], &scorer["ci95"][0], &scorer["ci95"][1]].map(|figure| figure.as_f64().unwrap());
        assert!(0.0 <= low && low <= auc && auc <= high && high <= 1.0, "{scorer}");
        // 100 links are more than there are; 10 are as many as were planted.
        assert_eq!(scorer["precision_at_k"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn what_goes_by_the_link_in_the_text_or_lacks_a_model_is_left_out() {
    let desk = Desk::with_model();
    let found = json(&desk, &[]);
    let left_out = names(&found["left_out"]);
    assert!(["naive", "mentions", "depth"].iter().all(|name| left_out.contains(name)), "{left_out:?}");
    let scorers = names(&found["scorers"]);
    assert!(["llamafur", "aa", "random"].iter().all(|name| scorers.contains(name)), "{scorers:?}");
    assert!(left_out.iter().all(|name| !scorers.contains(name)));
    // No word of the copy.
    assert!(!found.to_string().contains("planted.corpus"), "{found}");
    assert_eq!(names(&json(&desk, &["--scorer", "mentions"])["scorers"]), ["mentions"]);
    desk.llamafur(["train", TOY, "--method", "naive"]).fine();
    assert!(names(&json(&desk, &[])["scorers"]).contains(&"naive"));
}

#[test]
fn the_seed_decides_and_nothing_else() {
    let desk = Desk::with_model();
    let said = |args: &[&str]| json(&desk, args).to_string();
    assert_eq!(said(&[]), said(&["--seed", "1", "--threads", "1"]));
    let without_seed = |seed| json(&desk, &["--seed", seed])["scorers"].to_string();
    assert_ne!(without_seed("1"), without_seed("2"));
    assert_ne!(said(&[]), said(&["--kind", "popular"]));
}

#[test]
fn the_corpus_is_as_before_and_the_copy_is_gone() {
    let desk = Desk::with_model();
    desk.llamafur(["cleanse", TOY]).fine();
    desk.llamafur(["train", TOY, "--name", "cleansed"]).fine();
    std::fs::create_dir(desk.path("tmp")).unwrap();
    let before = desk.contents();
    let run = |args: &[&str]| {
        let mut command = desk.command();
        command.env("TMPDIR", desk.path("tmp")).args(["--progress", "none", "plant", TOY]).args(args);
        command.output().unwrap().status.code()
    };
    assert_eq!(
        run(&["--scorer", "llamafur", "--scorer", "llamafur:cleansed", "--scorer", "llamafur+aa"]),
        Some(0)
    );
    // Found out when the copy is there.
    assert_eq!(run(&["--top", "1000"]), Some(2));
    assert_eq!(names_in(&desk.path("tmp")), [""; 0]);
    desk.expect_unchanged(&before);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let desk = Desk::with_model();
    let refused = |args: &[&str], parts: &[&str]| {
        desk.refused(["plant", TOY].iter().chain(args), 2, parts);
    };
    refused(&["--share", "0"], &["the share of links must be above 0 and at most 1, got 0"]);
    refused(&["--share", "NaN"], &["at most 1, got NaN"]);
    refused(&["--top", "34"], &["the top must be of at most all 33 links, got 34"]);
    refused(&["--scorer", "naive"], &["no such model", "llamafur train toy.corpus --method naive"]);
    refused(
        &["--share", "1", "--kind", "near"],
        &["links of the kind near", "choose another `--kind`, or lower `--share`"],
    );
    drop(desk.llamafur(["plant", TOY, "--kind", "far"]).misused(&["uniform, popular or near, got far"]));
    drop(desk.llamafur(["plant", TOY, "--top", "0"]).misused(&["--top"]));
}
