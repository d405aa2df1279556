//! How many links that were moved to a page of a similar title `Engine::mend` finds.
//!
//! Usage: `cargo run --release -p llamafur-bench --bin mending -- LINKS SEEDS CORPUS…`, where each corpus has a model `llamafur`. For
//! each seed so many links are moved in a copy, and the model is learnt again. The figures are precision at 100 and recall, for
//! several scorers, the mean and the range over seeds. Nothing is timed.

#![allow(clippy::print_stdout, reason = "a benchmark prints")]

use llamafur::corpus::Corpus;
use llamafur::engine::{Engine, EngineConf, RankConf};
use llamafur::learn::Model;
use llamafur::progress::Silent;
use llamafur::score::{Blend, ScoreConf};
use llamafur_eval::misdirected::{MendFigures, Misdirected};
use llamafur_eval::planted::temporary_folder;
use llamafur_eval::statistics::mean;

type AnyError = Box<dyn std::error::Error>;

/// Suspicious links that are looked at.
const FIRST: usize = 100;

fn scorers() -> Vec<(&'static str, RankConf)> {
    let conf = RankConf::default().top(0);
    let predicting = ScoreConf { blend: Blend::Predictions, ..ScoreConf::default() };
    vec![
        ("blend", conf.clone()),
        ("predict's blend", conf.clone().score(predicting)),
        ("llamafur", conf.clone().scorer("llamafur")),
        ("categories", conf.clone().scorer("categories")),
        ("aa", conf.clone().scorer("aa")),
        ("cosine", conf.scorer("cosine")),
    ]
}

fn main() -> Result<(), AnyError> {
    let mut arguments = std::env::args().skip(1);
    let (Some(links), Some(seeds)) = (arguments.next(), arguments.next()) else {
        return Err("give how many links to move, how many seeds, and the corpora".into());
    };
    let (links, seeds): (usize, u64) = (links.parse()?, seeds.parse()?);
    for path in arguments {
        report(&path, links, seeds)?;
    }
    Ok(())
}

fn report(path: &str, links: usize, seeds: u64) -> Result<(), AnyError> {
    let corpus = Corpus::open(path)?;
    let model = Model::open(&corpus, "llamafur")?;
    let mut found: Vec<Vec<MendFigures>> = vec![Vec::new(); scorers().len()];
    let mut counts = (0, 0);
    for seed in 1..=seeds {
        let moved = Misdirected::new(&corpus, links, seed, temporary_folder()?, &mut Silent)?;
        counts = (moved.moved.len(), moved.num_mistakable);
        moved.copy.learn(&model, &corpus, &mut Silent)?;
        let engine = Engine::new(moved.copy.corpus(), EngineConf::default());
        for ((_, conf), figures) in scorers().iter().zip(&mut found) {
            figures.push(moved.measure(&engine.mend(conf, &mut Silent)?.links, FIRST)?);
        }
    }
    println!("\n{path}: {} of {} links moved, {seeds} seeds", counts.0, counts.1);
    println!("scorer            precision at {FIRST}      of links  recall at {FIRST}  recall");
    for ((name, _), figures) in scorers().iter().zip(&found) {
        let of = |value: fn(&MendFigures) -> f64| figures.iter().map(value).collect::<Vec<f64>>();
        let precision = of(|f| f.precision);
        let low = precision.iter().copied().fold(f64::INFINITY, f64::min);
        let high = precision.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        println!(
            "{name:<16}  {:.3} [{low:.2}, {high:.2}]     {:.3}     {:.3}          {:.3}",
            mean(&precision),
            mean(&of(|f| f.precision_of_links)),
            mean(&of(|f| f.recall_at_k)),
            mean(&of(|f| f.recall)),
        );
    }
    Ok(())
}
