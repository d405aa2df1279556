//! Draws the links to plant.
//!
//! Pairs are drawn according to the [`PlantKind`] until there are enough; a pair that is a link, was drawn before, has
//! the same page twice, or has a side without categories in a corpus with categories is drawn again.

use super::conf::{PlantConf, PlantError, PlantKind};
use llamafur::graph::{Graph, PageId};
use llamafur::learn::sampler::{Generator, Purpose, below, generator};
use std::collections::BTreeSet;

/// Number of draws for each planted link, and for all together, after which the search ends.
const DRAWS: (usize, usize) = (1000, 1_000_000);

/// Draws the links to plant in a graph, as (source, target).
///
/// ```
/// use llamafur::graph::{MilestoneId, Graph, PageId};
/// use llamafur::storage::CsrBuf;
/// use llamafur_eval::planted::{PlantConf, draw};
///
/// // A ring of twenty pages.
/// let links: CsrBuf<PageId> = (0..20).map(|page| [PageId((page + 1) % 20)]).collect();
/// let categories: CsrBuf<MilestoneId> = (0..20).map(|_| [MilestoneId(0)]).collect();
/// let graph = Graph::new(links.view(), categories.view(), 1);
/// let planted = draw(&graph, &PlantConf::default())?;
/// assert_eq!(planted.len(), 10);
/// assert!(planted.iter().all(|(source, target)| source != target && !graph.links(*source).contains(target)));
/// # Ok::<(), llamafur_eval::planted::PlantError>(())
/// ```
///
/// # Errors
/// Returns an error if there are not enough pairs of that kind.
pub fn draw(graph: &Graph<'_>, conf: &PlantConf) -> Result<BTreeSet<(PageId, PageId)>, PlantError> {
    let wanted = conf.num(graph.num_links());
    let has_any = graph.categories.num_values() > 0;
    let is_fit = |page: PageId| !has_any || !graph.categories(page).is_empty();
    let pages: Vec<PageId> = graph.pages().filter(|&page| is_fit(page)).collect();
    let mut planted = BTreeSet::new();
    let mut random = generator(conf.seed, Purpose::Planted, conf.kind as u64);
    let mut left = if pages.is_empty() { 0 } else { DRAWS.0 * wanted + DRAWS.1 };
    while planted.len() < wanted && left > 0 {
        left -= 1;
        let Some(source) = one_of(&pages, &mut random) else { break };
        let target = match conf.kind {
            PlantKind::Uniform => one_of(&pages, &mut random),
            PlantKind::Popular => one_of(graph.links.values(), &mut random),
            PlantKind::Near => one_of(graph.links(source), &mut random)
                .and_then(|between| one_of(graph.links(between), &mut random)),
        };
        let Some(target) = target else { continue };
        let is_new = source != target && graph.links(source).binary_search(&target).is_err();
        if is_new && is_fit(target) {
            planted.insert((source, target));
        }
    }
    match planted.len() {
        found if found < wanted => Err(PlantError::TooFew { kind: conf.kind, wanted, found }),
        _ => Ok(planted),
    }
}

/// Returns one of these pages; `None` if there are none.
fn one_of(pages: &[PageId], random: &mut Generator) -> Option<PageId> {
    (!pages.is_empty()).then(|| pages[below(random, pages.len() as u64) as usize])
}

#[cfg(test)]
mod tests {
    use super::*;
    use llamafur::graph::MilestoneId;
    use llamafur::storage::CsrBuf;

    /// Page p links to the pages p + 1, p + 2 and 0; every fifth has no category.
    struct Ring {
        links: CsrBuf<PageId>,
        categories: CsrBuf<MilestoneId>,
    }

    const PAGES: u32 = 200;

    impl Ring {
        fn new() -> Ring {
            let row = |page: u32| BTreeSet::from([0, (page + 1) % PAGES, (page + 2) % PAGES]);
            let links = (0..PAGES).map(|page| {
                row(page).into_iter().filter(move |&to| to != page).map(PageId).collect::<Vec<_>>()
            });
            let carried =
                |page: u32| if page.is_multiple_of(5) && page > 0 { vec![] } else { vec![MilestoneId(0)] };
            Ring { links: links.collect(), categories: (0..PAGES).map(carried).collect() }
        }

