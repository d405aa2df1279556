//! Turns the rows of the catalogue into the sentences of the pages.

use super::catalogue::{Catalogue, Entry};
use super::schema::{Backlink, Sibling};
use super::{link_targets, template};
use std::collections::BTreeMap;

/// Longer lists go on in another sentence.
const NAMES_PER_SENTENCE: usize = 12;

/// What a page lists at most of the pages that name it.
const BACKLINKS_PER_PAGE: usize = 64;

/// How a list goes on after its first sentence.
const CONTINUATION: &str = "{others?Another is|Others are} {others}.";

/// A backlink sentence due on a page.
struct Due<'a> {
    /// What the pages listed are called together.
    kinds: &'static str,
    backlink: &'static Backlink,
    /// The titles of the pages listed.
    sources: Vec<&'a str>,
}

/// Writes the wikitext of every entry, in the catalogue's order.
pub(super) fn write_all(catalogue: &Catalogue) -> Vec<String> {
    let due = collect_backlinks(catalogue);
    let write = |entry: &Entry| {
        let due = due.get(entry.title.as_str()).map_or(&[][..], Vec::as_slice);
        Writer { catalogue, entry }.write(due)
    };
    catalogue.entries.iter().map(write).collect()
}

fn collect_backlinks(catalogue: &Catalogue) -> BTreeMap<&str, Vec<Due<'_>>> {
    let mut due: BTreeMap<&str, Vec<Due<'_>>> = BTreeMap::new();
    for entry in &catalogue.entries {
        for backlink in entry.kind.backlinks.iter().copied().flatten() {
            for target in entry.row.values(backlink.column) {
                note_source(due.entry(target).or_default(), entry, backlink);
            }
        }
    }
    due
}

/// Adds a page to the sentence that lists its like, or begins that sentence.
fn note_source<'a>(due: &mut Vec<Due<'a>>, source: &'a Entry, backlink: &'static Backlink) {
    let kinds = source.kind.plural;
    let names_kinds = backlink.sentence.contains("{kinds}");
    let same = |known: &&mut Due<'_>| {
        known.backlink.sentence == backlink.sentence && (!names_kinds || known.kinds == kinds)
    };
    match due.iter_mut().find(same) {
        Some(known) if known.sources.len() >= backlink.limit => {}
        Some(known) => known.sources.push(&source.title),
        None => due.push(Due { kinds, backlink, sources: vec![&source.title] }),
    }
}

/// How many titles each list may name so that all lists fit on the page.
fn fair_share(due: &[Due<'_>]) -> usize {
    let named = |share: usize| -> usize { due.iter().map(|d| d.sources.len().min(share)).sum() };
    let mut shares = (1..=BACKLINKS_PER_PAGE).rev();
    shares.find(|&share| named(share) <= BACKLINKS_PER_PAGE).unwrap_or(1)
}

/// Writes one page.
struct Writer<'a> {
    catalogue: &'a Catalogue,
    entry: &'a Entry,
}

impl Writer<'_> {
    fn write(&self, due: &[Due<'_>]) -> String {
        let kind = self.entry.kind;
        let own = |name: &str| self.own_values(name);
        let templates = kind.sentences.iter().copied().flatten();
        let mut sentences: Vec<String> = templates.filter_map(|t| template::fill(t, &own)).collect();
        let share = fair_share(due);
        for Due { kinds, backlink, sources } in due {
            let listed = &sources[..sources.len().min(share)];
            sentences.extend(self.listing(backlink.sentence, kinds, "", listed));
        }
        for sibling in kind.siblings {
            let Some(shared) = self.entry.row.first(sibling.column) else { continue };
            let siblings = self.unlinked_siblings(sibling, shared, &sentences.join(" "));
            sentences.extend(self.listing(sibling.sentence, kind.plural, shared, &siblings));
        }
        sentences.join(" ")
    }

    /// What the slots of a sentence about the page's own row stand for.
    fn own_values(&self, name: &str) -> Vec<String> {
        let row = &self.entry.row;
        let alive = row.first("life").is_some_and(|l| l.starts_with("born"));
        match name {
            "title" => vec![self.catalogue.plain(&self.entry.title)],
            "was" => vec![if alive { "is" } else { "was" }.to_owned()],
            "His" => vec![match row.first("pronoun") {
                Some("She") => "Her".to_owned(),
                _ => "His".to_owned(),
            }],
            "nationality" => row.values(name).iter().map(|n| self.nation(n)).collect(),
            _ => row.values(name).iter().map(|v| self.link(v)).collect(),
        }
    }

    fn nation(&self, adjective: &str) -> String {
        match self.catalogue.country_of(adjective) {
            Some(country) => format!("[[{country}|{adjective}]]"),
            None => adjective.to_owned(),
        }
    }

    fn link(&self, name: &str) -> String {
        if name == self.entry.title { self.catalogue.plain(name) } else { self.catalogue.link(name) }
    }

    /// One or more sentences that list `titles`.
    fn listing(&self, first: &str, kinds: &str, shared: &str, titles: &[&str]) -> Vec<String> {
        let sentence = |(index, chunk): (usize, &[&str])| {
            let lookup = |name: &str| match name {
                "others" => chunk.iter().map(|title| self.link(title)).collect(),
                "kinds" => vec![kinds.to_owned()],
                "value" => vec![self.catalogue.plain(shared)],
                _ => self.own_values(name),
            };
            template::fill(if index == 0 { first } else { CONTINUATION }, &lookup)
        };
        let chunks = titles.chunks(NAMES_PER_SENTENCE);
        chunks.enumerate().filter_map(sentence).collect()
    }

    /// Siblings that the page does not link to yet, the next in the table first.
    fn unlinked_siblings(&self, sibling: &Sibling, shared: &str, written: &str) -> Vec<&str> {
        let linked = link_targets(written);
        self.catalogue
            .others_of_kind(self.entry)
            .filter(|other| other.row.values(sibling.column).iter().any(|value| value == shared))
            .map(|other| other.title.as_str())
            .filter(|title| !linked.contains(title))
            .take(sibling.limit)
            .collect()
    }
}
