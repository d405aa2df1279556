//! Cleansing by the command: what it prints, what the other commands make of it, and what it refuses.

use crate::common::{Desk, IMPORT, TOY, rounded, without_checksums};
use insta::assert_snapshot;

/// A desk with the toy corpus, cleansed to four milestones.
fn cleansed() -> Desk {
    let desk = Desk::with_corpus();
    desk.llamafur(["cleanse", TOY, "--milestones", "4"]).fine();
    desk
}

#[test]
fn it_prints_what_it_did() {
    let desk = Desk::with_corpus();
    let cleanse = |format: &str| {
        let args = [
            "cleanse",
            TOY,
            "--milestones",
            "4",
            "--name",
            "few",
            "--map",
            "map.tsv",
            "--overwrite",
            "--format",
            format,
        ];
        without_checksums(&desk.llamafur(args).to_string())
    };
    assert_snapshot!("cleanse_table", cleanse("table"));
    assert_snapshot!("cleanse_tsv", cleanse("tsv"));
    assert_snapshot!("cleanse_json", cleanse("json"));
    assert_snapshot!("cleanse_map", String::from_utf8(desk.read("map.tsv")).unwrap());
}

#[test]
fn a_corpus_without_a_tree_is_cleansed_by_its_pages() {
    let desk = Desk::with_tables();
    desk.llamafur(IMPORT).fine();
    let run = desk.llamafur_with_progress("plain", ["cleanse", "c", "--format", "table"]);
    assert_snapshot!("cleanse_by_pages", without_checksums(&run.to_string()));
    desk.refused(["cleanse", "c", "--by", "tree"], 2, &["no category tree", "--category-tree"]);
    desk.refused(
        ["cleanse", "c", "--ancestors", "1"],
        2,
        &["no category tree", "--ancestors", "--category-tree"],
    );
    let by_pages = ["cleanse", "c", "--by", "pages", "--ancestors", "1"];
    desk.refused(by_pages, 2, &["c: `--ancestors` is for `--by tree`", "leave out"]);
}

#[test]
fn the_other_commands_speak_of_milestones() {
    let desk = cleansed();
    let train = desk.llamafur_with_progress("plain", ["train", TOY, "--format", "json"]).fine();
    // The texts have no word in ten pages: the categories are all that there is to learn over.
    let (left_out, rest) = train.stderr.split_once('\n').unwrap();
    assert!(left_out.starts_with("words is left out: "), "{train}");
    assert!(rest.starts_with("factored: ") && rest.contains("4 milestones"), "{train}");
    assert_eq!((&train.json()["categories"], &train.json()["cleansing"]), (&4.into(), &"default".into()));
    let shown = |args: &[&str]| {
        let run = desk.llamafur(args.iter().chain(&["--format", "table"])).fine();
        without_checksums(&rounded(&run.to_string()))
    };
    assert_snapshot!("cleansed_rank", shown(&["rank", TOY, "Jupiter", "--top", "3"]));
    assert_snapshot!("cleansed_explain", shown(&["explain", TOY, "Jupiter", "Galileo Galilei"]));
    assert_snapshot!("cleansed_category", shown(&["category", TOY, "Moons of Jupiter", "--min-weight=-9"]));
    let info = shown(&["info", TOY]);
    let lines: Vec<&str> = info.lines().filter(|line| line.contains("cleansing")).collect();
    assert_snapshot!("cleansed_info", lines.join("\n"));
    assert!(shown(&["verify", TOY]).contains(", 1 cleansing and 1 model)"));
    let run = desk.llamafur(["train", TOY, "--cleansing", "none", "--name", "all"]).fine();
    assert!(run.stdout.contains("all.safetensors"), "{run}");
    let json = desk.llamafur(["info", TOY, "--format", "json"]).fine().json();
    assert_eq!(json["cleansings"][0]["settings"]["figures"]["milestones"], 4);
    assert_eq!(json["models"][0]["settings"]["cleansing"], serde_json::Value::Null);
    assert_eq!(json["models"][1]["settings"]["cleansing"]["name"], "default");
}

