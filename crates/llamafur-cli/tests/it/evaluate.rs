//! Evaluation by the command: what it prints, the report it writes, and judgments that are not as they should be.

use crate::common::{Desk, TOY, names_in, rounded, without_checksums};
use insta::assert_snapshot;
use llamafur::score::SCORERS;

/// Links of three pages judged; a page that does not exist, a link that does not, a link judged twice.
const JUDGED: &str = "\
Jupiter\tFish\tTU
Jupiter\tSaturn\tTE
jupiter\tIo (moon)\tE
Jupiter\tIo (moon)\tE
Saturn\tGalileo Galilei\tU
Saturn\tJupiter\tTE
Saturn\tTitan (moon)\tTE
Fish\tSalmon\tE
Fish\tLlama\tU
Fish\tWhale\tU
Llama\tJupiter\tTU
";

/// The scorers that the toy corpus has what they need for: its few texts have no term in ten of them, and are no wikitext.
const HAD: [&str; 12] = [
    "blend",
    "llamafur",
    "categories",
    "naive",
    "aa",
    "ra",
    "reciprocity",
    "in-degree",
    "mentions",
    "company",
    "peers",
    "random",
];

/// A desk with the toy corpus, its two models, and judgments.
fn judged() -> Desk {
    let desk = Desk::with_model();
    desk.llamafur(["train", TOY, "--method", "naive"]).fine();
    desk.write("judged.tsv", JUDGED);
    desk
}

const EVALUATE: [&str; 4] = ["evaluate", TOY, "--judgments", "judged.tsv"];

#[test]
fn it_prints_every_scorer_beside_chance() {
    let desk = judged();
    let run =
        |format: &str| rounded(&desk.llamafur(EVALUATE.iter().chain(&["--format", format])).to_string());
    assert_snapshot!("evaluate_table", run("table"));
    assert_snapshot!("evaluate_tsv", run("tsv"));
    let json = desk.llamafur(EVALUATE.iter().chain(&["--format", "json"])).fine().json();
    assert_eq!((&json["queries"], &json["judged"], &json["relevant"]), (&3.into(), &8.into(), &3.into()));
    let names: Vec<&str> =
        json["scorers"].as_array().unwrap().iter().map(|scorer| scorer["name"].as_str().unwrap()).collect();
    assert_eq!(names, HAD);
    for scorer in json["scorers"].as_array().unwrap() {
        let (bpref, ci95) = (scorer["bpref"].as_f64().unwrap(), &scorer["ci95"]);
        assert!(ci95[0].as_f64().unwrap() <= bpref && bpref <= ci95[1].as_f64().unwrap(), "{scorer}");
    }
    // By hand: R = 1 and two expected links, 1/3; the same; R = 1 and one, 1/2.
    let chance = json["chance"]["bpref"].as_f64().unwrap();
    assert!((chance - (1.0 / 3.0 + 1.0 / 3.0 + 0.5) / 3.0).abs() < 1e-12, "{chance}");
    // The mean is that of the pages.
    let pages = json["pages"].as_array().unwrap();
    let bprefs = pages.iter().map(|page| page["scorers"][0][1]["bpref"].as_f64().unwrap());
    let mean = bprefs.sum::<f64>() / pages.len() as f64;
    assert!((mean - json["scorers"][0]["bpref"].as_f64().unwrap()).abs() < 1e-12, "{mean}");
    assert_eq!(
        (&pages[1]["page"], &pages[1]["judged"], &pages[1]["relevant"]),
        (&"Jupiter".into(), &3.into(), &1.into())
    );
    assert_eq!(json["account"]["page_missing"]["records"], 1);
    assert_eq!(json["account"]["link_missing"]["records"], 1);
    assert_eq!(json["account"]["duplicates"]["records"], 1);
}

