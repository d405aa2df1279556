//! Whole runs on the toy corpus: what the command prints, where, and how it ends.
//!
//! The runs are snapshots in `snapshots/`; weights are rounded to two decimals, checksums and timings replaced.

use crate::common::{Desk, IMPORT, IMPORT_TOY, Run, TOY, rounded, without_checksums};
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, RecordBatch};
use insta::assert_snapshot;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;

/// A run as it goes into a snapshot.
fn tidy(run: &Run) -> String {
    without_checksums(&rounded(&run.to_string()))
}

/// The same without how long it took.
fn untimed(run: &Run) -> String {
    let untimed = |line: &str| match line.split_once(": ") {
        Some((key @ ("  \"seconds\"" | "  \"examples_per_second\""), _)) => format!("{key}: [time],"),
        _ => line.to_owned(),
    };
    tidy(run).lines().map(untimed).collect::<Vec<_>>().join("\n")
}

/// The text with what stands between `after` and `before` in a line replaced.
fn masked(text: &str, after: &str, before: &str) -> String {
    let mask = |line: &str| {
        let parts = line.split_once(after).and_then(|(head, rest)| Some((head, rest.split_once(before)?.1)));
        parts.map_or(line.to_owned(), |(head, tail)| format!("{head}{after}[…]{before}{tail}"))
    };
    text.lines().map(mask).collect::<Vec<_>>().join("\n")
}

