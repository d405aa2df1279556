//! Place: where in the source's wikitext the first link to the target stands.
//!
//! unexpectedness(s, t) = r + δ, with δ, from 0 to below 1, how far down the page the link is, and r its place:
//!
//! | r | place | why |
//! |---|---|---|
//! | 0 | prose before the first heading | says what the subject is, by what everybody expects of it |
//! | 1 | infobox, heading | what every page of its kind has: a country, a class, a date |
//! | 2 | table | one of many of a kind |
//! | 3 | list | the same, but lists also gather what is left over (“See also”) |
//! | 4 | prose after it | where the asides are |
//! | 5 | caption | speaks of a picture, which need not be of the subject |
//! | 6 | reference | speaks of a book or its publisher, not of the subject |
//!
//! On the judged links of Wikispeedia 3% were unexpected of those in the lead, 9% in tables, 17% in lists and 18% in
//! other prose, of the last fifth of a page 28%; it has no infoboxes, captions and references, whose ranks are by
//! argument alone.

use super::expect_text;
use super::title_cache::TitleCache;
use crate::corpus::Corpus;
use crate::error::{Error, Missing};
use crate::graph::PageId;
use crate::score::{Score, Scorer};
use crate::text::wikitext::{Place, PlacedLink, Section, places};
use std::collections::{BTreeMap, BTreeSet};

pub(in crate::score) const PLACE: Scorer = Scorer {
    name: "place",
    about: "where in the source's wikitext the link stands: lead, infobox, body, list, reference; wikis only",
    inputs: "text",
    cites: "",
    takes_model: false,
    reads_link: true,
    open: |inputs, _, _| Ok(Box::new(LinkPlace { by: By::Kind, ..open(inputs.corpus())? })),
};

pub(in crate::score) const DEPTH: Scorer = Scorer {
    name: "depth",
    about: "how far down the source's wikitext the link stands; wikis only",
    inputs: "text",
    cites: "",
    takes_model: false,
    reads_link: true,
    open: |inputs, _, _| Ok(Box::new(LinkPlace { by: By::Depth, ..open(inputs.corpus())? })),
};

fn open(corpus: &Corpus) -> Result<LinkPlace<'_>, Error> {
    expect_text(corpus)?;
    if corpus.wiki_titles().is_none() {
        return Err(Error::Missing { path: corpus.path().into(), what: Missing::Wikitext });
    }
    Ok(LinkPlace::new(corpus))
}

/// What of a link's place counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    /// The kind of place, then how far down.
    Kind,
    /// How far down alone.
    Depth,
}

/// Scores links by where they stand in the source's wikitext.
#[derive(Debug, Clone, Copy)]
pub struct LinkPlace<'a> {
    corpus: &'a Corpus,
    by: By,
}

impl<'a> LinkPlace<'a> {
    /// A scorer for the links of a wiki; of another corpus it has nothing to go by.
    pub fn new(corpus: &'a Corpus) -> LinkPlace<'a> {
        LinkPlace { corpus, by: By::Kind }
    }
}

/// How unexpected links in a place are, as the table above has it.
fn rank(link: &PlacedLink) -> f64 {
    match (link.place, link.section) {
        (Place::Body, Section::Lead) => 0.0,
        (Place::Infobox | Place::Heading, _) => 1.0,
        (Place::Table, _) => 2.0,
        (Place::List, _) => 3.0,
        (Place::Body, Section::Rest) => 4.0,
        (Place::Caption, _) => 5.0,
        (Place::Reference, _) => 6.0,
    }
}

impl Score for LinkPlace<'_> {
    fn name(&self) -> &str {
        match self.by {
            By::Kind => PLACE.name,
            By::Depth => DEPTH.name,
        }
    }

    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        let text = self.corpus.stored_text(source)?;
        let (Some(text), Some(titles)) = (text, self.corpus.wiki_titles()) else {
            return Ok(vec![None; targets.len()]);
        };
        let linked = TitleCache::new(self.corpus, targets)?;
        let wanted: BTreeSet<PageId> = targets.iter().copied().collect();
        let mut firsts: BTreeMap<PageId, usize> = BTreeMap::new();
        let mut damage = None;
        let mut is_first = |title: &str| match linked.resolve(title) {
            Ok(Some(page)) if wanted.contains(&page) && !firsts.contains_key(&page) => {
                firsts.insert(page, firsts.len());
                true
            }
            Ok(_) => false,
            Err(error) => {
                damage.get_or_insert(error);
                false
            }
        };
        let found = places(&text, titles, &mut is_first);
        if let Some(error) = damage {
            return Err(error);
        }
        let of_kind = |link: &PlacedLink| if self.by == By::Kind { rank(link) } else { 0.0 };
        let score = |target| firsts.get(target).map(|&at| of_kind(&found[at]) + found[at].depth);
        Ok(targets.iter().map(score).collect())
    }
}
