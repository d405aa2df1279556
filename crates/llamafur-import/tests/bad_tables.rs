//! Wrong input, and the answer to it.
#![allow(clippy::unwrap_used)] // a test that fails shall panic

mod common;

use common::{Desk, bz2, gz, jsonl, parquet, parquet_of, warnings, zst};
use llamafur_import::table::{LONGEST_NAME, Mode, Place, Table, TableConf};
use proptest::prelude::*;
use std::sync::Arc;

fn contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in: {text}");
    }
}

#[test]
fn bad_rows_are_counted_with_their_lines_and_strict_stops_at_the_first() {
    let desk = Desk::new();
    let tsv: &[u8] = b"# comment\n\na\tb\na\tb\tc\n  \tb\n\xFF\tb\nb\tc\na\0\tb\nx\n\ny\t\n";
    let csv: &[u8] =
        b"# comment\r\n\r\na,b\r\na,b,c\r\n  ,b\r\n\xFF,b\r\n\"b\",c\r\na\0,b\r\nx\r\n\r\ny,\"\n\"\r\n";
    let reasons = [
        "line 4: 3 columns where 2 were expected (source, target)",
        "line 5: the source is empty",
        "line 6: not UTF-8",
        "line 8: a control character (U+0000) in the source",
        "line 9: 1 column where 2 were expected (source, target)",
    ];
    for (name, content) in [("links.tsv", tsv), ("links.csv", csv), ("links.csv.gz", &gz(csv))] {
        let conf = TableConf::new(desk.file(name, content));
        let imported = desk.import(&conf).unwrap();
        let entry = imported.account.table(Table::Links).unwrap();
        assert_eq!((entry.rows, entry.bad, entry.kept, entry.comments), (8, 6, 2, 1), "{name}");
        let examples: Vec<String> = entry.examples.iter().map(ToString::to_string).collect();
        assert_eq!(examples, reasons, "{name}");
        let warning = imported
            .warnings
            .iter()
            .map(|warning| &warning.problem)
            .find(|problem| problem.contains("skipped"))
            .unwrap();
        assert!(warning.starts_with(&format!("{name}: skipped 6 of 8 rows (line 4: 3 columns")), "{warning}");

        let error = desk.error(&conf.mode(Mode::Strict));
        contains(&error, &[name, reasons[0], "Omit { setting: \"strict\" }"]);
    }
}

#[test]
fn a_row_after_a_quoted_line_break_has_its_own_line() {
    let desk = Desk::new();
    let text = desk.file("text.csv", "page,text\n\na,\"one\n\ntwo\nthree\"\nb\nb,x\n");
    let imported = desk.import(&TableConf::new(desk.file("links.tsv", "a\tb\n")).text(text)).unwrap();
    let entry = imported.account.table(Table::Text).unwrap();
    assert_eq!(entry.examples[0].place, Place::Line(7));
    assert_eq!((entry.rows, entry.kept), (3, 2));
}

#[test]
fn bad_json_is_told_apart() {
    let desk = Desk::new();
    let lines = [
        r#"{"source": "a", "target": "b"}"#,
        r#"{"source": "a"}"#,
        r#"{"source": "a", "target": null}"#,
        r#"{"source": 0.5, "target": "b"}"#,
        r#"{"source": "a", "target": "b""#,
        r#"{"source": ["a"], "target": ["b"]}"#,
        "hello",
    ];
    let imported = desk.import(&TableConf::new(desk.file("a.jsonl", lines.join("\n")))).unwrap();
    let entry = imported.account.table(Table::Links).unwrap();
    assert_eq!((entry.rows, entry.bad), (7, 6));
    let said: Vec<String> = entry.examples.iter().map(ToString::to_string).collect();
    assert_eq!(said[0], "line 2: no target");
    assert_eq!(said[1], "line 3: the target is null, not text");
    assert_eq!(said[2], "line 4: the source is a number with a fraction, not text");
    contains(&said[3], &["line 5: not a JSON object", "at byte"]);
    assert_eq!(said[4], "line 6: the target is an array, not text");
}