#[test]
fn scorers_that_lack_something_are_left_out_unless_they_are_asked_for() {
    let desk = Desk::with_corpus();
    desk.write("judged.tsv", JUDGED);
    let run = desk.llamafur_with_progress("plain", EVALUATE.iter().chain(&["--format", "json"])).fine();
    assert!(
        run.stderr.contains("llamafur is left out: ") && run.stderr.contains("llamafur train toy.corpus`"),
        "{run}"
    );
    let left_out = run.json()["left_out"].as_array().map(Vec::len);
    let need_model = ["llamafur", "categories", "naive", "company", "peers"];
    assert_eq!(left_out, Some(SCORERS.len() - HAD.len() + need_model.len()));
    desk.refused(EVALUATE.iter().chain(&["--scorer", "llamafur"]), 2, &["no such model"]);
    // A model of another name is a scorer of its own.
    desk.llamafur(["train", TOY, "--method", "paper", "--name", "as-in-the-paper"]).fine();
    let args = ["--scorer", "llamafur:as-in-the-paper", "--format", "json"];
    let json = desk.llamafur(EVALUATE.iter().chain(&args)).fine().json();
    assert_eq!(json["scorers"][0]["name"], "llamafur:as-in-the-paper");
}

#[test]
fn a_pooled_table_filled_in_is_read_as_it_is() {
    let desk = judged();
    let pool = ["pool", TOY, "--queries", "99", "--share", "1", "--out", "pool.tsv"];
    desk.llamafur(pool).fine();
    let empty = String::from_utf8(desk.read("pool.tsv")).unwrap();
    desk.refused(["evaluate", TOY, "--judgments", "pool.tsv"], 2, &["no judged link: 23 records"]);
    // Two judges: all say E, but of links to Galileo; they disagree on one.
    let filled = |judge: &str, also: &str| -> String {
        let class = |target: &str| if target == "Galileo Galilei" || target == also { "U" } else { "E" };
        let line = |line: &str| {
            let mut fields: Vec<&str> = line.split('\t').collect();
            (fields[2], fields[3]) = (class(fields[1]), judge);
            fields.join("\t") + "\n"
        };
        empty.lines().skip(1).map(line).collect()
    };
    let header = empty.lines().next().unwrap();
    desk.write("pool.tsv", format!("{header}\n{}{}", filled("Ann", ""), filled("Bob", "Fish")));
    let run = desk.llamafur(["evaluate", TOY, "--judgments", "pool.tsv", "--format", "table"]).fine();
    assert_snapshot!("evaluate_two_judges", rounded(&run.to_string()));
}

#[test]
fn qrels_are_judgments_and_what_the_report_writes() {
    let desk = judged();
    let report = ["--report", "report", "--folds", "0"];
    let first = desk.llamafur(EVALUATE.iter().chain(&report)).fine();
    let qrels = String::from_utf8(desk.read("report/trec/qrels")).unwrap();
    assert_snapshot!("evaluate_qrels", qrels);
    assert_snapshot!("evaluate_run", String::from_utf8(desk.read("report/trec/random.run")).unwrap());
    let second = desk.llamafur(["evaluate", TOY, "--judgments", "report/trec/qrels"]).fine();
    assert_eq!(first.stdout, second.stdout);
}

