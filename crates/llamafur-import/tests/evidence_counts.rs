//! Every count of every reason is what the tables of its corpus have, found here by going over all of them.
//!
//! 500 links drawn from four real corpora, which are skipped where they are not at hand, and from a small one that is made here; both
//! sides of each. The real ones need their texts for one kind of reason only, so that two of them come in as dumps.
#![allow(clippy::unwrap_used)] // a test that fails shall panic

mod common;

use common::{Desk, shared_data};
use llamafur::engine::{Evidence, EvidenceKind, ExplainConf};
use llamafur::graph::{CategoryId, PageId};
use llamafur::is_housekeeping;
use llamafur::score::Side;
use llamafur::{Corpus, Engine, EngineConf, Silent};
use llamafur_import::table::TableConf;
use llamafur_import::wiki::WikiConf;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Levels of the category tree above the categories of a page that it is of the kinds of.
const LEVELS: usize = 2;

/// Links drawn from each corpus.
const LINKS: usize = 125;

/// The tables of a corpus.
struct Tables {
    titles: Vec<String>,
    links: Vec<BTreeSet<usize>>,
    linking: Vec<BTreeSet<usize>>,
    /// The kinds of each page, by name.
    kinds: Vec<BTreeSet<String>>,
    /// The categories of each page that say what it is about, by name.
    categories: Vec<BTreeSet<String>>,
    num_links: usize,
}

/// A link, and a kind of reason for it.
struct Claim<'a> {
    source: usize,
    target: usize,
    side: Side,
    evidence: &'a Evidence,
}

impl Tables {
    fn read(corpus: &Corpus) -> Tables {
        let pages = || (0..corpus.num_pages() as u32).map(PageId);
        let links: Vec<BTreeSet<usize>> =
            pages().map(|page| corpus.links(page).unwrap().iter().map(|to| to.index()).collect()).collect();
        let mut linking = vec![BTreeSet::new(); links.len()];
        for (source, targets) in links.iter().enumerate() {
            for &target in targets {
                linking[target].insert(source);
            }
        }
        let parents = |category: CategoryId| corpus.parents(category).unwrap().to_vec();
        let name = |category: CategoryId| corpus.category_name(category).unwrap().to_owned();
        let own = |page: PageId| -> BTreeSet<String> {
            let names = corpus.categories(page).unwrap().iter().map(|&category| name(category));
            names.filter(|name| !is_housekeeping(name)).collect()
        };
        let kinds = |page: PageId| -> BTreeSet<String> {
            let mut all: BTreeSet<CategoryId> = corpus.categories(page).unwrap().iter().copied().collect();
            for _ in 0..LEVELS {
                all.extend(all.clone().into_iter().flat_map(parents));
            }
            all.into_iter().map(name).collect()
        };
        Tables {
            titles: pages().map(|page| corpus.title(page).unwrap().to_owned()).collect(),
            num_links: links.iter().map(BTreeSet::len).sum(),
            kinds: pages().map(kinds).collect(),
            categories: pages().map(own).collect(),
            links,
            linking,
        }
    }

    fn is_of(&self, page: usize, kind: &str) -> bool {
        self.kinds[page].contains(kind)
    }

