//! Selection of the kinds that say what a page is.
//!
//! A page is of many kinds: Philosophers of science, Winners of the Webby Award, Dutch inventions. A kind says what the
//! page *is* if the noun of its name is in the page's title or at the beginning of its text, where an encyclopedia says
//! it: “… was a philosopher”. The noun is the last word of the name before the first stop word (of, in, by) or bracket;
//! both are compared as [terms](crate::words).

use crate::Error;
use crate::explain::first_paragraph;
use crate::graph::{CategoryId, PageId};
use crate::score::Inputs;
use crate::words::{Rules, WordsConf};
use rapidhash::RapidHashSet;

/// Number of letters of a first paragraph to read.
const LETTERS: usize = 400;

/// The rules that extract the noun of a category's name.
pub(super) struct CategoryNouns(Rules);

impl CategoryNouns {
    pub(super) fn new(inputs: &Inputs) -> CategoryNouns {
        CategoryNouns(Rules::new(inputs.corpus(), &WordsConf::default()))
    }

    /// Returns the kinds of a page that say what it is, or all of them if none does.
    pub(super) fn telling(
        &self,
        inputs: &Inputs,
        page: PageId,
        kinds: Vec<CategoryId>,
    ) -> Result<Vec<CategoryId>, Error> {
        let corpus = inputs.corpus();
        if !corpus.has_text() {
            return Ok(kinds);
        }
        let paragraph = first_paragraph(corpus, page)?.unwrap_or_default();
        let beginning: String = paragraph.chars().take(LETTERS).collect();
        let title = corpus.title(page)?;
        let terms = [title, &beginning].into_iter().flat_map(|text| self.0.terms(text)).flatten();
        let terms: RapidHashSet<String> = terms.collect();
        let mut telling = Vec::new();
        for &kind in &kinds {
            let name = corpus.category_name(kind)?;
            // One that bears the title of the page says nothing more.
            if name != title && self.noun(name).is_some_and(|noun| terms.contains(&noun)) {
                telling.push(kind);
            }
        }
        Ok(if telling.is_empty() { kinds } else { telling })
    }

    fn noun(&self, category: &str) -> Option<String> {
        let name = category.split('(').next().unwrap_or_default();
        let terms = self.0.terms(name).into_iter();
        terms.skip_while(Option::is_none).map_while(|term| term).last()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Language;

    #[test]
    fn the_noun_is_before_the_first_stop_word() {
        let nouns = CategoryNouns(Rules::of(Language::new("en"), &WordsConf::default()));
        let names = ["Philosophers of science", "The planets", "Lisp (programming language)", "Of", ""];
        let expected = [Some("philosoph"), Some("planet"), Some("lisp"), None, None];
        assert_eq!(names.map(|name| nouns.noun(name)), expected.map(|noun| noun.map(str::to_owned)));
    }
}
