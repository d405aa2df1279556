//! A long page, made of a little: its links are ranked with their sentences in work and output that follow its length.

use super::sample;
use llamafur::RankConf;
use llamafur::engine::{Draft, PlaceSet};

/// Bytes of the longest page.
const LONGEST: usize = 200_000;

/// The first byte says how often the second line is repeated between the first and the third.
pub fn check(bytes: &[u8]) {
    let Some((&times, rest)) = bytes.split_first() else { return };
    let text = String::from_utf8_lossy(rest);
    let mut parts = text.splitn(3, '\n');
    let mut part = || parts.next().unwrap_or_default();
    let (before, unit, after) = (part(), part(), part());
    let times = (1 << (times % 16)).min(LONGEST / unit.len().max(1));
    let page = [before, &unit.repeat(times), after].concat();
    for engine in [sample::wiki_engine(), sample::plain_engine()] {
        let Ok(draft) = Draft::new("New page", page.as_bytes()) else { return };
        let conf = RankConf::default().scorer("naive").places(PlaceSet::ALL).top(0);
        let Ok(ranked) = engine.rank_draft(&draft, &conf) else { continue };
        for link in &ranked.ranking.links {
            let sentence = link.snippet.as_deref().unwrap_or_default();
            assert!(sentence.chars().count() <= sample::LONGEST_SENTENCE, "{}: {sentence}", link.target);
        }
    }
}
