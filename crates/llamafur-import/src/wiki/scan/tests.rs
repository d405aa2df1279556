//! Every page is read once, whatever the splits.

use super::*;
use arrow_array::Array;
use arrow_array::cast::AsArray;
use std::io::{Cursor, Write};

/// Returns a dump of `articles` articles in a ring, with a redirect, two categories and a bad page.
fn dump(articles: usize) -> String {
    let page = |title: &str, namespace: u32, rest: &str| {
        format!(
            "<page><title>{title}</title><ns>{namespace}</ns><revision><id>7</id>{rest}</revision></page>\n"
        )
    };
    let mut xml = "<mediawiki xml:lang='en'><siteinfo><dbname>testwiki</dbname></siteinfo>\n".to_owned();
    for i in 0..articles {
        let next = (i + 1) % articles;
        xml += &page(&format!("P{i}"), 0, &format!("<text>é [[p{next}]] [[P{next}]] [[Category:C]]</text>"));
    }
    xml += &page("R", 0, "<text>#REDIRECT [[P0]]</text>");
    xml += &page("Category:C", 14, "<text>__HIDDENCAT__ [[Category:D]]</text>");
    xml += &page("Category:Old", 14, "<text>#REDIRECT [[:Category:C]]</text>");
    xml += "<page><id>9</id><revision><text>without a title</text></revision></page>\n";
    xml + "</mediawiki>\n"
}

/// Returns a bzip2 file with a stream for each piece.
fn streams<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let stream = |piece: &[u8]| {
        let mut encoder = ::bzip2::write::BzEncoder::new(Vec::new(), ::bzip2::Compression::fast());
        encoder.write_all(piece).unwrap();
        encoder.finish().unwrap()
    };
    pieces.flat_map(stream).collect()
}

/// The rows of the splits of a file: kind, hidden, name, articles, categories, text; then pages and bad pages.
type Rows = (Vec<(String, bool, String, Vec<String>, Vec<String>, Option<String>)>, u64, u64);

fn scan(file: &[u8], split_bytes: u64) -> Result<Rows, WikiError> {
    scan_pages_of(LONGEST_PAGE, file, split_bytes)
}

fn scan_pages_of(longest: usize, file: &[u8], split_bytes: u64) -> Result<Rows, WikiError> {
    let files = [(PathBuf::from("dump"), file.len() as u64)];
    let plan = plan(&files, split_bytes, |_| Ok(Cursor::new(file.to_vec())))?;
    let (mut rows, mut pages, mut bad) = (Vec::new(), 0, 0);
    for split in &plan.splits {
        let reader = Cursor::new(file[split.start as usize..].to_vec());
        for scanned in Scanner::with_pages_of(longest, split, &plan.site, Text::Keep, reader)? {
            let scanned = scanned?;
            (pages, bad) = (pages + scanned.pages, bad + scanned.bad);
            let column = |name: &str| scanned.records.column_by_name(name).unwrap();
            let text = |name: &str, row: usize| column(name).as_string::<i32>().value(row).to_owned();
            let list = |name: &str, row: usize| {
                let values = column(name).as_list::<i32>().value(row);
                values.as_string::<i32>().iter().flatten().map(str::to_owned).collect::<Vec<String>>()
            };
            for row in 0..scanned.records.num_rows() {
                rows.push((
                    text("kind", row),
                    column("hidden").as_boolean().value(row),
                    text("name", row),
                    list("articles", row),
                    list("categories", row),
                    column("text").is_valid(row).then(|| text("text", row)),
                ));
            }
        }
    }
    Ok((rows, pages, bad))
}

#[test]
fn a_record_says_what_its_page_says() {
    let (rows, pages, bad) = scan(dump(2).as_bytes(), u64::MAX).unwrap();
    let row = |kind: &str, hidden, name: &str, articles: &[&str], categories: &[&str], text: Option<&str>| {
        let strings = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        (
            kind.to_owned(),
            hidden,
            name.to_owned(),
            strings(articles),
            strings(categories),
            text.map(Into::into),
        )
    };
    let expected = [
        row("article", false, "P0", &["P1"], &["C"], Some("é [[p1]] [[P1]] [[Category:C]]")),
        row("article", false, "P1", &["P0"], &["C"], Some("é [[p0]] [[P0]] [[Category:C]]")),
        row("redirect", false, "R", &["P0"], &[], None),
        row("category", true, "C", &[], &["D"], None),
        row("category redirect", false, "Old", &[], &["C"], None),
    ];
    assert_eq!(rows, expected);
    assert_eq!((pages, bad), (5, 1));
}

