//! A graph of a wiki's shape: few pages with very many links to them, topics whose pages link to each other, and pages
//! with few or thousands of links from them.

use crate::wiki::words::normal;
use llamafur::graph::PageId;
use llamafur::learn::sampler::{Purpose, generator, shuffle, unit};
use llamafur::storage::CsrBuf;
use rayon::prelude::*;

/// Pages about one topic.
const TOPIC: usize = 300;

/// The part of a page's links that stay within its topic.
const WITHIN: f64 = 0.4;

/// The page of rank r among n is drawn n·uᵞ ≥ r: its links fall as r to the power of 1/γ − 1.
const SKEW: f64 = 2.75;

/// The most links from a page, and the standard deviation of the logarithm of their number.
const MOST: f64 = 4_000.0;
const SPREAD: f64 = 1.3;

/// A graph, and what its pages are about.
pub struct Wiki {
    /// Of each page its links.
    pub links: CsrBuf<PageId>,
    /// The topic of each page.
    pub topics: Vec<u32>,
}

/// So many pages, and about so many links.
pub fn graph(num_pages: usize, num_links: usize) -> Wiki {
    let mut draw = generator(1, Purpose::Synth, u64::MAX);
    // Pages in the order of how popular they are, and in that of their topics.
    let [by_fame, by_topic] = [(); 2].map(|()| {
        let mut pages: Vec<u32> = (0..num_pages as u32).collect();
        shuffle(&mut draw, &mut pages);
        pages
    });
    let mut topics = vec![0u32; num_pages];
    by_topic.iter().zip(0..).for_each(|(&page, place)| topics[page as usize] = place / TOPIC as u32);
    // What is drawn twice is lost; a log-normal number has its mean at exp(σ²/2) times its median.
    let median = 1.07 * num_links as f64 / num_pages as f64 / (SPREAD * SPREAD / 2.0).exp();
    let row = |page: usize| {
        let mut draw = generator(1, Purpose::Synth, page as u64);
        let num = (median * (SPREAD * normal(&mut draw)).exp()).min(MOST).round() as usize;
        let topic = topics[page] as usize * TOPIC..((topics[page] as usize + 1) * TOPIC).min(num_pages);
        let mut targets: Vec<PageId> = (0..num)
            .map(|_| {
                let among = if unit(&mut draw) < WITHIN { &by_topic[topic.clone()] } else { &by_fame[..] };
                PageId(among[(among.len() as f64 * unit(&mut draw).powf(SKEW)) as usize])
            })
            .filter(|target| target.index() != page)
            .collect();
        targets.sort_unstable();
        targets.dedup();
        targets
    };
    let rows: Vec<Vec<PageId>> = (0..num_pages).into_par_iter().map(row).collect();
    Wiki { links: rows.into_iter().collect(), topics }
}
