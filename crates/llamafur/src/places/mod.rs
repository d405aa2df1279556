//! Places of the links in the text of their pages, and counts of the mentions of their targets.
//!
//! `prepared/places.arrow` in the corpus's folder has, for the links of every page in their order, the data of the
//! scorers `place`, `depth` and `mentions`, so that they need not read the text. It is an Arrow file of record batches
//! with one row each, whose columns are lists; each batch has 8,192 pages.
//!
//! | column | one list for each page, one value for each link | |
//! |---|---|---|
//! | `place` | first link's place, and whether it is before the first heading; 255 where the text has none | u8 |
//! | `depth` | how far down the page that link is, from 0 to 1 | f32 |
//! | `mentions` | how often the text names the target, at most 65,535 | u16 |
//! | `places` | in which [`Place`](crate::text::wikitext::Place)s the page links to the target: a bit each, in the order of `Place::ALL` | u16 |
//!
//! The lists of a page without text are empty, and the last of one without wikitext. The file is made in the pass over
//! the texts that [counts words](crate::words), or in a pass of its own ([`LinkPlaces::kept_or_made`]), in
//! [parts](crate::parts) either way. The footer has the checksum of the corpus's manifest.

mod file;
mod find;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use file::{LinkPlaces, PagePlaces, VERSION};
pub(crate) use find::{FirstLink, first_links, mentions}; // The interface of rankings by place.
pub(crate) use find::{best, contains_fact, places_of};
pub(crate) use write::{PlacesFile, PlacesWriter, fields};
