//! What comes out of an import, whatever the form in which it went in.
#![allow(clippy::unwrap_used)] // a test that fails shall panic

mod common;

use common::{Contents, Desk, bz2, checksums, csv, gz, jsonl, parquet, parquet_of, tsv, warnings, zst};
use llamafur::corpus::Corpus;
use llamafur::progress::{Progress, Silent, Task};
use llamafur::storage::Existing;
use llamafur_import::table::{Columns, Delimiter, Table, TableConf, import};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

type Rows = Vec<Vec<String>>;

/// A graph of some size with awkward names: quotes, commas, other scripts, prefixes of one another.
fn sample() -> BTreeMap<Table, Rows> {
    let page = |i: usize| {
        format!("{}Page {} “{}”, \"é\"", if i.is_multiple_of(3) { "" } else { "Ж" }, i % 40, i % 7)
    };
    let category = |i: usize| format!("Kind, {}", i % 11);
    let row = |fields: &[String]| fields.to_vec();
    let links = (0..900).map(|i| row(&[page(i), page(i * i + 5)])).collect();
    let categories = (0..400).map(|i| row(&[page(i * 3), category(i * 5)])).collect();
    let pages = (0..50).map(|i| row(&[page(i)])).chain([row(&["Alone".into()])]).collect();
    let tree = (0..20).map(|i| row(&[category(i), category(i * 2)])).collect();
    // One text a page: which of two texts wins depends on the order.
    let titles: BTreeSet<String> = (0..900).map(page).collect();
    let text = titles.iter().map(|title| row(&[title.clone(), format!("{title} is “a page”.")])).collect();
    [
        (Table::Links, links),
        (Table::Categories, categories),
        (Table::Pages, pages),
        (Table::CategoryTree, tree),
        (
            Table::Redirects,
            vec![row(&["Alias".into(), page(0)]), row(&["Alias of it".into(), "Alias".into()])],
        ),
        (Table::Text, text),
    ]
    .into()
}

fn conf(
    desk: &Desk,
    tables: &BTreeMap<Table, Rows>,
    end: &str,
    write: &dyn Fn(Table, &Rows) -> Vec<u8>,
) -> TableConf {
    let file = |table: Table| desk.file(&format!("{}{end}", table.name()), write(table, &tables[&table]));
    let conf = TableConf::new(file(Table::Links));
    Table::ALL.into_iter().fold(conf, |conf, table| conf.file(table, file(table)))
}

#[test]
fn every_format_and_compression_gives_the_same_corpus() {
    let desk = Desk::new();
    let tables = sample();
    let expected = checksums(&desk.import(&conf(&desk, &tables, ".tsv", &|_, rows| tsv(rows))).unwrap());
    let header = |table: Table, rows: &Rows| {
        let names = table.columns().iter().map(ToString::to_string).collect();
        [vec![names], rows.clone()].concat()
    };
    let crlf = |rows: &Rows| {
        let text = String::from_utf8(tsv(rows)).unwrap();
        format!("\u{FEFF}# a comment\r\n\r\n{}", text.replace('\n', "\r\n\r\n")).into_bytes()
    };
    type Write<'a> = &'a dyn Fn(Table, &Rows) -> Vec<u8>;
    let forms: [(&str, Write); 16] = [
        (".csv", &|_, rows| csv(rows)),
        (".header.csv", &|table, rows| csv(&header(table, rows))),
        (".header.tsv", &|table, rows| tsv(&header(table, rows))),
        (".crlf.tab", &|_, rows| crlf(rows)),
        (".jsonl", &|table, rows| jsonl(table.columns(), rows)),
        (".parquet", &|table, rows| parquet(table.columns(), rows)),
        (".tsv.gz", &|_, rows| gz(&tsv(rows))),
        (".txt.zst", &|_, rows| zst(&tsv(rows))),
        (".csv.gz", &|_, rows| gz(&csv(rows))),
        (".csv.bz2", &|_, rows| bz2(&csv(rows))),
        (".ndjson.bz2", &|table, rows| bz2(&jsonl(table.columns(), rows))),
        (".ndjson.zst", &|table, rows| zst(&jsonl(table.columns(), rows))),
        // Names that say nothing, or the wrong thing about the compression.
        ("-json", &|table, rows| jsonl(table.columns(), rows)),
        ("-tsv-packed", &|_, rows| gz(&tsv(rows))),
        ("-parquet", &|table, rows| parquet(table.columns(), rows)),
        (".zst", &|table, rows| jsonl(table.columns(), rows)),
    ];
    for (end, write) in forms {
        let imported = desk.import(&conf(&desk, &tables, end, write)).unwrap();
        assert_eq!(checksums(&imported), expected, "{end}");
        assert!(imported.account.tables.iter().all(|entry| entry.bad == 0), "{end}");
    }
}

