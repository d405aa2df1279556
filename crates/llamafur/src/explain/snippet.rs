//! The sentence behind a link: the one that holds it in the wikitext, or else the first that names the target.

use crate::Error;
use crate::corpus::Corpus;
use crate::graph::PageId;
use crate::text::wikitext::{self, sentences};
use memchr::memmem;

/// The sentences behind the links of one page.
#[derive(Debug)]
pub struct Snippets<'a> {
    corpus: &'a Corpus,
    source: PageId,
    text: Option<String>,
}

impl<'a> Snippets<'a> {
    /// Reads the text of a page.
    ///
    /// # Errors
    /// If a file is damaged.
    pub fn new(corpus: &'a Corpus, source: PageId) -> Result<Snippets<'a>, Error> {
        Ok(Snippets { corpus, source, text: corpus.stored_text(source)? })
    }

    /// The sentence, list item, table row or line of an infobox behind the link to a page; `None` where the
    /// text has none. Of a wiki it is what stands around the link itself, the link between `[[` and `]]`;
    /// otherwise the first sentence that [names the target](names_target).
    ///
    /// # Errors
    /// If a file is damaged.
    pub fn get(&self, target: PageId) -> Result<Option<String>, Error> {
        let Some(text) = &self.text else { return Ok(None) };
        let Some(titles) = self.corpus.wiki_titles() else {
            return Ok(names_target(text, self.corpus.title(self.source)?, self.corpus.title(target)?));
        };
        let mut damage = None;
        let mut is_target = |title: &str| match self.corpus.resolve(title) {
            Ok(page) => page == Some(target),
            Err(error) => {
                damage.get_or_insert(error);
                false
            }
        };
        let snippet = wikitext::snippet(text, titles, &mut is_target);
        damage.map_or(Ok(snippet.map(|snippet| snippet.marked())), Err)
    }
}

/// The first sentence of a page's text that names another page; `None` where none does.
///
/// The brackets that tell pages of one name apart may be missing (*Mercury* for “Mercury (planet)”), but not
/// where the source has the same name: a text that names *Jupiter* mostly means itself.
///
/// ```
/// use llamafur::explain::names_target;
/// let text = "Jupiter is a planet. Its clouds might carry life like that of plankton and fish.";
/// let sentence = names_target(text, "Jupiter", "Fish");
/// assert_eq!(sentence.as_deref(), Some("Its clouds might carry life like that of plankton and fish."));
/// assert_eq!(names_target(text, "Jupiter", "Jupiter (god)"), None);
/// ```
pub fn names_target(text: &str, source: &str, target: &str) -> Option<String> {
    let name = spoken_name(source, target);
    let sentence =
        sentences(text).into_iter().find(|sentence| count_names(&sentence.to_lowercase(), &name) > 0)?;
    Some(sentence.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// What a page's text would call another page, in small letters.
pub(crate) fn spoken_name(source: &str, target: &str) -> String {
    let plain = |title: &str| title.split_once(" (").map_or(title, |(name, _)| name).trim().to_lowercase();
    if plain(source) == plain(target) { target.to_lowercase() } else { plain(target) }
}

/// How often a name stands in a text as words of its own, both in small letters; it may go on with a plural.
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
