//! What a text says of links.

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
    /// What it is in.
    pub(crate) place: Place,
    /// Before or after the first heading.
    pub(crate) section: Section,
    /// How far down the page, from 0 to 1.
    pub(crate) depth: f32,
}

/// The places in the order of their numbers in a file.
const PLACES: [Place; 7] = [
    Place::Body,
    Place::List,
    Place::Table,
    Place::Infobox,
    Place::Caption,
    Place::Reference,
    Place::Heading,
];

/// No link.
const NONE: u8 = u8::MAX;

impl FirstLink {
    /// What a file has for its place.
    pub(super) fn number(link: Option<&FirstLink>) -> u8 {
        let place =
            |link: &FirstLink| PLACES.iter().position(|place| *place == link.place).unwrap_or(0) as u8;
        link.map_or(NONE, |link| 2 * place(link) + u8::from(link.section == Section::Rest))
    }

    /// What a file has; `None` where there is no link.
    pub(crate) fn of(number: u8, depth: f32) -> Option<FirstLink> {
        let section = if number.is_multiple_of(2) { Section::Lead } else { Section::Rest };
        Some(FirstLink { place: *PLACES.get(usize::from(number / 2))?, section, depth })
    }
}

/// The first link to each of `targets`; `None` where there is none.
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

/// How often a text names each of `targets`, given what of it is outside of links, in lower case: the links to the target
/// and the places outside of them that have its name.
///
/// # Errors
/// If a file is damaged.
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
