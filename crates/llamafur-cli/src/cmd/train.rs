//! `llamafur train`: learns the category matrix of a corpus.

use super::{CleansingArgs, ThreadArgs, default_model_name, interval};
use crate::output::{Grid, OutputArgs, Render, counted, print, signed_by, thousands};
use anyhow::{Context, Result};
use clap::Args;
use llamafur::categories::{Categories, DEFAULT};
use llamafur::corpus::Corpus;
use llamafur::learn::best::{self, Best, Lead, Tried};
use llamafur::learn::held_out::{self, HeldOut};
use llamafur::learn::{self, LearnConf, LearnError, Method};
use llamafur::matrix::{MemoryError, Model, human_bytes};
use llamafur::progress::Progress;
use serde::Serialize;
use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Instant;

/// Options of `train`.
#[derive(Debug, Args)]
#[command(after_help = "\
Methods:
  factored  a matrix of low rank by logistic regression: the default, megabytes at any size
  averaged  passive-aggressive with the hinge, the average of the iterates
  paper     Algorithm 1 of the paper
  original  what the authors' program computes
  naive     the paper's baseline: link frequencies between categories
  best      tries the first four on the same held-out links and keeps the one with the highest
            F-measure; the model is the one that its name would have given

How well the learner does is measured first: it learns without some of the links, then tells them
from as many non-links. That takes as long again, so --held-out 0 halves the time. The model is
learnt from all links, and is the same with and without.

A corpus that was cleansed (`llamafur cleanse`) is learnt from its milestones.

All learners use all threads. The model does not depend on their number.

Where a dense matrix would not fit into memory, the dense learners keep it sparse, with a cell for
each pair of categories that their examples have: the same weights, learnt more slowly. What that
takes is counted before, and refused if it does not fit either.

Examples:
  llamafur train my.corpus
  llamafur train my.corpus --method best
  llamafur train my.corpus --method paper --name as-in-the-paper --seed 7")]
pub struct TrainArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    /// The learner: factored, averaged, paper, original, naive, or best.
    #[arg(long, default_value_t, value_name = "NAME")]
    method: Choice,
    /// Columns of the factored matrix's two tables, 1 to 4096.
    #[arg(long, value_name = "K", default_value_t = 32)]
    rank: usize,
    /// The model's name [default: naive for that method, else llamafur].
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The seed of all random choices.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    cleansing: CleansingArgs,
    #[command(flatten)]
    threads: ThreadArgs,
    /// How often to go over all links [default: 5 for factored, 1 for the others].
    #[arg(long, value_name = "N")]
    passes: Option<usize>,
    /// The largest step of the passive-aggressive learners (K in the paper).
    #[arg(long, value_name = "K", default_value_t = 1.5, allow_negative_numbers = true)]
    aggressiveness: f64,
    /// The share of links to measure on, from 0 (none) to below 1 [default: as much as makes 1,000 links, but at least
    /// 0.01 and at most 0.1].
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    held_out: Option<f64>,
    #[command(flatten)]
    output: OutputArgs,
}

/// A learner by its name, or the best of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    One(Method),
    Best,
}

impl Default for Choice {
    fn default() -> Self {
        Choice::One(Method::default())
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Choice::One(method) => method.fmt(f),
            Choice::Best => f.pad("best"),
        }
    }
}

impl FromStr for Choice {
    type Err = LearnError;

    fn from_str(name: &str) -> Result<Choice, LearnError> {
        if name == "best" {
            return Ok(Choice::Best);
        }
        let rule = "factored, averaged, paper, original, naive or best";
        let unknown = |_| LearnError::Setting { setting: "method", rule, got: name.into() };
        name.parse().map(Choice::One).map_err(unknown)
    }
}

