//! Titles as MediaWiki reads them: what a link's target means.
//!
//! A target is put into its one form: percent-escapes and entities decoded, underscores and whitespace of all kinds
//! made single spaces, the fragment and a leading colon cut, letters and their accents put together (NFC), the namespace
//! or the other wiki found by its prefix in any of its spellings, the first letter made large unless the wiki keeps it.

use super::bytes::byte_set;
use super::entities::decode_entities;
use super::magic_words::{self, Words};
use super::site::{ARTICLES, CATEGORIES, ENGLISH, LetterCase, PROJECT, Site};
use memchr::memchr3;
use rapidhash::RapidHashMap;
use std::borrow::Cow;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// The longest title of a wiki, in bytes of UTF-8, without its namespace.
pub const LONGEST_TITLE: usize = 255;

/// Languages in which i and ı are two letters, each with a large form.
const DOTTED: [&str; 3] = ["az", "kaa", "tr"];

/// Beginnings of addresses, which are no titles.
const PROTOCOLS: [&str; 28] = [
    "http://",
    "https://",
    "//",
    "ftp://",
    "ftps://",
    "mailto:",
    "news:",
    "irc://",
    "ircs://",
    "gopher://",
    "bitcoin:",
    "geo:",
    "git://",
    "magnet:",
    "matrix:",
    "mms://",
    "nntp://",
    "redis://",
    "sftp://",
    "sip:",
    "sips:",
    "sms:",
    "ssh://",
    "svn://",
    "tel:",
    "telnet://",
    "urn:",
    "xmpp:",
];

/// The meaning of a link's target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target<'a> {
    /// A page of this wiki.
    Page {
        /// The namespace of the page.
        namespace: i32,
        /// The name without the namespace.
        name: &'a str,
        /// True if a leading colon makes it a link where it would otherwise be an image or a category.
        colon: bool,
    },
    /// A section of the same page: `[[#History]]`.
    Section,
    /// A page of another wiki.
    Interwiki,
    /// An invalid title; the text stays as it is.
    Invalid,
}

/// A reader of titles by the rules of one wiki.
#[derive(Debug, Clone)]
pub struct Titles {
    prefixes: RapidHashMap<String, Prefix>,
    /// The length of the longest prefix, with room for letters that are longer when they are large.
    longest_prefix: usize,
    /// The prefix, in small letters, that leads to the wiki itself.
    own_prefix: String,
    hidden_words: Vec<&'static str>,
    redirect_words: Vec<&'static str>,
    image_links: Vec<&'static str>,
    /// The namespaces whose titles keep their first letter.
    case_sensitive: Vec<i32>,
    /// True if articles are among them.
    keeps_articles: bool,
    /// True if the large form of i has a dot.
    dotted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prefix {
    Namespace(i32),
    Interwiki,
}

impl Titles {
    /// Creates the rules of a wiki.
    pub fn new(site: &Site) -> Titles {
        let mut prefixes: RapidHashMap<String, Prefix> =
            magic_words::interwikis().map(|code| (code.to_owned(), Prefix::Interwiki)).collect();
        let words = Words::new(&site.language);
        let project = site.namespaces.iter().find(|namespace| namespace.key == PROJECT);
        let project = project.map_or(site.name.as_str(), |namespace| &namespace.name);
        for (name, key) in words.namespaces() {
            prefixes.insert(name.replace("$1", project).to_lowercase(), Prefix::Namespace(key));
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
        let longest_prefix = 2 * prefixes.keys().map(String::len).max().unwrap_or_default();
        Titles {
            prefixes,
            longest_prefix,
            own_prefix: magic_words::own_prefix(&site.database, &site.language),
            hidden_words: words.hidden(),
            redirect_words: words.redirects(),
            image_links: words.image_links(),
            case_sensitive,
            keeps_articles: keeps(ARTICLES),
            dotted: DOTTED.contains(&magic_words::code(&site.language).as_str()),
        }
    }

    /// Returns the words that make a category hidden.
    pub(super) fn hidden_words(&self) -> &[&'static str] {
        &self.hidden_words
    }

    /// Returns what follows the word that makes a page a redirect, if its text begins with one.
    pub(super) fn after_redirect_word<'t>(&self, text: &'t str) -> Option<&'t str> {
        let text = text.trim_start();
        if !text.starts_with(['#', '＃']) {
            return None;
        }
        self.redirect_words.iter().find_map(|word| {
            let length = word.chars().count();
            let end = text.char_indices().nth(length).map_or(text.len(), |(end, _)| end);
            (text[..end].to_lowercase() == word.to_lowercase()).then(|| &text[end..])
        })
    }

