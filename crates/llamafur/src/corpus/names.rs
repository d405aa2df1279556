//! Search for a page or a category by what a person typed.
//!
//! First the name as it is, then ignoring case and underscores.

use crate::Error;
use crate::storage::columns::{Ids, Strings};
use rayon::prelude::*;
use unicode_normalization::UnicodeNormalization;

/// The result of a search for a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found<Id> {
    /// One match: by its exact name, or the only one whose normalised name is the same ([`fold`]).
    One(Id),
    /// Several matches whose normalised names are the same, none of them exactly as typed.
    Several(Vec<Id>),
    /// No match.
    None,
}

impl<Id> Found<Id> {
    pub(crate) fn map<Other>(self, id: impl Fn(Id) -> Other) -> Found<Other> {
        match self {
            Found::One(found) => Found::One(id(found)),
            Found::Several(found) => Found::Several(found.into_iter().map(id).collect()),
            Found::None => Found::None,
        }
    }
}

/// Returns whether a name that a person gave to something may be that of a file on any system.
pub(crate) fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty() && name.len() <= 100 && !name.starts_with('.') && name.chars().all(plain)
}

/// Normalises a name: ignores case, turns underscores into spaces, and drops superfluous whitespace.
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

/// Returns the first bytes of a normalised name's BLAKE3: the same on every machine, so it may order a file.
fn folded_hash(folded: &str) -> u32 {
    let hash = blake3::hash(folded.as_bytes());
    u32::from_le_bytes(hash.as_bytes()[..4].try_into().expect("a hash has 32 bytes"))
}

/// Returns the rows, whose names `name` returns, in the order of their normalised names' hashes.
pub(crate) fn folded_order<'a>(rows: usize, name: impl Fn(usize) -> &'a str + Sync) -> Vec<u32> {
    let key = |row: usize| u64::from(folded_hash(&fold(name(row)))) << 32 | row as u64;
    let mut keys: Vec<u64> = (0..rows).into_par_iter().map(key).collect();
    keys.par_sort_unstable();
    keys.into_iter().map(|key| key as u32).collect()
}

/// Finds a row by name; with `folded_order`, without reading all names.
pub(crate) fn find(
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
        [] => Found::None,
        [row] => Found::One(row),
        _ => Found::Several(same),
    })
}

fn same_folded_by_order(names: &Strings, order: &Ids<u32>, folded: &str) -> Result<Vec<u32>, Error> {
    let wanted = folded_hash(folded);
    let hash_at = |place: usize| Ok::<_, Error>(folded_hash(&fold(names.get(order.get(place)? as usize)?)));
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
}
