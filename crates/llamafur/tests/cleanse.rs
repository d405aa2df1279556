//! Cleansing: milestones, moves and pages against a plain transcription of their definition, and by hand.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Contents, cases, rank};
use llamafur::Error;
use llamafur::categories::{Basis, Categories, CleanseConf, Cleanser, Cleansing, Goal, Milestones};
use llamafur::corpus::{Corpus, Found};
use llamafur::graph::{CategoryId, MilestoneId, PageId};
use llamafur::learn::Model;
use llamafur::learn::{LearnConf, train};
use llamafur::progress::Silent;
use llamafur::score::{LlamaFur, Normalise};
use llamafur::{Remedy, Step};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

/// A corpus whose pages carry these categories, named in order of their ids; each with its parents.
fn contents(carried: &[&[u32]], tree: &[(&str, &[u32])]) -> Contents {
    let pages = carried.len() as u32;
    Contents {
        titles: (0..pages).map(|page| format!("Page {page:06}")).collect(),
        links: (0..pages).map(|page| if pages > 1 { vec![(page + 1) % pages] } else { vec![] }).collect(),
        categories: carried.iter().map(|row| row.to_vec()).collect(),
        category_names: tree.iter().map(|(name, _)| (*name).to_owned()).collect(),
        parents: tree.iter().map(|(_, parents)| parents.to_vec()).collect(),
        texts: None,
    }
}

fn cleanse(corpus: &Corpus, basis: Option<Basis>, conf: &CleanseConf) -> Result<Cleansing, Error> {
    Cleanser::new(corpus, basis, &mut Silent)?.cleanse(conf)
}

/// The names of the milestones, and for every page those of its own.
fn named(corpus: &Corpus, cleansing: &Cleansing) -> (Vec<String>, Vec<Vec<String>>) {
    let name = |&category: &CategoryId| corpus.category_name(category).unwrap().to_owned();
    let milestones: Vec<String> = cleansing.milestones().iter().map(name).collect();
    let graph = cleansing.graph(corpus.all_links().unwrap());
    let of = |page| graph.categories(page).iter().map(|number| milestones[number.index()].clone()).collect();
    let pages = graph.pages().map(of).collect();
    (milestones, pages)
}

/// Milestones and pages that a configuration gives on contents.
fn outcome(contents: &Contents, conf: &CleanseConf) -> (Vec<String>, Vec<Vec<String>>) {
    let dir = tempfile::tempdir().unwrap();
    let corpus = contents.corpus(&dir, "a.corpus");
    let cleansing = cleanse(&corpus, None, conf).unwrap();
    named(&corpus, &cleansing)
}

fn top(count: usize) -> CleanseConf {
    CleanseConf::default().goal(Goal::Count(count))
}

/// The paper's examples in small: manuscripts and music below culture, culture and London below everything.
fn swiss() -> Contents {
    let tree: [(&str, &[u32]); 7] = [
        ("Elections", &[3]),         // 0
        ("Everything", &[]),         // 1
        ("Flamenco", &[]),           // 2: in no tree
        ("London", &[1]),            // 3
        ("Swiss culture", &[1]),     // 4
        ("Swiss manuscripts", &[4]), // 5
        ("Swiss music", &[4]),       // 6
    ];
    contents(&[&[0], &[5, 6], &[2], &[], &[4, 5]], &tree)
}

#[test]
fn pages_move_to_the_nearest_milestone_above() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = swiss().corpus(&dir, "a.corpus");
    let cleanser = Cleanser::new(&corpus, None, &mut Silent).unwrap();
    // Everything has two below it and three a level further down; Swiss culture two, London one.
    assert_eq!(cleanser.centrality(), [0.0, 3.5, 0.0, 1.0, 2.0, 0.0, 0.0]);
    let cleansing = cleanser.cleanse(&top(2)).unwrap();
    let (milestones, pages) = named(&corpus, &cleansing);
    assert_eq!(milestones, ["Everything", "Swiss culture"]);
    // The last page's two categories become one; Flamenco has nowhere to go.
    assert_eq!(pages[..2], [vec!["Everything"], vec!["Swiss culture"]]);
    assert_eq!(pages[2..], [vec![], vec![], vec!["Swiss culture"]]);
    let distances: Vec<_> =
        (0..7).map(|c| cleansing.milestone(CategoryId(c)).map(|(_, levels)| levels)).collect();
    assert_eq!(distances, [Some(2), Some(0), None, Some(1), Some(0), Some(1), Some(1)]);
    let figures = cleansing.settings().figures;
    assert_eq!((figures.categories, figures.carried, figures.milestones, figures.used), (7, 5, 2, 2));
    assert_eq!((figures.moved, figures.dropped, figures.left_without()), (3, 1, 1));
    assert_eq!((figures.page_categories, figures.page_milestones), (6, 3));
    let told = cleansing.example_moves(corpus.all_categories().unwrap(), 10);
    let told: Vec<_> = told.iter().map(|m| (m.category.0, m.to.0, m.pages)).collect();
    assert_eq!(told, [(5, 4, 2), (0, 1, 1)]);
}

