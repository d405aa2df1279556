//! Titles as MediaWiki reads them: what a link's target means.
//!
//! A target is put into its one form: percent-escapes and entities decoded, underscores and blanks of all kinds
//! made single blanks, the fragment and a leading colon cut, the namespace or the other wiki found by its prefix
//! in any of its spellings, the first letter made large unless the wiki keeps it.

use super::bytes::byte_set;
use super::entities::decode_entities;
use super::magic_words;
use super::site::{ARTICLES, CATEGORIES, ENGLISH, FILES, LetterCase, Site};
use std::borrow::Cow;
use std::collections::HashMap;

/// No title is longer, in bytes.
const LONGEST: usize = 255;

/// Languages in which i and ı are two letters, each with a large form.
const DOTTED: [&str; 3] = ["az", "kaa", "tr"];

/// What begins like this is an address, not a title.
const PROTOCOLS: [&str; 10] =
    ["http://", "https://", "//", "ftp://", "ftps://", "mailto:", "news:", "irc://", "ircs://", "gopher://"];

/// What the target of a link means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target<'a> {
    /// A page of this wiki.
    Page {
        /// Its namespace.
        namespace: i32,
        /// Its name without the namespace.
        name: &'a str,
        /// Whether a leading colon makes it a link where it would otherwise be an image or a category.
        colon: bool,
    },
    /// A section of the same page: `[[#History]]`.
    Section,
    /// A page of another wiki.
    Interwiki,
    /// No title at all; the text stays as it is.
    Invalid,
}

/// Reads titles as one wiki does.
#[derive(Debug, Clone)]
pub struct Titles {
    prefixes: HashMap<String, Prefix>,
    /// The length of the longest prefix, with room for letters that are longer when they are large.
    longest_prefix: usize,
    language: String,
    /// The namespaces whose titles keep their first letter.
    case_sensitive: Vec<i32>,
    /// Whether articles are among them.
    keeps_articles: bool,
    /// Whether the large form of i has a dot.
    dotted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prefix {
    Namespace(i32),
    Interwiki,
}

impl Titles {
    /// The rules of a wiki.
    pub fn new(site: &Site) -> Titles {
        let mut prefixes: HashMap<String, Prefix> =
            magic_words::interwikis().map(|code| (code.to_owned(), Prefix::Interwiki)).collect();
        for (file, category) in magic_words::namespaces(&site.language) {
            prefixes.insert(file.to_lowercase(), Prefix::Namespace(FILES));
            prefixes.insert(category.to_lowercase(), Prefix::Namespace(CATEGORIES));
        }
        for (key, name) in ENGLISH {
            prefixes.insert(name.to_lowercase(), Prefix::Namespace(key));
        }
        // The wiki's own words come last: they win over all others.
        for namespace in site.namespaces.iter().filter(|namespace| !namespace.name.is_empty()) {
            let name = namespace.name.replace('_', " ").to_lowercase();
            prefixes.insert(name, Prefix::Namespace(namespace.key));
        }
        let keeps = |key: i32| {
            let namespace = site.namespaces.iter().find(|namespace| namespace.key == key);
            namespace.map_or(site.case, |namespace| namespace.case) == LetterCase::CaseSensitive
        };
        let keys = site.namespaces.iter().map(|namespace| namespace.key);
        let keys = keys.chain([ARTICLES, CATEGORIES]);
        let case_sensitive = keys.filter(|&key| keeps(key)).collect();
        let language = site.language.to_lowercase();
        let longest_prefix = 2 * prefixes.keys().map(String::len).max().unwrap_or_default();
        let dotted = DOTTED.contains(&language.as_str());
        Titles { prefixes, longest_prefix, language, case_sensitive, keeps_articles: keeps(ARTICLES), dotted }
    }

