//! Matrices over words beside that over categories: what is learnt over what, graphs without categories or with few texts,
//! and words that are gone or counted otherwise.

use crate::cli::{expect_exact_sums, rounding};
use crate::common::{Desk, TOY};
use serde_json::Value;
use std::fs;

/// Six subjects of twenty pages each, with the words of their texts.
const SUBJECTS: [(&str, [&str; 4]); 6] = [
    ("volcano", ["magma", "crater", "basalt", "eruption"]),
    ("cheese", ["milk", "rennet", "cheddar", "dairy"]),
    ("piano", ["sonata", "keyboard", "pedal", "chord"]),
    ("falcon", ["feather", "raptor", "talon", "plumage"]),
    ("sailing", ["rigging", "keel", "harbour", "rudder"]),
    ("chess", ["bishop", "gambit", "checkmate", "castling"]),
];
const PAGES: usize = 20;

/// The odd link: all others stay within their subject.
const ODD: (&str, &str) = ("volcano 00", "cheese 02");

fn title(subject: &str, page: usize) -> String {
    format!("{subject} {:02}", page % PAGES)
}

/// Writes `links.tsv`, `categories.tsv` and `text.tsv` of the subjects; the text of each page as it is wanted.
fn write(desk: &Desk, text: impl Fn(usize, [&str; 3]) -> Option<String>) {
    let (mut links, mut categories, mut texts) =
        (format!("{}\t{}\n", ODD.0, ODD.1), String::new(), String::new());
    for (subject, words) in SUBJECTS {
        for page in 0..PAGES {
            let own = title(subject, page);
            for further in [1, 2, 5] {
                links += &format!("{own}\t{}\n", title(subject, page + further));
            }
            categories += &format!("{own}\tPages on {subject}\n");
            let words = [0, 1, 2].map(|place| words[(page + place) % words.len()]);
            texts.extend(text(page, words).map(|text| format!("{own}\t{text}\n")));
        }
    }
    desk.write("links.tsv", links);
    desk.write("categories.tsv", categories);
    desk.write("text.tsv", texts);
}

/// Three words of the subject in each text.
fn telling(_: usize, words: [&str; 3]) -> Option<String> {
    Some(format!("A page on {}.", words.join(", ")))
}

const LINKS_AND_TEXT: [&str; 8] =
    ["import", "table", "--links", "links.tsv", "--text", "text.tsv", "--out", "c"];
const CATEGORIES: [&str; 2] = ["--categories", "categories.tsv"];

/// A desk with a corpus of links and such text, and categories if wanted.
fn desk_of(text: impl Fn(usize, [&str; 3]) -> Option<String>, categories: &[&str]) -> Desk {
    let desk = Desk::new();
    write(&desk, text);
    let run = desk.llamafur(LINKS_AND_TEXT.iter().chain(categories)).fine();
    assert_eq!(run.stderr, "", "{run}");
    desk
}

/// The same, trained, with what training said.
fn trained(text: impl Fn(usize, [&str; 3]) -> Option<String>, categories: &[&str]) -> (Desk, Value, String) {
    let desk = desk_of(text, categories);
    let run = desk.llamafur_with_progress("plain", ["train", "c", "--format", "json"]).fine();
    (desk, run.json(), run.stderr)
}

fn over(json: &Value) -> Vec<&str> {
    let matrices = json["matrices"].as_array().map_or(&[][..], Vec::as_slice);
    matrices.iter().map(|matrix| matrix["over"].as_str().unwrap()).collect()
}

/// The links of a page by a scorer: targets and scores.
fn ranked(desk: &Desk, page: &str, scorer: &str) -> Vec<(String, Option<f64>)> {
    let json = desk
        .llamafur([
            "rank", "c", page, "--top", "0", "--order", "oddity", "--scorer", scorer, "--format", "json",
        ])
        .fine()
        .json();
    let links = json["links"].as_array().unwrap().iter();
    links.map(|link| (link["target"].as_str().unwrap().into(), link["unexpectedness"].as_f64())).collect()
}

