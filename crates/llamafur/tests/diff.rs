//! What changed between two corpora: by hand, by changes made at random, and by 200 changes of a real wiki.
#![allow(clippy::unwrap_used)]

mod common;

use llamafur::corpus::{Corpus, CorpusWriter, ListColumn, Provenance, StringColumn};
use llamafur::engine::{CorpusDiff, DiffConf, PageChange, TopLink};
use llamafur::learn::{LearnConf, Method, train};
use llamafur::progress::Silent;
use llamafur::storage::Existing;
use llamafur::text::wikitext::Site;
use llamafur::{Categories, Engine, EngineConf, Error, RankConf};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

type Sets = BTreeMap<String, BTreeSet<String>>;

/// A wiki that can be changed: the links and the categories of each page, and titles that lead to pages.
#[derive(Debug, Clone, Default)]
struct Wiki {
    links: Sets,
    categories: Sets,
    redirects: BTreeMap<String, String>,
    database: String,
}

impl Wiki {
    fn of(pages: &[(&str, &[&str], &[&str])]) -> Wiki {
        let mut wiki = Wiki::default();
        for (page, links, categories) in pages {
            let set = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
            wiki.links.insert((*page).into(), set(links));
            wiki.categories.insert((*page).into(), set(categories));
        }
        wiki
    }

    /// The tables of a folder: pages, links, categories, redirects.
    fn read(folder: &Path) -> Wiki {
        let rows = |name: &str| {
            let text = fs::read_to_string(folder.join(format!("{name}.tsv"))).unwrap();
            let row = |line: &str| line.split('\t').map(str::to_owned).collect::<Vec<_>>();
            text.lines().map(row).collect::<Vec<_>>()
        };
        let mut wiki = Wiki::default();
        for row in rows("pages") {
            wiki.links.insert(row[0].clone(), BTreeSet::new());
            wiki.categories.insert(row[0].clone(), BTreeSet::new());
        }
        for row in rows("links") {
            if row[0] != row[1] && row.iter().all(|page| wiki.links.contains_key(page)) {
                wiki.links.get_mut(&row[0]).unwrap().insert(row[1].clone());
            }
        }
        for row in rows("categories") {
            if let Some(categories) = wiki.categories.get_mut(&row[0]) {
                categories.insert(row[1].clone());
            }
        }
        for row in rows("redirects") {
            if wiki.links.contains_key(&row[1]) && !wiki.links.contains_key(&row[0]) {
                wiki.redirects.insert(row[0].clone(), row[1].clone());
            }
        }
        wiki
    }

    fn write(&self, path: &Path) -> Corpus {
        let titles: Vec<&String> = self.links.keys().collect();
        let names: BTreeSet<&String> = self.categories.values().flatten().collect();
        let names: Vec<&String> = names.into_iter().collect();
        let ids = |all: &[&String], set: &BTreeSet<String>| -> Vec<u32> {
            set.iter().map(|name| all.binary_search(&name).unwrap() as u32).collect()
        };
        let mut writer = CorpusWriter::create(path, Existing::Replace).unwrap();
        if !self.database.is_empty() {
            writer.set_site(Site { database: self.database.clone(), ..Site::default() });
        }
        let links: ListColumn = self.links.values().map(|set| ids(&titles, set)).collect();
        let categories: ListColumn = self.categories.values().map(|set| ids(&names, set)).collect();
        writer.write_pages(titles.iter().collect::<StringColumn>(), links, categories).unwrap();
        let parents: ListColumn = names.iter().map(|_| Vec::<u32>::new()).collect();
        writer.write_categories(names.iter().collect::<StringColumn>(), parents).unwrap();
        let targets = self.redirects.values().map(|to| titles.binary_search(&to).unwrap() as u32).collect();
        writer.write_redirects(self.redirects.keys().collect::<StringColumn>(), targets).unwrap();
        writer.finish(Provenance::default()).unwrap();
        Corpus::open(path).unwrap()
    }

