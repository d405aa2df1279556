//! Planted links: random links added to a copy of a corpus, and how well each scorer finds them.
//!
//! Labels are rare, and nobody meant a link drawn at random: a scorer worth its name puts it above the links that were
//! there. As many are planted as a share of the links ([`PlantConf`]), of one of three kinds ([`Kind`]): the further
//! they are from what a person might have linked, the easier they are to find. Models are learnt anew from the copy
//! with the settings that they had, since in use a model has seen the links that it ranks.
//!
//! A planted link does not stand in the text of its page. So scorers that go by where or how often a link stands there
//! ([`Scorer::reads_link`](llamafur::score::Scorer::reads_link)) have nothing to go by, or find them for that alone: the
//! figures say nothing of them.
//!
//! # Quirks
//! Links that were there count as expected, though some are not: no scorer is likely to reach an AUC of 1, and a better
//! one may find fewer planted links than one that is blind to those. Scorers are compared, not people's surprise
//! measured; that takes judgments ([`evaluation`](crate::evaluation)).

mod conf;
mod copy;
mod draw;
mod measure;

pub use conf::{Kind, PlantConf, PlantError};
pub use copy::Planted;
pub use draw::draw;
pub use measure::{AtTop, Found, Ranked, measure};
