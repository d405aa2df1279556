//! The words of a text that no page has, by the dictionary of a corpus: what its file would have of a page with that text.
//!
//! In how many pages a term is, and so how rare it is, stays as the corpus has it.

use super::cut::{Cutter, Rules};
use super::packed::{Counted, cut_off};
use super::telling::{TextPart, telling};
use super::weights::of_count;
use super::{Bag, Language, Stemming, StopWords, Words, WordsConf};
use crate::Error;
use crate::error::Missing;
use crate::graph::{PageId, TermId};
use std::sync::Arc;

/// The words of a text.
#[derive(Debug)]
pub(super) struct TextWords {
    terms: Vec<TermId>,
    counts: Vec<u16>,
    telling: [Vec<TermId>; 2],
    /// Σ of its terms' squared weights.
    pub(super) norm: f64,
}

impl TextWords {
    pub(super) fn bag(&self) -> Bag<'_> {
        Bag::new(&self.terms, &self.counts)
    }

    pub(super) fn telling(&self, part: TextPart) -> &[TermId] {
        &self.telling[usize::from(part == TextPart::Lead)]
    }
}

impl Words {
    /// Returns the words, with those of this text for a page.
    ///
    /// # Errors
    /// If the file is damaged, or the stop words are not known.
    pub(crate) fn with_page(&self, page: PageId, text: &str) -> Result<Words, Error> {
        let mut words = self.clone();
        words.overlay = Some(Arc::new((page, self.of_text(text)?)));
        Ok(words)
    }

    /// Returns the words of a text without markup.
    ///
    /// # Errors
    /// As for [`Words::with_page`].
    pub(super) fn of_text(&self, text: &str) -> Result<TextWords, Error> {
        let rules = self.rules()?;
        let (mut cutter, mut found) = (Cutter::new(&rules), Vec::new());
        cutter.cut(text, |term, [count, in_lead]| {
            found.push(Counted { term, count: cut_off(count), in_lead: cut_off(in_lead) });
        });
        let mut bag: Vec<Counted> = Vec::new();
        for word in found {
            if let Some(term) = self.find(cutter.terms.get(word.term))? {
                bag.push(Counted { term: term.0, ..word });
            }
        }
        bag.sort_unstable_by_key(|word| word.term);
        let terms: Vec<TermId> = bag.iter().map(|word| TermId(word.term)).collect();
        let rarities = self.rarities(&terms)?;
        let documents = terms.iter().map(|&term| self.documents_of(term));
        let documents = documents.collect::<Result<Vec<u32>, Error>>()?;
        let rarity = |term: u32| rarities[terms.partition_point(|other| other.0 < term)];
        let telling = [TextPart::Whole, TextPart::Lead].map(|part| {
            let words = bag.iter().zip(&documents);
            let words = words.map(|(word, &documents)| (word.term, word.count_in(part), documents));
            let most = telling(words, part.most(), self.settings().figures.documents, rarity);
            most.into_iter().map(TermId).collect()
        });
        let weights = bag.iter().zip(&rarities).map(|(word, rarity)| of_count(word.count) * rarity);
        let norm = weights.fold(0.0, |sum, weight| sum + weight * weight);
        Ok(TextWords { counts: bag.iter().map(|word| word.count).collect(), terms, telling, norm })
    }

    /// Returns the rules by which the words were cut. A file has the checksum of the stop words, not the words: only
    /// those of the language and none can be recognised by it.
    fn rules(&self) -> Result<Rules, Error> {
        let settings = self.settings();
        let stemming = if settings.stemmer.is_some() { Stemming::Snowball } else { Stemming::None };
        let conf =
            WordsConf::default().stemming(stemming).shortest(settings.shortest).longest(settings.longest);
        let of =
            |stop_words| Rules::of(Language::new(&settings.language), &conf.clone().stop_words(stop_words));
        let rules = [StopWords::OfLanguage, StopWords::None].map(of).into_iter();
        let known =
            rules.into_iter().find(|rules| rules.stop_words_checksum() == settings.stop_words_checksum);
        known.ok_or_else(|| Error::Missing { path: self.path_of_corpus(), what: Missing::StopWords })
    }
}
