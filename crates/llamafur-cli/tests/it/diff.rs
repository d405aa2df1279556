//! `llamafur diff`.

use crate::common::{Desk, IMPORT_TOY, TOY, rounded};
use insta::assert_snapshot;
use serde_json::Value;

/// The toy corpus, and as `new.corpus` the same with a few changes.
fn with_changes() -> Desk {
    let desk = Desk::with_model();
    let change = |table: &str, change: &dyn Fn(String) -> String| {
        desk.write(table, change(String::from_utf8(desk.read(table)).unwrap()));
    };
    change("links.tsv", &|links| {
        assert!(links.contains("Jupiter\tSaturn\n"));
        links.replace("Jupiter\tSaturn\n", "") + "Io (moon)\tFish\nEuropa (moon)\tJupiter\n"
    });
    change("categories.tsv", &|categories| {
        assert!(categories.contains("Saturn\tGas giants\n"));
        categories.replace("Saturn\tGas giants\n", "Saturn\tRinged planets\n")
            + "Europa (moon)\tMoons of Jupiter\n"
    });
    change("text.tsv", &|texts| texts.replace("active volcanoes.", "active volcanoes, and no fish."));
    let args = IMPORT_TOY.map(|arg| if arg == TOY { "new.corpus" } else { arg });
    desk.llamafur(args).fine();
    desk
}

fn json(desk: &Desk, args: &[&str]) -> Value {
    let command = ["diff", TOY, "new.corpus", "--format", "json"];
    desk.llamafur(command.iter().chain(args)).fine().json()
}

#[test]
fn changes_are_shown_in_every_format() {
    let desk = with_changes();
    let run = desk.llamafur(["diff", TOY, "new.corpus", "--format", "table"]).fine();
    assert_snapshot!("diff_table", rounded(&run.stdout));
    let run = desk.llamafur(["diff", TOY, "new.corpus", "--header"]).fine();
    assert_snapshot!("diff_tsv", rounded(&run.stdout));
    let diff = json(&desk, &[]);
    assert_eq!(diff["counts"]["new_links"], 1);
    assert_eq!(diff["new_links"][0]["source"], "Io (moon)");
    assert_eq!(diff["new_links"][1]["note"], "the page is new");
    assert_eq!(diff["vanished_links"][0]["target"], "Saturn");
    assert_eq!(diff["recategorised"][0]["removed"][0], "Gas giants");
    assert_eq!(diff["came"][0]["page"], "Europa (moon)");
}

#[test]
fn a_corpus_and_itself_show_no_change() {
    let desk = Desk::with_model();
    let run = desk.llamafur(["diff", TOY, TOY, "--format", "table"]).fine();
    assert_eq!(run.stdout, "no change\n");
    assert_eq!(desk.llamafur(["diff", TOY, TOY]).fine().stdout, "");
}

#[test]
fn kinds_and_categories_are_filtered() {
    let desk = with_changes();
    let only = json(&desk, &["--only", "categories,pages", "--no-sentences"]);
    assert_eq!(only["new_links"], Value::Array(vec![]));
    assert_eq!(
        (&only["counts"]["new_links"], &only["came"][0]["page"]),
        (&1.into(), &"Europa (moon)".into())
    );
    let of_moons = json(&desk, &["--category", "moons of jupiter"]);
    assert_eq!(of_moons["counts"]["vanished_links"], 0);
    assert_eq!(of_moons["counts"]["new_links"], 1);
    desk.refused(
        ["diff", TOY, "new.corpus", "--category", "Moon"],
        1,
        &["no category “Moon”", "did you mean"],
    );
    desk.refused(["diff", TOY, "nothing"], 2, &["nothing: not a corpus"]);
    desk.llamafur(["diff", TOY]).misused(&["<NEW>"]);
}
