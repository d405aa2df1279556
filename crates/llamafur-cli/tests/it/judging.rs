//! Judgments that a corpus keeps: the commands that read them, and those that must not lose them.

use crate::common::{Desk, IMPORT_TOY, TOY, names_in, rounded};
use insta::assert_snapshot;
use std::fs;

/// Two judges; one judgment is replaced, one withdrawn.
const LOG: &str = "\
judge\tsource\ttarget\tlabel
Ada\tJupiter\tFish\tE
Ada\tJupiter\tFish\tTU
Ada\tJupiter\tSaturn\tTE
Ada\tSaturn\tGalileo Galilei\tU
Ada\tSaturn\tJupiter\tTE
Ada\tFish\tSalmon\tTU
Ada\tFish\tSalmon\t
Bob\tJupiter\tFish\tU
Bob\tJupiter\tSaturn\tTE
Bob\tSaturn\tJupiter\tE
";

/// A desk with the toy corpus, its model, and judgments in it.
fn judged() -> Desk {
    let desk = Desk::with_model();
    fs::create_dir(desk.path(TOY).join("judgments")).unwrap();
    desk.write("toy.corpus/judgments/log.tsv", LOG);
    desk
}

#[test]
fn the_corpus_s_own_judgments_are_taken_where_no_others_are_given() {
    let desk = judged();
    let args = ["evaluate", TOY, "--scorer", "llamafur", "--scorer", "aa", "--format", "table"];
    let own = desk.llamafur_with_progress("plain", args).fine();
    assert_snapshot!("evaluate_own", rounded(&own.to_string()));
    // The same file by its name is recognised, and so is one that was cut.
    let log = "toy.corpus/judgments/log.tsv";
    let given = desk.llamafur(args.iter().chain(&["--judgments", log])).fine();
    assert_eq!(given.stdout, own.stdout);
    desk.write(log, format!("{LOG}Bob\tSaturn\tGali"));
    let cut = desk.llamafur_with_progress("plain", args).fine();
    assert_eq!(cut.stdout, own.stdout);
    let note = "log.tsv: the last line was not written to its end and is ignored (15 bytes)\n";
    assert!(cut.stderr.contains(note), "{cut}");
}

#[test]
fn without_any_judgments_it_is_said_where_they_come_from() {
    let desk = Desk::with_model();
    let parts = [
        "toy.corpus: the corpus has no judged links; pass `--judgments FILE`",
        "run `llamafur serve toy.corpus --judge`",
    ];
    desk.refused(["evaluate", TOY], 2, &parts);
    desk.refused(["evaluate", TOY, "--judgments", "none.tsv"], 2, &["none.tsv: no such file"]);
    let desk = judged();
    let log = "toy.corpus/judgments/log.tsv";
    desk.write(log, "judge\tsource\ttarget\tlabel\nAda\tJupiter\tFish\tE\nAda\tJupiter\tFish\t\n");
    desk.refused(["evaluate", TOY], 2, &["log.tsv: no judged link: 0 records"]);
    desk.write(log, format!("{LOG}Ada\tJupiter\n{LOG}"));
    desk.refused(["evaluate", TOY], 2, &["log.tsv: line 12: \"Ada\\tJupiter\", expected judge, source"]);
}

#[test]
fn judgments_are_no_damage_and_outlive_another_import() {
    let desk = judged();
    let info = desk.llamafur(["info", TOY]).fine();
    desk.llamafur(["verify", TOY]).fine();
    desk.llamafur(IMPORT_TOY.iter().chain(&["--overwrite"])).fine();
    desk.llamafur(["verify", TOY]).fine();
    assert_eq!(desk.read("toy.corpus/judgments/log.tsv"), LOG.as_bytes());
    assert_eq!(names_in(&desk.path("toy.corpus/judgments")), ["log.tsv"]);
    desk.llamafur(["train", TOY]).fine();
    assert_eq!(desk.llamafur(["info", TOY]).fine(), info);
    desk.llamafur(["evaluate", TOY, "--scorer", "aa"]).fine();
}

#[test]
fn a_pool_without_a_place_is_that_of_the_corpus() {
    let desk = Desk::with_model();
    let pool = ["pool", TOY, "--queries", "3", "--format", "table"];
    let run = desk.llamafur(pool).fine();
    assert!(run.stdout.ends_with("judge them: llamafur serve toy.corpus --judge\n"), "{run}");
    assert_eq!(names_in(&desk.path("toy.corpus/judgments")), ["pool.sums", "pool.tsv"]);
    desk.llamafur(["pool", TOY, "--queries", "3", "--out", "same.tsv"]).fine();
    assert_eq!(desk.read("same.tsv"), desk.read("toy.corpus/judgments/pool.tsv"));
    desk.refused(pool, 2, &["pool.tsv: exists already; pass `--overwrite` to replace it"]);
}
