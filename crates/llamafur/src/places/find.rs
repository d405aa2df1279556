//! Search for the places and mentions of links in a text.

use crate::Error;
use crate::corpus::{Corpus, WikiText};
use crate::graph::PageId;
use crate::interrupt;

use crate::text::wikitext::{Place, Section};
use crate::text::{SpokenNames, count_all};
use rapidhash::RapidHashMap;

/// The first link to a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FirstLink {
    /// The place of the link.
    pub(crate) place: Place,
    /// The section, before or after the first heading.
    pub(crate) section: Section,
    /// Distance from the top of the page, from 0 to 1.
    pub(crate) depth: f32,
}

/// Marks a missing link in a file.
const NONE: u8 = u8::MAX;

impl FirstLink {
    /// Returns the number of its place in a file.
    pub(super) fn number(link: Option<&FirstLink>) -> u8 {
        link.map_or(NONE, |link| 2 * number(link.place) + u8::from(link.section == Section::Rest))
    }

    /// Decodes the numbers of a file; `None` where there is no link.
    pub(crate) fn of(number: u8, depth: f32) -> Option<FirstLink> {
        let section = if number.is_multiple_of(2) { Section::Lead } else { Section::Rest };
        Some(FirstLink { place: *Place::ALL.get(usize::from(number / 2))?, section, depth })
    }
}

/// Returns the number of a place in a file.
fn number(place: Place) -> u8 {
    Place::ALL.iter().position(|other| *other == place).unwrap_or(0) as u8
}

/// Returns whether one of these places is one for facts.
pub(crate) fn contains_fact(places: u16) -> bool {
    Place::ALL.iter().any(|place| place.is_fact() && places & (1 << number(*place)) != 0)
}

/// Returns the first of these places.
pub(crate) fn best(places: u16) -> Option<Place> {
    Place::ALL.get(places.trailing_zeros() as usize).copied()
}

/// Returns the places in which a page links to each of `targets`: a bit each, in the order of [`Place::ALL`]; none
/// where it has no such link.
///
/// # Errors
/// If the work is stopped.
pub(crate) fn places_of(wiki: &WikiText, targets: &[PageId]) -> Result<Vec<u16>, Error> {
    Ok(first_links_and_places(wiki, targets)?.1)
}

/// Returns [`first_links`] and [`places_of`].
///
/// # Errors
/// If the work is stopped.
pub(crate) fn first_links_and_places(
    wiki: &WikiText,
    targets: &[PageId],
) -> Result<(Vec<Option<FirstLink>>, Vec<u16>), Error> {
    let find = |target: &PageId| {
        interrupt::check()?;
        let (mut first, mut places) = (None, 0);
        for link in wiki.links_to(*target) {
            let link = wiki.parsed.placed(link);
            first.get_or_insert(FirstLink {
                place: link.place,
                section: link.section,
                depth: link.depth as f32,
            });
            places |= 1 << number(link.place);
        }
        Ok((first, places))
    };
    targets.iter().map(find).collect()
}

/// Returns the first link to each of `targets`; `None` where there is none.
///
/// # Errors
/// If the work is stopped.
pub(crate) fn first_links(wiki: &WikiText, targets: &[PageId]) -> Result<Vec<Option<FirstLink>>, Error> {
    let first = |target: &PageId| {
        interrupt::check()?;
        let Some(number) = wiki.links_to(*target).next() else { return Ok(None) };
        let link = wiki.parsed.placed(number);
        Ok(Some(FirstLink { place: link.place, section: link.section, depth: link.depth as f32 }))
    };
    targets.iter().map(first).collect()
}

/// Counts the mentions of each of `targets`: the links to it and the places outside of links that have its name.
/// `outside_links` is the text outside of links, in lower case.
pub(crate) fn mentions(
    corpus: &Corpus,
    source: PageId,
    wiki: Option<&WikiText>,
    outside_links: &str,
    targets: &[PageId],
) -> Result<Vec<u16>, Error> {
    let mut links: RapidHashMap<PageId, usize> = RapidHashMap::default();
    let leads_to = wiki.iter().flat_map(|wiki| wiki.targets.iter().flatten());
    leads_to.for_each(|&page| *links.entry(page).or_default() += 1);
    let spoken = SpokenNames::of_page(corpus.title(source)?);
    let name = |&target: &PageId| interrupt::check().and_then(|()| Ok(spoken.of(corpus.title(target)?)));
    let names: Vec<String> = targets.iter().map(name).collect::<Result<_, Error>>()?;
    let count = |(target, named): (&PageId, usize)| {
        u16::try_from(named + links.get(target).copied().unwrap_or(0)).unwrap_or(u16::MAX)
    };
    Ok(targets.iter().zip(count_all(outside_links, &names)).map(count).collect())
}