    /// Reads the target of a link, `raw` being what stands between `[[` and `|` or `]]`. The name in the result
    /// lies in `buffer`.
    pub fn parse<'b>(&self, raw: &str, buffer: &'b mut String) -> Target<'b> {
        buffer.clear();
        if is_plain(raw.as_bytes()) {
            match raw.as_bytes() {
                // By far the most begin with a letter that needs no look at Unicode's tables.
                [first, ..] if first.is_ascii() && !self.keeps_articles && !self.dotted => {
                    buffer.push(first.to_ascii_uppercase().into());
                    buffer.push_str(&raw[1..]);
                }
                _ => {
                    buffer.push_str(raw);
                    self.raise_first(ARTICLES, buffer, 0);
                }
            }
            return Target::Page { namespace: ARTICLES, name: buffer, colon: false };
        }
        if is_address(raw.as_bytes()) {
            return Target::Invalid;
        }
        let Some(text) = percent_decoded(raw) else { return Target::Invalid };
        let text = decode_entities(&text);
        let (text, fragment) = match text.split_once('#') {
            Some((text, _)) => (text, true),
            None => (&*text, false),
        };
        single_blanks(text, buffer);
        let mut start = 0;
        let mut colon = buffer.starts_with(':');
        if colon {
            start = 1 + blanks(&buffer[1..]);
        }
        if buffer.len() == start {
            return if fragment && !colon { Target::Section } else { Target::Invalid };
        }
        let mut namespace = ARTICLES;
        while let Some(at) = buffer[start..].find(':') {
            let after = start + at + 1;
            let (prefix, meaning) = self.prefix(buffer[start..start + at].trim_end());
            match meaning {
                Some(Prefix::Namespace(key)) => {
                    namespace = key;
                    start = after + blanks(&buffer[after..]);
                }
                // The wiki's own code leads back to itself, and is always a link.
                Some(Prefix::Interwiki) if prefix == self.language => {
                    colon = true;
                    start = after + blanks(&buffer[after..]);
                    continue;
                }
                Some(Prefix::Interwiki) => return Target::Interwiki,
                None => {}
            }
            break;
        }
        if !is_valid(&buffer[start..]) {
            return Target::Invalid;
        }
        self.raise_first(namespace, buffer, start);
        Target::Page { namespace, name: &buffer[start..], colon }
    }

    /// A prefix in small letters, and what it means.
    fn prefix<'p>(&self, prefix: &'p str) -> (Cow<'p, str>, Option<Prefix>) {
        if prefix.len() > self.longest_prefix {
            return (prefix.into(), None);
        }
        let is_small = prefix.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
        let small = if is_small { prefix.into() } else { Cow::Owned(prefix.to_lowercase()) };
        let meaning = self.prefixes.get(&*small).copied();
        (small, meaning)
    }

    /// The name and the namespace of a page from its full title, where the dump does not tell the namespace.
    pub fn page<'t>(&self, title: &'t str) -> (i32, &'t str) {
        if let Some((prefix, name)) = title.split_once(':') {
            let prefix = prefix.replace('_', " ");
            if let (_, Some(Prefix::Namespace(key))) = self.prefix(prefix.trim()) {
                return (key, name.trim_start());
            }
        }
        (ARTICLES, title)
    }

    /// Makes the letter at `start` large if the namespace wants it.
    fn raise_first(&self, namespace: i32, name: &mut String, start: usize) {
        let first = name[start..].chars().next().filter(|_| !self.case_sensitive.contains(&namespace));
        let large = |first| if first == 'i' && self.dotted { Some('İ') } else { large_letter(first) };
        if let Some((first, large)) = first.and_then(|first| Some((first, large(first)?))) {
            name.replace_range(start..start + first.len_utf8(), large.encode_utf8(&mut [0; 4]));
        }
    }
}

/// The large form of a letter, where titles have one.
fn large_letter(c: char) -> Option<char> {
    if c.is_ascii() {
        return c.is_ascii_lowercase().then(|| c.to_ascii_uppercase());
    }
    // Georgian letters have large forms since 2018, but words never begin with one.
    if ('\u{10D0}'..='\u{10FF}').contains(&c) {
        return None;
    }
    let mut large = c.to_uppercase();
    match (large.next(), large.next()) {
        (Some(large), None) if large != c => Some(large),
        // ß and the like have no single large letter and stay.
        _ => None,
    }
}

