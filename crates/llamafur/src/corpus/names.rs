//! Finding a page or a category by what a person typed.
//!
//! First the name as it is, then with case and underscores folded, and where that fails the nearest names, for
//! a person to choose from.

use crate::Error;
use crate::storage::columns::{Ids, Strings};
use rayon::prelude::*;
use unicode_normalization::UnicodeNormalization;

/// What a search for a name found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found<Id> {
    /// The one that is meant: by its exact name, or the only one whose name folds to the same.
    One(Id),
    /// Several whose names fold to the same, none of them exactly as asked.
    Several(Vec<Id>),
    /// None; these have the nearest names, nearest first.
    None(Vec<Id>),
}

impl<Id> Found<Id> {
    pub(crate) fn map<Other>(self, id: impl Fn(Id) -> Other) -> Found<Other> {
        match self {
            Found::One(found) => Found::One(id(found)),
            Found::Several(found) => Found::Several(found.into_iter().map(id).collect()),
            Found::None(nearest) => Found::None(nearest.into_iter().map(id).collect()),
        }
    }
}

/// Whether a name that a person gave to something may be that of a file on any system.
pub(crate) fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty() && name.len() <= 100 && !name.starts_with('.') && name.chars().all(plain)
}

/// A name without what people get wrong: case, underscores for blanks, blanks too many.
pub fn fold(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    for word in name.split(|c: char| c == '_' || c.is_whitespace()).filter(|word| !word.is_empty()) {
        if !folded.is_empty() {
            folded.push(' ');
        }
        if word.is_ascii() {
            folded.extend(word.bytes().map(|byte| byte.to_ascii_lowercase() as char));
            continue;
        }
        // Up and down again: ς, σ and Σ become one, and so do ß and SS. Composed and decomposed letters become one, too.
        folded.extend(word.nfc().flat_map(char::to_uppercase).flat_map(char::to_lowercase));
    }
    folded
}

/// The first bytes of the folded name's BLAKE3: the same on every machine, so it may order a file.
fn folded_hash(name: &str) -> u32 {
    let hash = blake3::hash(fold(name).as_bytes());
    u32::from_le_bytes(hash.as_bytes()[..4].try_into().expect("a hash has 32 bytes"))
}

/// The rows, of which `name` gives the names, in the order of their folded names' hashes.
pub(crate) fn folded_order<'a>(rows: usize, name: impl Fn(usize) -> &'a str + Sync) -> Vec<u32> {
    let key = |row: usize| u64::from(folded_hash(name(row))) << 32 | row as u64;
    let mut keys: Vec<u64> = (0..rows).into_par_iter().map(key).collect();
    keys.par_sort_unstable();
    keys.into_iter().map(|key| key as u32).collect()
}

/// Finds a row by name; with the folded order at hand, without reading all names.
pub(crate) fn find(
    names: &Strings,
    folded_order: Option<&Ids<u32>>,
    wanted: &str,
) -> Result<Found<u32>, Error> {
    Ok(match find_same(names, folded_order, wanted)? {
        Found::None(_) => Found::None(nearest(names, &fold(wanted))?),
        found => found,
    })
}

/// The same, but where there is none, no nearest names either: those take a look at all names.
pub(crate) fn find_same(
    names: &Strings,
    folded_order: Option<&Ids<u32>>,
    wanted: &str,
) -> Result<Found<u32>, Error> {
    if let Some(row) = names.binary_search(wanted)? {
        return Ok(Found::One(row as u32));
    }
    let folded = fold(wanted);
    let same = match folded_order {
        Some(order) => same_folded_by_order(names, order, &folded)?,
        None => same_folded_by_scan(names, &folded)?,
    };
    Ok(match same[..] {
        [] => Found::None(Vec::new()),
        [row] => Found::One(row),
        _ => Found::Several(same),
    })
}

