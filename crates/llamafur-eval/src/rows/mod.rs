//! Judges the first rows that a reader sees: the shares of good and bad rows on each page.
//!
//! A row is a link with its sentence and its reason. A judge gives the link a letter and the reason a sign:
//!
//! | letter | |
//! |---|---|
//! | A | surprising, with a fact behind it that is worth retelling |
//! | B | mildly interesting |
//! | C | ordinary |
//! | D | noise: a citation, an identifier, a date, a row of a table |
//! | E | a link to the wrong page |
//!
//! Let jₚ be the number of shown rows of page p that are judged and aₚ those of them with the letter A. Over n pages,
//!
//! a = Σ aₚ / Σ jₚ,  pages_with_a = |{p : aₚ > 0}| / n,  a_per_page = Σ aₚ / n,
//!
//! and likewise for the other letters and the signs ([`RowFigures`]). Each has a 95% interval by bootstrap over pages; all
//! use the same resamples ([`Resamples::ratio`](crate::statistics::Resamples::ratio)).
//!
//! # Quirks
//! * A shown row without a label is reported and left out of every share. `pages_with_a` and `a_per_page` are then lower
//!   bounds. A page whose shown rows all lack a label is left out of both.
//! * A page without any shown row counts in both, as a page without A.
//! * A sign belongs to the reason that the judge read. If the reason of a row has changed since, its sign is outdated.

mod error;
mod figures;
mod labels;
mod letter;
mod measure;

pub use error::RowError;
pub use figures::{RowFigures, RowShare};
pub use labels::{JudgedRow, RowLabels};
pub use letter::{NoSuchLetter, NoSuchSign, RowLetter, RowSign};
pub use measure::{RowMeasure, ShownRow};

#[cfg(test)]
mod tests;
