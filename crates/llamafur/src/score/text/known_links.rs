//! Stored places of a corpus's links, for scorers that would otherwise read the text.

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

/// The stored data of a link.
pub(super) struct KnownLink<'a> {
    places: PagePlaces<'a>,
    at: usize,
}

impl KnownLinks {
    /// Creates known links without data.
    pub(super) fn none() -> KnownLinks {
        KnownLinks(None)
    }

    /// Takes the places that the corpus keeps.
    pub(super) fn of(inputs: &Inputs) -> KnownLinks {
        KnownLinks(inputs.kept_link_places().map(|places| (inputs.corpus().clone(), places)))
    }

    /// Applies `score` to each of `targets`; gives `None` for all where the page has no text. Returns `None` where no
    /// places are kept, or one of them is no link of the source, so that the text must be read.
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
    /// Returns how often the text names the target.
    pub(super) fn mentions(&self) -> u16 {
        self.places.mentions[self.at]
    }

    /// Returns the first link to the target; `None` where the text has none.
    pub(super) fn first(&self) -> Option<FirstLink> {
        FirstLink::of(self.places.place[self.at], self.places.depth[self.at])
    }
}