    /// Gives a page another title. Titles that led to it still do, and so does the old one.
    fn rename(&mut self, from: &str, to: &str) {
        for sets in [&mut self.links, &mut self.categories] {
            let set = sets.remove(from).unwrap();
            sets.insert(to.into(), set);
        }
        self.lead(from, Some(to));
    }

    /// Removes a page; its title leads to another one, or nowhere.
    fn remove(&mut self, page: &str, to: Option<&str>) {
        self.links.remove(page).unwrap();
        self.categories.remove(page).unwrap();
        self.lead(page, to);
    }

    fn lead(&mut self, from: &str, to: Option<&str>) {
        for (page, links) in &mut self.links {
            if links.remove(from) {
                links.extend(to.filter(|to| to != page).map(str::to_owned));
            }
        }
        match to {
            Some(to) => {
                self.redirects
                    .values_mut()
                    .filter(|target| *target == from)
                    .for_each(|target| *target = to.into());
                self.redirects.remove(to);
                self.redirects.insert(from.into(), to.into());
            }
            None => self.redirects.retain(|_, target| target != from),
        }
    }
}

fn diff(old: &Corpus, new: &Corpus, conf: &DiffConf) -> CorpusDiff {
    let [old, new] = [old, new].map(|corpus| Engine::new(corpus, EngineConf::default()));
    old.diff(&new, conf, &mut Silent).unwrap()
}

/// All changes.
fn all() -> DiffConf {
    DiffConf::default().rank(RankConf::default().top(0))
}

fn pairs(links: &[TopLink]) -> BTreeSet<(String, String)> {
    links.iter().map(|link| (link.source.clone(), link.link.target.clone())).collect()
}

fn set<const N: usize>(pairs: [(&str, &str); N]) -> BTreeSet<(String, String)> {
    pairs.map(|(a, b)| (a.to_owned(), b.to_owned())).into()
}

/// Each page with the title that it is related to.
fn related(pages: &[PageChange]) -> BTreeSet<(String, Option<String>)> {
    pages.iter().map(|page| (page.page.clone(), page.from.clone().or(page.to.clone()))).collect()
}

/// Planets link to each other, and so do animals.
fn planets_and_animals() -> Wiki {
    let mut wiki = Wiki::of(&[
        ("Fish", &["Llama", "Whale"], &["Animals"]),
        ("Jupiter", &["Mars", "Saturn"], &["Planets"]),
        ("Llama", &["Fish", "Whale"], &["Animals", "Camelids"]),
        ("Mars", &["Jupiter", "Saturn"], &["Planets"]),
        ("Saturn", &["Jupiter", "Mars"], &["Planets"]),
        ("Whale", &["Fish", "Llama"], &["Animals"]),
    ]);
    wiki.redirects.insert("Red planet".into(), "Mars".into());
    wiki
}

fn trained(wiki: &Wiki, path: &Path, method: Method) -> Corpus {
    let corpus = wiki.write(path);
    let conf = LearnConf::default().method(method).passes(20);
    let model = train(&Categories::all(&corpus), "llamafur", &conf, &mut Silent).unwrap();
    model.save(&corpus).unwrap();
    corpus
}

#[test]
fn a_corpus_does_not_differ_from_itself() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = trained(&planets_and_animals(), &dir.path().join("a"), Method::Factored);
    let diff = diff(&corpus, &corpus, &all());
    assert!(diff.counts.is_empty(), "{diff:?}");
    assert_eq!((diff.new_links.len(), diff.vanished_links.len(), diff.recategorised.len()), (0, 0, 0));
    assert!(diff.moved.is_empty() && diff.came.is_empty() && diff.went.is_empty());
}

