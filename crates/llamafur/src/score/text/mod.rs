//! Scorers that use the text of the pages: their [words](crate::words), or where and how often the link occurs.

mod cosine;
mod known_links;
mod mentions;
mod place;
mod result_set;
mod scratch;
#[cfg(test)]
mod tests;
mod unexpected_words;

pub(super) use cosine::COSINE;
pub use cosine::Cosine;
pub(super) use mentions::MENTIONS;
pub(super) use place::{DEPTH, PLACE};
pub(super) use unexpected_words::{M1, M2, M4};

use crate::corpus::Corpus;
use crate::error::{Error, Missing};

fn expect_text(corpus: &Corpus) -> Result<(), Error> {
    match corpus.has_text() {
        true => Ok(()),
        false => Err(Error::Missing { path: corpus.path().into(), what: Missing::Text }),
    }
}
