//! How well links that were held out are predicted, by each scorer and by `Engine::predict` itself.
//!
//! Usage: `cargo run --release -p llamafur-bench --bin predictions -- [--fit] [--seeds N] [--pages N] [--later CORPUS] CORPUS…`,
//! where each corpus has a model `llamafur`. For each seed a tenth of the links is held out of a copy and the model learnt again
//! from the rest. Pages are in two halves, by a hash of their numbers: one for choosing weights, one for the figures. In the second
//! half, N pages a seed with such links are measured (`task.rs`): all pages that a page is not known to link to are ranked. The figures are
//! hits@10, mean reciprocal rank and AUC, with 95% bootstrap intervals over pages, and the difference in hits@10 to
//! Adamic–Adar. `predict` is what the engine returns, ten links of some hundred pages that it chose; its AUC says little, since all others are tied.
//!
//! With `--fit`, weights of the blend are fitted (`fit.rs`) on N pages of the first half of every corpus, of the first seed, and
//! measured beside those in use: fitted on the corpus itself, on the other corpora alone, and on all.
//!
//! With `--later`, the links are not held out, but those that a later corpus of the same wiki has, and what the engine finds among the
//! pages that the text names is measured, too. Nothing is timed.

#![allow(clippy::print_stdout, reason = "a benchmark prints")]

mod fit;
mod task;

use fit::{Example, fitted};
use llamafur::score::PREDICTION_SIGNALS;
use llamafur_eval::predicted::Figures;
use llamafur_eval::statistics::{RESAMPLES, Resamples, mean};
use task::{Row, Task};

type AnyError = Box<dyn std::error::Error>;

struct Arguments {
    fit: bool,
    seeds: u64,
    pages: usize,
    later: Option<String>,
    corpora: Vec<String>,
}

fn arguments() -> Result<Arguments, AnyError> {
    let mut found = Arguments { fit: false, seeds: 1, pages: 500, later: None, corpora: Vec::new() };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match &argument[..] {
            "--fit" => found.fit = true,
            "--seeds" => found.seeds = arguments.next().ok_or("how many seeds?")?.parse()?,
            "--pages" => found.pages = arguments.next().ok_or("how many pages?")?.parse()?,
            "--later" => found.later = Some(arguments.next().ok_or("which corpus?")?),
            _ => found.corpora.push(argument),
        }
    }
    // What a later corpus has does not depend on a seed.
    found.seeds = if found.later.is_some() { 1 } else { found.seeds.max(1) };
    if found.corpora.is_empty() { Err("give a corpus with a model".into()) } else { Ok(found) }
}

/// Weights that are measured, and what they are called.
struct Candidate {
    name: String,
    weights: Vec<(String, f64)>,
}

fn main() -> Result<(), AnyError> {
    let arguments = arguments()?;
    let mut firsts = Vec::new();
    for path in &arguments.corpora {
        firsts.push(Task::new(path, &arguments, 1)?);
    }
    let examples = match arguments.fit {
        true => firsts.iter().map(Task::examples).collect::<Result<Vec<_>, _>>()?,
        false => Vec::new(),
    };
    let by_all = candidate("fitted on all", &examples.iter().collect::<Vec<_>>());
    for (number, first) in firsts.into_iter().enumerate() {
        let path = &arguments.corpora[number];
        let mut candidates = vec![Candidate { name: "predict's blend".into(), weights: in_use() }];
        if arguments.fit {
            let others = examples.iter().enumerate().filter(|(other, _)| *other != number);
            let others: Vec<&Vec<Example>> = others.map(|(_, examples)| examples).collect();
            candidates.push(candidate("fitted on it", &[&examples[number]]));
            if !others.is_empty() {
                candidates.push(candidate("fitted on others", &others));
                candidates.push(Candidate { name: by_all.name.clone(), weights: by_all.weights.clone() });
            }
        }
        let mut tasks = vec![first];
        for seed in 2..=arguments.seeds {
            tasks.push(Task::new(path, &arguments, seed)?);
        }
        let mut rows: Vec<Row> = Vec::new();
        for task in &tasks {
            let of_seed = task.rows(&candidates)?;
            if rows.is_empty() {
                rows = of_seed;
            } else {
                rows.iter_mut().zip(of_seed).for_each(|(all, row)| all.figures.extend(row.figures));
            }
        }
        report(path, &tasks, &rows);
        for candidate in &candidates {
            let shown = candidate.weights.iter().map(|(name, weight)| format!("{name} {weight:.2}"));
            println!("{}: {}", candidate.name, shown.collect::<Vec<_>>().join(", "));
        }
    }
    Ok(())
}

fn in_use() -> Vec<(String, f64)> {
    PREDICTION_SIGNALS.map(|signal| (signal.name.to_owned(), signal.weight)).into()
}

fn candidate(name: &str, corpora: &[&Vec<Example>]) -> Candidate {
    let names = fit::NAMES.map(String::from);
    Candidate { name: name.into(), weights: names.into_iter().zip(fitted(corpora)).collect() }
}

fn report(path: &str, tasks: &[Task], rows: &[Row]) {
    let num_wanted: usize = tasks.iter().map(Task::num_wanted).sum();
    let num_pages: usize = tasks.iter().map(Task::num_measured).sum();
    println!("\n{path}: {num_pages} pages in {} seeds, {num_wanted} unseen links", tasks.len());
    println!(
        "scorer            hits@10  95% interval     MRR    95% interval     AUC    95% interval     hits@10 less aa's        seeds"
    );
    let resamples = Resamples::new(num_pages, RESAMPLES, 1);
    let of = |row: &Row, value: fn(&Figures) -> f64| row.figures.iter().map(value).collect::<Vec<f64>>();
    let adamic_adar = rows.iter().find(|row| row.name == "aa").map_or(Vec::new(), |row| of(row, |f| f.hits));
    for row in rows {
        print!("{:<17}", row.name);
        for values in [of(row, |f| f.hits), of(row, |f| f.reciprocal_rank), of(row, |f| f.auc)] {
            let found = resamples.mean(&values);
            let [low, high] = found.ci95.unwrap_or([f64::NAN; 2]);
            print!("  {:.3}  [{low:.3}, {high:.3}]", found.mean);
        }
        let hits = of(row, |f| f.hits);
        let more = resamples.difference(&hits, &adamic_adar);
        let [low, high] = more.ci95.unwrap_or([f64::NAN; 2]);
        print!("  {:+.3} [{low:+.3}, {high:+.3}]", more.mean);
        let mut rest = &hits[..];
        for task in tasks {
            let (of_seed, later) = rest.split_at(task.num_measured());
            print!("  {:.3}", mean(of_seed));
            rest = later;
        }
        println!();
    }
}
