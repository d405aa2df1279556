//! Place: position of the first link to the target in the source's wikitext.
//!
//! unexpectedness(s, t) = r + δ, with δ, from 0 to below 1, how far down the page the link is, in 32 bits, and r its
//! place:
//!
//! | r | place | why |
//! |---|---|---|
//! | 0 | prose before the first heading | says what the subject is, by what everybody expects of it |
//! | 1 | infobox or another template, heading, hatnote | what every page of its kind has: a country, a class, a date |
//! | 2 | table | one of many of a kind |
//! | 3 | list, end matter | the same, but lists also gather what is left over (“See also”) |
//! | 4 | prose after it | where the asides are |
//! | 5 | caption | speaks of a picture, which need not be of the subject |
//! | 6 | reference | speaks of a book or its publisher, not of the subject |
//!
//! On the judged links of Wikispeedia 3% were unexpected of those in the lead, 9% in tables, 17% in lists and 18% in
//! other prose, of the last fifth of a page 28%; it has no infoboxes, captions and references, whose ranks are by
//! argument alone.

use super::expect_text;
use super::known_links::KnownLinks;
use crate::corpus::PageTexts;
use crate::error::{Error, Missing};
use crate::graph::PageId;
use crate::places::{FirstLink, first_links};
use crate::score::scorers::Opened;
use crate::score::{Inputs, Reason, Score, Scorer, Side, Suffix};
use crate::text::wikitext::{Place, Section};
use std::sync::{Arc, Mutex, PoisonError};

pub(in crate::score) const PLACE: Scorer = Scorer {
    name: "place",
    about: "where in the source's wikitext the link stands: lead, infobox, body, list, reference; wikis only",
    inputs: "text",
    cites: "",
    model: None,
    suffix: Suffix::None,
    reads_link: true,
    open: |inputs, _, _| open(inputs, By::Kind),
};

pub(in crate::score) const DEPTH: Scorer = Scorer {
    name: "depth",
    about: "how far down the source's wikitext the link stands; wikis only",
    inputs: "text",
    cites: "",
    model: None,
    suffix: Suffix::None,
    reads_link: true,
    open: |inputs, _, _| open(inputs, By::Depth),
};

fn open(inputs: &Inputs, by: By) -> Opened {
    let corpus = inputs.corpus();
    expect_text(corpus)?;
    if corpus.wiki_titles().is_none() {
        return Err(Error::Missing { path: corpus.path().into(), what: Missing::Wikitext });
    }
    Ok(Arc::new(LinkPlace {
        texts: inputs.texts().clone(),
        known: KnownLinks::of(inputs),
        by,
        last: Arc::default(),
    }))
}

/// The part of a link's place that is scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    /// The kind of place, then the depth.
    Kind,
    /// The depth alone.
    Depth,
}

/// A scorer of links by their place in the source's wikitext.
#[derive(Clone)]
pub(crate) struct LinkPlace {
    texts: Arc<PageTexts>,
    known: KnownLinks,
    by: By,
    /// The links of the page whose reasons were requested last: reading its lists for each link would take long.
    last: Arc<Mutex<Option<Arc<PageLinks>>>>,
}

/// The links of a page, ascending, and the first place of each.
struct PageLinks {
    page: PageId,
    links: Vec<PageId>,
    first: Vec<Option<FirstLink>>,
}

impl LinkPlace {
    /// Creates a scorer by the kind of place; without wikitext it has no data.
    #[cfg(test)]
    pub(crate) fn new(texts: Arc<PageTexts>) -> LinkPlace {
        LinkPlace { texts, known: KnownLinks::none(), by: By::Kind, last: Arc::default() }
    }

    /// Returns the first link to a page; `None` where there is none.
    fn first_link(&self, source: PageId, target: PageId) -> Result<Option<FirstLink>, Error> {
        let last = || self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let known = last().clone().filter(|known| known.page == source);
        let known = match known {
            Some(known) => known,
            None => {
                let links = self.texts.corpus().links(source)?.to_vec();
                let first = self.first_links(source, &links)?;
                let known = Arc::new(PageLinks { page: source, links, first });
                *last() = Some(known.clone());
                known
            }
        };
        match known.links.binary_search(&target) {
            Ok(at) => Ok(known.first[at]),
            Err(_) => Ok(self.first_links(source, &[target])?.pop().flatten()),
        }
    }

    /// Returns the first link to each of `targets`; `None` where there is none.
    fn first_links(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<FirstLink>>, Error> {
        if let Some(links) = self.known.score(source, targets, |link| link.first())? {
            return Ok(links);
        }
        let text = self.texts.get(source)?;
        text.wiki()?.map_or(Ok(vec![None; targets.len()]), |wiki| first_links(wiki, targets))
    }
}

/// Returns the r of a place in the table above.
fn rank(link: &FirstLink) -> f64 {
    match (link.place, link.section) {
        (Place::Prose, Section::Lead) => 0.0,
        (Place::Template | Place::Heading | Place::Hatnote, _) => 1.0,
        (Place::Table, _) => 2.0,
        (Place::List | Place::EndMatter, _) => 3.0,
        (Place::Prose, Section::Rest) => 4.0,
        (Place::Caption, _) => 5.0,
        (Place::Reference, _) => 6.0,
    }
}

impl Score for LinkPlace {
    fn name(&self) -> &str {
        match self.by {
            By::Kind => PLACE.name,
            By::Depth => DEPTH.name,
        }
    }

    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        let of_kind = |link: &FirstLink| if self.by == By::Kind { rank(link) } else { 0.0 };
        let score = |link: FirstLink| of_kind(&link) + f64::from(link.depth);
        Ok(self.first_links(source, targets)?.into_iter().map(|link| link.map(score)).collect())
    }

    fn reason(&self, source: PageId, target: PageId, side: Side) -> Result<Option<Reason>, Error> {
        let Some(link) = self.first_link(source, target)? else { return Ok(None) };
        let text = match (self.by, link.place) {
            (By::Depth, _) if side == Side::Odd => "the link is far down the page",
            (By::Depth, _) => "the link is near the top of the page",
            (By::Kind, Place::Prose) if link.section == Section::Lead => "the link is in the lead",
            (By::Kind, Place::Prose) => "the link is in the text after the lead",
            (By::Kind, Place::Template) => "the link is in an infobox or another template",
            (By::Kind, Place::Hatnote) => "the link is in a note at the head of a section",
            (By::Kind, Place::EndMatter) => "the link is in a list at the end of the page",
            (By::Kind, Place::Heading) => "the link is in a heading",
            (By::Kind, Place::Table) => "the link is in a table",
            (By::Kind, Place::List) => "the link is in a list",
            (By::Kind, Place::Caption) => "the link is in a caption",
            (By::Kind, Place::Reference) => "the link is in a reference",
        };
        Ok(Some(Reason::new(self.name(), text)))
    }
}
