//! Wrong input: every answer is one line that names the file and a way out, and nothing is left behind.

use crate::common::{Desk, IMPORT_TOY, Run, TOY, copy_folder, names_in};
use std::fs;
use std::path::Path;

/// The arguments that import these two tables as the corpus `c`.
fn import<'a>(links: &'a str, categories: &'a str) -> Vec<&'a str> {
    vec!["import", "table", "--links", links, "--categories", categories, "--out", "c"]
}

/// A gzip file that holds `text` without compression, its checksum left out.
fn gzip_without_end(text: &[u8]) -> Vec<u8> {
    let length = u16::try_from(text.len()).unwrap();
    let header = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255];
    let stored = [&[1][..], &length.to_le_bytes(), &(!length).to_le_bytes()].concat();
    [&header[..], &stored, text].concat()
}

/// Bytes that mean nothing, always the same.
fn garbage(length: usize) -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut byte = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    (0..length).map(|_| byte()).collect()
}

#[test]
fn a_missing_table_is_named() {
    let desk = Desk::with_tables();
    desk.refused(import("nope.tsv", "categories.tsv"), 2, &["nope.tsv: no such file; check the name"]);
    desk.refused(import("links.tsv", "nope.tsv"), 2, &["nope.tsv: no such file; check the name"]);
    for table in ["--text", "--category-tree", "--pages"] {
        let args = [&import("links.tsv", "categories.tsv")[..], &[table, "nope.tsv"]].concat();
        desk.refused(args, 2, &["nope.tsv: no such file"]);
    }
}

#[test]
fn a_folder_is_no_table() {
    let desk = Desk::with_tables();
    fs::create_dir(desk.path("folder")).unwrap();
    desk.refused(
        import("folder", "categories.tsv"),
        2,
        &["folder: a folder where a file was expected; name a file"],
    );
    desk.refused(import("links.tsv", "folder"), 2, &["folder: a folder where a file was expected"]);
}

#[test]
fn a_truncated_gzip_file_is_told_with_the_last_line() {
    let desk = Desk::with_tables();
    let links = desk.read("links.tsv");
    desk.write("links.tsv.gz", gzip_without_end(&links));
    let cut_off = "links.tsv.gz: the compressed data ends early after line 23: the file is probably cut off";
    desk.refused(import("links.tsv.gz", "categories.tsv"), 2, &[cut_off, "download or make the file again"]);
    for length in [2, 9, 14, 100] {
        desk.write("links.tsv.gz", &gzip_without_end(&links)[..length]);
        desk.refused(
            import("links.tsv.gz", "categories.tsv"),
            2,
            &["links.tsv.gz: the compressed data ends early"],
        );
    }
    let mut damaged = gzip_without_end(&links);
    damaged.extend([0; 8]);
    desk.write("links.tsv.gz", damaged);
    desk.refused(
        import("links.tsv.gz", "categories.tsv"),
        2,
        &["links.tsv.gz: the compressed data is damaged"],
    );
}

#[test]
fn binary_garbage_is_no_table() {
    let desk = Desk::with_tables();
    for name in ["noise.tsv", "noise.csv", "noise.jsonl", "noise.parquet", "noise.tsv.gz", "noise"] {
        desk.write(name, garbage(20_000));
        desk.refused(import(name, "categories.tsv"), 2, &[name]);
        desk.refused(import("links.tsv", name), 2, &[name]);
        let strict = [&import(name, "categories.tsv")[..], &["--strict"]].concat();
        desk.refused(strict, 2, &[name]);
    }
}

#[test]
fn an_empty_graph_is_no_graph() {
    let desk = Desk::with_tables();
    for (name, content) in [
        ("empty.tsv", ""),
        ("header.tsv", "source\ttarget\n"),
        ("comment.tsv", "# nothing\n"),
        ("blank.tsv", "\n\n"),
    ] {
        desk.write(name, content);
        desk.refused(
            import(name, "categories.tsv"),
            2,
            &[name, "holds no row, and a graph needs at least one link"],
        );
    }
}

