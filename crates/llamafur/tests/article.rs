//! Articles to read: every link is in its place, or said to have none.
#![allow(clippy::unwrap_used)] // a test that fails shall panic

mod common;

use common::{Contents, cases, storied};
use llamafur::corpus::{Corpus, CorpusWriter, ListColumn, Provenance, StringColumn};
use llamafur::engine::{Article, Block, Engine, EngineConf};
use llamafur::graph::PageId;
use llamafur::storage::Existing;
use llamafur::text::wikitext::{Site, Target, Titles, links};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;

/// Whether the blocks and what is unplaced are the links of the page, each target in one of the two.
fn check(corpus: &Corpus, article: &Article) {
    let page = corpus.resolve(&article.title).unwrap().unwrap();
    let links = corpus.links(page).unwrap().iter().map(|&target| corpus.title(target).unwrap());
    let spans = article.blocks.iter().flat_map(Block::spans);
    let placed: BTreeSet<&str> = spans.filter_map(|span| span.target.as_deref()).collect();
    let unplaced: BTreeSet<&str> = article.unplaced.iter().map(String::as_str).collect();
    assert!(placed.is_disjoint(&unplaced), "{article:?}");
    assert_eq!(placed.union(&unplaced).copied().collect::<BTreeSet<_>>(), links.collect(), "{article:?}");
    assert_eq!(article.num_links, placed.len() + unplaced.len());
}

/// A wiki of four pages, one of which has a text; its links are those that an import finds.
fn wiki(out: &Path, database: &str, text: &str) -> Engine {
    let titles = ["Fish", "Jupiter", "Moon", "Sun"];
    let site = Site { database: database.into(), ..Site::default() };
    let (syntax, mut buffer) = (Titles::new(&site), String::new());
    let mut found = BTreeSet::new();
    for link in links(text, &syntax) {
        if let Target::Page { namespace: 0, name, .. } = syntax.parse(&link.target, &mut buffer) {
            let name = if name == "Satellite" { "Moon" } else { name };
            found.extend(titles.iter().position(|title| *title == name).map(|page| page as u32));
        }
    }
    found.remove(&1);
    let mut writer = CorpusWriter::create(out, Existing::Replace).unwrap();
    let row = |page: u32| if page == 1 { found.iter().copied().collect() } else { Vec::new() };
    let categories: ListColumn = (0..4).map(|_| vec![0]).collect();
    writer
        .write_pages(titles.iter().collect::<StringColumn>(), (0..4).map(row).collect(), categories)
        .unwrap();
    let names = ["Things"].iter().collect::<StringColumn>();
    writer.write_categories(names, std::iter::once(vec![]).collect()).unwrap();
    writer.write_redirects(["Satellite"].iter().collect::<StringColumn>(), vec![2]).unwrap();
    writer.set_site(site);
    let texts = (0..4).map(|page| Ok::<_, llamafur::Error>((page == 1).then(|| text.to_owned())));
    writer.write_text(texts).unwrap();
    writer.finish(Provenance::default()).unwrap();
    Engine::open(out, EngineConf::default()).unwrap()
}

const PIECES: [&str; 24] = [
    "[[Fish]]",
    "[[satellite|Moons]]",
    "[[sun]]s",
    "[[Jupiter]]",
    "[[Mars]]",
    "{{a|",
    "}}",
    "<ref>",
    "</ref>",
    "\n* ",
    "\n\n",
    "\n{|\n|",
    "\n|}",
    "[[File:x|",
    "]]",
    "''",
    "'''",
    "(",
    ")",
    " a, ",
    "<pre>",
    "</pre>",
    "\n== ",
    " ==\n",
];

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn every_link_of_a_wiki_is_in_a_block_or_unplaced(
        pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..60),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let engine = wiki(&dir.path().join("a"), "", &pieces.concat());
        check(engine.corpus(), &engine.article("Jupiter").unwrap());
    }
}

#[test]
fn links_of_a_wiki_are_in_their_places_through_redirects() {
    let dir = tempfile::tempdir().unwrap();
    let text = "{{Infobox|star=[[Sun]]}}\n'''Jupiter''' has [[satellite]]s, unlike [[Jupiter]] or [[Nothing]].\n\
                * [[Fish]]";
    let engine = wiki(&dir.path().join("a"), "simplewiki", text);
    let article = engine.article("jupiter").unwrap();
    check(engine.corpus(), &article);
    let shown = serde_json::to_value(&article).unwrap();
    let expected = serde_json::json!({
        "title": "Jupiter",
        "categories": ["Things"],
        "num_links": 3,
        "url": "https://simple.wikipedia.org/wiki/Jupiter",
        "blocks": [
            {"kind": "paragraph", "spans": [
                {"text": "Jupiter", "bold": true},
                {"text": " has "},
                {"text": "satellites", "target": "Moon"},
                {"text": ", unlike Jupiter or Nothing."},
            ]},
            {"kind": "item", "depth": 1, "marker": "bullet", "spans": [{"text": "Fish", "target": "Fish"}]},
        ],
        "unplaced": ["Sun"],
    });
    assert_eq!(shown, expected);
    assert_eq!(serde_json::from_value::<Article>(shown).unwrap(), article);
    assert_eq!(
        engine.lead("Jupiter").unwrap().as_deref(),
        Some("Jupiter has satellites, unlike Jupiter or Nothing.")
    );
    let none = engine.article("Moon").unwrap();
    assert_eq!((none.blocks.len(), engine.lead("Moon").unwrap()), (0, None));
    assert!(engine.article("Mars").is_err() && engine.lead("Mars").is_err());
}

#[test]
fn plain_text_has_its_links_where_they_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let mut contents = Contents::titled(["Fish", "Jupiter", "Plankton"]);
    contents.links[1] = vec![0, 2];
    let text = "Jupiter might\nhave fishes.\n\n<b>Fish</b> [[Fish]] ''swim''.";
    contents.texts = Some(vec![None, Some(text.into()), None]);
    let engine = Engine::new(&contents.corpus(&dir, "a"), EngineConf::default());
    let article = engine.article("Jupiter").unwrap();
    check(engine.corpus(), &article);
    assert_eq!((article.url, &article.unplaced[..]), (None, &["Plankton".to_owned()][..]));
    let texts: Vec<String> = article.blocks.iter().map(Block::text).collect();
    // What looks like markup is text.
    assert_eq!(texts, ["Jupiter might have fishes.", "<b>Fish</b> [[Fish]] ''swim''."]);
    assert_eq!(article.blocks[0].spans()[1].text, "fishes");
}

#[test]
fn a_corpus_without_text_has_links_only() {
    let dir = tempfile::tempdir().unwrap();
    let contents = Contents { texts: None, ..storied(30) };
    let engine = Engine::new(&contents.corpus(&dir, "a"), EngineConf::default());
    let article = engine.article("Page 0007").unwrap();
    check(engine.corpus(), &article);
    assert_eq!((article.blocks.len(), article.unplaced.len()), (0, 3));
    assert_eq!(engine.lead("Page 0007").unwrap(), None);
}

#[test]
fn every_page_can_be_read() {
    let dir = tempfile::tempdir().unwrap();
    let engine = Engine::new(&storied(60).corpus(&dir, "a"), EngineConf::default());
    for page in 0..60 {
        let title = engine.corpus().title(PageId(page)).unwrap().to_owned();
        check(engine.corpus(), &engine.article(&title).unwrap());
    }
}
