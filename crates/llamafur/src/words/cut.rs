//! Cuts texts into terms.

use super::conf::{Stemming, StopWords, WordsConf};
use super::language::Language;
use super::names::{Names, Spellings};
use crate::corpus::Corpus;
use snowball_stemmers_rs::Stemmer;
use std::borrow::Cow;
use unicode_segmentation::UnicodeSegmentation;

/// The rules that turn words into terms.
pub(crate) struct Rules {
    pub(super) language: Language,
    stemmer: Option<Stemmer>,
    /// The stop words in lower case, in order, each once.
    pub(super) stop_words: Vec<String>,
    pub(super) shortest: usize,
    pub(super) longest: usize,
}

impl Rules {
    pub(crate) fn new(corpus: &Corpus, conf: &WordsConf) -> Rules {
        let of_wiki = corpus.manifest().site.as_ref().map(|site| site.language.as_str());
        Rules::of(Language::new(conf.language.as_deref().or(of_wiki).unwrap_or("en")), conf)
    }

    pub(crate) fn of(language: Language, conf: &WordsConf) -> Rules {
        let small = |word: &str| lower(word).into_owned();
        let mut stop_words: Vec<String> = match &conf.stop_words {
            StopWords::OfLanguage => language.stop_words().iter().map(|word| small(word)).collect(),
            StopWords::None => Vec::new(),
            StopWords::Own(words) => words.iter().map(|word| small(word)).collect(),
        };
        stop_words.sort();
        stop_words.dedup();
        let stemmer = language.stemmer().filter(|_| conf.stemming == Stemming::Snowball);
        let (shortest, longest) = (conf.shortest, conf.longest);
        Rules { language, stemmer, stop_words, shortest, longest }
    }

    /// Returns the BLAKE3 of the stop words, one a line.
    pub(super) fn stop_words_checksum(&self) -> String {
        blake3::hash(self.stop_words.join("\n").as_bytes()).to_hex().to_string()
    }

    /// Returns the name of the stemmer, if words lose their endings.
    pub(super) fn stemmer_name(&self) -> Option<String> {
        self.stemmer.as_ref().and_then(|_| self.language.stemmer_name())
    }

    /// Returns the term of a word as it is written; `None` where it has none.
    fn term_of(&self, word: &str) -> Option<String> {
        self.term(&lower(word)).map(Cow::into_owned)
    }

    /// Returns the terms of the words of a text; `None` for a word that has none.
    pub(crate) fn terms(&self, text: &str) -> Vec<Option<String>> {
        let mut terms = Vec::new();
        words(text, &mut |word| terms.push(self.term_of(word)));
        terms
    }

    /// Returns the term of a lowercased word; `None` where it has none.
    fn term<'w>(&self, word: &'w str) -> Option<Cow<'w, str>> {
        if self.stop_words.binary_search_by(|stop| stop.as_str().cmp(word)).is_ok() {
            return None;
        }
        if word.starts_with(is_paired) {
            return Some(word.into());
        }
        let term = self.stemmer.as_ref().map_or(word.into(), |stemmer| stemmer.stem(word));
        (self.shortest..=self.longest).contains(&term.chars().count()).then_some(term)
    }
}

/// Returns the word in small letters, with the apostrophe that stemmers and lists of stop words know.
fn lower(word: &str) -> Cow<'_, str> {
    let is_small = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase();
    if word.bytes().all(is_small) { word.into() } else { word.to_lowercase().replace('’', "'").into() }
}

/// Returns whether a letter is of a script whose words cannot be separated without a dictionary.
fn is_paired(letter: char) -> bool {
    matches!(letter,
        '\u{E00}'..='\u{EFF}' // Thai, Lao
        | '\u{1000}'..='\u{109F}' // Burmese
        | '\u{1100}'..='\u{11FF}' | '\u{3130}'..='\u{318F}' | '\u{AC00}'..='\u{D7AF}' // Hangul
        | '\u{1780}'..='\u{17FF}' // Khmer
        | '\u{3005}' | '\u{3041}'..='\u{3096}' | '\u{30A1}'..='\u{30FA}' | '\u{30FC}' | '\u{FF66}'..='\u{FF9F}' // Kana
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}' // Han
    )
}

/// Calls `each` with the words of a text, as they are written: those of UAX #29.
fn words<'t>(text: &'t str, each: &mut impl FnMut(&'t str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < text.len() {
        // No word goes over a space, so what is between two of them is cut by itself, and plain letters more quickly.
        let other = text.len() - bytes[at..].len() + first_other(&bytes[at..]);
        let plain_end = match other < text.len() {
            true => at + bytes[at..other].iter().rposition(u8::is_ascii_whitespace).unwrap_or(0),
            false => other,
        };
        ascii_words(&text[at..plain_end], each);
        let rest = bytes[other..].iter().position(u8::is_ascii_whitespace);
        at = rest.map_or(text.len(), |length| other + length);
        other_words(&text[plain_end..at], each);
    }
}

