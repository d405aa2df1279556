//! `llamafur train`: learns the category matrix of a corpus.

use super::{CleansingArgs, ThreadArgs, default_model_name};
use crate::output::{Grid, OutputArgs, Render, counted, print, thousands};
use anyhow::{Context, Result};
use clap::Args;
use llamafur::categories::{Categories, DEFAULT};
use llamafur::corpus::Corpus;
use llamafur::learn::{self, LearnConf, Method};
use llamafur::matrix::Model;
use llamafur::progress::Progress;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;
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

A corpus that was cleansed (`llamafur cleanse`) is learnt from its milestones.

All learners use all threads. The model does not depend on their number.

Examples:
  llamafur train my.corpus
  llamafur train my.corpus --method paper --name as-in-the-paper --seed 7")]
pub struct TrainArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    /// The learner: factored, averaged, paper, original or naive.
    #[arg(long, default_value_t, value_name = "NAME")]
    method: Method,
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
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs `train`.
pub fn run(args: &TrainArgs, progress: &mut dyn Progress) -> Result<()> {
    args.threads.apply()?;
    let mut conf = LearnConf::default()
        .method(args.method)
        .rank(args.rank)
        .seed(args.seed)
        .aggressiveness(args.aggressiveness);
    if let Some(passes) = args.passes {
        conf = conf.passes(passes);
    }
    let corpus = Corpus::open(&args.corpus)?;
    let name = args.name.as_deref().unwrap_or(default_model_name(args.method));
    // A bad name should come to light before the work, not after.
    Model::path(&corpus, name)?;
    let categories = args.cleansing.open(&corpus)?;
    progress.note(&settings_line(args, &conf, &categories));
    let started = Instant::now();
    let model = learn::train(&categories, name, &conf, progress)
        .with_context(|| args.corpus.display().to_string())?;
    let seconds = started.elapsed().as_secs_f64();
    let (path, checksum) = model.save(&corpus)?;
    let figures = &model.settings().figures;
    let report = Report {
        method: args.method,
        pages: corpus.num_pages(),
        links: corpus.num_links(),
        categories: categories.num(),
        examples: figures.examples,
        seconds,
        examples_per_second: figures.examples as f64 / seconds.max(1e-9),
        explained: args.method.explains().then(|| figures.explained.share()),
        model: path.display().to_string(),
        checksum,
        cleansing: categories.milestones().map(|milestones| milestones.id().name.clone()),
        corpus: args.corpus.display().to_string(),
    };
    print(&report, &args.output)
}

/// What is learnt with what, before it begins.
fn settings_line(args: &TrainArgs, conf: &LearnConf, categories: &Categories<'_>) -> String {
    let corpus = categories.corpus();
    let num_categories = match categories.milestones() {
        Some(milestones) => {
            let name = Some(&milestones.id().name).filter(|name| *name != DEFAULT);
            let cleansing = name.map_or(String::new(), |name| format!(" of the cleansing “{name}”"));
            format!("{}{cleansing}", counted(milestones.num() as u64, "milestone"))
        }
        None => counted(corpus.num_categories() as u64, "category"),
    };
    let specific = match args.method {
        Method::Factored => format!(", rank {}", args.rank),
        Method::Naive => String::new(),
        _ => format!(", aggressiveness {}", args.aggressiveness),
    };
    let passes = conf.passes_or_default();
    let passes = if passes == 1 { "1 pass".into() } else { format!("{passes} passes") };
    format!(
        "{}: seed {}, {passes}{specific}; {}, {}, {num_categories}",
        args.method,
        args.seed,
        counted(corpus.num_pages() as u64, "page"),
        counted(corpus.num_links() as u64, "link"),
    )
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
    model: String,
    checksum: String,
    /// The cleansing whose milestones the categories are; left out for the categories of the corpus.
    #[serde(skip_serializing_if = "Option::is_none")]
    cleansing: Option<String>,
    #[serde(skip)]
    corpus: String,
}

impl Render for Report {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
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
        ]);
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
        ]);
        grid
    }
}