#[test]
fn parquet_rows_without_a_value_are_bad_rows() {
    let desk = Desk::new();
    let source = arrow_array::StringArray::from(vec![Some("a"), None, Some(" ")]);
    let target = arrow_array::BinaryArray::from(vec![&b"b"[..], b"c", b"d"]);
    let bytes = parquet_of(vec![("source", Arc::new(source)), ("target", Arc::new(target))]);
    let imported = desk.import(&TableConf::new(desk.file("a.parquet", bytes))).unwrap();
    let said: Vec<String> =
        imported.account.table(Table::Links).unwrap().examples.iter().map(ToString::to_string).collect();
    assert_eq!(said, ["row 2: no source", "row 3: the source is empty"]);
}

#[test]
fn columns_that_are_not_there_are_answered_with_those_that_are() {
    let desk = Desk::new();
    let links = desk.file("links.csv", "x,y\na,b\n");
    let error = desk.error(&TableConf::new(links).columns("links=x,z".parse().unwrap()));
    contains(&error, &["links.csv: no column z", "\"x\", \"y\"", "links=SOURCE,TARGET"]);
    let json = desk.file("links.jsonl", "{\"p\":1,\"q\":2,\"r\":3}\n");
    contains(
        &desk.error(&TableConf::new(json)),
        &["cannot tell which columns are source and target", "\"q\""],
    );
    let row = vec!["a".to_owned(), "b".into(), "c".into()];
    let three = desk.file("links.parquet", parquet(&["p", "q", "r"], &[row]));
    contains(&desk.error(&TableConf::new(three)), &["cannot tell", "\"r\""]);
    let floats = arrow_array::Float64Array::from(vec![0.5]);
    let bytes = parquet_of(vec![("source", Arc::new(floats.clone())), ("target", Arc::new(floats))]);
    contains(&desk.error(&TableConf::new(desk.file("f.parquet", bytes))), &["column source holds Float64"]);
}

#[test]
fn missing_files_and_folders_are_named_before_anything_is_read() {
    let desk = Desk::new();
    let links = desk.file("links.tsv", "a\tb\n");
    contains(&desk.error(&TableConf::new(desk.path("no.tsv"))), &["no.tsv", "no such file"]);
    contains(&desk.error(&TableConf::new(&links).text(desk.path("no.tsv"))), &["no.tsv", "no such file"]);
    std::fs::create_dir(desk.path("folder")).unwrap();
    contains(
        &desk.error(&TableConf::new(links).categories(desk.path("folder"))),
        &["a folder where a file was expected"],
    );
}

#[test]
fn a_cut_off_file_is_told_with_its_last_whole_line() {
    let desk = Desk::new();
    let mut random = 1u64;
    let rows: String = (0..50_000)
        .map(|_| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            format!("{}\t{}\n", random >> 40, random >> 20 & 0xFFFFF)
        })
        .collect();
    for (name, packed) in [("a.tsv.gz", gz(rows.as_bytes())), ("a.tsv.zst", zst(rows.as_bytes()))] {
        let error = desk.error(&TableConf::new(desk.file(name, &packed[..packed.len() * 2 / 3])));
        contains(
            &error,
            &[name, "the compressed data ends early after line", "download or make the file again"],
        );
        let line: u64 =
            error.split("after line ").nth(1).unwrap().split(':').next().unwrap().parse().unwrap();
        assert!((20_000..50_000).contains(&line), "{error}");
        let error = desk.error(&TableConf::new(desk.file(name, &packed[..12])));
        contains(&error, &["before the first line is whole"]);
    }
    let small = gz(b"a,b\nb,c\nc,d\n");
    let error = desk.error(&TableConf::new(desk.file("a.csv.gz", &small[..small.len() - 9])));
    contains(&error, &["a.csv.gz", "ends early"]);
}

#[test]
fn damaged_compression_is_told() {
    let desk = Desk::new();
    let rows: String = (0..20_000).map(|i| format!("{}\t{}\n", i * i % 7919, i)).collect();
    for (name, mut packed) in [("a.tsv.gz", gz(rows.as_bytes())), ("a.tsv.zst", zst(rows.as_bytes()))] {
        let middle = packed.len() * 3 / 4;
        packed[middle..middle + 64].fill(0xA5);
        let error = desk.error(&TableConf::new(desk.file(name, packed)));
        assert!(error.contains("damaged") || error.contains("ends early"), "{error}");
    }
}

