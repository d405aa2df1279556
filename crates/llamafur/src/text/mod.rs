//! Text: wikitext, its sentences, the names of pages in it, and articles to read.

mod blocks;
mod invisible;
mod mentions;
mod name_finder;
mod names;
pub mod wikitext;

pub use blocks::{Block, Marker, Span};
pub use invisible::{is_control_or_direction, is_invisible_or_control};
pub(crate) use mentions::plain_blocks;
pub(crate) use name_finder::count_all;
pub(crate) use names::{Named, NamedSentences, SpokenNames, count_names, lowercase};