/// The numbers under a key, read to the last bit.
fn numbers(json: &str, key: &str) -> Vec<f64> {
    let key = format!("\"{key}\": ");
    let values = json.lines().filter_map(|line| line.trim().strip_prefix(&key));
    values.map(|value| value.trim_end_matches(',').parse().unwrap()).collect()
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn import_table() {
    let desk = Desk::with_tables();
    let import = |format: &str| {
        let run = desk.llamafur(IMPORT_TOY.into_iter().chain(["--overwrite", "--format", format]));
        tidy(&run)
    };
    assert_snapshot!("import_table", import("table"));
    assert_snapshot!("import_tsv", import("tsv"));
    assert_snapshot!("import_json", import("json"));
}

#[test]
fn import_counts_what_it_drops_and_tells_what_is_bad() {
    let desk = Desk::new();
    desk.write("links.csv", "from,to\na,b\na,b\na,a\n\"b, the second\",a\n,a\n");
    desk.write("tags.tsv", b"tag\tpage\nx\ta\ny\tb\ny\t\xFF\n");
    let run = desk.llamafur([
        "import",
        "table",
        "--links",
        "links.csv",
        "--categories",
        "tags.tsv",
        "--out",
        "c",
        "--format",
        "table",
    ]);
    assert_snapshot!("import_with_bad_rows", run);
}

#[test]
fn info() {
    let desk = Desk::with_model();
    let tables = without_checksums(&desk.llamafur(["info", TOY, "--format", "table"]).to_string());
    assert_snapshot!("info_table", masked(&tables, "size on disk              ", "kB"));
    let json = desk.llamafur(["info", TOY, "--format", "json"]).fine().json();
    let expected = [
        "cleansings",
        "corpus",
        "counts",
        "files",
        "format",
        "graph",
        "models",
        "program",
        "provenance",
        "version",
        "words",
    ];
    assert_eq!(keys(&json), expected);
    assert_eq!(json["counts"]["pages"], 10);
    assert_eq!(json["models"][0]["settings"]["method"], "factored");
    let tsv = desk.llamafur(["info", TOY]).fine().stdout;
    assert!(tsv.lines().any(|line| line == "pages\t10"), "{tsv}");
}

#[test]
fn verify() {
    let desk = Desk::with_model();
    assert_snapshot!("verify_table", desk.llamafur(["verify", TOY, "--format", "table"]));
    assert_snapshot!("verify_tsv", desk.llamafur(["verify", TOY]));
    assert_snapshot!("verify_json", desk.llamafur(["verify", TOY, "--format", "json"]));
}

#[test]
fn train_reports_in_json_with_the_keys_of_the_design() {
    let desk = Desk::with_corpus();
    let run = desk.llamafur(["train", TOY, "--format", "json"]);
    let expected = [
        "categories",
        "checksum",
        "examples",
        "examples_per_second",
        "explained",
        "held_out",
        "links",
        "method",
        "model",
        "pages",
        "seconds",
    ];
    assert_eq!(keys(&run.json()), expected);
    assert_snapshot!("train_json", untimed(&run));
    let none = desk.llamafur(["train", TOY, "--format", "json", "--held-out", "0"]).fine().json();
    assert_eq!(none["held_out"], Value::Null);
    let naive = desk.llamafur(["train", TOY, "--format", "json", "--method", "naive"]).fine().json();
    let figures = ["f_measure", "ci95", "precision", "recall", "accuracy"];
    assert!(figures.iter().all(|key| naive["held_out"][key].is_null()), "{naive}");
    assert!(naive["held_out"]["auc"].is_number(), "{naive}");
}

#[test]
fn train_in_tsv_has_the_figures_of_held_out_links_at_the_end() {
    let desk = Desk::with_corpus();
    let tsv = desk.llamafur(["train", TOY, "--format", "tsv", "--header"]).fine().stdout;
    let lines: Vec<(&str, &str)> = tsv.lines().map(|line| line.split_once('\t').unwrap()).collect();
    assert_eq!(lines[..2], [("name", "value"), ("method", "factored")], "{tsv}");
    let names: Vec<&str> = lines.iter().map(|(name, _)| *name).collect();
    let at_the_end = "held_out_links f_measure f_measure_low f_measure_high precision recall accuracy auc";
    assert!(names.join(" ").ends_with(at_the_end), "{tsv}");
    let tsv = desk.llamafur(["train", TOY, "--held-out", "0"]).fine().stdout;
    assert!(tsv.contains("\nheld_out_links\t0\nf_measure\t\n") && tsv.ends_with("\nauc\t\n"), "{tsv}");
}

#[test]
fn a_graph_with_too_few_links_is_trained_without_a_figure() {
    let desk = Desk::new();
    desk.write("links.tsv", "a\tb\nb\ta\n");
    desk.write("categories.tsv", "a\tx\nb\ty\n");
    desk.llamafur(IMPORT).fine();
    let run = desk.llamafur(["train", "c", "--format", "table"]).fine();
    assert!(run.stdout.starts_with("held out nothing: there are too few links\n"), "{run}");
    let run = desk.llamafur(["train", "c", "--format", "table", "--held-out", "0"]).fine();
    assert!(!run.stdout.contains("held out"), "{run}");
    assert!(desk.llamafur(["train", "c", "--format", "json"]).fine().json()["held_out"].is_null());
}

#[test]
fn train_for_people_says_its_settings_first_and_what_comes_next() {
    let desk = Desk::with_corpus();
    let run = desk.llamafur_with_progress("plain", ["train", TOY, "--format", "table"]);
    assert_snapshot!("train_table", masked(&tidy(&run), " examples in ", ";"));
    for method in ["averaged", "paper", "original", "naive"] {
        let args = ["train", TOY, "--method", method, "--name", method, "--aggressiveness", "0.5"];
        let run = desk.llamafur_with_progress("plain", args).fine();
        assert!(run.stderr.starts_with(&format!("{method}: seed 1, 1 pass")), "{run}");
        assert!(run.stdout.starts_with(&format!("method\t{method}\npages\t10\n")), "{run}");
    }
    assert_eq!(desk.llamafur(["verify", TOY]).fine().stdout.matches("model\t").count(), 5);
}

#[test]
fn training_gives_the_same_bytes_whatever_the_threads() {
    let desk = Desk::with_corpus();
    for method in ["factored", "averaged", "paper", "original", "naive"] {
        let train = |threads| {
            desk.llamafur([
                "train",
                TOY,
                "--method",
                method,
                "--name",
                "m",
                "--threads",
                threads,
                "--seed",
                "7",
            ])
            .fine();
            desk.read("toy.corpus/models/m.safetensors")
        };
        assert!(train("1") == train("3"), "{method}");
    }
}

#[test]
fn rank() {
    let desk = Desk::with_model();
    let rank = |args: &[&str]| tidy(&desk.llamafur([&["rank", TOY, "Jupiter"], args].concat()));
    assert_snapshot!("rank_table", rank(&["--format", "table"]));
    assert_snapshot!("rank_tsv", rank(&[]));
    assert_snapshot!("rank_tsv_with_header", rank(&["--format", "tsv", "--header", "--top", "2"]));
    assert_snapshot!("rank_json", rank(&["--format", "json", "--top", "2"]));
    assert_snapshot!("rank_table_of_all", rank(&["--format", "table", "--top", "0"]));
    assert_snapshot!("rank_table_without_sentences", rank(&["--format", "table", "--no-sentences"]));
    assert_eq!(rank(&["--top", "0"]), rank(&["--top", "1000"]));
    assert!(rank(&["--scorer", "random"]).starts_with("exit code 0"));
}

#[test]
fn rank_in_json_has_the_keys_of_the_design() {
    let desk = Desk::with_model();
    let json = desk.llamafur(["rank", TOY, "Jupiter", "--format", "json", "--top", "0"]).fine().json();
    let expected = [
        "left_out",
        "links",
        "method",
        "num_links",
        "num_ranked",
        "num_surprising",
        "order",
        "page",
        "scorer",
        "signal_unit",
    ];
    assert_eq!(keys(&json), expected);
    assert_eq!((&json["num_links"], &json["signal_unit"]), (&4.into(), &"standard-deviations".into()));
    for (place, link) in json["links"].as_array().unwrap().iter().enumerate() {
        let expected = [
            "also",
            "explained",
            "odder_than",
            "rank",
            "reasons",
            "section",
            "signals",
            "snippet",
            "surprising",
            "target",
            "unexpectedness",
            "where",
            "worth",
        ];
        assert_eq!(keys(link), expected);
        assert_eq!(link["rank"], place + 1);
        // Each reason has its counts; a pair has two categories, and what chance would give.
        let reasons = link["reasons"].as_array().unwrap();
        assert!(reasons.len() <= 2, "{link}");
        for reason in reasons {
            assert!(
                reason["links"].is_u64() && reason["of"].is_u64() && reason["text"].is_string(),
                "{link}"
            );
            let is_pair = reason["kind"] == "category-pair";
            assert_eq!(reason["expected"].is_f64(), is_pair, "{link}");
            assert!(!is_pair || reason["from"].is_string() && reason["to"].is_string(), "{link}");
        }
        let percent = link["odder_than"].as_f64().unwrap();
        assert!((0.0..100.0).contains(&percent), "{link}");
        // The blend is the sum of its signals; the sign of one of them says whether the link is explained.
        let signals = link["signals"].as_object().unwrap();
        let sum: f64 = signals.values().map(|signal| signal.as_f64().unwrap()).sum();
        assert!((sum - link["unexpectedness"].as_f64().unwrap()).abs() < 1e-9, "{link}");
        assert!(signals.contains_key("categories") && link["explained"].is_boolean(), "{link}");
    }
    assert_eq!(json["links"][0]["target"], "Fish");
}

#[test]
fn every_learner_and_normalisation_puts_the_odd_link_on_top() {
    let desk = Desk::with_corpus();
    for method in ["factored", "averaged", "paper", "original", "naive"] {
        desk.llamafur(["train", TOY, "--method", method, "--name", method]).fine();
        for normalise in ["sum", "mean", "sqrt"] {
            let by = ["--normalise", normalise, "--top", "1", "--order", "oddity"];
            let args = ["rank", TOY, "Jupiter", "--model", method].into_iter().chain(by);
            let run = desk.llamafur(args).fine();
            assert!(run.stdout.starts_with("1\tFish\t"), "{method}, {normalise}: {run}");
        }
    }
    let run = desk.llamafur(["rank", TOY, "Jupiter", "--scorer", "naive", "--format", "json"]).fine();
    assert_eq!(run.json()["scorer"], "naive");
}

#[test]
fn pages_without_categories_come_last_and_say_so() {
    let desk = Desk::with_tables();
    let links = String::from_utf8(desk.read("links.tsv")).unwrap() + "Jupiter\tA page nobody filed\n";
    desk.write("links.tsv", links);
    desk.llamafur(IMPORT_TOY).fine();
    desk.llamafur(["train", TOY]).fine();
    let by_categories = ["rank", TOY, "Jupiter", "--top", "0", "--scorer", "llamafur", "--format"];
    let run = desk.llamafur(by_categories.iter().chain(&["table"])).fine();
    assert!(run.stdout.contains("A page nobody filed: no categories"), "{run}");
    let json = desk.llamafur(by_categories.iter().chain(&["json"])).fine().json();
    let last = &json["links"][4];
    assert_eq!(
        (&last["unexpectedness"], &last["explained"], &last["note"]),
        (&Value::Null, &Value::Null, &"no categories".into())
    );
    let explained =
        desk.llamafur(["explain", TOY, "Jupiter", "A page nobody filed", "--format", "table"]).fine();
    assert!(explained.stdout.contains("no categories on one side"), "{explained}");
    let scores = "scores.tsv";
    let scored =
        desk.llamafur(["score", TOY, "--scorer", "llamafur", "--out", scores, "--format", "table"]).fine();
    assert!(scored.stdout.contains("1 link of them without a score"), "{scored}");
    let rows = String::from_utf8(desk.read(scores)).unwrap();
    assert!(rows.lines().any(|row| row == "Jupiter\tA page nobody filed\t"), "{rows}");
}

#[test]
fn explain() {
    let desk = Desk::with_model();
    let explain = |args: &[&str]| tidy(&desk.llamafur([&["explain", TOY], args].concat()));
    assert_snapshot!("explain_table", explain(&["Jupiter", "Fish", "--format", "table"]));
    assert_snapshot!("explain_expected_table", explain(&["Jupiter", "Saturn", "--format", "table"]));
    assert_snapshot!("explain_no_link_table", explain(&["Llama", "Jupiter", "--format", "table"]));
    assert_snapshot!("explain_tsv", explain(&["Jupiter", "Fish"]));
    assert_snapshot!("explain_json", explain(&["Jupiter", "Fish", "--format", "json", "--normalise", "sum"]));
}

/// How far the score of a link by a model of factored matrices may be from the sum of the pairs' weights: the two sides of each
/// matrix are rounded to 16 bits, which is at most 2.83·√k·2⁻¹⁶ of the product of their lengths. k is 128, four members of rank 32.
/// The lengths are what the cosine is divided by.
pub(crate) fn rounding(cosine: &Run, run: &Run) -> f64 {
    let divisors = |run: &Run| numbers(&run.stdout, "divisor");
    let parts = divisors(cosine).into_iter().zip(divisors(run));
    parts.map(|(lengths, divisor)| 2.83 * 128f64.sqrt() / 65_536.0 * lengths / divisor).sum()
}

/// Fails unless the weights of each matrix add up to its score, and those to the score of an explanation by `llamafur`, from which
/// they may be off by so much.
pub(crate) fn expect_exact_sums(run: &Run, link: &str, rounding: f64) {
    // The accounts of the matrices come last.
    let (verdict, accounts) = run.stdout.split_once("\"matrices\": ").unwrap();
    let each: Vec<&str> = accounts.split("\"over\": ").skip(1).collect();
    let json = run.json();
    let matrices = json["matrices"].as_array().unwrap();
    assert!(!each.is_empty() && each.len() == matrices.len(), "{link}: {run}");
    let mut sum = 0.0;
    for (account, matrix) in each.iter().zip(matrices) {
        let weights = numbers(account, "weight");
        assert_eq!(matrix["num_pairs"], weights.len(), "{link}");
        // The first is that of the link, others those of its counterfactuals.
        let expectedness = numbers(account, "expectedness")[0];
        assert_eq!(weights.iter().sum::<f64>(), expectedness, "{link}");
        let unexpectedness = 0.0 - expectedness / numbers(account, "divisor")[0];
        let of_matrix = numbers(account, "unexpectedness");
        assert!(of_matrix.len() == 1 && same(of_matrix[0], unexpectedness), "{link}: {account}");
        sum += of_matrix[0];
    }
    // The scorer is the sum of the matrices, so the verdict has the same score.
    let scored = numbers(verdict, "unexpectedness")[0];
    let is_exact = match rounding {
        0.0 if each.len() == 1 => scored == sum,
        0.0 => same(scored, sum),
        rounding => (scored - sum).abs() <= rounding,
    };
    assert!(is_exact, "{link}: {scored}, but the matrices sum to {sum}, may be off by {rounding}");
}

/// Whether two numbers are the same but for the last bits, which the order of a multiplication and a division decides.
fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(1.0)
}