#[test]
fn categories_of_other_pages_are_refused() {
    let desk = Desk::with_tables();
    desk.write("other.tsv", "Mars\tRed planets\nVenus\tHot planets\n");
    let parts =
        ["none of the 2 pages of other.tsv is in links.tsv", "\"Mars\"", "\"Jupiter\"", "spelling, case"];
    desk.refused(import("links.tsv", "other.tsv"), 2, &parts);
    desk.write("swapped.tsv", "Planets\tJupiter\nMoons\tIo (moon)\n");
    desk.refused(import("links.tsv", "swapped.tsv"), 2, &["swapped.tsv", "--columns categories=2,1"]);
    desk.llamafur([&import("links.tsv", "swapped.tsv")[..], &["--columns", "categories=2,1"]].concat())
        .fine();
}

#[test]
fn one_link_is_a_graph() {
    let desk = Desk::new();
    desk.write("links.tsv", "a\tb\n");
    desk.write("categories.tsv", "a\tx\nb\ty\n");
    desk.llamafur(import("links.tsv", "categories.tsv")).fine();
    for method in ["factored", "averaged", "paper", "original", "naive"] {
        desk.llamafur(["train", "c", "--method", method, "--name", "llamafur"]).fine();
        let run = desk.llamafur(["rank", "c", "a"]).fine();
        assert!(run.stdout.starts_with("1\tb\t"), "{run}");
        desk.llamafur(["explain", "c", "a", "b"]).fine();
        desk.llamafur(["category", "c", "x", "--out", "x.svg", "--overwrite"]).fine();
        desk.llamafur(["score", "c", "--out", "s.parquet", "--overwrite"]).fine();
    }
    assert_eq!(desk.llamafur(["rank", "c", "b"]).fine().stdout, "");
    desk.llamafur(["verify", "c"]).fine();
}

#[test]
fn an_import_without_a_link_is_refused() {
    let desk = Desk::new();
    desk.write("links.tsv", "a\ta\n");
    desk.write("categories.tsv", "a\tx\n");
    let none =
        "links.tsv: none of its 1 rows makes a link: each has the same page twice; check which columns";
    desk.refused(import("links.tsv", "categories.tsv"), 2, &[none]);
    let args = [&import("links.tsv", "categories.tsv")[..], &["--columns", "links=1,1"]].concat();
    desk.llamafur(args).misused(&["columns \"1,1\": source and target are the same column"]);
}

#[test]
fn a_dump_given_as_a_table_is_refused_with_the_command_for_dumps() {
    let desk = Desk::with_tables();
    let page = "<page>\n<title>A</title>\n<text>a\tb</text>\n</page>\n";
    desk.write("dump.xml", format!("<mediawiki>\n{}</mediawiki>\n", page.repeat(100)));
    let remedy = "dump.xml: a dump of a wiki, not a table; run `llamafur import wiki";
    desk.refused(import("dump.xml", "categories.tsv"), 2, &[remedy]);
}

#[test]
fn half_wrong_keys_are_told_and_strict_refuses_them() {
    let desk = Desk::with_tables();
    let wrong = String::from_utf8(desk.read("categories.tsv")).unwrap().replace(['a', 'e'], "ï");
    desk.write("both.tsv", [desk.read("categories.tsv"), wrong.into_bytes()].concat());
    let run = desk.llamafur(import("links.tsv", "both.tsv")).fine();
    assert!(run.stderr.contains("warning: both.tsv: "), "{run}");
    assert!(run.stderr.contains("rows name pages that no link has, e.g. "), "{run}");
    let strict = [&import("links.tsv", "both.tsv")[..], &["--strict", "--overwrite"]].concat();
    desk.refused(
        strict,
        2,
        &["both.tsv: ", "rows name pages that no link has", "pass `--pages`", "leave out `--strict`"],
    );
}