#[test]
fn ties_go_to_the_more_central_and_then_to_the_smaller_id() {
    // The child has two parents: b with another child, and a without.
    let tree: [(&str, &[u32]); 5] =
        [("a", &[]), ("b", &[]), ("c", &[]), ("child", &[0, 1]), ("other", &[1, 2])];
    let (milestones, pages) = outcome(&contents(&[&[3], &[4]], &tree), &top(3));
    assert_eq!(milestones, ["a", "b", "c"]);
    assert_eq!(pages, [["b"], ["b"]]);
    let tree: [(&str, &[u32]); 3] = [("a", &[]), ("b", &[]), ("child", &[0, 1])];
    assert_eq!(outcome(&contents(&[&[2]], &tree), &top(2)).1, [["a"]]);
}

#[test]
fn excluded_categories_are_no_milestones_but_carry_paths() {
    let tree: [(&str, &[u32]); 4] =
        [("Arts", &[]), ("Poets", &[3]), ("Unseen", &[]), ("WIKIPEDIA  poets", &[0])];
    let contents = contents(&[&[1], &[2, 3]], &tree);
    let all = CleanseConf::default().goal(Goal::All);
    let (milestones, pages) = outcome(&contents, &all.clone().exclude(["wikipedia poets", "unseen"]));
    assert_eq!(milestones, ["Arts", "Poets"]);
    // “WIKIPEDIA  poets” leads to Arts; “Unseen” has nothing above.
    assert_eq!(pages, [["Poets"], ["Arts"]]);
    let (milestones, _) = outcome(&contents, &all.clone().exclude(["poet"]));
    assert_eq!(milestones, ["Arts", "Unseen"]);
    // Nothing is excluded by default where there is no wiki, nor by an empty text.
    assert_eq!(outcome(&contents, &all).0.len(), 4);
    assert_eq!(outcome(&contents, &all.exclude([""])).0.len(), 4);
}

#[test]
fn more_milestones_than_categories_are_all_of_them() {
    let (milestones, pages) = outcome(&swiss(), &top(1_000_000));
    assert_eq!(milestones, swiss().category_names);
    assert_eq!(pages[1], ["Swiss manuscripts", "Swiss music"]);
    assert_eq!(outcome(&swiss(), &CleanseConf::default()).0.len(), 7);
}

#[test]
fn coverage_takes_the_fewest_that_keep_so_many_pages() {
    let coverage = |percent: &str| CleanseConf::default().goal(percent.parse().unwrap());
    // Four pages carry categories; three of them lie below Everything, the fourth is Flamenco alone.
    assert_eq!(outcome(&swiss(), &coverage("75%")).0, ["Everything"]);
    assert_eq!(outcome(&swiss(), &coverage("1%")).0, ["Everything"]);
    let all = outcome(&swiss(), &coverage("100%"));
    assert!(all.0.contains(&"Flamenco".to_owned()) && all.1.iter().filter(|row| row.is_empty()).count() == 1);
    let dir = tempfile::tempdir().unwrap();
    let corpus = swiss().corpus(&dir, "a.corpus");
    let error = cleanse(&corpus, None, &coverage("80%").exclude(["flamenco"])).unwrap_err().to_string();
    assert!(error.contains("80%") && error.contains("75.00% of the pages"), "{error}");
}