#[test]
fn the_weights_of_an_explanation_add_up_exactly() {
    let desk = Desk::with_corpus();
    for method in ["factored", "averaged", "paper", "original", "naive"] {
        desk.llamafur(["train", TOY, "--method", method, "--name", method]).fine();
        for (source, target) in [("Jupiter", "Fish"), ("Jupiter", "Saturn"), ("Llama", "Titan (moon)")] {
            let by = format!("llamafur:{method}");
            let args = ["explain", TOY, source, target, "--scorer", &by, "--all", "--format", "json"];
            let run = desk.llamafur(args).fine();
            let off = match method {
                "factored" => {
                    let cosine = ["explain", TOY, source, target, "--scorer", &by, "--normalise", "cosine"];
                    rounding(&desk.llamafur(cosine.iter().chain(&["--format", "json"])).fine(), &run)
                }
                _ => 0.0,
            };
            expect_exact_sums(&run, &format!("{method}: {source} → {target}"), off);
            assert_eq!(run.json()["matrices"].as_array().unwrap().len(), 1);
        }
    }
}

#[test]
fn explain_and_rank_give_a_link_the_same_score() {
    let desk = Desk::with_model();
    for normalise in ["sum", "mean", "sqrt", "cosine"] {
        let rank = [
            "rank",
            TOY,
            "Jupiter",
            "--scorer",
            "llamafur",
            "--normalise",
            normalise,
            "--top",
            "0",
            "--format",
        ];
        for link in desk.llamafur(rank.iter().chain(&["json"])).fine().json()["links"].as_array().unwrap() {
            let target = link["target"].as_str().unwrap();
            let explain = ["explain", TOY, "Jupiter", target, "--normalise", normalise, "--format", "json"];
            // The blend, and the account of the only matrix in it.
            let blended = desk.llamafur(explain).fine();
            let cosine = ["explain", TOY, "Jupiter", target, "--normalise", "cosine", "--format", "json"];
            let off = rounding(&desk.llamafur(cosine).fine(), &blended);
            let score = &link["unexpectedness"];
            let of_matrix = &blended.json()["matrices"][0]["unexpectedness"];
            let is_near = match (of_matrix.as_f64(), score.as_f64()) {
                (Some(of_matrix), Some(score)) => (of_matrix - score).abs() <= off,
                _ => of_matrix == score,
            };
            assert!(is_near, "{normalise}: {target}: {of_matrix}, {score}, may be off by {off}");
            let explained = desk.llamafur(explain.iter().chain(&["--scorer", "llamafur"])).fine().json();
            assert_eq!(&explained["unexpectedness"], score, "{normalise}: {target}");
            assert_eq!((&explained["rank"], &explained["of"]), (&link["rank"], &4.into()));
        }
    }
}

