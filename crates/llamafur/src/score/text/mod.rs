//! Scorers that go by what the pages say: their [words](crate::words), or where and how often the link stands.
//!
//! Three of them measure how unexpected a document d is in a set R of documents. As in section 6 of the LlamaFur paper,
//! d is the target of a link and R are the pages that the source links to.

mod cosine;
mod linked;
mod m1;
mod m2;
mod m4;
mod mentions;
mod named;
mod place;
mod retrieved;
mod spare;
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

use super::{ScoreConf, ScoreError, Scorer};
use crate::corpus::Corpus;
use crate::progress::Progress;
use crate::words::{Words, WordsError};

pub(super) const M1_SCORER: Scorer = m1::SCORER;
pub(super) const M2_SCORER: Scorer = m2::SCORER;
pub(super) const M4_SCORER: Scorer = m4::SCORER;

/// The words of a corpus, made if need be; a corpus that has none lacks them.
pub(super) fn words_of(
    corpus: &Corpus,
    conf: &ScoreConf,
    progress: &mut dyn Progress,
) -> Result<Words, ScoreError> {
    let words = match &conf.words {
        Some(words) => Words::of(corpus, words, progress),
        None => Words::kept_or_made(corpus, progress),
    };
    let words = match words {
        Err(WordsError::NoText { .. }) => return Err(lacks_text(corpus)),
        words => words?,
    };
    if words.num_terms() == 0 {
        let lack = format!("no term stands in {} of its pages", words.settings().min_documents);
        let way_out = "ask for fewer with `llamafur words --min-pages`, or import more texts";
        return Err(ScoreError::Lacks { corpus: corpus.path().into(), lack, way_out });
    }
    Ok(words)
}

fn lacks_text(corpus: &Corpus) -> ScoreError {
    let (lack, way_out) = ("the corpus has no texts", "import it with them (`--text` for tables)");
    ScoreError::Lacks { corpus: corpus.path().into(), lack: lack.into(), way_out }
}

fn expect_text(corpus: &Corpus) -> Result<(), ScoreError> {
    if corpus.has_text() { Ok(()) } else { Err(lacks_text(corpus)) }
}
