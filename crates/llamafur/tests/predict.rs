//! Links that are missing, and links that lead to the wrong page.
#![allow(clippy::unwrap_used)] // a test that fails shall panic

mod common;

use common::{Contents, said, storied};
use llamafur::categories::Categories;
use llamafur::corpus::Corpus;
use llamafur::engine::{Engine, EngineConf, Likeness, Lookup, PredictConf, PredictedPair, RankConf};
use llamafur::learn::{LearnConf, train};
use llamafur::progress::Silent;
use llamafur::words::WordsConf;
use llamafur::{Error, Remedy};
use std::collections::BTreeSet;

fn engine(contents: &Contents, dir: &tempfile::TempDir) -> Engine {
    let corpus = contents.corpus(dir, "a.corpus");
    let conf = LearnConf::default().held_out(0.0).rank(4);
    train(&Categories::all(&corpus), "llamafur", &conf, &mut Silent).unwrap().save(&corpus).unwrap();
    opened(&corpus)
}

fn opened(corpus: &Corpus) -> Engine {
    Engine::new(corpus, EngineConf::default().words(WordsConf::default().min_documents(1)))
}

fn anywhere() -> PredictConf {
    PredictConf::default().lookup(Lookup::Anywhere)
}

/// Two cliques of pages with these titles, each in a category of its own, without the links in `missing` and with those in
/// `added`, by title.
fn two_cliques(cliques: [&[&str]; 2], missing: &[[&str; 2]], added: &[[&str; 2]]) -> Contents {
    let mut titles: Vec<String> = cliques.concat().into_iter().map(str::to_owned).collect();
    titles.sort();
    let id = |title: &str| titles.iter().position(|other| other == title).unwrap() as u32;
    let clique_of = |title: &str| usize::from(cliques[1].contains(&title));
    let row = |title: &String| {
        let others = cliques[clique_of(title)].iter().filter(|other| **other != title);
        let kept = others.filter(|other| !missing.contains(&[title, other]));
        let new = added.iter().filter(|[source, _]| source == title).map(|[_, target]| target);
        let all: BTreeSet<u32> = kept.chain(new).map(|target| id(target)).collect();
        all.into_iter().collect::<Vec<u32>>()
    };
    let text = |title: &String| {
        let words = if clique_of(title) == 0 { "planet orbit moon" } else { "river water fish" };
        Some(format!("A {words}."))
    };
    Contents {
        links: titles.iter().map(row).collect(),
        categories: titles.iter().map(|title| vec![clique_of(title) as u32]).collect(),
        category_names: ["Planets", "Rivers"].map(String::from).to_vec(),
        parents: vec![vec![]; 2],
        texts: Some(titles.iter().map(text).collect()),
        titles,
    }
}

const PLANETS: [&str; 6] = ["Earth", "Jupiter", "Mars", "Neptune", "Saturn", "Venus"];
const RIVERS: [&str; 6] = ["Amazon", "Danube", "Nile", "Rhine", "Volga", "Οδός"];

#[test]
fn the_one_missing_link_is_predicted_first() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(&two_cliques([&PLANETS, &RIVERS], &[["Earth", "Mars"]], &[]), &dir);
    for scorer in ["blend", "llamafur", "aa", "llamafur+aa"] {
        let found = engine.predict("earth", &anywhere().scorer(scorer)).unwrap();
        assert_eq!((&found.page[..], found.lookup), ("Earth", Lookup::Anywhere));
        assert_eq!(found.links[0].target, "Mars", "{scorer}");
        assert!(!found.links[0].reasons.is_empty(), "{scorer}");
        assert!(found.links.is_sorted_by(|a, b| a.expectedness >= b.expectedness), "{scorer}");
        // A page that no clique has a link to is less expected.
        assert!(found.links.iter().skip(1).all(|link| RIVERS.contains(&&link.target[..])), "{scorer}");
    }
    assert_eq!(engine.predict("Earth", &anywhere().top(1)).unwrap().links.len(), 1);
    assert_eq!(engine.predict("Earth", &anywhere().top(0)).unwrap().links.len(), 7);
}

