//! All rows of all tables, and how running text refers to each of them.

use super::kinds;
use super::schema::{Kind, Naming};
use super::table::{self, Row};
use std::collections::BTreeMap;

/// A future page: a row together with the kind that declares it.
#[derive(Debug)]
pub(super) struct Entry {
    /// The page's title.
    pub title: String,
    /// What kind of page it is.
    pub kind: &'static Kind,
    /// Its facts.
    pub row: Row,
}

/// The entries of every table, in the order of the tables.
#[derive(Debug)]
pub(super) struct Catalogue {
    /// All entries, kind after kind.
    pub entries: Vec<Entry>,
    positions: BTreeMap<String, usize>,
    countries: BTreeMap<String, String>,
}

impl Catalogue {
    /// Reads every table.
    pub(super) fn load() -> Catalogue {
        let mut entries: Vec<Entry> = kinds::all().flat_map(read_kind).collect();
        let countries = adjectives_to_countries(&entries);
        for entry in &mut entries {
            add_home(&mut entry.row, &countries);
        }
        let titles = entries.iter().map(|entry| entry.title.clone());
        let positions = titles.zip(0..).collect();
        let mut catalogue = Catalogue { entries, positions, countries };
        catalogue.complete_symmetric_facts();
        catalogue
    }

    /// The entry with this title.
    pub(super) fn get(&self, title: &str) -> Option<&Entry> {
        self.positions.get(title).map(|&at| &self.entries[at])
    }

    /// The other entries of the same kind, from the next in the table around.
    pub(super) fn others_of_kind<'a>(&'a self, entry: &'a Entry) -> impl Iterator<Item = &'a Entry> {
        let of_kind = |other: &&Entry| other.kind.file == entry.kind.file;
        let (before, from_here) = self.entries.split_at(self.positions[&entry.title]);
        let first = before.len() - before.iter().rev().take_while(of_kind).count();
        from_here.iter().skip(1).take_while(of_kind).chain(&before[first..])
    }

    /// The country that an adjective such as "French" stands for.
    pub(super) fn country_of(&self, adjective: &str) -> Option<&str> {
        self.countries.get(adjective).map(String::as_str)
    }

    /// A name as running text writes it, linked when it has a page.
    pub(super) fn link(&self, name: &str) -> String {
        let Some(entry) = self.get(name) else {
            return name.to_owned();
        };
        let (article, anchor) = entry.reference();
        if anchor == entry.title {
            format!("{article}[[{anchor}]]")
        } else {
            format!("{article}[[{}|{anchor}]]", entry.title)
        }
    }

    /// A name as running text writes it, never linked.
    pub(super) fn plain(&self, name: &str) -> String {
        self.get(name).map_or_else(
            || name.to_owned(),
            |entry| {
                let (article, anchor) = entry.reference();
                article.to_owned() + &anchor
            },
        )
    }

    /// Writes facts such as "is a neighbour of" into both rows.
    fn complete_symmetric_facts(&mut self) {
        let mut missing = Vec::new();
        for entry in &self.entries {
            for &column in entry.kind.symmetric {
                for other in entry.row.values(column) {
                    if let Some(&at) = self.positions.get(other) {
                        missing.push((at, column, entry.title.clone()));
                    }
                }
            }
        }
        for (at, column, title) in missing {
            self.entries[at].row.add(column, &title);
        }
    }
}

impl Entry {
    /// The article (with its space, or empty) and the name in running text.
    fn reference(&self) -> (&'static str, String) {
        if let Some(mention) = self.row.first("mention") {
            return match mention.strip_prefix("the ") {
                Some(name) => ("the ", name.to_owned()),
                None => ("", mention.to_owned()),
            };
        }
        let bare = self.title.split(" (").next().unwrap_or(&self.title);
        match self.kind.naming {
            Naming::Proper => ("", bare.to_owned()),
            Naming::The => ("the ", bare.to_owned()),
            Naming::Common => ("", lower_first(bare)),
            Naming::TheCommon => ("the ", lower_first(bare)),
        }
    }
}

fn read_kind(kind: &'static Kind) -> impl Iterator<Item = Entry> {
    let named = move |mut row: Row| {
        row.add("kind", kind.plural);
        let title =
            row.first("name").unwrap_or_else(|| panic!("{}: a row without a name", kind.file)).to_owned();
        Entry { title, kind, row }
    };
    table::parse(kind.file, kind.table).into_iter().map(named)
}

fn adjectives_to_countries(entries: &[Entry]) -> BTreeMap<String, String> {
    let mut countries = BTreeMap::new();
    for entry in entries {
        for adjective in entry.row.values("adjectives") {
            countries.insert(adjective.clone(), entry.title.clone());
        }
    }
    countries
}

/// Gives a row the country that its first nationality stands for.
fn add_home(row: &mut Row, countries: &BTreeMap<String, String>) {
    if let Some(country) = row.first("nationality").and_then(|n| countries.get(n)) {
        row.add("home", country);
    }
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}
