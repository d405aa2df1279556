//! Finds the *unexpected* links of a graph, and explains them.
//!
//! Given a directed graph whose nodes carry overlapping categories, LlamaFur learns a category × category
//! matrix that explains the common links, then ranks each page's links by how badly the matrix explains them:
//! Paolo Boldi and Corrado Monti, “LlamaFur: Learning Latent Category Matrix to Find Unexpected Relations in
//! Wikipedia”, WebSci 2016, <https://doi.org/10.1145/2908131.2908153>.
//!
//! From custom tables to a surprising link and its reason:
//!
//! ```
//! use llamafur::{Categories, Corpus, Engine, ExplainConf, LearnConf, RankConf, Side, Silent};
//! use llamafur::corpus::{CorpusWriter, ListColumn, Provenance, StringColumn};
//! use llamafur::storage::Existing;
//!
//! # let folder = std::env::temp_dir().join(format!("llamafur-doctest-{}", std::process::id()));
//! // Eight planets link to one another, and so do eight fish; one planet links to a fish.
//! let titles = (0..16).map(|page| format!("{} {page:02}", if page < 8 { "Planet" } else { "Swordfish" }));
//! let mut links: Vec<Vec<u32>> =
//!     (0..16).map(|page| (0..16).filter(|other| other / 8 == page / 8 && *other != page).collect()).collect();
//! links[0].push(15);
//! let mut writer = CorpusWriter::create(&folder, Existing::Replace)?;
//! writer.write_pages(
//!     titles.collect::<StringColumn>(),
//!     links.into_iter().collect::<ListColumn>(),
//!     (0..16).map(|page| vec![page / 8]).collect::<ListColumn>(),
//! )?;
//! writer.write_categories(["Planets", "Swordfish"].iter().collect::<StringColumn>(), [vec![], vec![]].into_iter().collect())?;
//! writer.finish(Provenance::default())?;
//!
//! let corpus = Corpus::open(&folder)?;
//! llamafur::learn::train(&Categories::all(&corpus), "llamafur", &LearnConf::default(), &mut Silent)?.save(&corpus)?;
//! let engine = Engine::new(&corpus, Default::default());
//! let ranking = engine.rank("planet 00", &RankConf::default().scorer("llamafur+aa").top(1))?;
//! assert_eq!(ranking.links[0].target, "Swordfish 15");
//! let why = engine.explain("Planet 00", "Swordfish 15", &ExplainConf::default().scorer("llamafur+aa"))?;
//! assert_eq!((why.verdict, why.rank), (Some(Side::Odd), 1));
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok::<(), llamafur::Error>(())
//! ```
//!
//! The layers, from bottom to top; a module imports only from those below it: [`random`] streams, [`statistics`];
//! [`storage`] of files; the [`graph`]; [`text`]; the [`corpus`] on disk; its [`categories`], [`words`]; the category
//! [`matrix`]; [`learn`]ing it; page [`vectors`]; [`score`]s; explanations; and the [`engine`], which answers questions
//! from any thread. Long work reports its [`progress`].

// Tests of the whole interface can be in the crate.
#[cfg(test)]
extern crate self as llamafur;
#[cfg(test)]
#[path = "../tests/common/mod.rs"]
mod common;

#[macro_use]
mod macros;

pub mod categories;
pub mod corpus;
pub mod engine;
mod error;
mod explain;
#[doc(hidden)]
pub mod fuzzing;
pub mod graph;
mod in_links;
pub mod interrupt;
mod kernels;
pub mod learn;
pub mod matrix;
mod parts;
mod places;
pub mod progress;
pub mod random;
mod remedy;
pub mod score;
pub mod statistics;
pub mod storage;
pub mod text;
pub mod vectors;
pub mod words;
pub mod worth;

pub use categories::Categories;
pub use corpus::Corpus;
pub use engine::{CategoryConf, Engine, EngineConf, ExplainConf, RankConf, TopConf};
pub use error::{Artifact, Error, Missing, Named, human_bytes};
pub use explain::{first_paragraph, is_housekeeping};
pub use graph::{CategoryId, MilestoneId, PageId};
pub use learn::{LearnConf, Model};
pub use progress::{Progress, Silent};
pub use remedy::{Remedy, Step};
pub use score::{Reason, Score, ScoreConf, Side};