#[test]
fn rows_in_another_order_give_the_same_bytes() {
    let desk = Desk::new();
    let mut tables = sample();
    let write = |_: Table, rows: &Rows| tsv(rows);
    let expected = checksums(&desk.import(&conf(&desk, &tables, ".tsv", &write)).unwrap());
    for rows in tables.values_mut() {
        let middle = rows.len() / 3;
        rows.rotate_left(middle);
        rows.reverse();
        // Every row again: duplicates do not matter either, but for texts, where the first one counts.
        rows.extend(rows.clone());
    }
    let imported = desk.import(&conf(&desk, &tables, ".other.tsv", &write)).unwrap();
    assert_eq!(checksums(&imported), expected);
}

#[test]
fn a_small_buffer_gives_the_same_bytes() {
    let desk = Desk::new();
    let rows: Rows = (0..5_000u32)
        .map(|i| vec![(i.wrapping_mul(2_654_435_761) % 97).to_string(), (i % 89).to_string()])
        .collect();
    let tables: BTreeMap<Table, Rows> = sample().into_iter().chain([(Table::Links, rows)]).collect();
    let plain = TableConf::new(desk.file("links.tsv", tsv(&tables[&Table::Links])));
    let expected = desk.import(&plain).unwrap();
    let spilled = desk.import(&plain.clone().buffer_bytes(0)).unwrap();
    assert_eq!(checksums(&spilled), checksums(&expected));
    assert_eq!(spilled.account, expected.account);
    assert!(spilled.manifest.counts.links > 4_000);
}

#[test]
fn duplicates_and_self_loops_are_dropped_and_counted_in_each_table() {
    let desk = Desk::new();
    let conf = desk
        .graph("a\tb\na\tb\nc\tc\nc\tc\n b \ta\n", "a\tX\na\tX\na\tY\n")
        .category_tree(desk.file("tree.tsv", "X\tY\nX\tY\nX\tX\nY\tX\n"))
        .pages(desk.file("pages.tsv", "a\nz\nz\n"))
        .text(desk.file("text.tsv", "a\tfirst\na\tsecond\nnobody\tthird\nb\t\n"));
    let imported = desk.import(&conf).unwrap();
    let counts = |table| {
        let entry = imported.account.table(table).unwrap();
        [entry.rows, entry.duplicates, entry.self_loops, entry.unknown, entry.kept]
    };
    assert_eq!(counts(Table::Links), [5, 1, 2, 0, 2]);
    assert_eq!(counts(Table::Categories), [3, 1, 0, 0, 2]);
    assert_eq!(counts(Table::CategoryTree), [4, 1, 1, 0, 2]);
    assert_eq!(counts(Table::Pages), [3, 1, 0, 0, 2]);
    assert_eq!(counts(Table::Text), [4, 1, 0, 1, 2]);
    assert_eq!(imported.manifest.provenance.account["links.self-loops"], 2);

    let contents = desk.contents(&conf);
    assert_eq!(contents.pages, ["a", "b", "c", "z"].map(String::from).into());
    assert_eq!(contents.texts, [("a", "first"), ("b", "")].map(|(a, b)| (a.into(), b.into())).into());
}

