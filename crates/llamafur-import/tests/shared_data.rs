//! Real corpora come in whole; skipped where they are not at hand.
#![allow(clippy::unwrap_used)] // a test that fails shall panic

mod common;

use common::{Desk, shared_data};
use llamafur::engine::EvidenceKind;
use llamafur::learn::train;
use llamafur::{Categories, Corpus, Engine, EngineConf, LearnConf, PageId, RankConf, Silent};
use llamafur_import::table::{Imported, Table, TableConf};
use std::path::Path;

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

/// The reasons of the first five links of 60 pages, by the default ranking: each must speak for what the scale of the corpus says of its
/// row. How many rows there are, and how many of them have a reason.
fn check_reasons(conf: &TableConf) -> [usize; 2] {
    let desk = Desk::new();
    desk.import(conf).unwrap();
    let corpus = Corpus::open(desk.path("0.corpus")).unwrap();
    let learn = LearnConf::default().held_out(0.0).ensemble(1);
    train(&Categories::all(&corpus), "llamafur", &learn, &mut Silent).unwrap().save(&corpus).unwrap();
    let engine = Engine::new(&corpus, EngineConf::default());
    let pages = (0..corpus.num_pages() as u32).map(PageId);
    let has_links = |page: &PageId| corpus.links(*page).unwrap().len() >= 10;
    let (mut rows, mut with_reasons) = (0, 0);
    for page in pages.filter(has_links).step_by(7).take(60) {
        let ranking = engine.rank(corpus.title(page).unwrap(), &RankConf::default().top(5)).unwrap();
        for link in &ranking.links {
            let is_odd = link.odder_than.unwrap() >= 50.0;
            for reason in link.reasons.iter().filter(|reason| reason.kind == EvidenceKind::CategoryPair) {
                let (links, expected) = (reason.links as f64, reason.expected.unwrap());
                let speaks = if is_odd { 2.0 * links < expected } else { links > 2.0 * expected };
                assert!(speaks, "{} → {}: {reason:?}", ranking.page, link.target);
            }
            rows += 1;
            with_reasons += usize::from(!link.reasons.is_empty());
        }
    }
    [rows, with_reasons]
}

#[test]
fn no_reason_contradicts_the_verdict_of_a_real_link() {
    let graph = |dir: &Path, links: &str, categories: &str| {
        TableConf::new(dir.join(links)).categories(dir.join(categories))
    };
    for (name, links, categories) in [
        ("wikispeedia", "links.tsv", "categories.tsv"),
        ("enwiki-computing", "links.tsv", "categories.tsv"),
        ("debian", "links.tsv.gz", "categories.tsv.gz"),
    ] {
        let Some(dir) = shared_data(name) else { return };
        let [rows, with_reasons] = check_reasons(&graph(&dir, links, categories));
        assert_eq!(rows, 300, "{name}");
        assert!(4 * with_reasons >= 3 * rows, "{name}: {with_reasons}");
    }
}