#[test]
fn a_graph_without_categories_says_what_it_lacks() {
    let desk = Desk::with_tables();
    desk.write("none.tsv", "");
    for args in
        [import("links.tsv", "none.tsv"), vec!["import", "table", "--links", "links.tsv", "--out", "d"]]
    {
        let run = desk.llamafur(args).fine();
        assert_eq!(run.stderr, "warning: no page has a category: nothing can be learnt from links alone\n");
    }
    let way_out = "run `llamafur import table` again with `--categories`";
    let parts = ["c: no page carries a category", way_out];
    for method in ["factored", "averaged", "paper", "original", "naive"] {
        desk.refused(["train", "c", "--method", method], 2, &parts);
    }
    let parts = ["c: the corpus has no categories", way_out];
    desk.refused(["rank", "c", "Jupiter", "--scorer", "llamafur"], 2, &parts);
    desk.refused(["category", "c", "Planets"], 2, &parts);
    assert_eq!(
        desk.llamafur(["rank", "c", "Jupiter", "--top", "0", "--scorer", "random"])
            .fine()
            .stdout
            .lines()
            .count(),
        4
    );
}

#[test]
fn a_model_of_another_corpus_is_refused() {
    let desk = Desk::with_model();
    desk.write("more.tsv", [&desk.read("links.tsv")[..], b"Llama\tFish\n"].concat());
    desk.llamafur(import("more.tsv", "categories.tsv")).fine();
    copy_folder(&desk.path("toy.corpus/models"), &desk.path("c/models"));
    let parts =
        ["c/models/llamafur.safetensors: the model was made for another corpus", "run `llamafur train c`"];
    for args in [
        &["rank", "c", "Jupiter"][..],
        &["explain", "c", "Jupiter", "Fish"],
        &["category", "c", "Planets"],
        &["score", "c", "--out", "s.tsv"],
        &["verify", "c"],
    ] {
        desk.refused(args, 2, &parts);
    }
    let info = desk.llamafur(["info", "c"]).fine();
    assert!(info.stdout.contains("made for another corpus"), "{info}");
    desk.llamafur(["train", "c"]).fine();
    desk.llamafur(["rank", "c", "Jupiter"]).fine();
}

/// The files of a trained toy corpus.
const FILES: [&str; 9] = [
    "manifest.json",
    "blocks.arrow",
    "pages.arrow",
    "categories.arrow",
    "folded.arrow",
    "text.arrow",
    "words.arrow",
    "prepared/places.arrow",
    "models/llamafur.safetensors",
];

/// What those who look into every file answer.
fn answers(desk: &Desk) -> Vec<Run> {
    [
        &["rank", TOY, "jupiter"][..],
        &["explain", TOY, "Jupiter", "Fish", "--format", "json"],
        &["category", TOY, "Planets", "--format", "json"],
    ]
    .map(|args| desk.llamafur(args))
    .into()
}

/// Fails unless the damage in a file was noticed by `verify` and led nobody else to a wrong answer.
fn expect_noticed(desk: &Desk, file: &str, what: &str, right: &[Run]) {
    let run = desk.llamafur(["verify", TOY]);
    assert_eq!(run.code, 2, "{file}, {what}: {run}");
    let named = match file {
        // Of a manifest that is none, the folder is named.
        "manifest.json" => run.stderr.contains("toy.corpus"),
        _ => run.stderr.contains(&format!("toy.corpus/{file}")),
    };
    assert!(named, "{file}, {what}: {run}");
    for (run, right) in answers(desk).iter().zip(right) {
        // What was made again is noted.
        if (&run.stdout, run.code) != (&right.stdout, right.code) {
            run.clone().fails(2, &["toy.corpus"]);
        }
    }
}

/// How many bytes of a file have checksums. Words and places have them in their Arrow footer, of which some bytes repeat what is
/// known and are never read; the library's own tests flip all of them.
fn summed(file: &str, whole: &[u8]) -> usize {
    if !["words.arrow", "prepared/places.arrow"].contains(&file) {
        return whole.len();
    }
    let length_at = whole.len() - 10;
    let length = i32::from_le_bytes(whole[length_at..][..4].try_into().unwrap());
    length_at - length as usize
}