#[test]
fn small_milestones_pass_their_pages_on_the_lowest_first() {
    // A chain a → b → c → d with a page each.
    let tree: [(&str, &[u32]); 4] = [("a", &[1]), ("b", &[2]), ("c", &[3]), ("d", &[])];
    let chain = contents(&[&[0], &[1], &[2], &[3]], &tree);
    let all = |pages| CleanseConf::default().goal(Goal::All).min_pages(pages);
    // a goes to b, which then has two, and c goes to d.
    assert_eq!(
        outcome(&chain, &all(2)),
        (vec!["b".into(), "d".into()], ["b", "b", "d", "d"].map(|m| vec![m.into()]).into())
    );
    assert_eq!(outcome(&chain, &all(3)).0, ["c",]);
    assert_eq!(outcome(&chain, &all(4)).0, ["d"]);
    let dir = tempfile::tempdir().unwrap();
    let error = common::said(&cleanse(&chain.corpus(&dir, "a.corpus"), None, &all(5)).unwrap_err());
    assert!(error.contains("no category is left") && error.contains("min_pages"), "{error}");
}

#[test]
fn small_milestones_in_a_circle_come_to_an_end() {
    let tree: [(&str, &[u32]); 3] = [("a", &[1]), ("b", &[2]), ("c", &[0])];
    let circle = contents(&[&[0], &[1], &[2]], &tree);
    let (milestones, pages) = outcome(&circle, &CleanseConf::default().min_pages(3));
    assert_eq!((milestones.len(), pages.iter().flatten().collect::<BTreeSet<_>>().len()), (1, 1));
}

#[test]
fn ancestors_are_the_milestones_further_up_but_for_what_all_pages_have() {
    // leaf → (excluded) → branch → root; twig → root.
    let tree: [(&str, &[u32]); 5] =
        [("branch", &[3]), ("excluded", &[0]), ("leaf", &[1]), ("root", &[]), ("twig", &[3])];
    let contents = contents(&[&[2], &[4], &[0]], &tree);
    let all = |levels| CleanseConf::default().goal(Goal::All).exclude(["excluded"]).ancestors(levels);
    let pages = |levels| outcome(&contents, &all(levels)).1;
    assert_eq!(pages(0), [["leaf"], ["twig"], ["branch"]]);
    // A level is an edge of the tree: branch is two levels above leaf, whatever lies between.
    assert_eq!(pages(1)[0], ["leaf"]);
    assert_eq!(
        pages(1)[1..],
        [["root", "twig"], ["branch", "root"]].map(|mut row| {
            row.sort_unstable();
            row
        })
    );
    assert_eq!(pages(2)[0], ["branch", "leaf"]);
    // With three levels the root would be on every page.
    assert_eq!(pages(3), [vec!["branch", "leaf"], vec!["twig"], vec!["branch"]]);
}

#[test]
fn without_a_tree_categories_join_the_most_similar_frequent_one() {
    // “Cat” and “Cats” are the same pages but one; “Rare” and “Rarer” have one page each.
    let names: [(&str, &[u32]); 6] =
        [("Alone", &[]), ("Beasts", &[]), ("Cat", &[]), ("Cats", &[]), ("Rare", &[]), ("Rarer", &[])];
    let carried: [&[u32]; 9] =
        [&[1, 2, 3], &[1, 2, 3], &[1, 2, 3], &[1, 2, 3], &[1, 3], &[1], &[1, 4], &[0], &[1, 3, 5]];
    let contents = contents(&carried, &names);
    let (milestones, pages) = outcome(&contents, &CleanseConf::default());
    // Cats has six pages, Cat four of them: 4/6 is not near enough. Beasts has eight.
    assert_eq!(milestones, ["Beasts", "Cat", "Cats"]);
    // Rare's page has Beasts only; Rarer's has Beasts (1/8) and Cats (1/6); Alone's has nothing.
    assert_eq!(pages[6], ["Beasts"]);
    assert!(pages[7].is_empty());
    assert_eq!(pages[8], ["Beasts", "Cats"]);
    let dir = tempfile::tempdir().unwrap();
    let corpus = contents.corpus(&dir, "a.corpus");
    let cleansing = cleanse(&corpus, None, &CleanseConf::default()).unwrap();
    assert_eq!(cleansing.milestone(CategoryId(5)), Some((MilestoneId(2), 1)));
    assert_eq!((cleansing.settings().basis, cleansing.milestone(CategoryId(0))), (Basis::Pages, None));
    // With one-page categories allowed, each stays.
    assert_eq!(outcome(&contents, &CleanseConf::default().min_pages(1)).0.len(), 6);
    // Excluded categories do not join another one.
    let conf = CleanseConf::default().exclude(["rare"]);
    assert_eq!(cleanse(&corpus, None, &conf).unwrap().milestone(CategoryId(5)), None);
}

