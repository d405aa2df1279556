//! The evidence of the links of one page.

use super::nouns::CategoryNouns;
use super::phrases::{Named, sentence};
use super::{Evidence, EvidenceKind};
use crate::Error;
use crate::engine::Engine;
use crate::explain::{KindLinks, PageKinds};
use crate::graph::{CategoryId, Neighbours, PageId, in_common};
use crate::progress::Silent;
use crate::score::{Inputs, Side};
use rapidhash::RapidHashMap;
use std::sync::Arc;

/// Largest number of reasons of a link in a ranking, and in an explanation.
const MOST: usize = 2;
const MOST_EXPLAINED: usize = 4;

/// Number of pages that a reason names.
const NAMES: usize = 3;

/// Number of pages whose links are counted for a question.
const MOST_PAGES: usize = 20_000;

/// Number of links of or to a page from which on their kinds are not counted.
const MOST_LINKS: u32 = 20_000;

/// Smallest number of links of a pair that chance must give.
const LEAST_EXPECTED: f64 = 3.0;

/// Ratio to chance at which a pair speaks for a side.
const RATIO: f64 = 2.0;

/// Number added to the links of a pair and to those expected, so that a few more or less say little.
const SMALL_COUNT: f64 = 3.0;

/// Ratio to chance at which a pair is clear.
const CLEAR_RATIO: f64 = 4.0;

/// Pages of a kind from which on it says something that none of them links to a page, or that it is the only one that is linked.
const ENOUGH_PAGES: usize = 5;

/// Other pages of a kind from which on it says something that none of them, or few, link to a page.
const ENOUGH_KIN: usize = 10;

/// Ratio of the pages that share a category with a page to those of its broadest kind, from which on they say more.
const MANY_MORE: f64 = 2.0;

/// Pages that link to a page, from which on they have a kind.
const ENOUGH_IN_LINKS: usize = 5;

/// Share of the pages of a kind that link to a page, below which that is odd, and from which on it is expected.
const FEW_KIN: f64 = 0.05;
const MANY_KIN: f64 = 0.2;

/// Share of the neighbours of two pages that both have, likewise.
const FEW_COMMON: f64 = 0.02;
const MANY_COMMON: f64 = 0.1;

/// Neighbours of two pages, from which on it says something that they have none in common.
const ENOUGH_NEIGHBOURS: usize = 20;

/// Counts shared by all links of a page.
pub(in crate::engine) struct PageEvidence<'a> {
    inputs: &'a Inputs,
    page: PageId,
    targets: &'a [PageId],
    neighbours: Arc<Neighbours>,
    /// The neighbours of the page: a list that is read, and checked, once for all links.
    near: Vec<PageId>,
    kinds: Option<OfKinds>,
}

struct OfKinds {
    all: Arc<PageKinds>,
    /// The kinds of the page that are counted, the narrowest first.
    own: Vec<OwnKind>,
    /// All kinds of the page, ascending.
    all_own: Vec<CategoryId>,
    /// The other pages that carry one of its categories.
    sharing: Vec<PageId>,
    nouns: CategoryNouns,
    /// Number of links of the page to pages of each kind.
    linked: RapidHashMap<CategoryId, u32>,
}

/// A kind of the page.
struct OwnKind {
    category: CategoryId,
    members: Arc<[PageId]>,
    /// True if the page is among the members; a draft is not.
    has_page: bool,
    links: Arc<KindLinks>,
}

/// A link whose evidence is collected.
struct Asked<'e, 'a> {
    page: &'e PageEvidence<'a>,
    target: PageId,
    side: Side,
    /// True if the page has the link.
    is_linked: bool,
    /// True if the corpus on disk has it; for a draft it may not.
    is_on_disk: bool,
    /// The kinds of the target to report.
    kinds: Arc<[CategoryId]>,
}

