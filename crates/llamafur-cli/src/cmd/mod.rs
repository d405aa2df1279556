//! The subcommands, one file each.

mod category;
pub mod demo;
mod explain;
mod export;
mod import;
mod info;
mod rank;
mod score;
mod train;
mod verify;

use crate::Cli;
use anyhow::{Context, Result};
use clap::{Args, Subcommand, ValueEnum};
use llamafur::corpus::Corpus;
use llamafur::learn::Method;
use llamafur::matrix::Model;
use llamafur::score::{LlamaFur, Normalise, Random, Score};

/// What the program can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show the method on a small encyclopedia of its own.
    Demo(demo::DemoArgs),
    /// Make a corpus from files.
    #[command(subcommand)]
    Import(import::ImportCommand),
    /// Say what a corpus holds and where it came from.
    Info(info::InfoArgs),
    /// Check every byte of a corpus and of its models.
    Verify(verify::VerifyArgs),
    /// Learn the category matrix of a corpus.
    Train(train::TrainArgs),
    /// Rank a page's links, the most unexpected first.
    Rank(rank::RankArgs),
    /// Show the category pairs behind a link's score.
    Explain(explain::ExplainArgs),
    /// Show a category's closest neighbours in the matrix.
    Category(category::CategoryArgs),
    /// Score every link of a corpus.
    Score(score::ScoreArgs),
    /// Write a corpus as plain tables.
    Export(export::ExportArgs),
}

/// Runs the command.
pub fn run(cli: Cli) -> Result<()> {
    let mut progress = cli.progress.start();
    match cli.command {
        Command::Demo(args) => demo::run(&args),
        Command::Import(command) => import::run(command, &mut *progress),
        Command::Info(args) => info::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Train(args) => train::run(&args, &mut *progress),
        Command::Rank(args) => rank::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Category(args) => category::run(&args),
        Command::Score(args) => score::run(&args, &mut *progress),
        Command::Export(args) => export::run(&args, &mut *progress),
    }
}

/// The scorers by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ScorerName {
    /// The category matrix of the model.
    #[default]
    Llamafur,
    /// Link frequencies between categories; needs `llamafur train --method naive`.
    Naive,
    /// Random numbers, to compare with.
    Random,
}

/// Which model, scorer and normalisation.
#[derive(Debug, Clone, Args)]
pub struct ScorerArgs {
    /// What says how unexpected a link is.
    #[arg(long, value_enum, default_value_t, value_name = "NAME")]
    pub scorer: ScorerName,

    #[command(flatten)]
    model: ModelArgs,
}

/// Which model and normalisation.
#[derive(Debug, Clone, Args)]
pub struct ModelArgs {
    /// The model, by the name that `train` gave it [default: the scorer's name].
    #[arg(long, value_name = "NAME")]
    model: Option<String>,

    /// How the sum over n·m category pairs becomes a score: sum, mean (÷ nm), sqrt (÷ √nm), or cosine (factored
    /// models) [default: mean].
    #[arg(long, value_name = "HOW")]
    normalise: Option<Normalise>,
}

impl ModelArgs {
    fn normalise(&self) -> Normalise {
        self.normalise.unwrap_or_default()
    }

    fn open(&self, corpus: &Corpus, default_name: &str) -> Result<Model> {
        Ok(Model::open(corpus, self.model.as_deref().unwrap_or(default_name))?)
    }
}

/// The name under which `train` saves a model of this method, unless told another.
fn default_model_name(method: Method) -> &'static str {
    if method == Method::Naive { "naive" } else { "llamafur" }
}

impl ScorerArgs {
    /// The model that the scorer needs, if any.
    fn open_model(&self, corpus: &Corpus) -> Result<Option<Model>> {
        match self.scorer {
            ScorerName::Llamafur => self.model.open(corpus, default_model_name(Method::default())).map(Some),
            ScorerName::Naive => self.model.open(corpus, default_model_name(Method::Naive)).map(Some),
            ScorerName::Random => Ok(None),
        }
    }

    /// The scorer, over the model from [`ScorerArgs::open_model`].
    fn scorer<'a>(&self, corpus: &'a Corpus, model: Option<&'a Model>) -> Result<Box<dyn Score + 'a>> {
        Ok(match model {
            Some(model) => Box::new(LlamaFur::new(corpus, model, self.model.normalise())?),
            None => Box::new(Random::new(1)),
        })
    }
}

/// Lets so many threads work; the default is one for each core.
fn use_threads(threads: Option<std::num::NonZeroUsize>) -> Result<()> {
    let Some(threads) = threads else { return Ok(()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get());
    pool.build_global().context("cannot start the threads")
}
