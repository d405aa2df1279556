//! Real corpora come in whole; skipped where they are not at hand.
#![allow(clippy::unwrap_used)] // a test that fails shall panic

mod common;

use common::{Desk, shared_data};
use llamafur_import::table::{Imported, Table, TableConf};

fn counts(imported: &Imported) -> [u64; 5] {
    let counts = &imported.manifest.counts;
    [counts.pages, counts.links, counts.categories, counts.tree_edges, counts.texts]
}

#[test]
fn wikispeedia_comes_in_whole() {
    let Some(dir) = shared_data("wikispeedia") else { return };
    let conf = TableConf::new(dir.join("links.tsv"))
        .categories(dir.join("categories.tsv"))
        .category_tree(dir.join("category-tree.tsv"))
        .pages(dir.join("articles.tsv"));
    let imported = Desk::new().import(&conf).unwrap();
    assert_eq!(counts(&imported), [4_598, 119_769, 146, 145, 0]);
    let links = imported.account.table(Table::Links).unwrap();
    assert_eq!((links.rows, links.self_loops, links.duplicates, links.bad), (119_879, 110, 0, 0));
    assert_eq!(imported.warnings, []);
}

#[test]
fn debian_comes_in_whole() {
    let Some(dir) = shared_data("debian") else { return };
    let conf = TableConf::new(dir.join("links.tsv.gz"))
        .categories(dir.join("categories.tsv.gz"))
        .pages(dir.join("packages.tsv.gz"))
        .text(dir.join("descriptions.tsv.gz"));
    let imported = Desk::new().import(&conf).unwrap();
    assert_eq!(counts(&imported), [63_436, 292_157, 656, 0, 63_436]);
}

#[test]
fn enwiki_computing_comes_in_whole() {
    let Some(dir) = shared_data("enwiki-computing") else { return };
    let conf = TableConf::new(dir.join("links.tsv"))
        .categories(dir.join("categories.tsv"))
        .pages(dir.join("pages.tsv"))
        .columns("pages=1".parse().unwrap())
        .text(dir.join("text.jsonl.gz"));
    let imported = Desk::new().import(&conf).unwrap();
    assert_eq!(counts(&imported), [5_447, 134_863, 14_162, 0, 5_447]);
}