/// Whether a target needs no more than its first letter made large: no escape, prefix, fragment, odd blank.
fn is_plain(raw: &[u8]) -> bool {
    let [first, .., last] = raw else { return matches!(raw, [c] if c.is_ascii_alphanumeric()) };
    if *first == b' ' || *last == b' ' || raw.len() > LONGEST {
        return false;
    }
    let mut before = 0;
    raw.iter().all(|&byte| {
        let odd = SPECIAL[byte as usize] || (byte == b' ' && before == b' ');
        before = byte;
        !odd
    })
}

/// Bytes that send a target the long way: what has a meaning in titles, and the first bytes of odd blanks and
/// of invisible marks (U+00A0, U+1680, U+180E, U+2000 and on, U+3000, U+FFFD).
static SPECIAL: [bool; 256] = byte_set(
    b"\0\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0B\x0C\r\x0E\x0F\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1A\x1B\x1C\x1D\
      \x1E\x1F_#%&:.~/<>[]{}|\x7F\xC2\xE1\xE2\xE3\xEF",
);

/// The text with `%41` and the like decoded; `None` where that gives no UTF-8.
fn percent_decoded(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('%') {
        return Some(text.into());
    }
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).and_then(|&byte| (byte as char).to_digit(16));
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                decoded.push((high * 16 + low) as u8);
                at += 3;
            }
            (byte, ..) => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).ok().map(Cow::Owned)
}

/// Whether a text begins like the address of something on the web.
pub(super) fn is_address(text: &[u8]) -> bool {
    let begins = |protocol: &&str| {
        text.get(..protocol.len()).is_some_and(|start| start.eq_ignore_ascii_case(protocol.as_bytes()))
    };
    PROTOCOLS.iter().any(begins)
}

fn is_blank(c: char) -> bool {
    matches!(
        c,
        ' ' | '_' | '\u{A0}' | '\u{1680}' | '\u{180E}' | '\u{2000}'
            ..='\u{200A}' | '\u{2028}' | '\u{2029}' | '\u{202F}' | '\u{205F}' | '\u{3000}'
    )
}

/// Marks of writing direction, which titles do not keep.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}')
}

/// Appends the text with single blanks, none at its ends.
fn single_blanks(text: &str, out: &mut String) {
    let trimmed = text.trim_matches(' ');
    let mut before = 0;
    let is_simple = trimmed.bytes().all(|byte| {
        let simple = byte.is_ascii() && byte != b'_' && (byte != b' ' || before != b' ');
        before = byte;
        simple
    });
    if is_simple {
        return out.push_str(trimmed);
    }
    let mut blank = false;
    for c in text.chars().filter(|&c| !is_mark(c)) {
        if is_blank(c) {
            blank = true;
            continue;
        }
        if blank && !out.is_empty() {
            out.push(' ');
        }
        blank = false;
        out.push(c);
    }
}

fn blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches(' ').len()
}

/// Whether a name can be a title.
fn is_valid(name: &str) -> bool {
    let forbidden =
        |c: char| c.is_control() || matches!(c, '<' | '>' | '[' | ']' | '{' | '}' | '|' | '#' | '\u{FFFD}');
    let forbidden =
        name.is_empty() || name.len() > LONGEST || name.starts_with(':') || name.contains(forbidden);
    // The longer searches are seldom needed.
    let relative = name.contains('.') && is_relative(name);
    let signature = name.contains('~') && name.contains("~~~");
    !(forbidden || relative || signature)
}

