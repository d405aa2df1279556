//! Completion of titles, tolerant of typing errors.
//!
//! Titles and redirects, lowercased and without accents, are in a finite-state set ([`fst`]), each from its beginning
//! and from the beginning of each of its words. A prefix is one walk in the set; a prefix with typing errors is a walk
//! that turns back where too many letters differ: K. Oflazer, “Error-tolerant Finite-state Recognition with
//! Applications to Morphological Analysis and Spelling Correction”, Computational Linguistics 22(1), 1996,
//! <https://aclanthology.org/J96-1003/>. No query visits all titles: a walk ends after a fixed number of entries or
//! letters, so titles whose first letter is that of the query are visited first.

use super::Engine;
use super::name_index::{NameIndex, Names, TAIL, plain};
use crate::Error;
use crate::graph::{CategoryId, PageId};
use crate::interrupt;
use crate::progress::{Progress, Silent};
use fst::automaton::{Automaton, Str};
use fst::{IntoStreamer, Streamer};
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

/// A title, or a name of a category, that a person may mean.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Suggestion {
    /// The title of the page, or the name of the category.
    pub title: String,
    /// The redirect that matched, where it is not the title itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect: Option<String>,
}

/// Number of entries after which a walk ends.
const MOST_ENTRIES: usize = 4096;

/// Number of letters of entries after which a walk for typing errors ends.
const MOST_STEPS: usize = 200_000;

/// Number of letters of a query from which on one typing error, or two, are tolerated.
const ONE_ERROR: usize = 4;
const TWO_ERRORS: usize = 8;

/// Number of letters of a query beyond which only a beginning is compared.
const LONGEST: usize = 24;

/// Smallest number of letters that a word within a title must share, unless it is matched whole: “usa” does not mean
/// “usage”.
const LEAST_OF_A_WORD: usize = 4;

/// Quality of a match, smaller is better: the kind of match, typing errors, letters too many.
type Fit = (u8, usize, usize);

impl NameIndex {
    /// Finds the rows of names that match the query, with the quality of each match.
    fn find(&self, typed: &str, most: usize) -> BTreeMap<u32, Fit> {
        let query: &str = &plain(typed).chars().take(LONGEST).collect::<String>();
        let mut found = BTreeMap::new();
        if query.is_empty() {
            return found;
        }
        self.walk(
            Str::new(query).starts_with(),
            |text, is_whole| prefix_fit(text, is_whole, query),
            &mut found,
        );
        let letters = query.chars().count();
        let errors = usize::from(letters >= ONE_ERROR) + usize::from(letters >= TWO_ERRORS);
        if found.len() < most && errors > 0 {
            let fit = |text: &str, is_whole| typing_fit(text, is_whole, query, errors);
            for is_first_right in [true, false] {
                let typing = Typing::new(query, errors, is_first_right);
                self.walk((&typing).starts_with(), fit, &mut found);
            }
        }
        found
    }

    fn walk(
        &self,
        automaton: impl Automaton,
        fit: impl Fn(&str, bool) -> Option<Fit>,
        found: &mut BTreeMap<u32, Fit>,
    ) {
        let mut stream = self.entries.search(automaton).into_stream();
        for _ in 0..MOST_ENTRIES {
            let Some(entry) = stream.next() else { return };
            let (text, tail) = entry.split_at(entry.len().saturating_sub(TAIL));
            let (Ok(text), [_, kind, row @ ..]) = (std::str::from_utf8(text), tail) else { continue };
            let Ok(row) = row.try_into().map(u32::from_be_bytes) else { continue };
            if let Some(fit) = fit(text, *kind == 0) {
                let best = found.entry(row).or_insert(fit);
                *best = fit.min(*best);
            }
        }
    }
}

/// An automaton that matches a query with a number of typing errors: a letter too many, one too few, another one, two
/// swapped.
struct Typing {
    query: Vec<char>,
    most: u8,
    /// True if the first letter must be right.
    is_first_right: bool,
    /// Number of letters visited.
    steps: Cell<usize>,
}

/// The number of errors of some letters against each beginning of the query.
type Errors = [u8; LONGEST + 1];

