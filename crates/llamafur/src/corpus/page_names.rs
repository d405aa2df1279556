//! Names of pages: finds the pages that the words of a text may mean.
//!
//! A page is named by its title and by the titles that redirect to it, each without the brackets that distinguish pages
//! of one name: *Mercury* names “Mercury (planet)” and “Mercury (element)”. The first letter may be of either case, as
//! on most wikis, and a plural ending may follow; all else is as in the title.
//!
//! The names are a table of 64-bit hashes in ascending order, 12 bytes a name, made in memory when it is first needed. A text is
//! read once: from each beginning of a word on, every run of up to ten words is looked up, and the longest that is a name is taken.
//! What a hash finds is compared with the title, so that no collision ever names a page.
//!
//! # Quirks
//! Names of a single character and of more than 100 bytes are not looked for, nor those of more than 300 pages.

use super::Corpus;
use crate::Error;
use crate::graph::PageId;
use crate::interrupt;
use rapidhash::v3::rapidhash_v3;
use rayon::prelude::*;
use std::ops::Range;

/// The most bytes of a name.
const LONGEST: usize = 100;

/// The most words of a name.
const MOST_WORDS: usize = 10;

/// The most pages of a name: one that more have says nothing.
const MOST_PAGES: usize = 300;

/// The most characters at the end of a name that are neither letters nor spaces: `C++`, `Yahoo!`.
const MOST_MARKS: usize = 2;

/// The names of the pages of a corpus.
#[derive(Debug)]
pub(crate) struct PageNames {
    corpus: Corpus,
    /// The hashes, ascending.
    hashes: Vec<u64>,
    /// The page of each hash, or, from the number of pages on, a redirect.
    named: Vec<u32>,
    /// The starts of the hashes with the same first bits.
    starts: Vec<u32>,
}

/// Words of a text that are a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamedPlace {
    /// The place of the words.
    pub(crate) range: Range<usize>,
    /// The pages that they may mean, ascending.
    pub(crate) pages: Vec<PageId>,
}

/// Returns a title without the brackets at its end, which distinguish pages of one name.
pub(crate) fn base_name(title: &str) -> &str {
    match title.split_once(" (") {
        Some((name, _)) if !name.trim().is_empty() => name.trim(),
        _ => title,
    }
}

/// Puts a name into `key`, with its first letter small.
fn key(name: &str, key: &mut String) {
    key.clear();
    let mut chars = name.chars();
    key.extend(chars.next().into_iter().flat_map(char::to_lowercase));
    key.push_str(chars.as_str());
}

fn hash(key: &str) -> u64 {
    rapidhash_v3(key.as_bytes())
}

/// Returns whether a name is looked for in texts.
fn is_looked_for(name: &str) -> bool {
    name.len() <= LONGEST && name.chars().nth(1).is_some() && name.chars().any(char::is_alphanumeric)
}

impl PageNames {
    /// Collects the names of a corpus.
    pub(crate) fn new(corpus: &Corpus) -> Result<PageNames, Error> {
        let num = corpus.num_pages() + corpus.num_redirects();
        let hashed = |buffer: &mut String, number| {
            interrupt::check()?;
            let name = base_name(title(corpus, number)?);
            Ok(is_looked_for(name).then(|| {
                key(name, buffer);
                (hash(buffer), number)
            }))
        };
        let (numbers, carried) = ((0..num as u32).into_par_iter(), interrupt::carried());
        let named = numbers.map_init(String::new, |buffer, number| carried.scope(|| hashed(buffer, number)));
        let mut named = named.filter_map(Result::transpose).collect::<Result<Vec<(u64, u32)>, Error>>()?;
        named.par_sort_unstable();
        let bits = named.len().max(2).ilog2();
        let mut starts = vec![0; (1 << bits) + 1];
        named.iter().for_each(|(hash, _)| starts[(hash >> (64 - bits)) as usize + 1] += 1);
        let mut sum = 0;
        starts.iter_mut().for_each(|start| {
            sum += *start;
            *start = sum;
        });
        let (hashes, named) = named.into_iter().unzip();
        Ok(PageNames { corpus: corpus.clone(), hashes, named, starts })
    }

    /// Returns the pages that a name may mean, ascending.
    pub(crate) fn pages(&self, name: &str) -> Result<Vec<PageId>, Error> {
        let mut buffer = String::new();
        key(name, &mut buffer);
        self.pages_of_key(&buffer)
    }