#[test]
fn links_and_text_alone_are_learnt_ranked_and_explained() {
    let (desk, json, _) = trained(telling, &[]);
    assert_eq!(over(&json), ["words", "lead"]);
    assert_eq!(json["categories"], 0);
    assert!(json["held_out"]["f_measure"].as_f64().unwrap() > 0.9, "{json}");
    for scorer in ["blend", "llamafur", "words", "lead", "company", "peers"] {
        let links = ranked(&desk, ODD.0, scorer);
        assert!(links.len() == 4 && links.iter().all(|(_, score)| score.is_some()), "{scorer}: {links:?}");
        assert_eq!(links[0].0, ODD.1, "{scorer}");
    }
    let explain = ["explain", "c", ODD.0, ODD.1, "--format"];
    let table = desk.llamafur(explain.iter().chain(&["table"])).fine().stdout;
    for part in [
        "volcano 00 → cheese 02: surprising, odder than ",
        "; it is row 1 of the 4 of volcano 00, by blend (",
        "\nLlamaFur ",
        "\nThe word matrix of llamafur (factored) does not explain the link: ",
        "\nThe lead matrix of llamafur (factored) does not explain the link: ",
        " source word ",
        " magma ",
    ] {
        assert!(table.contains(part), "{part}: {table}");
    }
    assert!(!table.contains("ategor"), "{table}");
    let tsv = desk.llamafur(explain.iter().chain(&["tsv"])).fine().stdout;
    let is_whole = |line: &str| line.split('\t').count() == 14 && !line.starts_with("categories");
    assert!(tsv.lines().all(is_whole) && tsv.starts_with("words\t") && tsv.contains("\nlead\t"), "{tsv}");
    // What needs categories says so.
    let lack = ["c: the corpus has no categories", "run `llamafur import table` again with `--categories`"];
    desk.refused(["rank", "c", ODD.0, "--scorer", "categories"], 2, &lack);
    desk.refused(["category", "c", "Pages on chess"], 2, &lack);
    desk.llamafur(["verify", "c"]).fine();
}

#[test]
fn each_matrix_adds_up_and_all_of_them_to_the_score() {
    let (desk, json, _) = trained(telling, &CATEGORIES);
    assert_eq!(over(&json), ["categories", "words", "lead"]);
    for matrix in json["matrices"].as_array().unwrap() {
        assert!(matrix["held_out"]["auc"].is_f64() && matrix["explained"].is_f64(), "{matrix}");
    }
    for normalise in ["sum", "mean", "sqrt"] {
        for (source, target) in [ODD, ("chess 03", "chess 04"), ("piano 01", "falcon 02")] {
            let by = ["--scorer", "llamafur", "--normalise", normalise, "--all", "--format", "json"];
            let run = desk.llamafur(["explain", "c", source, target].iter().chain(&by)).fine();
            assert_eq!(over(&run.json()), ["categories", "words", "lead"]);
            let cosine = ["explain", "c", source, target, "--normalise", "cosine", "--format", "json"];
            let off = rounding(&desk.llamafur(cosine).fine(), &run);
            expect_exact_sums(&run, &format!("{normalise}: {source} → {target}"), off);
        }
    }
    // Each matrix is a scorer, and their sum is that of all.
    let links = ranked(&desk, ODD.0, "llamafur");
    let each = ["categories", "words", "lead"].map(|scorer| ranked(&desk, ODD.0, scorer));
    for (target, score) in links {
        let of = |links: &Vec<(String, Option<f64>)>| {
            links.iter().find(|(other, _)| *other == target).and_then(|(_, score)| *score).unwrap()
        };
        let sum: f64 = each.iter().map(of).sum();
        assert!((sum - score.unwrap()).abs() < 1e-9, "{target}: {sum}, {score:?}");
    }
}

#[test]
fn several_matrices_are_the_same_bytes_whatever_the_threads() {
    let desk = desk_of(telling, &CATEGORIES);
    let train = |threads| {
        desk.llamafur(["train", "c", "--threads", threads]).fine();
        desk.read("c/models/llamafur.safetensors")
    };
    assert!(train("1") == train("3"));
}

