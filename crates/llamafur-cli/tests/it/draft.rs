//! `llamafur rank --draft`: a text that is not in the corpus, ranked as if it were.

use crate::common::{Desk, TOY};
use llamafur::corpus::Corpus;
use llamafur::engine::{Draft, EngineConf, RankConf, RankingRow};
use llamafur::graph::PageId;
use llamafur::storage::Existing;
use llamafur::{Engine, Error};
use llamafur_cli::cmd::demo;
use std::path::{Path, PathBuf};

/// Every scorer that does not draw random numbers, and the sum of all that the blend has.
const SCORERS: [&str; 20] = [
    "blend",
    "llamafur",
    "categories",
    "words",
    "lead",
    "aa",
    "ra",
    "cn",
    "jaccard",
    "reciprocity",
    "in-degree",
    "m1",
    "m2",
    "m4",
    "cosine",
    "mentions",
    "place",
    "depth",
    "company",
    "peers",
];

/// What a link's place, score, signals, reasons and sentence are, to the last bit.
fn rows(links: &[RankingRow]) -> Vec<String> {
    links.iter().map(|link| format!("{link:?}")).collect()
}

/// Ranks the text of pages of the corpus as drafts, and fails unless that gives what the pages have. Says how many pages have the
/// links and categories that their text has: of the others the corpus knows more than the text, or less.
fn compare(engine: &Engine, pages: impl Iterator<Item = PageId>, scorers: &[&str]) -> [usize; 2] {
    let (corpus, mut same, mut other) = (engine.corpus(), 0, 0);
    for page in pages {
        let title = corpus.title(page).unwrap();
        let Some(text) = corpus.stored_text(page).unwrap() else { continue };
        if corpus.links(page).unwrap().is_empty() {
            continue;
        }
        let draft = Draft::new(title, text.as_bytes()).unwrap();
        let conf = RankConf::default().top(0);
        let ranked = engine.rank_draft(&draft, &conf).unwrap();
        assert!(ranked.draft.is_revision, "{title}");
        let mut carried: Vec<&str> =
            corpus.categories(page).unwrap().iter().map(|&c| corpus.category_name(c).unwrap()).collect();
        carried.sort_unstable();
        if ranked.draft.categories != carried || ranked.ranking.num_links != corpus.links(page).unwrap().len()
        {
            other += 1;
            continue;
        }
        for scorer in scorers {
            let conf = conf.clone().scorer(*scorer);
            let of_page = engine.rank(title, &conf).unwrap();
            let of_draft = engine.rank_draft(&draft, &conf).unwrap().ranking;
            assert_eq!(rows(&of_draft.links), rows(&of_page.links), "{title}, {scorer}");
            assert_eq!(of_draft, of_page, "{title}, {scorer}");
        }
        same += 1;
    }
    [same, other]
}

#[test]
fn the_text_of_a_page_is_ranked_as_the_page_is_by_every_scorer() {
    let desk = Desk::new();
    let engine = demo::make(&desk.path(""), &desk.path("demo.corpus"), Existing::Refuse).unwrap();
    let num = engine.corpus().num_pages() as u32;
    let [same, other] = compare(&engine, (0..num).step_by(97).map(PageId), &SCORERS);
    assert!(same >= 5 && other == 0, "{same} pages, {other} with other links");
    let [same, other] = compare(&engine, (0..num).step_by(9).map(PageId), &["blend"]);
    assert!(same >= 50 && other == 0, "{same} pages, {other} with other links");
}

#[test]
fn the_text_of_a_page_of_a_real_wiki_is_ranked_as_the_page_is() {
    let dump = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/wiki-mhr/mhrwiki-pages-articles.xml.bz2");
    if !dump.exists() {
        println!("skipped: {} is not there", dump.display());
        return;
    }
    let desk = Desk::new();
    let import = [Path::new("import"), Path::new("wiki"), &dump, Path::new("--out"), Path::new("mhr.corpus")];
    desk.llamafur(import.map(PathBuf::from)).fine();
    // Milestones further up as well, which a draft gets by its categories.
    desk.llamafur(["cleanse", "mhr.corpus", "--milestones", "500", "--ancestors", "2"]).fine();
    desk.llamafur(["train", "mhr.corpus", "--passes", "1", "--rank", "8", "--ensemble", "1"]).fine();
    let engine = Engine::open(desk.path("mhr.corpus"), EngineConf::default()).unwrap();
    let pages = (0..engine.corpus().num_pages() as u32).step_by(61).map(PageId);
    let [same, other] = compare(&engine, pages, &["blend", "llamafur"]);
    println!("{same} pages ranked as their texts, {other} have links or categories that their text lacks");
    assert!(same >= 100 && 20 * other <= same, "{same} pages, {other} with other links or categories");
}

