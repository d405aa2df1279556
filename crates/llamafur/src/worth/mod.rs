//! Worth: whether a link is worth reading about, beside how odd it is.
//!
//! worth(s, t) = b + Σ_i w_i·z_i with z_i = (x_i − μ_i)/σ_i, from −4 to 4, over the [features](WORTH_FEATURES) x of the link, its
//! sentence and its target; a feature that is not known counts as its mean. It is the logarithm of the odds that a reader finds the link worth
//! telling, for rows like those that it was fitted on: ridge-logistic regression over judged rows of two encyclopedias
//! (`make fit-worth`; `benchmarks/README.md` has the figures). A row is called *surprising* if its worth is at least
//! [`LEVEL`].
//!
//! | feature | x |
//! |---|---|
//! | `oddity` | unexpectedness, in standard deviations from the mean of the corpus's links |
//! | `odder_than` | ln((p + 0.005)/(1.005 − p)), p the share of the corpus's links that are less unexpected |
//! | `kinds` | from how many kinds of pages the target is linked: the entropy of the categories of the pages that link to it, by its maximum, ln of the number of categories |
//! | `sentence_links` | ln of the number of links in the sentence |
//! | `sentence_words` | ln(1 + the number of its words) |
//! | `commas` | commas a word |
//! | `enumerated` | 1 if the link is one of several things that the sentence counts up |
//! | `lower_anchor` | 1 if the link's words begin with a small letter, as common nouns do |
//! | `common_title` | 1 if the target's title has several words, and only the first of them a capital letter |
//! | `lower_words` | the share of the words that begin with a small letter: a list of names has few |
//! | `quotation` | 1 if the sentence quotes something |
//! | `narrative` | words in which English tells what happened (was, had, he, became), by the root of the number of words |
//! | `shared_name` | 1 if the two titles share a word of four letters or more |
//! | `numeric` | 1 if the target's title is a number, or a number with a common noun: 1815, 18th century |
//! | `target_terms` | ln((1 + n)/(1 + n̄)), n the number of different [terms](crate::words) in the target's text, n̄ the mean of all texts: much is said of what people care about |
//! | `in_links` | ln(1 + the number of links to the target) |
//!
//! # Quirks
//! `narrative` is known of English alone; elsewhere it counts as its mean. Titles without any letter, pages that are mostly
//! linked from outside of prose, and sentences of nothing but the link have no worth at all.

mod features;
mod weights;

pub(crate) use features::{RowContext, features, is_apparatus, says_something};
pub use weights::{LEVEL, MOST_DEVIATIONS, WORTH_FEATURES, WorthFeature};

use weights::BIAS;

/// Number of features.
pub const NUM_FEATURES: usize = WORTH_FEATURES.len();

/// What is known of a row, in the order of [`WORTH_FEATURES`].
pub type FeatureValues = [Option<f64>; NUM_FEATURES];

/// Returns the worth of a row with these features.
///
/// ```
/// use llamafur::worth::{NUM_FEATURES, worth};
/// let (mut odd, mut usual) = ([None; NUM_FEATURES], [None; NUM_FEATURES]);
/// (odd[0], usual[0]) = (Some(2.0), Some(-1.0));
/// assert!(worth(&odd) > worth(&usual));
/// ```
pub fn worth(values: &FeatureValues) -> f64 {
    let share = |(feature, value): (&WorthFeature, &Option<f64>)| {
        value.map_or(0.0, |value| feature.weight * feature.standardised(value))
    };
    BIAS + WORTH_FEATURES.iter().zip(values).map(share).sum::<f64>()
}