#[test]
fn a_text_names_what_it_does_not_link_to() {
    let dir = tempfile::tempdir().unwrap();
    let mut contents = two_cliques([&PLANETS, &RIVERS], &[["Earth", "Mars"], ["Earth", "Venus"]], &[]);
    let earth = contents.titles.iter().position(|title| title == "Earth").unwrap();
    let text = "Earth is next to mars and Jupiter. Not the amazonas, but the Amazon.\n\nThe οδός and Marsh.";
    contents.texts.as_mut().unwrap()[earth] = Some(text.into());
    let engine = engine(&contents, &dir);
    let found = engine.predict("Earth", &PredictConf::default().lookup(Lookup::Named)).unwrap();
    assert_eq!((found.lookup, found.num_candidates), (Lookup::Named, 3));
    let first = &found.links[0];
    assert_eq!((&first.target[..], first.words.as_deref()), ("Mars", Some("mars")));
    assert_eq!(first.snippet.as_deref(), Some("Earth is next to [[mars]] and Jupiter."));
    let others: BTreeSet<(&str, &str)> =
        found.links[1..].iter().map(|link| (&link.target[..], link.words.as_deref().unwrap())).collect();
    assert_eq!(others, BTreeSet::from([("Amazon", "Amazon"), ("Οδός", "οδός")]));
}

#[test]
fn all_pages_at_once_are_one_page_after_the_other_on_any_number_of_threads() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(&storied(60), &dir);
    let corpus = engine.corpus();
    for conf in [anywhere().top(4), PredictConf::default().lookup(Lookup::Named).top(0)] {
        let all = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut all: Vec<PredictedPair> = Vec::new();
            let counts = pool.install(|| {
                engine.predict_all(&conf, &mut Silent, |pairs| {
                    all.extend(pairs);
                    Ok::<_, Error>(())
                })
            });
            assert_eq!(counts.unwrap().pages, 60);
            all
        };
        let pairs = all(1);
        assert_eq!(pairs, all(3));
        let titled: Vec<(&str, &str, u64, Option<&str>)> = pairs
            .iter()
            .map(|pair| {
                let title = |page| corpus.title(page).unwrap();
                let bits = pair.expectedness.to_bits();
                (title(pair.source), title(pair.target), bits, pair.words.as_deref())
            })
            .collect();
        let mut expected = Vec::new();
        for page in (0..60).map(|page| format!("Page {page:04}")) {
            for link in engine.predict(&page, &conf).unwrap().links {
                expected.push((page.clone(), link.target, link.expectedness.to_bits(), link.words));
            }
        }
        let expected: Vec<(&str, &str, u64, Option<&str>)> =
            expected.iter().map(|(s, t, bits, words)| (&s[..], &t[..], *bits, words.as_deref())).collect();
        assert_eq!(titled, expected);
    }
}

#[test]
fn neither_the_page_nor_a_link_nor_anything_twice_is_predicted() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(&storied(60), &dir);
    let mut seen = BTreeSet::new();
    engine
        .predict_all(&anywhere().top(0), &mut Silent, |pairs| {
            for PredictedPair { source, target, .. } in pairs {
                assert_ne!(source, target);
                assert!(!engine.corpus().links(source)?.contains(&target));
                assert!(seen.insert((source, target)));
            }
            Ok::<_, Error>(())
        })
        .unwrap();
    assert!(!seen.is_empty());
}

#[test]
fn what_is_missing_is_named_with_a_remedy() {
    let dir = tempfile::tempdir().unwrap();
    let mut contents = storied(20);
    contents.texts = None;
    let engine = opened(&contents.corpus(&dir, "a.corpus"));
    let refused = engine.predict("Page 0001", &PredictConf::default().lookup(Lookup::Named)).unwrap_err();
    assert!(refused.is_lack() && said(&refused).contains("text"), "{}", said(&refused));
    let refused = engine.predict("Page 0001", &anywhere().scorer("llamafur")).unwrap_err();
    assert!(refused.remedy().is_some_and(|remedy: Remedy| format!("{remedy:?}").contains("Train")));
    // Suspicious links have no sentence then.
    let mends = engine.mend(&RankConf::default(), &mut Silent).unwrap();
    assert!(mends.links.iter().all(|link| link.snippet.is_none()));
    // Neighbours alone are enough for the blend.
    assert!(!engine.predict("Page 0001", &anywhere()).unwrap().left_out.is_empty());
}

