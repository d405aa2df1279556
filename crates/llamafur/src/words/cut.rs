//! Cuts texts into terms.

use super::conf::{Stemming, StopWords, WordsConf};
use super::language::Language;
use super::names::{Names, Spellings};
use crate::corpus::Corpus;
use snowball_stemmers_rs::Stemmer;
use std::borrow::Cow;
use unicode_segmentation::UnicodeSegmentation;

/// What makes a term of a word.
pub(super) struct Rules {
    pub(super) language: Language,
    stemmer: Option<Stemmer>,
    /// Small, in order, each once.
    pub(super) stop_words: Vec<String>,
    pub(super) shortest: usize,
    pub(super) longest: usize,
}

impl Rules {
    pub(super) fn new(corpus: &Corpus, conf: &WordsConf) -> Rules {
        let of_wiki = corpus.manifest().site.as_ref().map(|site| site.language.as_str());
        Rules::of(Language::new(conf.language.as_deref().or(of_wiki).unwrap_or("en")), conf)
    }

    pub(super) fn of(language: Language, conf: &WordsConf) -> Rules {
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

    /// The name of the stemmer, if words lose their endings.
    pub(super) fn stemmer_name(&self) -> Option<String> {
        self.stemmer.as_ref().and_then(|_| self.language.stemmer_name())
    }

    /// The term of a lowercased word; `None` where it has none.
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

/// The word in small letters, with the apostrophe that stemmers and lists of stop words know.
fn lower(word: &str) -> Cow<'_, str> {
    let is_small = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase();
    if word.bytes().all(is_small) { word.into() } else { word.to_lowercase().replace('’', "'").into() }
}

/// Whether a letter is of a script whose words cannot be separated without a dictionary.
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

/// Calls `each` with the words of a text, as they are written.
fn words<'t>(text: &'t str, each: &mut impl FnMut(&'t str)) {
    // No word goes over the end of a line, and lines of plain letters are cut more quickly.
    for line in text.lines() {
        if line.is_ascii() {
            line.unicode_words().for_each(&mut *each);
            continue;
        }
        let mut rest = line;
        while !rest.is_empty() {
            let (words, after) = rest.split_at(rest.find(is_paired).unwrap_or(rest.len()));
            words.unicode_words().for_each(&mut *each);
            let end = after.find(|letter| !is_paired(letter)).unwrap_or(after.len());
            pairs(&after[..end], each);
            rest = &after[end..];
        }
    }
}

/// Every two letters that follow each other; of a single letter, itself.
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

/// Cuts the texts of a few pages, and numbers their terms as they come.
pub(super) struct Cutter<'r> {
    rules: &'r Rules,
    words: Names,
    /// The term of each word; [`DROPPED`] where it has none.
    term_of: Vec<u32>,
    pub(super) terms: Names,
    pub(super) spellings: Spellings,
    /// Of each word the term, and in the lowest bit whether it is beyond the lead.
    found: Vec<u64>,
}

/// Words of a text that are its lead.
pub(super) const LEAD: usize = 200;

/// No term.
const DROPPED: u32 = u32::MAX;

impl<'r> Cutter<'r> {
    pub(super) fn new(rules: &'r Rules) -> Cutter<'r> {
        let (words, terms) = (Names::default(), Names::default());
        let spellings = Spellings::default();
        Cutter { rules, words, term_of: Vec::new(), terms, spellings, found: Vec::new() }
    }

    /// Calls `each` with every term of a text, how often it occurs there, and how often in the lead.
    pub(super) fn cut(&mut self, text: &str, mut each: impl FnMut(u32, [u32; 2])) {
        let Cutter { rules, words: known, term_of, terms, spellings, found } = self;
        found.clear();
        let mut num_words = 0;
        words(text, &mut |word| {
            let word = lower(word);
            let number = known.number(&word) as usize;
            if number == term_of.len() {
                term_of.push(rules.term(&word).map_or(DROPPED, |term| {
                    let number = terms.number(&term);
                    spellings.add(number, &term, &word);
                    number
                }));
            }
            if term_of[number] != DROPPED {
                found.push(u64::from(term_of[number]) << 1 | u64::from(num_words >= LEAD));
            }
            num_words += 1;
        });
        found.sort_unstable();
        for same in found.chunk_by(|a, b| a >> 1 == b >> 1) {
            let in_lead = same.partition_point(|word| word & 1 == 0);
            each((same[0] >> 1) as u32, [same.len(), in_lead].map(|num| num as u32));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
