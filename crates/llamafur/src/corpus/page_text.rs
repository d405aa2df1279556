//! The text of a page, read and parsed once for all that ask about it.

use super::Corpus;
use crate::Error;
use crate::graph::PageId;
use crate::interrupt;
use crate::text::wikitext::{LinkContext, ParsedPage, Place, Titles, needs_before, with_sentence_before};
use crate::text::{Named, NamedSentences, SpokenNames, lowercase};
use rapidhash::RapidHashMap;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The text of a page.
#[derive(Debug)]
pub struct PageText {
    corpus: Corpus,
    page: PageId,
    text: Option<String>,
    wiki: OnceLock<WikiText>,
    outside_links: OnceLock<String>,
    /// The sentences behind the page's links, if the text is no wikitext.
    sentences: OnceLock<NamedSentences>,
}

/// The sentence of a page around a link to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkSentence {
    /// The sentence, of a wiki with the link between `[[` and `]]`; of a long one the 400 characters around the link, with an
    /// ellipsis where it is cut.
    pub marked: String,
    /// The sentence without the brackets.
    pub text: String,
    /// The range in `text` of the link, or of the name of its target, in bytes.
    pub anchor: Range<usize>,
    /// The place of the link; `None` of a text that is no wikitext.
    pub place: Option<Place>,
    /// The title of its section; `None` before the first heading.
    pub section: Option<String>,
    /// A number that two links of the page share if and only if they are in the same sentence, list item, row of a table or
    /// argument of a template.
    pub sentence: u64,
    /// Number of different articles that the sentence links to; of a text that is no wikitext, those that it is the first to name.
    pub num_links: usize,
    /// The sentence as a reader is shown it: marked, and with the sentence before it if it is short or, in English, begins with a
    /// pronoun; 500 characters at most, unless the link alone has more.
    pub shown: String,
}

/// A page of a wiki, and the pages that its links lead to.
#[derive(Debug)]
pub struct WikiText {
    /// The page.
    pub parsed: ParsedPage,
    /// The page that each link leads to, through redirects; `None` where there is none.
    pub targets: Vec<Option<PageId>>,
    /// The numbers of the links, by the pages that they lead to.
    by_target: Vec<(PageId, usize)>,
}

/// The character that replaces a link to an article; no part of any word.
const LINK: char = '\u{FFFC}';

impl PageText {
    /// Reads the text of a page.
    pub fn read(corpus: &Corpus, page: PageId) -> Result<PageText, Error> {
        let text = corpus.stored_text(page)?;
        let (wiki, outside_links, sentences) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Ok(PageText { corpus: corpus.clone(), page, text, wiki, outside_links, sentences })
    }

    /// Returns the text as it is stored: of a wiki the wikitext; `None` where there is none.
    pub fn stored(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Returns the parsed page; `None` where there is no text, or it is no wikitext.
    pub fn wiki(&self) -> Result<Option<&WikiText>, Error> {
        let (Some(text), Some(titles)) = (&self.text, self.corpus.wiki_titles()) else { return Ok(None) };
        if let Some(wiki) = self.wiki.get() {
            return Ok(Some(wiki));
        }
        let wiki = WikiText::new(&self.corpus, self.page, text, titles, |name| self.corpus.resolve(name))?;
        Ok(Some(self.wiki.get_or_init(|| wiki)))
    }

    /// Returns the text to read, in lower case, with all links to articles taken out.
    pub fn outside_links(&self) -> Result<&str, Error> {
        if let Some(text) = self.outside_links.get() {
            return Ok(text);
        }
        let text = match self.wiki()? {
            Some(wiki) => wiki.outside_links(),
            None => lowercase(self.text.as_deref().unwrap_or_default()),
        };
        Ok(self.outside_links.get_or_init(|| text))
    }

    /// Returns the sentence, list item, table row or line of an infobox behind the link to a page; `None` where the
    /// text has none. Of a wiki it is what is around the link itself, the link between `[[` and `]]`; otherwise the
    /// first sentence that names the target. Of a long one the 400 characters around the link are returned, with an
    /// ellipsis where it is cut.
    pub fn sentence(&self, target: PageId) -> Result<Option<String>, Error> {
        Ok(self.link_sentence(target)?.map(|sentence| sentence.marked))
    }

    /// Returns [`PageText::sentence`] with its context: that of the best link to a page, the first in the best
    /// [place](Place::ALL).
    pub fn link_sentence(&self, target: PageId) -> Result<Option<LinkSentence>, Error> {
        if let Some(wiki) = self.wiki()? {
            let links: Vec<usize> = wiki.links_to(target).collect();
            let context = wiki.parsed.link_context(&links);
            let is_english =
                || self.corpus.manifest().site.as_ref().is_some_and(|site| site.language == "en");
            return Ok(context.map(|context| LinkSentence::of_wiki(context, is_english())));
        }
        let Some(text) = &self.text else { return Ok(None) };
        let named = match self.corpus.links(self.page)?.binary_search(&target) {
            Ok(at) => self.link_sentences(text)?.of(at),
            Err(_) => self.named_sentences(text, &[target])?.of(0),
        };
        Ok(named.map(LinkSentence::of_text))
    }

    /// Finds the first sentence that names each of the pages that this one links to.
    fn link_sentences(&self, text: &str) -> Result<&NamedSentences, Error> {
        if let Some(sentences) = self.sentences.get() {
            return Ok(sentences);
        }
        let sentences = self.named_sentences(text, self.corpus.links(self.page)?)?;
        Ok(self.sentences.get_or_init(|| sentences))
    }

    fn named_sentences(&self, text: &str, targets: &[PageId]) -> Result<NamedSentences, Error> {
        let spoken = SpokenNames::of_page(self.corpus.title(self.page)?);
        let name = |&target: &PageId| {
            interrupt::check()?;
            Ok(spoken.of(self.corpus.title(target)?))
        };
        let names = targets.iter().map(name).collect::<Result<Vec<_>, Error>>()?;
        Ok(NamedSentences::new(text, &names))
    }
}

impl LinkSentence {
    fn of_wiki(context: LinkContext, is_english: bool) -> LinkSentence {
        let LinkContext { snippet, section, sentence, num_links, before } = context;
        let marked = snippet.marked();
        let before = before.filter(|_| needs_before(&snippet.text, is_english));
        LinkSentence {
            shown: with_sentence_before(&marked, before.as_deref()),
            marked,
            text: snippet.text,
            anchor: snippet.anchor,
            place: Some(snippet.place),
            section,
            sentence,
            num_links,
        }
    }