#[test]
fn a_damaged_bzip2_file_is_told_with_its_place() {
    let desk = Desk::new();
    let rows: String = (0..30_000).map(|i| format!("{}\t{}\n", i * i % 7919, i)).collect();
    let packed = bz2(rows.as_bytes());
    let cut = desk.error(&TableConf::new(desk.file("a.tsv.bz2", &packed[..packed.len() * 2 / 3])));
    contains(
        &cut,
        &["a.tsv.bz2: the compressed data is damaged after line", "the file ends", "download or make"],
    );
    let mut flipped = packed.clone();
    flipped[packed.len() / 3] ^= 4;
    let error = desk.error(&TableConf::new(desk.file("b.tsv.bz2", flipped)));
    contains(&error, &["b.tsv.bz2: the compressed data is damaged", "bytes "]);
}

#[test]
fn only_one_table_can_come_from_the_standard_input() {
    let desk = Desk::new();
    let error = desk.error(&TableConf::new("-").categories("-"));
    contains(&error, &["the standard input can be only one of the tables"]);
}

#[test]
fn exchanged_tables_are_a_warning() {
    let desk = Desk::new();
    // Pages and categories were given as links, links as categories.
    let tags = "a\tX\nb\tX\nc\tY\nd\tY\n";
    let imported = desk.import(&desk.graph(tags, "a\tb\nb\tc\nc\td\nd\tz\n")).unwrap();
    let said = warnings(&imported);
    contains(&said, &["categories.tsv: 3 of its 4 categories are pages of the links", "not exchanged"]);
    // The columns of the categories are exchanged, and one category has the name of a page.
    let links: String = (0..20).map(|i| format!("p{i}\tp{}\n", i + 1)).collect();
    let columns: String = (0..20).map(|i| format!("X{i}\tp{i}\n")).chain(["p0\tp1\n".to_owned()]).collect();
    let said = warnings(&desk.import(&desk.graph(links, columns)).unwrap());
    contains(&said, &["20 of its 20 categories are pages", "setting: \"columns\", to: [\"categories=2,1\"]"]);
    // Some categories with the names of pages are nothing unusual.
    let usual = desk.import(&desk.graph("a\tb\nb\tX\n", "a\tX\nb\tY\n")).unwrap();
    assert_eq!(usual.warnings, []);
}

#[test]
fn a_header_of_unknown_words_is_not_read_silently() {
    let desk = Desk::new();
    // The usual words of another table: a header.
    let conf = TableConf::new(desk.file("other.csv", "page,category\na,b\nb,c\n"));
    assert_eq!(desk.contents(&conf).links.len(), 2);
    let said = warnings(&desk.import(&conf).unwrap());
    contains(&said, &["other.csv: its first row (page, category) was taken for a header", "links=1,2"]);
    // Names that occur nowhere else: data, but said.
    let conf = desk.graph("who\twhom\na\tb\nb\tc\n", "thing\tkind of thing\na\tX\nb\tX\n");
    let imported = desk.import(&conf).unwrap();
    let said = warnings(&imported);
    contains(&said, &["links.tsv: its first row (who, whom) was read as data", "links=who,whom"]);
    contains(&said, &["categories.tsv: its first row (thing, kind of thing) was read as data"]);
    assert_eq!(imported.manifest.counts.links, 3);
    // With the names given it is a header.
    let conf = conf.columns("links=who,whom".parse().unwrap());
    let conf = conf.columns("categories=thing,kind of thing".parse().unwrap());
    let imported = desk.import(&conf).unwrap();
    assert_eq!((imported.manifest.counts.links, imported.warnings), (2, vec![]));
    // A first row whose page has a category is data.
    assert_eq!(desk.import(&desk.graph("x\ty\na\tb\nb\tc\n", "x\tX\na\tX\n")).unwrap().warnings, []);
}

