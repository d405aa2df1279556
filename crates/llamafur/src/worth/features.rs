//! The features of a row.

use super::FeatureValues;
use crate::corpus::LinkSentence;
use crate::in_links::PageInLinks;
use crate::text::lowercase;

/// What the features of a row are taken from.
pub(crate) struct RowContext<'a> {
    /// Unexpectedness in standard deviations from the mean of the corpus's links.
    pub(crate) oddity: f64,
    /// Percentage of the corpus's links that are less unexpected.
    pub(crate) odder_than: f64,
    /// From how many kinds of pages the target is linked, from 0 to 1; `None` where pages have no categories.
    pub(crate) kinds: Option<f64>,
    /// Number of links to the target.
    pub(crate) num_in_links: u32,
    /// Number of different terms in the target's text, and the mean of all texts; `None` where there is no text.
    pub(crate) target_terms: Option<(usize, f64)>,
    /// The sentence, where there is a text.
    pub(crate) sentence: Option<&'a LinkSentence>,
    /// The title of the page that links.
    pub(crate) source: &'a str,
    /// The title of the page that it links to.
    pub(crate) target: &'a str,
}

/// Words that nearly every English sentence has one of.
const ENGLISH: [&str; 8] = ["the", "of", "and", "in", "to", "a", "is", "was"];

/// Words in which English tells what happened to whom.
const NARRATIVE: [&str; 26] = [
    "was", "were", "had", "did", "became", "said", "made", "took", "went", "found", "gave", "wrote", "told",
    "called", "named", "used", "been", "his", "he", "she", "her", "who", "him", "began", "came", "died",
];

/// Words for “and” and “or”.
const CONJUNCTIONS: [&str; 14] =
    ["and", "or", "und", "oder", "et", "ou", "y", "o", "e", "en", "of", "och", "и", "или"];

/// Letters of a word from which on two titles share a name.
const LETTERS_OF_NAME: usize = 4;

/// In-links from which on it is known where a page is linked.
const ENOUGH_IN_LINKS: u32 = 8;

/// Links outside of prose for each in it from which on a page is apparatus.
const MOSTLY_ELSEWHERE: u32 = 3;

/// Returns whether a target is no subject of facts: its title has no letter, or it is mostly linked from references, tables and the
/// like.
pub(crate) fn is_apparatus(target: &str, in_links: PageInLinks) -> bool {
    let PageInLinks { in_prose, elsewhere, .. } = in_links;
    // Damaged files have any numbers.
    let is_known = in_prose.saturating_add(elsewhere) >= ENOUGH_IN_LINKS;
    let is_elsewhere = is_known && elsewhere >= in_prose.saturating_mul(MOSTLY_ELSEWHERE);
    !target.chars().any(char::is_alphabetic) || is_elsewhere
}

/// Letters besides the link, below which what is shown says nothing.
const LEAST_LETTERS: usize = 10;

/// Returns whether what is shown of a sentence has more than the link.
pub(crate) fn says_something(sentence: &LinkSentence) -> bool {
    let num_letters = |text: &str| text.chars().filter(|letter| letter.is_alphabetic()).count();
    num_letters(&sentence.shown) >= num_letters(&sentence.text[sentence.anchor.clone()]) + LEAST_LETTERS
}

/// Returns the features of a row.
pub(crate) fn features(row: &RowContext<'_>) -> FeatureValues {
    let share = row.odder_than / 100.0;
    let flag = |is_so: bool| Some(f64::from(u8::from(is_so)));
    let text = row.sentence.map(|sentence| &sentence.text[..]);
    let words: Vec<&str> = text.map_or_else(Vec::new, |text| words_of(text).collect());
    let num = words.len() as f64;
    let of_sentence = |value: f64| text.map(|_| value);
    let is_so = |of: &dyn Fn(&LinkSentence) -> bool| row.sentence.and_then(|sentence| flag(of(sentence)));
    let commas =
        text.map_or(0, |text| text.chars().filter(|letter| matches!(letter, ',' | ';' | '、' | '،')).count());
    let cased = words.iter().filter_map(|word| word.chars().next()).filter(|letter| letter.is_alphabetic());
    let cased: Vec<bool> = cased.map(char::is_lowercase).collect();
    let num_lower = cased.iter().filter(|is_lower| **is_lower).count();
    [
        Some(row.oddity),
        Some(((share + 0.005) / (1.005 - share)).ln()),
        row.kinds,
        row.sentence.map(|sentence| (sentence.num_links.max(1) as f64).ln()),
        of_sentence(num.ln_1p()),
        of_sentence(commas as f64 / (1.0 + num)),
        is_so(&is_enumerated),
        is_so(&|sentence| sentence.text[sentence.anchor.clone()].starts_with(char::is_lowercase)),
        flag(is_common(row.target)),
        // A script without small letters says nothing by them.
        of_sentence(num_lower as f64 / (1.0 + num)).filter(|_| num_lower > 0),
        is_so(&|sentence| sentence.text.contains(['"', '“', '„', '«'])),
        narrative(&words),
        flag(shares_name(row.source, row.target)),
        flag(is_numeric(row.target)),
        row.target_terms.map(|(num, mean)| ((1.0 + num as f64) / (1.0 + mean)).ln()),
        Some(f64::from(row.num_in_links).ln_1p()),
    ]
}

