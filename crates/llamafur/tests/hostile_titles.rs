//! Titles are data: markup, marks of direction and ten thousand letters come back as they went in.
#![allow(clippy::unwrap_used)] // a test that fails shall panic

mod common;

use common::{Contents, by_oddity};
use llamafur::engine::{Block, Engine, EngineConf, ExplainConf, RankingRow, TopConf};
use llamafur::progress::Silent;
use std::collections::BTreeSet;

/// Titles that nobody should give to a page, in order.
fn titles() -> Vec<String> {
    let mut titles = [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "{{constructor}} ${7*7}",
        "[[Link]] ''bold'' &amp; &lt;b&gt;",
        "../../etc/passwd",
        "%2e%2e%2f%00",
        "\u{202E}txt.exe\u{202C}",
        "\u{200F}עברית\u{200E} (a)",
        "a\u{0301}\u{0301}\u{0301}\u{0301}",
        "'; DROP TABLE pages; --",
        "line\u{2028}break",
        "tab\tand\u{7}bell",
        "👩‍👩‍👧‍👦 family",
        "__proto__",
        "null",
        " ",
    ]
    .map(str::to_owned)
    .to_vec();
    titles.push("x".repeat(10_000));
    titles.push("<b>".repeat(3_334));
    titles.sort();
    titles
}

/// All pages link to one another; each text names all of them.
fn hostile() -> Contents {
    let titles = titles();
    let num = titles.len() as u32;
    let text = titles.join(" , ");
    Contents {
        links: (0..num).map(|page| (0..num).filter(|&other| other != page).collect()).collect(),
        categories: (0..num).map(|page| vec![page % 2]).collect(),
        category_names: ["<script>alert(2)</script>", "\u{202E}seirogetac"].map(String::from).to_vec(),
        parents: vec![vec![]; 2],
        texts: Some(vec![Some(text); num as usize]),
        titles,
    }
}

#[test]
fn every_answer_has_the_titles_as_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let engine = Engine::new(&hostile().corpus(&dir, "a"), EngineConf::default());
    let (titles, conf) = (titles(), by_oddity().scorer("aa+in-degree"));
    let known: BTreeSet<&str> = titles.iter().map(String::as_str).collect();
    for title in &titles {
        let others: BTreeSet<&str> = known.iter().copied().filter(|other| other != title).collect();
        let ranking = engine.rank(title, &conf).unwrap();
        assert_eq!(&ranking.page, title);
        // Links of one sentence share a row.
        let of_row = |link: &RankingRow| [vec![link.target.clone()], link.also.clone()].concat();
        let ranked: Vec<String> = ranking.links.iter().flat_map(of_row).collect();
        assert_eq!(ranked.len(), others.len());
        assert_eq!(ranked.iter().map(String::as_str).collect::<BTreeSet<_>>(), others);
        let article = engine.article(title).unwrap();
        assert_eq!(&article.title, title);
        let spans = article.blocks.iter().flat_map(Block::spans);
        let placed = spans.filter_map(|span| span.target.as_deref());
        let all: BTreeSet<&str> = placed.chain(article.unplaced.iter().map(String::as_str)).collect();
        assert_eq!(all, others);
        let target = others.first().unwrap();
        let why = engine.explain(title, target, &ExplainConf::default().scorer("aa").grid(true)).unwrap();
        assert_eq!((&why.source, &why.target[..]), (title, *target));
        // What is typed may be anything, too.
        for found in engine.suggest(title, 5).unwrap() {
            assert!(known.contains(&found.title[..]));
        }
        // An answer survives JSON.
        let again: llamafur::engine::Article =
            serde_json::from_str(&serde_json::to_string(&article).unwrap()).unwrap();
        assert_eq!(again, article);
    }
    let top = engine.top(&TopConf::default().rank(conf.clone()).top(0), &mut Silent).unwrap();
    assert!(top.links.iter().all(|link| known.contains(&link.source[..])));
    assert!(known.contains(&engine.surprise(&conf, 3).unwrap().source[..]));
    let categories = engine.suggest_categories("<script>", 5).unwrap();
    assert_eq!(categories[0].title, "<script>alert(2)</script>");
    for typed in ["", "\0", "\u{202E}", "<", "%", &"é".repeat(100_000)] {
        engine.suggest(typed, 10).unwrap();
        engine.suggest_categories(typed, 10).unwrap();
        if !typed.is_empty() {
            assert!(engine.article(typed).is_err(), "{typed:?}");
        }
    }
}
