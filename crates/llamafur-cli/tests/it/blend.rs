//! Scorers, sums and the blend by the command: what is shown of them, what is kept, and what is refused.

use crate::common::{Desk, TOY, rounded};
use insta::assert_snapshot;
use llamafur::score::{SCORERS, SIGNALS};
use serde_json::Value;
use std::fs;

fn ranking(desk: &Desk, args: &[&str]) -> Vec<Value> {
    let json = desk
        .llamafur(
            ["rank", TOY, "Jupiter", "--top", "0", "--order", "oddity", "--format", "json"]
                .iter()
                .chain(args),
        )
        .fine()
        .json();
    json["links"].as_array().unwrap().clone()
}

#[test]
fn every_scorer_is_listed_with_what_it_needs() {
    let desk = Desk::new();
    let list = desk.llamafur(["scorers", "--format", "json"]).fine().json();
    let list = list["scorers"].as_array().unwrap();
    let names: Vec<&str> = list.iter().map(|scorer| scorer["name"].as_str().unwrap()).collect();
    assert_eq!(names, SCORERS.iter().map(|scorer| scorer.name).collect::<Vec<_>>());
    let in_blend = list.iter().filter(|scorer| scorer["in_blend"] == true).count();
    assert_eq!(in_blend, SIGNALS.len());
    let table = desk.llamafur(["scorers", "--format", "table"]).fine().stdout;
    assert!(table.contains("Boldi & Monti 2016") && table.contains("in blend"), "{table}");
}

#[test]
fn signals_are_shown_as_bars_and_as_numbers() {
    let desk = Desk::with_model();
    let run = |form| {
        desk.llamafur(["rank", TOY, "Jupiter", "--top", "0", "--signals", "--header", "--format", form])
            .fine()
    };
    assert_snapshot!("signals_table", rounded(&run("table").stdout));
    assert_snapshot!("signals_tsv", rounded(&run("tsv").stdout));
    // A sum has its own; a single scorer is its only one.
    for (name, signals) in [("llamafur+aa", vec!["aa", "llamafur"]), ("ra", vec!["ra"])] {
        let link = &ranking(&desk, &["--scorer", name])[0];
        assert_eq!(link["signals"].as_object().unwrap().keys().collect::<Vec<_>>(), signals);
    }
}

#[test]
fn a_sum_with_an_unknown_scorer_is_refused() {
    let desk = Desk::with_model();
    desk.llamafur(["rank", TOY, "Jupiter", "--scorer", "llamafur+lama"]).misused(&["no scorer “lama”"]);
}

#[test]
fn what_is_kept_is_verified_and_mended() {
    let desk = Desk::with_model();
    let before = ranking(&desk, &[]);
    let verified = desk.llamafur(["verify", TOY, "--format", "json"]).fine().json();
    for file in ["words.arrow", "standards.json"] {
        assert!(verified["files"].as_array().unwrap().contains(&file.into()), "{verified}");
        let place = format!("{TOY}/{file}");
        let mut bytes = desk.read(&place);
        let last = bytes.len() - 10;
        bytes[last] ^= 1;
        desk.write(&place, &bytes);
        desk.llamafur(["verify", TOY]).fails(2, &[file, "remove the file: it is made again"]);
        assert_eq!(ranking(&desk, &[]), before);
        desk.llamafur(["verify", TOY]).fine();
    }
}

#[test]
fn kept_places_of_links_say_what_the_texts_say() {
    let desk = Desk::new();
    desk.llamafur(["demo", "--out", "c"]).fine();
    desk.llamafur(["words", "c"]).fine();
    assert!(desk.path("c/prepared/places.arrow").exists());
    let score = |scorer: &str| {
        desk.llamafur(["score", "c", "--scorer", scorer, "--out", "s.tsv", "--overwrite"]).fine();
        desk.read("s.tsv")
    };
    let all = || ["mentions", "depth", "place"].map(score);
    let kept = all();
    fs::remove_dir_all(desk.path("c/prepared")).unwrap();
    assert!(all() == kept && !desk.path("c/prepared").exists());
}