    fn pages_of_key(&self, wanted: &str) -> Result<Vec<PageId>, Error> {
        let hash = hash(wanted);
        let bits = (self.starts.len() - 1).ilog2();
        let bucket = (hash >> (64 - bits)) as usize;
        let bucket = self.starts[bucket] as usize..self.starts[bucket + 1] as usize;
        let hashes = &self.hashes[bucket.clone()];
        let first = hashes.partition_point(|other| *other < hash);
        let (mut pages, mut buffer) = (Vec::new(), String::new());
        if hashes[first..].get(MOST_PAGES) == Some(&hash) {
            return Ok(pages);
        }
        for (other, &number) in hashes[first..].iter().zip(&self.named[bucket.start + first..]) {
            if *other != hash {
                break;
            }
            key(base_name(title(&self.corpus, number)?), &mut buffer);
            if buffer == wanted {
                pages.push(page(&self.corpus, number)?);
            }
        }
        pages.sort_unstable();
        pages.dedup();
        Ok(pages)
    }

    /// Finds the names in a part of a text, the longest where several begin at the same place, none within another.
    pub(crate) fn find(&self, text: &str, part: Range<usize>) -> Result<Vec<NamedPlace>, Error> {
        let (mut places, mut at) = (Vec::new(), part.start);
        while let Some(start) = next_beginning(text, at, part.end) {
            match self.longest(text, start..part.end)? {
                Some(place) => {
                    at = place.range.end;
                    places.push(place);
                }
                None => at = start + text[start..].chars().next().map_or(1, char::len_utf8),
            }
        }
        Ok(places)
    }

    /// Finds the longest name at the beginning of a part of a text.
    fn longest(&self, text: &str, part: Range<usize>) -> Result<Option<NamedPlace>, Error> {
        let mut wanted = String::new();
        key(&text[part.clone()][..first_bytes(&text[part.clone()], LONGEST)], &mut wanted);
        // Of a letter whose small form has another length.
        let skew = wanted.len() as isize - first_bytes(&text[part.clone()], LONGEST) as isize;
        let mut longest = None;
        for end in endings(text, part.clone()) {
            let length = (end - part.start).saturating_add_signed(skew);
            let Some(words) = wanted.get(..length) else { break };
            // A name that ends in s is not taken for a plural.
            let without = |ending| words.strip_suffix(ending);
            for name in [Some(words), without("s"), without("es")].into_iter().flatten() {
                let pages = self.pages_of_key(name)?;
                if !pages.is_empty() && is_looked_for(name) {
                    longest = Some(NamedPlace { range: part.start..end, pages });
                    break;
                }
            }
        }
        Ok(longest)
    }
}

/// Returns the title of a page, or, from the number of pages on, of a redirect.
fn title(corpus: &Corpus, number: u32) -> Result<&str, Error> {
    match (number as usize).checked_sub(corpus.num_pages()) {
        None => corpus.title(PageId(number)),
        Some(row) => Ok(corpus.redirect(row)?.0),
    }
}

fn page(corpus: &Corpus, number: u32) -> Result<PageId, Error> {
    match (number as usize).checked_sub(corpus.num_pages()) {
        None => Ok(PageId(number)),
        Some(row) => Ok(corpus.redirect(row)?.1),
    }
}

/// Returns `bytes`, or fewer where that is within a letter of the text.
fn first_bytes(text: &str, bytes: usize) -> usize {
    text.floor_char_boundary(bytes)
}

/// Finds the next place at which a name may begin: a letter or digit after something else, or a mark before one
/// (`.NET`).
fn next_beginning(text: &str, from: usize, to: usize) -> Option<usize> {
    let mut is_inside = text[..from].chars().next_back().is_some_and(char::is_alphanumeric);
    let mut chars = text[from..to].char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let is_word = c.is_alphanumeric();
        let mut is_mark = || {
            !c.is_whitespace() && chars.peek().is_some_and(|(_, next)| next.is_alphanumeric()) && !is_inside
        };
        if (is_word && !is_inside) || (!is_word && is_mark()) {
            return Some(from + at);
        }
        is_inside = is_word;
    }
    None
}

