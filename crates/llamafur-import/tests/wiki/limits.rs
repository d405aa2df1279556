//! Pages, lines and titles that are longer than any wiki has are passed over and counted; the others come in.

use crate::common::{Desk, gz, zst};
use crate::dump::{Dump, Made, bz2, error, import_files};
use llamafur_import::wiki::WikiConf;

const LIMIT: usize = 2000;

fn dump(long: &str) -> Dump {
    Dump::new().page("A", "[[B]] [[Category:C]]").page("Bomb", long).page("B", "[[A]] [[Category:C]]")
}

#[track_caller]
fn expect_a_and_b(made: &Made, part: &str) {
    assert_eq!(made.contents.pages, ["A", "B"].map(String::from).into());
    assert_eq!((made.contents.links.len(), made.imported.account.pages.bad), (2, 1));
    let warnings = made.imported.warnings.join("; ");
    assert!(warnings.contains("skipped 1 of 3 pages") && warnings.contains(part), "{warnings}");
}

#[test]
fn a_page_that_is_too_long_is_skipped_and_the_next_one_read() {
    let desk = Desk::new();
    let xml = dump(&"x".repeat(100_000)).xml();
    let files = [
        desk.file("a.xml", &xml),
        desk.file("b.xml.gz", gz(xml.as_bytes())),
        desk.file("c.xml.zst", zst(xml.as_bytes())),
        desk.file("d.xml.bz2", bz2(xml.as_bytes(), 1)),
        desk.file("e.xml.bz2", bz2(xml.as_bytes(), 9)),
    ];
    for file in files {
        let made = import_files(&desk, WikiConf::new([file]).longest_page(LIMIT)).unwrap();
        expect_a_and_b(&made, "page \"Bomb\", at byte ");
        expect_a_and_b(&made, "longer than 2000 bytes");
    }
}

/// A bomb by the real limit: each block of 41 bytes unpacks to 46 MB. It is read in far less memory than it would fill.
#[test]
fn a_small_file_that_unpacks_to_a_page_without_limit_is_imported() {
    let desk = Desk::new();
    let xml = dump(&"x".repeat(66 << 20)).xml();
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
    std::io::Write::write_all(&mut encoder, xml.as_bytes()).unwrap();
    let packed = encoder.finish().unwrap();
    assert!(packed.len() < 1000, "{}", packed.len());
    let made = import_files(&desk, WikiConf::new([desk.file("bomb.xml.bz2", packed)])).unwrap();
    expect_a_and_b(&made, "longer than 64 MiB");
}

#[test]
fn a_dump_of_nothing_but_a_long_page_says_why_it_has_no_article() {
    let desk = Desk::new();
    let xml = Dump::new().page("Bomb", &"x".repeat(9000)).xml();
    let message = error(&desk, WikiConf::new([desk.file("a.xml", xml)]).longest_page(LIMIT));
    assert!(message.contains("no article in 1 pages; skipped: page \"Bomb\""), "{message}");
}

#[test]
fn a_long_line_of_a_search_index_is_skipped_and_the_next_one_read() {
    let desk = Desk::new();
    let line = |title: &str, to: &str, text: &str| {
        format!(
            "{{\"title\":\"{title}\",\"namespace\":0,\"outgoing_link\":[\"{to}\"],\"category\":[\"C\"],\"text\":\"{text}\"}}\n"
        )
    };
    for length in [3000, 40 << 20] {
        let text = "x".repeat(length);
        let content = [line("A", "B", "t"), line("Bomb", "A", &text), line("B", "A", "t")].concat();
        for (name, content) in
            [("a.json", content.clone().into_bytes()), ("a.json.gz", gz(content.as_bytes()))]
        {
            let file = desk.file(name, content);
            let made = import_files(&desk, WikiConf::new([file]).longest_page(LIMIT)).unwrap();
            expect_a_and_b(&made, "a line longer than 2000 bytes");
        }
    }
}

#[test]
fn a_title_longer_than_mediawiki_allows_is_no_page_and_no_link() {
    let desk = Desk::new();
    let (fits, long) = ("x".repeat(254), "x".repeat(300));
    let made = Dump::new()
        .page("A", &format!("[[B]] [[{long}]] [[Ä{fits}]] [[Category:C]] [[Category:{long}]]"))
        .page("B", "[[A]] [[Category:C]]")
        .page(&long, "[[A]]")
        .import();
    expect_a_and_b(&made, "a title of 300 bytes, longer than 255");
    assert_eq!(made.imported.account.links.invalid, 3);
    assert!(made.imported.warnings.iter().all(|warning| warning.len() < 400), "{:?}", made.imported.warnings);
    assert_eq!(made.categories("A"), ["C"]);
    let json = |title: &str, to: &str| {
        format!(
            "{{\"title\":\"{title}\",\"namespace\":0,\"outgoing_link\":[\"{to}\"],\"category\":[\"{long}\"]}}\n"
        )
    };
    let content = [json("A", "B"), json(&long, "A"), json("B", "A"), json("A", &long)].concat();
    let made = import_files(&desk, WikiConf::new([desk.file("a.json", content)])).unwrap();
    assert_eq!(made.contents.pages, ["A", "B"].map(String::from).into());
    assert!(made.contents.categories.is_empty());
    assert_eq!(made.imported.account.pages.bad, 1);
}

#[test]
fn a_long_title_of_an_sql_dump_is_no_page_and_no_category() {
    let desk = Desk::new();
    let long = "x".repeat(300);
    let table = |name: &str, columns: &str, rows: String| {
        let content = format!("CREATE TABLE `{name}` ({columns});\nINSERT INTO `{name}` VALUES {rows};\n");
        desk.file(&format!("{name}.sql"), content)
    };
    let pages = format!("(1,0,'A',0),(2,0,'B',0),(3,0,'{long}',0),(4,0,'R',1)");
    let files = [
        table(
            "page",
            "`page_id` int, `page_namespace` int, `page_title` text, `page_is_redirect` int",
            pages,
        ),
        table("redirect", "`rd_from` int, `rd_namespace` int, `rd_title` text", format!("(4,0,'{long}')")),
        table("categorylinks", "`cl_from` int, `cl_to` text", format!("(1,'C'),(2,'{long}')")),
        table(
            "pagelinks",
            "`pl_from` int, `pl_namespace` int, `pl_title` text",
            format!("(1,0,'B'),(2,0,'{long}'),(3,0,'A')"),
        ),
    ];
    let made = import_files(&desk, WikiConf::new(files)).unwrap();
    assert_eq!(made.contents.pages, ["A", "B"].map(String::from).into());
    assert_eq!((made.contents.links.len(), made.contents.categories.len()), (1, 1));
    assert!(
        made.imported.warnings[0].contains("a title of 300 bytes, longer than 255"),
        "{:?}",
        made.imported.warnings
    );
}