#[test]
fn what_to_learn_over_is_chosen_or_refused_by_name() {
    let desk = desk_of(telling, &CATEGORIES);
    let train = |args: &[&str]| desk.llamafur([&["train", "c"], args].concat());
    desk.refused(["train", "c", "--features", "words,words"], 2, &["--features names words twice"]);
    train(&["--features", "magic"]).misused(&["'magic'", "--features", "categories, words or lead"]);
    // One alone, by any method; the first is the first.
    for (features, method) in [("words", "factored"), ("lead", "paper"), ("lead,categories", "factored")] {
        let json = train(&["--features", features, "--method", method, "--format", "json"]).fine().json();
        let several: Vec<&str> =
            if features.contains(',') { features.split(',').collect() } else { Vec::new() };
        assert_eq!(over(&json), several);
        assert_eq!(ranked(&desk, ODD.0, "llamafur")[0].0, ODD.1, "{features}");
    }
    let without = ["rank", "c", ODD.0, "--scorer", "words"];
    desk.refused(
        without,
        2,
        &["c: the corpus has no matrix over words in its model; run `llamafur train c`"],
    );
    // Training continues over categories alone, and the way out is one.
    train(&["--ensemble", "1"]).fine();
    let from = ["train", "c", "--from", "llamafur"];
    desk.refused(from.iter().chain(&["--features", "words"]), 2, &["--features", "without `--from`"]);
    let other = "it was learnt over other features than are to be learnt";
    desk.refused(from, 2, &[other, "run `llamafur train --features categories`"]);
    train(&["--features", "categories", "--ensemble", "1"]).fine();
    desk.llamafur(from).fine();
    // What the corpus lacks is not learnt over.
    desk.llamafur(["import", "table", "--links", "links.tsv", "--out", "bare"]).fine();
    desk.refused(
        ["train", "bare", "--features", "words"],
        2,
        &[
            "bare: the corpus has no text",
            "run `llamafur import wiki` or `llamafur import table` again with `--text`",
        ],
    );
    desk.refused(["train", "bare", "--features", "categories"], 2, &["bare: no page carries a category"]);
}

#[test]
fn pages_without_text_are_ranked_by_what_there_is() {
    // Text for every other page: pages of even numbers.
    let text = |page: usize, words: [&str; 3]| telling(page, words).filter(|_| page.is_multiple_of(2));
    for categories in [&[][..], &CATEGORIES] {
        let (desk, _, _) = trained(text, categories);
        for (page, has_text) in [("volcano 00", true), ("volcano 01", false)] {
            let is_even = |title: &str| title.ends_with(['0', '2', '4', '6', '8']);
            for scorer in ["words", "lead"] {
                for (target, score) in ranked(&desk, page, scorer) {
                    assert_eq!(score.is_some(), has_text && is_even(&target), "{scorer}: {page} → {target}");
                }
            }
            let json = desk.llamafur(["rank", "c", page, "--top", "0", "--format", "json"]).fine().json();
            for link in json["links"].as_array().unwrap() {
                assert!(link["unexpectedness"].is_f64() && link["signals"]["ra"].is_f64(), "{link}");
                let told = has_text && is_even(link["target"].as_str().unwrap());
                assert_eq!(link["signals"]["words"].is_f64(), told, "{link}");
                assert_eq!(link["signals"]["categories"].is_f64(), !categories.is_empty(), "{link}");
            }
        }
        assert_eq!(ranked(&desk, ODD.0, "blend")[0].0, ODD.1);
        // Links without a score are the last, and say why.
        let of_words = ["rank", "c", "volcano 01", "--top", "0", "--scorer", "words", "--format", "table"];
        let table = desk.llamafur(of_words).fine().stdout;
        assert!(table.contains("no data") && !table.contains("categor"), "{table}");
        let explain = ["explain", "c", "volcano 01", "volcano 02", "--format", "table"];
        let table = desk.llamafur(explain).fine().stdout;
        assert!(table.contains("The word matrix of llamafur (factored): no words on one side"), "{table}");
        desk.llamafur(["score", "c", "--out", "s.tsv"]).fine();
    }
}

/// The text of a page by its number and its words.
type Text = fn(usize, [&str; 3]) -> Option<String>;

/// What texts lack, and the way out.
const RARE: &str =
    "the corpus has no term that occurs in 10 pages or more; run `llamafur words c --min-pages 2`";
const COMMON: &str = "the corpus has no term that occurs in 10 pages or more, but in a fifth of all at most; \
                      run `llamafur words c --min-pages 2`";

