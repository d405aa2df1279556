//! Sets of places whose links are ranked.

use crate::Error;
use crate::places::contains_fact;
use crate::text::wikitext::Place;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The places whose links are ranked.
///
/// ```
/// use llamafur::engine::PlaceSet;
/// use llamafur::text::wikitext::Place;
/// assert_eq!(PlaceSet::default(), "prose,caption".parse()?);
/// assert!("all".parse::<PlaceSet>()?.has(Place::Reference) && !PlaceSet::default().has(Place::Reference));
/// # Ok::<(), llamafur::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PlaceSet(u16);

/// The name of the set of all places.
const ALL: &str = "all";

impl Default for PlaceSet {
    /// Returns prose and captions.
    fn default() -> PlaceSet {
        Place::ALL.into_iter().filter(|place| place.is_fact()).fold(PlaceSet(0), PlaceSet::with)
    }
}

impl PlaceSet {
    /// Every place, and links that the text does not have.
    pub const ALL: PlaceSet = PlaceSet(u16::MAX);

    fn bit(place: Place) -> u16 {
        Place::ALL.iter().position(|other| *other == place).map_or(0, |number| 1 << number)
    }

    fn with(self, place: Place) -> PlaceSet {
        PlaceSet(self.0 | PlaceSet::bit(place))
    }

    /// Returns whether links in a place are ranked.
    pub fn has(self, place: Place) -> bool {
        self.0 & PlaceSet::bit(place) != 0
    }

    /// Returns whether a link that is in these places is ranked.
    pub(super) fn takes(self, places: u16) -> bool {
        debug_assert!(self != PlaceSet::default() || contains_fact(places) == (places & self.0 != 0));
        self == PlaceSet::ALL || places & self.0 != 0
    }
}

impl FromStr for PlaceSet {
    type Err = Error;

    fn from_str(names: &str) -> Result<PlaceSet, Error> {
        if names == ALL {
            return Ok(PlaceSet::ALL);
        }
        let refused = || {
            let known: Vec<&str> = Place::ALL.into_iter().map(Place::name).collect();
            Error::setting("where", format!("{ALL}, or some of {} with commas", known.join(", ")), names)
        };
        names.split(',').try_fold(PlaceSet(0), |set, name| {
            let place = Place::ALL.into_iter().find(|place| place.name() == name.trim());
            Ok(set.with(place.ok_or_else(refused)?))
        })
    }
}

impl fmt::Display for PlaceSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == PlaceSet::ALL {
            return f.pad(ALL);
        }
        let names: Vec<&str> =
            Place::ALL.into_iter().filter(|place| self.has(*place)).map(Place::name).collect();
        f.pad(&names.join(","))
    }
}

impl TryFrom<String> for PlaceSet {
    type Error = Error;

    fn try_from(names: String) -> Result<PlaceSet, Error> {
        names.parse()
    }
}

impl From<PlaceSet> for String {
    fn from(set: PlaceSet) -> String {
        set.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for names in ["prose,caption", "reference", "all", "prose,caption,list,table"] {
            assert_eq!(names.parse::<PlaceSet>().unwrap().to_string(), names);
        }
        let error = "prose,nowhere".parse::<PlaceSet>().unwrap_err().to_string();
        assert!(error.contains("prose, caption, ") && error.contains("nowhere"), "{error}");
    }

    #[test]
    fn all_takes_links_that_the_text_does_not_have() {
        assert!(PlaceSet::ALL.takes(0));
        assert!(!PlaceSet::default().takes(0));
    }
}