#[test]
fn headers_in_any_order_and_columns_by_name_or_number_find_the_same_graph() {
    let desk = Desk::new();
    let expected = desk.contents(&TableConf::new(desk.file("plain.tsv", "a\tb\nb\tc\n")));
    let columns = |text: &str| text.parse::<Columns>().unwrap();
    for (name, content, asked) in [
        ("header.tsv", "Source\tTarget\na\tb\nb\tc\n", None),
        ("swapped.csv", "to,from\nb,a\nc,b\n", None),
        ("extra.csv", "weight,src,dst\n1,a,b\n2,b,c\n", None),
        ("named.csv", "x,y\nb,a\nc,b\n", Some("links=y,x")),
        ("numbered.tsv", "b\t-\ta\nc\t-\tb\n", Some("links=3,1")),
        ("header-numbered.tsv", "target\tsource\nb\ta\nc\tb\n", Some("links=2,1")),
        (
            "keys.jsonl",
            "{\"to\":\"b\",\"n\":{\"x\":[1]},\"from\":\"a\"}\n{\"from\":\"b\",\"to\":\"c\"}\n",
            None,
        ),
        ("named.jsonl", "{\"p\":\"a\",\"q\":\"b\"}\n{\"p\":\"b\",\"q\":\"c\"}\n", Some("links=p,q")),
    ] {
        let conf = TableConf::new(desk.file(name, content));
        let conf = asked.map_or(conf.clone(), |asked| conf.columns(columns(asked)));
        assert_eq!(desk.contents(&conf), expected, "{name}");
    }
    let swapped: Rows = vec![vec!["b".into(), "a".into()], vec!["c".into(), "b".into()]];
    let recognised = TableConf::new(desk.file("a.parquet", parquet(&["target", "source"], &swapped)));
    assert_eq!(desk.contents(&recognised), expected);
    let named = TableConf::new(desk.file("b.parquet", parquet(&["x", "y"], &swapped)));
    assert_eq!(desk.contents(&named.columns(columns("links=y,x"))), expected);
}

#[test]
fn whole_numbers_are_names_in_json_and_parquet() {
    let desk = Desk::new();
    let expected = desk.contents(&TableConf::new(desk.file("a.tsv", "1\t-2\n")));
    let json = TableConf::new(desk.file("a.jsonl", "{\"source\": 1, \"target\": -2}\n"));
    assert_eq!(desk.contents(&json), expected);
    let (source, target) = (arrow_array::UInt16Array::from(vec![1]), arrow_array::Int64Array::from(vec![-2]));
    let bytes = parquet_of(vec![("source", Arc::new(source)), ("target", Arc::new(target))]);
    assert_eq!(desk.contents(&TableConf::new(desk.file("a.parquet", bytes))), expected);
}

#[test]
fn quotes_are_characters_in_tsv_and_quotes_in_csv() {
    let desk = Desk::new();
    let links = |name: &str, content: &str| desk.contents(&TableConf::new(desk.file(name, content))).links;
    let pair = |a: &str, b: &str| BTreeSet::from([(a.to_owned(), b.to_owned())]);
    assert_eq!(links("a.tsv", "\"a\"\t\"b\n"), pair("\"a\"", "\"b"));
    assert_eq!(links("a.csv", "\"a, \"\"x\"\"\",\"b\"\n"), pair("a, \"x\"", "b"));
}

#[test]
fn a_line_without_line_break_at_the_end_counts() {
    let desk = Desk::new();
    for name in ["a.tsv", "a.csv"] {
        let content = if name == "a.tsv" { "a\tb\nb\tc" } else { "a,b\r\nb,c" };
        assert_eq!(desk.contents(&TableConf::new(desk.file(name, content))).links.len(), 2, "{name}");
    }
}