#[test]
fn the_link_that_the_older_matrix_does_not_expect_comes_first() {
    let dir = tempfile::tempdir().unwrap();
    let mut wiki = planets_and_animals();
    wiki.links.get_mut("Mars").unwrap().remove("Saturn");
    let old = trained(&wiki, &dir.path().join("old"), Method::Factored);
    wiki.links.get_mut("Mars").unwrap().extend(["Llama".to_owned(), "Saturn".to_owned()]);
    wiki.links.get_mut("Jupiter").unwrap().remove("Saturn");
    let diff = diff(&old, &wiki.write(&dir.path().join("new")), &all());
    assert_eq!(pairs(&diff.vanished_links), set([("Jupiter", "Saturn")]));
    let new: Vec<_> = diff.new_links.iter().map(|link| (&link.source[..], &link.link.target[..])).collect();
    assert_eq!(new, [("Mars", "Llama"), ("Mars", "Saturn")]);
    let [odd, expected] = [0, 1].map(|at| diff.new_links[at].link.unexpectedness.unwrap());
    assert!(odd > expected, "{diff:?}");
    assert_eq!([0, 1].map(|at| diff.new_links[at].link.explained), [Some(false), Some(true)]);
    assert_eq!((diff.counts.new_links, diff.counts.vanished_links), (2, 1));
}

#[test]
fn a_page_moves_as_far_as_the_rows_of_its_categories_are_apart() {
    let dir = tempfile::tempdir().unwrap();
    for method in [Method::Factored, Method::Naive] {
        let mut wiki = planets_and_animals();
        let corpus = wiki.write(&dir.path().join("old"));
        let conf = LearnConf::default().method(method).passes(20);
        let model = train(&Categories::all(&corpus), "llamafur", &conf, &mut Silent).unwrap();
        model.save(&corpus).unwrap();
        wiki.categories.insert("Mars".into(), ["Animals".to_owned()].into());
        wiki.categories.get_mut("Llama").unwrap().remove("Camelids");
        wiki.categories.insert("Fish".into(), ["Unheard of".to_owned()].into());
        let new = wiki.write(&dir.path().join("new"));
        let diff =
            diff(&corpus, &new, &DiffConf::default().rank(RankConf::default().scorer("llamafur").top(0)));
        let row = |category: u32| -> Vec<f64> {
            use llamafur::MilestoneId as Id;
            (0..3).map(|to| model.matrix().unwrap().weight(Id(category), Id(to))).collect()
        };
        // Animals are category 0, camelids 1, planets 2.
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let distance = |a: &[f64], b: &[f64]| 1.0 - dot(a, b) / (dot(a, a) * dot(b, b)).sqrt();
        let both: Vec<f64> = row(0).iter().zip(row(1)).map(|(a, b)| a + b).collect();
        let expected = [
            ("Mars", Some(distance(&row(2), &row(0)))),
            ("Llama", Some(distance(&both, &row(0)))),
            ("Fish", None),
        ];
        for (page, distance) in expected {
            let found = diff.recategorised.iter().find(|one| one.page == page).unwrap().distance;
            let is_near = |(a, b): (f64, f64)| (a - b).abs() < 1e-6;
            assert!(
                found.zip(distance).map_or(found == distance, is_near),
                "{method} {page}: {found:?} {distance:?}"
            );
        }
        assert_eq!(diff.recategorised[2].page, "Fish", "no distance comes last");
        assert_eq!(diff.recategorised[2].added, ["Unheard of"]);
        assert_eq!(diff.recategorised[2].removed, ["Animals"]);
        assert_eq!((diff.counts.categories_came, diff.counts.categories_went), (1, 1));
    }
}

#[test]
fn a_page_under_a_new_title_is_the_same_page() {
    let dir = tempfile::tempdir().unwrap();
    let mut wiki = planets_and_animals();
    let old = wiki.write(&dir.path().join("old"));
    wiki.rename("Mars", "Red planet");
    let diff = diff(&old, &wiki.write(&dir.path().join("new")), &all());
    assert_eq!(related(&diff.moved), [("Red planet".to_owned(), Some("Mars".to_owned()))].into());
    assert!(diff.new_links.is_empty() && diff.vanished_links.is_empty() && diff.came.is_empty(), "{diff:?}");
    assert!(!diff.counts.is_empty());
}