#[test]
fn the_report_is_whole_and_the_same_every_time() {
    let desk = judged();
    let args = ["--folds", "2", "--milestones", "3,all", "--page", "Jupiter", "--category", "Planets"];
    let write = |folder: &str| {
        let run = desk.llamafur(EVALUATE.iter().chain(&args).chain(&["--report", folder])).fine();
        assert!(run.stderr.contains(&format!("{folder}/index.html: written\n")), "{run}");
        String::from_utf8(desk.read(&format!("{folder}/index.html"))).unwrap()
    };
    let html = write("report");
    assert_eq!(html, write("again"));
    // An earlier report is replaced, and none of its files are left; other files are kept.
    let list = String::from_utf8(desk.read("again/files.txt")).unwrap();
    desk.write("again/files.txt", format!("{list}tables/old.tsv\n"));
    desk.write("again/tables/old.tsv", "old");
    desk.write("again/tables/mine.txt", "mine");
    write("again");
    let mut tables = names_in(&desk.path("again/tables"));
    tables.retain(|name| name != "mine.txt");
    assert_eq!(tables, names_in(&desk.path("report/tables")));
    // A folder with other files is refused.
    let other = EVALUATE.iter().chain(&["--folds", "0", "--report", "other"]);
    std::fs::create_dir(desk.path("other")).unwrap();
    desk.write("other/notes.txt", "mine");
    let parts =
        ["other: a folder with files that are not of a report", "choose another `--report`", "`--overwrite`"];
    desk.refused(other.clone(), 2, &parts);
    desk.llamafur(other.chain(&["--overwrite"])).fine();
    assert_eq!(desk.read("other/notes.txt"), b"mine");
    assert_eq!(names_in(&desk.path("report")), ["figures", "files.txt", "index.html", "tables", "trec"]);
    let figures =
        ["bpref.svg", "by-categories.svg", "category-planets.svg", "classes.svg", "precision-recall.svg"];
    assert_eq!(names_in(&desk.path("report/figures")), figures);
    let mut runs: Vec<String> = HAD.iter().map(|scorer| format!("{scorer}.run")).collect();
    runs.push("qrels".into());
    runs.sort_unstable();
    assert_eq!(names_in(&desk.path("report/trec")), runs);
    for table in names_in(&desk.path("report/tables")) {
        let rows = String::from_utf8(desk.read(&format!("report/tables/{table}"))).unwrap();
        let columns: Vec<usize> = rows.lines().map(|row| row.split('\t').count()).collect();
        assert!(columns.len() > 1 && columns.iter().all(|num| *num == columns[0]), "{table}:\n{rows}");
    }
    for part in ["The most unexpected links of Jupiter.", "The most expected links of Jupiter."] {
        assert!(html.contains(part), "{part}");
    }
    assert_snapshot!(
        "evaluate_tables",
        without_checksums(&rounded(&String::from_utf8(desk.read("report/tables/bpref.tsv")).unwrap()))
    );
}

#[test]
fn a_report_that_cannot_be_made_is_refused_before_the_work() {
    let desk = judged();
    let refused = |args: &[&str], code, parts: &[&str]| {
        desk.refused(EVALUATE.iter().chain(args), code, parts);
    };
    refused(&["--report", "r", "--page", "Jupitre"], 1, &["no page “Jupitre”; did you mean “Jupiter”"]);
    refused(&["--report", "r", "--category", "Planes"], 1, &["no category “Planes”; did you mean “Planets”"]);
    refused(&["--report", "r", "--folds", "1"], 2, &["folds must be from 2 to 100, got 1"]);
    drop(desk.llamafur(EVALUATE.iter().chain(&["--page", "Jupiter"])).misused(&["--report"]));
}

#[test]
fn wrong_judgments_get_a_clear_answer() {
    let desk = judged();
    let refused = |judgments: &str, parts: &[&str]| {
        desk.write("wrong.tsv", judgments);
        desk.refused(["evaluate", TOY, "--judgments", "wrong.tsv"], 2, parts);
    };
    refused("", &["wrong.tsv: no judged link"]);
    refused("Jupiter\tFish\tXX\n", &["wrong.tsv: line 1: class \"XX\", expected TE, E, U or TU"]);
    refused("Jupiter\tFish\n", &["wrong.tsv: line 1: 2 columns"]);
    refused(
        "Jupiter\tFish\tU\nSaturn\tJupiter\tTE\n",
        &[
            "no page has both an expected and an unexpected judged link",
            "1 pages have only expected ones, 1 only",
        ],
    );
    // All titles wrong: another corpus was judged.
    refused(
        "Berlin\tParis\tU\nBerlin\tRome\tTE\n",
        &["of 2 records 2 name pages or links that are not in the corpus"],
    );
    // The only page is judged in two ways.
    refused("Jupiter\tFish\tU\nJupiter\tFish\tTE\nJupiter\tSaturn\tE\n", &["no page has both"]);
    desk.refused(["evaluate", TOY, "--judgments", "none.tsv"], 2, &["none.tsv: no such file"]);
    drop(desk.llamafur(EVALUATE.iter().chain(&["--judgments-form", "magic"])).misused(&["'magic'"]));
}