#[test]
fn export_writes_the_milestones_beside_the_rest() {
    let desk = cleansed();
    desk.llamafur(["export", TOY, "--out", "tables", "--header"]).fine();
    for table in ["milestones", "page-milestones", "category-milestones"] {
        assert_snapshot!(
            format!("export_{table}"),
            String::from_utf8(desk.read(&format!("tables/{table}.tsv"))).unwrap()
        );
    }
    desk.llamafur(["export", TOY, "--out", "plain", "--cleansing", "none"]).fine();
    assert!(!desk.path("plain/milestones.tsv").exists() && desk.path("plain/links.tsv").exists());
    desk.llamafur(["export", TOY, "--out", "parquet", "--format", "parquet"]).fine();
    assert!(desk.path("parquet/category-milestones.parquet").exists());
    desk.refused(
        ["export", TOY, "--out", "x", "--cleansing", "broad"],
        2,
        &["no such cleansing", "(there are: default)"],
    );
    // What was exported can be imported, cleansed again, and gives the same file.
    desk.llamafur([
        "import",
        "table",
        "--links",
        "tables/links.tsv",
        "--categories",
        "tables/categories.tsv",
        "--category-tree",
        "tables/category-tree.tsv",
        "--pages",
        "tables/pages.tsv",
        "--out",
        "again",
    ])
    .fine();
    desk.llamafur(["cleanse", "again", "--milestones", "4", "--threads", "1"]).fine();
    assert_eq!(desk.read("again/milestones.arrow"), desk.read(&format!("{TOY}/milestones.arrow")));
}

#[test]
fn a_category_that_was_dropped_or_moved_says_so() {
    let desk = Desk::with_corpus();
    desk.llamafur(["cleanse", TOY, "--milestones", "all", "--exclude", "scientists"]).fine();
    desk.llamafur(["train", TOY]).fine();
    desk.refused(
        ["category", TOY, "Scientists"],
        1,
        &["dropped the category “Scientists”", "--cleansing none"],
    );
    desk.llamafur(["cleanse", TOY, "--milestones", "3"]).fine();
    // The model is of the cleansing before.
    desk.refused(
        ["rank", TOY, "Jupiter"],
        2,
        &["trained on another version of the cleansing “default”", "llamafur train"],
    );
    desk.llamafur(["train", TOY]).fine();
    let run = desk.llamafur(["category", TOY, "Moons of Jupiter"]).fine();
    assert!(run.stderr.contains("moved “Moons of Jupiter” to the milestone"), "{run}");
}

#[test]
fn replacing_a_cleansing_says_which_models_are_out_of_date() {
    let desk = cleansed();
    desk.llamafur(["train", TOY]).fine();
    desk.llamafur(["train", TOY, "--name", "plain", "--cleansing", "none"]).fine();
    let run = desk.llamafur(["cleanse", TOY, "--milestones", "3"]).fine();
    assert_eq!(run.stderr.lines().count(), 1, "{run}");
    assert!(run.stderr.contains("model “llamafur”") && run.stderr.contains("train it again"), "{run}");
    // The same again changes nothing.
    desk.llamafur(["train", TOY]).fine();
    assert_eq!(desk.llamafur(["cleanse", TOY, "--milestones", "3"]).fine().stderr, "");
}

#[test]
fn bad_settings_are_refused_with_a_way_out() {
    let desk = Desk::with_corpus();
    for goal in ["0", "-5", "0%", "150%", "NaN%", "many", "1e9", ""] {
        desk.llamafur(["cleanse", TOY, "--milestones", goal]).misused(&["milestones must be", "such as 95%"]);
    }
    desk.llamafur(["cleanse", TOY, "--by", "name"]).misused(&["tree or pages"]);
    desk.llamafur(["cleanse", TOY, "--min-pages", "-1"]).misused(&["--min-pages"]);
    desk.llamafur(["cleanse", TOY, "--ancestors", "x"]).misused(&["--ancestors"]);
    for name in ["none", "a/b", "", "..", ".x"] {
        desk.refused(["cleanse", TOY, "--name", name], 2, &["the name of a cleansing must be"]);
    }
    desk.refused(["cleanse", TOY, "--map", "map.doc"], 2, &[".tsv, .parquet or .arrow"]);
    desk.refused(["cleanse", TOY, "--min-pages", "11"], 2, &["no category is left", "--min-pages"]);
    desk.refused(
        ["cleanse", TOY, "--exclude", "a", "--exclude", "s"],
        2,
        &["excluded names", "leave out `--exclude`"],
    );
    desk.refused(["cleanse", "nowhere"], 2, &["nowhere", "llamafur import"]);
    desk.refused(
        ["train", TOY, "--cleansing", "broad"],
        2,
        &["no such cleansing", "cleanse toy.corpus --name broad"],
    );
    desk.write("links.tsv", "a\tb\n");
    desk.llamafur(["import", "table", "--links", "links.tsv", "--out", "bare"]).fine();
    desk.refused(["cleanse", "bare"], 2, &["bare", "no page carries a category"]);
}

#[test]
fn more_than_there_are_is_all_and_said() {
    let desk = Desk::with_corpus();
    let run = desk.llamafur_with_progress("plain", ["cleanse", TOY, "--milestones", "5000"]).fine();
    assert!(run.stderr.contains("5,000 asked for: all "), "{run}");
    // Nobody asked for the default number, so nobody needs to hear of it.
    let run = desk.llamafur_with_progress("plain", ["cleanse", TOY]).fine();
    assert!(!run.stderr.contains("asked for"), "{run}");
}