#[test]
fn without_a_tree_near_duplicates_become_one() {
    // y is on four of x's five pages and on no other: 4/5. z is on three of them: 3/5.
    let names: [(&str, &[u32]); 3] = [("x", &[]), ("y", &[]), ("z", &[])];
    let carried: [&[u32]; 5] = [&[0, 1, 2], &[0, 1, 2], &[0, 1, 2], &[0, 1], &[0]];
    let (milestones, pages) = outcome(&contents(&carried, &names), &CleanseConf::default());
    // z is like y (3/4 < 0.8), so it stays.
    assert_eq!(milestones, ["x", "z"]);
    assert_eq!(pages, [vec!["x", "z"], vec!["x", "z"], vec!["x", "z"], vec!["x"], vec!["x"]]);
    let coverage = CleanseConf::default().goal(Goal::Coverage(1.0));
    assert_eq!(outcome(&contents(&carried, &names), &coverage).0, ["x"]);
}

#[test]
fn what_needs_a_tree_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let flat = contents(&[&[0], &[0]], &[("x", &[])]).corpus(&dir, "flat.corpus");
    let error = common::said(&cleanse(&flat, Some(Basis::Tree), &CleanseConf::default()).unwrap_err());
    assert!(error.contains("no category tree") && error.contains("category_tree"), "{error}");
    let error = common::said(&cleanse(&flat, None, &CleanseConf::default().ancestors(1)).unwrap_err());
    assert!(error.contains("no category tree") && error.contains("category_tree"), "{error}");
    let bare = contents(&[&[], &[]], &[("x", &[]), ("y", &[0])]).corpus(&dir, "bare.corpus");
    assert!(matches!(cleanse(&bare, None, &CleanseConf::default()), Err(Error::NoCategories)));
    // A tree is there to be left aside, too.
    let swiss = swiss().corpus(&dir, "swiss.corpus");
    let conf = CleanseConf::default();
    assert_eq!(cleanse(&swiss, Some(Basis::Pages), &conf).unwrap().settings().basis, Basis::Pages);
    let error = common::said(&cleanse(&swiss, None, &conf.exclude(["e", "l", "s"])).unwrap_err());
    assert!(
        error.contains("7 have excluded names") && error.contains("Omit { setting: \"exclude\" }"),
        "{error}"
    );
}

/// Shortest ways from child to parent between all categories, by Floyd and Warshall.
fn distances(parents: &[Vec<u32>]) -> Vec<Vec<Option<u32>>> {
    let n = parents.len();
    let arc =
        |i: usize, j: usize| if i == j { Some(0) } else { parents[i].contains(&(j as u32)).then_some(1) };
    let mut d: Vec<Vec<Option<u32>>> = (0..n).map(|i| (0..n).map(|j| arc(i, j)).collect()).collect();
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                let through = d[i][k].zip(d[k][j]).map(|(a, b)| a + b);
                d[i][j] = [d[i][j], through].into_iter().flatten().min();
            }
        }
    }
    d
}