#[test]
fn a_file_without_a_usable_row_is_an_error_with_the_reasons() {
    let desk = Desk::new();
    let garbage: Vec<u8> =
        (0..10_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8 | 0x80).collect();
    let error = desk.error(&TableConf::new(desk.file("a.tsv", &garbage)));
    contains(&error, &["a.tsv: none of its", "line 1: ", "check that this is a TSV file"]);
    let spaces = desk.error(&TableConf::new(desk.file("b.tsv", "a b\nb c\n")));
    contains(&spaces, &["1 column where 2 were expected", "setting: \"delimiter\", to: [\" \"]"]);
    let csv = desk.error(&TableConf::new(desk.file("c.csv", "a;b\nb;c\n")));
    contains(&csv, &["read as CSV", "setting: \"delimiter\", to: [\";\"]"]);
    let three = desk.error(&TableConf::new(desk.file("e.csv", "a,b,1\nb,c,2\n")));
    contains(&three, &["3 columns where 2 were expected", "setting: \"columns\", to: [\"links=1,2\"]"]);
    let json = desk.error(&TableConf::new(desk.file("d.jsonl", "a\tb\n")));
    contains(&json, &["check that this is a JSON lines file"]);
    let categories = desk.graph("a\tb\n", "a\n");
    contains(&desk.error(&categories), &["categories.tsv: none of its 1 rows"]);
}

#[test]
fn an_empty_graph_is_an_error() {
    let desk = Desk::new();
    for content in ["", "\n\n", "# nothing\n", "source\ttarget\n"] {
        contains(&desk.error(&TableConf::new(desk.file("links.tsv", content))), &["links.tsv: holds no row"]);
    }
    contains(&desk.error(&TableConf::new(desk.file("links.tsv.gz", gz(b"")))), &["holds no row"]);
    contains(
        &desk.error(&TableConf::new(desk.file("a.parquet", parquet(&["a", "b"], &[])))),
        &["holds no row"],
    );
}

#[test]
fn categories_of_other_pages_are_an_error_with_examples() {
    let desk = Desk::new();
    let error = desk.error(&desk.graph("New York\tOld Town\n", "New_York\tcities\nOld_Town\ttowns\n"));
    contains(&error, &["none of the 2 pages", "\"New_York\"", "\"Old Town\"", "underscores"]);
    let swapped = desk.error(&desk.graph("a\tb\nb\tc\n", "X\ta\nY\tb\n"));
    contains(&swapped, &["second column of the categories", "categories=2,1"]);
    let conf = desk.graph("a\tb\nb\tc\n", "X\ta\nY\tb\n").columns("categories=2,1".parse().unwrap());
    assert_eq!(desk.contents(&conf).categories.len(), 2);
}

#[test]
fn few_pages_in_common_are_a_warning() {
    let desk = Desk::new();
    let categories: String = (0..30).map(|i| format!("p{i}\tX\n")).collect();
    let few = desk.import(&desk.graph("p0\tp1\n", &categories)).unwrap();
    contains(&warnings(&few), &["28 of 30 rows name pages that no link has", "spell names alike"]);
    let links: String = (0..30).map(|i| format!("p{i}\tp{}\n", (i + 1) % 30)).collect();
    let all = desk.import(&desk.graph(links, &categories)).unwrap();
    assert_eq!(all.warnings, []);
}

#[test]
fn a_page_named_in_no_table_has_no_text() {
    let desk = Desk::new();
    let text = desk.file("t.jsonl", jsonl(&["title", "text"], &[vec!["nobody".into(), "x".into()]]));
    let imported = desk.import(&desk.graph("a\tb\n", "a\tX\n").text(text)).unwrap();
    contains(
        &warnings(&imported),
        &["1 of 1 rows name pages that no other table has, e.g. \"nobody\", and were left out"],
    );
    assert_eq!(imported.manifest.counts.texts, 0);
}