/// State of a walk: the distance of the letters so far from the query.
#[derive(Clone, Copy)]
struct Typed {
    /// Above the maximum where the bytes are no letters.
    errors: Errors,
    /// The errors without the last letter, and that letter.
    before: Errors,
    last: Option<char>,
    /// The bytes of an incomplete letter and their number.
    bytes: [u8; 4],
    num_bytes: usize,
}

impl Typing {
    /// Creates a matcher of at most [`LONGEST`] letters.
    fn new(query: &str, most: usize, is_first_right: bool) -> Typing {
        let query = query.chars().take(LONGEST).collect();
        Typing { query, most: most as u8, is_first_right, steps: Cell::new(0) }
    }

    fn of_query<'e>(&self, errors: &'e Errors) -> &'e [u8] {
        &errors[..=self.query.len()]
    }
}

impl Automaton for Typing {
    type State = Typed;

    fn start(&self) -> Typed {
        let errors = std::array::from_fn(|at| at as u8);
        Typed { errors, before: [u8::MAX; LONGEST + 1], last: None, bytes: [0; 4], num_bytes: 0 }
    }

    fn is_match(&self, typed: &Typed) -> bool {
        typed.num_bytes == 0 && self.of_query(&typed.errors).last().is_some_and(|&errors| errors <= self.most)
    }

    fn can_match(&self, typed: &Typed) -> bool {
        self.steps.get() < MOST_STEPS
            && self.of_query(&typed.errors).iter().any(|&errors| errors <= self.most)
    }

    fn accept(&self, typed: &Typed, byte: u8) -> Typed {
        self.steps.set(self.steps.get() + 1);
        let (mut next, none) = (*typed, Typed { errors: [u8::MAX; LONGEST + 1], ..*typed });
        let Some(place) = next.bytes.get_mut(next.num_bytes) else { return none };
        *place = byte;
        next.num_bytes += 1;
        let letter = match std::str::from_utf8(&next.bytes[..next.num_bytes]) {
            Ok(text) => text.chars().next(),
            Err(e) if e.error_len().is_none() => return next,
            Err(_) => None,
        };
        let Some(letter) = letter else { return none };
        if self.is_first_right && typed.last.is_none() && self.query.first() != Some(&letter) {
            return none;
        }
        let (was, before) = (&typed.errors, &typed.before);
        let mut errors = [u8::MAX; LONGEST + 1];
        errors[0] = was[0].saturating_add(1);
        for (at, &wanted) in self.query.iter().enumerate() {
            let other = was[at].saturating_add(u8::from(wanted != letter));
            let is_changed_over = at > 0 && self.query[at - 1] == letter && typed.last == Some(wanted);
            let changed_over = if is_changed_over { before[at - 1].saturating_add(1) } else { u8::MAX };
            let one_more = was[at + 1].min(errors[at]).saturating_add(1);
            errors[at + 1] = other.min(one_more).min(changed_over);
        }
        Typed { errors, before: *was, last: Some(letter), bytes: [0; 4], num_bytes: 0 }
    }
}

/// Returns the rows of the titles that match the query, the best first, and the bytes of the index of the titles.
pub(crate) fn suggest_among(titles: &[&str], typed: &str, num: usize) -> Result<(Vec<usize>, usize), Error> {
    let index = NameIndex::in_memory(titles, u64::MAX)?;
    let mut ranked: Vec<(Fit, u32)> =
        index.find(typed, num).into_iter().map(|(row, fit)| (fit, row)).collect();
    ranked.sort_unstable();
    let rows = ranked.into_iter().take(num).map(|(_, row)| row as usize);
    Ok((rows.collect(), index.entries.as_fst().as_bytes().len()))
}

/// Returns how well an entry that begins with the query matches.
fn prefix_fit(text: &str, is_whole: bool, query: &str) -> Option<Fit> {
    let rest = text.strip_prefix(query)?;
    let ends = !rest.chars().next().is_some_and(char::is_alphanumeric);
    let kind = match is_whole {
        true if rest.is_empty() => 0,
        true => 1,
        false if ends || query.chars().count() >= LEAST_OF_A_WORD => 2,
        false => return None,
    };
    Some((kind, 0, rest.chars().count()))
}

