//! What `factored` learns with one setting changed at a time, on held-out, on planted and on judged links.
//!
//! Usage: `cargo run --release -p llamafur-bench --bin factored_settings -- SEEDS [--only WORD,…] CORPUS[=JUDGMENTS]…`, over each
//! of the features of a corpus that `train` would take; `--only batch` tries other batches and nothing else. For every seed:
//!
//! - a tenth of the links is held out: F-measure and, by the mean, AUC against as many non-links;
//! - as many links as a hundredth of those there are is planted, between pages drawn uniformly that have
//!   categories: the chance that a planted one ranks above one that was there, by the mean;
//! - with a file of judgments, bpref of the matrix of all links, by the mean.
//!
//! `4 folds` scores each link by a matrix that was learnt without its fold; on held-out links it is the same.
//!
//! The figures are means over seeds; in brackets the standard error of the difference from the first row, with the
//! same seeds on both sides. Nothing is timed.

#![allow(clippy::print_stdout, reason = "a benchmark prints")]

use llamafur::categories::Categories;
use llamafur::corpus::Corpus;
use llamafur::graph::{Fold, Graph, PageId};
use llamafur::learn::cross_validation::Spread;
use llamafur::learn::held_out::{Measures, Split};
use llamafur::learn::sampler::{Draw, Purpose, below, generator};
use llamafur::learn::{LearnConf, Learnt, Tuning, features, learn, train_measured};
use llamafur::progress::Silent;
use llamafur::score::{LlamaFur, Normalise, Score};
use llamafur::storage::CsrBuf;
use llamafur_eval::evaluation::evaluate;
use llamafur_eval::judgments::{Form, Judgments, Query};
use llamafur_eval::measures::Measure;
use llamafur_eval::statistics::mean;
use std::collections::BTreeSet;
use std::error::Error;
use std::sync::Arc;

/// Folds over which links are scored by a matrix that has not seen them.
const FOLDS: u32 = 4;

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
    settings.extend([0.5, 2.0].map(|cost| (format!("cost {cost}"), tuned(&|t| t.cost = cost))));
    let ratio = |ratio: usize, cost: f32| tuned(&|t| (t.ratio, t.cost) = (ratio, cost));
    settings.push(("3 non-links".into(), ratio(3, 1.0)));
    settings.push(("3, cost 3".into(), ratio(3, 3.0)));
    settings.push(("no non-links".into(), ratio(0, 1.0)));
    settings.push(("hardest of 4".into(), tuned(&|t| (t.ratio, t.hardest) = (4, true))));
    settings.push((format!("{FOLDS} folds"), base()));
    settings
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).peekable();
    let seeds: u64 = arguments.next().ok_or("give the number of seeds and the corpora")?.parse()?;
    let only = match arguments.next_if_eq("--only") {
        Some(_) => arguments.next().ok_or("--only needs words")?,
        None => String::new(),
    };
    // The first row is what all others are compared with.
    let is_asked_for = |(row, (name, _)): &(usize, (String, LearnConf))| {
        *row == 0 || only.split(',').any(|word| name.starts_with(word))
    };
    let settings: Vec<_> =
        settings().into_iter().enumerate().filter(is_asked_for).map(|(_, setting)| setting).collect();
    for argument in arguments {
        let (path, judgments) = argument.split_once('=').map_or((&argument[..], None), |(a, b)| (a, Some(b)));
        let corpus = Corpus::open(path)?;
        let judged = judgments.map(|file| queries(&corpus, file)).transpose()?.unwrap_or_default();
        for categories in features::available(&corpus, Categories::preferred(&corpus)?, &mut Silent)? {
            compare(&categories, path, seeds, &settings, &judged)?;
        }
    }
    Ok(())
}

