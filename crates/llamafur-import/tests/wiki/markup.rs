//! Snippets of real wikis hold no wikitext; skipped where the wikis are not at hand.

use crate::common::{Desk, shared_data};
use crate::dump::import_files;
use llamafur::text::wikitext::{ParsedPage, Titles};
use llamafur_import::wiki::WikiConf;
use std::collections::BTreeMap;

/// What is left of images and templates that were not understood.
const MARKUP: [&str; 4] = ["thumb|", "px|", "{{", "[[File"];

/// `cargo test -p llamafur-import --test wiki markup -- --nocapture` says how many there are.
#[test]
fn fewer_than_two_snippets_of_a_thousand_hold_markup() {
    let wikis = [
        ("wiki-pam", "pamwiki-pages-articles.xml.bz2"),
        ("wiki-mhr", "mhrwiki-pages-articles.xml.bz2"),
        ("wikispeedia", "wikispeedia-pages-articles.xml.bz2"),
    ];
    for (folder, dump) in wikis {
        let Some(dir) = shared_data(folder) else { continue };
        let made = import_files(&Desk::new(), WikiConf::new([dir.join(dump)])).unwrap();
        let titles = Titles::new(made.imported.manifest.site.as_ref().unwrap());
        let (mut links, mut bad) = (0, Vec::new());
        for (title, text) in &made.wikitext {
            let page = ParsedPage::new(text, &titles);
            let mut by_target: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
            for (number, link) in page.links().iter().enumerate() {
                by_target.entry(&link.name).or_default().push(number);
            }
            for (target, numbers) in by_target {
                links += 1;
                let text = page.snippet(&numbers).unwrap().text;
                if MARKUP.iter().any(|markup| text.contains(markup)) {
                    bad.push(format!("{title} → {target}: {text}"));
                }
            }
        }
        println!("{folder}: {} of {links} snippets hold markup", bad.len());
        bad.iter().take(10).for_each(|snippet| println!("  {snippet}"));
        assert!(bad.len() * 1000 < links * 2, "{folder}: {} of {links}: {}", bad.len(), bad.join("\n"));
    }
}
