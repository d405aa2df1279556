//! Planted links: links that the truth does not expect.

use super::affinity::{Affinity, Side};
use super::alias::Alias;
use super::conf::SynthConf;
use super::degrees::popularities;
use super::random::{Stream, bits, stream};
use llamafur::learn::sampler::{Generator, below};
use rayon::prelude::*;

/// Number of pairs of pages in the sample that estimates the lowest tenth of e*.
const SAMPLE: usize = 1 << 14;

/// Size and number of the batches of proposals for a planted link; after that the lowest e* seen is taken.
const PROPOSALS: (usize, usize) = (32, 64);

/// A generator of targets by popularity.
pub(super) struct Popular(Alias);

impl Popular {
    pub(super) fn new(conf: &SynthConf) -> Popular {
        Popular(Alias::new(&popularities(conf)))
    }

    /// Fills `pages` with `num` pages; `numbers` is a buffer for the random numbers.
    pub(super) fn draw(
        &self,
        num: usize,
        draw: &mut Generator,
        numbers: &mut Vec<u64>,
        pages: &mut Vec<u32>,
    ) {
        // The numbers first, so that the reads of the table overlap.
        numbers.clear();
        numbers.extend((0..num).map(|_| bits(draw)));
        pages.clear();
        pages.extend(numbers.iter().map(|&bits| self.0.draw(bits)));
    }
}

/// Draws the pages with a planted link, ascending: the requested number, each set of pages equally likely.
pub(super) fn planted_pages(conf: &SynthConf) -> Vec<u32> {
    let mut draw = stream(conf.seed, Stream::PlantedPages, 0);
    let mut pages = Vec::with_capacity(conf.num_planted());
    // Knuth, “The Art of Computer Programming”, volume 2, section 3.4.2, algorithm S.
    for page in 0..conf.pages {
        let wanted = conf.num_planted() - pages.len();
        if below(&mut draw, (conf.pages - page) as u64) < wanted as u64 {
            pages.push(page as u32);
        }
    }
    pages
}

/// Draws the planted links by source: targets by popularity with e* in the lowest tenth.
pub(super) fn planted_links(conf: &SynthConf, popular: &Popular, affinity: &Affinity<'_>) -> Vec<(u32, u32)> {
    let pages = planted_pages(conf);
    if pages.is_empty() {
        return Vec::new();
    }
    let limit = lowest_tenth(conf, affinity);
    let plant = |page| (page, target(conf, popular, affinity, page, limit));
    pages.into_par_iter().map(plant).collect()
}

/// Estimates the e* below which a tenth of all pairs of pages lie, by a sample.
fn lowest_tenth(conf: &SynthConf, affinity: &Affinity<'_>) -> f32 {
    let mut draw = stream(conf.seed, Stream::PlantedLimit, 0);
    let (mut side, mut scores) = (Side::default(), Vec::with_capacity(SAMPLE));
    let pages = affinity.num_pages() as u64;
    for _ in 0..SAMPLE {
        affinity.prepare(below(&mut draw, pages) as u32, &mut side);
        affinity.score(&mut side, &[below(&mut draw, pages) as u32], &mut scores);
    }
    *scores.select_nth_unstable_by(SAMPLE / 10, f32::total_cmp).1
}

fn target(conf: &SynthConf, popular: &Popular, affinity: &Affinity<'_>, page: u32, limit: f32) -> u32 {
    let mut draw = stream(conf.seed, Stream::PlantedLink, page.into());
    let (mut side, mut scores) = (Side::default(), Vec::new());
    let (mut numbers, mut targets) = (Vec::new(), Vec::new());
    affinity.prepare(page, &mut side);
    // The next page, should the popular ones be this page alone.
    let mut lowest = (f32::INFINITY, (page + 1) % affinity.num_pages() as u32);
    for _ in 0..PROPOSALS.1 {
        popular.draw(PROPOSALS.0, &mut draw, &mut numbers, &mut targets);
        scores.clear();
        affinity.score(&mut side, &targets, &mut scores);
        for (&score, &target) in scores.iter().zip(&targets).filter(|(_, target)| **target != page) {
            if score <= limit {
                return target;
            }
            if score < lowest.0 {
                lowest = (score, target);
            }
        }
    }
    lowest.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_pages_as_asked_for() {
        let conf = |planted| SynthConf::default().pages(1000).links(5000).planted(planted);
        for planted in [0, 1, 17, 999, 1000] {
            let pages = planted_pages(&conf(planted));
            assert_eq!(pages.len(), planted);
            assert!(pages.is_sorted_by(|a, b| a < b));
        }
        assert_ne!(planted_pages(&conf(17)), planted_pages(&conf(17).seed(2)));
    }
}
