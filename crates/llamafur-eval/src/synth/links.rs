//! The links of pages: targets proposed by popularity, accepted by the truth.

use super::affinity::{Affinity, Side};
use super::plant::Popular;
use super::random::{Stream, coin, stream};
use llamafur::learn::sampler::{Generator, below};

/// β and θ: a proposal is accepted with probability 1/(1 + exp(−β·(e* − θ))).
pub(super) const STEEPNESS: f32 = 2.5;
pub(super) const MIDDLE: f32 = 1.0;

/// Numbers of proposals per link, and per page besides, after which links are chosen among uniform pages.
const PROPOSALS: (usize, usize) = (64, 1024);

/// Number of uniform pages of which the one with the largest e* is chosen.
const CHOICE: usize = 16;

/// A generator of the links of pages.
pub(super) struct Links<'a> {
    pub(super) seed: u64,
    pub(super) affinity: &'a Affinity<'a>,
    pub(super) popular: &'a Popular,
    pub(super) degrees: &'a [u32],
    /// The planted links, by source.
    pub(super) planted: &'a [(u32, u32)],
}

/// Links of consecutive pages, end to end, with counts.
#[derive(Default)]
pub(super) struct Drawn {
    pub(super) targets: Vec<u32>,
    pub(super) account: Account,
}

/// Counts of proposals and choices.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Account {
    /// Proposed targets.
    pub(super) proposed: u64,
    /// Links chosen among uniform pages, after too many proposals.
    pub(super) chosen: u64,
}

impl Account {
    pub(super) fn add(&mut self, other: Account) {
        self.proposed += other.proposed;
        self.chosen += other.chosen;
    }
}

/// Buffers that the pages of a chunk share.
#[derive(Default)]
struct Desk {
    side: Side,
    row: Vec<u32>,
    numbers: Vec<u64>,
    proposals: Vec<u32>,
    scores: Vec<f32>,
}

impl Links<'_> {
    /// Draws the links of these pages.
    pub(super) fn draw(&self, pages: std::ops::Range<usize>) -> Drawn {
        let mut desk = Desk::default();
        let num: usize = self.degrees[pages.clone()].iter().map(|&degree| degree as usize).sum();
        let mut drawn = Drawn { targets: Vec::with_capacity(num), account: Account::default() };
        for page in pages {
            drawn.account.add(self.draw_page(page as u32, &mut desk));
            drawn.targets.extend_from_slice(&desk.row);
        }
        drawn
    }

    /// Fills the desk's row with the links of a page, ascending.
    fn draw_page(&self, page: u32, desk: &mut Desk) -> Account {
        let degree = self.degrees[page as usize] as usize;
        desk.row.clear();
        if let Ok(place) = self.planted.binary_search_by_key(&page, |&(source, _)| source) {
            desk.row.push(self.planted[place].1);
        }
        let mut account = Account::default();
        if desk.row.len() == degree {
            return account;
        }
        let mut draw = stream(self.seed, Stream::Links, page.into());
        self.affinity.prepare(page, &mut desk.side);
        let mut left = PROPOSALS.0 * degree + PROPOSALS.1;
        while desk.row.len() < degree && left > 0 {
            // About one in six is accepted. In batches the reads of many proposals overlap.
            let batch = ((degree - desk.row.len()) * 6).clamp(16, 256).min(left);
            left -= batch;
            account.proposed += self.propose(page, degree, batch, desk, &mut draw);
            // The row is sorted but for what was just added: that takes little more than a merge.
            desk.row.sort();
            desk.row.dedup();
        }
        while desk.row.len() < degree {
            self.choose(page, desk, &mut draw);
            account.chosen += 1;
        }
        account
    }

    /// Appends accepted targets until there are enough, perhaps with duplicates. Returns the number of proposals.
    fn propose(&self, page: u32, degree: usize, batch: usize, desk: &mut Desk, draw: &mut Generator) -> u64 {
        self.popular.draw(batch, draw, &mut desk.numbers, &mut desk.proposals);
        desk.scores.clear();
        self.affinity.score(&mut desk.side, &desk.proposals, &mut desk.scores);
        let mut proposed = 0;
        for (&target, score) in desk.proposals.iter().zip(&desk.scores) {
            proposed += 1;
            let odds_against = (STEEPNESS * (MIDDLE - score)).exp();
            if coin(draw) * (1.0 + odds_against) < 1.0 && target != page {
                desk.row.push(target);
                if desk.row.len() == degree {
                    break;
                }
            }
        }
        proposed
    }

    /// Inserts the best of a few uniform pages that the page does not link to yet.
    fn choose(&self, page: u32, desk: &mut Desk, draw: &mut Generator) {
        let num_pages = self.degrees.len() as u32;
        desk.proposals.clear();
        for _ in 0..CHOICE {
            let mut target = below(draw, num_pages.into()) as u32;
            // At most half of the pages are linked to, so a free one is near.
            while target == page || desk.row.binary_search(&target).is_ok() {
                target = (target + 1) % num_pages;
            }
            desk.proposals.push(target);
        }
        desk.scores.clear();
        self.affinity.score(&mut desk.side, &desk.proposals, &mut desk.scores);
        let scored = desk.scores.iter().zip(&desk.proposals);
        if let Some((_, &best)) = scored.max_by(|a, b| a.0.total_cmp(b.0)) {
            let place = desk.row.partition_point(|&target| target < best);
            desk.row.insert(place, best);
        }
    }
}