#[test]
fn a_link_and_no_categories_are_fine_but_warned_about() {
    let desk = Desk::new();
    let imported = desk.import(&TableConf::new(desk.file("links.tsv", "a\tb\na\ta\n"))).unwrap();
    assert_eq!((imported.manifest.counts.pages, imported.manifest.counts.links), (2, 1));
    assert!(warnings(&imported).contains("nothing can be learnt"));
    let empty = desk.import(&desk.graph("a\tb\n", "")).unwrap();
    assert!(warnings(&empty).contains("nothing can be learnt"));
    // Words can be learnt from.
    let with_text = desk.graph("a\tb\n", "").text(desk.file("text.tsv", "a\tsome words\n"));
    assert_eq!(warnings(&desk.import(&with_text).unwrap()), "");
}

#[test]
fn a_corpus_is_replaced_only_when_asked() {
    let desk = Desk::new();
    let conf = TableConf::new(desk.file("links.tsv", "a\tb\n"));
    let out = desk.path("my.corpus");
    import(&conf, &out, &mut Silent).unwrap();
    assert!(import(&conf, &out, &mut Silent).is_err());
    import(&conf.existing(Existing::Replace), &out, &mut Silent).unwrap();
    Corpus::open(&out).unwrap().verify().unwrap();
}

#[test]
fn the_manifest_tells_where_the_corpus_came_from() {
    let desk = Desk::new();
    let packed = gz(b"# made by hand\na\tb\tx\n");
    let conf = TableConf::new(desk.file("links.tsv.gz", &packed)).columns("links=1,2".parse().unwrap());
    let imported = desk.import(&conf).unwrap();
    let provenance = &imported.manifest.provenance;
    assert_eq!(provenance.command, "import table");
    assert_eq!(provenance.options["columns.links"], "1,2");
    let input = &provenance.inputs[0];
    assert_eq!((input.role.as_str(), input.name.as_str()), ("links", "links.tsv.gz"));
    assert_eq!(input.bytes, packed.len() as u64);
    assert_eq!(input.checksum, blake3::hash(&packed).to_hex().to_string());
    assert!(warnings(&imported).contains("comment"));
}

#[test]
fn progress_reaches_its_totals() {
    #[derive(Default)]
    struct Log(Vec<(Task, Option<u64>, u64, bool)>);
    impl Progress for Log {
        fn start(&mut self, task: Task, total: Option<u64>) {
            assert!(self.0.last().is_none_or(|phase| phase.3), "phases do not overlap");
            self.0.push((task, total, 0, false));
        }
        fn advance(&mut self, by: u64) {
            self.0.last_mut().unwrap().2 += by;
        }
        fn finish(&mut self) {
            self.0.last_mut().unwrap().3 = true;
        }
    }
    let desk = Desk::new();
    let tables = sample();
    for (end, buffer) in [(".tsv.gz", 0), (".tsv.gz", usize::MAX)] {
        let conf = conf(&desk, &tables, end, &|_, rows| gz(&tsv(rows))).buffer_bytes(buffer);
        let mut log = Log::default();
        import(&conf, &desk.path(&format!("{buffer}.corpus")), &mut log).unwrap();
        let tasks: Vec<Task> = log.0.iter().map(|phase| phase.0.clone()).collect();
        assert_eq!(tasks[0], Task::ReadTable { name: "links.tsv.gz".into() });
        assert_eq!(tasks[6..], [Task::Sort, Task::WriteCorpus]);
        for (task, total, done, finished) in &log.0 {
            assert_eq!((Some(*done), *finished), (*total, true), "{task:?}");
        }
    }
}

fn set(pairs: &[(&str, &str)]) -> BTreeSet<(String, String)> {
    pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
}