#[test]
fn links_follow_a_title_that_was_merged_or_became_a_page() {
    let dir = tempfile::tempdir().unwrap();
    let mut wiki = planets_and_animals();
    let old = wiki.write(&dir.path().join("old"));
    wiki.remove("Whale", Some("Fish"));
    wiki.redirects.clear();
    wiki.redirects.insert("Whale".into(), "Fish".into());
    wiki.links.insert("Red planet".into(), BTreeSet::new());
    wiki.categories.insert("Red planet".into(), BTreeSet::new());
    let of_jupiter = wiki.links.get_mut("Jupiter").unwrap();
    of_jupiter.remove("Mars");
    of_jupiter.insert("Red planet".into());
    let diff = diff(&old, &wiki.write(&dir.path().join("new")), &all());
    assert!(diff.new_links.is_empty() && diff.vanished_links.is_empty(), "{diff:?}");
    assert_eq!(related(&diff.went), [("Whale".to_owned(), Some("Fish".to_owned()))].into());
    assert_eq!(related(&diff.came), [("Red planet".to_owned(), Some("Mars".to_owned()))].into());
    // Llama → Whale, Fish → Whale, and Jupiter → Mars; the two links of Whale are gone.
    assert_eq!((diff.counts.retargeted_links, diff.counts.links_of_gone_pages), (3, 2));
}

#[test]
fn links_of_new_pages_say_so_and_come_last() {
    let dir = tempfile::tempdir().unwrap();
    let mut wiki = planets_and_animals();
    let old = wiki.write(&dir.path().join("old"));
    wiki.links.insert("Alpaca".into(), ["Llama".to_owned()].into());
    wiki.categories.insert("Alpaca".into(), ["Camelids".to_owned()].into());
    wiki.links.get_mut("Fish").unwrap().extend(["Alpaca".to_owned(), "Mars".to_owned()]);
    wiki.remove("Saturn", None);
    let new = wiki.write(&dir.path().join("new"));
    let found = diff(&old, &new, &all());
    let notes: Vec<_> =
        found.new_links.iter().map(|link| (&link.link.target[..], link.link.note.as_deref())).collect();
    assert_eq!(
        notes,
        [("Mars", None), ("Llama", Some("the page is new")), ("Alpaca", Some("the target is new"))]
    );
    assert_eq!((found.counts.new_links, found.counts.new_links_of_new_pages), (1, 2));
    assert_eq!((found.counts.links_of_gone_pages, found.vanished_links.len()), (4, 0));
    let of_animals = diff(&old, &new, &all().category("Animals"));
    assert_eq!(pairs(&of_animals.new_links), set([("Fish", "Alpaca"), ("Fish", "Mars")]));
    assert!(of_animals.came.is_empty() && of_animals.went.is_empty(), "{of_animals:?}");
    let first = diff(&old, &new, &DiffConf::default().rank(RankConf::default().top(1)));
    assert_eq!((first.new_links.len(), first.counts), (1, found.counts));
}

#[test]
fn two_wikis_are_refused_and_so_is_a_category_of_neither() {
    let dir = tempfile::tempdir().unwrap();
    let mut wiki = Wiki { database: "pamwiki".into(), ..planets_and_animals() };
    let old = Engine::new(&wiki.write(&dir.path().join("old")), EngineConf::default());
    wiki.database = "mhrwiki".into();
    let new = Engine::new(&wiki.write(&dir.path().join("new")), EngineConf::default());
    let error = old.diff(&new, &all(), &mut Silent).unwrap_err();
    assert!(matches!(error, Error::OtherWiki { .. }) && error.remedy().is_some(), "{error}");
    let error = old.diff(&old, &all().category("Plants"), &mut Silent).unwrap_err();
    assert!(matches!(error, Error::NotNamed { .. }), "{error}");
}

/// How many changes of each kind are made.
#[derive(Clone, Copy)]
struct Plan {
    links_added: usize,
    links_removed: usize,
    categories_added: usize,
    categories_removed: usize,
    pages_added: usize,
    pages_removed: usize,
    pages_moved: usize,
    pages_merged: usize,
}

impl Plan {
    fn total(self) -> usize {
        let Plan { links_added, links_removed, categories_added, categories_removed, .. } = self;
        let of_pages = self.pages_added + self.pages_removed + self.pages_moved + self.pages_merged;
        links_added + links_removed + categories_added + categories_removed + of_pages
    }
}