#[test]
fn a_flipped_byte_is_noticed_wherever_it_is() {
    let desk = Desk::with_model();
    assert_eq!(names_in(&desk.path(TOY)).len(), 9, "a file was added: {:?}", names_in(&desk.path(TOY)));
    let right = answers(&desk);
    right.iter().for_each(|run| drop(run.clone().fine()));
    for file in FILES {
        let name = format!("{TOY}/{file}");
        let whole = desk.read(&name);
        let step = summed(file, &whole) / 9;
        for (place, bit) in (0..9).map(|i| (i * step + i, 1 << (i % 8))).chain([(whole.len() - 2, 1)]) {
            let mut flipped = whole.clone();
            flipped[place] ^= bit;
            desk.write(&name, flipped);
            expect_noticed(&desk, file, &format!("byte {place}"), &right);
        }
        desk.write(&name, whole);
    }
    assert_eq!(answers(&desk), right);
}

/// Fails unless the answers are the same; what was made again may be noted.
#[track_caller]
fn expect_same_answers(found: &[Run], right: &[Run]) {
    for (run, right) in found.iter().zip(right) {
        assert_eq!((&run.stdout, run.code), (&right.stdout, right.code), "{run}");
    }
}

#[test]
fn a_truncated_or_missing_file_is_noticed() {
    let desk = Desk::with_model();
    let right = answers(&desk);
    for file in FILES {
        let name = format!("{TOY}/{file}");
        let whole = desk.read(&name);
        // The last byte of the manifest is a line break, which is not missed.
        for length in [0, 1, 7, 8, 9, whole.len() / 2, whole.len() - 2] {
            desk.write(&name, &whole[..length]);
            expect_noticed(&desk, file, &format!("cut at {length}"), &right);
        }
        desk.write(&name, [&whole[..], b"\0"].concat());
        expect_noticed(&desk, file, "a byte too many", &right);
        match file {
            "models/llamafur.safetensors" => {}
            // Made again when needed.
            "words.arrow" | "prepared/places.arrow" => {
                fs::remove_file(desk.path(&name)).unwrap();
                expect_same_answers(&answers(&desk), &right);
            }
            _ => {
                fs::remove_file(desk.path(&name)).unwrap();
                expect_noticed(&desk, file, "removed", &right);
            }
        }
        desk.write(&name, whole);
    }
}

#[test]
fn a_damaged_model_of_any_method_is_noticed() {
    let desk = Desk::with_corpus();
    for method in ["averaged", "naive"] {
        desk.llamafur(["train", TOY, "--method", method, "--name", "llamafur"]).fine();
        let right = answers(&desk);
        let file = "models/llamafur.safetensors";
        let name = format!("{TOY}/{file}");
        let whole = desk.read(&name);
        for place in [whole.len() - 1, whole.len() - 500, whole.len() - 1000, 900, 500, 100, 20, 3, 0] {
            let mut flipped = whole.clone();
            flipped[place] ^= 4;
            desk.write(&name, flipped);
            expect_noticed(&desk, file, &format!("{method}, byte {place}"), &right);
        }
    }
}

#[test]
fn what_is_no_corpus_is_said_to_be_none() {
    let desk = Desk::with_tables();
    fs::create_dir(desk.path("folder")).unwrap();
    let commands = |corpus: &'static str| {
        [
            vec!["info", corpus],
            vec!["verify", corpus],
            vec!["train", corpus],
            vec!["rank", corpus, "Jupiter"],
            vec!["explain", corpus, "Jupiter", "Fish"],
            vec!["category", corpus, "Planets"],
            vec!["score", corpus, "--out", "s.tsv"],
            vec!["export", corpus, "--out", "tables"],
        ]
    };
    for (corpus, found) in [
        ("nope", "there is no such folder"),
        ("folder", "it has no manifest.json"),
        ("links.tsv", "it has no manifest.json"),
    ] {
        for args in commands(corpus) {
            let parts = [&format!("{corpus}: not a corpus: {found}"), "run `llamafur import`"];
            desk.refused(args, 2, &parts);
        }
    }
    desk.write("folder/manifest.json", r#"{"name": "my-app", "version": 3, "format": "web app"}"#);
    desk.refused(["rank", "folder", "Jupiter"], 2, &["folder: not a corpus: its manifest is of a “web app”"]);
}