fn same_folded_by_order(names: &Strings, order: &Ids<u32>, folded: &str) -> Result<Vec<u32>, Error> {
    let wanted = folded_hash(folded);
    let hash_at = |place: usize| Ok::<_, Error>(folded_hash(names.get(order.get(place)? as usize)?));
    let (mut low, mut high) = (0, order.len());
    while low < high {
        let middle = low + (high - low) / 2;
        if hash_at(middle)? < wanted { low = middle + 1 } else { high = middle }
    }
    let mut same = Vec::new();
    for place in low..order.len() {
        if hash_at(place)? != wanted {
            break;
        }
        let row = order.get(place)?;
        if fold(names.get(row as usize)?) == folded {
            same.push(row);
        }
    }
    Ok(same)
}

fn same_folded_by_scan(names: &Strings, folded: &str) -> Result<Vec<u32>, Error> {
    let rows = (0..names.len()).into_par_iter();
    rows.filter_map(|row| match names.get(row) {
        Ok(name) => (fold(name) == folded).then_some(Ok(row as u32)),
        Err(e) => Some(Err(e)),
    })
    .collect()
}

/// How many names are offered.
const OFFERED: usize = 5;

/// The rows whose names are nearest to a folded one: those that begin with it, then those with a word that
/// begins with it, then those a few typing errors away.
fn nearest(names: &Strings, folded: &str) -> Result<Vec<u32>, Error> {
    let rows = (0..names.len()).into_par_iter();
    let ranked = rows.filter_map(|row| match names.get(row) {
        Ok(name) => distance(&fold(name), folded).map(|distance| Ok((distance, row as u32))),
        Err(e) => Some(Err(e)),
    });
    let mut ranked = ranked.collect::<Result<Vec<_>, Error>>()?;
    ranked.sort_unstable();
    Ok(ranked.into_iter().take(OFFERED).map(|(_, row)| row).collect())
}

/// How far a name is from the one asked for: the kind of likeness, then how much differs.
fn distance(name: &str, wanted: &str) -> Option<(u8, usize)> {
    let (length, wanted_length) = (name.chars().count(), wanted.chars().count());
    let difference = length.abs_diff(wanted_length);
    let typing_errors = (wanted_length / 3).clamp(1, 4);
    if difference <= typing_errors {
        let errors = strsim::osa_distance(name, wanted);
        if errors <= typing_errors {
            return Some((0, errors));
        }
    }
    if wanted.is_empty() {
        None
    } else if name.starts_with(wanted) {
        Some((1, difference))
    } else if has_word(name, wanted) {
        Some((2, difference))
    } else {
        None
    }
}

/// Letters of a word that must match at least, unless the whole word does: “usa” is no part of “usage”.
const LEAST_OF_A_WORD: usize = 4;

/// Whether a word of a lowercased name begins with what is wanted, or is it.
pub(crate) fn has_word(name: &str, wanted: &str) -> bool {
    let is_long = wanted.chars().count() >= LEAST_OF_A_WORD;
    let is_word = |at: usize| !name[..at].chars().next_back().is_some_and(char::is_alphanumeric);
    let ends = |at: usize| !name[at + wanted.len()..].chars().next().is_some_and(char::is_alphanumeric);
    name.match_indices(wanted).any(|(at, _)| is_word(at) && (is_long || ends(at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_forgets_case_underscores_and_blanks() {
        assert_eq!(fold("  George__CLOONEY "), "george clooney");
        assert_eq!(fold("ÉDOUARD Manet"), fold("Édouard_manet"));
        assert_eq!(fold("ΟΔΟΣ"), fold("οδος"));
        assert_eq!(fold("Cafe\u{301}"), fold("Café"));
    }

    #[test]
    fn typing_errors_come_before_beginnings_and_beginnings_before_words() {
        let mut names = ["jupiter ascending", "moons of jupiter", "jupitre", "saturn", "jupiter (mythology)"];
        names.sort_by_key(|name| distance(name, "jupiter").unwrap_or((9, 0)));
        assert_eq!(names[..4], ["jupitre", "jupiter ascending", "jupiter (mythology)", "moons of jupiter"]);
        assert_eq!(distance("saturn", "jupiter"), None);
        assert_eq!(distance("trade and usage of saffron", "usa"), None);
        assert!(distance("section::fonts", "fonts").is_some() && distance("made in usa", "usa").is_some());
    }
}