/// Trees with cycles, several components and pages: parents of each category, categories of each page.
fn trees() -> impl Strategy<Value = (Vec<Vec<u32>>, Vec<Vec<u32>>)> {
    (2..24u32).prop_flat_map(|n| {
        let row = |most| proptest::collection::btree_set(0..n, 0..most).prop_map(Vec::from_iter);
        let parents = proptest::collection::vec(row(3), n as usize);
        let carried = proptest::collection::vec(row(5), 3..30);
        (parents, carried).prop_map(|(mut parents, mut carried)| {
            for (category, row) in (0..).zip(&mut parents) {
                row.retain(|&parent| parent != category);
            }
            parents[0] = vec![1];
            carried[0] = vec![0];
            (parents, carried)
        })
    })
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn milestones_and_moves_are_those_of_the_definition(
        (parents, carried) in trees(), count in 1..12usize, levels in 0..3usize
    ) {
        let n = parents.len();
        let names: Vec<String> = (0..n).map(|c| format!("c{c:03}")).collect();
        let tree: Vec<(&str, &[u32])> = names.iter().zip(&parents).map(|(name, row)| (&name[..], &row[..])).collect();
        let rows: Vec<&[u32]> = carried.iter().map(|row| &row[..]).collect();
        let dir = tempfile::tempdir().unwrap();
        let corpus = contents(&rows, &tree).corpus(&dir, "a.corpus");
        let cleanser = Cleanser::new(&corpus, None, &mut Silent).unwrap();
        let d = distances(&parents);
        let harmonic = |x: usize| -> f64 { (0..n).filter(|&y| y != x).filter_map(|y| d[y][x]).map(|d| 1.0 / f64::from(d)).sum() };
        for (x, &found) in cleanser.centrality().iter().enumerate() {
            prop_assert!((found - harmonic(x)).abs() < 1e-12, "{x}: {found}");
        }
        // The definition, word for word.
        let central = cleanser.centrality();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| central[b].total_cmp(&central[a]).then(a.cmp(&b)));
        order.truncate(count);
        let nearest = |c: usize| (0..order.len()).filter(|&m| d[c][order[m]].is_some()).min_by_key(|&m| (d[c][order[m]], m));
        let cleansing = cleanser.cleanse(&top(count).ancestors(levels)).unwrap();
        let ids = |numbers: &[MilestoneId]| -> BTreeSet<u32> { numbers.iter().map(|n| cleansing.milestones()[n.index()].0).collect() };
        for (c, d) in d.iter().enumerate() {
            let expected = nearest(c).map(|m| (order[m] as u32, d[order[m]].unwrap()));
            let found = cleansing.milestone(CategoryId(c as u32));
            prop_assert_eq!(found.map(|(m, levels)| (cleansing.milestones()[m.index()].0, levels)), expected);
        }
        let graph = cleansing.graph(corpus.all_links().unwrap());
        let own = |row: &[u32]| -> BTreeSet<usize> { row.iter().filter_map(|&c| nearest(c as usize)).map(|m| order[m]).collect() };
        let above = |m: usize| order.iter().copied().filter(|&a| d[m][a].is_some_and(|d| d as usize <= levels)).collect::<BTreeSet<_>>();
        let full: Vec<BTreeSet<usize>> = carried.iter().map(|row| own(row).into_iter().flat_map(&above).collect()).collect();
        let with_any = full.iter().filter(|row| !row.is_empty()).count() as f64;
        let common: BTreeSet<usize> = order.iter().copied().filter(|m| full.iter().filter(|row| row.contains(m)).count() as f64 >= 0.95 * with_any).collect();
        for (page, row) in carried.iter().enumerate() {
            let own = own(row);
            let expected: BTreeSet<u32> =
                full[page].iter().filter(|m| own.contains(m) || !common.contains(m)).map(|&m| m as u32).collect();
            prop_assert_eq!(ids(graph.categories(PageId(page as u32))), expected);
        }
    }

    #[test]
    fn the_most_similar_is_that_of_the_definition((_, carried) in trees(), count in 1..12usize) {
        let n = 24;
        let names: Vec<String> = (0..n).map(|c| format!("c{c:03}")).collect();
        let tree: Vec<(&str, &[u32])> = names.iter().map(|name| (&name[..], &[][..])).collect();
        let rows: Vec<&[u32]> = carried.iter().map(|row| &row[..]).collect();
        let dir = tempfile::tempdir().unwrap();
        let corpus = contents(&rows, &tree).corpus(&dir, "a.corpus");
        let pages = |c: usize| -> BTreeSet<usize> { (0..carried.len()).filter(|&p| carried[p].contains(&(c as u32))).collect() };
        let jaccard = |a: usize, b: usize| {
            let (a, b) = (pages(a), pages(b));
            a.intersection(&b).count() as f64 / a.union(&b).count() as f64
        };
        let mut order: Vec<usize> = (0..n).filter(|&c| pages(c).len() >= 2).collect();
        order.sort_by_key(|&c| (std::cmp::Reverse(pages(c).len()), c));
        let mut milestones: Vec<usize> = Vec::new();
        for c in order {
            if !milestones.iter().any(|&m| jaccard(c, m) >= 0.8) {
                milestones.push(c);
            }
        }
        prop_assume!(!milestones.is_empty());
        milestones.truncate(count);
        let cleansing = cleanse(&corpus, None, &top(count)).unwrap();
        let found: BTreeSet<usize> = cleansing.milestones().iter().map(|m| m.index()).collect();
        prop_assert_eq!(&found, &milestones.iter().copied().collect());
        for c in 0..n {
            let best = milestones.iter().copied().filter(|&m| jaccard(c, m) > 0.0).reduce(|a, b| if jaccard(c, b) > jaccard(c, a) { b } else { a });
            let expected = if found.contains(&c) { Some(c) } else { best };
            let to = cleansing.milestone(CategoryId(c as u32)).map(|(m, _)| cleansing.milestones()[m.index()].index());
            prop_assert_eq!(to, expected, "category {}", c);
        }
    }
}