impl<'a> PageEvidence<'a> {
    /// Counts the data that all links of a page need. `inputs` are those of the engine, or of a draft.
    pub(in crate::engine) fn new(
        engine: &'a Engine,
        inputs: &'a Inputs,
        page: PageId,
    ) -> Result<PageEvidence<'a>, Error> {
        let corpus = inputs.corpus();
        let targets = corpus.links(page)?;
        let of_kinds = |all| OfKinds::new(all, inputs, page, targets);
        let neighbours = inputs.neighbours(&mut Silent)?;
        Ok(PageEvidence {
            inputs,
            page,
            targets,
            near: neighbours.of(page)?.to_vec(),
            neighbours,
            kinds: engine.page_kinds(&mut Silent)?.map(of_kinds).transpose()?,
        })
    }

    /// Returns the evidence for a side of a link, the most convincing first. If `is_read`, only those kinds of the
    /// target are reported that say what it is.
    pub(in crate::engine) fn of(
        &self,
        target: PageId,
        side: Side,
        is_read: bool,
    ) -> Result<Vec<Evidence>, Error> {
        let is_linked = self.targets.binary_search(&target).is_ok();
        let (is_on_disk, kinds) = match &self.kinds {
            Some(kinds) => {
                let all = || kinds.all.of(self.inputs.corpus().categories(target)?);
                // No page links to itself, so that the target is on disk where the page is a draft, too.
                let spoken_of = match is_read {
                    true => kinds.all.telling(target, || kinds.nouns.telling(self.inputs, target, all()?))?,
                    false => all()?.into(),
                };
                (kinds.has_link(self.page, target)?, spoken_of)
            }
            None => (is_linked, Arc::default()),
        };
        let asked = Asked { page: self, target, side, is_linked, is_on_disk, kinds };
        let corpus = self.inputs.corpus();
        let named = Named { source: corpus.title(self.page)?, target: corpus.title(target)?, side };
        let mut found = Vec::new();
        for kind in EvidenceKind::ALL {
            let evidence = match (kind, &self.kinds) {
                (EvidenceKind::CategoryPair, Some(kinds)) => asked.category_pair(kinds)?,
                (EvidenceKind::OnlyOne, Some(kinds)) => asked.only_one(kinds)?,
                (EvidenceKind::Kin, Some(kinds)) => asked.kin(kinds)?,
                (EvidenceKind::InLinks, Some(kinds)) => asked.in_links(kinds)?,
                (EvidenceKind::InLinks, None) => asked.no_other_link()?,
                (EvidenceKind::Neighbours, _) => asked.neighbours()?,
                _ => None,
            };
            found.extend(evidence);
        }
        // What is clear comes before what is only true; of equals the earlier kind.
        found.sort_by_key(|evidence| !is_clear(evidence));
        found.truncate(MOST_EXPLAINED);
        found.iter_mut().for_each(|evidence| evidence.text = sentence(evidence, &named));
        Ok(found)
    }
}

impl OfKinds {
    fn new(all: Arc<PageKinds>, inputs: &Inputs, page: PageId, targets: &[PageId]) -> Result<OfKinds, Error> {
        let mut kinds = Vec::new();
        let all_own = all.of(inputs.corpus().categories(page)?)?;
        let nouns = CategoryNouns::new(inputs);
        for category in nouns.telling(inputs, page, all_own.clone())? {
            kinds.extend(all.members(category)?.map(|members| (members.len(), category, members)));
        }
        // The narrow ones take no time.
        kinds.sort_by_key(|(num, category, _)| (*num, *category));
        let (mut own, mut num_pages) = (Vec::new(), 0);
        for (num, category, members) in kinds {
            num_pages += num;
            if num_pages > MOST_PAGES {
                break;
            }
            let has_page = members.binary_search(&page).is_ok();
            own.push(OwnKind { category, members, has_page, links: all.links_of(category)? });
        }
        let mut sharing = all.sharing(inputs.corpus().categories(page)?)?.unwrap_or_default();
        sharing.retain(|other| *other != page);
        let few: Vec<PageId> = targets.iter().copied().take(MOST_LINKS as usize + 1).collect();
        let on_disk = all.corpus().num_pages();
        let linked = match few.len() > MOST_LINKS as usize {
            true => RapidHashMap::default(),
            false => all.count(&few.into_iter().filter(|page| page.index() < on_disk).collect::<Vec<_>>())?,
        };
        Ok(OfKinds { all, own, all_own, sharing, nouns, linked })
    }