#[test]
fn a_graph_without_categories_is_measured_and_reported_too() {
    let desk = Desk::with_tables();
    desk.llamafur(["import", "table", "--links", "links.tsv", "--out", "c"]).fine();
    desk.write("judged.tsv", JUDGED);
    let args = ["evaluate", "c", "--judgments", "judged.tsv", "--report", "report", "--page", "Jupiter"];
    let run = desk.llamafur_with_progress("plain", args.iter().chain(&["--format", "json"])).fine();
    let json = run.json();
    assert_eq!((&json["scorers"][0]["name"], &json["queries"]), (&"blend".into(), &3.into()));
    let html = String::from_utf8(desk.read("report/index.html")).unwrap();
    assert!(html.contains("links of Jupiter.") && !html.contains("Cross-validation"), "{html}");
    desk.refused(
        args.iter().chain(&["--category", "Planets", "--overwrite"]),
        2,
        &["the corpus has no categories"],
    );
}

#[test]
fn a_damaged_model_is_in_the_way_of_those_alone_that_need_it() {
    let desk = judged();
    desk.write("toy.corpus/models/llamafur.safetensors", "nonsense");
    desk.llamafur(EVALUATE.iter().chain(&["--scorer", "aa"])).fine();
    desk.refused(EVALUATE, 2, &["llamafur.safetensors"]);
}

#[test]
fn settings_that_no_scorer_uses_are_refused() {
    let desk = judged();
    let refused = |args: &[&str], parts: &[&str]| desk.refused(EVALUATE.iter().chain(args), 2, parts);
    refused(
        &["--scorer", "aa", "--scorer", "ra", "--studentise", "page"],
        &["`--studentise` is for sums and the blend, got aa, ra"],
    );
    desk.llamafur(EVALUATE.iter().chain(&["--scorer", "llamafur+aa", "--studentise", "page"])).fine();
    desk.llamafur(EVALUATE.iter().chain(&["--studentise", "page"])).fine();
}

#[test]
fn compressed_judgments_are_refused_or_read_whole() {
    // Bytes that are no text are an error with a place, not an empty result.
    let desk = judged();
    desk.write("judged.tsv.gz", [0x1f, 0x8b, 0x08, 0x00, 0xff]);
    desk.llamafur(["evaluate", TOY, "--judgments", "judged.tsv.gz"]).fails(2, &["judged.tsv.gz"]);
}

#[test]
fn figures_that_say_nothing_are_remarked_on() {
    let desk = judged();
    // The only unexpected link is the one that every scorer finds the least unexpected.
    desk.write("odd.tsv", "Jupiter\tSaturn\tTU\nJupiter\tFish\tTE\n");
    let args = ["evaluate", TOY, "--judgments", "odd.tsv", "--scorer", "llamafur", "--format"];
    let json = desk.llamafur(args.iter().chain(&["json"])).fine().json();
    let remarks: Vec<&str> =
        json["remarks"].as_array().unwrap().iter().map(|remark| remark.as_str().unwrap()).collect();
    assert_eq!(
        remarks,
        [
            "one page only, so there are no intervals",
            "bpref 0.000, so expected links rank above all unexpected ones: llamafur",
            "no scorer has a larger bpref than chance",
        ]
    );
    let table = desk.llamafur(args.iter().chain(&["table"])).fine().stdout;
    assert!(remarks.iter().all(|remark| table.contains(&format!("note: {remark}\n"))), "{table}");
}

#[test]
fn a_single_page_has_no_interval_and_says_so() {
    let desk = judged();
    desk.write("one.tsv", "Jupiter\tFish\tTU\nJupiter\tSaturn\tTE\n");
    let json = desk.llamafur(["evaluate", TOY, "--judgments", "one.tsv", "--format", "json"]).fine().json();
    assert!(json["scorers"][0]["ci95"].is_null());
    let table = desk.llamafur(["evaluate", TOY, "--judgments", "one.tsv", "--format", "table"]).fine().stdout;
    assert!(table.contains("one page only, so there are no intervals"), "{table}");
    let args = ["evaluate", TOY, "--judgments", "one.tsv", "--report", "report", "--folds", "0"];
    desk.llamafur(args).fine();
}
