//! The subcommands, one file each.

mod category;
mod cleanse;
pub mod demo;
mod explain;
mod export;
mod fetch;
mod import;
mod info;
mod rank;
mod score;
mod synth;
mod train;
mod verify;

use crate::Cli;
use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use llamafur::categories::{Categories, CleanseError, NO_CLEANSING};
use llamafur::corpus::Corpus;
use llamafur::learn::Method;
use llamafur::matrix::Model;
use llamafur::progress::Progress;
use llamafur::score::{Normalise, SCORERS, Score, ScoreConf, ScoreError, Scorer};

/// What the program can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show the method on a small encyclopedia of its own.
    Demo(demo::DemoArgs),
    /// Download a wiki's dump.
    Fetch(fetch::FetchArgs),
    /// Make a corpus from files.
    #[command(subcommand)]
    Import(import::ImportCommand),
    /// Say what a corpus holds and where it came from.
    Info(info::InfoArgs),
    /// Check every byte of a corpus, its cleansings and its models.
    Verify(verify::VerifyArgs),
    /// Keep the categories that matter, and move every page to them.
    Cleanse(cleanse::CleanseArgs),
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
    /// Make a corpus of any size from a known matrix, to score learners on.
    Synth(synth::SynthArgs),
}

/// Runs the command.
pub fn run(cli: Cli) -> Result<()> {
    let mut progress = cli.progress.start();
    match cli.command {
        Command::Demo(args) => demo::run(&args),
        Command::Fetch(args) => fetch::run(&args, &mut *progress),
        Command::Import(command) => import::run(command, &mut *progress),
        Command::Info(args) => info::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Cleanse(args) => cleanse::run(&args, &mut *progress),
        Command::Train(args) => train::run(&args, &mut *progress),
        Command::Rank(args) => rank::run(&args, &mut *progress),
        Command::Explain(args) => explain::run(&args),
        Command::Category(args) => category::run(&args),
        Command::Score(args) => score::run(&args, &mut *progress),
        Command::Export(args) => export::run(&args, &mut *progress),
        Command::Synth(args) => synth::run(&args, &mut *progress),
    }
}

/// Which scorer, model and normalisation.
#[derive(Debug, Clone, Args)]
pub struct ScorerArgs {
    #[arg(long, value_name = "NAME", default_value = "llamafur", help = scorer_help(), value_parser = scorer_name)]
    scorer: String,

    #[command(flatten)]
    model: ModelArgs,
}

/// What `--scorer` takes, of all scorers that there are.
fn scorer_help() -> String {
    let scorer = |scorer: Scorer| format!("{scorer} ({})", scorer.about);
    let all = SCORERS.map(scorer).join("; ");
    format!("What says how unexpected a link is: {all}. One that goes by a model may name it: llamafur:MODEL")
}

/// A name that is a scorer's.
fn scorer_name(text: &str) -> Result<String, ScoreError> {
    Scorer::parse(text)?;
    Ok(text.to_owned())
}

impl ScorerArgs {
    /// The scorer, ready for the corpus.
    fn open<'a>(&self, corpus: &'a Corpus, progress: &mut dyn Progress) -> Result<Box<dyn Score + 'a>> {
        Ok(self.model.scorer(&self.scorer, corpus, progress)?)
    }
}

/// Which model and normalisation.
#[derive(Debug, Clone, Args)]
pub struct ModelArgs {
    /// The model, by the name that `train` gave it [default: the scorer's name].
    #[arg(long, value_name = "NAME")]
    model: Option<String>,

    #[command(flatten)]
    normalise: NormaliseArgs,
}

/// How category pairs become a score.
#[derive(Debug, Clone, Args)]
pub struct NormaliseArgs {
    /// How the sum over n·m category pairs becomes a score: sum, mean (÷ nm), sqrt (÷ √nm), or cosine (factored
    /// models) [default: mean].
    #[arg(long, value_name = "HOW")]
    normalise: Option<Normalise>,
}

impl NormaliseArgs {
    fn get(&self) -> Normalise {
        self.normalise.unwrap_or_default()
    }
}

impl ModelArgs {
    /// The model that is meant where no scorer is named.
    fn open(&self, corpus: &Corpus) -> Result<Model> {
        let default = Model::default_name(Method::default());
        Ok(Model::open(corpus, self.model.as_deref().unwrap_or(default))?)
    }

    /// A scorer by its name, ready for the corpus.
    fn scorer<'a>(
        &self,
        name: &str,
        corpus: &'a Corpus,
        progress: &mut dyn Progress,
    ) -> Result<Box<dyn Score + 'a>, ScoreError> {
        let (scorer, model) = Scorer::parse(name)?;
        let model = model.or(self.model.as_deref()).map(str::to_owned);
        scorer.open(corpus, &ScoreConf { model, normalise: self.normalise.get() }, progress)
    }
}

/// A 95% interval for people.
fn interval([low, high]: [f64; 2]) -> String {
    format!("{low:.3}, {high:.3}")
}

/// Which categories.
#[derive(Debug, Clone, Args)]
pub struct CleansingArgs {
    /// The cleansing whose milestones are the categories, or none for all categories of the corpus [default:
    /// the default one, if the corpus was cleansed].
    #[arg(long, value_name = "NAME")]
    cleansing: Option<String>,
}

impl CleansingArgs {
    fn open<'a>(&self, corpus: &'a Corpus) -> Result<Categories<'a>, CleanseError> {
        match self.cleansing.as_deref() {
            None => Categories::preferred(corpus),
            Some(NO_CLEANSING) => Ok(Categories::all(corpus)),
            Some(name) => Categories::cleansed(corpus, name),
        }
    }
}

/// How many threads work.
#[derive(Debug, Clone, Args)]
pub struct ThreadArgs {
    /// Threads to use, up to 1024 [default: one for each core]; the result does not depend on them.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl ThreadArgs {
    fn apply(&self) -> Result<()> {
        let Some(threads) = self.threads else { return Ok(()) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into());
        pool.build_global().context("cannot start the threads")
    }
}
