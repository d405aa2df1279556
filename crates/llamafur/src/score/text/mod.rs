//! Scorers that use what the pages say: their [words](crate::words), or where and how often the link occurs.
//!
//! Three of them measure how unexpected a document d is in a set R of documents. As in section 6 of the LlamaFur paper,
//! d is the target of a link and R are the pages that the source links to.

mod cosine;
mod count_names;
mod m1;
mod m2;
mod m4;
mod mentions;
mod place;
mod result_set;
mod scratch;
#[cfg(test)]
mod tests;

pub(super) use cosine::COSINE;
pub use cosine::Cosine;
pub use m1::M1;
pub use m2::M2;
pub use m4::M4;
pub(super) use mentions::MENTIONS;
pub use mentions::Mentions;
pub use place::LinkPlace;
pub(super) use place::{DEPTH, PLACE};

use super::Scorer;
use crate::corpus::Corpus;
use crate::error::{Error, Missing};
use crate::progress::Progress;
use crate::words::{Words, WordsConf};

pub(super) const M1_SCORER: Scorer = m1::SCORER;
pub(super) const M2_SCORER: Scorer = m2::SCORER;
pub(super) const M4_SCORER: Scorer = m4::SCORER;

/// The words of a corpus, made if need be; a corpus that has none lacks them.
pub(super) fn words_of(
    corpus: &Corpus,
    conf: Option<&WordsConf>,
    progress: &mut dyn Progress,
) -> Result<Words, Error> {
    expect_text(corpus)?;
    let words = match conf {
        Some(words) => Words::of(corpus, words, progress),
        None => Words::kept_or_made(corpus, progress),
    }?;
    if words.num_terms() == 0 {
        let what = Missing::Terms { min_pages: words.settings().min_documents };
        return Err(Error::Missing { path: corpus.path().into(), what });
    }
    Ok(words)
}

fn expect_text(corpus: &Corpus) -> Result<(), Error> {
    match corpus.has_text() {
        true => Ok(()),
        false => Err(Error::Missing { path: corpus.path().into(), what: Missing::Text }),
    }
}
