//! The encyclopedia of `llamafur demo`: large enough, well filed, and its oddities found.

use crate::common::Desk;
use llamafur::corpus::Corpus;
use llamafur::graph::PageId;
use llamafur::storage::Existing;
use llamafur_cli::cmd::demo;
use serde_json::Value;

#[test]
fn the_oddities_stand_among_the_top_three_of_their_pages() {
    let desk = Desk::new();
    let engine = demo::make(&desk.path(""), &desk.path("demo.corpus"), Existing::Refuse).unwrap();
    let ranks = demo::oddity_ranks(&engine).unwrap();
    let on_top = ranks.iter().filter(|rank| **rank <= 3).count();
    println!("{on_top} of {} oddities in the top three", ranks.len());
    for ((source, target), rank) in demo::oddities().zip(&ranks).filter(|(_, rank)| **rank > 3) {
        println!("{source} → {target}: place {rank}");
    }
    assert!(
        5 * on_top >= 4 * ranks.len(),
        "{on_top} of {} oddities in the top three: {ranks:?}",
        ranks.len()
    );
}

#[test]
fn the_encyclopedia_is_large_enough_and_well_filed() {
    let desk = Desk::new();
    desk.llamafur(["demo", "--out", "demo.corpus"]).fine();
    let corpus = Corpus::open(desk.path("demo.corpus")).unwrap();
    assert!(corpus.num_pages() >= 500, "{} pages", corpus.num_pages());
    assert!(corpus.num_links() >= 8_000, "{} links", corpus.num_links());
    assert!(demo::oddities().count() >= 40, "{} oddities", demo::oddities().count());
    assert!(corpus.manifest().counts.tree_edges > 0);
    assert_eq!(corpus.manifest().counts.texts, corpus.manifest().counts.pages);
    for page in (0..corpus.num_pages() as u32).map(PageId) {
        let (title, categories) = (corpus.title(page).unwrap(), corpus.categories(page).unwrap());
        assert!((2..=6).contains(&categories.len()), "{title}: {categories:?}");
    }
    desk.llamafur(["verify", "demo.corpus"]).fine();
    desk.llamafur(["rank", "demo.corpus", "Albert Einstein"]).fine();
}

#[test]
fn demo_shows_six_pages_with_both_sides_and_their_oddities_on_top() {
    let desk = Desk::new();
    let json = desk.llamafur(["demo", "--format", "json"]).fine().json();
    let pages = json["pages"].as_array().unwrap();
    assert_eq!(pages.len(), 6);
    let (mut with_oddity, mut reasons) = (0, Vec::new());
    for page in pages {
        let title = page["page"].as_str().unwrap();
        let mut side = |side: &str| -> Vec<String> {
            let links = page[side].as_array().unwrap();
            let said: Vec<&Value> =
                links.iter().flat_map(|link| link["reasons"].as_array().unwrap()).collect();
            reasons.extend(said.into_iter().cloned());
            links.iter().map(|link| link["target"].as_str().unwrap().to_owned()).collect()
        };
        let (unexpected, expected) = (side("unexpected"), side("expected"));
        assert!(unexpected.len() >= 3 && expected.len() == unexpected.len(), "{title}");
        assert!(unexpected.iter().all(|target| !expected.contains(target)), "{title}");
        for (_, odd) in demo::oddities().filter(|(source, _)| *source == title) {
            let place = unexpected[..3].iter().position(|target| target == odd);
            let place = place.unwrap_or_else(|| panic!("{title}: {unexpected:?} without {odd}"));
            assert!(page["unexpected"][place]["snippet"].is_string(), "{odd} without its sentence");
            with_oddity += 1;
        }
    }
    for kind in ["category-pair", "kin", "only-one"] {
        let mut by = reasons.iter().filter(|reason| reason["kind"] == kind).peekable();
        assert!(by.peek().is_some(), "no reason by {kind}");
        assert!(by.all(|reason| reason["of"].is_u64() && reason["links"].is_u64()), "no counts by {kind}");
    }
    assert!(with_oddity >= 3, "only {with_oddity} oddities are shown");
    assert!(names_left(&desk).is_empty(), "{:?}", names_left(&desk));
}

fn names_left(desk: &Desk) -> Vec<String> {
    crate::common::names_in(&desk.path(""))
}

#[test]
fn demo_prints_the_same_every_time() {
    let desk = Desk::new();
    let first = desk.llamafur(["demo", "--format", "table"]).fine();
    assert_eq!(desk.llamafur(["demo", "--format", "table"]), first);
    assert!(first.stdout.contains("most unexpected") && first.stdout.contains("most expected"), "{first}");
    // Of each link its score, its sentence and the strongest reason.
    let fish = [
        "Fish (odder than ",
        "[[fish]] of the",
        "other links from pages in",
        "chance would",
        "is the only one of the",
    ];
    assert!(fish.iter().all(|part| first.stdout.contains(part)), "{first}");
    assert_eq!(first.stderr, "");
}