/// The words of a text.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty())
}

/// Whether a link is one of several things that a sentence counts up: what is before it and what is after it are commas, the end, or a
/// word for “and” or “or”.
fn is_enumerated(sentence: &LinkSentence) -> bool {
    let (before, after) = (&sentence.text[..sentence.anchor.start], &sentence.text[sentence.anchor.end..]);
    let (before, after) = (before.trim_end(), after.trim_start());
    let is_conjunction = |word: Option<&str>| word.is_some_and(|word| CONJUNCTIONS.contains(&word));
    let goes_on = after.starts_with([',', ';', '.', '、', '،', '。'])
        || is_conjunction(after.split_whitespace().next());
    goes_on
        && (before.ends_with([',', ';', '、', '،']) || is_conjunction(before.split_whitespace().next_back()))
}

/// Whether a title has a second word and none but the first that begins with a capital letter, as common nouns do.
fn is_common(title: &str) -> bool {
    let mut words = title.split_whitespace().skip(1).peekable();
    words.peek().is_some() && words.all(|word| !word.starts_with(char::is_uppercase))
}

/// How much of a sentence tells what happened; `None` where it is not English.
fn narrative(words: &[&str]) -> Option<f64> {
    let count = |known: &[&str]| {
        let is_known = |word: &&&str| known.iter().any(|known| word.eq_ignore_ascii_case(known));
        words.iter().filter(is_known).count()
    };
    let is_english = count(&ENGLISH) > 0;
    is_english.then(|| count(&NARRATIVE) as f64 / (1.0 + words.len() as f64).sqrt())
}

/// Whether two titles share a word that is long enough to be a name.
fn shares_name(source: &str, target: &str) -> bool {
    let (source, target) = (lowercase(source), lowercase(target));
    let is_name = |word: &&str| word.chars().count() >= LETTERS_OF_NAME;
    words_of(&source).filter(is_name).any(|word| words_of(&target).any(|other| other == word))
}