#[test]
fn category() {
    let desk = Desk::with_model();
    let category = |args: &[&str]| tidy(&desk.llamafur([&["category", TOY, "Planets"], args].concat()));
    assert_snapshot!("category_table", category(&["--format", "table", "--min-weight", "0"]));
    assert_snapshot!("category_tsv", category(&["--min-weight", "0", "--neighbours", "2", "--header"]));
    assert_snapshot!("category_without_neighbours", category(&["--format", "table", "--min-weight", "1000"]));
    let json = desk.llamafur(["category", TOY, "Planets", "--format", "json"]).fine().json();
    assert_eq!(keys(&json), ["arcs", "category", "min_weight", "neighbours", "with_itself"]);
    let weights = json["arcs"].as_array().unwrap().iter().map(|arc| arc["weight"].as_f64().unwrap());
    assert!(weights.into_iter().all(|weight| weight > 1.0));
}

#[test]
fn category_is_drawn_in_every_form() {
    let desk = Desk::with_model();
    for (file, begins, holds) in [
        ("planets.svg", "<svg", "Gas giants"),
        ("planets.graphml", "<?xml", "Gas giants"),
        ("planets.dot", "digraph", "Gas giants"),
    ] {
        let args = ["category", TOY, "Planets", "--min-weight", "0", "--out", file];
        let run = desk.llamafur(args).fine();
        assert_eq!(run.stderr, format!("{file}: written\n"));
        let text = String::from_utf8(desk.read(file)).unwrap();
        assert!(text.starts_with(begins), "{text}");
        assert!(text.contains(holds), "{text}");
        desk.refused(args, 2, &[file, "exists already", "--overwrite"]);
        desk.llamafur(args.iter().chain(&["--overwrite"])).fine();
        assert_eq!(String::from_utf8(desk.read(file)).unwrap(), text, "drawn twice");
    }
}