    /// Returns whether the corpus on disk has a link.
    fn has_link(&self, source: PageId, target: PageId) -> Result<bool, Error> {
        let corpus = self.all.corpus();
        Ok(source.index() < corpus.num_pages() && corpus.has_link(source, target)?)
    }

    fn name(&self, category: CategoryId) -> Result<Option<String>, Error> {
        Ok(Some(self.all.corpus().category_name(category)?.to_owned()))
    }
}

/// Returns whether the counts are clear: a pair four times as rare or as frequent as by chance, no kin among many.
fn is_clear(evidence: &Evidence) -> bool {
    let Evidence { links, of, .. } = evidence;
    match evidence.kind {
        EvidenceKind::CategoryPair => {
            let (links, expected) = (*links as f64, evidence.expected.unwrap_or_default());
            CLEAR_RATIO * links <= expected || links >= CLEAR_RATIO * expected
        }
        EvidenceKind::OnlyOne => true,
        EvidenceKind::Kin => *links == 0 || 2 * links >= *of,
        EvidenceKind::Neighbours | EvidenceKind::InLinks => *links == 0 || 3 * links >= 2 * of,
    }
}

/// Other pages, none or few of which link to the target, from which on that adds to another reason.
const ENOUGH_TO_ADD: u64 = 30;

/// Other pages, from which on it convinces together with another reason that none of them links to the target, or at most three.
const ENOUGH_TO_CONVINCE: u64 = 50;
const ENOUGH_FOR_FEW: u64 = 150;

/// Returns the reasons of a link to show in a ranking. Most readers were convinced of an odd link by a category pair
/// that has a third of the links that chance would give, and by many kin of which none or few link to the target if no
/// other link of the page leads to its like; of other reasons by less than every second (`benchmarks/README.md`).
/// Without a sentence any reason is better than none.
pub(in crate::engine) fn convincing(
    mut found: Vec<Evidence>,
    side: Side,
    has_sentence: bool,
) -> Vec<Evidence> {
    if side == Side::Odd && has_sentence {
        let is_pair = |evidence: &Evidence| {
            let is_few = 3.0 * evidence.links as f64 <= evidence.expected.unwrap_or_default();
            evidence.kind == EvidenceKind::CategoryPair && is_few
        };
        let is_kin =
            |evidence: &Evidence, least: u64| evidence.kind == EvidenceKind::Kin && evidence.of >= least;
        let is_only = |evidence: &Evidence| evidence.kind == EvidenceKind::OnlyOne;
        let has_few_kin = |evidence: &Evidence| match evidence.links {
            0 => is_kin(evidence, ENOUGH_TO_CONVINCE),
            1..=3 => is_kin(evidence, ENOUGH_FOR_FEW),
            _ => false,
        };
        let has_pair = found.iter().any(is_pair);
        let convinces = has_pair || (found.iter().any(has_few_kin) && found.iter().any(is_only));
        found.retain(|evidence| {
            convinces && (is_pair(evidence) || is_only(evidence) || is_kin(evidence, ENOUGH_TO_ADD))
        });
        found.sort_by_key(|evidence| !is_pair(evidence));
    }
    found.truncate(MOST);
    found
}

/// Creates evidence without names.
fn bare(kind: EvidenceKind, links: u64, of: u64) -> Evidence {
    Evidence { kind, text: String::new(), from: None, to: None, links, of, expected: None, names: Vec::new() }
}

impl Asked<'_, '_> {
    /// Returns 1 if the link is among those that are counted.
    fn itself(&self, counts_page: bool) -> u64 {
        u64::from(self.is_on_disk && counts_page)
    }