#[test]
fn a_corpus_of_another_version_names_both_ways_out() {
    let desk = Desk::with_model();
    let manifest = String::from_utf8(desk.read("toy.corpus/manifest.json")).unwrap();
    let newer = manifest.replacen("\"version\": 1", "\"version\": 2", 1).replacen(
        "llamafur 0.1.0",
        "llamafur 9.0.0",
        1,
    );
    assert_ne!(manifest, newer);
    desk.write("toy.corpus/manifest.json", newer);
    let parts = [
        "toy.corpus: corpus format 2",
        "reads format 1",
        "written by llamafur 9.0.0",
        "run `llamafur import`, or use",
    ];
    desk.refused(["rank", TOY, "Jupiter"], 2, &parts);
    desk.refused(["verify", TOY], 2, &parts);
}

#[test]
fn what_is_there_is_not_written_over_unasked() {
    let desk = Desk::with_model();
    let taken = "toy.corpus: there is a corpus already; choose another `--out`, or pass `--overwrite`";
    desk.refused(IMPORT_TOY, 2, &[taken]);
    desk.refused(["demo", "--out", TOY], 2, &[taken]);
    let out = |out: &'static str| ["import", "table", "--links", "links.tsv", "--out", out];
    desk.refused(out("links.tsv"), 2, &["links.tsv: there is a file of that name; choose another `--out`"]);
    fs::create_dir(desk.path("photos")).unwrap();
    desk.write("photos/holiday.jpg", "");
    for overwrite in [None, Some("--overwrite")] {
        let args = out("photos").into_iter().chain(overwrite);
        desk.refused(
            args,
            2,
            &["photos: the folder is not empty and holds no corpus: holiday.jpg; move them away, or choose another `--out`"],
        );
    }
    desk.llamafur(["export", TOY, "--out", "tables"]).fine();
    let exists = "exists already; pass `--overwrite` to replace it";
    desk.refused(["export", TOY, "--out", "tables"], 2, &["tables/pages.tsv", exists]);
    desk.llamafur(["export", TOY, "--out", "tables", "--overwrite"]).fine();
    let corpus = ["export", TOY, "--out", TOY, "--overwrite"];
    desk.refused(corpus, 2, &["toy.corpus: this is a corpus; choose another `--out`"]);
    for args in [
        &["score", TOY, "--scorer", "aa", "--out", "taken.tsv"][..],
        &["category", TOY, "Planets", "--out", "taken.svg"],
        &["cleanse", TOY, "--name", "few", "--map", "taken.tsv"],
        &["demo", "--dump", "taken.tsv"],
    ] {
        desk.write(args[args.len() - 1], "old");
        desk.refused(args, 2, &[args[args.len() - 1], exists]);
        desk.llamafur(args.iter().chain(&["--overwrite"])).fine();
    }
    desk.llamafur(IMPORT_TOY.into_iter().chain(["--overwrite"])).fine();
    desk.llamafur(["verify", TOY]).fine();
}

#[test]
fn an_unfit_name_for_the_result_is_refused() {
    let desk = Desk::with_model();
    for name in ["scores", "scores.csv", "scores.tsv.gz", ".tsv"] {
        let parts =
            [&format!("{name}: the name must end in .tsv, .parquet or .arrow"), "to say which is wanted"];
        desk.refused(["score", TOY, "--out", name], 2, &parts);
    }
    for name in ["planets", "planets.png", ".svg"] {
        let parts =
            [&format!("{name}: the name must end in .svg, .graphml or .dot"), "to say which is wanted"];
        desk.refused(["category", TOY, "Planets", "--out", name], 2, &parts);
    }
    for name in ["../up", "a/b", "", ".hidden", "a b"] {
        desk.refused(
            ["train", TOY, "--name", name],
            2,
            &["the name of a model must be 1 to 100 letters, digits", &format!("got “{name}”")],
        );
        desk.refused(
            ["rank", TOY, "Jupiter", "--model", name],
            2,
            &["the name of a model must be 1 to 100 letters, digits"],
        );
    }
}