#[test]
fn a_draft_says_what_the_corpus_lacks() {
    let desk = Desk::new();
    desk.llamafur(["demo", "--out", "demo.corpus"]).fine();
    let text = "A tale of [[Albert Einstein]] and [[albert Einstein|him]], [[Nobody at All]], [[Yo-yo meson]] and \
                [[Jupiter]].\n[[File:X.jpg]] [[#Here]] [[Category:Physicists]] [[Category:No such thing]]";
    desk.write("A_tale.wiki", text);
    let run = desk
        .llamafur([
            "rank",
            "demo.corpus",
            "--draft",
            "A_tale.wiki",
            "--top",
            "0",
            "--order",
            "oddity",
            "--format",
            "json",
        ])
        .fine();
    let json = run.json();
    assert_eq!(json["page"], "A tale");
    assert_eq!(json["num_links"], 2);
    assert_eq!(json["draft"]["is_revision"], false);
    assert_eq!(json["draft"]["unknown_links"], serde_json::json!(["Nobody at All", "Yo-yo meson"]));
    assert_eq!(json["draft"]["repeated_links"], serde_json::json!(["Albert Einstein"]));
    assert_eq!(json["draft"]["unknown_categories"][0], "No such thing");
    let sentence = |json: &serde_json::Value, target: &str| {
        let links = json["links"].as_array().unwrap().iter();
        let link = links.into_iter().find(|link| link["target"] == target).unwrap();
        link["snippet"].as_str().unwrap().to_owned()
    };
    assert!(
        sentence(&json, "Albert Einstein").starts_with("A tale of [[Albert Einstein]] and him, "),
        "{json}"
    );
    for part in [
        "ranking the draft as a new page, “A tale”",
        "note: 2 titles lead to no page of the corpus: “Nobody at All”, “Yo-yo meson”",
        "note: 1 page is linked more than once: “Albert Einstein”",
        "note: 1 category is not in the corpus: “No such thing”",
        "note: 1 link to the page itself left out",
        "note: 1 link to files, other namespaces or other wikis left out",
    ] {
        assert!(run.stderr.contains(part), "{part} is not in {run}");
    }
    for format in ["table", "tsv"] {
        let shown =
            desk.llamafur(["rank", "demo.corpus", "--draft", "A_tale.wiki", "--format", format]).fine();
        assert!(shown.stdout.contains("Jupiter"), "{shown}");
    }
}

#[test]
fn what_is_no_draft_is_refused_with_a_remedy() {
    let desk = Desk::with_model();
    for (name, bytes, parts) in [
        ("empty.txt", &b" \n"[..], ["the draft “empty” is empty", "[[Title]]"]),
        ("picture", &b"\x89PNG\0"[..], ["is no text: it has bytes of 0", "UTF-8"]),
        ("latin.txt", &b"caf\xE9 [[Jupiter]]"[..], ["is not UTF-8 from byte 3 on", "save it as UTF-8"]),
        ("bare.txt", &b"Jupiter and Saturn."[..], ["has no links to other pages", "[[Title|words]]"]),
        (
            "red.txt",
            &b"[[Nobody]] [[Nowhere]]"[..],
            ["links to no page of the corpus: “Nobody”, “Nowhere”", "check the titles"],
        ),
    ] {
        desk.write(name, bytes);
        desk.refused(["rank", TOY, "--draft", name], 2, &parts);
    }
    desk.write("large.txt", vec![b'a'; Draft::MOST_BYTES + 1]);
    desk.refused(["rank", TOY, "--draft", "large.txt"], 2, &["has more than 8 MiB", "one page"]);
    desk.refused(["rank", TOY, "--draft", "none.txt"], 2, &["none.txt: "]);
    desk.refused(["rank", TOY, "--draft", "-"], 2, &["has no name; pass `--title`"]);
    desk.llamafur(["rank", TOY, "Jupiter", "--draft", "x"]).misused(&["cannot be used with"]);
    desk.llamafur(["rank", TOY, "Jupiter", "--title", "x"]).misused(&["--title", "cannot be used with"]);
    desk.llamafur(["rank", TOY]).misused(&["<PAGE>"]);
    let engine = Engine::open(desk.path(TOY), EngineConf::default()).unwrap();
    let draft = Draft::new(" ", b"[[Jupiter]]");
    assert!(matches!(draft, Err(Error::Setting { setting: "title", .. })), "{draft:?}");
    assert!(
        engine
            .rank_draft(&Draft::new("X", b"[[Jupiter]]").unwrap(), &RankConf::default().scorer("no"))
            .is_err()
    );
}

#[test]
fn a_page_of_tables_is_drafted_as_plain_text_with_links() {
    let desk = Desk::with_corpus();
    desk.llamafur(["cleanse", TOY, "--milestones", "4", "--ancestors", "2"]).fine();
    desk.llamafur(["train", TOY]).fine();
    let corpus = Corpus::open(desk.path(TOY)).unwrap();
    let engine = Engine::new(&corpus, EngineConf::default());
    for page in (0..corpus.num_pages() as u32).map(PageId) {
        let title = corpus.title(page).unwrap();
        let mut text = corpus.stored_text(page).unwrap().unwrap();
        for &target in corpus.links(page).unwrap() {
            text.push_str(&format!("[[{}|]]", corpus.title(target).unwrap()));
        }
        for &category in corpus.categories(page).unwrap() {
            text.push_str(&format!("\n[[category:{}]]", corpus.category_name(category).unwrap()));
        }
        if corpus.links(page).unwrap().is_empty() {
            continue;
        }
        let conf = RankConf::default().top(0);
        let ranked = engine.rank_draft(&Draft::new(title, text.as_bytes()).unwrap(), &conf).unwrap();
        assert_eq!(ranked.ranking, engine.rank(title, &conf).unwrap(), "{title}");
    }
    let draft = Draft::new("Ganymede", "Ganymede circles [[jupiter|the planet]].".as_bytes()).unwrap();
    let ranked = engine.rank_draft(&draft, &RankConf::default()).unwrap();
    assert_eq!((ranked.ranking.num_links, &ranked.ranking.links[0].target[..]), (1, "Jupiter"));
    assert!(ranked.draft.categories.is_empty() && !ranked.draft.is_revision);
}