type ScoreRow = (String, String, Option<f64>);

fn rows_of_batch(batch: &RecordBatch) -> Vec<ScoreRow> {
    let text = |column: usize, row| batch.column(column).as_string::<i32>().value(row).to_owned();
    let number = |row| {
        let column = batch.column(2).as_primitive::<Float64Type>();
        column.is_valid(row).then(|| column.value(row))
    };
    (0..batch.num_rows()).map(|row| (text(0, row), text(1, row), number(row))).collect()
}

fn rows_of_tsv(text: &str) -> Vec<ScoreRow> {
    let row = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [source, target, score] = fields[..] else { panic!("{line:?}") };
        (source.to_owned(), target.to_owned(), (!score.is_empty()).then(|| score.parse().unwrap()))
    };
    text.lines().map(row).collect()
}

#[test]
fn score_writes_the_same_rows_in_every_form() {
    let desk = Desk::with_model();
    assert_snapshot!("score_table", desk.llamafur(["score", TOY, "--out", "s.tsv", "--format", "table"]));
    assert_snapshot!("score_json", desk.llamafur(["score", TOY, "--out", "s.parquet", "--format", "json"]));
    assert_snapshot!("score_tsv", desk.llamafur(["score", TOY, "--out", "s.arrow", "--threads", "1"]));
    let tsv = String::from_utf8(desk.read("s.tsv")).unwrap();
    assert_snapshot!("scores", rounded(&tsv));
    let tsv = rows_of_tsv(&tsv);
    assert_eq!(tsv.len(), 23);

    let file = File::open(desk.path("s.parquet")).unwrap();
    let parquet = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let names: Vec<&str> = parquet.schema().fields().iter().map(|field| field.name().as_str()).collect();
    assert_eq!(names, ["source", "target", "unexpectedness"]);
    let parquet: Vec<_> = parquet.build().unwrap().flat_map(|batch| rows_of_batch(&batch.unwrap())).collect();
    assert_eq!(parquet, tsv);

    let file = File::open(desk.path("s.arrow")).unwrap();
    let arrow = arrow_ipc::reader::FileReader::try_new(file, None).unwrap();
    let arrow: Vec<_> = arrow.flat_map(|batch| rows_of_batch(&batch.unwrap())).collect();
    assert_eq!(arrow, tsv);

    desk.llamafur(["score", TOY, "--out", "h.tsv", "--header"]).fine();
    let with_header = String::from_utf8(desk.read("h.tsv")).unwrap();
    let (header, rest) = with_header.split_once('\n').unwrap();
    assert_eq!((header, rows_of_tsv(rest)), ("source\ttarget\tunexpectedness", tsv));
}