/// Changes of a wiki, drawn at random, and what they should be found to be.
#[derive(Default)]
struct Changes {
    seed: u64,
    /// Pages that were changed: no two changes touch the same.
    touched: BTreeSet<String>,
    new_links: BTreeSet<(String, String)>,
    links_of_new_pages: BTreeSet<(String, String)>,
    vanished_links: BTreeSet<(String, String)>,
    categories_added: BTreeSet<(String, String)>,
    categories_removed: BTreeSet<(String, String)>,
    moved: BTreeSet<(String, Option<String>)>,
    came: BTreeSet<(String, Option<String>)>,
    went: BTreeSet<(String, Option<String>)>,
}

impl Changes {
    fn below(&mut self, limit: usize) -> usize {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.seed >> 33) as usize) % limit
    }

    /// A page that no change has touched and that has what is wanted.
    fn page(&mut self, wiki: &Wiki, wanted: impl Fn(&str) -> bool) -> String {
        let pages: Vec<&String> = wiki.links.keys().collect();
        for _ in 0..100_000 {
            let page = pages[self.below(pages.len())];
            if wanted(page) && self.touched.insert(page.clone()) {
                return page.clone();
            }
        }
        panic!("no page is left to change");
    }

    fn make(wiki: &mut Wiki, plan: Plan, seed: u64) -> Changes {
        let mut changes = Changes { seed, ..Changes::default() };
        for _ in 0..plan.links_added {
            let source = changes.page(wiki, |_| true);
            let links = wiki.links[&source].clone();
            let target = changes.page(wiki, |page| !links.contains(page));
            wiki.links.get_mut(&source).unwrap().insert(target.clone());
            changes.new_links.insert((source, target));
        }
        for _ in 0..plan.links_removed {
            let touched = changes.touched.clone();
            let is_free = |page: &str| wiki.links[page].iter().any(|to| !touched.contains(to) && to != page);
            let source = changes.page(wiki, is_free);
            let free: Vec<String> = wiki.links[&source].difference(&touched).cloned().collect();
            let target = free[changes.below(free.len())].clone();
            changes.touched.insert(target.clone());
            wiki.links.get_mut(&source).unwrap().remove(&target);
            changes.vanished_links.insert((source, target));
        }
        let names: BTreeSet<String> = wiki.categories.values().flatten().cloned().collect();
        let names: Vec<String> = names.into_iter().collect();
        for number in 0..plan.categories_added {
            let page = changes.page(wiki, |_| true);
            let known = names[changes.below(names.len())].clone();
            // Some of them are new.
            let name = match number % 3 {
                0 => format!("New category {number}"),
                _ if wiki.categories[&page].contains(&known) => format!("Another category {number}"),
                _ => known,
            };
            wiki.categories.get_mut(&page).unwrap().insert(name.clone());
            changes.categories_added.insert((page, name));
        }
        for _ in 0..plan.categories_removed {
            let page = changes.page(wiki, |page| !wiki.categories[page].is_empty());
            let of_page: Vec<String> = wiki.categories[&page].iter().cloned().collect();
            let name = of_page[changes.below(of_page.len())].clone();
            wiki.categories.get_mut(&page).unwrap().remove(&name);
            changes.categories_removed.insert((page, name));
        }
        changes.pages(wiki, plan);
        changes
    }

    fn pages(&mut self, wiki: &mut Wiki, plan: Plan) {
        for number in 0..plan.pages_moved {
            let page = self.page(wiki, |_| true);
            let to = format!("{page} (moved {number})");
            wiki.rename(&page, &to);
            self.touched.insert(to.clone());
            self.moved.insert((to, Some(page)));
        }
        for _ in 0..plan.pages_removed {
            let page = self.page(wiki, |_| true);
            wiki.remove(&page, None);
            self.went.insert((page, None));
        }
        for _ in 0..plan.pages_merged {
            let (page, to) = (self.page(wiki, |_| true), self.page(wiki, |_| true));
            wiki.remove(&page, Some(&to));
            self.went.insert((page, Some(to)));
        }
        for number in 0..plan.pages_added {
            let page = format!("New page {number}");
            let (target, source) = (self.page(wiki, |_| true), self.page(wiki, |_| true));
            wiki.links.insert(page.clone(), [target.clone()].into());
            wiki.categories.insert(page.clone(), BTreeSet::new());
            wiki.links.get_mut(&source).unwrap().insert(page.clone());
            self.touched.insert(page.clone());
            self.links_of_new_pages.extend([(page.clone(), target), (source, page.clone())]);
            self.came.insert((page, None));
        }
    }

    /// Every change is found, and no other.
    fn expect(&self, found: &CorpusDiff) {
        let is_scored = |link: &&TopLink| link.link.note.as_deref().is_none_or(|note| !note.contains("new"));
        let (known, of_new): (Vec<TopLink>, Vec<TopLink>) =
            found.new_links.iter().cloned().partition(|link| is_scored(&link));
        assert_eq!(pairs(&known), self.new_links);
        assert_eq!(pairs(&of_new), self.links_of_new_pages);
        assert_eq!(pairs(&found.vanished_links), self.vanished_links);
        let categories = |which: fn(&llamafur::engine::Recategorised) -> &Vec<String>| {
            let of_page =
                |one| Vec::from_iter(which(one).iter().map(|name| (one.page.clone(), name.clone())));
            found.recategorised.iter().flat_map(of_page).collect::<BTreeSet<_>>()
        };
        assert_eq!(categories(|one| &one.added), self.categories_added);
        assert_eq!(categories(|one| &one.removed), self.categories_removed);
        assert_eq!(related(&found.moved), self.moved);
        assert_eq!(related(&found.came), self.came);
        assert_eq!(related(&found.went), self.went);
        let counts = found.counts;
        assert_eq!(counts.new_links as usize, self.new_links.len());
        assert_eq!(counts.new_links_of_new_pages as usize, self.links_of_new_pages.len());
        assert_eq!(counts.vanished_links as usize, self.vanished_links.len());
        assert_eq!(counts.came as usize + counts.went as usize, self.came.len() + self.went.len());
    }
}

