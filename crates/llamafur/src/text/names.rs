//! Names of pages in a text: in any case, as words of their own, perhaps in the plural.

use super::name_finder::NameFinder;
use crate::text::wikitext::{cut, needs_before, sentences, with_sentence_before};
use memchr::memmem;
use std::ops::Range;

/// The first sentence of a text that has each of many names.
///
/// The text is split and read once for all names. A sentence has single spaces, and of a long one as much as is around the name.
#[derive(Debug)]
pub(crate) struct NamedSentences {
    /// The sentences that are the first to have a name.
    sentences: Vec<NamedSentence>,
    /// The sentence of each name, and the range of the name in it.
    places: Vec<Option<(usize, Range<usize>)>>,
}

/// A sentence that is the first to have some names.
#[derive(Debug)]
struct NamedSentence {
    text: String,
    /// The sentence before, if this one says little without it.
    before: Option<String>,
    /// The start of the sentence in the text.
    start: usize,
    num_names: usize,
}

/// A sentence that has a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    /// The part of the sentence around the name.
    pub(crate) text: String,
    /// The range of the name in `text`.
    pub(crate) anchor: Range<usize>,
    /// The sentence as it is shown, perhaps with the one before it.
    pub(crate) shown: String,
    /// The start of the sentence in the page's text.
    pub(crate) start: usize,
    /// Number of names whose first sentence it is.
    pub(crate) num_names: usize,
}

impl NamedSentences {
    /// Finds the sentences of a text for these names, which are in lower case.
    pub(crate) fn new(text: &str, names: &[String]) -> NamedSentences {
        let finder = NameFinder::new(names);
        let mut places: Vec<Option<(usize, Range<usize>)>> = vec![None; finder.num()];
        let mut all = Vec::new();
        let mut new: Vec<(Range<usize>, usize)> = Vec::new();
        let (mut end, mut before) = (0, "");
        for sentence in sentences(text) {
            let (start, last) = (end, std::mem::replace(&mut before, sentence));
            end += sentence.len();
            new.clear();
            finder.find(&sentence.to_lowercase(), |number, at, length| {
                if places[number].is_none() {
                    places[number] = Some((all.len(), Range::default()));
                    new.push((at..at + length, number));
                }
            });
            if new.is_empty() {
                continue;
            }
            let (single_spaced, ranges) = with_single_spaces(sentence, &new);
            for ((_, number), range) in new.iter().zip(ranges) {
                places[*number] = Some((all.len(), range));
            }
            // A line break ends a paragraph.
            let before = Some(last).filter(|last| !last.ends_with('\n') && !last.trim().is_empty());
            let before = before.filter(|_| needs_before(&single_spaced, true));
            let before = before.map(|last| last.split_whitespace().collect::<Vec<_>>().join(" "));
            all.push(NamedSentence { text: single_spaced, before, start, num_names: 0 });
        }
        let place = |name| finder.number(name).and_then(|number| places[number].clone());
        let places: Vec<Option<(usize, Range<usize>)>> = (0..names.len()).map(place).collect();
        places.iter().flatten().for_each(|(sentence, _)| all[*sentence].num_names += 1);
        NamedSentences { sentences: all, places }
    }

    /// Returns the sentence of a name; `None` where no sentence has it.
    pub(crate) fn of(&self, name: usize) -> Option<Named> {
        let (sentence, range) = self.places.get(name)?.as_ref()?;
        let sentence = &self.sentences[*sentence];
        let mut text = String::new();
        let start = cut(&mut text, &sentence.text, 0..sentence.text.len(), range);
        // A sentence that is cut is long enough.
        let before = sentence.before.as_deref().filter(|_| text.len() == sentence.text.len());
        Some(Named {
            shown: with_sentence_before(&text, before),
            anchor: start..start + range.len(),
            text,
            start: sentence.start,
            num_names: sentence.num_names,
        })
    }
}