#[test]
fn a_list_makes_a_row_for_each_of_its_values() {
    let desk = Desk::new();
    let links = desk.file(
        "links.jsonl",
        "{\"source\":\"a\",\"targets\":[\"b\",\"c\"]}\n{\"source\":\"b\",\"targets\":\"c\"}\n",
    );
    let json = "{\"page\":\"a\",\"tags\":[\"X\",7,\"Y\",\"X\"]}\n{\"page\":\"b\",\"tags\":[]}\n{\"page\":\"c\",\"tags\":[\"X\",null]}\n";
    let conf = TableConf::new(&links).categories(desk.file("tags.jsonl", json));
    let expected = set(&[("a", "X"), ("a", "7"), ("a", "Y"), ("c", "X")]);
    let contents = desk.contents(&conf);
    assert_eq!(contents.links, set(&[("a", "b"), ("a", "c"), ("b", "c")]));
    assert_eq!(contents.categories, expected);
    let entry = desk.import(&conf).unwrap().account.table(Table::Categories).unwrap().clone();
    // X twice is a duplicate, null a bad row.
    assert_eq!([entry.rows, entry.duplicates, entry.bad, entry.kept], [6, 1, 1, 4]);
    assert_eq!(entry.examples[0].to_string(), "line 3: the category is null, not text");

    let mut lists = arrow_array::builder::ListBuilder::new(arrow_array::builder::StringBuilder::new());
    lists.append_value([Some("X"), Some("7"), Some("Y"), Some("X")]);
    lists.append_value([None::<&str>; 0]);
    lists.append_value([Some("X"), None]);
    lists.append_null();
    let pages = arrow_array::StringArray::from(vec!["a", "b", "c", "a"]);
    let bytes = parquet_of(vec![("page", Arc::new(pages)), ("tags", Arc::new(lists.finish()))]);
    let conf = TableConf::new(&links).categories(desk.file("tags.parquet", bytes));
    assert_eq!(desk.contents(&conf).categories, expected);
    let entry = desk.import(&conf).unwrap().account.table(Table::Categories).unwrap().clone();
    assert_eq!([entry.rows, entry.duplicates, entry.bad, entry.kept], [7, 1, 2, 4]);
    assert_eq!(entry.examples[1].to_string(), "row 4: no category");
}

#[test]
fn another_delimiter_separates_columns_of_text_files() {
    let desk = Desk::new();
    let expected = set(&[("a", "b;c"), ("b;c", "d,e")]);
    let content = "source;target\na;\"b;c\"\n\"b;c\";d,e\n";
    for name in ["links.csv", "links.tsv", "links", "links.csv.gz"] {
        let file = desk.file(name, content);
        let conf = TableConf::new(file).delimiter(";".parse().unwrap());
        assert_eq!(desk.contents(&conf).links, expected, "{name}");
        assert_eq!(desk.import(&conf).unwrap().manifest.provenance.options["delimiter"], ";");
    }
    // With a tab, quotes are characters.
    let tabs = TableConf::new(desk.file("tabs.csv", "\"a\tb,c\n")).delimiter("tab".parse().unwrap());
    assert_eq!(desk.contents(&tabs).links, set(&[("\"a", "b,c")]));
    let json = TableConf::new(desk.file("a.jsonl", "{\"source\": 1, \"target\": 2}\n"));
    assert_eq!(desk.contents(&json.delimiter(";".parse().unwrap())).links, set(&[("1", "2")]));
    for bad in ["", ";;", "\"", "\n", "é"] {
        let error = bad.parse::<Delimiter>().unwrap_err().to_string();
        assert!(error.contains("one ASCII character"), "{error}");
    }
}

