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

    /// The word of a number.
    #[inline]
    pub(super) fn get(&self, number: usize) -> &str {
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.text[start..self.ends[number]]
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// All of them, in their order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|number| self.get(number))
    }
}

/// Different words, numbered as they come: their letters, and 13 to 25 bytes each.
#[derive(Debug, Default)]
pub(super) struct Names {
    names: InOne,
    table: HashTable<u32>,
}

impl Names {
    /// The number of a word, which is a new one if need be.
    pub(super) fn number(&mut self, name: &str) -> u32 {
        let hash = rapidhash_v3(name.as_bytes());
        let names = &self.names;
        if let Some(&number) = self.table.find(hash, |&number| names.get(number as usize) == name) {
            return number;
        }
        let number = u32::try_from(names.len()).expect("fewer words than 2³²");
        self.names.push(name);
        let names = &self.names;
        let hash_of = |&number: &u32| rapidhash_v3(names.get(number as usize).as_bytes());
        self.table.insert_unique(hash, number, hash_of);
        number
    }

    /// The word of a number.
    pub(super) fn get(&self, number: u32) -> &str {
        self.names.get(number as usize)
    }

    /// How many there are.
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

    /// The spelling of a term, if it differs from it.
    pub(super) fn get(&self, number: u32) -> Option<&str> {
        self.0[number as usize].as_deref()
    }
}

/// Whether a word is shown for its term rather than another one.
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
