//! `llamafur top`, and the options of `rank`, `explain` and `category` that go together or do not.

use crate::common::{Desk, TOY, rounded};
use insta::assert_snapshot;
use serde_json::Value;

fn top(desk: &Desk, args: &[&str]) -> Value {
    desk.llamafur(["top", TOY, "--format", "json"].iter().chain(args)).fine().json()
}

fn links(json: &Value) -> Vec<[&str; 2]> {
    let links = json["links"].as_array().unwrap();
    links.iter().map(|link| ["source", "target"].map(|end| link[end].as_str().unwrap())).collect()
}

#[test]
fn the_most_unexpected_links_of_the_graph_are_listed() {
    let desk = Desk::with_model();
    let run = desk.llamafur(["top", TOY, "--top", "4", "--format", "table"]).fine();
    assert_snapshot!("top_table", rounded(&run.stdout));
    let tsv = desk.llamafur(["top", TOY, "--top", "2", "--header"]).fine();
    assert_snapshot!("top_tsv", rounded(&tsv.stdout));
    let json = top(&desk, &["--top", "0", "--order", "oddity"]);
    let all = json["links"].as_array().unwrap();
    assert_eq!((&json["scorer"], &json["num_links"], all.len()), (&"blend".into(), &23.into(), 23));
    let scores: Vec<f64> = all.iter().map(|link| link["unexpectedness"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    for (place, link) in all.iter().enumerate() {
        assert_eq!(link["rank"], place + 1);
        // A pair of categories speaks for what the scale says of the link.
        let is_odd = link["odder_than"].as_f64().unwrap() >= 50.0;
        for reason in
            link["reasons"].as_array().unwrap().iter().filter(|reason| reason["kind"] == "category-pair")
        {
            assert_eq!(reason["links"].as_f64() < reason["expected"].as_f64(), is_odd, "{place}: {link}");
        }
    }
}

#[test]
fn a_link_has_the_same_score_in_top_and_in_rank() {
    let desk = Desk::with_model();
    let ranked = desk.llamafur(["rank", TOY, "Saturn", "--top", "1", "--format", "json"]).fine().json();
    let json = top(&desk, &["--top", "0", "--per-page", "1"]);
    let of_saturn = json["links"].as_array().unwrap().iter().find(|link| link["source"] == "Saturn").unwrap();
    for key in
        ["target", "unexpectedness", "odder_than", "worth", "snippet", "reasons", "signals", "explained"]
    {
        assert_eq!(of_saturn[key], ranked["links"][0][key]);
    }
}

#[test]
fn links_are_filtered() {
    let desk = Desk::with_model();
    let of_planets = top(&desk, &["--from-category", "Planets", "--top", "0"]);
    assert_eq!(of_planets["num_links"], 8);
    assert!(links(&of_planets).iter().all(|[source, _]| ["Jupiter", "Saturn"].contains(source)));
    let to_animals = top(&desk, &["--from-category", "Planets", "--to-category", "animals"]);
    assert_eq!(links(&to_animals), [["Jupiter", "Fish"]]);
    let one_each = top(&desk, &["--top", "0", "--per-page", "1"]);
    assert_eq!(one_each["links"].as_array().unwrap().len(), 10);
    let of_large = top(&desk, &["--top", "0", "--min-links", "4"]);
    assert!(links(&of_large).iter().all(|[source, _]| ["Jupiter", "Saturn"].contains(source)), "{of_large}");
    let none = ["top", TOY, "--from-category", "Camelids", "--to-category", "Planets", "--format", "table"];
    assert_eq!(desk.llamafur(none).fine().stdout, "no link passes the filters and has a score\n");
    let with_sentences = top(&desk, &["--top", "1", "--order", "oddity"]);
    assert!(with_sentences["links"][0]["snippet"].as_str().unwrap().contains("Carl Sagan"));
}

#[test]
fn an_unknown_category_is_not_found() {
    let desk = Desk::with_model();
    let said = |args: &[&str]| desk.refused(["top", TOY].iter().chain(args), 1, &[]).stderr;
    assert_snapshot!(said(&["--from-category", "Operas"]), @"error: no category “Operas”, nor one with a similar name");
    assert_snapshot!(said(&["--to-category", "Planest"]), @"error: no category “Planest”; did you mean “Planets”?");
}

#[test]
fn signals_and_sentences_are_shown_together() {
    let desk = Desk::with_model();
    let rank = ["rank", TOY, "Jupiter", "--signals", "--top", "1", "--order", "oddity"];
    let table = desk.llamafur(rank.iter().chain(&["--format", "table"])).fine().stdout;
    assert!(table.contains("▇ █ ▅ █ ▇") && table.contains("Carl Sagan"), "{table}");
    let tsv = desk.llamafur(rank.iter().chain(&["--header"])).fine().stdout;
    let (header, row) = tsv.split_once('\n').unwrap();
    assert!(header.contains("\tsnippet\t") && header.ends_with("\tra"), "{tsv}");
    assert_eq!(row.trim_end_matches('\n').split('\t').count(), header.split('\t').count(), "{tsv}");
}

#[test]
fn raw_scores_are_not_called_standard_deviations() {
    let desk = Desk::with_model();
    let rank = ["rank", TOY, "Jupiter", "--signals", "--scorer", "llamafur", "--format"];
    let table = desk.llamafur(rank.iter().chain(&["table"])).fine().stdout;
    assert!(!table.contains("standard deviations") && table.contains("as the scorer gives them"), "{table}");
    assert!(table.contains("     0.242\n"), "{table}");
    assert_eq!(desk.llamafur(rank.iter().chain(&["json"])).fine().json()["signal_unit"], "raw");
}

#[test]
fn a_category_shows_the_links_behind_its_neighbours() {
    let desk = Desk::with_model();
    let neighbours = |min_links: &str| {
        let args = ["category", TOY, "Planets", "--min-weight=-9", "--min-links", min_links];
        let json = desk.llamafur(args.iter().chain(&["--format", "json"])).fine().json();
        json["neighbours"].as_array().unwrap().clone()
    };
    let links = |one: &Value| one["links_to"].as_u64().unwrap() + one["links_from"].as_u64().unwrap();
    let (any, some, many) = (neighbours("0"), neighbours("1"), neighbours("4"));
    assert!(any.len() > some.len() && some.len() > many.len() && !many.is_empty());
    assert!(any.iter().any(|one| links(one) == 0), "{any:?}");
    assert!(some.iter().all(|one| links(one) >= 1) && many.iter().all(|one| links(one) >= 4), "{many:?}");
    let none = ["category", TOY, "Planets", "--min-links", "99", "--format", "table"];
    let table = desk.llamafur(none).fine().stdout;
    assert!(table.contains("a lower --min-weight or --min-links shows more"), "{table}");
}

#[test]
fn options_that_the_scorer_does_not_use_are_refused() {
    let desk = Desk::with_model();
    let commands =
        [&["rank", TOY, "Jupiter"][..], &["explain", TOY, "Jupiter", "Fish"], &["top", TOY], &["score", TOY]];
    for command in commands {
        let out: &[&str] = if command[0] == "score" { &["--out", "s.tsv"] } else { &[] };
        let refused = |option: &[&str], parts: &[&str]| {
            let args = [command, out, &["--scorer", "aa"], option].concat();
            desk.refused(args, 2, parts);
        };
        refused(
            &["--model", "x"],
            &["the scorer aa does not use the setting “model”", "leave out `--model`"],
        );
        refused(&["--studentise", "page"], &["`--studentise` is for sums and the blend, got aa"]);
        refused(&["--normalise", "sum"], &["the scorer aa does not use", "leave out `--normalise`"]);
    }
    drop(desk.llamafur(["category", TOY, "Planets", "--normalise", "sum"]).misused(&["--normalise"]));
}

#[test]
fn a_short_title_does_not_suggest_words_that_only_begin_like_it() {
    let desk = Desk::new();
    desk.write("links.tsv", "Trade and usage of saffron\tSpain\nSpain\tTrade and usage of saffron\n");
    desk.llamafur(["import", "table", "--links", "links.tsv", "--out", "c"]).fine();
    let said = desk.refused(["rank", "c", "USA"], 1, &[]).stderr;
    assert_snapshot!(said, @"error: no page “USA”, nor one with a similar name");
    desk.refused(["rank", "c", "saffron"], 1, &["did you mean “Trade and usage of saffron”?"]);
}