#[test]
fn a_result_into_a_folder_that_is_not_there_is_refused() {
    let desk = Desk::with_model();
    fs::create_dir(desk.path("folder.tsv")).unwrap();
    for args in [
        &["score", TOY, "--out", "nope/s.tsv"][..],
        &["category", TOY, "Planets", "--out", "nope/p.svg"],
        &["score", TOY, "--out", "folder.tsv"],
    ] {
        let place = args[args.len() - 1].split('/').next().unwrap();
        desk.refused(args, 2, &[place]);
    }
}

#[test]
fn a_model_that_is_not_there_is_told_with_those_that_are() {
    let desk = Desk::with_corpus();
    let none = "toy.corpus/models/llamafur.safetensors: no such model; run `llamafur train toy.corpus`";
    for args in [
        &["rank", TOY, "Jupiter", "--scorer", "llamafur"][..],
        &["explain", TOY, "Jupiter", "Fish", "--scorer", "llamafur"],
        &["category", TOY, "Planets"],
        &["score", TOY, "--out", "s.tsv", "--scorer", "llamafur"],
    ] {
        desk.refused(args, 2, &[none]);
    }
    desk.llamafur(["train", TOY]).fine();
    let naive =
        ["toy.corpus/models/naive.safetensors: no such model (there are: llamafur)", "`llamafur train"];
    desk.refused(["rank", TOY, "Jupiter", "--scorer", "naive"], 2, &naive);
    desk.refused(["score", TOY, "--out", "s.tsv", "--scorer", "naive"], 2, &naive);
    let mine = ["rank", TOY, "Jupiter", "--scorer", "llamafur", "--model", "mine"];
    desk.refused(mine, 2, &["models/mine.safetensors: no such model"]);
}

#[test]
fn a_dense_model_has_no_cosine() {
    let desk = Desk::with_corpus();
    desk.llamafur(["train", TOY, "--method", "paper"]).fine();
    let parts = [
        "the cosine needs a factored matrix",
        "“llamafur” was learnt by paper",
        "pass `--normalise` with one of: sum, mean, sqrt",
    ];
    for args in [
        &["rank", TOY, "Jupiter", "--normalise", "cosine"][..],
        &["explain", TOY, "Jupiter", "Fish", "--normalise", "cosine"],
        &["score", TOY, "--out", "s.tsv", "--normalise", "cosine"],
    ] {
        desk.refused(args, 2, &parts);
    }
}

#[test]
fn without_text_there_are_no_sentences() {
    let desk = Desk::with_tables();
    desk.llamafur(import("links.tsv", "categories.tsv")).fine();
    desk.llamafur(["train", "c"]).fine();
    let json = desk.llamafur(["rank", "c", "Jupiter", "--format", "json"]).fine().json();
    let links = json["links"].as_array().unwrap();
    assert!(!links.is_empty() && links.iter().all(|link| link["snippet"].is_null()), "{json}");
}

#[test]
fn settings_out_of_range_are_told_with_their_range() {
    let desk = Desk::with_corpus();
    let refused = |setting: &str, value: &str, rule: &str| {
        let argument = format!("--{setting}={value}");
        desk.refused(["train", TOY, &argument], 2, &[&format!("{setting} must be {rule}, got {value}")]);
    };
    refused("passes", "0", "at least 1");
    refused("rank", "0", "between 1 and 4096");
    refused("rank", "4097", "between 1 and 4096");
    for value in ["NaN", "-1", "0", "inf"] {
        refused("aggressiveness", value, "positive and finite");
    }
    for value in ["NaN", "-0.1", "1", "inf"] {
        refused("held-out", value, "at least 0 and below 1");
    }
}