    fn of_text(named: Named) -> LinkSentence {
        LinkSentence {
            marked: named.text.clone(),
            text: named.text,
            anchor: named.anchor,
            place: None,
            section: None,
            sentence: named.start as u64,
            num_links: named.num_names,
            shown: named.shown,
        }
    }
}

impl WikiText {
    /// Parses a page and finds the targets of its links; `resolve` finds the page that a title leads to.
    pub(crate) fn new(
        corpus: &Corpus,
        page: PageId,
        wikitext: &str,
        titles: &Titles,
        mut resolve: impl FnMut(&str) -> Result<Option<PageId>, Error>,
    ) -> Result<WikiText, Error> {
        let parsed = ParsedPage::new(wikitext, titles);
        // A link mostly leads to a page that this one is known to link to: no need to search among all titles.
        let titled = |&page: &PageId| {
            interrupt::check()?;
            Ok((corpus.title(page)?, page))
        };
        let known = corpus.links(page)?.iter().map(titled);
        let known = known.collect::<Result<RapidHashMap<&str, PageId>, Error>>()?;
        let targets = parsed.links().iter().map(|link| match known.get(&link.name[..]) {
            Some(&page) => Ok(Some(page)),
            None => interrupt::check().and_then(|()| resolve(&link.name)),
        });
        let targets = targets.collect::<Result<Vec<_>, Error>>()?;
        let numbered = targets.iter().zip(0..).filter_map(|(page, number)| Some(((*page)?, number)));
        let mut by_target: Vec<(PageId, usize)> = numbered.collect();
        by_target.sort_unstable();
        Ok(WikiText { parsed, targets, by_target })
    }

    /// Returns the numbers of the links that lead to a page, in the page's order.
    pub(crate) fn links_to(&self, page: PageId) -> impl Iterator<Item = usize> + '_ {
        let first = self.by_target.partition_point(|(other, _)| *other < page);
        self.by_target[first..].iter().take_while(move |(other, _)| *other == page).map(|(_, number)| *number)
    }

    /// Returns the text to read, in lower case, with all links to articles taken out.
    pub(crate) fn outside_links(&self) -> String {
        lowercase(&self.parsed.text_without_links(LINK))
    }
}

/// A cache of the texts read last: several signals and the sentences of one request read the same page.
#[derive(Debug)]
pub struct PageTexts {
    corpus: Corpus,
    /// The texts, the latest last.
    recent: Mutex<VecDeque<Arc<PageText>>>,
}

/// Texts that are held: more than there are threads on any machine that this is made for.
const HELD: usize = 64;

/// Bytes of text from which on fewer are held: a parsed page takes many times as much.
const MOST_BYTES: usize = 16 << 20;

impl PageTexts {
    /// Creates a cache for the texts of a corpus.
    pub fn new(corpus: &Corpus) -> PageTexts {
        PageTexts { corpus: corpus.clone(), recent: Mutex::default() }
    }

    pub(crate) fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// Returns the text of a page.
    pub fn get(&self, page: PageId) -> Result<Arc<PageText>, Error> {
        let recent = || self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = recent().iter().rev().find(|text| text.page == page) {
            return Ok(text.clone());
        }
        let text = Arc::new(PageText::read(&self.corpus, page)?);
        let mut recent = recent();
        recent.push_back(text.clone());
        let length = |text: &Arc<PageText>| text.stored().map_or(0, str::len);
        let mut bytes: usize = recent.iter().map(length).sum();
        while recent.len() > HELD || (recent.len() > 1 && bytes > MOST_BYTES) {
            bytes -= recent.pop_front().as_ref().map_or(0, length);
        }
        Ok(text)
    }
}

#[cfg(test)]
#[path = "page_text_tests.rs"]
mod tests;
