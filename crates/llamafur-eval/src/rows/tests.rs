//! Hand-computed figures, and files that are not as they should be.

use super::*;
use std::io::Write;

/// Four pages: five rows judged, three judged, none judged, none shown.
const LABELS: &str = "\
Jupiter\tFish\tA\t+\tann
Jupiter\tSaturn\tC\t0\tann
Jupiter\tISBN\tD\t0\tann
Jupiter\tMoon\tB\t+\tann
Jupiter\tMercury (element)\tE\t−\tann
Llama\tFootball\tA\t0\tann
Llama\tInca\tB\t-\tann
Llama\tPeru\tA\t\tann
Llama\tWool\tC
Rome\tPizza\tA\t+\tann
Venice\tGlass\tA\t+\tann
";

fn labels(text: &str) -> RowLabels {
    let mut labels = RowLabels::default();
    labels.read(text.as_bytes(), "judged.tsv").unwrap();
    labels
}

fn rows(pages: &[(&str, &[&str])]) -> Vec<ShownRow> {
    let mut rows = Vec::new();
    for (page, targets) in pages {
        rows.extend(targets.iter().map(|target| ShownRow { page: (*page).into(), target: (*target).into() }));
    }
    rows
}

fn error(text: impl AsRef<[u8]>) -> String {
    RowLabels::default().read(text.as_ref(), "judged.tsv").unwrap_err().to_string()
}

#[test]
fn figures_by_hand() {
    let labels = labels(LABELS);
    let measure = RowMeasure::new(&labels, labels.pages(), 1);
    let shown = rows(&[
        ("Jupiter", &["Fish", "Saturn", "ISBN", "Moon", "Mercury (element)"]),
        ("Llama", &["Football", "Inca", "Peru", "Andes"]),
        ("Rome", &["Tiber", "Latin"]),
    ]);
    let figures = measure.of("blend", shown);
    assert_eq!((figures.shown, figures.judged, figures.unjudged, figures.signed), (11, 8, 3, 7));
    let share = |of: RowShare| of.share.unwrap();
    // A: Fish, Football, Peru; B: Moon, Inca; of eight judged rows.
    assert_eq!([figures.a, figures.a_or_b, figures.d, figures.e].map(share), [0.375, 0.625, 0.125, 0.125]);
    // Two of seven signs are +, as many −: Peru has none.
    assert_eq!([figures.plus, figures.minus].map(share), [2.0 / 7.0, 2.0 / 7.0]);
    // Nothing is known of Rome, whose rows have no label; Venice shows nothing, so it has no A.
    assert_eq!(share(figures.pages_with_a), 2.0 / 3.0);
    assert_eq!(share(figures.a_per_page), 1.0);
    for (name, RowShare { share, ci95 }) in figures.shares() {
        let ([low, high], share) = (ci95.unwrap(), share.unwrap());
        assert!(low <= share && share <= high, "{name}: {share} not in [{low}, {high}]");
    }
}

#[test]
fn an_interval_is_that_of_the_pages() {
    // One page with A only, one without: every share is 0, ½ or 1, by the pages that a resample has drawn.
    let labels = labels("a\tx\tA\t+\na\ty\tA\t+\nb\tx\tC\t0\nb\ty\tC\t0\n");
    let figures =
        RowMeasure::new(&labels, ["a", "b"], 1).of("aa", rows(&[("a", &["x", "y"]), ("b", &["x", "y"])]));
    assert_eq!(figures.a, RowShare { share: Some(0.5), ci95: Some([0.0, 1.0]) });
    assert_eq!(figures.a_per_page, RowShare { share: Some(1.0), ci95: Some([0.0, 2.0]) });
    assert_eq!(figures.d, RowShare { share: Some(0.0), ci95: Some([0.0, 0.0]) });
}