#[test]
fn score_and_rank_give_a_link_the_same_score() {
    let desk = Desk::with_model();
    desk.llamafur(["score", TOY, "--out", "s.tsv"]).fine();
    let scores: BTreeMap<_, _> = rows_of_tsv(&String::from_utf8(desk.read("s.tsv")).unwrap())
        .into_iter()
        .map(|(source, target, score)| ((source, target), score))
        .collect();
    let run = desk.llamafur(["rank", TOY, "Saturn", "--top", "0", "--order", "oddity"]).fine();
    let links: Vec<Vec<&str>> = run.stdout.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(links.len(), 4);
    for link in links {
        let key = ("Saturn".to_owned(), link[1].to_owned());
        assert_eq!(scores[&key], Some(link[2].parse().unwrap()), "{}", link[1]);
    }
}

#[test]
fn what_is_exported_imports_as_the_same_corpus() {
    let desk = Desk::with_corpus();
    let checksums = |corpus: &str| {
        let json = desk.llamafur(["info", corpus, "--format", "json"]).fine().json();
        ["pages.arrow", "categories.arrow", "folded.arrow", "text.arrow"]
            .map(|file| json["files"][file]["checksum"].as_str().unwrap().to_owned())
    };
    let expected = checksums(TOY);
    for (folder, format, header) in
        [("plain", "tsv", false), ("headed", "tsv", true), ("parquet", "parquet", false)]
    {
        let header = header.then_some("--header");
        let export = ["export", TOY, "--out", folder, "--format", format].into_iter().chain(header);
        assert_snapshot!(format!("export_{folder}"), desk.llamafur(export));
        let file = |name: &str| {
            let extension = if (name, format) == ("text", "tsv") { "jsonl" } else { format };
            format!("{folder}/{name}.{extension}")
        };
        let tables = ["links", "categories", "category-tree", "text", "pages"];
        let tables = tables.iter().flat_map(|table| [format!("--{table}"), file(table)]);
        let copy = format!("{folder}.corpus");
        let out = ["--out".to_owned(), copy.clone()];
        let import = ["import".to_owned(), "table".to_owned()].into_iter().chain(tables).chain(out);
        let run = desk.llamafur(import).fine();
        assert_eq!(run.stderr, "", "{run}");
        assert_eq!(checksums(&copy), expected, "{folder}");
    }
    assert_snapshot!("exported_links", String::from_utf8(desk.read("headed/links.tsv")).unwrap());
}

