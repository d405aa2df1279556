//! Settings of bags of words.

use super::conf::{Stemming, StopWords, WordsConf};
use super::cut::Rules;
use crate::corpus::Corpus;
use serde::{Deserialize, Serialize};

/// The settings of bags of words and their figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// The code of the texts' language.
    pub language: String,
    /// The Snowball stemmer; `None` where words keep their endings.
    pub stemmer: Option<String>,
    /// The number of stop words left out.
    pub stop_words: u64,
    /// The BLAKE3 of the stop words, one a line in bytewise order.
    pub stop_words_checksum: String,
    /// Letters that a term has at least.
    pub shortest: usize,
    /// Letters that a term has at most.
    pub longest: usize,
    /// Pages in which a term occurs at least.
    pub min_documents: usize,
    /// The checksum of the texts, [`crate::corpus::Manifest::text_checksum`].
    pub text: String,
    /// The counts of what the bags hold.
    pub figures: Figures,
}

/// Counts of what bags of words hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Figures {
    /// Pages with text.
    pub texts: u64,
    /// Pages with a term of the dictionary.
    pub documents: u64,
    /// Terms in the dictionary.
    pub terms: u64,
    /// Pairs of a page and a term in it.
    pub page_terms: u64,
    /// Words in all texts that have a term in the dictionary.
    pub words: u64,
}

impl Settings {
    pub(super) fn new(corpus: &Corpus, conf: &WordsConf, rules: &Rules, figures: Figures) -> Settings {
        Settings {
            language: rules.language.code().to_owned(),
            stemmer: rules.stemmer_name(),
            stop_words: rules.stop_words.len() as u64,
            stop_words_checksum: rules.stop_words_checksum(),
            shortest: conf.shortest,
            longest: conf.longest,
            min_documents: conf.min_documents,
            text: corpus.manifest().text_checksum().to_owned(),
            figures,
        }
    }

    /// Returns the settings that make these bags; `None` where the stop words were given.
    pub(crate) fn conf(&self, corpus: &Corpus) -> Option<WordsConf> {
        let plain = WordsConf::default().language(&*self.language).shortest(self.shortest);
        let plain = plain.longest(self.longest).min_documents(self.min_documents);
        let stop_words = [StopWords::OfLanguage, StopWords::None];
        let confs = stop_words.into_iter().flat_map(|stop_words| {
            let conf = plain.clone().stop_words(stop_words);
            [conf.clone().stemming(Stemming::Snowball), conf.stemming(Stemming::None)]
        });
        { confs }.find(|conf| conf.validate().is_ok() && self.are_those(corpus, conf))
    }

    /// Returns whether these settings would make the same bags.
    pub(super) fn are_those(&self, corpus: &Corpus, conf: &WordsConf) -> bool {
        *self == Settings::new(corpus, conf, &Rules::new(corpus, conf), self.figures)
    }
}
