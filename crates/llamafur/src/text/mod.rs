//! Text: wikitext and its sentences.

pub mod wikitext;
