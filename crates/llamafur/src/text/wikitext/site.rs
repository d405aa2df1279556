//! The description of a wiki at the head of its dump: its name, language, letter case and namespaces.

use super::magic_words::{Words, is_language};
use serde::{Deserialize, Serialize};

/// The namespace of articles.
pub const ARTICLES: i32 = 0;
/// The namespace of users.
const USERS: i32 = 2;
/// The namespace of the pages about the wiki itself.
pub(super) const PROJECT: i32 = 4;
/// The namespace of files.
pub const FILES: i32 = 6;
/// The namespace of templates.
pub(super) const TEMPLATES: i32 = 10;
/// The namespace of categories.
pub const CATEGORIES: i32 = 14;

/// A wiki.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// The name of the wiki, such as `Wikipedia`.
    pub name: String,
    /// The name of its database, such as `simplewiki`.
    pub database: String,
    /// The code of its language, such as `en`.
    pub language: String,
    /// The case of the first letter of a title, unless its namespace says otherwise.
    pub case: LetterCase,
    /// The namespaces of the wiki.
    pub namespaces: Vec<Namespace>,
}

/// A namespace of a wiki.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Namespace {
    /// The number of the namespace: 0 for articles, 14 for categories, …
    pub key: i32,
    /// The name in the wiki's language; empty for articles.
    pub name: String,
    /// The case of the first letter of its titles.
    pub case: LetterCase,
}

/// The case of the first letter of a title.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LetterCase {
    /// A capital first letter.
    #[default]
    FirstLetter,
    /// A first letter as it is written.
    CaseSensitive,
}

impl LetterCase {
    /// Reads the word that dumps use: `first-letter` or `case-sensitive`.
    pub fn from_dump(word: &str) -> LetterCase {
        if word.trim() == "case-sensitive" { LetterCase::CaseSensitive } else { LetterCase::FirstLetter }
    }
}

impl Default for Site {
    /// Returns a wiki without a description: English, first letters large.
    fn default() -> Site {
        let articles = Namespace { key: ARTICLES, name: String::new(), case: LetterCase::FirstLetter };
        let others = ENGLISH.iter().filter(|(_, name)| !name.starts_with("Image"));
        let others =
            others.map(|&(key, name)| Namespace { key, name: name.into(), case: LetterCase::FirstLetter });
        Site {
            name: String::new(),
            database: String::new(),
            language: "en".into(),
            case: LetterCase::FirstLetter,
            namespaces: std::iter::once(articles).chain(others).collect(),
        }
    }
}

impl Site {
    /// Returns the address of an article on the web, if this is a wiki of Wikimedia.
    pub(crate) fn address(&self, title: &str) -> Option<String> {
        let of_language = |(suffix, project): &(&str, &str)| {
            let language = self.database.strip_suffix(suffix)?.replace('_', "-");
            is_language(&language).then(|| format!("{language}.{project}.org"))
        };
        let host = match &self.database[..] {
            "commonswiki" => "commons.wikimedia.org".to_owned(),
            "specieswiki" => "species.wikimedia.org".to_owned(),
            "wikidatawiki" => "www.wikidata.org".to_owned(),
            _ => WIKIMEDIA.iter().find_map(of_language)?,
        };
        let mut address = format!("https://{host}/wiki/");
        for byte in title.bytes() {
            match byte {
                b' ' => address.push('_'),
                _ if byte.is_ascii_alphanumeric() || b"-_.~()!*,:;@/$".contains(&byte) => {
                    address.push(char::from(byte));
                }
                _ => address.push_str(&format!("%{byte:02X}")),
            }
        }
        Some(address)
    }

    /// Returns the wiki's words for the pages about itself and, in other languages than English, its users, templates
    /// and categories: names by the dump, or else by its language.
    pub(crate) fn housekeeping_words(&self) -> Vec<String> {
        let by_language = Words::new(&self.language).namespaces();
        let name = |key: i32| {
            let own =
                self.namespaces.iter().find(|namespace| namespace.key == key && !namespace.name.is_empty());
            let known =
                by_language.iter().find(|(_, known)| *known == key).map(|(name, _)| (*name).to_owned());
            own.map(|namespace| namespace.name.replace('_', " ")).or(known)
        };
        let project = name(PROJECT).filter(|name| name != "Project").unwrap_or_else(|| self.name.clone());
        let others: &[i32] = if self.language == "en" { &[] } else { &[USERS, TEMPLATES, CATEGORIES] };
        let words = std::iter::once(project).chain(others.iter().filter_map(|&key| name(key)));
        words.filter(|word| !word.trim().is_empty()).collect()
    }
}

/// Endings of the database names of Wikimedia's wikis, and the projects that they belong to.
const WIKIMEDIA: [(&str, &str); 8] = [
    ("wiki", "wikipedia"),
    ("wiktionary", "wiktionary"),
    ("wikibooks", "wikibooks"),
    ("wikinews", "wikinews"),
    ("wikiquote", "wikiquote"),
    ("wikisource", "wikisource"),
    ("wikiversity", "wikiversity"),
    ("wikivoyage", "wikivoyage"),
];

/// The names that every wiki understands.
pub(super) const ENGLISH: [(i32, &str); 19] = [
    (-2, "Media"),
    (-1, "Special"),
    (1, "Talk"),
    (2, "User"),
    (3, "User talk"),
    (4, "Project"),
    (5, "Project talk"),
    (6, "File"),
    (6, "Image"),
    (7, "File talk"),
    (7, "Image talk"),
    (8, "MediaWiki"),
    (9, "MediaWiki talk"),
    (10, "Template"),
    (11, "Template talk"),
    (12, "Help"),
    (13, "Help talk"),
    (14, "Category"),
    (15, "Category talk"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn articles_of_wikimedia_have_addresses() {
        let address = |database: &str, title: &str| {
            Site { database: database.into(), ..Site::default() }.address(title).unwrap_or_default()
        };
        assert_eq!(address("simplewiki", "Gas giant"), "https://simple.wikipedia.org/wiki/Gas_giant");
        assert_eq!(address("dewiktionary", "Fisch"), "https://de.wiktionary.org/wiki/Fisch");
        assert_eq!(address("zh_min_nanwiki", "AC/DC"), "https://zh-min-nan.wikipedia.org/wiki/AC/DC");
        assert_eq!(address("enwiki", "Why? \"É\"<"), "https://en.wikipedia.org/wiki/Why%3F_%22%C3%89%22%3C");
        for other in ["", "wiki", "demowiki", "wikispeedia", "evil.org/wiki", "testwiki"] {
            assert_eq!(address(other, "Fish"), "", "{other}");
        }
    }
}