/// Returns a sentence with single spaces, and the places there of ranges of it in lower case.
fn with_single_spaces(sentence: &str, ranges: &[(Range<usize>, usize)]) -> (String, Vec<Range<usize>>) {
    let mut starts: Vec<usize> = (0..ranges.len()).collect();
    let mut ends = starts.clone();
    starts.sort_unstable_by_key(|&at| ranges[at].0.start);
    ends.sort_unstable_by_key(|&at| ranges[at].0.end);
    let (mut starts, mut ends) = (starts.into_iter().peekable(), ends.into_iter().peekable());
    let mut found = vec![0..0; ranges.len()];
    let (mut spaced, mut is_blank, mut lower) = (String::with_capacity(sentence.len()), false, 0);
    for c in sentence.chars() {
        lower += c.to_lowercase().map(char::len_utf8).sum::<usize>();
        if c.is_whitespace() {
            is_blank = true;
        } else {
            if is_blank && !spaced.is_empty() {
                spaced.push(' ');
            }
            is_blank = false;
        }
        let before = spaced.len();
        if !c.is_whitespace() {
            spaced.push(c);
        }
        while let Some(at) = starts.next_if(|&at| ranges[at].0.start < lower) {
            found[at].start = before;
        }
        while let Some(at) = ends.next_if(|&at| ranges[at].0.end <= lower) {
            found[at].end = spaced.len();
        }
    }
    // A name that ends within a letter of the text.
    found.iter_mut().for_each(|range| range.end = range.end.max(range.start));
    (spaced, found)
}

/// The names that a page's text has for other pages, in lower case.
///
/// The brackets that distinguish pages of one name may be missing (*Mercury* for “Mercury (planet)”), but not where the
/// source has the same name: a text that names *Jupiter* mostly means itself.
pub(crate) struct SpokenNames {
    source: String,
}

impl SpokenNames {
    /// Returns the names used in the text of the page of this title.
    pub(crate) fn of_page(title: &str) -> SpokenNames {
        SpokenNames { source: without_brackets(title) }
    }

    /// Returns the name of another page, by its title.
    pub(crate) fn of(&self, target: &str) -> String {
        let plain = without_brackets(target);
        if plain == self.source { target.to_lowercase() } else { plain }
    }
}

fn without_brackets(title: &str) -> String {
    title.split_once(" (").map_or(title, |(name, _)| name).trim().to_lowercase()
}

/// Returns a text in lower case, as [`str::to_lowercase`] gives it: plain letters at once, also after the first other
/// one.
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

/// Counts the occurrences of a name in a text as words of their own, both in lower case; a plural ending may follow.
pub(crate) fn count_names(text: &str, name: &str) -> usize {
    if name.is_empty() {
        return 0;
    }
    memmem::find_iter(text.as_bytes(), name).filter(|&at| stands_alone(text, at, name)).count()
}

/// Returns whether the name at a place of a text is a whole word, plural allowed.
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

    fn names_target(text: &str, source: &str, target: &str) -> Option<String> {
        NamedSentences::new(text, &[SpokenNames::of_page(source).of(target)]).of(0).map(|named| named.text)
    }

    #[test]
    fn a_long_sentence_is_cut_around_each_name() {
        let text = format!("{}  İzmir \t{}ΟΔΟΣ end", "word ".repeat(1000), "other ".repeat(1000));
        let names = ["i\u{307}zmir", "οδος", "end", "word", "none"].map(str::to_owned);
        let found = NamedSentences::new(&text, &names);
        let found: Vec<String> =
            (0..names.len()).filter_map(|name| found.of(name)).map(|named| named.text).collect();
        assert!(found[0].contains(" word İzmir other "), "{}", found[0]);
        assert!(found[0].starts_with("… word ") && found[0].ends_with(" other …"));
        assert!(found[1].ends_with("other ΟΔΟΣ end"), "{}", found[1]);
        assert!(found[3].starts_with("word word "));
        assert_eq!(found.len(), 4);
        assert!(found.iter().all(|sentence| sentence.chars().count() < 410));
    }

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
