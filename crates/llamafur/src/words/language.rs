//! Languages: their stemmers and their stop words.

use snowball_stemmers_rs::{Algorithm, Stemmer};

/// The language of texts, by its code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Language {
    code: String,
}

impl Language {
    /// Creates the language of this code, such as `en`; of `zh-classical`, what is before the `-`. Any is accepted:
    /// one that is not known has no stemmer and no stop words.
    pub(crate) fn new(code: &str) -> Language {
        let code = code.split(['-', '_']).next().unwrap_or_default().to_lowercase();
        // Both written forms of Norwegian share what is known of it.
        let code = if matches!(code.as_str(), "nb" | "nn") { "no".into() } else { code };
        Language { code }
    }

    /// Finds a language with a stemmer or stop words, by its code or its English name, in any case of letters.
    pub fn find(name: &str) -> Option<Language> {
        let is_it = |(_, algorithm): &&(&str, Algorithm)| format!("{algorithm:?}").eq_ignore_ascii_case(name);
        let code = STEMMERS.iter().find(is_it).map_or(name, |(code, _)| code);
        let language = Language::new(code);
        (language.algorithm().is_some() || !language.stop_words().is_empty()).then_some(language)
    }

    /// Returns the codes and English names of the languages that have a stemmer.
    pub fn stemmed() -> impl Iterator<Item = (&'static str, String)> {
        STEMMERS.iter().map(|(code, algorithm)| (*code, format!("{algorithm:?}")))
    }

    /// Returns the code of the language.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// Returns the words that occur everywhere; none of a language for which they are not known.
    pub(super) fn stop_words(&self) -> &'static [&'static str] {
        stop_words::lookup(&self.code).unwrap_or_default()
    }

    /// Returns the name of its Snowball stemmer, if it has one.
    pub(super) fn stemmer_name(&self) -> Option<String> {
        self.algorithm().map(|algorithm| format!("{algorithm:?}"))
    }

    pub(super) fn stemmer(&self) -> Option<Stemmer> {
        self.algorithm().map(Stemmer::create)
    }

    fn algorithm(&self) -> Option<Algorithm> {
        STEMMERS.iter().find(|(code, _)| *code == self.code).map(|(_, algorithm)| *algorithm)
    }
}

const STEMMERS: [(&str, Algorithm); 35] = [
    ("ar", Algorithm::Arabic),
    ("ca", Algorithm::Catalan),
    ("cs", Algorithm::Czech),
    ("da", Algorithm::Danish),
    ("de", Algorithm::German),
    ("el", Algorithm::Greek),
    ("en", Algorithm::English),
    ("eo", Algorithm::Esperanto),
    ("es", Algorithm::Spanish),
    ("et", Algorithm::Estonian),
    ("eu", Algorithm::Basque),
    ("fa", Algorithm::Persian),
    ("fi", Algorithm::Finnish),
    ("fr", Algorithm::French),
    ("ga", Algorithm::Irish),
    ("hi", Algorithm::Hindi),
    ("hu", Algorithm::Hungarian),
    ("hy", Algorithm::Armenian),
    ("id", Algorithm::Indonesian),
    ("it", Algorithm::Italian),
    ("lt", Algorithm::Lithuanian),
    ("ne", Algorithm::Nepali),
    ("nl", Algorithm::Dutch),
    ("no", Algorithm::Norwegian),
    ("pl", Algorithm::Polish),
    ("pt", Algorithm::Portuguese),
    ("ro", Algorithm::Romanian),
    ("ru", Algorithm::Russian),
    ("sr", Algorithm::Serbian),
    ("st", Algorithm::Sesotho),
    ("sv", Algorithm::Swedish),
    ("ta", Algorithm::Tamil),
    ("tr", Algorithm::Turkish),
    ("uk", Algorithm::Ukrainian),
    ("yi", Algorithm::Yiddish),
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn codes_lead_to_stemmers_and_stop_words() {
        let german = Language::new("de");
        assert_eq!(german.stemmer_name().as_deref(), Some("German"));
        assert_eq!(german.stemmer().unwrap().stem("häuser"), "haus");
        assert!(german.stop_words().contains(&"und"));
        assert_eq!(Language::new("nn").stemmer_name().as_deref(), Some("Norwegian"));
        assert_eq!(Language::new("PT-br").code(), "pt");
        let mari = Language::new("mhr");
        assert!(mari.stemmer().is_none() && mari.stop_words().is_empty());
    }

    #[test]
    fn languages_are_found_by_code_and_by_english_name() {
        let code = |name: &str| Language::find(name).map(|language| language.code().to_owned());
        let found = ["en", "English", "german", "PT-br", "nynorsk", "mhr", ""].map(code);
        let expected = [Some("en"), Some("en"), Some("de"), Some("pt"), None, None, None];
        assert_eq!(found, expected.map(|code| code.map(str::to_owned)));
        // Stop words but no stemmer.
        assert!(Language::find("ja").is_some_and(|japanese| japanese.stemmer_name().is_none()));
        assert!(Language::stemmed().all(|(code, name)| Language::find(code) == Language::find(&name)));
    }

    #[test]
    fn stop_words_of_english_say_nothing_of_a_subject() {
        let words = Language::new("en").stop_words();
        assert!(
            words.contains(&"about") && !words.contains(&"computer") && words.len() < 300,
            "{}",
            words.len()
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]
        #[test]
        fn no_stemmer_panics(word in "\\PC{0,12}|[a-zа-яäöüßñéèçğışłżőűα-ωء-ي]{0,20}", endless in "[a-z]{0,3}") {
            for (_, algorithm) in STEMMERS {
                let stemmer = Stemmer::create(algorithm);
                stemmer.stem(&word);
                stemmer.stem(&format!("{word}{}", endless.repeat(9)));
            }
        }
    }
}