#[test]
fn the_file_has_the_same_bytes_on_any_number_of_threads() {
    let dir = tempfile::tempdir().unwrap();
    let n = 3_000u32;
    let parents: Vec<Vec<u32>> =
        (0..n).map(|c| if c == 0 { vec![7] } else { vec![c / 3, (c * 7) % c.max(1)] }).collect();
    let parents: Vec<Vec<u32>> = parents
        .into_iter()
        .zip(0..)
        .map(|(row, c)| row.into_iter().filter(|&p| p != c).collect::<BTreeSet<_>>().into_iter().collect())
        .collect();
    let names: Vec<String> = (0..n).map(|c| format!("c{c:05}")).collect();
    let tree: Vec<(&str, &[u32])> =
        names.iter().zip(&parents).map(|(name, row)| (&name[..], &row[..])).collect();
    let carried: Vec<Vec<u32>> = (0..40_000u32)
        .map(|p| BTreeSet::from([p % n, (p * 31) % n, (p / 7) % n]).into_iter().collect())
        .collect();
    let rows: Vec<&[u32]> = carried.iter().map(|row| &row[..]).collect();
    let corpus = contents(&rows, &tree).corpus(&dir, "a.corpus");
    for (basis, conf) in [(Basis::Tree, top(300).ancestors(2).min_pages(20)), (Basis::Pages, top(300))] {
        let bytes = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let cleansing = cleanse(&corpus, Some(basis), &conf).unwrap();
                fs::read(cleansing.save(&corpus, "t").unwrap().0).unwrap()
            })
        };
        let one = bytes(1);
        for threads in [2, 3, 8] {
            assert!(bytes(threads) == one, "{basis:?} on {threads} threads");
        }
    }
}

#[test]
fn a_saved_cleansing_gives_back_what_was_saved() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = swiss().corpus(&dir, "a.corpus");
    let cleansing = cleanse(&corpus, None, &top(2)).unwrap();
    let (path, _) = cleansing.save(&corpus, "default").unwrap();
    assert_eq!(path, corpus.path().join("milestones.arrow"));
    cleanse(&corpus, None, &top(1)).unwrap().save(&corpus, "broad").unwrap();
    assert_eq!(Milestones::names(&corpus).unwrap(), ["broad", "default"]);
    let opened = Milestones::open(&corpus, "default").unwrap();
    opened.verify().unwrap();
    assert_eq!(opened.settings(), cleansing.settings());
    assert_eq!((opened.num(), opened.centrality(MilestoneId(0)).unwrap()), (2, 3.5));
    for category in (0..7).map(CategoryId) {
        assert_eq!(opened.milestone(category).unwrap(), cleansing.milestone(category));
    }
    let categories = Categories::preferred(&corpus).unwrap();
    let (graph, expected) = (categories.graph().unwrap(), cleansing.graph(corpus.all_links().unwrap()));
    for page in graph.pages() {
        assert_eq!(graph.categories(page), expected.categories(page));
        assert_eq!(categories.of(page).unwrap(), expected.categories(page));
    }
    assert!(categories.of(PageId(5)).is_err() && opened.category(MilestoneId(2)).is_err());
    let milestone = |name: &str| match corpus.find_category(name).unwrap() {
        Found::One(category) => (category.0, categories.milestone(category).unwrap().map(|id| id.0)),
        other => panic!("{name}: {other:?}"),
    };
    assert_eq!(milestone("swiss CULTURE"), (4, Some(1)));
    assert_eq!(milestone("London"), (3, Some(0)));
    assert_eq!(milestone("Flamenco"), (2, None));
    assert_eq!(categories.origins(PageId(1), MilestoneId(1)).unwrap(), ["Swiss manuscripts", "Swiss music"]);
    assert_eq!(Categories::all(&corpus).origins(PageId(0), MilestoneId(0)).unwrap(), ["Elections"]);
}

