//! The places at which a text has any of many names, in one pass.
//!
//! A name that is a word of its own and begins with a letter begins where a word of the text does, and its first word
//! is that word, but for a plural. So every word of the text is looked up once, and twice more without `s` and `es`;
//! where it begins a name, the names that continue as the text does are found by a search among all: the last name that
//! is not after the text, the longest name that this one begins with, and so on.
//!
//! Names of other kinds are looked for at every letter if there are many, or else one by one: those that begin with something
//! else (`.net`), and those that may overlap themselves (`duran duran`), of which only every other one counts.
//!
//! # Quirks
//! Names of more than 1,024 bytes are not looked for.

#[cfg(test)]
use super::names::count_names;
use super::names::stands_alone;
use memchr::memmem;
use rapidhash::{RapidHashMap, RapidHashSet};

/// The most bytes of a name.
const LONGEST: usize = 1024;

/// The most names that are looked for one by one.
const FEW: usize = 16;

/// Names that are looked for, all in small letters.
pub(crate) struct NameFinder<'n> {
    /// The names that begin with a word, and the others.
    names: [Sorted<'n>; 2],
    /// The list of `names` that each name is in, and its place there.
    places: Vec<Option<(usize, usize)>>,
    first_words: RapidHashSet<&'n str>,
    /// The beginnings of these words.
    beginnings: Beginnings,
    /// True for the first bytes of the other names.
    first_bytes: [bool; 256],
}

/// Names in ascending order, each once, with the longest other that each begins with.
#[derive(Default)]
struct Sorted<'n>(Vec<(&'n str, Option<usize>)>);

impl<'n> Sorted<'n> {
    fn new(mut names: Vec<&'n str>) -> Sorted<'n> {
        names.sort_unstable();
        names.dedup();
        let mut sorted: Vec<(&str, Option<usize>)> = Vec::with_capacity(names.len());
        let mut last = None;
        for name in names {
            while let Some(shorter) = last.filter(|&shorter: &usize| !name.starts_with(sorted[shorter].0)) {
                last = sorted[shorter].1;
            }
            sorted.push((name, last));
            last = Some(sorted.len() - 1);
        }
        Sorted(sorted)
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.0.binary_search_by_key(&name, |(name, _)| name).ok()
    }

    /// Returns the names that a text begins with, the longest first.
    fn begins(&self, text: &str) -> impl Iterator<Item = usize> + '_ {
        let last = self.0.partition_point(|(name, _)| *name <= text).checked_sub(1);
        let is_there = |place: &usize| text.starts_with(self.0[*place].0);
        let found: Option<usize> =
            std::iter::successors(last, |&place| self.0[place].1).find(|place| is_there(place));
        // All that one of them begins with is there, too.
        std::iter::successors(found, |&place| self.0[place].1)
    }
}