#[test]
fn a_link_to_the_wrong_namesake_is_suspicious() {
    let dir = tempfile::tempdir().unwrap();
    let planets = ["Earth", "Jupiter", "Mars", "Mercury (planet)", "Saturn", "Venus"];
    let rivers = ["Amazon", "Danube", "Mercury (river)", "Nile", "Rhine", "Volga"];
    let (missing, added) = ([["Earth", "Mercury (planet)"]], [["Earth", "Mercury (river)"]]);
    let engine = engine(&two_cliques([&planets, &rivers], &missing, &added), &dir);
    assert_eq!(
        engine.namesakes("Mercury (planet)").unwrap(),
        [("Mercury (river)".to_owned(), Likeness::Title)]
    );
    for scorer in ["blend", "llamafur", "aa"] {
        let found = engine.mend(&RankConf::default().scorer(scorer), &mut Silent).unwrap();
        // Five planets and five rivers link to their own Mercury, but for Earth, which links to the other one.
        assert_eq!((found.num_links, found.links.len()), (10, 1), "{scorer}");
        let link = &found.links[0];
        assert_eq!((&link.source[..], &link.target[..]), ("Earth", "Mercury (river)"), "{scorer}");
        assert_eq!((&link.better[..], link.likeness), ("Mercury (planet)", Likeness::Title));
        assert_eq!(link.gain, link.unexpectedness - link.better_unexpectedness);
        assert!(link.gain > 0.0 && !link.reasons.is_empty());
        // Of one page alone: the same link of Earth, and of Mars one that is as it should be.
        let conf = RankConf::default().scorer(scorer);
        let of = |page: &str| engine.mend_page(page, &conf, &mut Silent).unwrap();
        assert_eq!((of("Earth").num_links, of("Earth").links), (1, found.links.clone()));
        assert_eq!((of("Mars").num_links, of("Mars").links), (1, vec![]));
    }
}

#[test]
fn the_meanings_on_a_disambiguation_page_are_namesakes() {
    let dir = tempfile::tempdir().unwrap();
    let planets = ["Earth", "Jupiter", "Mars", "Planet Mercury", "Saturn", "Venus"];
    let rivers = ["Amazon", "Danube", "Mercury Falls", "Nile", "Rhine", "Volga"];
    let mut contents = two_cliques([&planets, &rivers], &[["Earth", "Planet Mercury"]], &[]);
    // It sorts last, so that no id changes.
    contents.titles.push("mercury (disambiguation)".into());
    let id = |title: &str| contents.titles.iter().position(|other| other == title).unwrap() as u32;
    let mut listed = vec![id("Planet Mercury"), id("Mercury Falls"), id("Nile")];
    listed.sort_unstable();
    let (earth, page) = (id("Earth") as usize, contents.titles.len() as u32 - 1);
    contents.links[earth].push(page);
    contents.links.push(listed);
    contents.categories.push(vec![]);
    contents.texts = None;
    let engine = engine(&contents, &dir);
    let alike = |title: &str| engine.namesakes(title).unwrap();
    let named = |title: &str| (title.to_owned(), Likeness::Disambiguation);
    assert_eq!(alike("Planet Mercury"), [named("Mercury Falls"), named("mercury (disambiguation)")]);
    assert_eq!(alike("Nile"), []);
    // A link to the disambiguation page itself; that page is no better target of another.
    let found = engine.mistakable_links(engine.page("Earth").unwrap()).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(engine.corpus().title(found[0].0).unwrap(), "mercury (disambiguation)");
    let mut meant: Vec<&str> = found[0].1.iter().map(|&page| engine.corpus().title(page).unwrap()).collect();
    meant.sort_unstable();
    assert_eq!(meant, ["Mercury Falls", "Planet Mercury"]);
    assert_eq!(engine.mistakable_links(engine.page("mercury (disambiguation)").unwrap()).unwrap(), []);
}
