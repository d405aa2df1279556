//! What `factored` learns with one setting changed at a time, on held-out and on planted links.
//!
//! Usage: `cargo run --release -p llamafur-bench --bin factored_settings -- SEEDS [--only WORD] CORPUS…`, with the categories
//! of each corpus as `train` would take them; `--only batch` tries other batches and nothing else. For every seed:
//!
//! - a tenth of the links is held out: F-measure and, by the mean, AUC against as many non-links;
//! - as many links as a hundredth of those there are is planted, between pages drawn uniformly that have
//!   categories: the chance that a planted one ranks above one that was there, by the mean.
//!
//! The figures are means over seeds; in brackets the standard error of the difference from the first row, with the
//! same seeds on both sides. Nothing is timed.

#![allow(clippy::print_stdout, reason = "a benchmark prints")]

use llamafur::categories::Categories;
use llamafur::corpus::Corpus;
use llamafur::graph::{Graph, PageId};
use llamafur::learn::cross_validation::Spread;
use llamafur::learn::held_out::{Measures, Split};
use llamafur::learn::sampler::{Draw, Purpose, below, generator};
use llamafur::learn::{LearnConf, Learnt, Tuning, learn};
use llamafur::progress::Silent;
use llamafur::score::Normalise;
use llamafur::storage::CsrBuf;
use llamafur_eval::statistics::mean;
use std::collections::BTreeSet;
use std::error::Error;

fn settings() -> Vec<(String, LearnConf)> {
    let base = || LearnConf::default().ensemble(1);
    let tuned = |change: &dyn Fn(&mut Tuning)| {
        let mut tuning = Tuning::default();
        change(&mut tuning);
        base().tuning(tuning)
    };
    let mut settings = vec![("as it is".into(), base())];
    settings.extend([8, 16, 64, 128].map(|rank| (format!("rank {rank}"), base().rank(rank))));
    settings.extend([2, 3, 8, 12].map(|passes| (format!("{passes} passes"), base().passes(passes))));
    settings.extend([0.03, 0.05, 0.2, 0.3].map(|step| (format!("step {step}"), tuned(&|t| t.step = step))));
    let decays = [0.0, 1e-5, 1e-3, 1e-2];
    settings.extend(decays.map(|decay| (format!("decay {decay}"), tuned(&|t| t.decay = decay))));
    let batches = [128, 2048, 4096, 8192, 16384];
    settings.extend(batches.map(|batch| (format!("batch {batch}"), tuned(&|t| t.batch = Some(batch)))));
    settings.push(("by in-degree".into(), tuned(&|t| t.non_links = Draw::ByInDegree)));
    settings.push(("mixed".into(), tuned(&|t| t.non_links = Draw::Mixed)));
    settings
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).peekable();
    let seeds: u64 = arguments.next().ok_or("give the number of seeds and the corpora")?.parse()?;
    let only = match arguments.next_if_eq("--only") {
        Some(_) => arguments.next().ok_or("--only needs a word")?,
        None => String::new(),
    };
    // The first row is what all others are compared with.
    let is_asked_for = |(row, (name, _)): &(usize, (String, LearnConf))| *row == 0 || name.starts_with(&only);
    let settings: Vec<_> =
        settings().into_iter().enumerate().filter(is_asked_for).map(|(_, setting)| setting).collect();
    for path in arguments {
        let corpus = Corpus::open(&path)?;
        let categories = Categories::preferred(&corpus)?;
        let graph = categories.graph()?;
        let trials: Vec<Trial> = (1..=seeds).map(|seed| Trial::new(&graph, seed)).collect();
        println!(
            "\n{path}: {} pages, {} links, {} categories, {seeds} seeds",
            graph.num_pages(),
            graph.num_links(),
            graph.num_categories
        );
        println!("setting         F-measure          AUC                planted AUC");
        let mut first: Option<[Vec<f64>; 3]> = None;
        for (name, conf) in &settings {
            let mut columns = [Vec::new(), Vec::new(), Vec::new()];
            for trial in &trials {
                let measured = trial.measure(&graph, conf);
                columns.iter_mut().zip(measured).for_each(|(column, value)| column.push(value));
            }
            let first = first.get_or_insert_with(|| columns.clone());
            let cells = columns.iter().zip(first).map(|(column, first)| {
                let differences: Vec<f64> =
                    column.iter().zip(first).map(|(now, then)| *now - *then).collect();
                let Spread { sd, .. } = Spread::of(&differences);
                format!("{:.4} ({:.4})", mean(column), sd / (seeds as f64).sqrt())
            });
            println!("{name:<14}  {}", cells.collect::<Vec<_>>().join("    "));
        }
    }
    Ok(())
}

/// What one seed holds out and plants.
struct Trial {
    seed: u64,
    split: Split,
    planted: BTreeSet<(PageId, PageId)>,
    /// All links and those planted.
    links: CsrBuf<PageId>,
}

impl Trial {
    fn new(graph: &Graph<'_>, seed: u64) -> Trial {
        let with_categories: Vec<PageId> =
            graph.pages().filter(|&page| !graph.categories(page).is_empty()).collect();
        let mut draw = generator(seed, Purpose::Synth, 0);
        let mut page = || with_categories[below(&mut draw, with_categories.len() as u64) as usize];
        let mut planted = BTreeSet::new();
        while planted.len() < graph.num_links() / 100 {
            let (source, target) = (page(), page());
            if source != target && graph.links(source).binary_search(&target).is_err() {
                planted.insert((source, target));
            }
        }
        let row = |page: PageId| {
            let new = planted.range((page, PageId(0))..=(page, PageId(u32::MAX))).map(|&(_, target)| target);
            let mut row: Vec<PageId> = graph.links(page).iter().copied().chain(new).collect();
            row.sort_unstable();
            row
        };
        let links = CsrBuf::from_iter(graph.pages().map(row));
        Trial { seed, split: Split::new(graph, 0.1, seed), planted, links }
    }

    /// F-measure and AUC on held-out links, AUC of the planted ones.
    fn measure(&self, graph: &Graph<'_>, conf: &LearnConf) -> [f64; 3] {
        let learn = |links: &CsrBuf<PageId>| -> Learnt {
            let graph = Graph { links: links.view(), ..*graph };
            learn(&graph, &conf.clone().seed(self.seed), &mut Silent).expect("a graph to learn from").0
        };
        let matrix = learn(&self.split.training);
        let held_out = Measures::of(graph, &self.split.pairs, matrix.matrix(), Normalise::Mean);
        let with_planted = Graph { links: self.links.view(), ..*graph };
        let pairs: Vec<(PageId, PageId, bool)> = with_planted
            .pages()
            .flat_map(|source| with_planted.links(source).iter().map(move |&target| (source, target)))
            .map(|(source, target)| (source, target, !self.planted.contains(&(source, target))))
            .collect();
        let matrix = learn(&self.links);
        let planted = Measures::of(graph, &pairs, matrix.matrix(), Normalise::Mean);
        [held_out.f_measure, held_out.auc, planted.auc]
    }
}
