//! A bag of words for each page: which terms its text has, and how often.
//!
//! A *term* is a Unicode word (UAX #29) in small letters, without its ending where there is a Snowball stemmer for the
//! language, that is no stop word, has 4 to 50 letters and occurs in at least 10 pages: the settings of Boldi & Monti's
//! experiments with text (“LlamaFur”, WebSci 2016, section 6), each of which [`WordsConf`] can change. The dictionary is
//! all terms of a corpus.
//!
//! The bags are made when they are first needed and kept beside the corpus in `words.arrow` ([`Words::of`]); later they
//! are opened by memory map and read where they lie ([`Words::open`]).
//!
//! ```
//! use llamafur::corpus::{Corpus, CorpusWriter, ListColumn, Provenance, StringColumn};
//! use llamafur::storage::Existing;
//! use llamafur::progress::Silent;
//! use llamafur::words::{Words, WordsConf};
//! # let dir = tempfile::tempdir()?;
//! # let out = dir.path().join("two.corpus");
//! # let mut writer = CorpusWriter::create(&out, Existing::Refuse)?;
//! # let none = || ListColumn::from_iter([vec![], vec![]]);
//! # writer.write_pages(StringColumn::from_iter(["Jupiter", "Llama"]), none(), none())?;
//! # writer.write_categories(StringColumn::from_iter([""; 0]), ListColumn::from_iter([[]; 0]))?;
//! # let texts = ["A planet among planets.", "It grazes."].map(|text| Ok(Some(text.to_owned())));
//! # writer.write_text::<llamafur::Error>(texts)?;
//! # writer.finish(Provenance::default())?;
//! // Jupiter: “A planet among planets.” Llama: “It grazes.”
//! let corpus = Corpus::open(&out)?;
//! let words = Words::of(&corpus, &WordsConf::default().min_documents(1), &mut Silent)?;
//! assert!(words.num_terms() > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Quirks
//! Scripts that put no spaces between words, and Hangul, have no words that could be cut without a dictionary: there
//! every two letters in a row are a term, whatever their number (K. L. Kwok, “Comparing Representations in Chinese
//! Information Retrieval”, SIGIR 1997, <https://doi.org/10.1145/258525.258531>). A count ends at 65,535.

mod bag;
mod conf;
mod cut;
#[cfg(test)]
mod damage_tests;
mod dictionary;
mod file;
mod language;
mod make;
mod names;
mod of_text;
mod packed;
mod part;
#[cfg(test)]
mod parts_tests;
mod settings;
mod telling;
#[cfg(test)]
mod tests;
mod weights;
mod write;

pub(crate) use bag::Bag;
pub use conf::{Stemming, StopWords, WordsConf};
pub(crate) use cut::Rules;
pub(crate) use file::FILE;
pub use file::Words;
pub use language::Language;
pub use settings::{Figures, Settings};
pub(crate) use telling::{TextPart, as_categories};
pub(crate) use weights::of_count;
