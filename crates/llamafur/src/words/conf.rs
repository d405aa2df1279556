//! Settings of the tokenizer.

use crate::Error;

/// The words that are left out because they occur everywhere.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum StopWords {
    /// The stop words of the language, if they are known: of NLTK, or else of Stopwords ISO. The default.
    #[default]
    OfLanguage,
    /// No stop words.
    None,
    /// These words, in any case of letters.
    Own(Vec<String>),
}

/// The way words lose their endings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stemming {
    /// The Snowball stemmer of the language, if there is one. The default.
    #[default]
    Snowball,
    /// No stemming.
    None,
}

/// Tokenizer settings. The defaults are those of the LlamaFur paper's authors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordsConf {
    pub(super) language: Option<String>,
    pub(super) stop_words: StopWords,
    pub(super) stemming: Stemming,
    pub(super) shortest: usize,
    pub(super) longest: usize,
    pub(super) min_documents: usize,
}

impl Default for WordsConf {
    fn default() -> WordsConf {
        WordsConf {
            language: None,
            stop_words: StopWords::OfLanguage,
            stemming: Stemming::Snowball,
            shortest: 4,
            longest: 50,
            min_documents: 10,
        }
    }
}

/// The longest term that can be set.
const MOST_LETTERS: usize = 1000;

impl WordsConf {
    setters! {
        /// The code of the texts' language, such as `en`. Default: that of the wiki, English where the corpus is of none.
        language: impl Into<String> => Some(language.into()),
        /// Words that are left out. Default: the language's stop words.
        stop_words: StopWords,
        /// The stemming of words. Default: the language's Snowball stemmer.
        stemming: Stemming,
        /// Letters that a term has at least, after stemming. Default: 4; from 1 to the most that it may have.
        shortest: usize,
        /// Letters that a term has at most, after stemming. Default: 50; up to 1000.
        longest: usize,
        /// Pages in which a term occurs at least. Default: 10; from 1.
        min_documents: usize,
    }

    pub(super) fn validate(&self) -> Result<(), Error> {
        let refuse = |setting, rule: String, got: usize| Err(Error::setting(setting, rule, got));
        if !(1..=MOST_LETTERS).contains(&self.longest) {
            return refuse("longest", format!("from 1 to {MOST_LETTERS}"), self.longest);
        }
        if !(1..=self.longest).contains(&self.shortest) {
            return refuse("shortest", format!("from 1 to {}", self.longest), self.shortest);
        }
        if !(1..=u32::MAX as usize).contains(&self.min_documents) {
            return refuse("min_documents", "from 1 to 2³² − 1".into(), self.min_documents);
        }
        Ok(())
    }
}
