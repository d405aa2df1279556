//! Held-out F-measure and AUC by the number of milestones: what cleansing costs and gains.
//!
//! Usage: `cargo run --release -p llamafur-bench --bin milestones -- CORPUS SEEDS ANCESTORS GOAL…`, where a goal
//! is what `cleanse --milestones` takes, with `/N` behind it for `--min-pages N`, or `none` for the categories as they
//! are. For every seed a tenth of the links is held out, the same for all goals; pairs that cannot be told for want of
//! categories count as errors. The figures are the mean and the standard deviation over
//! seeds. Nothing is timed.

#![allow(clippy::print_stdout, reason = "a benchmark prints")]

use llamafur::categories::{Categories, CleanseConf, Cleanser};
use llamafur::corpus::Corpus;
use llamafur::graph::Graph;
use llamafur::human_bytes;
use llamafur::learn::cross_validation::Spread;
use llamafur::learn::held_out::{Measures, Split};
use llamafur::learn::{LearnConf, Method, learn};
use llamafur::progress::Silent;
use llamafur::score::Normalise;
use std::error::Error;

const METHODS: [Method; 3] = [Method::Factored, Method::Averaged, Method::Paper];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(path), Some(seeds), Some(ancestors)) = (arguments.next(), arguments.next(), arguments.next())
    else {
        return Err("give a corpus, the number of seeds, levels of ancestors and the goals".into());
    };
    let (seeds, ancestors): (u64, usize) = (seeds.parse()?, ancestors.parse()?);
    let corpus = Corpus::open(&path)?;
    let whole = Categories::whole_graph(&corpus)?;
    let cleanser = Cleanser::new(&corpus, None, &mut Silent)?;
    let splits: Vec<Split> = (1..=seeds).map(|seed| Split::new(&whole, 0.1, seed)).collect();
    println!(
        "{path}: {} pages, {} links, {} categories; 10% held out, {seeds} seeds, {ancestors} levels of ancestors",
        whole.num_pages(),
        whole.num_links(),
        whole.num_categories
    );
    println!("goal        milestones  a page  pages without  dense matrix  learner     F-measure        AUC");
    for goal in arguments {
        let cleansing = match goal.as_str() {
            "none" => None,
            goal => {
                let (count, min_pages) = goal.split_once('/').unwrap_or((goal, "0"));
                let conf = CleanseConf::default().goal(count.parse()?).ancestors(ancestors);
                Some(cleanser.cleanse(&conf.min_pages(min_pages.parse()?))?)
            }
        };
        let graph = cleansing.as_ref().map_or(whole, |cleansing| cleansing.graph(whole.links));
        let without = graph.categories.rows().filter(|row| row.is_empty()).count();
        for method in METHODS {
            let runs = splits.iter().zip(1..).map(|(split, seed)| held_out(&graph, split, method, seed));
            let runs: Vec<Measures> = runs.collect();
            let spread = |of: fn(&Measures) -> f64| Spread::of(&runs.iter().map(of).collect::<Vec<_>>());
            let Spread { mean: f, sd: f_sd } = spread(|m| m.f_measure);
            let Spread { mean: auc, sd: auc_sd } = spread(|m| m.auc);
            println!(
                "{goal:<10}  {:>10}  {:>6.2}  {without:>13}  {:>12}  {method:<10}  {f:.4} ± {f_sd:.4}  {auc:.4} ± {auc_sd:.4}",
                graph.num_categories,
                graph.categories.num_values() as f64 / graph.num_pages() as f64,
                human_bytes(4 * (graph.num_categories as u64).pow(2)),
            );
        }
    }
    Ok(())
}

fn held_out(graph: &Graph<'_>, split: &Split, method: Method, seed: u64) -> Measures {
    let training = Graph { links: split.training.view(), ..*graph };
    let conf = LearnConf::default().method(method).seed(seed).ensemble(1);
    let (learnt, _) = learn(&training, &conf, &mut Silent).expect("a graph to learn from");
    Measures::of(graph, &split.pairs, learnt.matrix(), Normalise::default())
}
