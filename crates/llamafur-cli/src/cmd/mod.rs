//! The subcommands, one file each.

mod args;
mod category;
mod cleanse;
mod cross_validate;
pub mod demo;
mod evaluate;
mod explain;
mod export;
mod fetch;
mod import;
mod info;
mod pool;
mod rank;
mod score;
mod synth;
mod train;
mod verify;

use crate::Cli;
use anyhow::Result;
use clap::Subcommand;

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
    /// Hold out a tenth of all pairs after the other, and say how well links are told.
    CrossValidate(cross_validate::CrossValidateArgs),
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
    /// Measure scorers on judged links; with --report, redo the paper's experiments.
    Evaluate(Box<evaluate::EvaluateArgs>),
    /// Choose links that are worth judging, as a table to be filled in.
    Pool(pool::PoolArgs),
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
        Command::CrossValidate(args) => cross_validate::run(&args, &mut *progress),
        Command::Rank(args) => rank::run(&args, &mut *progress),
        Command::Explain(args) => explain::run(&args),
        Command::Category(args) => category::run(&args),
        Command::Score(args) => score::run(&args, &mut *progress),
        Command::Export(args) => export::run(&args, &mut *progress),
        Command::Evaluate(args) => evaluate::run(&args, &mut *progress),
        Command::Pool(args) => pool::run(&args, &mut *progress),
        Command::Synth(args) => synth::run(&args, &mut *progress),
    }
}