    /// The pages of a kind.
    fn members<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = usize> + 'a {
        (0..self.titles.len()).filter(move |&page| self.is_of(page, kind))
    }

    /// The pages that have a category with this one.
    fn sharing(&self, page: usize) -> BTreeSet<usize> {
        let own = &self.categories[page];
        (0..self.titles.len()).filter(|&other| !own.is_disjoint(&self.categories[other])).collect()
    }

    /// All links but one.
    fn others(&self, source: usize, target: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let of = |(source, targets): (usize, &BTreeSet<usize>)| {
            targets.iter().map(move |&target| (source, target)).collect::<Vec<_>>()
        };
        self.links.iter().enumerate().flat_map(of).filter(move |link| *link != (source, target))
    }

    /// Compares a reason with the tables.
    fn check(&self, claim: &Claim<'_>) {
        let Claim { source, target, side, evidence } = *claim;
        let what = format!("{} → {}, {side:?}: {evidence:?}", self.titles[source], self.titles[target]);
        let (from, to) = (evidence.from.as_deref(), evidence.to.as_deref());
        let counts = [evidence.links as usize, evidence.of as usize];
        let is_linked = self.links[source].contains(&target);
        assert!(from.is_none_or(|from| evidence.text.contains(from)), "{what}");
        assert!(to.is_none_or(|to| self.is_of(target, to) && evidence.text.contains(to)), "{what}");
        match evidence.kind {
            EvidenceKind::CategoryPair => {
                let (from, to) = (from.unwrap(), to.unwrap());
                assert!(self.is_of(source, from), "{what}");
                let [mut rest, mut of, mut into, mut links] = [0; 4];
                for (source, target) in self.others(source, target) {
                    let (is_from, is_to) = (self.is_of(source, from), self.is_of(target, to));
                    rest += 1;
                    of += usize::from(is_from);
                    into += usize::from(is_to);
                    links += usize::from(is_from && is_to);
                }
                assert_eq!(rest, self.num_links - usize::from(is_linked));
                assert_eq!(counts, [links, of], "{what}");
                let (expected, said) = (of as f64 * into as f64 / rest as f64, evidence.expected.unwrap());
                assert!((said - expected).abs() < 1e-9 * expected, "{expected}: {what}");
                match side {
                    Side::Odd => assert!(2.0 * (links as f64) < expected && expected >= 3.0, "{what}"),
                    Side::Expected => assert!(links as f64 > 2.0 * expected, "{what}"),
                }
            }
            EvidenceKind::OnlyOne => {
                let to = to.unwrap();
                let others = self.links[source].iter().filter(|&&other| other != target);
                let alike = others.clone().filter(|&&other| self.is_of(other, to)).count();
                assert_eq!((counts, alike, side), ([0, others.count()], 0, Side::Odd), "{what}");
                assert!(is_linked, "{what}");
            }
            EvidenceKind::Kin => {
                let pages: BTreeSet<usize> = match from {
                    Some(from) => {
                        assert!(self.is_of(source, from), "{what}");
                        self.members(from).collect()
                    }
                    None => self.sharing(source),
                };
                let kin: BTreeSet<usize> = pages.into_iter().filter(|&page| page != source).collect();
                let linking: BTreeSet<usize> = kin.intersection(&self.linking[target]).copied().collect();
                assert_eq!(counts, [linking.len(), kin.len()], "{what}");
                self.check_names(evidence, &linking, &what);
            }
            EvidenceKind::Neighbours => {
                let near = |page: usize| -> BTreeSet<usize> {
                    let both = self.links[page].union(&self.linking[page]);
                    both.copied().filter(|other| ![source, target].contains(other)).collect()
                };
                let [one, other] = [source, target].map(near);
                let common: BTreeSet<usize> = one.intersection(&other).copied().collect();
                assert_eq!(counts, [common.len(), one.union(&other).count()], "{what}");
                self.check_names(evidence, &common, &what);
            }
            EvidenceKind::InLinks => {
                let others: Vec<usize> =
                    self.linking[target].iter().copied().filter(|&page| page != source).collect();
                let alike = from.map(|from| others.iter().filter(|&&page| self.is_of(page, from)).count());
                assert_eq!(counts, [alike.unwrap_or(0), others.len()], "{what}");
                match from {
                    Some(from) => assert_eq!(self.is_of(source, from), side == Side::Expected, "{what}"),
                    None => assert!(others.is_empty(), "{what}"),
                }
            }
        }
    }

    /// Pages that are named must be among those counted, and all of those if they are few.
    fn check_names(&self, evidence: &Evidence, counted: &BTreeSet<usize>, what: &str) {
        let counted: BTreeSet<&str> = counted.iter().map(|&page| &self.titles[page][..]).collect();
        let named: BTreeSet<&str> = evidence.names.iter().map(String::as_str).collect();
        assert!(named.is_subset(&counted) && named.len() == counted.len().min(3), "{what}");
        let are_said = evidence.links == evidence.of || named.iter().all(|name| evidence.text.contains(name));
        assert!(are_said, "{what}");
    }
}

/// Numbers that look random and are the same in every run.
struct Draws(u64);

impl Draws {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Checks the reasons of drawn links, and of some pairs of pages that are not linked; how many there are of each kind.
fn check(corpus: &Corpus, hidden: &BTreeSet<String>) -> BTreeMap<&'static str, usize> {
    let engine = Engine::new(corpus, EngineConf::default());
    let tables = Tables::read(corpus);
    let conf = ExplainConf::default().scorer("aa").pairs(1);
    let (mut draws, mut found) = (Draws(7), BTreeMap::new());
    let with_links: Vec<usize> =
        (0..tables.titles.len()).filter(|&page| tables.links[page].len() > 1).collect();
    for number in 0..LINKS {
        let source = with_links[draws.below(with_links.len())];
        let linked: Vec<usize> = tables.links[source].iter().copied().collect();
        let target = match number % 10 {
            9 => draws.below(tables.titles.len()),
            _ => linked[draws.below(linked.len())],
        };
        if target == source {
            continue;
        }
        let titles = [source, target].map(|page| &tables.titles[page][..]);
        let why = engine.explain(titles[0], titles[1], &conf).unwrap();
        for (side, evidence) in [(Side::Odd, why.odd), (Side::Expected, why.expected)] {
            for evidence in &evidence {
                tables.check(&Claim { source, target, side, evidence });
                for category in [&evidence.from, &evidence.to].into_iter().flatten() {
                    let is_tag = category.contains("TODO") || category.contains("not-yet-tagged");
                    assert!(!hidden.contains(category) && !is_tag, "{titles:?} {evidence:?}");
                }
                *found.entry(evidence.kind.name()).or_default() += 1;
            }
        }
    }
    found
}

