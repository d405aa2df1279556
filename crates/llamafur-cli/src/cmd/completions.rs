//! `llamafur completions`: scripts that complete commands and options in shells.

use anyhow::Result;
use clap::Args;
use clap_complete::Shell;
use std::io::{self, Write};

/// Options of `completions`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  llamafur completions bash > ~/.local/share/bash-completion/completions/llamafur
  llamafur completions zsh > ~/.zfunc/_llamafur
  llamafur completions fish > ~/.config/fish/completions/llamafur.fish")]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub(super) fn run(args: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut crate::definition(), "llamafur", &mut script);
    Ok(io::stdout().lock().write_all(&script)?)
}
