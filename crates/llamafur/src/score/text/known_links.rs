//! What the corpus keeps of its links' places, for scorers that would otherwise read the text.

use crate::Error;
use crate::corpus::Corpus;
use crate::graph::PageId;
use crate::interrupt;
use crate::places::{FirstLink, LinkPlaces, PagePlaces};
use crate::score::Inputs;
use std::sync::Arc;

/// The links of a corpus, with their places if it keeps them.
#[derive(Clone)]
pub(super) struct KnownLinks(Option<(Corpus, Arc<LinkPlaces>)>);

/// What is known of a link.
pub(super) struct KnownLink<'a> {
    places: PagePlaces<'a>,
    at: usize,
}

impl KnownLinks {
    /// Nothing is known.
    pub(super) fn none() -> KnownLinks {
        KnownLinks(None)
    }

    /// What the corpus keeps.
    pub(super) fn of(inputs: &Inputs) -> KnownLinks {
        KnownLinks(inputs.kept_link_places().map(|places| (inputs.corpus().clone(), places)))
    }

    /// What `score` makes of each of `targets`, or `None` of all where the page has no text. `None` altogether where nothing
    /// is known, or one of them is no link of the source, so that the text has to say.
    ///
    /// # Errors
    /// If a file is damaged.
    pub(super) fn score<T>(
        &self,
        source: PageId,
        targets: &[PageId],
        score: impl Fn(KnownLink<'_>) -> Option<T>,
    ) -> Result<Option<Vec<Option<T>>>, Error> {
        let Some((corpus, places)) = &self.0 else { return Ok(None) };
        let links = corpus.links(source)?;
        let is_all = targets == links;
        let place = |(at, target): (usize, &PageId)| match is_all {
            true => Some(at),
            false => links.binary_search(target).ok(),
        };
        let places = places.of(source)?;
        interrupt::check()?;
        let of_link =
            |at: usize| if at < places.place.len() { score(KnownLink { places, at }) } else { None };
        Ok(targets.iter().enumerate().map(place).map(|at| at.map(of_link)).collect())
    }
}

impl KnownLink<'_> {
    /// How often the text names the target.
    pub(super) fn mentions(&self) -> u16 {
        self.places.mentions[self.at]
    }

    /// The first link to the target; `None` where the text has none.
    pub(super) fn first(&self) -> Option<FirstLink> {
        FirstLink::of(self.places.place[self.at], self.places.depth[self.at])
    }
}
