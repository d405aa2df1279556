//! How often each of many names occurs in a text, in one pass.
//!
//! A name that [stands alone](count_names) and begins with a letter begins where a word of the text does, and its first word
//! is that word, but for a plural. So names are found by their first words, and every word of the text is looked up once, and
//! twice more without `s` and `es`.
//!
//! Names of other kinds are counted one by one: those that begin with something else (`.net`), and those that may overlap
//! themselves (`duran duran`), of which only every other one counts.

use crate::text::{count_names, stands_alone};
use rapidhash::RapidHashMap;

/// What [`count_names`] says of each name, all in small letters.
pub(super) fn count_all(text: &str, names: &[String]) -> Vec<usize> {
    // The last name with each first word, and of each name the one before it with the same.
    let mut by_first: RapidHashMap<&str, usize> = RapidHashMap::default();
    let mut before: Vec<Option<usize>> = vec![None; names.len()];
    let mut counts = vec![0; names.len()];
    for (number, name) in names.iter().enumerate() {
        let first = first_word(name);
        if first.is_empty() || overlaps_itself(name) {
            counts[number] = count_names(text, name);
        } else {
            before[number] = by_first.insert(first, number);
        }
    }
    if by_first.is_empty() {
        return counts;
    }
    let mut beginnings = Beginnings::default();
    by_first.keys().for_each(|first| beginnings.add(first));
    let mut at = 0;
    while let Some(start) = next_letter(text, at) {
        let word = first_word(&text[start..]);
        at = start + word.len();
        if !beginnings.may_have(word) {
            continue;
        }
        let without = |ending| word.strip_suffix(ending);
        for word in [Some(word), without("s"), without("es")].into_iter().flatten() {
            let last = by_first.get(word).copied();
            for number in std::iter::successors(last, |&number| before[number]) {
                let name = &names[number];
                let is_there = text.as_bytes()[start..].starts_with(name.as_bytes());
                counts[number] += usize::from(is_there && stands_alone(text, start, name));
            }
        }
    }
    counts
}

/// The first two bytes of words, a bit for some of them each: most words of a text begin otherwise and need not be looked up.
#[derive(Default)]
struct Beginnings([u64; 16]);

impl Beginnings {
    fn place(word: &str) -> usize {
        let byte = |at: usize| usize::from(word.as_bytes().get(at).copied().unwrap_or_default());
        (byte(0) * 37 + byte(1)) % 1024
    }

    fn add(&mut self, word: &str) {
        let place = Beginnings::place(word);
        self.0[place / 64] |= 1 << (place % 64);
    }

    /// Whether the word, or what is left of it without `s` or `es`, may be one of them.
    fn may_have(&self, word: &str) -> bool {
        let place = Beginnings::place(word);
        word.len() < 4 || self.0[place / 64] >> (place % 64) & 1 != 0
    }
}

/// The place of the first letter or digit from a place on.
fn next_letter(text: &str, mut at: usize) -> Option<usize> {
    loop {
        match text.as_bytes().get(at)? {
            byte if byte.is_ascii_alphanumeric() => return Some(at),
            byte if byte.is_ascii() => at += 1,
            _ => {
                let c = text[at..].chars().next()?;
                if c.is_alphanumeric() {
                    return Some(at);
                }
                at += c.len_utf8();
            }
        }
    }
}

/// The letters and digits that a text begins with.
fn first_word(text: &str) -> &str {
    let plain = text.bytes().take_while(u8::is_ascii_alphanumeric).count();
    if text.as_bytes().get(plain).is_none_or(u8::is_ascii) {
        return &text[..plain];
    }
    &text[..text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len())]
}

/// Whether a name may begin as a word of its own within another place that has it.
fn overlaps_itself(name: &str) -> bool {
    let ends = name.char_indices().filter(|(_, c)| !c.is_alphanumeric()).map(|(at, c)| at + c.len_utf8());
    ends.filter(|&end| end < name.len()).any(|end| name.starts_with(&name[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn by_hand() {
        let text = "foxes and a fox; a firefox. new york, new york, new york! .net in .nets, ǆ ǆs café";
        let names = ["fox", "fox", "new york", "new york, new york", ".net", "ǆ", "caf", "café", ""];
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        assert_eq!(count_all(text, &names), [2, 2, 3, 1, 2, 2, 0, 1, 0]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn it_is_what_each_name_has_by_itself(
            text in "([abes]{1,3}|es|s|é|ß|٣|_|-|’|[ ,.]){0,60}",
            names in proptest::collection::vec("([abes]{1,3}|es|é|ß|٣|[ ,.-]){0,5}", 0..12),
        ) {
            let expected: Vec<usize> = names.iter().map(|name| count_names(&text, name)).collect();
            prop_assert_eq!(count_all(&text, &names), expected);
        }
    }
}