/// The judged pages of a corpus.
fn queries(corpus: &Corpus, file: &str) -> Result<Vec<Query>, Box<dyn Error>> {
    let input = std::fs::File::open(file)?;
    let judgments = Judgments::read(input, file, Form::default(), &mut { corpus }, &mut Silent)?;
    Ok(judgments.with_both_kinds().cloned().collect())
}

/// A table of all settings over one feature.
fn compare(
    categories: &Categories,
    path: &str,
    seeds: u64,
    settings: &[(String, LearnConf)],
    judged: &[Query],
) -> Result<(), Box<dyn Error>> {
    let graph = categories.graph()?;
    let trials: Vec<Trial> = (1..=seeds).map(|seed| Trial::new(&graph, seed)).collect();
    println!(
        "\n{path}: {} pages, {} links, {} {}, {seeds} seeds",
        graph.num_pages(),
        graph.num_links(),
        graph.num_categories,
        categories.feature()
    );
    println!("setting         F-measure          AUC                planted AUC        bpref");
    let mut first: Option<Vec<Vec<f64>>> = None;
    for (name, conf) in settings {
        let mut columns = vec![Vec::new(); if judged.is_empty() { 3 } else { 4 }];
        for trial in &trials {
            let mut measured = trial.measure(&graph, conf, name.ends_with("folds")).to_vec();
            if !judged.is_empty() && !name.ends_with("folds") {
                measured.push(bpref(categories, &conf.clone().seed(trial.seed), judged)?);
            }
            columns.iter_mut().zip(measured).for_each(|(column, value)| column.push(value));
        }
        let first = first.get_or_insert_with(|| columns.clone());
        let cells =
            columns.iter().zip(first).filter(|(column, _)| !column.is_empty()).map(|(column, first)| {
                let differences: Vec<f64> =
                    column.iter().zip(first).map(|(now, then)| *now - *then).collect();
                let Spread { sd, .. } = Spread::of(&differences);
                format!("{:.4} ({:.4})", mean(column), sd / (seeds as f64).sqrt())
            });
        println!("{name:<14}  {}", cells.collect::<Vec<_>>().join("    "));
    }
    Ok(())
}

/// bpref of the matrix that is learnt from all links.
fn bpref(categories: &Categories, conf: &LearnConf, judged: &[Query]) -> Result<f64, Box<dyn Error>> {
    let model = Arc::new(train_measured(categories, "m", conf, None, &mut Silent)?);
    let scorer: Arc<dyn Score> = Arc::new(LlamaFur::new(model, Normalise::Mean)?);
    let judged: Vec<&Query> = judged.iter().collect();
    let evaluation = evaluate(categories.corpus(), &judged, &[scorer], 1, &mut Silent)?;
    Ok(mean(&evaluation.scorers[0].of_each(Measure::Bpref)))
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
    fn measure(&self, graph: &Graph<'_>, conf: &LearnConf, in_folds: bool) -> [f64; 3] {
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
        if !in_folds {
            let planted = Measures::of(graph, &pairs, learn(&self.links).matrix(), Normalise::Mean);
            return [held_out.f_measure, held_out.auc, planted.auc];
        }
        let mut scored = Vec::with_capacity(pairs.len());
        for fold in Fold::all(FOLDS, self.seed) {
            let links = CsrBuf::from_iter(with_planted.pages().map(|page| {
                let links = with_planted.links(page).iter().copied();
                links.filter(move |&target| !fold.holds(page, target)).collect::<Vec<_>>()
            }));
            let (matrix, carried) = (learn(&links), &graph.categories);
            for &(source, target, is_link) in pairs.iter().filter(|pair| fold.holds(pair.0, pair.1)) {
                let rows = matrix.matrix().rows(carried.row(source.index()));
                let e = Normalise::Mean.expectedness(rows, carried.row(target.index()));
                let e = e.expect("the matrix is in memory").unwrap_or(0.0);
                scored.push((e, is_link));
            }
        }
        [held_out.f_measure, held_out.auc, Measures::of_scores(scored).auc]
    }
}