    /// Returns the pair of kinds whose links are furthest below chance, or above it.
    fn category_pair(&self, kinds: &OfKinds) -> Result<Option<Evidence>, Error> {
        let all_links = kinds.all.corpus().num_links() as u64;
        let mut best: Option<(f64, CategoryId, CategoryId, Evidence)> = None;
        for &to in &*self.kinds {
            let links_to = kinds.all.num_links_to(to)?;
            for own in &kinds.own {
                let itself = self.itself(own.has_page);
                let (of, links) = (own.links.num_links() - itself, own.links.to(to) - itself);
                let rest = all_links.saturating_sub(itself).max(1);
                let expected = of as f64 * (links_to - itself) as f64 / rest as f64;
                let (count, half) = (links as f64, expected / RATIO);
                let speaks = match self.side {
                    Side::Odd => expected >= LEAST_EXPECTED && count < half,
                    Side::Expected => count >= LEAST_EXPECTED && count > RATIO * expected,
                };
                // Of one page of a kind, the other links of the same page are all that is counted.
                if !speaks || own.members.len() < ENOUGH_PAGES {
                    continue;
                }
                let distance = ((count + SMALL_COUNT) / (expected + SMALL_COUNT)).ln().abs();
                if best.as_ref().is_none_or(|(known, ..)| distance > *known) {
                    let pair = bare(EvidenceKind::CategoryPair, links, of);
                    best = Some((distance, own.category, to, Evidence { expected: Some(expected), ..pair }));
                }
            }
        }
        let Some((_, from, to, evidence)) = best else { return Ok(None) };
        Ok(Some(Evidence { from: kinds.name(from)?, to: kinds.name(to)?, ..evidence }))
    }

    /// Returns the broadest kind of the target that no other link of the page leads to.
    fn only_one(&self, kinds: &OfKinds) -> Result<Option<Evidence>, Error> {
        let num_links = self.page.targets.len() as u64;
        if self.side == Side::Expected || !self.is_linked || kinds.linked.is_empty() {
            return Ok(None);
        }
        let mut broadest: Option<(u64, CategoryId)> = None;
        for &kind in &*self.kinds {
            let others = kinds.linked.get(&kind).copied().unwrap_or(0).saturating_sub(1);
            let num_pages = kinds.all.members(kind)?.map_or(0, |pages| pages.len());
            let breadth = kinds.all.num_links_to(kind)?;
            let is_broadest = broadest.is_none_or(|(known, _)| breadth > known);
            if others == 0 && num_pages >= ENOUGH_PAGES && is_broadest {
                broadest = Some((breadth, kind));
            }
        }
        let Some((_, to)) = broadest.filter(|_| num_links as usize >= ENOUGH_PAGES) else { return Ok(None) };
        Ok(Some(Evidence { to: kinds.name(to)?, ..bare(EvidenceKind::OnlyOne, 0, num_links - 1) }))
    }

    /// Returns the kind of the page of which the fewest other pages link to the target, or the most; or all pages that
    /// share a category with it, if those are many more.
    fn kin(&self, kinds: &OfKinds) -> Result<Option<Evidence>, Error> {
        let corpus = kinds.all.corpus();
        let Some(linking) = kinds.all.linking_to(self.target, MOST_LINKS)? else { return Ok(None) };
        let other_pages = corpus.num_pages().saturating_sub(1).max(1) as f64;
        let chance = (linking.len() as u64 - self.itself(true)) as f64 / other_pages;
        let of_pages = |pages: &[PageId], others: usize| {
            let is_kin = |page: &&PageId| pages.binary_search(page).is_ok() && **page != self.page.page;
            let kin: Vec<PageId> = linking.iter().filter(is_kin).copied().collect();
            let share = kin.len() as f64 / others.max(1) as f64;
            let speaks = match self.side {
                Side::Odd => {
                    let is_few = kin.len() <= NAMES || RATIO * kin.len() as f64 <= others as f64 * chance;
                    others >= ENOUGH_KIN && (kin.is_empty() || (share <= FEW_KIN && is_few))
                }
                Side::Expected => others >= ENOUGH_PAGES && share >= MANY_KIN && kin.len() > 1,
            };
            // Of those that speak for oddity the broadest, else the kind that most of link there.
            let value = if self.side == Side::Odd { others as f64 } else { share };
            speaks.then_some((value, kin, others))
        };
        let mut best: Option<(f64, Option<CategoryId>, Vec<PageId>, usize)> = None;
        for own in &kinds.own {
            let others = own.members.len() - usize::from(own.has_page);
            if let Some((value, kin, others)) = of_pages(&own.members, others)
                && best.as_ref().is_none_or(|(known, ..)| value > *known)
            {
                best = Some((value, Some(own.category), kin, others));
            }
        }
        if let Some((value, kin, others)) = of_pages(&kinds.sharing, kinds.sharing.len())
            && best.as_ref().is_none_or(|(known, ..)| value > MANY_MORE * known)
        {
            best = Some((value, None, kin, others));
        }
        let Some((_, from, kin, of)) = best else { return Ok(None) };
        let title = |&page: &PageId| Ok(corpus.title(page)?.to_owned());
        let names = kin.iter().take(NAMES).map(title).collect::<Result<_, Error>>()?;
        let from = from.map_or(Ok(None), |from| kinds.name(from))?;
        Ok(Some(Evidence { from, names, ..bare(EvidenceKind::Kin, kin.len() as u64, of as u64) }))
    }

