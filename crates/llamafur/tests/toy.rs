//! The toy corpus in `data/toy`: its tables fit together, and its one surprise is found.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Contents, found, rank};
use llamafur::categories::Categories;
use llamafur::corpus::Corpus;
use llamafur::graph::PageId;
use llamafur::learn::{LearnConf, Method, train};
use llamafur::progress::Silent;
use llamafur::score::Inputs;
use llamafur::score::{LlamaFur, Normalise};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// The two columns of a table.
fn table(name: &str) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/toy").join(name);
    let text = fs::read_to_string(&path).unwrap();
    let columns = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [first, second] = columns[..] else { panic!("{name}: {line}") };
        (first.to_owned(), second.to_owned())
    };
    text.lines().map(columns).collect()
}

/// For each name the ids of the names that the table joins it to.
fn rows(names: &[String], table: &[(String, String)], others: &[String]) -> Vec<Vec<u32>> {
    let of = |name: &String| {
        let joined = table.iter().filter(|(first, _)| first == name);
        let ids: BTreeSet<u32> =
            joined.map(|(_, second)| others.binary_search(second).unwrap() as u32).collect();
        ids.into_iter().collect()
    };
    names.iter().map(of).collect()
}

fn toy(dir: &tempfile::TempDir) -> Corpus {
    let (links, carried, tree) = (table("links.tsv"), table("categories.tsv"), table("category-tree.tsv"));
    let distinct = |names: BTreeSet<&String>| names.into_iter().cloned().collect::<Vec<_>>();
    let titles = distinct(links.iter().flat_map(|(source, target)| [source, target]).collect());
    let carried_names = carried.iter().map(|(_, category)| category);
    let category_names =
        distinct(carried_names.chain(tree.iter().flat_map(|(child, parent)| [child, parent])).collect());
    let texts: BTreeMap<String, String> = table("text.tsv").into_iter().collect();
    Contents {
        links: rows(&titles, &links, &titles),
        categories: rows(&titles, &carried, &category_names),
        parents: rows(&category_names, &tree, &category_names),
        texts: Some(titles.iter().map(|title| texts.get(title).cloned()).collect()),
        titles,
        category_names,
    }
    .corpus(dir, "toy.corpus")
}

#[test]
fn ten_pages_each_with_categories_and_a_text_that_names_its_links() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = toy(&dir);
    let inputs = Inputs::new(&corpus);
    assert_eq!(corpus.num_pages(), 10);
    for page in (0..10).map(PageId) {
        let title = corpus.title(page).unwrap();
        assert!((2..=3).contains(&corpus.categories(page).unwrap().len()), "{title}");
        let text = inputs.texts().get(page).unwrap();
        for &target in corpus.links(page).unwrap() {
            let sentence = text.sentence(target).unwrap();
            let target = corpus.title(target).unwrap();
            assert!(sentence.is_some(), "{title} does not say how it comes to {target}");
        }
    }
}

#[test]
fn the_surprise_of_jupiter_is_fish() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = toy(&dir);
    let page = |title: &str| match corpus.find_page(title).unwrap() {
        llamafur::corpus::Found::One(page) => page,
        other => panic!("{title}: {other:?}"),
    };
    assert_eq!(found(&corpus, "jupiter").unwrap(), ("one", vec!["Jupiter".into()]));
    for method in Method::ALL {
        let surprised_by = |seed| {
            let conf = LearnConf::default().method(method).seed(seed);
            let model = Arc::new(train(&Categories::all(&corpus), "toy", &conf, &mut Silent).unwrap());
            let scorer = Arc::new(LlamaFur::new(model.clone(), Normalise::default()).unwrap());
            rank(&corpus, &scorer, page("Jupiter"))[0].target
        };
        assert_eq!(surprised_by(1), page("Fish"), "{method}, the default seed");
        // So small a graph leaves much to the draws: by chance it would be one seed in four.
        let found = (1..=100).filter(|&seed| surprised_by(seed) == page("Fish")).count();
        assert!(found >= 75, "{method}: {found} of 100 seeds");
    }
}
