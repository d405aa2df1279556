//! How a text names a page: in any case, as words of their own, perhaps in the plural.

use crate::text::wikitext::sentences;
use memchr::memmem;

/// The first sentence of a page's text that names another page; `None` where none does.
///
/// The brackets that tell pages of one name apart may be missing (*Mercury* for “Mercury (planet)”), but not
/// where the source has the same name: a text that names *Jupiter* mostly means itself.
pub(crate) fn names_target(text: &str, source: &str, target: &str) -> Option<String> {
    let name = spoken_name(source, target);
    let sentence =
        sentences(text).into_iter().find(|sentence| count_names(&sentence.to_lowercase(), &name) > 0)?;
    Some(sentence.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// What a page's text would call another page, in lower case.
pub(crate) fn spoken_name(source: &str, target: &str) -> String {
    let plain = |title: &str| title.split_once(" (").map_or(title, |(name, _)| name).trim().to_lowercase();
    if plain(source) == plain(target) { target.to_lowercase() } else { plain(target) }
}

/// A text in lower case, as [`str::to_lowercase`] gives it: plain letters at once, also after the first other one.
pub(crate) fn lowercase(text: &str) -> String {
    // Which of two small letters a Σ becomes depends on what is around it.
    if text.contains('Σ') {
        return text.to_lowercase();
    }
    let mut lower = String::with_capacity(text.len());
    for run in text.as_bytes().chunk_by(|a, b| a.is_ascii() == b.is_ascii()) {
        let (start, run) = (lower.len(), std::str::from_utf8(run).unwrap_or_default());
        if run.is_ascii() {
            lower.push_str(run);
            lower[start..].make_ascii_lowercase();
        } else {
            lower.extend(run.chars().flat_map(char::to_lowercase));
        }
    }
    lower
}

/// How often a name occurs in a text as words of their own, both in lower case; a plural ending may follow.
pub(crate) fn count_names(text: &str, name: &str) -> usize {
    if name.is_empty() {
        return 0;
    }
    memmem::find_iter(text.as_bytes(), name).filter(|&at| stands_alone(text, at, name)).count()
}

/// Whether the name that is at a place of a text is no part of a longer word, but for a plural.
pub(crate) fn stands_alone(text: &str, at: usize, name: &str) -> bool {
    let is_inside_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let after = &text[at + name.len()..];
    let after = after.strip_prefix("es").or(after.strip_prefix('s')).unwrap_or(after);
    !is_inside_word(text[..at].chars().next_back()) && !is_inside_word(after.chars().next())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_first_sentence_that_names_another_page_is_found() {
        let text = "Jupiter is a planet. Its clouds might carry life like that of plankton and fish.";
        let sentence = names_target(text, "Jupiter", "Fish");
        assert_eq!(sentence.as_deref(), Some("Its clouds might carry life like that of plankton and fish."));
        assert_eq!(names_target(text, "Jupiter", "Jupiter (god)"), None);
    }

    proptest! {
    #[test]
        fn lower_case_is_that_of_the_standard(text in "([a-zA-Z ]{1,4}|[ÄßİΣσςЖǅ\u{307}]|\\PC){0,30}") {
            prop_assert_eq!(lowercase(&text), text.to_lowercase());
        }
    }

    #[test]
    fn names_are_whole_words_in_any_case_and_number() {
        assert_eq!(
            names_target("He kept a pigeon. He kept Pigs.", "Man", "Pig").as_deref(),
            Some("He kept Pigs.")
        );
        assert_eq!(
            names_target("A planet. Mercury is a metal.", "Gold", "Mercury (element)").as_deref(),
            Some("Mercury is a metal.")
        );
        assert_eq!(names_target("Рыба живёт в воде. Да.", "Рыба", "вода"), None);
        assert_eq!(
            names_target("Да. Рыба живёт  в воде.", "Вода", "Рыба").as_deref(),
            Some("Рыба живёт в воде.")
        );
        assert_eq!(names_target("Anything.", "Thing", ""), None);
    }
}