#[test]
fn more_threads_than_pages_are_fine() {
    let desk = Desk::with_corpus();
    for method in ["factored", "averaged", "paper", "original"] {
        desk.llamafur(["train", TOY, "--method", method, "--threads", "64"]).fine();
    }
}

#[test]
fn options_that_make_no_sense_are_refused_by_name() {
    let desk = Desk::with_corpus();
    let before = desk.contents();
    let misused = |args: &[&str], parts: &[&str]| drop(desk.llamafur(args).misused(parts));
    misused(&["train", TOY, "--threads", "0"], &["'0'", "--threads"]);
    misused(&["train", TOY, "--seed", "abc"], &["'abc'", "--seed"]);
    misused(&["train", TOY, "--rank", "many"], &["'many'", "--rank"]);
    misused(&["train", TOY, "--aggressiveness", "-1"], &["-1"]);
    misused(
        &["train", TOY, "--method", "magic"],
        &["'magic'", "factored, averaged, paper, original or naive"],
    );
    misused(
        &["rank", TOY, "Jupiter", "--scorer", "magic"],
        &["'magic'", "llamafur, categories, words, lead, naive, aa, ", " and random"],
    );
    misused(&["rank", TOY, "Jupiter", "--normalise", "magic"], &["sum, mean, sqrt or cosine"]);
    misused(&["rank", TOY, "Jupiter", "--format", "xml"], &["'xml'", "table, json, tsv"]);
    misused(&["rank", TOY], &["<PAGE>"]);
    misused(&["import", "table", "--out", "c"], &["--links"]);
    misused(&["magic"], &["'magic'"]);
    let columns = |given: &str, parts: &[&str]| {
        misused(&["import", "table", "--links", "links.tsv", "--columns", given, "--out", "c"], parts);
    };
    columns("nonsense", &["nonsense", "links=SOURCE,TARGET"]);
    columns("people=1,2", &["there is no table \"people\"", "links=SOURCE,TARGET"]);
    columns("links=1", &["links needs 2 (source, target)"]);
    columns("links=0,1", &["a column without name or number"]);
    desk.expect_unchanged(&before);
    let args = ["import", "table", "--links", "links.tsv", "--columns", "links=from,to", "--out", "c"];
    desk.refused(
        args,
        2,
        &["links.tsv: no column from; found: \"Jupiter\", \"Saturn\"", "--columns links=SOURCE,TARGET"],
    );
    let args = ["import", "table", "--links", "links.tsv", "--columns", "links=1,7", "--out", "c"];
    desk.refused(args, 2, &["links.tsv: none of its 23 rows can be used", "at least 7"]);
}

#[test]
fn strict_stops_at_the_first_bad_row_with_its_line() {
    let desk = Desk::with_tables();
    desk.write("bad.tsv", [&desk.read("links.tsv")[..], b"Jupiter\tFish\tand more\n"].concat());
    let args = [&import("bad.tsv", "categories.tsv")[..], &["--strict"]].concat();
    desk.refused(args, 2, &["bad.tsv: line 24: 3 columns where 2 were expected", "leave out `--strict`"]);
    let run = desk.llamafur(import("bad.tsv", "categories.tsv")).fine();
    assert!(run.stderr.starts_with("warning: bad.tsv: skipped 1 of 24 rows (line 24:"), "{run}");
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_written_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::with_model();
    let locked = desk.path("locked");
    fs::create_dir(&locked).unwrap();
    let allow = |mode| fs::set_permissions(&locked, fs::Permissions::from_mode(mode)).unwrap();
    allow(0o555);
    if fs::write(locked.join("probe"), "").is_ok() {
        println!("skipped: this user may write everywhere");
        return;
    }
    for args in [
        &["import", "table", "--links", "links.tsv", "--out", "locked/c"][..],
        &["score", TOY, "--out", "locked/s.tsv"],
        &["category", TOY, "Planets", "--out", "locked/p.svg"],
        &["export", TOY, "--out", "locked/tables"],
    ] {
        desk.refused(args, 2, &["locked", "Permission denied"]);
    }
    allow(0o755);
}

