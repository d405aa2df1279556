//! Ends of sentences.

use unicode_segmentation::UnicodeSegmentation;

/// Words that a full stop follows without ending the sentence; so do initials and small numbers.
const ABBREVIATIONS: [&str; 82] = [
    "mr", "mrs", "ms", "dr", "st", "sta", "sto", "ste", "jr", "sr", "vs", "no", "c", "ca", "cf", "prof",
    "rev", "gen", "col", "lt", "capt", "sgt", "gov", "sen", "rep", "mt", "ft", "vol", "pp", "p", "fig", "eg",
    "ie", "al", "approx", "b", "d", "fl", "r", "brig", "maj", "adm", "cmdr", "hon", "messrs", "mme", "esp",
    "est", "incl", "trans", "ch", "sec", "art", "op", "ed", "eds", "ser", "nr", "bzw", "geb", "jan", "feb",
    "aug", "sept", "sep", "oct", "nov", "dec", "г", "гг", "в", "вв", "т", "им", "р", "ок", "др", "см", "ул",
    "св", "акад", "проф",
];

/// Returns the sentences of a text. A line break ends a sentence; an initial, a common abbreviation, or a number as
/// in “3. Mai” does not.
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let (mut start, mut end) = (0, 0);
    for part in text.split_sentence_bounds() {
        end += part.len();
        if !goes_on(part) {
            sentences.push(&text[start..end]);
            start = end;
        }
    }
    if start < end {
        sentences.push(&text[start..end]);
    }
    sentences
}

/// Returns whether the full stop at the end of the part does not end the sentence.
fn goes_on(part: &str) -> bool {
    let Some(part) = part.trim_end_matches(' ').strip_suffix('.') else { return false };
    let word = part.split(|c: char| c == '.' || c.is_whitespace()).next_back().unwrap_or_default();
    let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
    // No abbreviation is longer, and a word may be a whole page.
    if word.is_empty() || word.len() > 12 {
        return false;
    }
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase);
    let is_ordinal = word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
    is_initial || is_ordinal || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initials_and_abbreviations_do_not_end_a_sentence_but_line_breaks_do() {
        let text = "In 1892 E. E. Barnard saw a fifth moon. It is small.\nMr. Smith\nFish";
        let expected = ["In 1892 E. E. Barnard saw a fifth moon. ", "It is small.\n", "Mr. Smith\n", "Fish"];
        assert_eq!(sentences(text), expected);
        assert_eq!(sentences("He met J."), ["He met J."]);
        assert!(sentences("").is_empty());
    }

    #[test]
    fn dates_and_abbreviations_of_other_languages_do_not_end_a_sentence() {
        assert_eq!(sentences("Am 3. Mai kam er. Er blieb."), ["Am 3. Mai kam er. ", "Er blieb."]);
        assert_eq!(sentences("В 1905 г. Эйнштейн писал. Да."), ["В 1905 г. Эйнштейн писал. ", "Да."]);
        assert_eq!(sentences("Jean (b. Paris) J.-P. Sartre."), ["Jean (b. Paris) J.-P. Sartre."]);
        assert_eq!(sentences("In 1990. Then [1]). So"), ["In 1990. ", "Then [1]). ", "So"]);
    }

    #[test]
    fn chinese_full_stops_end_sentences() {
        assert_eq!(sentences("木星是行星。它很大。"), ["木星是行星。", "它很大。"]);
    }

    #[test]
    fn a_page_of_full_stops_is_read_in_one_pass() {
        for part in [". ", ".", ". 1", "a. ", "Mr. ", "a", " ", "。", ".)", "\n", "E. ", "? "] {
            assert!(!sentences(&part.repeat(200_000)).is_empty(), "{part}");
        }
    }
}