/// Returns the place of the first byte that is not ASCII, or the end.
fn first_other(bytes: &[u8]) -> usize {
    let plain = bytes.chunks(32).take_while(|chunk| chunk.is_ascii()).count() * 32;
    let plain = plain.min(bytes.len());
    plain + bytes[plain..].iter().position(|byte| !byte.is_ascii()).unwrap_or(bytes.len() - plain)
}

/// Calls `each` with the words of a text in which some letters may be of scripts without spaces.
fn other_words<'t>(text: &'t str, each: &mut impl FnMut(&'t str)) {
    let mut rest = text;
    while !rest.is_empty() {
        let (words, after) = rest.split_at(rest.find(is_paired).unwrap_or(rest.len()));
        // A combining mark after whitespace is one segment with it.
        words.unicode_words().for_each(|word| each(word.trim_start()));
        let end = after.find(|letter| !is_paired(letter)).unwrap_or(after.len());
        pairs(&after[..end], each);
        rest = &after[end..];
    }
}

/// The role of an ASCII character in a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Other,
    Letter,
    Digit,
    /// `_`, which joins whatever is in words but is none itself.
    Joiner,
    /// A joiner of two letters: `:`.
    InLetters,
    /// A joiner of two digits: `,` and `;`.
    InDigits,
    /// A joiner of two letters or two digits: `.` and `'`.
    InBoth,
}

static CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => Class::Letter,
            b'0'..=b'9' => Class::Digit,
            b'_' => Class::Joiner,
            b':' => Class::InLetters,
            b',' | b';' => Class::InDigits,
            b'.' | b'\'' => Class::InBoth,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};

/// Calls `each` with the words of a text that is ASCII: rules 5 to 13b of UAX #29, section 4.1.
fn ascii_words<'t>(text: &'t str, each: &mut impl FnMut(&'t str)) {
    let bytes = text.as_bytes();
    let class = |at: usize| bytes.get(at).map_or(Class::Other, |&byte| CLASSES[usize::from(byte)]);
    let mut at = 0;
    while at < bytes.len() {
        let (start, mut has_letter) = (at, false);
        loop {
            let goes_on = match class(at) {
                Class::Letter | Class::Digit => {
                    has_letter = true;
                    true
                }
                Class::Joiner => true,
                Class::Other => false,
                mark if at > start => {
                    let around = (class(at - 1), class(at + 1));
                    (around == (Class::Letter, Class::Letter) && mark != Class::InDigits)
                        || (around == (Class::Digit, Class::Digit) && mark != Class::InLetters)
                }
                _ => false,
            };
            if !goes_on {
                break;
            }
            at += 1;
        }
        if has_letter {
            each(&text[start..at]);
        }
        at += usize::from(at == start || class(at) == Class::Other);
    }
}

/// Calls `each` with every two letters that follow each other, or with a single letter itself.
fn pairs<'t>(letters: &'t str, each: &mut impl FnMut(&'t str)) {
    let ends = letters.char_indices().map(|(at, letter)| at + letter.len_utf8());
    let starts = letters.char_indices().map(|(at, _)| at);
    let mut is_alone = !letters.is_empty();
    for (start, end) in starts.zip(ends.skip(1)) {
        is_alone = false;
        each(&letters[start..end]);
    }
    if is_alone {
        each(letters);
    }
}

/// A tokenizer of the texts of some pages, which numbers their terms as they come.
pub(super) struct Cutter<'r> {
    rules: &'r Rules,
    words: Names,
    /// The term of each word; [`DROPPED`] where it has none.
    term_of: Vec<u32>,
    pub(super) terms: Names,
    pub(super) spellings: Spellings,
    /// The counts of each term in the page, and in its lead.
    counts: Vec<[u32; 2]>,
    /// The terms of the page.
    found: Vec<u32>,
    /// A word in lower case.
    small: String,
}

/// Words of a text that are its lead.
pub(super) const LEAD: usize = 200;

/// The number of no term.
const DROPPED: u32 = u32::MAX;