fn is_relative(name: &str) -> bool {
    let starts = name == "." || name == ".." || name.starts_with("./") || name.starts_with("../");
    let holds = name.contains("/./") || name.contains("/../");
    starts || holds || name.ends_with("/.") || name.ends_with("/..")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::wikitext::Namespace;

    fn parse(raw: &str) -> String {
        parse_by(&Titles::new(&Site::default()), raw)
    }

    fn parse_by(titles: &Titles, raw: &str) -> String {
        let mut buffer = String::new();
        match titles.parse(raw, &mut buffer) {
            Target::Page { namespace: 0, name, .. } => name.to_owned(),
            Target::Page { namespace, name, colon } => {
                format!("{}{namespace}|{name}", if colon { ":" } else { "" })
            }
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn blanks_underscores_case_and_escapes_have_one_form() {
        assert_eq!(parse("jupiter"), "Jupiter");
        assert_eq!(parse("  moons__of _ Jupiter_ "), "Moons of Jupiter");
        assert_eq!(parse("Moons\u{A0}of\u{2003}Jupiter\u{200E}"), "Moons of Jupiter");
        assert_eq!(parse("R%26B"), "R&B");
        assert_eq!(parse("R&amp;B"), "R&B");
        assert_eq!(parse("Caf%C3%A9"), "Café");
        assert_eq!(parse("100%"), "100%");
        assert_eq!(parse("Caf%C3"), "Invalid");
        assert_eq!(parse("éclair"), "Éclair");
        assert_eq!(parse("ßeta"), "ßeta");
        assert_eq!(parse("საქართველო"), "საქართველო");
        assert_eq!(parse("ǆ"), "Ǆ");
    }

    #[test]
    fn fragments_and_colons_are_cut() {
        assert_eq!(parse("Jupiter#Moons"), "Jupiter");
        assert_eq!(parse("Jupiter #Moons: four"), "Jupiter");
        assert_eq!(parse("#Moons"), "Section");
        assert_eq!(parse(":Jupiter"), "Jupiter");
        assert_eq!(parse(":#x"), "Invalid");
        assert_eq!(parse("::Jupiter"), "Invalid");
        assert_eq!(parse(""), "Invalid");
    }

    #[test]
    fn prefixes_lead_to_namespaces_and_other_wikis() {
        assert_eq!(parse("category: gas giants"), "14|Gas giants");
        assert_eq!(parse(":CATEGORY:Gas giants"), ":14|Gas giants");
        assert_eq!(parse("User_talk:x"), "3|X");
        assert_eq!(parse("Image:x.jpg"), "6|X.jpg");
        assert_eq!(parse("de:Jupiter"), "Interwiki");
        assert_eq!(parse(":De:Jupiter"), "Interwiki");
        assert_eq!(parse("en:jupiter"), "Jupiter");
        assert_eq!(parse("en:Category:Planets"), ":14|Planets");
        assert_eq!(parse("2001: A Space Odyssey"), "2001: A Space Odyssey");
        assert_eq!(parse("Category:"), "Invalid");
    }

    #[test]
    fn the_wikis_own_words_and_case_count() {
        let namespace = |key, name: &str, case| Namespace { key, name: name.into(), case };
        let mari = Site {
            language: "mhr".into(),
            namespaces: vec![
                namespace(0, "", LetterCase::CaseSensitive),
                namespace(14, "Категорий", LetterCase::FirstLetter),
            ],
            ..Site::default()
        };
        let titles = Titles::new(&mari);
        assert_eq!(parse_by(&titles, "категорий:ола"), "14|Ола");
        assert_eq!(parse_by(&titles, "Категория:ола"), "14|Ола");
        assert_eq!(parse_by(&titles, "Category:ола"), "14|Ола");
        assert_eq!(parse_by(&titles, "ола"), "ола");
        assert_eq!(titles.page("Категорий:Ола"), (14, "Ола"));
        assert_eq!(titles.page("Чоло: ола"), (0, "Чоло: ола"));
    }

    #[test]
    fn the_turkish_i_keeps_its_dot() {
        let titles = Titles::new(&Site { language: "tr".into(), ..Site::default() });
        assert_eq!(parse_by(&titles, "istanbul"), "İstanbul");
        assert_eq!(parse_by(&titles, "ırmak"), "Irmak");
        assert_eq!(parse("istanbul"), "Istanbul");
    }

    #[test]
    fn what_cannot_be_a_title_is_invalid() {
        let long = "x".repeat(256);
        for raw in [
            "http://x.org a",
            "HTTPS://x",
            "//x.org",
            "mailto:x",
            "..",
            "./x",
            "a/../b",
            "a/..",
            "a~~~b",
            "a<b",
            "a%5Bb",
            "a\u{FFFD}",
            "a\u{1}b",
            long.as_str(),
        ] {
            assert_eq!(parse(raw), "Invalid", "{raw}");
        }
        assert_eq!(parse("AC/DC"), "AC/DC");
        assert_eq!(parse("..."), "...");
        assert_eq!(parse(&"x".repeat(255)), format!("X{}", "x".repeat(254)));
    }
}