#[test]
fn a_model_serves_every_corpus_of_the_same_graph() {
    let desk = Desk::with_model();
    desk.llamafur([
        "import",
        "table",
        "--links",
        "links.tsv",
        "--categories",
        "categories.tsv",
        "--category-tree",
        "category-tree.tsv",
        "--out",
        "textless",
    ])
    .fine();
    crate::common::copy_folder(&desk.path("toy.corpus/models"), &desk.path("textless/models"));
    // What is surprising depends on the sentences, what is odd does not.
    let rank = |corpus| {
        let args = ["rank", corpus, "Jupiter", "--top", "0", "--order", "oddity", "--format", "json"];
        let json = desk.llamafur(args).fine().json();
        let odd = |link: &Value| ["target", "unexpectedness", "odder_than"].map(|key| link[key].clone());
        json["links"].as_array().unwrap().iter().map(odd).collect::<Vec<_>>()
    };
    assert_eq!(rank("textless"), rank(TOY));
}

#[test]
fn every_help_has_an_example() {
    let desk = Desk::new();
    let mut paths = vec![Vec::new()];
    let mut seen = 0;
    while let Some(path) = paths.pop() {
        let run = desk.llamafur([&path[..], &["--help".to_owned()]].concat()).fine();
        let mut definition = llamafur_cli::definition();
        for name in &path {
            definition = definition.find_subcommand(name).unwrap().clone();
        }
        let commands: Vec<_> = definition.get_subcommands().map(|c| c.get_name().to_owned()).collect();
        if commands.is_empty() || path.is_empty() {
            assert!(run.stdout.contains("Example"), "{path:?}: {run}");
            let example = format!("  llamafur {}", path.join(" "));
            assert!(run.stdout.contains(example.trim_end()), "{path:?}: {run}");
            seen += 1;
        }
        paths.extend(
            commands.into_iter().filter(|name| name != "help").map(|name| [&path[..], &[name]].concat()),
        );
    }
    assert!(seen >= 11, "only {seen} commands");
}

#[test]
fn a_title_in_other_spelling_is_taken_with_a_note() {
    let desk = Desk::with_model();
    let exact = desk.llamafur(["rank", TOY, "Galileo Galilei"]).fine();
    for asked in ["galileo galilei", "Galileo_Galilei", " GALILEO__galilei "] {
        let run = desk.llamafur(["rank", TOY, asked]).fine();
        assert_eq!(run.stdout, exact.stdout);
        assert_eq!(run.other_words(), format!("taking “{asked}” for “Galileo Galilei”\n"));
    }
    let run = desk.llamafur(["category", TOY, "gas_giants", "--min-weight", "0"]).fine();
    assert_eq!(run.other_words(), "taking “gas_giants” for “Gas giants”\n");
    let run = desk.llamafur(["explain", TOY, "jupiter", "FISH"]).fine();
    assert_eq!(run.other_words(), "taking “jupiter” for “Jupiter”\ntaking “FISH” for “Fish”\n");
}

#[test]
fn a_title_that_does_not_exist_is_answered_with_the_nearest() {
    let desk = Desk::with_model();
    let said = |args: &[&str]| desk.refused(args, 1, &[]).stderr;
    assert_snapshot!(said(&["rank", TOY, "Jupitre"]), @"error: no page “Jupitre”; did you mean “Jupiter”?");
    assert_snapshot!(said(&["rank", TOY, "Io"]), @"error: no page “Io”; did you mean “Io (moon)”?");
    assert_snapshot!(said(&["rank", TOY, "huygens"]), @"error: no page “huygens”; did you mean “Christiaan Huygens”?");
    assert_snapshot!(said(&["rank", TOY, "Stockholm syndrome"]), @"error: no page “Stockholm syndrome”, nor one with a similar name");
    assert_snapshot!(said(&["rank", TOY, ""]), @"error: no page “”, nor one with a similar name");
    assert_snapshot!(said(&["explain", TOY, "Jupiter", "Fihs"]), @"error: no page “Fihs”; did you mean “Fish”?");
    assert_snapshot!(said(&["category", TOY, "Gas gaints"]), @"error: no category “Gas gaints”; did you mean “Gas giants”?");
    assert_snapshot!(said(&["category", TOY, "Operas"]), @"error: no category “Operas”, nor one with a similar name");
}

#[test]
fn a_title_that_could_be_several_is_not_guessed() {
    let desk = Desk::new();
    desk.write("links.tsv", "PERL\tRuby\nPerl\tRuby\nRuby\tPerl\n");
    desk.write("categories.tsv", "PERL\tLanguages\nPerl\tlanguages\nRuby\tLanguages\n");
    desk.llamafur(IMPORT).fine();
    desk.llamafur(["train", "c"]).fine();
    let said = |args: &[&str]| desk.refused(args, 1, &[]).stderr;
    assert_snapshot!(said(&["rank", "c", "perl"]), @"error: several page names match “perl”: “PERL”, “Perl”; give one of them exactly");
    assert_snapshot!(said(&["category", "c", "LANGUAGES"]), @"error: several category names match “LANGUAGES”: “Languages”, “languages”; give one of them exactly");
    assert_eq!(desk.llamafur(["rank", "c", "PERL"]).fine().other_words(), "");
}