/// Runs `train`.
pub fn run(args: &TrainArgs, progress: &mut dyn Progress) -> Result<()> {
    args.threads.apply()?;
    let mut conf = LearnConf::default().rank(args.rank).seed(args.seed).aggressiveness(args.aggressiveness);
    if let Some(passes) = args.passes {
        conf = conf.passes(passes);
    }
    if let Some(share) = args.held_out {
        conf = conf.held_out(share);
    }
    let corpus = Corpus::open(&args.corpus)?;
    let default_name = default_model_name(match args.method {
        Choice::One(method) => method,
        Choice::Best => Method::default(),
    });
    let name = args.name.as_deref().unwrap_or(default_name);
    // A bad name should come to light before the work, not after.
    Model::path(&corpus, name)?;
    let categories = args.cleansing.open(&corpus)?;
    let of_corpus = || args.corpus.display().to_string();
    let (method, held_out, best) = match args.method {
        Choice::One(method) => {
            conf = conf.method(method);
            progress.note(&settings_line(args, method, &conf, &categories));
            let graph = categories.graph().with_context(of_corpus)?;
            (method, held_out::measure(&graph, &conf, progress).with_context(of_corpus)?, None)
        }
        Choice::Best => {
            progress.note(&format!("the best of {}; {}", names(&best::LEARNERS), size(&categories)));
            let graph = categories.graph().with_context(of_corpus)?;
            let best = best::choose(&graph, &conf, progress).with_context(of_corpus)?;
            let Tried { method, held_out, .. } = best.winner().clone();
            conf = conf.method(method);
            progress.note(&settings_line(args, method, &conf, &categories));
            (method, Some(held_out), Some(best))
        }
    };
    let started = Instant::now();
    let model =
        learn::train_measured(&categories, name, &conf, held_out, progress).with_context(of_corpus)?;
    let seconds = started.elapsed().as_secs_f64();
    let (path, checksum) = model.save(&corpus)?;
    let figures = &model.settings().figures;
    let report = Report {
        method,
        pages: corpus.num_pages(),
        links: corpus.num_links(),
        categories: categories.num(),
        examples: figures.examples,
        seconds,
        examples_per_second: figures.examples as f64 / seconds.max(1e-9),
        explained: method.explains().then(|| figures.explained.share()),
        held_out: model.settings().held_out.clone(),
        asked_for_none: args.held_out == Some(0.0),
        best: best.map(Attempts::from),
        model: path.display().to_string(),
        checksum,
        cleansing: categories.milestones().map(|milestones| milestones.id().name.clone()),
        cells: model.settings().cells,
        corpus: args.corpus.display().to_string(),
    };
    print(&report, &args.output)
}

/// `factored, averaged, paper and original`.
fn names(methods: &[Method]) -> String {
    let names: Vec<&str> = methods.iter().map(|method| method.name()).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

/// What is learnt with what, before it begins.
fn settings_line(args: &TrainArgs, method: Method, conf: &LearnConf, categories: &Categories<'_>) -> String {
    let specific = match method {
        Method::Factored => format!(", rank {}", args.rank),
        Method::Naive => String::new(),
        _ => format!(", aggressiveness {}", args.aggressiveness),
    };
    let passes = conf.passes_or_default();
    let passes = if passes == 1 { "1 pass".into() } else { format!("{passes} passes") };
    format!("{method}: seed {}, {passes}{specific}; {}", args.seed, size(categories))
}

/// What is learnt from.
fn size(categories: &Categories<'_>) -> String {
    let corpus = categories.corpus();
    let num_categories = match categories.milestones() {
        Some(milestones) => {
            let name = Some(&milestones.id().name).filter(|name| *name != DEFAULT);
            let cleansing = name.map_or(String::new(), |name| format!(" of the cleansing “{name}”"));
            format!("{}{cleansing}", counted(milestones.num() as u64, "milestone"))
        }
        None => counted(corpus.num_categories() as u64, "category"),
    };
    format!(
        "{}, {}, {num_categories}",
        counted(corpus.num_pages() as u64, "page"),
        counted(corpus.num_links() as u64, "link"),
    )
}

/// What `best` came to.
#[derive(Serialize)]
struct Attempts {
    tried: Vec<Attempt>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<Skipped>,
    lead: Option<Lead>,
}

#[derive(Serialize)]
struct Attempt {
    #[serde(flatten)]
    tried: Tried,
    examples_per_second: f64,
}

#[derive(Serialize)]
struct Skipped {
    method: Method,
    reason: String,
}

impl From<Best> for Attempts {
    fn from(best: Best) -> Attempts {
        let attempt = |tried: Tried| Attempt {
            examples_per_second: tried.examples as f64 / tried.seconds.max(1e-9),
            tried,
        };
        let skipped = |error: MemoryError| Skipped { method: error.method, reason: error.to_string() };
        Attempts {
            tried: best.tried.into_iter().map(attempt).collect(),
            skipped: best.skipped.into_iter().map(skipped).collect(),
            lead: best.lead,
        }
    }
}

impl Attempts {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let columns =
            ["method", "F-measure", "95%_interval", "AUC", "precision", "recall", "examples_a_second"];
        let mut grid = Grid::new(columns);
        for Attempt { tried, examples_per_second } in &self.tried {
            let held_out = &tried.held_out;
            let three = |figure: Option<f64>| figure.map(|figure| format!("{figure:.3}")).unwrap_or_default();
            grid.row([
                tried.method.to_string(),
                three(held_out.f_measure),
                held_out.ci95.map(interval).unwrap_or_default(),
                three(held_out.auc),
                three(held_out.precision),
                three(held_out.recall),
                thousands(*examples_per_second as u64),
            ]);
        }
        grid.write_table(&columns[1..], out)?;
        for Skipped { method, reason } in &self.skipped {
            writeln!(out, "{method} was left out: {reason}")?;
        }
        let (Some(Lead { over, f_measure, ci95 }), Some(first)) = (&self.lead, self.tried.first()) else {
            return Ok(());
        };
        let [low, high] = ci95.map(|end| signed_by(3, end));
        let chance = if ci95[0] <= 0.0 { ": other links might have chosen otherwise" } else { "" };
        let winner = first.tried.method;
        writeln!(out, "{winner} leads {over} by {f_measure:.3} [{low}, {high}]{chance}")
    }
}

