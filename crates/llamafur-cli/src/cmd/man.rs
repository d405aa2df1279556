//! `llamafur man`: the manual pages.

use crate::output::{counted, say};
use anyhow::{Context, Result};
use clap::Args;
use clap_mangen::Man;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

/// Options of `man`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  llamafur man | man -l -
  llamafur man --out ~/.local/share/man/man1 && man llamafur-rank")]
pub struct ManArgs {
    /// Write a page for each command into this folder, which is made if need be [default: the main page to stdout].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(super) fn run(args: &ManArgs) -> Result<()> {
    let definition = crate::definition();
    let Some(folder) = &args.out else {
        let mut page = Vec::new();
        Man::new(definition).render(&mut page)?;
        return Ok(io::stdout().lock().write_all(&page)?);
    };
    let write = || -> io::Result<usize> {
        fs::create_dir_all(folder)?;
        clap_mangen::generate_to(definition, folder)?;
        Ok(fs::read_dir(folder)?.count())
    };
    let pages = write().with_context(|| folder.display().to_string())?;
    say(&format!("{}: {}", folder.display(), counted(pages as u64, "manual page")));
    Ok(())
}
