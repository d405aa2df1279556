//! What counts as a term.

use crate::Error;

/// Which words are left out because they stand everywhere.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum StopWords {
    /// Those of the language, if they are known: of NLTK, or else of Stopwords ISO. The default.
    #[default]
    OfLanguage,
    /// None are left out.
    None,
    /// These, in any case of letters.
    Own(Vec<String>),
}

/// Whether words lose their endings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stemming {
    /// By the Snowball stemmer of the language, if there is one. The default.
    #[default]
    Snowball,
    /// Words stay as they are.
    None,
}

/// What counts as a term. The defaults are the settings of the LlamaFur paper's authors.
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

/// The longest term that can be asked for.
const MOST_LETTERS: usize = 1000;

impl WordsConf {
    /// The code of the texts' language, such as `en`. Default: that of the wiki, English where the corpus is of none.
    pub fn language(mut self, code: impl Into<String>) -> WordsConf {
        self.language = Some(code.into());
        self
    }

    /// Words that are left out. Default: the language's stop words.
    pub fn stop_words(mut self, stop_words: StopWords) -> WordsConf {
        self.stop_words = stop_words;
        self
    }

    /// Whether words lose their endings. Default: by the language's Snowball stemmer.
    pub fn stemming(mut self, stemming: Stemming) -> WordsConf {
        self.stemming = stemming;
        self
    }

    /// Letters that a term has at least, after stemming. Default: 4; from 1 to the most that it may have.
    pub fn shortest(mut self, letters: usize) -> WordsConf {
        self.shortest = letters;
        self
    }

    /// Letters that a term has at most, after stemming. Default: 50; up to 1000.
    pub fn longest(mut self, letters: usize) -> WordsConf {
        self.longest = letters;
        self
    }

    /// Pages in which a term stands at least. Default: 10; from 1.
    pub fn min_documents(mut self, pages: usize) -> WordsConf {
        self.min_documents = pages;
        self
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