#[test]
fn a_result_that_cannot_be_printed_is_an_error() {
    if !Path::new("/dev/full").exists() {
        println!("skipped: there is no /dev/full here");
        return;
    }
    let desk = Desk::with_model();
    for format in ["table", "tsv", "json"] {
        let stdout = fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = desk.command();
        let output = command
            .args(["rank", TOY, "Jupiter", "--scorer", "aa", "--format", format])
            .stdout(stdout)
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.starts_with("error: ") && stderr.contains("No space left"), "{stderr}");
    }
}

#[test]
fn what_the_system_said_is_printed_once() {
    let desk = Desk::with_model();
    let run =
        desk.refused(["score", TOY, "--out", "nope/s.tsv"], 2, &["nope/s.tsv", "No such file or directory"]);
    assert_eq!(run.stderr.matches("No such file or directory").count(), 1, "{run}");
    let run = desk.refused(["category", TOY, "Planets", "--out", "nope/p.svg"], 2, &["nope/p.svg"]);
    assert_eq!(run.stderr.matches("No such file or directory").count(), 1, "{run}");
}

#[test]
fn a_failed_import_leaves_no_new_folder() {
    let desk = Desk::with_tables();
    desk.write("noise.tsv", garbage(2_000));
    let args = ["import", "table", "--links", "noise.tsv", "--out", "new/folder/c"];
    desk.refused(args, 2, &["new/folder: there is no such folder", "create it first"]);
}

#[test]
fn an_export_looks_at_all_its_places_before_it_writes() {
    let desk = Desk::with_corpus();
    fs::create_dir(desk.path("tables")).unwrap();
    desk.write("tables/categories.tsv", "mine");
    desk.refused(["export", TOY, "--out", "tables"], 2, &["tables/categories.tsv: exists already"]);
}

#[test]
fn the_naive_scorer_without_its_model_says_how_to_train_it() {
    let desk = Desk::with_model();
    let way_out = ["models/naive.safetensors: no such model", "`llamafur train toy.corpus --method naive`"];
    desk.refused(["rank", TOY, "Jupiter", "--scorer", "naive"], 2, &way_out);
}

#[test]
fn the_way_out_of_a_damaged_model_is_to_train_it_again() {
    let desk = Desk::with_model();
    desk.write("toy.corpus/models/llamafur.safetensors", "");
    desk.refused(["rank", TOY, "Jupiter"], 2, &["models/llamafur.safetensors: damaged", "llamafur train"]);
}

#[cfg(unix)]
#[test]
fn a_model_can_be_read_by_those_who_can_read_the_corpus() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::with_model();
    let mode = |file: &str| fs::metadata(desk.path(file)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("toy.corpus/models/llamafur.safetensors"), mode("toy.corpus/pages.arrow"));
}

#[test]
fn names_that_look_like_comments_or_headers_survive_export_and_import() {
    for links in ["a\tb\n#1 hit\ta\n", "source\ttarget\ntarget\tz\n"] {
        let desk = Desk::new();
        desk.write("links.tsv", format!("source\ttarget\n{links}"));
        let out =
            |links: &'static str, out: &'static str| ["import", "table", "--links", links, "--out", out];
        desk.llamafur(out("links.tsv", "c")).fine();
        desk.llamafur(["export", "c", "--out", "tables"]).fine();
        desk.llamafur(out("tables/links.tsv", "d")).fine();
        let graph =
            |corpus| desk.llamafur(["info", corpus, "--format", "json"]).fine().json()["graph"].clone();
        assert_eq!(graph("d"), graph("c"), "{links}");
    }
}

#[test]
fn an_empty_folder_can_be_filled_from_within() {
    let desk = Desk::with_tables();
    fs::create_dir(desk.path("c")).unwrap();
    let mut command = desk.command();
    command.current_dir(desk.path("c")).args(["import", "table", "--links", "../links.tsv", "--out", "."]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