/// Returns how well an entry matches whose beginning differs from the query by typing errors.
fn typing_fit(text: &str, is_whole: bool, query: &str, most: usize) -> Option<Fit> {
    let (length, of_text) = (query.chars().count(), text.chars().count());
    let beginning = |letters: usize| text.chars().take(letters).collect::<String>();
    // One letter more or less than was typed.
    let beginnings = (length.saturating_sub(1)..=length + 1).map(beginning);
    let errors = beginnings.map(|beginning| strsim::osa_distance(&beginning, query)).min()?;
    (errors <= most).then_some((if is_whole { 3 } else { 4 }, errors, of_text.abs_diff(length)))
}

impl Engine {
    /// Suggests at most `num` titles, the best first, for a beginning of a title or redirect, or of a word in it. Case
    /// and accents do not matter; longer queries may have typing errors.
    ///
    /// The index of all titles is built on first use and kept; after that no query visits all titles.
    pub fn suggest(&self, typed: &str, num: usize) -> Result<Vec<Suggestion>, Error> {
        self.whole(|| self.suggest_unwatched(typed, num))
    }

    fn suggest_unwatched(&self, typed: &str, num: usize) -> Result<Vec<Suggestion>, Error> {
        let (corpus, num_pages) = (self.corpus(), self.corpus().num_pages());
        interrupt::check()?;
        let index = self.titles(&mut Silent)?;
        // Of each page the entry that fits best.
        let mut pages: BTreeMap<PageId, (Fit, u32)> = BTreeMap::new();
        for (row, fit) in index.find(typed, num) {
            interrupt::check()?;
            let page = match (row as usize).checked_sub(num_pages) {
                None => PageId(row),
                Some(redirect) => corpus.redirect(redirect)?.1,
            };
            let best = pages.entry(page).or_insert((fit, row));
            *best = (*best).min((fit, row));
        }
        let mut ranked: Vec<(Fit, PageId, u32)> =
            pages.into_iter().map(|(page, (fit, row))| (fit, page, row)).collect();
        ranked.sort_unstable();
        let suggestion = |(_, page, row): (Fit, PageId, u32)| {
            let redirect = (row as usize).checked_sub(num_pages);
            let redirect = redirect.map(|row| Ok::<_, Error>(corpus.redirect(row)?.0.to_owned()));
            Ok(Suggestion { title: corpus.title(page)?.to_owned(), redirect: redirect.transpose()? })
        };
        ranked.into_iter().take(num).map(suggestion).collect()
    }

    /// Suggests at most `num` names of categories, the best first, with the rules of [`Engine::suggest`].
    pub fn suggest_categories(&self, typed: &str, num: usize) -> Result<Vec<Suggestion>, Error> {
        self.whole(|| self.suggest_categories_unwatched(typed, num))
    }

    fn suggest_categories_unwatched(&self, typed: &str, num: usize) -> Result<Vec<Suggestion>, Error> {
        interrupt::check()?;
        let found = self.category_names(&mut Silent)?.find(typed, num);
        let mut ranked: Vec<(Fit, u32)> = found.into_iter().map(|(row, fit)| (fit, row)).collect();
        ranked.sort_unstable();
        let suggestion = |(_, row): (Fit, u32)| {
            Ok(Suggestion { title: self.corpus().category_name(CategoryId(row))?.to_owned(), redirect: None })
        };
        ranked.into_iter().take(num).map(suggestion).collect()
    }

    /// Returns the index of titles: first the rows of pages, then those of redirects.
    pub(super) fn titles(&self, progress: &mut dyn Progress) -> Result<Arc<NameIndex>, Error> {
        let (corpus, num_pages) = (self.corpus(), self.corpus().num_pages());
        let get = |row: usize| match row.checked_sub(num_pages) {
            None => corpus.title(PageId(row as u32)),
            Some(redirect) => corpus.redirect(redirect).map(|(title, _)| title),
        };
        self.name_index("titles.arrow", num_pages + corpus.num_redirects(), &get, progress)
    }

    /// Returns the index of the names of categories.
    pub(super) fn category_names(&self, progress: &mut dyn Progress) -> Result<Arc<NameIndex>, Error> {
        let get = |row: usize| self.corpus().category_name(CategoryId(row as u32));
        self.name_index("category-names.arrow", self.corpus().num_categories(), &get, progress)
    }