#[derive(Serialize)]
struct Report {
    method: Method,
    pages: usize,
    links: usize,
    categories: usize,
    examples: u64,
    seconds: f64,
    examples_per_second: f64,
    /// The share of links whose expectedness is positive; `null` for the naive matrix, whose sign says nothing.
    explained: Option<f64>,
    /// `null` where nothing was held out.
    held_out: Option<HeldOut>,
    #[serde(skip)]
    asked_for_none: bool,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    best: Option<Attempts>,
    model: String,
    checksum: String,
    /// The cleansing whose milestones the categories are; left out for the categories of the corpus.
    #[serde(skip_serializing_if = "Option::is_none")]
    cleansing: Option<String>,
    /// The cells of a sparse matrix; left out for another.
    #[serde(skip_serializing_if = "Option::is_none")]
    cells: Option<u64>,
    #[serde(skip)]
    corpus: String,
}

impl Render for Report {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        if let Some(best) = &self.best {
            best.human(out)?;
        }
        match &self.held_out {
            Some(held_out) => writeln!(out, "{}", told(held_out))?,
            None if self.asked_for_none => {}
            None => writeln!(out, "held out nothing: there are too few links")?,
        }
        let explained =
            self.explained.map(|share| format!("; {:.1}% of the links are explained", 100.0 * share));
        writeln!(
            out,
            "{} examples in {:.2} s ({} a second){}",
            thousands(self.examples),
            self.seconds,
            thousands(self.examples_per_second as u64),
            explained.unwrap_or_default()
        )?;
        if let Some(cells) = self.cells {
            // A column and a weight each, and where each row begins.
            let bytes = 8 * (cells + self.categories as u64 + 1);
            writeln!(out, "a sparse matrix of {} in {}", counted(cells, "cell"), human_bytes(bytes))?;
        }
        writeln!(out, "{} ({})", self.model, self.checksum.get(..16).unwrap_or(&self.checksum))?;
        writeln!(out, "next: llamafur rank {} PAGE", self.corpus)
    }

    fn grid(&self) -> Grid {
        let mut grid = Grid::new([
            "method",
            "pages",
            "links",
            "categories",
            "examples",
            "seconds",
            "examples_per_second",
            "explained",
            "model",
            "checksum",
            "cleansing",
            "cells",
            "held_out_links",
            "f_measure",
            "f_measure_low",
            "f_measure_high",
            "precision",
            "recall",
            "accuracy",
            "auc",
        ]);
        let of = |figure: fn(&HeldOut) -> Option<f64>| {
            self.held_out.as_ref().and_then(figure).map(|figure| figure.to_string()).unwrap_or_default()
        };
        grid.row([
            self.method.to_string(),
            self.pages.to_string(),
            self.links.to_string(),
            self.categories.to_string(),
            self.examples.to_string(),
            self.seconds.to_string(),
            self.examples_per_second.to_string(),
            self.explained.map(|share| share.to_string()).unwrap_or_default(),
            self.model.clone(),
            self.checksum.clone(),
            self.cleansing.clone().unwrap_or_default(),
            self.cells.map(|cells| cells.to_string()).unwrap_or_default(),
            self.held_out.as_ref().map_or(0, |held_out| held_out.links).to_string(),
            of(|held_out| held_out.f_measure),
            of(|held_out| held_out.ci95.map(|ci95| ci95[0])),
            of(|held_out| held_out.ci95.map(|ci95| ci95[1])),
            of(|held_out| held_out.precision),
            of(|held_out| held_out.recall),
            of(|held_out| held_out.accuracy),
            of(|held_out| held_out.auc),
        ]);
        grid
    }
}

/// How well the learner did, for people.
fn told(held_out: &HeldOut) -> String {
    let mut figures = Vec::new();
    if let (Some(f_measure), Some(ci95)) = (held_out.f_measure, held_out.ci95) {
        figures.push(format!("F-measure {f_measure:.3} [{}]", interval(ci95)));
    }
    let others = [("precision", held_out.precision), ("recall", held_out.recall), ("AUC", held_out.auc)];
    figures.extend(others.iter().filter_map(|(name, figure)| figure.map(|x| format!("{name} {x:.3}"))));
    let non_links = match held_out.non_links {
        same if same == held_out.links => "as many non-links".into(),
        fewer => counted(fewer, "non-link"),
    };
    format!("held out {} and {non_links}: {}", counted(held_out.links, "link"), figures.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for choice in Method::ALL.map(Choice::One).into_iter().chain([Choice::Best]) {
            assert_eq!(choice.to_string().parse::<Choice>().ok(), Some(choice));
        }
        assert_eq!(names(&best::LEARNERS), "factored, averaged, paper and original");
        assert_eq!([names(&[]), names(&[Method::Paper])], ["", "paper"]);
    }
}
