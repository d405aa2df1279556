//! Wikis from their dumps: what the wikitext means, every form a file can have, damage, and real wikis.
#![allow(clippy::unwrap_used)] // a test that fails shall panic

mod cirrus;
mod cleansed;
#[path = "../common/mod.rs"]
mod common;
mod damage;
mod dump;
mod foreign;
mod forms;
mod limits;
mod markup;
mod meaning;
mod mediawiki;
mod real;
mod sql;