#[test]
fn redirects_lead_to_pages_in_every_table() {
    let desk = Desk::new();
    // A → B → b, a chain; C → D → C, a loop; E leads to a page of no other table; F twice; G to itself.
    let redirects = "title\tpage\nA\tB\nB\tb\nC\tD\nD\tC\nE\tnowhere\nF\tc\nF\td\nG\tG\n";
    let conf = desk
        .graph("a\tA\na\tB\na\tF\nb\tB\nb\tC\n", "A\tX\nb\tX\na\tY\nF\tX\n")
        .redirects(desk.file("redirects.tsv", redirects))
        .pages(desk.file("pages.tsv", "B\nz\n"))
        .text(desk.file("text.tsv", "A\tof b\nb\tagain\nE\tnone\n"));
    let contents = desk.contents(&conf);
    assert_eq!(contents.pages, ["C", "a", "b", "c", "z"].map(String::from).into());
    assert_eq!(contents.links, set(&[("a", "b"), ("a", "c"), ("b", "C")]));
    assert_eq!(contents.categories, set(&[("b", "X"), ("a", "Y"), ("c", "X")]));
    assert_eq!(contents.texts, [("b".to_owned(), "of b".to_owned())].into());
    let pairs = [("A", "b"), ("B", "b"), ("F", "c")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    assert_eq!(contents.redirects, pairs.into());
    let imported = desk.import(&conf).unwrap();
    let counts = |table| {
        let entry = imported.account.table(table).unwrap();
        [entry.rows, entry.duplicates, entry.self_loops, entry.unknown, entry.kept]
    };
    assert_eq!(counts(Table::Links), [5, 1, 1, 0, 3]);
    assert_eq!(counts(Table::Categories), [4, 1, 0, 0, 3]);
    assert_eq!(counts(Table::Redirects), [8, 1, 3, 1, 3]);
    assert_eq!(counts(Table::Text), [3, 1, 0, 1, 1]);
    let said = warnings(&imported);
    assert!(said.contains("redirects: 2 titles lead back to themselves and were left out (C, D)"), "{said}");
    assert!(said.contains("redirects.tsv: 1 of 8 redirects lead to no page"), "{said}");
}

#[test]
fn categories_of_aliases_belong_to_the_links() {
    let desk = Desk::new();
    let conf = desk.graph("New York\tBoston\n", "NYC\tcities\n");
    assert!(desk.error(&conf).contains("none of the 1 pages"));
    let conf = conf.redirects(desk.file("redirects.csv", "NYC,New York\n"));
    assert_eq!(desk.contents(&conf).categories, set(&[("New York", "cities")]));
}

/// Names that a file can hold as they are: no control characters, no blanks at the ends, no comment or header.
fn name() -> impl Strategy<Value = String> {
    "[xy][ a-bé\"',#{}-]{0,3}[a-bЖ]".prop_map(|name| name.trim().to_owned())
}

fn pairs(most: usize) -> impl Strategy<Value = Vec<(String, String)>> {
    prop::collection::vec((name(), name()), 0..most)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn what_went_in_comes_out(
        links in prop::collection::vec((name(), name()), 1..30),
        categories in pairs(20),
        tree in pairs(10),
        isolated in prop::collection::vec(name(), 0..5),
        buffer in 0usize..2_000,
    ) {
        let desk = Desk::new();
        let rows = |pairs: &[(String, String)]| -> Rows { pairs.iter().map(|(a, b)| vec![a.clone(), b.clone()]).collect() };
        // The categories of at least one page of the links, or the files would not belong together.
        let known: Vec<(String, String)> =
            categories.iter().enumerate().map(|(i, (a, b))| (if i == 0 { &links[0].0 } else { a }.clone(), b.clone())).collect();
        let pages: Rows = isolated.iter().map(|page| vec![page.clone()]).collect();
        let conf = desk
            .graph(tsv(&rows(&links)), tsv(&rows(&known)))
            .pages(desk.file("pages.csv", csv(&pages)))
            .category_tree(desk.file("tree.jsonl", jsonl(&["child", "parent"], &rows(&tree))))
            .buffer_bytes(buffer);
        let distinct = |pairs: &[(String, String)]| pairs.iter().filter(|(a, b)| a != b).cloned().collect();
        let expected = Contents {
            pages: links.iter().flat_map(|(a, b)| [a, b]).chain(known.iter().map(|(a, _)| a)).chain(&isolated).cloned().collect(),
            links: distinct(&links),
            categories: known.iter().cloned().collect(),
            parents: distinct(&tree),
            texts: BTreeMap::new(),
            redirects: BTreeMap::new(),
        };
        prop_assert_eq!(desk.contents(&conf), expected);
    }
}
