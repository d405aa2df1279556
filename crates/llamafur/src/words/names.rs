//! Different words, numbered as they come, all in one string.

use hashbrown::HashTable;
use rapidhash::v3::rapidhash_v3;

/// Words one after another in one string.
#[derive(Debug, Default)]
pub(super) struct InOne {
    text: String,
    ends: Vec<usize>,
}

impl InOne {
    /// Appends a word.
    pub(super) fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(self.text.len());
    }

    /// Appends all words of another.
    pub(super) fn append(&mut self, other: &InOne) {
        let start = self.text.len();
        self.text.push_str(&other.text);
        self.ends.extend(other.ends.iter().map(|end| start + end));
    }

    /// Returns the word of a number.
    #[inline]
    pub(super) fn get(&self, number: usize) -> &str {
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.text[start..self.ends[number]]
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns all words, in their order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|number| self.get(number))
    }
}

/// Different words, numbered as they come: their letters, and 26 to 46 bytes each.
#[derive(Debug, Default)]
pub(super) struct Names {
    names: InOne,
    table: HashTable<Known>,
}

/// The place of a word's letters: they are compared without another list, which would have to come from memory.
#[derive(Debug)]
struct Known {
    start: usize,
    length: u32,
    number: u32,
}

impl Known {
    fn letters<'t>(&self, text: &'t str) -> &'t [u8] {
        &text.as_bytes()[self.start..self.start + self.length as usize]
    }
}

impl Names {
    /// Returns the number of a word, which is a new one if need be.
    pub(super) fn number(&mut self, name: &str) -> u32 {
        let hash = rapidhash_v3(name.as_bytes());
        let text = &self.names.text;
        if let Some(known) = self.table.find(hash, |known| known.letters(text) == name.as_bytes()) {
            return known.number;
        }
        let number = u32::try_from(self.names.len()).expect("fewer words than 2³²");
        let length = u32::try_from(name.len()).expect("words of fewer letters than 2³²");
        let known = Known { start: text.len(), length, number };
        self.names.push(name);
        let text = &self.names.text;
        self.table.insert_unique(hash, known, |known| rapidhash_v3(known.letters(text)));
        number
    }

    /// Returns the word of a number.
    pub(super) fn get(&self, number: u32) -> &str {
        self.names.get(number as usize)
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }
}

/// The shortest words that terms were made of; of several as short, the last in bytewise order, since stemmers turn a final y
/// into an i. 16 bytes a term, and the letters of those that differ from their terms.
#[derive(Debug, Default)]
pub(super) struct Spellings(Vec<Option<Box<str>>>);

impl Spellings {
    /// Takes note of a word of a term; every term comes with its number, the next one if it is new.
    pub(super) fn add(&mut self, number: u32, term: &str, word: &str) {
        let spelling = (word != term).then(|| word.into());
        match self.0.get_mut(number as usize) {
            None => self.0.push(spelling),
            Some(known) => {
                if is_better(word, known.as_deref().unwrap_or(term)) {
                    *known = spelling;
                }
            }
        }
    }

    /// Returns the spelling of a term, if it differs from it.
    pub(super) fn get(&self, number: u32) -> Option<&str> {
        self.0[number as usize].as_deref()
    }
}

/// Returns whether a word is shown for its term rather than another one.
pub(super) fn is_better(word: &str, shown: &str) -> bool {
    word.len() < shown.len() || (word.len() == shown.len() && word > shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_word_is_shown_for_a_term_in_whatever_order_they_come() {
        for words in [["gravities", "gravity", "graviti"], ["graviti", "gravities", "gravity"]] {
            let mut spellings = Spellings::default();
            words.iter().for_each(|word| spellings.add(0, "graviti", word));
            assert_eq!(spellings.get(0), Some("gravity"));
        }
        let mut spellings = Spellings::default();
        ["planets", "planet", "planetary"].iter().for_each(|word| spellings.add(0, "planet", word));
        assert_eq!(spellings.get(0), None);
    }
}
