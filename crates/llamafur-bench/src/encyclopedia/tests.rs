//! Tests of the embedded encyclopedia as a whole.

use super::categories::ROOT;
use super::{Encyclopedia, Page, template};
use llamafur::corpus::Corpus;
use llamafur::graph::PageId;
use llamafur::progress::Silent;
use llamafur_import::wiki::{self, WikiConf};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::LazyLock;

static BUILT: LazyLock<Encyclopedia> = LazyLock::new(Encyclopedia::build);

/// The pages for which `is_wrong` holds, by title.
fn pages_where(is_wrong: impl Fn(&Page) -> bool) -> Vec<&'static str> {
    let wrong = BUILT.pages.iter().filter(|page| is_wrong(page));
    wrong.map(|page| page.title.as_str()).collect()
}

fn page(title: &str) -> &'static Page {
    let found = BUILT.pages.iter().find(|page| page.title == title);
    found.unwrap_or_else(|| panic!("no page {title}"))
}

const NONE: [&str; 0] = [];

#[test]
fn is_large_enough() {
    let links: usize = BUILT.pages.iter().map(|page| page.links().len()).sum();
    assert!(BUILT.pages.len() >= 550, "{} pages", BUILT.pages.len());
    assert!(links >= 8_500, "{links} links");
}

#[test]
fn titles_are_unique_sorted_and_clean() {
    assert!(BUILT.pages.is_sorted_by(|a, b| a.title < b.title));
    let unclean = |page: &Page| {
        page.title.chars().any(char::is_control)
            || page.title.contains(['[', ']', '|'])
            || page.title.trim() != page.title
    };
    assert_eq!(pages_where(unclean), NONE);
}

#[test]
fn links_lead_to_other_pages() {
    let titles: BTreeSet<&str> = BUILT.pages.iter().map(|p| p.title.as_str()).collect();
    let dangling = |page: &Page| page.links().iter().any(|to| !titles.contains(to));
    assert_eq!(pages_where(dangling), NONE);
    assert_eq!(pages_where(|page| page.links().contains(&page.title.as_str())), NONE);
}

#[test]
fn pages_have_neither_too_few_nor_too_many_links() {
    assert_eq!(pages_where(|page| !(4..=90).contains(&page.links().len())), NONE);
}

#[test]
fn pages_carry_a_handful_of_sorted_categories() {
    assert_eq!(pages_where(|page| !(2..=6).contains(&page.categories.len())), NONE);
    assert_eq!(pages_where(|page| !page.categories.is_sorted()), NONE);
    assert_eq!(pages_where(|page| page.categories.iter().any(|c| c == ROOT)), NONE);
}

#[test]
fn categories_have_at_least_three_pages_and_filled_names() {
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for category in BUILT.pages.iter().flat_map(|page| &page.categories) {
        *sizes.entry(category).or_default() += 1;
    }
    let wrong = |(name, size): &(&str, usize)| *size < 3 || name.contains(['{', '}', '(']);
    let wrong: Vec<_> = sizes.into_iter().filter(wrong).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn every_category_reaches_the_root_without_a_cycle() {
    let mut parents: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (child, parent) in &BUILT.category_tree {
        parents.entry(child).or_default().push(parent);
    }
    assert!(BUILT.category_tree.is_sorted());
    assert!(!parents.contains_key(ROOT));
    let carried = BUILT.pages.iter().flat_map(|page| &page.categories);
    for category in carried.map(String::as_str).chain(parents.keys().copied()) {
        climb(category, &parents, &mut Vec::new());
    }
}

/// Follows every way up; each must end at the root.
fn climb<'a>(from: &'a str, parents: &BTreeMap<&'a str, Vec<&'a str>>, path: &mut Vec<&'a str>) {
    assert!(!path.contains(&from), "cycle {path:?} back to {from}");
    if from == ROOT {
        return;
    }
    let above = parents.get(from);
    path.push(from);
    for parent in above.unwrap_or_else(|| panic!("{from} hangs in the air")) {
        climb(parent, parents, path);
    }
    path.pop();
}

#[test]
fn oddities_are_one_way_links_of_ordinary_pages() {
    let mut sources: BTreeMap<&str, usize> = BTreeMap::new();
    for oddity in &BUILT.oddities {
        let (from, to) = (page(&oddity.source), page(&oddity.target));
        *sources.entry(&oddity.source).or_default() += 1;
        assert!(from.links().contains(&oddity.target.as_str()), "{oddity:?}");
        assert!(!to.links().contains(&oddity.source.as_str()), "{oddity:?}");
        assert!(from.links().len() > 6, "{oddity:?}");
        let linked = format!("[[{}", oddity.target);
        assert_eq!(from.wikitext.matches(&linked).count(), 1, "{oddity:?}");
    }
    assert!(BUILT.oddities.len() >= 40);
    assert!(sources.len() >= 30);
    assert!(sources.values().all(|&count| count <= 2));
}