#[test]
fn chance_by_hand() {
    let labels = labels("a\tv\tA\t+\na\tw\tA\t-\na\tx\tB\t+\na\ty\tD\t0\nb\tz\tC\t0\n");
    let measure = RowMeasure::new(&labels, labels.pages(), 1);
    let chance = measure.chance(2);
    // Two of the four rows of a, the only row of b.
    assert_eq!((chance.shown, chance.judged, chance.unjudged), (3, 3, 0));
    let near = |of: RowShare, expected: f64| assert!((of.share.unwrap() - expected).abs() < 1e-12, "{of:?}");
    near(chance.a, 1.0 / 3.0);
    near(chance.a_or_b, 1.5 / 3.0);
    near(chance.d, 0.5 / 3.0);
    near(chance.plus, 1.0 / 3.0);
    // No A in two draws: 2/4 · 1/3.
    near(chance.pages_with_a, (1.0 - 1.0 / 6.0) / 2.0);
    near(chance.a_per_page, 0.5);
    // Three draws of four rows with two A cannot miss; all rows are what they are.
    near(measure.chance(3).pages_with_a, 0.5);
    near(measure.chance(usize::MAX).a, 2.0 / 5.0);
}

#[test]
fn what_is_all_judged_is_its_own_chance() {
    let labels = labels(LABELS);
    let measure = RowMeasure::new(&labels, labels.pages(), 7);
    let all = labels.pages().flat_map(|page| labels.of_page(page));
    let all = all.map(|row| ShownRow { page: row.page.clone(), target: row.target.clone() });
    let (figures, chance) = (measure.of("chance", all), measure.chance(9));
    assert_eq!(figures, chance);
}

#[test]
fn nothing_judged_has_no_share() {
    let labels = labels(LABELS);
    let figures = RowMeasure::new(&labels, ["Rome"], 1).of("aa", rows(&[("Rome", &["Tiber"])]));
    assert!(
        figures.shares().iter().all(|(_, of)| *of == RowShare { share: None, ci95: None }),
        "{figures:?}"
    );
    let json = serde_json::to_value(&figures).unwrap();
    assert_eq!((&json["unjudged"], &json["a"]["share"]), (&1.into(), &serde_json::Value::Null));
    // No page at all.
    let none = RowMeasure::new(&labels, [], 1);
    assert_eq!((none.num_pages(), none.of("aa", []).a.share, none.chance(5).a.share), (0, None, None));
}

#[test]
fn rows_of_other_pages_are_left_out() {
    let labels = labels(LABELS);
    let measure = RowMeasure::new(&labels, ["Llama", "Llama"], 1);
    let figures = measure.of("aa", rows(&[("Llama", &["Inca"]), ("Jupiter", &["Fish"])]));
    assert_eq!((measure.num_pages(), figures.shown, figures.a.share), (1, 1, Some(0.0)));
}

