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

fn get<'a>(text: &'a str, ends: &[usize], number: u32) -> &'a str {
    let number = number as usize;
    let start = if number == 0 { 0 } else { ends[number - 1] };
    &text[start..ends[number]]
}
