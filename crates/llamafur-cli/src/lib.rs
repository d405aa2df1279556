//! The command line of LlamaFur: one file per subcommand, results on stdout, everything else on stderr.
//!
//! Exit codes: 0 fine, 1 nothing found (a page or a category that does not exist), 2 error, 130 and 143 ended by SIGINT
//! and SIGTERM. A closed pipe is fine.
#![forbid(unsafe_code)]

mod clean;
pub mod cmd;
mod interrupt;
mod output;
mod progress;
mod remedy;
mod sink;

use clap::{CommandFactory, FromArgMatches, Parser};
use llamafur::storage::{Watch, handle_lost_pages};
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

/// Which links of a graph are surprising, and why.
#[derive(Debug, Parser)]
#[command(name = "llamafur", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = "\
Examples:
  llamafur demo
  llamafur import wiki simplewiki.xml.bz2 --out simple.corpus
  llamafur import table --links links.tsv --categories tags.tsv --out my.corpus
  llamafur train my.corpus
  llamafur rank my.corpus Jupiter
  llamafur explain my.corpus Jupiter Fish

Exit codes: 0 fine; 1 nothing found (no such page or category); 2 error; 130 and 143 ended by a signal.")]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: cmd::Command,

    /// How progress is shown on stderr. Warnings are always printed there.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "HOW")]
    pub progress: progress::Choice,
}

/// Returns the definition of the command line, for parsing and documentation.
pub fn definition() -> clap::Command {
    with_paragraphs(Cli::command())
}

/// Removes line breaks within paragraphs of a command's texts: clap wraps them to the terminal's width.
fn with_paragraphs(command: clap::Command) -> clap::Command {
    let text = command.get_after_help().map(|text| joined_lines(&text.to_string()));
    let command = command.mut_subcommands(with_paragraphs);
    match text {
        Some(text) => command.after_help(text),
        None => command,
    }
}

/// Joins a line to the one before it unless it begins a paragraph, or is indented: a list or an example.
fn joined_lines(text: &str) -> String {
    let mut joined = String::new();
    for line in text.lines() {
        let is_text = |line: &str| !line.is_empty() && !line.starts_with(' ');
        let before = joined.lines().last().unwrap_or_default();
        let separator = match joined.is_empty() {
            true => "",
            false
                if is_text(line) && is_text(before) && !before.ends_with(':') && !joined.ends_with('\n') =>
            {
                " "
            }
            false => "\n",
        };
        joined.push_str(separator);
        joined.push_str(line);
    }
    joined
}

/// Runs the command line of the process.
pub fn main() -> ExitCode {
    keep_caught_panics_quiet();
    if let Err(error) = interrupt::clean_up_on_signals() {
        output::say(&format!("warning: temporary files stay after an interrupt: {error}"));
    }
    let parsed = definition().try_get_matches().and_then(|matches| {
        let cli = Cli::from_arg_matches(&matches)?;
        Ok((matches, cli))
    });
    let (matches, cli) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return refuse(&error),
    };
    let (mut words, mut options) = (Vec::new(), None);
    let mut inner = matches.subcommand();
    while let Some((word, matches)) = inner {
        words.push(word.to_owned());
        (options, inner) = (Some(matches), matches.subcommand());
    }
    remedy::COMMAND.get_or_init(|| words);
    // A model to continue from is of another corpus.
    let options = options.filter(|options| !matches!(options.try_contains_id("from"), Ok(true)));
    if let Some(path) = options.and_then(|options| options.try_get_one("corpus").ok().flatten()) {
        remedy::CORPUS.get_or_init(|| PathBuf::clone(path));
    }
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::say_error(&error);
            if is_not_found(&error) { ExitCode::from(1) } else { ExitCode::from(2) }
        }
    }
}

/// Runs a command; its result is discarded if a file was changed while it was read.
fn run(cli: Cli) -> anyhow::Result<()> {
    if let Err(error) = handle_lost_pages() {
        output::say(&format!("warning: if a file is cut while it is read, the process ends: {error}"));
    }
    if cli.command.is_server() {
        return cmd::run(cli);
    }
    let files = output::FILES.get_or_init(|| Watch::new(""));
    files.whole(|| cmd::run(cli))
}

/// Reports a wrong command line, which it quotes, or prints the requested help.
fn refuse(error: &clap::Error) -> ExitCode {
    let plain = error.render().to_string();
    if error.use_stderr() && clean::cleaned(&plain) != plain {
        output::say(plain.trim_end());
    } else {
        // In colours, where there are any. A closed pipe is fine.
        let _ = error.print();
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Silences panics that are caught: of a decoder on a damaged file, or over a file that was cut while it was read. The
/// error explains them. Other panic messages are cleaned like all output.
fn keep_caught_panics_quiet() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let is_changed = output::FILES.get().is_some_and(|files| files.expect_unchanged().is_err());
        if llamafur_import::table::is_decoding() || is_changed {
            return;
        }
        // The message may quote what was read.
        let message = panic.to_string();
        match clean::cleaned(&message) {
            cleaned if cleaned == message => hook(panic),
            cleaned => output::say(&cleaned),
        }
    }));
}

/// Returns whether the requested page or category does not exist.
fn is_not_found(error: &anyhow::Error) -> bool {
    use llamafur::Error::{Ambiguous, DroppedCategory, NotNamed};
    let cause = error.downcast_ref::<llamafur::Error>();
    matches!(cause, Some(NotNamed { .. } | Ambiguous { .. } | DroppedCategory { .. }))
}

/// Returns whether the reader of the output has closed the pipe.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let is_broken_pipe = |e: &io::Error| e.kind() == io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(is_broken_pipe))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_are_joined_and_lists_are_not() {
        let text = "One\ntwo.\n\nList:\n  a  first\n     more\n\nExample:\n  llamafur demo";
        assert_eq!(joined_lines(text), text.replacen("One\ntwo", "One two", 1));
        definition().debug_assert();
    }
}