    /// Returns the pages connected with both ends, among those connected with either.
    fn neighbours(&self) -> Result<Option<Evidence>, Error> {
        let (neighbours, corpus) = (&self.page.neighbours, self.page.inputs.corpus());
        let near = neighbours.of(self.target)?;
        let common = in_common(&self.page.near, near);
        let without = |list: &[PageId], end| list.len() - usize::from(list.binary_search(&end).is_ok());
        let either = without(&self.page.near, self.target) + without(near, self.page.page) - common.len();
        let share = common.len() as f64 / either.max(1) as f64;
        let speaks = match self.side {
            Side::Odd => either >= ENOUGH_NEIGHBOURS && (common.is_empty() || share <= FEW_COMMON),
            Side::Expected => common.len() > 1 && share >= MANY_COMMON,
        };
        if !speaks {
            return Ok(None);
        }
        // Those with few neighbours tell most.
        let mut rarest = common.clone();
        let mut failed = None;
        rarest.sort_by_cached_key(|&page| {
            neighbours.num_of(page).unwrap_or_else(|error| {
                failed = Some(error);
                0
            })
        });
        failed.map_or(Ok(()), Err)?;
        let title = |&page: &PageId| Ok(corpus.title(page)?.to_owned());
        let names = rarest.iter().take(NAMES).map(title).collect::<Result<_, Error>>()?;
        Ok(Some(Evidence { names, ..bare(EvidenceKind::Neighbours, common.len() as u64, either as u64) }))
    }

    /// Returns the evidence that no other page links to the target.
    fn no_other_link(&self) -> Result<Option<Evidence>, Error> {
        let others =
            u64::from(self.page.neighbours.in_degree(self.target)?).saturating_sub(self.itself(true));
        Ok((others == 0 && self.side == Side::Odd).then(|| bare(EvidenceKind::InLinks, 0, 0)))
    }

    /// Returns the kind of most of the pages that link to the target.
    fn in_links(&self, kinds: &OfKinds) -> Result<Option<Evidence>, Error> {
        let Some(linking) = kinds.all.linking_to(self.target, MOST_LINKS)? else { return Ok(None) };
        let others: Vec<PageId> = linking.into_iter().filter(|&page| page != self.page.page).collect();
        if others.is_empty() {
            return self.no_other_link();
        }
        if others.len() < ENOUGH_IN_LINKS {
            return Ok(None);
        }
        let counts = kinds.all.count(&others)?;
        let mut candidates = Vec::new();
        for &page in &others {
            candidates.extend(kinds.all.of(kinds.all.corpus().categories(page)?)?);
        }
        candidates.sort_unstable();
        candidates.dedup();
        let is_own = |kind: &CategoryId| kinds.all_own.binary_search(kind).is_ok();
        let mut most: Option<(u32, CategoryId)> = None;
        for kind in candidates.iter().filter(|kind| is_own(kind) == (self.side == Side::Expected)) {
            let num = counts.get(kind).copied().unwrap_or(0);
            if most.is_none_or(|(known, _)| num > known) {
                most = Some((num, *kind));
            }
        }
        let Some((num, from)) = most.filter(|(num, _)| 2 * *num as usize > others.len()) else {
            return Ok(None);
        };
        let evidence = bare(EvidenceKind::InLinks, u64::from(num), others.len() as u64);
        Ok(Some(Evidence { from: kinds.name(from)?, ..evidence }))
    }
}