        fn graph(&self) -> Graph<'_> {
            Graph::new(self.links.view(), self.categories.view(), 1)
        }
    }

    fn conf(kind: PlantKind, share: f64, seed: u64) -> PlantConf {
        PlantConf::default().kind(kind).share(share).unwrap().seed(seed)
    }

    #[test]
    fn planted_links_are_new_and_between_pages_with_categories() {
        let ring = Ring::new();
        let graph = ring.graph();
        for (kind, seed) in
            [(PlantKind::Uniform, 1), (PlantKind::Uniform, 2), (PlantKind::Near, 1), (PlantKind::Near, 2)]
        {
            let planted = draw(&graph, &conf(kind, 0.3, seed)).unwrap();
            assert_eq!(planted.len(), (graph.num_links() as f64 * 0.3).round() as usize);
            for (source, target) in planted {
                assert!(source != target && !graph.links(source).contains(&target));
                assert!(![source, target].iter().any(|&page| graph.categories(page).is_empty()));
            }
        }
    }

    #[test]
    fn near_links_go_to_a_link_of_a_link() {
        let ring = Ring::new();
        let graph = ring.graph();
        for (source, target) in draw(&graph, &conf(PlantKind::Near, 0.2, 3)).unwrap() {
            assert!(graph.links(source).iter().any(|&between| graph.links(between).contains(&target)));
        }
        let far = draw(&graph, &conf(PlantKind::Uniform, 0.2, 3)).unwrap();
        let is_near = |(source, target): &&(PageId, PageId)| {
            graph.links(*source).iter().any(|&between| graph.links(between).contains(target))
        };
        assert!(far.iter().filter(is_near).count() < far.len() / 4);
    }

    #[test]
    fn popular_links_go_where_links_go() {
        // Half of all links go to one of the first ten pages.
        let links: CsrBuf<PageId> = (0..400u32)
            .map(|page| {
                let row = BTreeSet::from([page % 10, 10 + (page * 7) % 390]);
                row.into_iter().filter(move |&to| to != page).map(PageId).collect::<Vec<_>>()
            })
            .collect();
        let categories: CsrBuf<MilestoneId> = (0..400).map(|_| Vec::new()).collect();
        let graph = Graph::new(links.view(), categories.view(), 0);
        let to_ten = |kind| {
            let planted = draw(&graph, &conf(kind, 0.5, 1)).unwrap();
            planted.iter().filter(|(_, target)| target.0 < 10).count() as f64 / planted.len() as f64
        };
        let (popular, uniform) = (to_ten(PlantKind::Popular), to_ten(PlantKind::Uniform));
        assert!((0.4..0.6).contains(&popular) && uniform < 0.1, "{popular} {uniform}");
    }

    #[test]
    fn the_seed_decides_and_nothing_else() {
        let ring = Ring::new();
        let drawn = |seed| draw(&ring.graph(), &conf(PlantKind::Uniform, 0.1, seed)).unwrap();
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
    }

    #[test]
    fn where_all_pairs_are_links_nothing_can_be_planted() {
        let links: CsrBuf<PageId> =
            (0..5).map(|page| (0..5).filter(move |&to| to != page).map(PageId).collect::<Vec<_>>()).collect();
        let categories: CsrBuf<MilestoneId> = (0..5).map(|_| Vec::new()).collect();
        let graph = Graph::new(links.view(), categories.view(), 0);
        for kind in PlantKind::ALL {
            let refused = draw(&graph, &PlantConf::default().kind(kind)).unwrap_err().to_string();
            assert!(
                refused.starts_with(&format!("10 links of the kind {kind} are to be planted")),
                "{refused}"
            );
            assert!(refused.contains("only 0 were found"), "{refused}");
        }
    }
}