/// Returns the places, ascending, where a name that begins a part of a text may end: after a word, or after a few marks
/// behind it.
fn endings(text: &str, part: Range<usize>) -> impl Iterator<Item = usize> + '_ {
    let (mut words, mut marks, mut was_inside) = (0, usize::MAX, false);
    // One past the end, so that a word that ends there has an end.
    let chars = text[part.clone()].char_indices().map(|(at, c)| (at, Some(c))).chain([(part.len(), None)]);
    let after = text[part.end..].chars().next();
    let chars = chars.map(move |(at, c)| (at, c.or(after)));
    let ends = chars.map(move |(at, c)| {
        let is_inside = c.is_some_and(char::is_alphanumeric);
        let is_end = match (was_inside, is_inside) {
            (true, false) => {
                (words, marks) = (words + 1, 0);
                true
            }
            (false, false) if at > 0 => {
                marks = marks.saturating_add(1);
                marks <= MOST_MARKS
            }
            _ => false,
        };
        // A space ends what marks may follow.
        if c.is_none_or(char::is_whitespace) {
            marks = marks.max(MOST_MARKS);
        }
        was_inside = is_inside;
        (words, is_end.then_some(part.start + at))
    });
    ends.take_while(|(words, _)| *words <= MOST_WORDS).filter_map(|(_, end)| end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{CorpusWriter, ListColumn, Provenance, StringColumn};
    use crate::storage::Existing;
    use proptest::prelude::*;

    fn names(titles: &[&str], redirects: &[(&str, u32)]) -> (tempfile::TempDir, PageNames) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("corpus");
        let mut titles = titles.to_vec();
        titles.sort_unstable();
        let none = || titles.iter().map(|_| Vec::<u32>::new()).collect::<ListColumn>();
        let mut writer = CorpusWriter::create(&path, Existing::Refuse).unwrap();
        writer.write_pages(titles.iter().collect::<StringColumn>(), none(), none()).unwrap();
        let no_names: [&str; 0] = [];
        let no_parents: [Vec<u32>; 0] = [];
        writer.write_categories(no_names.iter().collect(), no_parents.into_iter().collect()).unwrap();
        if !redirects.is_empty() {
            let titles = redirects.iter().map(|(title, _)| title).collect::<StringColumn>();
            writer.write_redirects(titles, redirects.iter().map(|(_, page)| *page).collect()).unwrap();
        }
        writer.finish(Provenance::default()).unwrap();
        let names = PageNames::new(&Corpus::open(&path).unwrap()).unwrap();
        (dir, names)
    }

    /// The words found, each with the titles of the pages that they may mean.
    fn found(names: &PageNames, text: &str) -> Vec<String> {
        let places = names.find(text, 0..text.len()).unwrap();
        let titles = |pages: &[PageId]| {
            pages.iter().map(|&page| names.corpus.title(page).unwrap()).collect::<Vec<_>>().join("|")
        };
        places
            .iter()
            .map(|place| format!("{}>{}", &text[place.range.clone()], titles(&place.pages)))
            .collect()
    }

    #[test]
    fn the_longest_names_are_found_as_whole_words() {
        let titles = ["Moon", "Moon landing", "Pig", "Mercury (element)", "Mercury (planet)", "IT", "X"];
        let (_dir, names) = names(&titles, &[("Quicksilver", 1)]);
        assert_eq!(
            found(&names, "The moon landing. Moons, pigeons and pigs: it is x. quicksilver (Mercury)"),
            [
                "moon landing>Moon landing",
                "Moons>Moon",
                "pigs>Pig",
                "quicksilver>Mercury (element)",
                "Mercury>Mercury (element)|Mercury (planet)",
            ]
        );
        assert_eq!(found(&names, "IT"), ["IT>IT"]);
        assert_eq!(names.pages("mercury").unwrap().len(), 2);
        assert_eq!(names.pages("Mercury (planet)").unwrap(), []);
    }

    #[test]
    fn names_may_have_marks_and_any_letters() {
        let titles = [".NET", "C++", "C", "İzmir", "Yahoo!", "Ола", "Æther", "木星"];
        let (_dir, names) = names(&titles, &[]);
        assert_eq!(
            found(&names, "In C++, .NET (yahoo! ола) and æther, İzmir; 木星 C"),
            ["C++>C++", ".NET>.NET", "yahoo!>Yahoo!", "ола>Ола", "æther>Æther", "İzmir>İzmir", "木星>木星"]
        );
    }

    #[test]
    fn only_the_part_asked_for_is_searched_and_words_around_it_count() {
        let (_dir, names) = names(&["Moon", "Pig"], &[]);
        let text = "moonpig moon";
        assert_eq!(names.find(text, 0..4).unwrap(), []);
        assert_eq!(names.find(text, 4..7).unwrap(), []);
        assert_eq!(names.find(text, 8..12).unwrap().len(), 1);
        assert_eq!(names.find(text, 0..0).unwrap(), []);
    }

    proptest! {
        #[test]
        fn whatever_is_found_stands_alone_and_nothing_overlaps(
            text in "([abs]{1,3}|es|é|ß|İ|٣|[ ,.+!-]|\n){0,40}",
        ) {
            let (_dir, names) = names(&["A b", "Ab", "Bb", "B+", "İa", "Éa", "S s", ".a"], &[]);
            let mut end = 0;
            for place in names.find(&text, 0..text.len()).unwrap() {
                prop_assert!(place.range.start >= end && !place.pages.is_empty());
                end = place.range.end;
                let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
                let words = &text[place.range.clone()];
                prop_assert!(!(is_word(words.chars().next())
                    && is_word(text[..place.range.start].chars().next_back())));
                prop_assert!(!(is_word(words.chars().next_back())
                    && is_word(text[place.range.end..].chars().next())));
            }
        }
    }
}