impl<'r> Cutter<'r> {
    pub(super) fn new(rules: &'r Rules) -> Cutter<'r> {
        Cutter {
            rules,
            words: Names::default(),
            term_of: Vec::new(),
            terms: Names::default(),
            spellings: Spellings::default(),
            counts: Vec::new(),
            found: Vec::new(),
            small: String::new(),
        }
    }

    /// Calls `each` with every term of a text and its counts, in the text and in the lead.
    pub(super) fn cut(&mut self, text: &str, mut each: impl FnMut(u32, [u32; 2])) {
        let mut num_words = 0;
        words(text, &mut |word| {
            let term = self.term(word);
            if term != DROPPED {
                let counts = &mut self.counts[term as usize];
                if counts[0] == 0 {
                    self.found.push(term);
                }
                counts[0] += 1;
                counts[1] += u32::from(num_words < LEAD);
            }
            num_words += 1;
        });
        for term in self.found.drain(..) {
            each(term, std::mem::take(&mut self.counts[term as usize]));
        }
    }

    /// Returns the number of a word's term; [`DROPPED`] where it has none.
    fn term(&mut self, word: &str) -> u32 {
        let lowered;
        let word = if !word.is_ascii() {
            lowered = lower(word);
            &lowered
        } else if word.bytes().any(|byte| byte.is_ascii_uppercase()) {
            self.small.clear();
            self.small.push_str(word);
            self.small.make_ascii_lowercase();
            &self.small
        } else {
            word
        };
        let number = self.words.number(word) as usize;
        if number == self.term_of.len() {
            let term = self.rules.term(word).map_or(DROPPED, |term| {
                let number = self.terms.number(&term);
                self.spellings.add(number, &term, word);
                number
            });
            self.term_of.push(term);
            self.counts.resize(self.terms.len(), [0; 2]);
        }
        self.term_of[number]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn terms(language: &str, conf: &WordsConf, text: &str) -> Vec<(String, u32)> {
        let rules = Rules::of(Language::new(language), conf);
        let (mut cutter, mut found) = (Cutter::new(&rules), Vec::new());
        cutter.cut(text, |term, [count, _]| found.push((term, count)));
        let mut found: Vec<_> =
            found.into_iter().map(|(term, count)| (cutter.terms.get(term).to_owned(), count)).collect();
        found.sort();
        found
    }

    fn plainly(language: &str, text: &str) -> String {
        let found = terms(language, &WordsConf::default(), text).into_iter();
        found
            .map(|(term, count)| if count == 1 { term } else { format!("{term}×{count}") })
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn words_are_small_without_endings_and_stop_words_are_left_out() {
        assert_eq!(plainly("en", "Planets and PLANET; a planet’s moons, don’t they?"), "moon planet×3");
        assert_eq!(plainly("de", "Die Häuser über dem großen Haus"), "gross haus×2");
        assert_eq!(plainly("ru", "Рыба живёт в воде. Планета, планеты"), "живет планет×2");
        assert_eq!(plainly("mhr", "Марий Эл Марий Эл"), "марий×2");
    }

    #[test]
    fn letters_are_counted_after_stemming_and_both_bounds_are_in() {
        let of = |letters: usize| "z".repeat(letters);
        let text = [3, 4, 50, 51].map(of).join(" ");
        assert_eq!(terms("en", &WordsConf::default(), &text), [(of(4), 1), (of(50), 1)]);
        assert_eq!(plainly("en", "cats Jahr"), "jahr");
        let plain = WordsConf::default().stemming(Stemming::None);
        assert_eq!(terms("en", &plain, "cats öäüß ab"), [("cats".into(), 1), ("öäüß".into(), 1)]);
    }

    #[test]
    fn own_stop_words_are_taken_in_any_case_and_none_when_there_shall_be_none() {
        let own = WordsConf::default().stop_words(StopWords::Own(vec!["Fish".into()]));
        assert_eq!(terms("en", &own, "fish fishes over"), [("fish".into(), 1), ("over".into(), 1)]);
        let none = WordsConf::default().stop_words(StopWords::None);
        assert_eq!(terms("en", &none, "over"), [("over".into(), 1)]);
    }

    #[test]
    fn letters_without_blanks_come_in_pairs() {
        assert_eq!(plainly("zh", "木星是行星"), "星是 是行 木星 行星");
        assert_eq!(plainly("ja", "NASA木星。ガス"), "nasa ガス 木星");
        assert_eq!(plainly("zh", "猫"), "猫");
        assert_eq!(plainly("ko", "목성은"), "목성 성은");
        assert_eq!(plainly("en", ""), "");
    }

    #[test]
    fn no_word_begins_with_the_whitespace_that_a_combining_mark_follows() {
        for text in ["\u{3000} \u{ABE}", " \u{ABE}", "\u{A0}\u{ABE}"] {
            let mut found = Vec::new();
            words(text, &mut |word| found.push(word));
            assert_eq!(found, ["\u{ABE}"], "{text:?}");
        }
    }

    /// The words of each line as the standard has them, but for the scripts without spaces.
    fn plain_words(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        text.lines().for_each(|line| other_words(line, &mut |word| found.push(word)));
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]
        #[test]
        fn plain_letters_are_cut_as_the_standard_says(text in "([a-cA-C]{1,3}|[0-9]{1,2}|[ -~]|[\\x00-\\x7F]|[_.,:;'\"-]{1,3}|[ \\n\\t]){0,40}") {
            let mut found = Vec::new();
            ascii_words(&text, &mut |word| found.push(word));
            prop_assert_eq!(found, text.unicode_words().collect::<Vec<_>>());
        }

        #[test]
        fn spaces_part_words_of_all_scripts(
            text in "([a-c]{1,3}|[0-9]{1,2}|[ \\n\\t\r\u{A0}\u{2003}\u{3000}]|[_.,:;'’·״-]|[äßжعא\u{308}\u{200D}\u{AD}]|[ℹ©🇩🇪]|[木カ목ไ]|\\PC){0,40}"
        ) {
            let mut found = Vec::new();
            words(&text, &mut |word| found.push(word));
            prop_assert_eq!(found, plain_words(&text));
        }
    }
}
