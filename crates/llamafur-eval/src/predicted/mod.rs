//! Measures how well a scorer predicts hidden links.
//!
//! The links are held out of a copy of a corpus ([`HeldOutLinks`]), or are those that a later corpus of the same wiki
//! has and an earlier one lacks ([`new_links`]). For a page s and a hidden link t of it, let r be the rank of t, by
//! expectedness, among all pages that s is not known to link to; other hidden links of s are left out, as they are no
//! errors. Then
//!
//! - hits@10 is 1 if r ≤ 10, and 0 otherwise;
//! - MRR is 1/r;
//! - AUC is the share of the other pages that t ranks above.
//!
//! Of the pages tied with t, half rank above it: all three are expectations over a random order of the ties. Figures
//! are means over the links of a page, then over pages, so that a page counts once; intervals are over pages.

mod held_out;
mod ranks;

pub use held_out::{HeldOutLinks, Wanted, new_links};
pub use ranks::{Figures, figures, of_list};
