//! Any text is wikitext: everything that reads it comes to an end, and agrees on what the links are.

use llamafur::text::wikitext::{
    ParsedPage, Site, Target, Titles, category_redirect, is_hidden, links, plain_text, redirect_target,
    snippet,
};
use std::sync::OnceLock;

/// Looks up so many links of a page; more say nothing new.
const LINKS: usize = 20;

pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    // Made once: the words of a wiki take longer to read than a short page.
    static TITLES: OnceLock<Titles> = OnceLock::new();
    let titles = TITLES.get_or_init(|| Titles::new(&Site::default()));
    let mut buffer = String::new();
    let mut spans = Vec::new();
    for link in links(&text, titles) {
        let whole = &text[link.span.clone()];
        assert!(whole.starts_with("[[") && whole.ends_with("]]") || whole.starts_with("link="), "{link:?}");
        spans.push(link.span);
    }
    // A link may hold others, in a reference or as the target of an image: no two cross, and none comes twice.
    spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let mut around: Vec<std::ops::Range<usize>> = Vec::new();
    for span in spans {
        around.retain(|outer| span.start < outer.end);
        assert!(around.iter().all(|outer| *outer != span && span.end <= outer.end), "{span:?} in {around:?}");
        around.push(span);
    }
    for link in links(&text, titles).take(LINKS) {
        let Target::Page { namespace: 0, name, .. } = titles.parse(&link.target, &mut buffer) else {
            continue;
        };
        let title = name.to_owned();
        // A title is its own target, and stays so.
        if !title.contains('%') && !title.contains('&') {
            let mut again = String::new();
            match titles.parse(&title, &mut again) {
                Target::Page { name, .. } => assert!(name.len() <= 255),
                Target::Interwiki | Target::Invalid | Target::Section => {}
            }
        }
        if let Some(found) = snippet(&text, titles, &mut |name| name == title) {
            assert!(!found.text.contains('\n'));
            assert!(found.text.get(found.anchor.clone()).is_some(), "{found:?}");
            assert!(found.marked().contains("[["));
        }
    }
    let plain = plain_text(&text, titles);
    let page = ParsedPage::new(&text, titles);
    let targets: Vec<Option<&str>> = page.links().iter().map(|link| Some(&link.name[..])).collect();
    let blocks = page.blocks(titles, &targets);
    assert!(blocks.iter().flat_map(|block| block.spans()).all(|span| !span.text.is_empty()), "{blocks:?}");
    // Readers see nothing that the plain text does not have.
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    assert_eq!(blocks.iter().map(|block| letters(&block.text())).sum::<usize>(), letters(&plain));
    let _ = (redirect_target(&text, titles), is_hidden(&text, titles), category_redirect(&text, titles));
}