#[test]
fn names_that_fold_to_the_same_are_told_apart() {
    let tree: [(&str, &[u32]); 3] = [("ART", &[]), ("Art", &[]), ("art", &[0, 1])];
    let dir = tempfile::tempdir().unwrap();
    let corpus = contents(&[&[2], &[1]], &tree).corpus(&dir, "a.corpus");
    cleanse(&corpus, None, &top(2)).unwrap().save(&corpus, "default").unwrap();
    let categories = Categories::preferred(&corpus).unwrap();
    assert_eq!(corpus.find_category("Art").unwrap(), Found::One(CategoryId(1)));
    assert_eq!(categories.milestone(CategoryId(1)).unwrap(), Some(MilestoneId(1)));
    assert!(matches!(corpus.find_category("aRT").unwrap(), Found::Several(all) if all.len() == 3));
    assert!(cleanse(&corpus, None, &top(2).exclude(["aRt"])).is_err());
}

#[test]
fn the_preferred_cleansing_is_the_default_one_or_the_only_one() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = swiss().corpus(&dir, "a.corpus");
    let preferred = || {
        Categories::preferred(&corpus).map(|categories| categories.milestones().map(|m| m.id().name.clone()))
    };
    assert_eq!(preferred().unwrap(), None);
    let cleansing = cleanse(&corpus, None, &top(2)).unwrap();
    cleansing.save(&corpus, "b").unwrap();
    assert_eq!(preferred().unwrap(), Some("b".into()));
    cleansing.save(&corpus, "a").unwrap();
    let error = common::said(&preferred().unwrap_err());
    assert!(error.contains("(a, b)") && error.contains("setting: \"cleansing\""), "{error}");
    cleansing.save(&corpus, "default").unwrap();
    assert_eq!(preferred().unwrap(), Some("default".into()));
    let error = common::said(&Milestones::open(&corpus, "c").unwrap_err());
    assert!(error.contains("(there are: a, b, default)") && error.contains("(\"name\", \"c\")"), "{error}");
    for name in ["none", "", ".x", "a/b", ".."] {
        assert!(matches!(cleansing.save(&corpus, name), Err(Error::Name { .. })), "{name}");
    }
}

#[test]
fn a_model_keeps_to_the_cleansing_that_it_was_trained_on() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = common::storied(40).corpus(&dir, "a.corpus");
    cleanse(&corpus, None, &top(3)).unwrap().save(&corpus, "default").unwrap();
    let categories = Categories::preferred(&corpus).unwrap();
    let trained = Arc::new(train(&categories, "m", &LearnConf::default().rank(2), &mut Silent).unwrap());
    trained.save(&corpus).unwrap();
    let model = Arc::new(Model::open(&corpus, "m").unwrap());
    assert_eq!((model.settings(), model.settings().categories), (trained.settings(), 3));
    let ranking = |model: &Arc<Model>| {
        let scorer = Arc::new(LlamaFur::new(model.clone(), Normalise::default()).unwrap());
        rank(&corpus, &scorer, PageId(3))
    };
    assert_eq!(ranking(&model), ranking(&trained));
    let plain =
        train(&Categories::all(&corpus), "plain", &LearnConf::default().rank(2), &mut Silent).unwrap();
    let plain = Arc::new(plain);
    plain.save(&corpus).unwrap();
    assert_ne!(ranking(&plain), ranking(&trained));

    cleanse(&corpus, None, &top(3).min_pages(1)).unwrap().save(&corpus, "default").unwrap();
    let error = Model::open(&corpus, "m").unwrap_err();
    assert!(matches!(error, Error::OtherCleansing { .. }));
    assert_eq!(error.remedy(), Some(Remedy::run(Step::Train)));
    fs::remove_file(corpus.path().join("milestones.arrow")).unwrap();
    let error = common::said(&Model::open(&corpus, "m").unwrap_err());
    assert!(error.contains("m.safetensors") && error.contains("step: Cleanse"), "{error}");
    assert!(Model::open(&corpus, "plain").is_ok());
}
