//! Files that are no dump, or not the right one: said clearly, with a way out, and nothing left behind.

use crate::common::{Desk, gz};
use crate::dump::{Dump, bz2, error, import_files, large};
use llamafur_import::wiki::WikiConf;

#[track_caller]
fn expect(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in: {message}");
    }
}

fn utf_16(text: &str, big_endian: bool) -> Vec<u8> {
    let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
    units.flat_map(|unit: u16| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
}

#[test]
fn utf_16_is_refused_with_the_command_that_converts_it() {
    let desk = Desk::new();
    let xml = large(3).xml();
    let forms =
        [utf_16(&xml, false), utf_16(&xml, true), bz2(&utf_16(&xml, true), 2), gz(&utf_16(&xml, false))];
    for bytes in forms {
        let file = desk.file("wide.xml", bytes);
        expect(&error(&desk, WikiConf::new([file])), &["wide.xml: UTF-16 text", "iconv -f UTF-16 -t UTF-8"]);
    }
}

#[test]
fn files_of_other_kinds_are_named() {
    let desk = Desk::new();
    let cases: [(&str, Vec<u8>, &[&str]); 11] = [
        (
            "page.sql",
            b"-- MySQL dump 10.19\n".to_vec(),
            &["an SQL file without a table", "expected the pages of a MediaWiki wiki"],
        ),
        ("page.sql.gz", gz(b"-- MySQL dump 10.19\n"), &["an SQL file"]),
        ("wiki.json", b"{\"a\": 1}".to_vec(), &["a JSON file"]),
        ("links.tsv", b"a\tb\n".to_vec(), &["not an XML file"]),
        ("page.html", b"<!doctype html><html><page></html>".to_vec(), &["XML or HTML of another kind"]),
        ("empty.xml", Vec::new(), &["an empty file"]),
        ("blank.xml.bz2", bz2(b"", 1), &["an empty file"]),
        ("history.7z", b"7z\xBC\xAF\x27\x1C\0\0".to_vec(), &["a 7z archive", "7z x -so"]),
        ("dump.xml.xz", b"\xFD7zXZ\0\0\0".to_vec(), &["an xz file", "xz -dc"]),
        ("dump.zip", b"PK\x03\x04....".to_vec(), &["a zip archive", "unzip -p"]),
        ("other.xml", format!("<feed>{}", " ".repeat(3_000_000)).into_bytes(), &["XML without a <page>"]),
    ];
    for (name, content, parts) in cases {
        let file = desk.file(name, content);
        let message = error(&desk, WikiConf::new([file]));
        expect(&message, &[name]);
        expect(&message, parts);
    }
}

#[test]
fn wrong_names_are_said_before_anything_is_read() {
    let desk = Desk::new();
    let good = desk.file("good.xml", large(3).xml());
    expect(
        &error(&desk, WikiConf::new([good.clone(), desk.path("missing.xml")])),
        &["missing.xml", "no such file"],
    );
    expect(&error(&desk, WikiConf::new([desk.path("")])), &["a folder where a file was expected"]);
    expect(&error(&desk, WikiConf::new([good.clone(), good])), &["good.xml", "named twice"]);
    expect(&error(&desk, WikiConf::new::<&str>([])), &["no dump was named"]);
}

#[test]
fn two_wikis_in_one_file_do_not_make_one_corpus() {
    let desk = Desk::new();
    let both = format!("{0}{1}", large(3).xml(), large(3).xml().replace("testwiki", "otherwiki"));
    for (name, bytes) in [("both.xml", both.clone().into_bytes()), ("both.xml.gz", gz(both.as_bytes()))] {
        let file = desk.file(name, bytes);
        let message = error(&desk, WikiConf::new([file]));
        expect(&message, &[name, "a dump of otherwiki", "testwiki", "one wiki at a time"]);
    }
}

#[test]
fn parts_of_one_wiki_in_one_file_are_read_as_one() {
    let parts = large(40).parts(2).concat();
    let desk = Desk::new();
    let file = desk.file("parts.xml", parts);
    let made = import_files(&desk, WikiConf::new([file])).unwrap();
    assert_eq!(made.contents.pages, large(40).import().contents.pages);
}

#[test]
fn a_dump_without_its_head_is_remarked_on() {
    let xml = large(3).xml();
    let headless = &xml[xml.find("<page>").unwrap()..];
    let desk = Desk::new();
    let file = desk.file("stream.xml.bz2", bz2(headless.as_bytes(), 1));
    let made = import_files(&desk, WikiConf::new([file])).unwrap();
    expect(&made.imported.warnings[0], &["stream.xml.bz2", "language and namespaces", "read as English"]);
    assert_eq!(large(3).import().imported.warnings, [""; 0]);
}

#[test]
fn two_wikis_do_not_make_one_corpus() {
    let desk = Desk::new();
    let one = desk.file("one.xml", large(3).xml());
    let two = desk.file("two.xml", large(3).xml().replace("testwiki", "otherwiki"));
    expect(
        &error(&desk, WikiConf::new([one, two])),
        &["two.xml", "otherwiki", "testwiki", "one wiki at a time"],
    );
}

#[test]
fn a_dump_without_articles_is_no_corpus() {
    let desk = Desk::new();
    let only = desk.file("only.xml", Dump::new().category("X", "").revision(10, "Template:Y", 1, "").xml());
    expect(&error(&desk, WikiConf::new([only])), &["no article in 2 pages"]);
    let none = desk.file("none.xml", Dump::new().xml());
    expect(&error(&desk, WikiConf::new([none])), &["no article"]);
}

#[test]
fn a_broken_head_is_said() {
    let desk = Desk::new();
    let file = desk.file(
        "head.xml",
        "<mediawiki xml:lang=\"en\"><siteinfo></wrong></siteinfo><page><title>A</title></page></mediawiki>",
    );
    expect(&error(&desk, WikiConf::new([file])), &["head.xml", "the head of the dump"]);
}
