//! Mentions: what a page speaks of often, it is expected to link to.
//!
//! unexpectedness(s, t) = −ln(1 + c), with c how often the text of s names t. Of a wiki those are the links to t, through
//! redirects too, and besides them the places outside of links that have its title; otherwise the places that
//! [name it](crate::explain::names_target).

use super::count_names::count_all;
use super::expect_text;
use super::title_cache::TitleCache;
use crate::Error;
use crate::corpus::Corpus;
use crate::explain::spoken_name;
use crate::graph::PageId;
use crate::score::{Score, Scorer};
use crate::text::wikitext::{ARTICLES, Target, Titles, links, plain_text};
use std::collections::BTreeMap;

pub(in crate::score) const MENTIONS: Scorer = Scorer {
    name: "mentions",
    about: "how seldom the source's text names the target",
    inputs: "text",
    cites: "",
    takes_model: false,
    reads_link: true,
    open: |inputs, _, _| {
        let corpus = inputs.corpus();
        expect_text(corpus)?;
        Ok(Box::new(Mentions::new(corpus)))
    },
};

/// Stands in the place of a link; no part of any word.
const LINK: char = '\u{FFFC}';

/// Scores links by how often the source's text names the target.
#[derive(Debug, Clone, Copy)]
pub struct Mentions<'a> {
    corpus: &'a Corpus,
}

impl<'a> Mentions<'a> {
    /// A scorer for the links of a corpus by its texts; without them it has nothing to go by.
    pub fn new(corpus: &'a Corpus) -> Mentions<'a> {
        Mentions { corpus }
    }

    /// How often a wiki's page links to each page, and its plain text with all links to articles taken out.
    fn links(
        linked: &TitleCache<'_, '_>,
        wikitext: &str,
        titles: &Titles,
    ) -> Result<(BTreeMap<PageId, usize>, String), Error> {
        let (mut counts, mut rest, mut at) = (BTreeMap::new(), String::new(), 0);
        let mut buffer = String::new();
        for link in links(wikitext) {
            let Target::Page { namespace: ARTICLES, name, .. } = titles.parse(&link.target, &mut buffer)
            else {
                continue;
            };
            if let Some(page) = linked.resolve(name)? {
                *counts.entry(page).or_insert(0) += 1;
            }
            rest.push_str(&wikitext[at..link.span.start]);
            rest.push(LINK);
            at = link.span.end;
        }
        rest.push_str(&wikitext[at..]);
        Ok((counts, plain_text(&rest, titles)))
    }
}

impl Score for Mentions<'_> {
    fn name(&self) -> &str {
        MENTIONS.name
    }

    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        let Some(text) = self.corpus.stored_text(source)? else { return Ok(vec![None; targets.len()]) };
        let linked = TitleCache::new(self.corpus, targets)?;
        let (links, text) = match self.corpus.wiki_titles() {
            Some(titles) => Self::links(&linked, &text, titles)?,
            None => (BTreeMap::new(), text),
        };
        let (text, title) = (text.to_lowercase(), self.corpus.title(source)?);
        let names: Vec<String> = linked.titles().iter().map(|target| spoken_name(title, target)).collect();
        let score = |(target, named): (&PageId, usize)| {
            let count = named + links.get(target).copied().unwrap_or(0);
            // Subtracted from zero rather than negated: no mention must not become −0.
            Some(0.0 - (count as f64).ln_1p())
        };
        Ok(targets.iter().zip(count_all(&text, &names)).map(score).collect())
    }
}
