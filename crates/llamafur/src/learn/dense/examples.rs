//! The examples of a page in a round, all at once.

use crate::graph::{Graph, PageId};
use crate::learn::averaged::{fill_with_hand, first_of_hand};
use crate::learn::sampler::{NonLinks, has_non_links, page_order};
use crate::learn::{LearnConf, Method};

/// A target, and whether the page links to it.
pub(super) type Example = (PageId, bool);

/// The kind of examples that a page has in a round.
#[derive(Debug, Clone, Copy)]
pub(super) enum Share {
    /// All links of the page.
    Links,
    /// All links of the page, then as many non-links.
    LinksThenNonLinks,
    /// The share of one round of `averaged`: some of the page's links and as many non-links, shuffled.
    Hand {
        /// The number of the round.
        round: usize,
        /// The number of rounds.
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

impl<'a> Round<'a> {
    /// Returns all rounds of all passes.
    pub(super) fn all(graph: &Graph<'a>, conf: &LearnConf) -> Vec<Round<'a>> {
        let shares = match conf.method {
            Method::Naive => vec![Share::Links],
            Method::Averaged => {
                (0..conf.rounds).map(|round| Share::Hand { round, rounds: conf.rounds }).collect()
            }
            _ => vec![Share::LinksThenNonLinks],
        };
        let of_pass =
            |pass| shares.iter().map(move |&share| Round { graph: *graph, seed: conf.seed, pass, share });
        conf.pass_numbers().flat_map(of_pass).collect()
    }

    /// Returns the pages in the order of the round.
    pub(super) fn order(&self) -> Vec<PageId> {
        let num_pages = self.graph.num_pages();
        match self.share {
            Share::Links => self.graph.pages().collect(),
            Share::LinksThenNonLinks => page_order(num_pages, self.seed, self.pass),
            Share::Hand { round, rounds } => {
                page_order(num_pages, self.seed, self.pass * rounds as u64 + round as u64)
            }
        }
    }

    /// Returns the number of examples of the page, without drawing them.
    pub(super) fn num_examples(&self, page: PageId) -> usize {
        let links = self.graph.links(page).len();
        let both = if has_non_links(&self.graph, page) { 2 * links } else { links };
        match self.share {
            Share::Links => links,
            Share::LinksThenNonLinks => both,
            Share::Hand { round, rounds } => {
                let hand = links.saturating_sub(first_of_hand(page, round, rounds)).div_ceil(rounds);
                if both > links { 2 * hand } else { hand }
            }
        }
    }

    /// Replaces `examples` by those of the page.
    pub(super) fn deal(&self, page: PageId, examples: &mut Vec<Example>) {
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
                fill_with_hand(examples, &self.graph, page, self.seed, (self.pass, round, rounds));
            }
        }
    }
}
