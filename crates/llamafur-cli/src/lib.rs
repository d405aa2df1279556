//! The command line of LlamaFur: one file a subcommand, results on stdout, everything else on stderr.
//!
//! Exit codes: 0 fine, 1 nothing found (a page or a category that does not exist), 2 error. A closed pipe is
//! fine.
#![forbid(unsafe_code)]

pub mod cmd;
pub mod draw;
mod lookup;
mod output;
mod progress;
mod sink;

use clap::{CommandFactory, FromArgMatches, Parser};
use std::io;
use std::process::ExitCode;

/// Which links of a graph are surprising, and why.
#[derive(Debug, Parser)]
#[command(name = "llamafur", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = "\
Examples:
  llamafur demo
  llamafur import wiki simplewiki-latest-pages-articles-multistream.xml.bz2 --out simple.corpus
  llamafur import table --links links.tsv --categories categories.tsv --out my.corpus
  llamafur train my.corpus
  llamafur rank my.corpus Jupiter
  llamafur explain my.corpus Jupiter Fish")]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: cmd::Command,

    /// How long work shows its progress on stderr.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "HOW")]
    pub progress: progress::Choice,
}

/// The definition of the command line, for those who check or document it.
pub fn definition() -> clap::Command {
    Cli::command()
}

/// Runs the command line that the process was started with.
pub fn main() -> ExitCode {
    keep_caught_panics_quiet();
    let matches = definition().get_matches();
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    match cmd::run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::say(&format!("error: {error:#}"));
            if error.is::<lookup::NotFound>() { ExitCode::from(1) } else { ExitCode::from(2) }
        }
    }
}

/// A decoder that panics on a damaged file is caught, and the error says what happened: the panic itself would
/// only alarm.
fn keep_caught_panics_quiet() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !llamafur_import::table::is_decoding() {
            hook(panic);
        }
    }));
}

/// Whether whoever read our output has gone away.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let is_broken_pipe = |e: &io::Error| e.kind() == io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(is_broken_pipe))
}
