//! Numbers of links of pages, and their popularity as targets.

use super::conf::SynthConf;
use super::random::{Normal, Stream, bits, stream};
use llamafur::learn::sampler::unit;

/// The standard deviation of the logarithm of a page's number of links.
const SPREAD: f32 = 1.1;

/// Draws the number of links of each page: log-normal, capped, with exactly the requested total.
///
/// A page with a planted link (`planted` ascends) has at least that one. The rest is shared in proportion to log-normal
/// weights; the rounding error of one page is carried to the next.
pub(super) fn degrees(conf: &SynthConf, planted: &[u32]) -> Vec<u32> {
    let mut draw = stream(conf.seed, Stream::Degrees, 0);
    let normal = Normal::get();
    let weights: Vec<f32> = (0..conf.pages).map(|_| (SPREAD * normal.of(bits(&mut draw))).exp()).collect();
    let mut degrees = vec![0u32; conf.pages];
    planted.iter().for_each(|&page| degrees[page as usize] = 1);
    let cap = conf.most_links() as u32;
    let wanted = conf.links as u64;
    let scale = scale(&weights, f64::from(cap), (wanted - planted.len() as u64) as f64);
    let (mut carried, mut total) = (0.0, 0);
    for (degree, &weight) in degrees.iter_mut().zip(&weights) {
        carried += (f64::from(weight) * scale).min(f64::from(cap - *degree));
        let more = (carried as u32).min(cap - *degree);
        carried -= f64::from(more);
        *degree += more;
        total += u64::from(*degree);
    }
    settle(&mut degrees, planted, cap, total, wanted);
    degrees
}

/// Returns the scale at which weights that are cut off at `cap` add up to `wanted`.
fn scale(weights: &[f32], cap: f64, wanted: f64) -> f64 {
    let mut scale = 0.0;
    let mut capped = None;
    loop {
        // What is cut off at one scale stays cut off at the next, which is larger.
        let (mut num, mut rest) = (0u64, 0.0);
        for weight in weights.iter().map(|&weight| f64::from(weight)) {
            if weight * scale >= cap && scale > 0.0 { num += 1 } else { rest += weight }
        }
        if capped == Some(num) || rest == 0.0 {
            return scale;
        }
        capped = Some(num);
        scale = (wanted - num as f64 * cap).max(0.0) / rest;
    }
}

/// Adds or removes a link a page, from the first page on, until the total is `wanted`.
fn settle(degrees: &mut [u32], planted: &[u32], cap: u32, mut total: u64, wanted: u64) {
    let least = |page: usize| u32::from(planted.binary_search(&(page as u32)).is_ok());
    while total != wanted {
        for (page, degree) in degrees.iter_mut().enumerate() {
            if total < wanted && *degree < cap {
                *degree += 1;
                total += 1;
            } else if total > wanted && *degree > least(page) {
                *degree -= 1;
                total -= 1;
            }
        }
    }
}

/// Draws the popularity of each page as a target: Pareto numbers with exponent 3/2, so that in-degrees fall off with
/// exponent 5/2.
pub(super) fn popularities(conf: &SynthConf) -> Vec<f64> {
    let mut draw = stream(conf.seed, Stream::Popularity, 0);
    (0..conf.pages).map(|_| (1.0 - unit(&mut draw)).cbrt().powi(-2)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conf(pages: usize, links: usize) -> SynthConf {
        SynthConf::default().pages(pages).links(links)
    }

    #[test]
    fn the_total_is_exact_and_nobody_is_above_the_cap() {
        for (pages, links) in [(2, 1), (3, 1), (10, 22), (101, 2525), (1000, 1), (1000, 7), (5000, 120_001)] {
            for planted in [vec![], vec![0], vec![1, 2]] {
                if planted.len() > links {
                    continue;
                }
                let degrees = degrees(&conf(pages, links), &planted);
                assert_eq!(degrees.iter().map(|&d| d as usize).sum::<usize>(), links, "{pages} {links}");
                assert!(degrees.iter().all(|&d| d as usize <= conf(pages, links).most_links()));
                assert!(planted.iter().all(|&page| degrees[page as usize] > 0));
            }
        }
    }

    #[test]
    fn every_page_can_have_a_planted_link() {
        let all: Vec<u32> = (0..50).collect();
        assert_eq!(degrees(&conf(50, 50), &all), vec![1; 50]);
    }

    #[test]
    fn some_pages_have_many_links() {
        let mut degrees = degrees(&conf(10_000, 240_000), &[]);
        degrees.sort_unstable_by(|a, b| b.cmp(a));
        let share = |num: usize| degrees[..num].iter().sum::<u32>() as f64 / 240_000.0;
        // One per cent of a log-normal of spread 1.1 holds Φ(1.1 − 2.326) = 11%, ten per cent 43%.
        assert!((0.09..0.14).contains(&share(100)), "{}", share(100));
        assert!((0.40..0.46).contains(&share(1000)), "{}", share(1000));
    }

    #[test]
    fn some_targets_are_very_popular() {
        let mut weights = popularities(&conf(10_000, 1));
        weights.sort_unstable_by(|a, b| b.total_cmp(a));
        let share = weights[..100].iter().sum::<f64>() / weights.iter().sum::<f64>();
        // One per cent of a Pareto distribution of exponent 3/2 holds 0.01^(1/3) = 22%.
        assert!((0.15..0.30).contains(&share), "{share}");
    }
}
