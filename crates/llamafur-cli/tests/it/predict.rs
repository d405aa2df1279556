//! `llamafur predict` and `llamafur mend`.

use crate::common::{Desk, IMPORT, IMPORT_TOY, TOY};
use serde_json::Value;

/// A file that the command wrote.
fn text(desk: &Desk, name: &str) -> String {
    String::from_utf8(desk.read(name)).unwrap()
}

fn targets(json: &Value) -> Vec<&str> {
    json["links"].as_array().unwrap().iter().map(|link| link["target"].as_str().unwrap()).collect()
}

#[test]
fn pages_that_one_would_expect_are_listed_with_their_reasons() {
    let desk = Desk::with_model();
    let json = desk.llamafur(["predict", TOY, "Io (moon)", "--format", "json"]).fine().json();
    assert_eq!((&json["page"], &json["lookup"]), (&"Io (moon)".into(), &"anywhere".into()));
    // Jupiter and Galileo Galilei are linked; of the rest the Solar System's are nearer than the animals.
    let found = targets(&json);
    assert_eq!(found[0], "Saturn", "{json}");
    assert!(!found.contains(&"Jupiter") && !found.contains(&"Io (moon)"), "{json}");
    assert!(!json["links"][0]["reasons"].as_array().unwrap().is_empty());
    let table = desk.llamafur(["predict", TOY, "io (MOON)", "--top", "1", "--format", "table"]).fine();
    assert!(table.stdout.contains("near it without a link, the most expected first, by blend"), "{table}");
    assert!(table.stderr.contains("taking “io (MOON)” for “Io (moon)”"), "{table}");
    let tsv = desk.llamafur(["predict", TOY, "Io (moon)", "--top", "2", "--header"]).fine().stdout;
    assert!(tsv.starts_with("rank\ttarget\texpectedness\twords\tsnippet\treason\n1\tSaturn\t"), "{tsv}");
    assert_eq!(tsv.lines().count(), 3, "{tsv}");
}

#[test]
fn words_to_be_linked_are_shown_in_their_sentence() {
    let desk = Desk::with_model();
    // The text of Saturn names no page without a link; that of Jupiter names none either: texts of the toy are linked.
    let none = desk.llamafur(["predict", TOY, "Saturn", "--named", "--format", "table"]).fine().stdout;
    assert!(none.contains("--anywhere looks in the whole graph"), "{none}");
    let dropped = "Jupiter\tIo (moon)\n";
    let links = text(&desk, "links.tsv").replace(dropped, "");
    desk.write("links.tsv", &links);
    desk.llamafur(IMPORT_TOY.iter().chain(&["--overwrite"])).fine();
    let json = desk.llamafur(["predict", TOY, "Jupiter", "--named", "--format", "json"]).fine().json();
    assert_eq!(json["links"][0]["target"], "Io (moon)", "{json}");
    assert_eq!(json["links"][0]["words"], "Io");
    assert!(
        json["links"][0]["snippet"].as_str().unwrap().contains("of which [[Io]] is the innermost"),
        "{json}"
    );
}

#[test]
fn every_page_is_predicted_for_in_a_file_as_one_by_one() {
    let desk = Desk::with_model();
    let all = ["predict", TOY, "--all", "--top", "2", "--out", "p.tsv", "--header", "--format", "tsv"];
    let said = desk.llamafur(all).fine().stdout;
    assert!(said.contains("pages\t10\n"), "{said}");
    let rows = text(&desk, "p.tsv");
    assert!(rows.starts_with("source\ttarget\twords\texpectedness\n"), "{rows}");
    let one = desk.llamafur(["predict", TOY, "Llama", "--top", "2", "--format", "json"]).fine().json();
    let of_llama: Vec<&str> = rows
        .lines()
        .filter_map(|row| row.strip_prefix("Llama\t"))
        .filter_map(|row| row.split('\t').next())
        .collect();
    assert_eq!(of_llama, targets(&one));
    desk.refused(all, 2, &["p.tsv", "--overwrite"]);
    drop(desk.llamafur(["predict", TOY]).misused(&["PAGE"]));
    drop(desk.llamafur(["predict", TOY, "Llama", "--all", "--out", "x.tsv"]).misused(&["--all"]));
    desk.refused(["predict", TOY, "Llama", "--out", "x.tsv"], 2, &["--out", "--all"]);
}

#[test]
fn what_the_corpus_lacks_is_said_with_a_remedy() {
    let desk = Desk::new();
    desk.write("links.tsv", "a\tb\nb\tc\nc\ta\n");
    desk.write("categories.tsv", "a\tx\nb\ty\n");
    desk.llamafur(IMPORT).fine();
    desk.refused(["predict", "c", "a", "--named"], 2, &["text"]);
    desk.refused(["predict", "c", "a", "--scorer", "llamafur"], 2, &["llamafur train"]);
    desk.refused(["predict", "c", "zebra"], 1, &["no page “zebra”"]);
    let none = desk.llamafur(["mend", "c", "--format", "table"]).fine().stdout;
    assert_eq!(none, "no link leads to a page whose title another page shares\n");
}

#[test]
fn links_to_the_wrong_page_are_listed_with_the_page_that_was_meant() {
    let desk = Desk::new();
    let planets = ["Earth", "Jupiter", "Mars", "Mercury (planet)", "Saturn"];
    let rivers = ["Amazon", "Danube", "Mercury (river)", "Nile", "Rhine"];
    let (mut links, mut categories) = (String::from("Earth\tMercury (river)\n"), String::new());
    for (clique, category) in [(planets, "Planets"), (rivers, "Rivers")] {
        for source in clique {
            categories.push_str(&format!("{source}\t{category}\n"));
            for target in clique.iter().filter(|target| **target != source) {
                if [source, target] != ["Earth", "Mercury (planet)"] {
                    links.push_str(&format!("{source}\t{target}\n"));
                }
            }
        }
    }
    desk.write("links.tsv", &links);
    desk.write("categories.tsv", &categories);
    desk.llamafur(IMPORT).fine();
    desk.llamafur(["train", "c"]).fine();
    let json = desk.llamafur(["mend", "c", "--format", "json"]).fine().json();
    let first = &json["links"][0];
    assert_eq!(
        [&first["source"], &first["target"], &first["better"], &first["likeness"]],
        ["Earth", "Mercury (river)", "Mercury (planet)", "title"],
        "{json}"
    );
    desk.llamafur(["mend", "c", "--out", "m.tsv", "--header"]).fine();
    let rows = text(&desk, "m.tsv");
    let rows: Vec<Vec<&str>> = rows.lines().map(|row| row.split('\t').collect()).collect();
    let columns = "source target better likeness sentence unexpectedness better_unexpectedness gain";
    assert_eq!(rows[0].join(" "), columns);
    assert_eq!(rows[1][..5], ["Earth", "Mercury (river)", "Mercury (planet)", "title", ""]);
    let numbers: Vec<f64> = rows[1][5..].iter().map(|number| number.parse().unwrap()).collect();
    let of_json =
        ["unexpectedness", "better_unexpectedness", "gain"].map(|name| first[name].as_f64().unwrap());
    assert_eq!(numbers, of_json);
    assert_eq!(numbers[0] - numbers[1], numbers[2]);
    let table = desk.llamafur(["mend", "c", "--format", "table"]).fine().stdout;
    assert!(table.contains("did you mean"), "{table}");
}