/// Whether a title is a number, or begins with one and has no capital letter.
fn is_numeric(title: &str) -> bool {
    let begins = title.starts_with(|letter: char| letter.is_numeric());
    !title.chars().any(char::is_alphabetic) || (begins && !title.chars().any(char::is_uppercase))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worth::{NUM_FEATURES, WORTH_FEATURES};

    /// The features of a link from “Robert Bunsen” in this sentence, whose link is in double brackets.
    fn of(marked: &str, target: &str) -> [Option<f64>; NUM_FEATURES] {
        let (before, rest) = marked.split_once("[[").unwrap();
        let (anchor, after) = rest.split_once("]]").unwrap();
        let sentence = LinkSentence {
            marked: marked.to_owned(),
            text: format!("{before}{anchor}{after}"),
            anchor: before.len()..before.len() + anchor.len(),
            place: None,
            section: None,
            sentence: 0,
            num_links: 1,
            shown: marked.to_owned(),
        };
        features(&RowContext {
            oddity: 1.0,
            odder_than: 50.0,
            kinds: None,
            num_in_links: 7,
            target_terms: Some((29, 9.0)),
            sentence: Some(&sentence),
            source: "Robert Bunsen",
            target,
        })
    }

    fn value(of: &FeatureValues, name: &str) -> Option<f64> {
        of[WORTH_FEATURES.iter().position(|feature| feature.name == name).unwrap()]
    }

    #[test]
    fn a_sentence_by_hand() {
        let found =
            of("He said, \"he was [[burner|hot]]\".".replace("burner|", "").as_str(), "Bunsen burner");
        let expected = [
            ("oddity", Some(1.0)),
            ("odder_than", Some(0.0)),
            ("kinds", None),
            ("sentence_links", Some(0.0)),
            ("sentence_words", Some(6f64.ln())),
            ("commas", Some(1.0 / 6.0)),
            ("enumerated", Some(0.0)),
            ("lower_anchor", Some(1.0)),
            ("common_title", Some(1.0)),
            ("lower_words", Some(4.0 / 6.0)),
            ("quotation", Some(1.0)),
            ("narrative", Some(4.0 / 6f64.sqrt())),
            ("shared_name", Some(1.0)),
            ("numeric", Some(0.0)),
            ("target_terms", Some(3f64.ln())),
            ("in_links", Some(8f64.ln())),
        ];
        for (name, expected) in expected {
            let found = value(&found, name);
            let is_equal = match (found, expected) {
                (Some(found), Some(expected)) => (found - expected).abs() < 1e-12,
                _ => found == expected,
            };
            assert!(is_equal, "{name}: {found:?}");
        }
    }

    #[test]
    fn what_a_sentence_counts_up_is_enumerated() {
        let enumerated = |marked| value(&of(marked, "Fish"), "enumerated") == Some(1.0);
        assert!(enumerated("He ate bread, [[fish]], and fruit."));
        assert!(enumerated("He ate bread and [[fish]]."));
        assert!(enumerated("Он ел хлеб и [[рыбу]]."));
        assert!(!enumerated("He ate [[fish]], which he caught."));
        assert!(!enumerated("He ate bread, [[fish]] that he caught."));
    }

    #[test]
    fn what_a_language_does_not_have_is_not_known() {
        let found = of("Он родился в [[Москва|Москве]].", "Москва");
        assert_eq!(value(&found, "narrative"), None);
        let found = of("ニューヨークは[[大都市]]である。", "大都市");
        assert_eq!((value(&found, "lower_words"), value(&found, "quotation")), (None, Some(0.0)));
    }

    #[test]
    fn without_a_text_only_titles_and_scores_are_known() {
        let found = features(&RowContext {
            oddity: 0.0,
            odder_than: 0.0,
            kinds: Some(0.5),
            num_in_links: 0,
            target_terms: None,
            sentence: None,
            source: "A",
            target: "1815",
        });
        let known: Vec<&str> = WORTH_FEATURES
            .iter()
            .zip(&found)
            .filter(|(_, value)| value.is_some())
            .map(|(x, _)| x.name)
            .collect();
        assert_eq!(
            known,
            ["oddity", "odder_than", "kinds", "common_title", "shared_name", "numeric", "in_links"]
        );
        assert_eq!((value(&found, "kinds"), value(&found, "numeric")), (Some(0.5), Some(1.0)));
    }

    #[test]
    fn a_link_by_itself_says_nothing() {
        let says = |marked: &str| {
            let text = marked.replace("[[", "").replace("]]", "");
            let anchor = marked.find("[[").unwrap()..marked.find("]]").unwrap() - 2;
            let marked = marked.to_owned();
            let (shown, section) = (marked.clone(), None);
            says_something(&LinkSentence {
                marked,
                text,
                anchor,
                place: None,
                section,
                sentence: 0,
                num_links: 1,
                shown,
            })
        };
        assert!(!says("[[Paywall]]") && !says("(at 1815, in [[Vienna]])"));
        assert!(says("He was born in [[Vienna]]."));
    }

    #[test]
    fn numbers_and_pages_linked_from_references_are_apparatus() {
        let links = |in_prose, elsewhere| PageInLinks { kinds: 1.0, in_prose, elsewhere };
        assert!(is_apparatus("1815", links(100, 0)));
        assert!(is_apparatus("Oxford University Press", links(2, 6)));
        assert!(!is_apparatus("Oxford University Press", links(2, 5)));
        assert!(!is_apparatus("Waterloo", links(4, 11)));
        assert!(!is_apparatus("Of a damaged file", links(u32::MAX, 1)));
        assert!(["18th century", "1815", "64-bit"].map(is_numeric).iter().all(|is_numeric| *is_numeric));
        assert!(!is_numeric("3M") && !is_numeric("Catch-22"));
    }
}