#[test]
fn texts_without_a_usable_word_leave_the_categories() {
    // Too short or too frequent in any language; no letters; each word in one text only; the same words in all of them.
    let useless: [(Text, &str); 4] = [
        (|_, _| Some("of the and a".into()), RARE),
        (|_, _| Some("42 – 17 …".into()), RARE),
        (|page, words| Some(format!("{}x{page}x", words[0])), RARE),
        (|_, _| Some("common phrases everywhere".into()), COMMON),
    ];
    for (text, lack) in useless {
        let (desk, json, said) = trained(text, &CATEGORIES);
        let note = format!("words is left out: c: {lack}\n");
        assert!(said.starts_with(&note), "{said}");
        assert_eq!((over(&json), &json["categories"]), (Vec::new(), &6.into()));
        assert_eq!(ranked(&desk, ODD.0, "llamafur"), ranked(&desk, ODD.0, "categories"));
        assert_eq!(ranked(&desk, ODD.0, "blend")[0].0, ODD.1);
        // Asked for by name they are refused, with the same way out.
        let words = ["train", "c", "--features", "words"];
        desk.refused(words, 2, &[lack]);
        desk.refused(["rank", "c", ODD.0, "--scorer", "words"], 2, &[lack]);
        // Without categories nothing is left.
        desk_of(text, &[]).llamafur(["train", "c"]).fails(2, &[lack]);
    }
}

#[test]
fn words_that_are_gone_are_counted_again() {
    let (desk, ..) = trained(telling, &CATEGORIES);
    let rank = ["rank", "c", ODD.0, "--format", "json"];
    let (before, words) = (desk.llamafur(rank).fine(), desk.read("c/words.arrow"));
    fs::remove_file(desk.path("c/words.arrow")).unwrap();
    assert_eq!(desk.llamafur(rank).fine(), before);
    assert!(desk.read("c/words.arrow") == words);
}

#[test]
fn a_model_over_words_that_were_counted_otherwise_is_refused() {
    let (desk, ..) = trained(telling, &CATEGORIES);
    desk.llamafur(["words", "c", "--min-pages", "2", "--no-stemming"]).fine();
    let parts = [
        "c/models/llamafur.safetensors: the model was trained on words that were counted with other settings",
        "run `llamafur train c`",
    ];
    for args in [
        &["rank", "c", ODD.0][..],
        &["rank", "c", ODD.0, "--scorer", "words"],
        &["explain", "c", ODD.0, ODD.1],
        &["top", "c"],
        &["verify", "c"],
    ] {
        desk.refused(args, 2, &parts);
    }
    // What needs no model is not in the way.
    assert_eq!(ranked(&desk, ODD.0, "aa").len(), 4);
    desk.llamafur(["train", "c"]).fine();
    assert_eq!(ranked(&desk, ODD.0, "blend")[0].0, ODD.1);
    let table = desk.llamafur(["explain", "c", ODD.0, ODD.1, "--all", "--format", "table"]).fine().stdout;
    // Not stemmed any more.
    assert!(table.contains(" dairy "), "{table}");
}

#[test]
fn a_flipped_byte_is_noticed_in_every_matrix() {
    let (desk, ..) = trained(telling, &CATEGORIES);
    let name = "c/models/llamafur.safetensors";
    let rank = ["rank", "c", ODD.0, "--scorer", "llamafur", "--format", "json"];
    let (whole, right) = (desk.read(name), desk.llamafur(rank).fine());
    for part in 1..32 {
        let mut flipped = whole.clone();
        flipped[part * whole.len() / 32] ^= 1 << (part % 8);
        desk.write(name, flipped);
        desk.llamafur(["verify", "c"]).fails(2, &[name]);
        let run = desk.llamafur(rank);
        if run != right {
            run.fails(2, &[name]);
        }
    }
}

#[test]
fn words_of_a_small_corpus_are_counted_as_it_says() {
    // Ten pages: no word is in ten of them and tells something.
    let desk = Desk::with_corpus();
    desk.llamafur(["words", TOY, "--min-pages", "2"]).fine();
    let json = desk.llamafur(["train", TOY, "--format", "json"]).fine().json();
    assert_eq!(over(&json), ["categories", "words", "lead"]);
    let rank = desk.llamafur(["rank", TOY, "Jupiter", "--top", "1", "--order", "oddity"]).fine();
    assert!(rank.stdout.starts_with("1\tFish\t"), "{rank}");
}