    fn name_index<'n>(
        &'n self,
        file: &'static str,
        num: usize,
        get: &'n (dyn Fn(usize) -> Result<&'n str, Error> + Sync),
        progress: &mut dyn Progress,
    ) -> Result<Arc<NameIndex>, Error> {
        let mut all = self.0.names.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = all.get(file) {
            return Ok(index.clone());
        }
        let names = Names { checksum: self.corpus().manifest().checksum(), num, get };
        let memory = self.inputs().memory_bytes();
        let index = Arc::new(NameIndex::kept_or_made(self.corpus(), file, &names, memory, progress)?);
        all.insert(file, index.clone());
        Ok(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(names: &[&str]) -> NameIndex {
        NameIndex::in_memory(names, u64::MAX).unwrap()
    }

    fn best<'n>(names: &[&'n str], query: &str) -> Vec<&'n str> {
        let mut found: Vec<(Fit, u32)> =
            index(names).find(query, 10).into_iter().map(|(row, fit)| (fit, row)).collect();
        found.sort();
        found.into_iter().map(|(_, row)| names[row as usize]).collect()
    }

    #[test]
    fn whole_titles_come_first_then_beginnings_then_words_then_typing_errors() {
        let names = ["Jupiter", "Jupiter (mythology)", "Moons of Jupiter", "Jupitre", "Saturn"];
        let all = ["Jupiter", "Jupiter (mythology)", "Moons of Jupiter", "Jupitre"];
        assert_eq!(best(&names, "jupiter"), all);
        assert_eq!(
            best(&names, "Jupitar"),
            ["Jupiter", "Jupitre", "Jupiter (mythology)", "Moons of Jupiter"]
        );
        assert_eq!(best(&names, "jupt"), ["Jupiter", "Jupitre", "Jupiter (mythology)", "Moons of Jupiter"]);
    }

    #[test]
    fn accents_and_case_do_not_matter() {
        assert_eq!(best(&["Édouard Manet"], "edouard m"), ["Édouard Manet"]);
        assert_eq!(best(&["Cafe\u{301} Riche"], "CAFÉ"), ["Cafe\u{301} Riche"]);
    }

    #[test]
    fn typing_errors_are_forgiven_in_any_script() {
        assert_eq!(best(&["Москва", "Минск"], "масква"), ["Москва"]);
        assert_eq!(best(&["Ürümqi"], "urumki"), ["Ürümqi"]);
        assert_eq!(best(&["Christiaan Huygens"], "Chirstian"), ["Christiaan Huygens"]);
    }

    #[test]
    fn short_queries_do_not_match_within_other_words() {
        let names = ["Trade and usage of saffron", "Made in USA"];
        assert_eq!(best(&names, "USA"), ["Made in USA"]);
        assert_eq!(best(&["section::fonts"], "fonts"), ["section::fonts"]);
    }

    #[test]
    fn a_query_with_typing_errors_looks_at_few_letters_of_many_titles() {
        // Random letters, so that every title begins otherwise; the one that is meant comes last.
        let mut random = crate::random::generator(1, crate::random::Purpose::Surprise, 0);
        let mut letter = || char::from(b'a' + crate::random::below(&mut random, 26) as u8);
        let mut names: Vec<String> = (0..30_000).map(|_| (0..12).map(|_| letter()).collect()).collect();
        names.push("zymurgical".to_owned());
        let all: Vec<&str> = names.iter().map(String::as_str).collect();
        let index = index(&all);
        let found = index.find("zymurgycal", 1);
        assert!(found.contains_key(&30_000));
        for is_first_right in [true, false] {
            let typing = Typing::new("zymurgycal", 2, is_first_right);
            let mut stream = index.entries.search((&typing).starts_with()).into_stream();
            while stream.next().is_some() {}
            let most = if is_first_right { 10_000 } else { MOST_STEPS + 1000 };
            assert!(typing.steps.get() < most, "{}", typing.steps.get());
        }
    }

    #[test]
    fn a_long_query_is_no_harm() {
        assert!(best(&["Fish"], &"x".repeat(5000)).is_empty());
    }
}
