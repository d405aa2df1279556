//! The examples of a page in a round, all at once.

use crate::corpus::{Graph, PageId};
use crate::learn::sampler::{NonLinks, Purpose, generator, shuffle_down_to};

/// A target, and whether the page links to it.
pub(super) type Example = (PageId, bool);

/// Which examples a page has in a round.
#[derive(Debug, Clone, Copy)]
pub(super) enum Share {
    /// Its links.
    Links,
    /// Its links, then as many non-links.
    LinksThenNonLinks,
    /// One of several hands into which its links and non-links are dealt, shuffled by (seed, page).
    Hand {
        /// Which hand.
        round: usize,
        /// Of how many.
        rounds: usize,
    },
}

/// One round over all pages: what determines the examples of each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Round<'a> {
    pub(super) graph: Graph<'a>,
    pub(super) seed: u64,
    pub(super) pass: u64,
    pub(super) share: Share,
}

impl Round<'_> {
    /// How many examples the page has, without drawing them.
    pub(super) fn num_examples(&self, page: PageId) -> usize {
        let links = self.graph.links(page).len();
        let both = if links + 1 < self.graph.num_pages() { 2 * links } else { links };
        match self.share {
            Share::Links => links,
            Share::LinksThenNonLinks => both,
            Share::Hand { round, rounds } => both * (round + 1) / rounds - both * round / rounds,
        }
    }

    /// Puts the page's examples in the place of what was there. `deck` is memory to use again.
    pub(super) fn deal(&self, page: PageId, deck: &mut Vec<u64>, examples: &mut Vec<Example>) {
        let links = self.graph.links(page);
        let link = |&target: &PageId| (target, true);
        examples.clear();
        match self.share {
            Share::Links => examples.extend(links.iter().map(link)),
            Share::LinksThenNonLinks => {
                let non_links = NonLinks::new(&self.graph, page, self.seed, self.pass).take(links.len());
                examples.extend(links.iter().map(link).chain(non_links.map(|target| (target, false))));
            }
            Share::Hand { round, rounds } => {
                // Non-links are shuffled as ranks: to find the pages of all of them in every round would be
                // most of the work.
                let mut non_links = NonLinks::new(&self.graph, page, self.seed, self.pass);
                deck.clear();
                deck.extend(links.iter().map(|&PageId(target)| u64::from(target) << 1 | 1));
                deck.extend(std::iter::from_fn(|| non_links.draw()).take(links.len()).map(|rank| rank << 1));
                let hand = deck.len() * round / rounds..deck.len() * (round + 1) / rounds;
                let of = u64::from(page.0) | self.pass << 32;
                shuffle_down_to(&mut generator(self.seed, Purpose::ExampleOrder, of), deck, hand.start);
                examples.extend(deck[hand].iter().map(|&card| match card & 1 {
                    1 => (PageId((card >> 1) as u32), true),
                    _ => (non_links.ranked(card >> 1), false),
                }));
            }
        }
    }
}
