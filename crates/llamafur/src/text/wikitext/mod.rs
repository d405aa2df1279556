//! Wikitext, as far as a graph of pages needs it: links, categories, redirects, and text to read.
//!
//! Nothing here expands templates or builds a tree. Every function is one pass over the page, in time linear in
//! its length whatever the page holds: open brackets by the hundred thousand, nesting without end.

mod blocks;
mod bytes;
mod citations;
mod context;
mod entities;
#[cfg(test)]
mod fuzz_tests;
mod inline_templates;
mod layout;
mod lines;
mod links;
mod magic_words;
mod page;
mod parsed;
mod places;
mod plain;
mod regions;
mod render;
mod section_names;
mod sections;
mod sentences;
mod site;
mod snippet;
mod spans;
mod tags;
mod title;
mod writer;

pub use entities::decode_entities;
pub use links::{Link, Links, links};
pub use page::{category_redirect, first_target, is_hidden, redirect_target};
pub use parsed::ParsedPage;
pub use places::Place;
pub(crate) use places::Section;
pub use plain::plain_text;
pub(crate) use sentences::sentences;
pub use site::{ARTICLES, CATEGORIES, FILES, LetterCase, Namespace, Site};
pub(crate) use snippet::{LinkContext, Passage, cut, needs_before, with_sentence_before};
pub use snippet::{Snippet, snippet};
pub use title::{LONGEST_TITLE, Target, Titles};