#[test]
fn every_page_is_read_once_whatever_the_splits() {
    let xml = dump(9);
    let expected = scan(xml.as_bytes(), u64::MAX).unwrap();
    for split_bytes in [1, 5, 6, 7, 64, 300, 1000] {
        assert_eq!(scan(xml.as_bytes(), split_bytes).unwrap(), expected, "{split_bytes}");
    }
    for piece in [40, 120, 5000] {
        let file = streams(xml.as_bytes().chunks(piece));
        for split_bytes in [10, 100, 1000, u64::MAX] {
            assert_eq!(scan(&file, split_bytes).unwrap(), expected, "{piece}, {split_bytes}");
        }
    }
}

#[test]
fn a_page_that_is_too_long_is_passed_over_whatever_the_splits() {
    let long = format!("<page><title>L</title><ns>0</ns>{}</page>\n", "x".repeat(1000));
    let xml = dump(9).replace("<page><title>P4<", &format!("{long}<page><title>P4<"));
    let (rows, pages, bad) = scan(dump(9).as_bytes(), u64::MAX).unwrap();
    let expected = (rows, pages, bad + 1);
    for split_bytes in [64, 300, 1000, 1500, u64::MAX] {
        assert_eq!(scan_pages_of(500, xml.as_bytes(), split_bytes).unwrap(), expected, "{split_bytes}");
    }
    for piece in [40, 400, 5000] {
        let file = streams(xml.as_bytes().chunks(piece));
        for split_bytes in [100, 1000, u64::MAX] {
            assert_eq!(scan_pages_of(500, &file, split_bytes).unwrap(), expected, "{piece}, {split_bytes}");
        }
    }
}

#[test]
fn damage_names_the_bytes_of_the_file() {
    let xml = dump(9);
    let whole = streams(xml.as_bytes().chunks(200));
    let second = memmem::find_iter(&whole, b"BZh1").nth(1).unwrap();
    let mut damaged = whole.clone();
    damaged[second + 40] ^= 0xFF;
    for split_bytes in [50, u64::MAX] {
        let error = scan(&damaged, split_bytes).unwrap_err().to_string();
        assert!(error.starts_with(&format!("dump: bytes {} to ", second + 4)), "{error}");
    }
    let error = |file: &[u8], split_bytes| scan(file, split_bytes).unwrap_err().to_string();
    let short = &xml.as_bytes()[..xml.len() - 30];
    let endless = xml.replace("</mediawiki>", "");
    // The last split has several pages, or the end of one.
    for split_bytes in [xml.len() as u64 / 2, endless.len() as u64 - 20] {
        assert!(error(short, split_bytes).contains("middle of a page"), "{split_bytes}");
        assert!(error(endless.as_bytes(), split_bytes).contains("the file has no end"), "{split_bytes}");
    }
}

#[test]
fn a_plan_refuses_what_is_no_dump_of_one_wiki() {
    let of = |contents: &[&str]| {
        let files: Vec<(PathBuf, u64)> =
            (0..contents.len()).map(|i| (PathBuf::from(i.to_string()), contents[i].len() as u64)).collect();
        plan(&files, 100, |file| {
            let i: usize = file.to_string_lossy().parse().unwrap();
            Ok(Cursor::new(contents[i].as_bytes().to_vec()))
        })
    };
    let (one, other) = (dump(1), dump(1).replace("testwiki", "otherwiki"));
    assert!(matches!(of(&[]), Err(WikiError::NoInput)));
    assert!(matches!(of(&[""]), Err(WikiError::Foreign { found: "an empty file", .. })));
    assert!(matches!(of(&[&one, &other]), Err(WikiError::OtherWiki { .. })));
    let with_index = of(&[&one, "600:10:Accessible"]).unwrap();
    assert_eq!(with_index.notes, ["1: the index of a multistream dump is not needed"]);
    assert_eq!(with_index.splits.iter().map(|split| split.end).max(), Some(one.len() as u64));
    assert_eq!(with_index.site.database, "testwiki");
}
