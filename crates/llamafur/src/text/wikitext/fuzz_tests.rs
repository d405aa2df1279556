//! Pages that nobody wrote: whatever they hold, they are read to the end, and every link is found.

use super::render::Parts;
use super::spans::Kind;
use super::{ParsedPage, Site, Target, Titles, links, plain_text, snippet};
use proptest::prelude::*;

const PIECES: [&str; 68] = [
    "{{",
    "}}",
    "{{{",
    "}}}",
    "[[",
    "]]",
    "[[a]]",
    "[[B c|d]]",
    "[[e|",
    "[[File:x.jpg|thumb|",
    "[[Category:x]]",
    "[[de:x]]",
    "[[:Category:x]]",
    "[[f|]]",
    "[http://x ",
    "[http://x]",
    "]",
    "|",
    "||",
    "!!",
    "\n",
    "\n\n",
    "\n{|",
    "\n|-",
    "\n|",
    "\n!",
    "\n|}",
    "\n|+",
    "\n* ",
    "\n: ",
    "\n== ",
    " ==\n",
    "\n----\n",
    "<ref>",
    "</ref>",
    "<ref name=x/>",
    "<ref name=",
    "[[File:y|link=a]]",
    "|link=b",
    "[[g|<ref>[[h]]</ref>]]",
    "[[i#<",
    "\nFile:z|",
    "<nowiki>",
    "<pre <",
    "</nowiki>",
    "<!--",
    "-->",
    "<math>",
    "</math>",
    "<br>",
    "<div>",
    "</div>",
    "<gallery>",
    "</gallery>",
    "<small>",
    "<",
    ">",
    "''",
    "'''",
    "'",
    "__NOTOC__",
    "__",
    "&amp;",
    "=",
    ". ",
    "(",
    ")",
    ", ",
];

const WORDS: [&str; 12] =
    ["a", "Jupiter", "moon", "É", "木星。", "Ола ", " ", "\u{A0}", "x=", "{{x|y}}", "[[a|b]]s", "Mr."];

/// Checks that every link of a page to an article can be found, with its own text.
pub(super) fn check_links(page: &str, titles: &Titles) -> usize {
    let parts = Parts::new(page, titles);
    let mut buffer = String::new();
    let mut wanted: std::collections::BTreeMap<String, Vec<String>> = Default::default();
    for link in links(page, titles) {
        if let Target::Page { namespace: 0, name, .. } = titles.parse(&link.target, &mut buffer) {
            let index = parts.span_at(link.span.start);
            assert_eq!(
                (parts.spans[index].kind, &parts.spans[index].outer),
                (Kind::Link, &link.span),
                "{page}"
            );
            wanted.entry(name.to_owned()).or_default().push(parts.visible_link(index).0);
        }
    }
    for (title, texts) in &wanted {
        let found =
            snippet(page, titles, &mut |name| name == title).unwrap_or_else(|| panic!("{title} in {page}"));
        assert!(!found.anchor.is_empty(), "{title} in {page}");
        let text = &found.text[found.anchor.clone()];
        assert!(texts.iter().any(|visible| visible == text), "{title}: {text} in {page}");
        assert!(
            !found.text.contains(['\n', '\t'])
                && !found.text.contains("  ")
                && found.text == found.text.trim(),
            "{found:?}"
        );
        assert!(found.text.chars().count() <= 500 + text.chars().count(), "{}", found.text);
    }
    wanted.len()
}

/// Reads a page as an article; every link leads somewhere.
fn read(page: &str, titles: &Titles) -> usize {
    let parsed = ParsedPage::new(page, titles);
    let targets: Vec<Option<&str>> = parsed.links().iter().map(|link| Some(&link.name[..])).collect();
    parsed.blocks(titles, &targets).len()
}

pub(super) fn random_wikitext(pieces: usize) -> impl Strategy<Value = String> {
    let piece = prop_oneof![2 => prop::sample::select(&PIECES[..]), 1 => prop::sample::select(&WORDS[..])];
    prop::collection::vec(piece, 0..pieces).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_link_of_random_wikitext_is_found(page in random_wikitext(40)) {
        check_links(&page, &Titles::new(&Site::default()));
    }

    #[test]
    fn plain_texts_of_random_wikitext_are_tidy(page in random_wikitext(60)) {
        let text = plain_text(&page, &Titles::new(&Site::default()));
        prop_assert!(!text.contains("\n\n\n") && !text.contains("  ") && text == text.trim(), "{}", text);
        if !page.contains("<nowiki>") {
            prop_assert!(!text.contains("[["), "{}", text);
            // Three braces may leave one behind.
            prop_assert!(page.contains("{{{") || !text.contains("{{"), "{}", text);
        }
    }
}

#[test]
fn hostile_pages_are_read_in_one_pass() {
    let titles = Titles::new(&Site::default());
    let more = [
        "[[File:x|[[a]]",
        "{{a|",
        "{|\n",
        "\n{|\n| [[a]]",
        "{{a|[[b]]",
        "a}}]]",
        "\n* [[a]]",
        "<b ",
        "<ref>[[a]]",
        "(''",
        "<b>([[a]]",
        "''a'''b",
        "<blockquote>",
        "\n<pre>a</pre>",
    ];
    for piece in PIECES.iter().chain(&WORDS).chain(&more) {
        let page = format!("{}[[Target]] is.", piece.repeat(200_000));
        plain_text(&page, &titles);
        read(&page, &titles);
        let found = snippet(&page, &titles, &mut |title| title == "Target");
        let is_link = links(&page, &titles).any(|link| link.target == "Target");
        assert_eq!(found.is_some(), is_link, "{piece}");
    }
}

#[test]
fn deep_nesting_is_read_in_one_pass() {
    let titles = Titles::new(&Site::default());
    for (open, close) in [
        ("{{a|", "}}"),
        ("{{{a|", "}}}"),
        ("[[File:a|", "]]"),
        ("[http://x ", "]"),
        ("\n{|\n| ", "\n|}"),
        ("(", ")"),
        ("<ref>", "</ref>"),
        ("{{a|b=", "}}"),
        ("{{nowrap|", "}}"),
        ("<div>", "</div>"),
        ("''", "''"),
        ("(<b>''{{x}}", ")"),
        ("<blockquote>", "</blockquote>"),
    ] {
        let page = format!("{}[[Target]]{}", open.repeat(100_000), close.repeat(100_000));
        plain_text(&page, &titles);
        read(&page, &titles);
        let found = snippet(&page, &titles, &mut |title| title == "Target");
        assert_eq!(found.map(|found| found.text.contains("Target")), Some(true), "{open}");
    }
}

#[test]
fn one_long_line_is_read_in_one_pass() {
    let titles = Titles::new(&Site::default());
    let page = format!(
        "{}[[Target]]{}",
        "The [[moon]] is (very) ''big''. ".repeat(100_000),
        " It [[is]].".repeat(100_000)
    );
    let found = snippet(&page, &titles, &mut |title| title == "Target").unwrap();
    assert_eq!(found.marked(), "[[Target]] It is.");
    assert!(plain_text(&page, &titles).len() > 3_000_000);
}
