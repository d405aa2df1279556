//! The sentence behind a link: the first in the source's text that names the target.

use unicode_segmentation::UnicodeSegmentation;

/// The first sentence of a page's text that names another page; `None` where none does.
///
/// The brackets that tell pages of one name apart may be missing (*Mercury* for “Mercury (planet)”), but not
/// where the source has the same name: a text that names *Jupiter* mostly means itself.
///
/// ```
/// use llamafur::explain::snippet;
/// let text = "Jupiter is a planet. Its clouds might carry life like that of plankton and fish.";
/// let sentence = snippet(text, "Jupiter", "Fish");
/// assert_eq!(sentence.as_deref(), Some("Its clouds might carry life like that of plankton and fish."));
/// assert_eq!(snippet(text, "Jupiter", "Jupiter (god)"), None);
/// ```
pub fn snippet(text: &str, source: &str, target: &str) -> Option<String> {
    let plain = |title: &str| title.split_once(" (").map_or(title, |(name, _)| name).trim().to_lowercase();
    let name = if plain(source) == plain(target) { target.to_lowercase() } else { plain(target) };
    if name.is_empty() {
        return None;
    }
    let sentence = sentences(text).into_iter().find(|sentence| names(&sentence.to_lowercase(), &name))?;
    Some(sentence.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Words that a full stop follows without ending the sentence; so do initials.
const ABBREVIATIONS: [&str; 10] = ["mr", "mrs", "ms", "dr", "st", "jr", "sr", "vs", "no", "c"];

/// The sentences of a text. A line break ends a sentence, an initial or a common abbreviation does not.
fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let (mut start, mut end) = (0, 0);
    for part in text.split_sentence_bounds() {
        end += part.len();
        let last_word =
            part.trim_end_matches(' ').strip_suffix('.').and_then(|part| part.split([' ', '.']).next_back());
        let goes_on = last_word.is_some_and(|word| {
            let is_initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase);
            is_initial || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
        });
        if !goes_on {
            sentences.push(&text[start..end]);
            start = end;
        }
    }
    if start < end {
        sentences.push(&text[start..end]);
    }
    sentences
}

/// Whether the name stands in the sentence as words of its own; it may go on with a plural.
fn names(sentence: &str, name: &str) -> bool {
    let is_inside_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    sentence.match_indices(name).any(|(at, _)| {
        let after = &sentence[at + name.len()..];
        let after = after.strip_prefix("es").or(after.strip_prefix('s')).unwrap_or(after);
        !is_inside_word(sentence[..at].chars().next_back()) && !is_inside_word(after.chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_whole_words_in_any_case_and_number() {
        assert_eq!(
            snippet("He kept a pigeon. He kept Pigs.", "Man", "Pig").as_deref(),
            Some("He kept Pigs.")
        );
        assert_eq!(
            snippet("A planet. Mercury is a metal.", "Gold", "Mercury (element)").as_deref(),
            Some("Mercury is a metal.")
        );
        assert_eq!(snippet("Рыба живёт в воде. Да.", "Рыба", "вода"), None);
        assert_eq!(snippet("Да. Рыба живёт  в воде.", "Вода", "Рыба").as_deref(), Some("Рыба живёт в воде."));
        assert_eq!(snippet("Anything.", "Thing", ""), None);
    }

    #[test]
    fn initials_and_abbreviations_do_not_end_a_sentence_but_line_breaks_do() {
        let text = "In 1892 E. E. Barnard saw a fifth moon. It is small.\nMr. Smith\nFish";
        let expected = ["In 1892 E. E. Barnard saw a fifth moon. ", "It is small.\n", "Mr. Smith\n", "Fish"];
        assert_eq!(sentences(text), expected);
        assert_eq!(sentences("He met J."), ["He met J."]);
        assert!(sentences("").is_empty());
    }
}