impl<'n> NameFinder<'n> {
    pub(crate) fn new(names: &'n [String]) -> NameFinder<'n> {
        let is_other = |name: &str| first_word(name).is_empty() || overlaps_itself(name);
        let is_looked_for = |name: &&String| !name.is_empty() && name.len() <= LONGEST;
        let kinds: Vec<Option<bool>> =
            names.iter().map(|name| is_looked_for(&name).then(|| is_other(name))).collect();
        let of_kind = |kind: bool| {
            let of_kind = names.iter().zip(&kinds).filter(|(_, of)| **of == Some(kind));
            Sorted::new(of_kind.map(|(name, _)| &name[..]).collect())
        };
        let sorted = [of_kind(false), of_kind(true)];
        let place = |(name, kind): (&String, &Option<bool>)| {
            let kind = usize::from((*kind)?);
            Some((kind, sorted[kind].place(name)?))
        };
        let places = names.iter().zip(&kinds).map(place).collect();
        let first_words: RapidHashSet<&str> = sorted[0].0.iter().map(|(name, _)| first_word(name)).collect();
        let mut beginnings = Beginnings::default();
        first_words.iter().for_each(|word| beginnings.add(word));
        let mut first_bytes = [false; 256];
        sorted[1].0.iter().for_each(|(name, _)| first_bytes[usize::from(name.as_bytes()[0])] = true);
        NameFinder { names: sorted, places, first_words, beginnings, first_bytes }
    }

    /// Returns the number of a name in [`NameFinder::find`]; `None` if it is not looked for.
    pub(crate) fn number(&self, name: usize) -> Option<usize> {
        let (kind, place) = self.places[name]?;
        Some(if kind == 0 { place } else { self.names[0].0.len() + place })
    }

    /// Returns how many numbers there are.
    pub(crate) fn num(&self) -> usize {
        self.names[0].0.len() + self.names[1].0.len()
    }

    /// Calls `found` with the number of a name, where it begins and how long it is, at each place that `count_names` counts.
    pub(crate) fn find(&self, text: &str, mut found: impl FnMut(usize, usize, usize)) {
        let [with_words, others] = &self.names;
        if !with_words.0.is_empty() {
            self.find_words(text, &mut found);
        }
        let first = with_words.0.len();
        if others.0.len() <= FEW {
            for (number, (name, _)) in others.0.iter().enumerate() {
                let places = memmem::find_iter(text.as_bytes(), name);
                let places = places.filter(|&at| stands_alone(text, at, name));
                places.for_each(|at| found(first + number, at, name.len()));
            }
            return;
        }
        // Where the last place of each ended: they do not overlap.
        let mut ends: RapidHashMap<usize, usize> = RapidHashMap::default();
        for (at, _) in text.char_indices() {
            if !self.first_bytes[usize::from(text.as_bytes()[at])] {
                continue;
            }
            for number in others.begins(&text[at..]) {
                let (name, end) = (others.0[number].0, ends.entry(number).or_default());
                if at >= *end {
                    *end = at + name.len();
                    if stands_alone(text, at, name) {
                        found(first + number, at, name.len());
                    }
                }
            }
        }
    }

    fn find_words(&self, text: &str, found: &mut impl FnMut(usize, usize, usize)) {
        let mut at = 0;
        while let Some(start) = next_letter(text, at) {
            let word = first_word(&text[start..]);
            at = start + word.len();
            if !self.beginnings.may_have(word) {
                continue;
            }
            let without = |ending| word.strip_suffix(ending);
            let mut words = [Some(word), without("s"), without("es")].into_iter().flatten();
            if !words.any(|word| self.first_words.contains(word)) {
                continue;
            }
            for number in self.names[0].begins(&text[start..]) {
                let name = self.names[0].0[number].0;
                if stands_alone(text, start, name) {
                    found(number, start, name.len());
                }
            }
        }
    }
}

/// Counts the occurrences of each name in a text, as `count_names` does for one, all in small letters.
pub(crate) fn count_all(text: &str, names: &[String]) -> Vec<usize> {
    let finder = NameFinder::new(names);
    let mut counts = vec![0; finder.num()];
    finder.find(text, |number, _, _| counts[number] += 1);
    (0..names.len()).map(|name| finder.number(name).map_or(0, |number| counts[number])).collect()
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

    /// Returns whether the word, or what is left of it without `s` or `es`, may be one of them.
    fn may_have(&self, word: &str) -> bool {
        let place = Beginnings::place(word);
        word.len() < 4 || self.0[place / 64] >> (place % 64) & 1 != 0
    }
}

/// Returns the place of the first letter or digit from a place on.
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

/// Returns the letters and digits that a text begins with.
fn first_word(text: &str) -> &str {
    let plain = text.bytes().take_while(u8::is_ascii_alphanumeric).count();
    if text.as_bytes().get(plain).is_none_or(u8::is_ascii) {
        return &text[..plain];
    }
    &text[..text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len())]
}

/// Returns whether a name may begin again, as a word of its own, before another occurrence of it ends.
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

    #[test]
    fn names_that_others_begin_with_are_found_with_them() {
        let names: Vec<String> =
            (1..=300).flat_map(|num| ["a".repeat(num), ".a".repeat(num)]).chain(["A".repeat(1025)]).collect();
        let (text, mut found) = (format!("{} {}", "a".repeat(200), ".a".repeat(100)), 0);
        NameFinder::new(&names).find(&text, |_, _, _| found += 1);
        // The word of 200 letters, each word of one letter, and the rows of dots and letters from the first on.
        assert_eq!(found, 1 + 100 + 100);
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

        #[test]
        fn many_names_that_begin_with_marks_are_found_as_few_are(
            text in "([ab]{1,2}|[ ,.]){0,60}",
            names in proptest::collection::vec("[.,-]([ab]|[ ,.]){0,4}", 40..60),
        ) {
            let expected: Vec<usize> = names.iter().map(|name| count_names(&text, name)).collect();
            prop_assert_eq!(count_all(&text, &names), expected);
        }
    }
}
