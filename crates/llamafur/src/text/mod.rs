//! Text: wikitext, its sentences, and the names of pages in it.

mod names;
pub mod wikitext;

pub use names::names_target;
pub(crate) use names::{count_names, lowercase, spoken_name, stands_alone};
