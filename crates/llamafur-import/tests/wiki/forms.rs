//! The same dump in every form gives the same corpus.

use crate::common::{Contents, Desk, gz, zst};
use crate::dump::{Dump, HEAD, bz2, import_files, large, write_parts};
use llamafur_import::wiki::WikiConf;

#[test]
fn every_compression_gives_the_same_corpus() {
    let xml = large(300).xml();
    let marked = ["\u{FEFF}".as_bytes(), xml.as_bytes()].concat();
    let forms: [(&str, Vec<u8>); 7] = [
        ("plain.xml", xml.clone().into_bytes()),
        ("marked.xml", marked),
        ("one.xml.bz2", bz2(xml.as_bytes(), 1)),
        ("many.xml.bz2", bz2(xml.as_bytes(), 37)),
        ("packed.xml.gz", gz(xml.as_bytes())),
        ("packed.xml.zst", zst(xml.as_bytes())),
        ("no-extension", bz2(xml.as_bytes(), 3)),
    ];
    let desk = Desk::new();
    let mut first: Option<Contents> = None;
    let mut graph = String::new();
    for (name, bytes) in forms {
        let file = desk.file(name, bytes);
        let made = import_files(&desk, WikiConf::new([file])).unwrap();
        assert_eq!(made.imported.account.pages.articles, 300, "{name}");
        assert_eq!(*first.get_or_insert_with(|| made.contents.clone()), made.contents, "{name}");
        let checksum = made.imported.manifest.graph_checksum();
        assert_eq!(if graph.is_empty() { &checksum } else { &graph }, &checksum, "{name}");
        graph = checksum;
    }
}

#[test]
fn parts_in_any_order_and_any_number_of_threads_give_the_same_bytes() {
    let dump = large(300);
    let desk = Desk::new();
    let mut parts = write_parts(&desk, &dump.parts(4));
    let forward = import_files(&desk, WikiConf::new(parts.clone())).unwrap().imported.manifest;
    parts.reverse();
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let made =
            pool.install(|| import_files(&desk, WikiConf::new(parts.clone()).buffer_bytes(1 << 10)).unwrap());
        assert_eq!(made.imported.manifest, forward, "{threads} threads");
    }
}

#[test]
fn the_index_of_a_multistream_dump_is_not_needed() {
    let desk = Desk::new();
    let dump = desk.file("x-multistream.xml.bz2", bz2(large(20).xml().as_bytes(), 4));
    let index = desk.file("x-multistream-index.txt.bz2", bz2(b"600:1:Page 1\n600:2:Page 2\n", 1));
    let made = import_files(&desk, WikiConf::new([dump, index])).unwrap();
    assert_eq!(made.contents.pages.len(), 20);
    assert!(made.imported.warnings[0].contains("index"), "{:?}", made.imported.warnings);
}

#[test]
fn a_dump_without_a_head_is_read_as_english() {
    let desk = Desk::new();
    let xml = Dump::new().page("A", "[[b]] [[category:X]]").page("B", "").xml();
    let file =
        desk.file("streams.xml", xml.strip_prefix(HEAD).unwrap().strip_suffix("</mediawiki>\n").unwrap());
    let made = import_files(&desk, WikiConf::new([file])).unwrap();
    assert_eq!((made.links("A"), made.categories("A")), (vec!["B"], vec!["X"]));
}

#[test]
fn the_wikis_own_words_count() {
    let desk = Desk::new();
    let head = "<mediawiki xml:lang=\"mhr\"><siteinfo><dbname>mhrwiki</dbname><namespaces>\
                <namespace key=\"0\" case=\"case-sensitive\"/><namespace key=\"14\">Категорий</namespace></namespaces></siteinfo>";
    let xml = Dump::new()
        .page("ола", "[[ял]] [[Ял]] [[категорий:А]] [[Category:Б]] [[Категория:В]]")
        .page("ял", "")
        .xml();
    let file = desk.file("mhr.xml", xml.replace(HEAD, head));
    let made = import_files(&desk, WikiConf::new([file])).unwrap();
    assert_eq!(made.links("ола"), ["ял"]);
    assert_eq!(made.categories("ола"), ["А", "Б", "В"]);
}
