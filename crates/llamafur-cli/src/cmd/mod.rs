//! The subcommands, one file each.

mod args;
mod category;
mod cleanse;
mod completions;
mod cross_validate;
pub mod demo;
mod diff;
mod draft;
mod evaluate;
mod explain;
mod export;
#[cfg(feature = "fetch")]
mod fetch;
mod import;
mod info;
mod link_rows;
mod man;
#[cfg(feature = "mcp")]
mod mcp;
mod mend;
mod overwrite;
mod plant;
mod pool;
mod predict;
mod prepare;
mod rank;
mod score;
mod scorers;
#[cfg(feature = "serve")]
mod serve;
mod synth;
mod top;
mod train;
mod vectors;
mod verify;
mod words;

use crate::Cli;
use anyhow::Result;
use clap::Subcommand;
use llamafur::corpus::Corpus;
use llamafur::{Error, Missing};

/// What the program can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show the method on a small built-in encyclopedia.
    Demo(demo::DemoArgs),
    /// Download a wiki's dump.
    #[cfg(feature = "fetch")]
    Fetch(fetch::FetchArgs),
    /// Make a corpus from files.
    #[command(subcommand)]
    Import(import::ImportCommand),
    /// Show what a corpus contains and where it came from.
    Info(info::InfoArgs),
    /// Check every byte of a corpus, its cleansings and its models.
    Verify(verify::VerifyArgs),
    /// Reduce the categories to the central ones, and move every page to them.
    Cleanse(cleanse::CleanseArgs),
    /// Learn the category matrix of a corpus.
    Train(train::TrainArgs),
    /// Make what rankings need, once, so that every later command answers at once.
    Prepare(prepare::PrepareArgs),
    /// Cross-validate the learners in ten folds.
    CrossValidate(cross_validate::CrossValidateArgs),
    /// Rank a page's links, the most unexpected first.
    Rank(rank::RankArgs),
    /// Say why a link is where the ranking has it.
    Explain(explain::ExplainArgs),
    /// Show a category's closest neighbours in the matrix.
    Category(category::CategoryArgs),
    /// List the most unexpected links of the whole graph.
    Top(top::TopArgs),
    /// Say what changed between two corpora of the same wiki, the most unexpected first.
    Diff(diff::DiffArgs),
    /// Show which links a page lacks: pages that one would expect it to link to.
    Predict(predict::PredictArgs),
    /// List links that probably lead to the wrong page, with the page that was meant.
    Mend(mend::MendArgs),
    /// Show it all in the browser: a page to type a title into, and an API.
    #[cfg(feature = "serve")]
    Serve(serve::ServeArgs),
    /// Answer an assistant that speaks the Model Context Protocol, over stdin and stdout.
    #[cfg(feature = "mcp")]
    Mcp(mcp::McpArgs),
    /// Score every link of a corpus.
    Score(score::ScoreArgs),
    /// Write a corpus as plain tables.
    Export(export::ExportArgs),
    /// Measure scorers on judged links; with --report, redo the paper's experiments.
    Evaluate(Box<evaluate::EvaluateArgs>),
    /// Choose links that are worth judging, as a table to fill in.
    Pool(pool::PoolArgs),
    /// List the scorers: what can measure how unexpected a link is.
    Scorers(scorers::ScorersListArgs),
    /// Count the words of a corpus with your own settings.
    Words(words::WordsArgs),
    /// Bring vectors of the pages from elsewhere, list them, remove them.
    #[command(subcommand)]
    Vectors(vectors::VectorsCommand),
    /// Plant random links in a copy of a corpus, and measure how well scorers find them.
    Plant(plant::PlantArgs),
    /// Make a corpus of any size from a known matrix, to test learners on.
    Synth(synth::SynthArgs),
    /// Print what a shell needs to complete commands and options.
    Completions(completions::CompletionsArgs),
    /// Print or write the manual pages.
    Man(man::ManArgs),
}

/// Runs the command.
pub fn run(cli: Cli) -> Result<()> {
    let mut progress = cli.progress.start();
    match cli.command {
        Command::Demo(args) => demo::run(&args),
        #[cfg(feature = "fetch")]
        Command::Fetch(args) => fetch::run(&args, &mut *progress),
        Command::Import(command) => import::run(command, &mut *progress),
        Command::Info(args) => info::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Cleanse(args) => cleanse::run(&args, &mut *progress),
        Command::Train(args) => train::run(&args, &mut *progress),
        Command::CrossValidate(args) => cross_validate::run(&args, &mut *progress),
        Command::Rank(args) => rank::run(&args, &mut *progress),
        Command::Explain(args) => explain::run(&args, &mut *progress),
        Command::Category(args) => category::run(&args),
        Command::Top(args) => top::run(&args, &mut *progress),
        Command::Diff(args) => diff::run(&args, &mut *progress),
        Command::Predict(args) => predict::run(&args, &mut *progress),
        Command::Mend(args) => mend::run(&args, &mut *progress),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::run(&args, &mut *progress),
        #[cfg(feature = "mcp")]
        Command::Mcp(args) => mcp::run(&args, &mut *progress),
        Command::Score(args) => score::run(&args, &mut *progress),
        Command::Export(args) => export::run(&args, &mut *progress),
        Command::Evaluate(args) => evaluate::run(&args, &mut *progress),
        Command::Pool(args) => pool::run(&args, &mut *progress),
        Command::Scorers(args) => scorers::run(&args),
        Command::Prepare(args) => prepare::run(&args, &mut *progress),
        Command::Words(args) => words::run(&args, &mut *progress),
        Command::Vectors(command) => vectors::run(command, &mut *progress),
        Command::Plant(args) => plant::run(&args, &mut *progress),
        Command::Synth(args) => synth::run(&args, &mut *progress),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    }
}

impl Command {
    /// Returns whether the command answers requests until it is stopped.
    pub(crate) fn is_server(&self) -> bool {
        match self {
            #[cfg(feature = "serve")]
            Command::Serve(_) => true,
            #[cfg(feature = "mcp")]
            Command::Mcp(_) => true,
            _ => false,
        }
    }
}

/// Fails unless the corpus has texts, the source of sentences.
fn expect_text(corpus: &Corpus) -> Result<()> {
    match corpus.has_text() {
        true => Ok(()),
        false => Err(Error::Missing { path: corpus.path().into(), what: Missing::Text }.into()),
    }
}