#[test]
fn the_first_label_counts_over_all_files() {
    let mut labels = labels("a\tx\tA\t+\tann\na\tx\tA\t0\tbob\n");
    labels.read("\u{feff}a\tx\tC\t0\tcid\r\n\r\nb\ty\td\t−\tcid".as_bytes(), "more.tsv").unwrap();
    assert_eq!((labels.num_rows(), labels.num_repeated(), labels.num_contradicted()), (2, 2, 1));
    let first = labels.get("a", "x").unwrap();
    assert_eq!((first.letter, first.sign, &first.judge[..]), (RowLetter::A, Some(RowSign::Plus), "ann"));
    let last = labels.get("b", "y").unwrap();
    assert_eq!((last.letter, last.sign, &last.judge[..]), (RowLetter::D, Some(RowSign::Minus), "cid"));
    assert_eq!(labels.pages().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(labels.files().len(), 2);
    assert!(labels.get("x", "a").is_none() && labels.get("b", "x").is_none());
}

#[test]
fn a_wrong_line_is_named_with_what_was_expected() {
    let good = "a\tx\tA\t+\tann\n";
    let columns = "page, target, letter, sign and judge, separated by tabs";
    assert_eq!(error(format!("{good}a\tx\n")), format!("judged.tsv: line 2: \"a\\tx\", expected {columns}"));
    assert_eq!(
        error("a\tx\tA\t+\tann\t\n"),
        format!("judged.tsv: line 1: \"a\\tx\\tA\\t+\\tann\\t\", expected {columns}")
    );
    assert_eq!(error("a\tx\tTU\t+\n"), "judged.tsv: line 1: \"TU\", expected a letter: A, B, C, D or E");
    assert_eq!(error("a\tx\tA\t1\n"), "judged.tsv: line 1: \"1\", expected a sign: +, 0 or −");
    assert_eq!(
        error("\tx\tA\t+\n"),
        "judged.tsv: line 1: \"\\tx\\tA\\t+\", expected the titles of two pages before the letter"
    );
    assert_eq!(
        error(b"a\tx\tA\n\xff\tx\tA\n"),
        "judged.tsv: line 2: \"\u{fffd}\\tx\\tA\", expected UTF-8 text"
    );
    assert_eq!(
        error("page\ttarget\tletter\n"),
        "judged.tsv: line 1: \"letter\", expected a letter: A, B, C, D or E"
    );
}

#[test]
fn a_file_that_is_too_large_or_has_nothing_is_refused() {
    assert_eq!(error("a\tx\tA\n".repeat(30_000)), "judged.tsv: larger than 131072 bytes");
    assert_eq!(labels("\n").expect_rows().unwrap_err().to_string(), "judged.tsv: no judged row");
    labels(LABELS).expect_rows().unwrap();
}

#[test]
fn letters_and_signs_have_their_names() {
    assert!(RowLetter::ALL.iter().all(|letter| letter.name().parse() == Ok(*letter)));
    assert!(RowLetter::ALL.is_sorted() && "F".parse::<RowLetter>() == Err(NoSuchLetter));
    let signs = [RowSign::Plus, RowSign::Zero, RowSign::Minus];
    assert!(signs.iter().all(|sign| sign.name().parse() == Ok(*sign)));
    assert_eq!("++".parse::<RowSign>(), Err(NoSuchSign));
    assert_eq!(serde_json::to_string(&(RowLetter::E, signs)).unwrap(), r#"["E",["+","0","-"]]"#);
}

#[test]
fn the_real_files_have_the_known_figures() {
    // The letters from A to E and the signs +, 0, − of the first five rows of 75 pages each.
    let known = [
        ("wikispeedia", 751, [55, 109, 188, 21, 2], [89, 279, 7]),
        ("enwiki-computing", 750, [19, 50, 229, 72, 5], [36, 329, 10]),
    ];
    for (corpus, sampled, letters, signs) in known {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
        let path = |name: &str| std::path::Path::new(folder).join(corpus).join(name);
        let Ok(file) = std::fs::File::open(path("rows-dev.tsv")) else {
            let _ = writeln!(std::io::stderr(), "skipped: {} is not there", path("rows-dev.tsv").display());
            continue;
        };
        let mut labels = RowLabels::default();
        labels.read(file, path("rows-dev.tsv")).unwrap();
        let chance = RowMeasure::new(&labels, labels.pages(), 1).chance(5);
        assert_eq!((labels.pages().count(), labels.num_rows(), chance.signed), (75, 375, 375));
        let found =
            [chance.a, chance.a_or_b, chance.d, chance.e, chance.plus, chance.minus, chance.a_per_page];
        let [a, b, _, d, e] = letters;
        let counts = [a, a + b, d, e, signs[0], signs[2]].map(|num| f64::from(num) / 375.0);
        for (found, expected) in found.iter().zip(counts.into_iter().chain([f64::from(a) / 75.0])) {
            assert!((found.share.unwrap() - expected).abs() < 1e-12, "{corpus}: {found:?}, {expected}");
        }
        labels.read(std::fs::File::open(path("rows-sampled-dev.tsv")).unwrap(), "sampled").unwrap();
        assert_eq!((labels.num_rows(), labels.num_repeated()), (375 + sampled, 0));
        assert_eq!(labels.pages().count(), 75 + 188);
    }
}