#[test]
fn a_closed_pipe_is_fine() {
    let desk = Desk::with_model();
    desk.llamafur(["export", TOY, "--out", "tables"]).fine();
    // Enough rows that the reader is gone before they are written.
    let links: String = (0..20_000).map(|page| format!("hub\tpage {page}\n")).collect();
    desk.write("links.tsv", links);
    desk.write("categories.tsv", "hub\tHubs\npage 1\tPages\n");
    desk.llamafur([
        "import",
        "table",
        "--links",
        "links.tsv",
        "--categories",
        "categories.tsv",
        "--out",
        "hub",
    ])
    .fine();
    desk.llamafur(["train", "hub"]).fine();
    for format in ["table", "tsv", "json"] {
        let line = format!(
            "{{ '{}' rank hub hub --scorer llamafur --top 0 --format {format}; echo exit code $? >&2; }} | head -n 1",
            env!("CARGO_BIN_EXE_llamafur")
        );
        let output =
            std::process::Command::new("sh").args(["-c", &line]).current_dir(desk.path("")).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "exit code 0\n", "{format}");
        assert_eq!(output.stdout.iter().filter(|byte| **byte == b'\n').count(), 1, "{format}");
    }
}

#[test]
fn learning_goes_on_from_a_model_of_this_corpus_or_of_another() {
    let desk = Desk::with_corpus();
    desk.llamafur(["train", TOY, "--passes", "2", "--ensemble", "1"]).fine();
    let run = desk.llamafur([
        "train", TOY, "--from", "llamafur", "--passes", "3", "--name", "more", "--format", "table",
    ]);
    assert_snapshot!("train_from", masked(&tidy(&run), " examples in ", ";"));
    desk.llamafur(["train", TOY, "--name", "five", "--ensemble", "1"]).fine();
    desk.llamafur(["train", TOY, "--name", "four"]).fine();
    let rank =
        |model| desk.llamafur(["rank", TOY, "Jupiter", "--model", model, "--format", "tsv"]).fine().stdout;
    assert_eq!(rank("more"), rank("five"));
    // Under its own name, unless told: another model is not overwritten by accident.
    desk.llamafur(["train", TOY, "--method", "paper", "--name", "paper"]).fine();
    let llamafur = desk.read(&format!("{TOY}/models/llamafur.safetensors"));
    let json = desk.llamafur(["train", TOY, "--from", "paper", "--format", "json"]).fine().json();
    assert_eq!((&json["method"], &json["from"]["passes"]), (&"paper".into(), &1.into()));
    assert!(json["model"].as_str().unwrap().ends_with("paper.safetensors"));
    assert_eq!(desk.read(&format!("{TOY}/models/llamafur.safetensors")), llamafur);
    // Another corpus, by its folder and by the model's file.
    desk.llamafur([&IMPORT_TOY[..11], &["newer"]].concat()).fine();
    for from in [TOY.to_owned(), format!("{TOY}/models/llamafur.safetensors")] {
        let json = desk
            .llamafur(["train", "newer", "--from", &from, "--passes", "3", "--format", "json"])
            .fine()
            .json();
        assert_eq!((&json["from"]["passes"], &json["held_out"]), (&2.into(), &serde_json::Value::Null));
        let further = desk.llamafur(["rank", "newer", "Jupiter", "--format", "tsv"]).fine().stdout;
        assert_eq!(further, rank("five"));
    }
    for (args, expected) in [
        (&["--from", "nothing"][..], "no such model (there are: five, four, llamafur, more, paper)"),
        (&["--from", "llamafur", "--method", "paper"], "it was learnt by factored, not by paper"),
        (&["--from", "llamafur", "--rank", "8"], "its rank is 32, not 8"),
        (&["--from", "llamafur", "--held-out", "0.1"], "leave out `--held-out`"),
        (&["--from", "llamafur", "--ensemble", "2"], "leave out `--ensemble`"),
        (&["--from", "four"], "it is the mean of an ensemble"),
        (&["--ensemble", "65"], "ensemble must be between 1 and 64, got 65"),
        (&["--from", "llamafur", "--passes", "0"], "passes must be at least 1, got 0"),
    ] {
        desk.llamafur([&["train", TOY], args].concat()).fails(2, &[expected]);
    }
}
