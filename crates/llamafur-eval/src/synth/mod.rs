//! Generates corpora of any size from a known model, to measure how well a learner finds the truth.
//!
//! A page s links to t with probability
//!
//! P(s → t) ∝ p_t · 1/(1 + exp(−β·(e*(s, t) − θ))), with e*(s, t) = Σ_{c ∈ C_s} Σ_{c' ∈ C_t} w*(c, c') / √(nm)
//!
//! where p_t is the popularity of t, n and m count the categories of the two pages, β = 2.5 and θ = 1. The
//! weights w* of the true matrix have mean 0 and variance 1 ([`TruthKind`] says how they are drawn), and so has
//! e*. Targets are proposed by p and accepted by the second factor, about one in six; so the e* of links lies
//! near 1, a standard deviation above that of random pairs.
//!
//! * **Categories** are drawn by Zipf's law with exponent 0.8 and hang in a tree under more popular ones. A page
//!   carries one to twelve, [`SynthConf::categories_per_page`] on average, some of them neighbours in the tree.
//! * **Out-degrees** are log-normal and add up to [`SynthConf::links`] exactly. **Popularities** are Pareto with
//!   exponent 3/2, so that in-degrees are heavy-tailed too.
//! * **Planted links**, [`SynthConf::planted`] of them, go to popular pages with e* in the lowest tenth: what a
//!   good scorer puts on top.
//!
//! Every random choice comes from a generator that is seeded by (seed, purpose, index), so the corpus is the same on
//! any number of threads, and [`Truth::of`] restores the matrix and the planted links from the corpus alone.
//!
//! ```
//! use llamafur::categories::Categories;
//! use llamafur::corpus::Corpus;
//! use llamafur::storage::Existing;
//! use llamafur::progress::Silent;
//! use llamafur_eval::synth::{SynthConf, Truth, synth};
//! # let dir = tempfile::tempdir()?;
//! # let out = dir.path().join("made.corpus");
//! let conf = SynthConf::default().pages(500).links(5_000).categories(20).planted(10);
//! synth(&conf, &out, Existing::Refuse, &mut Silent)?;
//!
//! let corpus = Corpus::open(&out)?;
//! let (graph, truth) = (Categories::whole_graph(&corpus)?, Truth::of(&corpus)?);
//! assert_eq!(graph.num_links(), 5_000);
//! let (source, target) = truth.planted(&graph)[0];
//! assert!(graph.links(source).contains(&target));
//! assert!(truth.expectedness(graph.categories(source), graph.categories(target)) < 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Quirks
//! A page for which too few proposals are accepted takes the best of a few uniform pages for the rest of its links; the
//! manifest's account has the number of these links (`chosen`). Memory: for each page 4 bytes for every number of the
//! rank (full rank: none) and about 100 more.

mod affinity;
mod alias;
mod conf;
mod degrees;
mod error;
mod links;
mod pages;
mod plant;
mod random;
mod tree;
mod truth;
mod write;

pub use conf::{SynthConf, TruthKind};
pub use error::SynthError;
pub use truth::Truth;
pub use write::synth;
