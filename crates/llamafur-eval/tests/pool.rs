//! Which links are pooled.
#![allow(clippy::unwrap_used)] // a test that fails shall panic

use llamafur::corpus::Corpus;
use llamafur::engine::{Engine, EngineConf};
use llamafur::graph::PageId;
use llamafur::progress::Silent;
use llamafur::score::{Random, Score};
use llamafur::storage::Existing;
use llamafur_eval::pool::{PoolConf, Pooled, pool};
use llamafur_eval::synth::{SynthConf, synth};
use std::sync::Arc;
use tempfile::TempDir;

fn made(folder: &TempDir) -> Corpus {
    let out = folder.path().join("made.corpus");
    let conf = SynthConf::default().pages(400).links(20_000).categories(20);
    synth(&conf, &out, Existing::Refuse, &mut Silent).unwrap();
    Corpus::open(&out).unwrap()
}

/// The scorer `random` under another name, which is pooled as any other.
struct Disguised(Random);

impl Score for Disguised {
    fn name(&self) -> &str {
        "disguised"
    }

    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, llamafur::Error> {
        self.0.score(source, targets)
    }
}

/// The mean place of pooled links in the ranking of the scorer `random`, from 0 for the first to 1 for the last.
fn mean_place(corpus: &Corpus, pooled: &[Pooled]) -> f64 {
    let (mut sum, mut num) = (0.0, 0.0);
    for Pooled { page, targets } in pooled {
        let links = corpus.links(*page).unwrap();
        let scores = Random::new(1).score(*page, links).unwrap();
        for target in targets {
            let score = scores[links.binary_search(target).unwrap()];
            sum += scores.iter().filter(|other| **other > score).count() as f64 / (links.len() - 1) as f64;
            num += 1.0;
        }
    }
    sum / num
}

#[test]
fn the_pool_does_not_know_the_ranking_of_the_scorer_random() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = made(&folder);
    let engine = Engine::new(&corpus, EngineConf::default());
    let conf = PoolConf::new(200).min_links(20);
    let place = |scorer: Arc<dyn Score>| mean_place(&corpus, &pool(&engine, &[scorer], &conf).unwrap());
    // Some 900 links: the deviation of the mean of uniform places is 0.01.
    let (random, disguised) = (place(Arc::new(Random::new(1))), place(Arc::new(Disguised(Random::new(1)))));
    assert!((random - 0.5).abs() < 0.05, "{random}");
    assert!(disguised < 0.1, "{disguised}");
}

#[test]
fn pages_with_too_few_links_are_not_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = made(&folder);
    let engine = Engine::new(&corpus, EngineConf::default());
    let scorers: [Arc<dyn Score>; 1] = [Arc::new(Random::new(1))];
    let drawn = |min_links| pool(&engine, &scorers, &PoolConf::new(400).min_links(min_links)).unwrap();
    let enough = |min_links: usize| {
        (0..400).filter(|page| corpus.links(PageId(*page)).unwrap().len() >= min_links.max(1)).count()
    };
    for min_links in [0, 1, 30, 60] {
        assert_eq!(drawn(min_links).len(), enough(min_links));
    }
    assert!(enough(60) < enough(30) && enough(30) < enough(1));
    assert!(drawn(60).iter().all(|pooled| corpus.links(pooled.page).unwrap().len() >= 60));
}
