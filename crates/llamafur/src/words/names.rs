//! Different words, numbered as they come, all in one string.

use hashbrown::HashTable;
use rapidhash::v3::rapidhash_v3;

/// Different words, numbered as they come: their letters, and 13 to 25 bytes each.
#[derive(Debug, Default)]
pub(super) struct Names {
    text: String,
    ends: Vec<usize>,
    table: HashTable<u32>,
}

impl Names {
    /// The number of a word, which is a new one if need be.
    pub(super) fn number(&mut self, name: &str) -> u32 {
        let hash = rapidhash_v3(name.as_bytes());
        let (text, ends) = (&self.text, &self.ends);
        if let Some(&number) = self.table.find(hash, |&number| get(text, ends, number) == name) {
            return number;
        }
        let number = u32::try_from(ends.len()).expect("fewer words than 2³²");
        self.text.push_str(name);
        self.ends.push(self.text.len());
        let (text, ends) = (&self.text, &self.ends);
        self.table.insert_unique(hash, number, |&number| rapidhash_v3(get(text, ends, number).as_bytes()));
        number
    }

    /// The word of a number.
    pub(super) fn get(&self, number: u32) -> &str {
        get(&self.text, &self.ends, number)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
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
                let shown = known.as_deref().unwrap_or(term);
                if word.len() < shown.len() || (word.len() == shown.len() && word > shown) {
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

fn get<'a>(text: &'a str, ends: &[usize], number: u32) -> &'a str {
    let number = number as usize;
    let start = if number == 0 { 0 } else { ends[number - 1] };
    &text[start..ends[number]]
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