#[test]
fn every_change_is_found_and_none_invented() {
    let dir = tempfile::tempdir().unwrap();
    for seed in 0..8u64 {
        let mut wiki = Wiki::default();
        let mut random = Changes { seed, ..Changes::default() };
        for page in 0..120 {
            let links = (0..6).map(|_| random.below(120)).filter(|&to| to != page);
            wiki.links.insert(format!("Page {page}"), links.map(|to| format!("Page {to}")).collect());
            let categories = (0..2).map(|_| format!("Category {}", random.below(9)));
            wiki.categories.insert(format!("Page {page}"), categories.collect());
            wiki.redirects.insert(format!("Alias {page}"), format!("Page {page}"));
        }
        let old = wiki.write(&dir.path().join("old"));
        let plan = Plan {
            links_added: 9,
            links_removed: 9,
            categories_added: 8,
            categories_removed: 6,
            pages_added: 5,
            pages_removed: 5,
            pages_moved: 5,
            pages_merged: 3,
        };
        let changes = Changes::make(&mut wiki, plan, seed);
        changes.expect(&diff(&old, &wiki.write(&dir.path().join("new")), &all()));
    }
}

#[test]
fn two_hundred_changes_of_a_real_wiki_are_found_and_none_invented() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/wiki-pam"));
    if !folder.exists() {
        eprintln!("skipped: there is no {}", folder.display());
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let mut wiki = Wiki::read(&folder);
    let old = wiki.write(&dir.path().join("old"));
    assert!(diff(&old, &old, &all()).counts.is_empty());
    let plan = Plan {
        links_added: 60,
        links_removed: 40,
        categories_added: 30,
        categories_removed: 20,
        pages_added: 15,
        pages_removed: 10,
        pages_moved: 15,
        pages_merged: 10,
    };
    assert_eq!(plan.total(), 200);
    let changes = Changes::make(&mut wiki, plan, 2022);
    changes.expect(&diff(&old, &wiki.write(&dir.path().join("new")), &all()));
}