    /// Returns the target in an option of an image: `link=Jupiter`.
    pub(super) fn image_link<'t>(&self, option: &'t str) -> Option<&'t str> {
        self.image_links.iter().find_map(|word| option.strip_prefix(word)).map(str::trim)
    }

    /// Reads the target of a link, `raw` being what is between `[[` and `|` or `]]`. The name in the result
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
        if is_decomposed(buffer) {
            *buffer = buffer.nfc().collect();
        }
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
                Some(Prefix::Interwiki) if prefix == self.own_prefix => {
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

    /// Returns a prefix in small letters, and its meaning.
    fn prefix<'p>(&self, prefix: &'p str) -> (Cow<'p, str>, Option<Prefix>) {
        if prefix.len() > self.longest_prefix {
            return (prefix.into(), None);
        }
        let is_small = prefix.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
        let small = if is_small { prefix.into() } else { Cow::Owned(prefix.to_lowercase()) };
        let meaning = self.prefixes.get(&*small).copied();
        (small, meaning)
    }

    /// Returns the namespace and the name of a page from its full title, where the dump does not give the namespace.
    pub fn page<'t>(&self, title: &'t str) -> (i32, &'t str) {
        if let Some((prefix, name)) = title.split_once(':') {
            let prefix = prefix.replace('_', " ");
            if let (_, Some(Prefix::Namespace(key))) = self.prefix(prefix.trim()) {
                return (key, name.trim_start());
            }
        }
        (ARTICLES, title)
    }

    /// Returns a title with its letters and their accents put together (NFC), as MediaWiki keeps titles.
    pub fn composed(title: &str) -> Cow<'_, str> {
        if is_decomposed(title) { title.nfc().collect::<String>().into() } else { title.into() }
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

/// Returns the large form of a letter, where titles have one.
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

/// Returns whether a target needs no more than its first letter made large: no escape, prefix, fragment, unusual
/// whitespace, and no letter that could be part of another.
fn is_plain(raw: &[u8]) -> bool {
    let [first, .., last] = raw else { return matches!(raw, [c] if c.is_ascii_alphanumeric()) };
    if *first == b' ' || *last == b' ' || raw.len() > LONGEST_TITLE {
        return false;
    }
    let mut before = 0;
    raw.iter().all(|&byte| {
        let odd = SPECIAL[byte as usize] || (byte == b' ' && before == b' ');
        before = byte;
        !odd
    })
}

/// Bytes that send a target the long way: what has a meaning in titles, the first bytes of unusual whitespace and
/// of invisible marks (U+00A0, U+1680, U+180E, U+2000 and on, U+3000, U+FFFD), and those of [`JOINING`].
static SPECIAL: [bool; 256] = byte_set(
    b"\0\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0B\x0C\r\x0E\x0F\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1A\x1B\x1C\x1D\
      \x1E\x1F_#%&:.~/<>[]{}|\x7F\xC2\xCC\xCD\xD6\xD7\xD8\xD9\xDC\xDF\xE0\xE1\xE2\xE3\xEF\xF0",
);

/// First bytes of characters that join the one before them, or that have another form.
static JOINING: [bool; 256] = byte_set(b"\xCC\xCD\xD6\xD7\xD8\xD9\xDC\xDF\xE0\xE1\xE2\xE3\xEF\xF0");

/// Returns whether letters and their accents are not put together as they are in titles.
fn is_decomposed(text: &str) -> bool {
    // Nearly all titles have no letter that could be part of another.
    !text.is_ascii()
        && text.bytes().any(|byte| JOINING[byte as usize])
        && is_nfc_quick(text.chars()) != IsNormalized::Yes
}

/// Returns the text with `%41` and the like decoded; `None` where that gives no UTF-8.
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

