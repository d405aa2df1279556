//! Scorers that use what the pages say: their [words](crate::words), or where and how often the link occurs.

mod cosine;
mod count_names;
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
pub use mentions::Mentions;
pub use place::LinkPlace;
pub(super) use place::{DEPTH, PLACE};
pub(super) use unexpected_words::{M1, M2, M4};

use crate::corpus::Corpus;
use crate::error::{Error, Missing};
use crate::progress::Progress;
use crate::words::{Words, WordsConf};

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