#[test]
fn the_prose_is_tidy() {
    const SLIPS: [&str; 14] =
        ["  ", " ,", " .", "..", ",.", "{", "}", "[", "]", "|", "the the ", "the The ", " and .", "\t"];
    for page in &BUILT.pages {
        let text = page.text();
        for slip in SLIPS {
            assert!(!text.contains(slip), "{slip:?} in {text}");
        }
        assert!(text.ends_with(['.', '?', '!']), "{text}");
        assert_eq!(wrong_article(&text), None, "{text}");
    }
}

/// The first word that follows the wrong indefinite article.
fn wrong_article(text: &str) -> Option<&str> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let wrong = |pair: &&[&str]| {
        let vowel = pair[1].to_lowercase().starts_with(['a', 'e', 'i', 'o']);
        (pair[0] == "a" && vowel && !pair[1].to_lowercase().starts_with("eu"))
            || (pair[0] == "an" && !vowel && !pair[1].starts_with('u'))
    };
    words.windows(2).find(wrong).map(|pair| pair[1])
}

#[test]
fn no_sentence_runs_on() {
    // Cut at links that end a sentence: a piece may hold two short sentences.
    let longest = |page: &Page| page.wikitext.split("]]. ").map(|s| s.matches("[[").count()).max();
    assert_eq!(pages_where(|page| longest(page) > Some(18)), NONE);
}

#[test]
fn building_twice_gives_the_same() {
    assert_eq!(Encyclopedia::build(), *BUILT);
}

#[test]
fn text_shows_anchors_only() {
    let page = Page {
        title: "A".to_owned(),
        categories: Vec::new(),
        wikitext: "The [[Lion|lion]] meets [[Thor]], and [[Thor]] runs.".to_owned(),
    };
    assert_eq!(page.text(), "The lion meets Thor, and Thor runs.");
    assert_eq!(page.links(), ["Lion", "Thor"]);
}

#[test]
fn templates_choose_number_and_article() {
    let lookup = |name: &str| match name {
        "one" => vec!["[[Ant|ant]]".to_owned()],
        "two" => vec!["[[Ant|ant]]".to_owned(), "bee".to_owned()],
        _ => Vec::new(),
    };
    let fill = |template| template::fill(template, &lookup);
    assert_eq!(fill("It is {a one}."), Some("It is an [[Ant|ant]].".to_owned()));
    assert_eq!(fill("{two} {two?is|are} here."), Some("[[Ant]] and bee are here.".to_owned()));
    assert_eq!(fill("Here {none?is|are} {none}."), None);
}

/// The dump that the program ships.
const SHIPPED: &[u8] = include_bytes!("../../../llamafur-cli/demo/encyclopedia.xml.zst");

/// The oddities that the program knows.
const SHIPPED_ODDITIES: &str = include_str!("../../../llamafur-cli/demo/oddities.tsv");

#[test]
fn the_shipped_dump_is_what_the_generator_makes() {
    let mut made = Vec::new();
    BUILT.write_dump(&mut made).unwrap();
    assert!(zstd::decode_all(SHIPPED).unwrap() == made, "see demo_dump.rs for how to ship a new one");
    let oddities = BUILT.oddities.iter().map(|oddity| format!("{}\t{}", oddity.source, oddity.target));
    assert!(SHIPPED_ODDITIES.lines().skip(1).eq(oddities), "demo/oddities.tsv has others");
}

#[test]
fn the_corpus_is_what_the_encyclopedia_says() {
    let folder = tempfile::tempdir().unwrap();
    let (dump, place) = (folder.path().join("demo.xml"), folder.path().join("c"));
    BUILT.write_dump(&mut fs::File::create(&dump).unwrap()).unwrap();
    wiki::import(&WikiConf::new([dump]), &place, &mut Silent).unwrap();
    let corpus = Corpus::open(&place).unwrap();
    assert_eq!(corpus.num_pages(), BUILT.pages.len());
    for (number, page) in (0..).zip(&BUILT.pages) {
        let id = PageId(number);
        let links = corpus.links(id).unwrap().iter().map(|&to| corpus.title(to).unwrap());
        let categories = corpus.categories(id).unwrap().iter().map(|&c| corpus.category_name(c).unwrap());
        assert_eq!(corpus.title(id).unwrap(), page.title);
        assert!(links.eq(page.links()), "{}", page.title);
        assert!(categories.eq(page.categories.iter()), "{}", page.title);
    }
    let redirects = BUILT.redirects();
    assert!(redirects.len() > 20, "{redirects:?}");
    let found = (0..corpus.num_redirects()).map(|row| {
        let (title, page) = corpus.redirect(row).unwrap();
        (title, corpus.title(page).unwrap())
    });
    assert!(found.eq(redirects));
}