/// Returns whether a text begins like the address of something on the web.
pub(super) fn is_address(text: &[u8]) -> bool {
    let first = text.first().map_or(0, u8::to_ascii_lowercase);
    let begins = |protocol: &&str| {
        protocol.as_bytes()[0] == first
            && text.get(..protocol.len()).is_some_and(|start| start.eq_ignore_ascii_case(protocol.as_bytes()))
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

/// Appends the text with single spaces, none at its ends.
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

/// Returns whether a name can be a title.
fn is_valid(name: &str) -> bool {
    let forbidden =
        |c: char| c.is_control() || matches!(c, '<' | '>' | '[' | ']' | '{' | '}' | '|' | '#' | '\u{FFFD}');
    let forbidden =
        name.is_empty() || name.len() > LONGEST_TITLE || name.starts_with(':') || name.contains(forbidden);
    // The longer searches are seldom needed.
    let relative = name.contains('.') && is_relative(name);
    let is_odd = memchr3(b'~', b'&', b'%', name.as_bytes()).is_some()
        && (name.contains("~~~")
            || name.split('&').skip(1).any(begins_reference)
            || name.split('%').skip(1).any(begins_escape));
    !(forbidden || relative || is_odd)
}

/// Returns whether a text after `&` looks like the name of a character.
fn begins_reference(text: &str) -> bool {
    let Some((name, _)) = text.split_once(';') else { return false };
    match name.strip_prefix('#') {
        Some(number) => {
            let (digits, base) = number.strip_prefix(['x', 'X']).map_or((number, 10), |digits| (digits, 16));
            !digits.is_empty() && digits.chars().all(|c| c.is_digit(base))
        }
        None => !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || !c.is_ascii()),
    }
}

/// Returns whether a text after `%` looks like the number of a byte.
fn begins_escape(text: &str) -> bool {
    matches!(text.as_bytes(), [a, b, ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit())
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
    fn decomposed_letters_are_put_together() {
        assert_eq!(parse("Cafe\u{301}"), "Café");
        assert_eq!(parse("e\u{301}clair"), "Éclair");
        assert_eq!(parse("Caf&#x65;&#x301;"), "Café");
        assert_eq!(parse("й"), "Й");
        assert_eq!(parse("и\u{306}"), "Й");
        assert_eq!(parse("か\u{3099}"), "が");
        assert_eq!(parse("\u{1112}\u{1161}\u{11AB}"), "한");
        assert_eq!(Titles::composed("Cafe\u{301}"), "Café");
        assert!(matches!(Titles::composed("Café"), Cow::Borrowed(_)));
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
    fn a_language_has_more_names_than_its_dump_says() {
        let titles = |language: &str| Titles::new(&Site { language: language.into(), ..Site::default() });
        assert_eq!(parse_by(&titles("de"), "Bild:Foo.jpg"), "6|Foo.jpg");
        assert_eq!(parse_by(&titles("nds-NL"), "ofbeelding:foo.jpg"), "6|Foo.jpg");
        assert_eq!(parse_by(&titles("nds-NL"), "Kattegerie:K"), "14|K");
        assert_eq!(parse_by(&titles("sr"), "Kategorija:K"), "14|K");
        assert_eq!(parse_by(&titles("cbk"), "Categoría:K"), "14|K");
        assert_eq!(parse_by(&titles("en"), "Bild:Foo.jpg"), "Bild:Foo.jpg");
        let project = Site {
            name: "Wikipedia".into(),
            language: "de".into(),
            namespaces: Vec::new(),
            ..Site::default()
        };
        assert_eq!(parse_by(&Titles::new(&project), "Wikipedia Diskussion:X"), "5|X");
    }

    #[test]
    fn a_wikis_own_prefix_may_differ_from_its_language() {
        let titles = |database: &str, language: &str| {
            Titles::new(&Site { database: database.into(), language: language.into(), ..Site::default() })
        };
        assert_eq!(parse_by(&titles("fiu_vrowiki", "vro"), "fiu-vro:x"), "X");
        assert_eq!(parse_by(&titles("nowiki", "nb"), "no:x"), "X");
        assert_eq!(parse_by(&titles("nowiki", "nb"), "nb:x"), "Interwiki");
        assert_eq!(parse_by(&titles("alswiki", "gsw"), "als:x"), "X");
        assert_eq!(parse_by(&titles("zh_min_nanwiki", "nan"), "zh-min-nan:x"), "X");
        assert_eq!(parse_by(&titles("simplewiki", "en"), "en:x"), "Interwiki");
        assert_eq!(parse_by(&titles("simplewiki", "en"), "simple:x"), "X");
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
            "Tel: Aviv",
            "a&bogus;b",
            "a%2541",
            "urn:x",
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
        assert_eq!(parse("AT&T; x"), "Invalid");
        assert_eq!(parse("A & B; c"), "A & B; c");
        assert_eq!(parse("..."), "...");
        assert_eq!(parse(&"x".repeat(255)), format!("X{}", "x".repeat(254)));
    }
}