#[test]
fn no_flipped_byte_of_a_parquet_file_makes_it_panic() {
    let desk = Desk::new();
    let links = desk.file("links.tsv", "a\tb\n");
    let rows: Vec<Vec<String>> = (0..60).map(|i| vec![format!("p{}", i % 7), format!("q{i}")]).collect();
    let whole = parquet(&["page", "category"], &rows);
    for (at, flip) in (0..whole.len()).flat_map(|at| [0x01, 0x20, 0x80, 0xFF].map(|flip| (at, flip))) {
        let mut content = whole.clone();
        content[at] ^= flip;
        // Pages that have no link: what can be decoded is refused, too, so that no corpus is written.
        let conf = TableConf::new(&links).categories(desk.file("a.parquet", content));
        assert!(desk.import(&conf).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn no_bytes_make_it_panic(
        content in prop::collection::vec(any::<u8>(), 0..300),
        name in prop::sample::select(vec!["a.tsv", "a.csv", "a.jsonl", "a.parquet", "a"]),
    ) {
        let desk = Desk::new();
        let _ = desk.import(&TableConf::new(desk.file(name, content)));
    }

    #[test]
    fn no_flipped_byte_makes_it_panic(at in 0usize..10_000, flip in 1u8.., form in 0usize..3) {
        let rows: Vec<Vec<String>> = (0..60).map(|i| vec![format!("p{}", i % 7), format!("q{i}")]).collect();
        let (name, mut content) = match form {
            0 => ("a.tsv.gz", gz(&common::tsv(&rows))),
            1 => ("a.tsv.zst", zst(&common::tsv(&rows))),
            _ => ("a.jsonl", jsonl(&["source", "target"], &rows)),
        };
        let at = at % content.len();
        content[at] ^= flip;
        let desk = Desk::new();
        let _ = desk.import(&TableConf::new(desk.file(name, content)));
    }
}

#[test]
fn a_name_that_is_too_long_is_a_bad_row() {
    let desk = Desk::new();
    let (fits, long) = ("x".repeat(LONGEST_NAME), "y".repeat(LONGEST_NAME + 1));
    let links = desk.file("links.tsv", format!("a\tb\na\t{long}\na\t{fits}\n"));
    let tags = desk.file("tags.jsonl", format!("{{\"page\":\"a\",\"tag\":[\"c\",\"{long}\"]}}\n"));
    let conf = TableConf::new(&links).categories(tags);
    let imported = desk.import(&conf).unwrap();
    assert_eq!(imported.manifest.counts.pages, 3);
    let said = warnings(&imported);
    contains(&said, &["links.tsv: skipped 1 of 3 rows (line 2: the target has 1025 bytes, more than 1024)"]);
    contains(
        &said,
        &["tags.jsonl: skipped 1 of 2 rows (line 1: the category has 1025 bytes, more than 1024)"],
    );
    contains(&desk.error(&conf.mode(Mode::Strict)), &["links.tsv: line 2: the target has 1025 bytes"]);
}

#[test]
fn a_row_that_is_too_long_is_a_bad_row_and_is_not_held() {
    let desk = Desk::new();
    let links = desk.file("links.tsv", "a\tb\nb\tc\n");
    let long = "x".repeat(3 << 20);
    let tsv = format!("a\tone\nb\t{long}\nc\tthree\n");
    let json = format!(
        "{{\"page\":\"a\",\"text\":\"one\"}}\n{{\"page\":\"b\",\"text\":\"{long}\"}}\n{{\"page\":\"c\",\"text\":\"three\"}}\n"
    );
    for (name, content) in [("t.tsv", &tsv), ("t.jsonl", &json)] {
        for limit in [100, 2 << 20] {
            let conf = TableConf::new(&links).text(desk.file(name, content)).longest_row(limit);
            let imported = desk.import(&conf).unwrap();
            let entry = imported.account.table(Table::Text).unwrap();
            assert_eq!((entry.rows, entry.bad, entry.kept), (3, 1, 2), "{name}");
            let words = if limit == 100 { "longer than 100 bytes" } else { "longer than 2 MiB" };
            contains(&warnings(&imported), &[&format!("{name}: skipped 1 of 3 rows (line 2: {words})")]);
            contains(&desk.error(&conf.mode(Mode::Strict)), &[&format!("{name}: line 2: {words}")]);
        }
    }
    // A long last line without an end, and one that is as long as may be.
    let conf = TableConf::new(&links)
        .text(desk.file("end.tsv", format!("a\t{}\nb\t{long}", "x".repeat(98))))
        .longest_row(100);
    let entry = desk.import(&conf).unwrap().account.table(Table::Text).unwrap().clone();
    assert_eq!((entry.rows, entry.bad, entry.kept), (2, 1, 1));
    // Where a quote of a CSV has no end cannot be known.
    let conf =
        TableConf::new(&links).text(desk.file("t.csv", format!("a,one\nb,\"{long}\n"))).longest_row(1 << 20);
    contains(&desk.error(&conf), &["t.csv: line 2 is longer than 1 MiB, read as CSV"]);
}

#[test]
fn a_file_of_another_kind_is_no_table() {
    let desk = Desk::new();
    let page = "<page>\n<title>A</title>\n<text>a\tb</text>\n</page>\n";
    let dump = format!("<mediawiki xml:lang=\"en\">\n{}</mediawiki>\n", page.repeat(99));
    for (name, content) in [("dump.xml", dump.clone().into_bytes()), ("dump.tsv.gz", gz(dump.as_bytes()))] {
        let error = desk.error(&TableConf::new(desk.file(name, content)));
        contains(&error, &[name, "a dump of a wiki, not a table", "ImportWiki"]);
    }
    let json = desk.file("links.tsv", "{\"source\": \"a\", \"target\": \"b\"}\n");
    contains(&desk.error(&TableConf::new(json)), &["JSON lines, read as TSV", ".jsonl"]);
    let sql = desk.file("page.sql", "-- MariaDB dump 10.19\n--\nCREATE TABLE `page` (\n");
    contains(&desk.error(&TableConf::new(sql)), &["an SQL dump, not a table", "ImportWiki"]);
}

#[test]
fn a_table_most_of_whose_rows_are_bad_is_none() {
    let desk = Desk::new();
    let rows = |good: usize, bad: usize| "a\tb\n".repeat(good) + &"three\tcolumns\there\n".repeat(bad);
    let error = desk.error(&TableConf::new(desk.file("a.tsv", rows(900, 1000))));
    contains(&error, &["a.tsv: only 900 of 1900 rows can be used, read as TSV (line 901: 3 columns"]);
    // It is given up early.
    let error = desk.error(&TableConf::new(desk.file("b.tsv", rows(20, 30_000))));
    contains(&error, &["b.tsv: only 20 of 10000 rows can be used"]);
    assert!(desk.import(&TableConf::new(desk.file("c.tsv", rows(1000, 900)))).is_ok());
    assert!(desk.import(&TableConf::new(desk.file("d.tsv", rows(20, 30)))).is_ok());
}

#[test]
fn links_that_all_lead_back_are_no_links() {
    let desk = Desk::new();
    let links = desk.file("links.tsv", "a\ta\nb\tb\n");
    contains(&desk.error(&TableConf::new(links)), &["links.tsv: none of its 2 rows makes a link"]);
}

#[test]
fn pages_that_no_link_has_are_counted_and_strict_refuses_them() {
    let desk = Desk::new();
    let names = |prefix: &str| (0..300).map(|i| format!("{prefix}{i}\tc{}\n", i % 7)).collect::<String>();
    let links: String = (0..300).map(|i| format!("p{i}\tp{}\n", (i + 1) % 300)).collect();
    let conf = desk.graph(&links, names("p") + &names("P ").replace("\tc", "\tC"));
    let imported = desk.import(&conf).unwrap();
    let expected =
        "categories.tsv: 300 of 600 rows name pages that no link has, e.g. \"P 0\", \"P 1\", \"P 2\"";
    contains(&warnings(&imported), &[expected, "Set { setting: \"pages\""]);
    contains(&desk.error(&conf.clone().mode(Mode::Strict)), &[expected, "Omit { setting: \"strict\" }"]);
    // Pages that are listed, or that another title leads to, are meant; so are those of links alone.
    let listed =
        conf.clone().pages(desk.file("pages.tsv", (0..300).map(|i| format!("P {i}\n")).collect::<String>()));
    assert!(!warnings(&desk.import(&listed.mode(Mode::Strict)).unwrap()).contains("no link has"));
    let to: String = (0..300).map(|i| format!("P {i}\tp{i}\n")).collect();
    let led = conf.clone().redirects(desk.file("redirects.tsv", to));
    assert!(!warnings(&desk.import(&led.mode(Mode::Strict)).unwrap()).contains("no link has"));
    let alone = TableConf::new(desk.path("links.tsv")).mode(Mode::Strict);
    assert_eq!(desk.import(&alone).unwrap().warnings.len(), 1); // no categories
    let text = desk.file("text.tsv", "p1\tone\nQ1\ttwo\n");
    let conf = TableConf::new(desk.path("links.tsv")).text(text);
    contains(
        &warnings(&desk.import(&conf).unwrap()),
        &["text.tsv: 1 of 2 rows name pages that no other table has, e.g. \"Q1\""],
    );
    contains(&desk.error(&conf.mode(Mode::Strict)), &["text.tsv: 1 of 2 rows name pages"]);
}