/// The lines of a table that are not in another one, as to a column.
fn second_column(table: &str) -> BTreeSet<String> {
    table.lines().filter_map(|line| line.split('\t').nth(1)).map(str::to_owned).collect()
}

fn dump(folder: &str, name: &str, hidden: &BTreeSet<String>) -> Option<BTreeMap<&'static str, usize>> {
    let desk = Desk::new();
    let out = desk.path("a.corpus");
    let dump = shared_data(folder)?.join(name);
    llamafur_import::wiki::import(&WikiConf::new([dump]), &out, &mut Silent).unwrap();
    Some(check(&Corpus::open(&out).unwrap(), hidden))
}

#[test]
fn counts_of_wikispeedia_are_those_of_its_tables() {
    let Some(found) = dump("wikispeedia", "wikispeedia-pages-articles.xml.bz2", &BTreeSet::new()) else {
        return;
    };
    assert!(found.values().sum::<usize>() > 150, "{found:?}");
}

#[test]
fn counts_of_enwiki_computing_are_those_of_its_tables() {
    let Some(dir) = shared_data("enwiki-computing") else { return };
    let [visible, hidden] = ["categories.tsv", "hidden-categories.tsv"]
        .map(|name| second_column(&fs::read_to_string(dir.join(name)).unwrap()));
    let hidden = &hidden - &visible;
    let found = dump("enwiki-computing", "enwiki-computing-pages-articles.xml.bz2", &hidden).unwrap();
    assert!(found.values().sum::<usize>() > 150, "{found:?}");
}

#[test]
fn counts_of_a_small_wiki_are_those_of_its_tables() {
    let Some(found) = dump("wiki-pam", "pamwiki-pages-articles.xml.bz2", &BTreeSet::new()) else { return };
    assert!(found.values().sum::<usize>() > 150, "{found:?}");
}

#[test]
fn counts_of_a_graph_that_is_no_wiki_are_those_of_its_tables() {
    let Some(dir) = shared_data("debian") else { return };
    let desk = Desk::new();
    let conf = TableConf::new(dir.join("links.tsv.gz"))
        .categories(dir.join("categories.tsv.gz"))
        .pages(dir.join("packages.tsv.gz"));
    desk.import(&conf).unwrap();
    let found = check(&Corpus::open(desk.path("0.corpus")).unwrap(), &BTreeSet::new());
    assert!(found.values().sum::<usize>() > 150, "{found:?}");
}

/// 240 pages of 12 kinds, three and three of them below one of four broader ones, two of which are below one; pages link to their
/// own kind, and some to any. One kind keeps things in order.
#[test]
fn counts_of_a_graph_made_for_it_are_those_of_its_tables() {
    const PAGES: usize = 240;
    let (mut links, mut categories, mut texts, mut draws) = (vec![], vec![], vec![], Draws(3));
    let title = |page: usize| format!("Page {page:03}");
    for page in 0..PAGES {
        let kind = page % 12;
        for _ in 0..12 {
            let other = match draws.below(6) {
                0 => draws.below(PAGES),
                _ => draws.below(PAGES / 12) * 12 + kind,
            };
            if other != page {
                links.push(vec![title(page), title(other)]);
            }
        }
        categories.push(vec![title(page), format!("Kind {kind:02}")]);
        if page % 5 == 0 {
            categories.push(vec![title(page), "Articles with TODO".to_owned()]);
        }
        let text = format!("Noun{page} is told of noun{page}, and noun{page} again, in kind{kind}.");
        texts.push(vec![title(page), text]);
    }
    let mut tree: Vec<Vec<String>> =
        (0..12).map(|kind| vec![format!("Kind {kind:02}"), format!("Broad {}", kind / 3)]).collect();
    tree.extend((0..2).map(|broad| vec![format!("Broad {broad}"), "Half".to_owned()]));
    let desk = Desk::new();
    let conf = TableConf::new(desk.file("links.tsv", common::tsv(&links)))
        .categories(desk.file("categories.tsv", common::tsv(&categories)))
        .category_tree(desk.file("tree.tsv", common::tsv(&tree)))
        .text(desk.file("text.tsv", common::tsv(&texts)));
    desk.import(&conf).unwrap();
    let found = check(&Corpus::open(desk.path("0.corpus")).unwrap(), &BTreeSet::new());
    let least =
        ["category-pair", "in-links", "kin", "neighbours", "only-one"].map(|kind| found.get(kind).copied());
    assert!(least.iter().all(|num| num.is_some_and(|num| num >= 10)), "{found:?}");
}
