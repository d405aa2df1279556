//! Planted links: random links added to a copy of a corpus, to measure how well each scorer finds them.
//!
//! Labels are rare, and nobody meant a link drawn at random: a good scorer ranks it above the original links. The number
//! of planted links is a share of the original ones ([`PlantConf`]). There are three kinds ([`PlantKind`]): the further
//! they are from what a person might have linked, the easier they are to find. Models are learnt again from the copy,
//! with the same settings, because a model in use has seen the links that it ranks.
//!
//! A planted link is not in the text of its page. Scorers that read where or how often a link occurs there
//! ([`Scorer::reads_link`](llamafur::score::Scorer::reads_link)) have no input, or find planted links for that reason
//! alone: the figures say nothing about them.
//!
//! # Quirks
//! Original links count as expected, though some are not. So no scorer is likely to reach an AUC of 1, and a better one
//! may find fewer planted links than a worse one. This compares scorers; how surprised people are takes judgments
//! ([`evaluation`](crate::evaluation)).

mod conf;
mod copy;
mod draw;
mod measure;

pub use conf::{PlantConf, PlantError, PlantKind};
pub(crate) use copy::provenance;
pub use copy::{Planted, temporary_folder};
pub use draw::draw;
pub use measure::{AtTop, Found, Ranked, measure};