#[test]
fn damaged_words_are_made_again() {
    let desk = Desk::new();
    desk.llamafur(["demo", "--out", "c"]).fine();
    let rank =
        |progress| desk.llamafur_with_progress(progress, ["rank", "c", "Jupiter", "--scorer", "m4"]).fine();
    let (before, place) = (rank("none"), "c/words.arrow");
    let whole = desk.read(place);
    let settings = whole.windows(9).position(|window| window == b"{\"format\"").unwrap();
    for at in [whole.len() / 3, settings + 20] {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        desk.write(place, &bytes);
        desk.llamafur(["verify", "c"]).fails(2, &["words.arrow", "remove the file"]);
        let again = rank("plain");
        assert_eq!(again.stdout, before.stdout);
        assert!(again.stderr.contains("c/words.arrow is damaged and is made again"), "{again}");
        assert!(desk.read(place) == whole);
    }
    desk.llamafur(["verify", "c"]).fine();
}

#[test]
fn a_language_is_named_in_english_or_by_its_code() {
    let desk = Desk::with_corpus();
    for name in ["English", "en"] {
        let words = desk.llamafur(["words", TOY, "--language", name]).fine();
        assert!(words.stdout.contains("language\ten\nstemmer\tEnglish\n"), "{words}");
    }
    let run = desk.llamafur(["words", TOY, "--language", "klingon"]);
    run.misused(&["klingon", "English (en)", "--no-stemming --stop-words none"]);
}

#[test]
fn words_by_settings_of_ones_own_are_what_scorers_go_by() {
    let desk = Desk::with_corpus();
    let rank = ["rank", TOY, "Jupiter", "--scorer", "m4"];
    desk.llamafur(rank).fails(2, &["no term that occurs in 10 pages or more", "llamafur words"]);
    desk.write("own.txt", "planet\n\n the \n");
    let make =
        ["words", TOY, "--min-pages", "1", "--no-stemming", "--stop-words", "own.txt", "--shortest", "3"];
    let made = desk.llamafur(make.iter().chain(&["--format", "json"])).fine().json();
    let figures = ["min_documents", "shortest", "stop_words"].map(|name| made[name].as_u64().unwrap());
    assert_eq!((figures, &made["stemmer"]), ([1, 3, 2], &Value::Null));
    let words = desk.read(&format!("{TOY}/words.arrow"));
    desk.llamafur(rank).fine();
    assert_eq!(desk.read(&format!("{TOY}/words.arrow")), words);
    let table = desk.llamafur(make.iter().chain(&["--format", "table"])).fine().stdout;
    assert!(table.contains("language en, no stemmer, 2 stop words"), "{table}");
    desk.refused(["words", TOY, "--shortest", "9", "--longest", "5"], 2, &["shortest", "from 1 to 5"]);
    desk.refused(["words", TOY, "--stop-words", "nope.txt"], 2, &["nope.txt"]);
}

#[test]
fn a_graph_without_categories_and_texts_is_ranked_and_explained() {
    let desk = Desk::new();
    desk.write("links.tsv", "a\tb\na\tc\nb\ta\nb\tc\nc\td\nd\ta\n");
    desk.llamafur(["import", "table", "--links", "links.tsv", "--out", "g.corpus"]).fine();
    let table = desk.llamafur(["explain", "g.corpus", "a", "b", "--format", "table"]).fine().stdout;
    assert!(
        table.starts_with(
            "a → b: expected, odder than 40% of all links; it is row 1 of the 2 of a, by blend ("
        ),
        "{table}"
    );
    assert!(table.contains("Odd: No other page links to b.\n"), "{table}");
    let signals =
        desk.llamafur(["explain", "g.corpus", "a", "b", "--all", "--format", "table"]).fine().stdout;
    assert!(
        signals.contains("Signals, expected: b links back.\nSignals, odd: no other page links there."),
        "{signals}"
    );
    assert!(!table.contains("matrix") && !table.contains("LlamaFur"), "{table}");
    let json = desk.llamafur(["explain", "g.corpus", "a", "b", "--format", "json"]).fine().json();
    assert_eq!(json["matrices"], serde_json::json!([]));
    assert!(json["signals"]["ra"].is_f64(), "{json}");
    desk.refused(["explain", "g.corpus", "a", "b", "--model", "mine"], 2, &["the corpus has no categories"]);
}
