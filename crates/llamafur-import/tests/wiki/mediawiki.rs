//! Hard wikitext, and what MediaWiki itself finds in it.

use llamafur::text::wikitext::{
    CATEGORIES, FILES, Site, Target, Titles, first_target, is_hidden, links, redirect_target,
};
use std::collections::BTreeSet;

const HARD: &str = include_str!("mediawiki/hard.txt");
const ANSWERS: &str = include_str!("mediawiki/hard.tsv");

/// A page, and what we find in it besides what MediaWiki finds, and what we do not.
#[derive(Default)]
struct Page<'a> {
    language: &'a str,
    title: &'a str,
    text: Vec<&'a str>,
    added: BTreeSet<String>,
    missing: BTreeSet<String>,
}

fn pages() -> Vec<Page<'static>> {
    let mut pages: Vec<Page> = Vec::new();
    let mut language = "";
    for line in HARD.split('\n') {
        if let Some(code) = line.strip_prefix("@@@ ") {
            language = code;
        } else if let Some(title) = line.strip_prefix("@ ") {
            pages.push(Page { language, title, ..Page::default() });
        } else if let Some(page) = pages.last_mut() {
            match line.get(..3) {
                Some("@+ ") => drop(page.added.insert(line[3..].to_owned())),
                Some("@- ") => drop(page.missing.insert(line[3..].to_owned())),
                _ => page.text.push(line),
            }
        }
    }
    pages
}

/// What we find in a page, in the words of the file of answers.
fn found(title: &str, text: &str, titles: &Titles) -> BTreeSet<String> {
    let mut buffer = String::new();
    if redirect_target(text, titles).is_some() {
        let target = first_target(text, titles).unwrap();
        let Target::Page { namespace, name, .. } = titles.parse(&target, &mut buffer) else {
            panic!("{title}: {target}")
        };
        return [format!("redirect\t{namespace}:{name}")].into();
    }
    let mut found = BTreeSet::new();
    for link in links(text, titles) {
        match titles.parse(&link.target, &mut buffer) {
            Target::Page { namespace: CATEGORIES, name, colon: false } => {
                found.insert(format!("category\t{name}"));
            }
            Target::Page { namespace: FILES, colon: false, .. } => {}
            // Neither media nor special pages are pages.
            Target::Page { namespace: 0.., name, .. } if name == title && !link.target.contains('#') => {}
            Target::Page { namespace: namespace @ 0.., name, .. } => {
                found.insert(format!("link\t{namespace}:{name}"));
            }
            _ => {}
        }
    }
    if is_hidden(text, titles) {
        found.insert("hidden".into());
    }
    found
}

#[test]
fn hard_wikitext_means_what_mediawiki_says() {
    let pages = pages();
    assert!(pages.len() > 100);
    let mut wrong = Vec::new();
    for page in &pages {
        let Page { language, title, .. } = page;
        let site = Site { name: "Wikipedia".into(), language: (*language).into(), ..Site::default() };
        let titles = Titles::new(&Site { namespaces: Vec::new(), ..site });
        let start = format!("{language}\t{title}\t");
        let answers = ANSWERS.lines().filter_map(|line| line.strip_prefix(start.as_str()));
        let mut expected: BTreeSet<String> = answers.map(str::to_owned).collect();
        expected.retain(|answer| !page.missing.contains(answer));
        expected.extend(page.added.iter().cloned());
        let found = found(title, &page.text.join("\n"), &titles);
        if found != expected {
            let missing: Vec<_> = expected.difference(&found).collect();
            let added: Vec<_> = found.difference(&expected).collect();
            wrong.push(format!("{language} {title}: missing {missing:?}, added {added:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
