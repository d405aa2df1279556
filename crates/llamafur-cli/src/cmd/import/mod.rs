//! `llamafur import`: converts files to a corpus.

mod table;
mod wiki;

use crate::output::{Grid, counted};
use anyhow::Result;
use clap::Subcommand;
use llamafur::corpus::Counts;
use llamafur::progress::Progress;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// What to import.
#[derive(Debug, Subcommand)]
pub enum ImportCommand {
    /// Import a wiki from its XML dump, plain or .bz2, .gz, .zst.
    Wiki(wiki::WikiArgs),
    /// Import a graph from tables: TSV, CSV, JSON lines or Parquet, plain or .gz, .zst, .bz2.
    Table(table::TableArgs),
}

pub(super) fn run(command: ImportCommand, progress: &mut dyn Progress) -> Result<()> {
    match command {
        ImportCommand::Wiki(args) => wiki::run(args, progress),
        ImportCommand::Table(args) => table::run(args, progress),
    }
}

/// Returns all counts, a row each.
fn count_grid(counts: &Counts, account: &BTreeMap<String, u64>) -> Grid {
    let mut grid = Grid::new("count value");
    let columns = "pages links categories page_categories uncategorised tree_edges texts";
    Grid::of(columns, [counts]).by_name().into_pairs().for_each(|pair| grid.row(pair));
    // The manifest leaves out a zero.
    grid.row(["redirects".into(), counts.redirects.to_string()]);
    account.iter().for_each(|(name, value)| grid.row([name.clone(), value.to_string()]));
    grid
}

/// Writes a line about the corpus, and the next command.
fn write_summary(corpus: &str, counts: &Counts, out: &mut dyn Write) -> io::Result<()> {
    let Counts { pages, links, categories, uncategorised, .. } = *counts;
    writeln!(
        out,
        "{corpus}: {}, {}, {}; {} without categories",
        counted(pages, "page"),
        counted(links, "link"),
        counted(categories, "category"),
        counted(uncategorised, "page")
    )?;
    if counts.page_categories > 0 {
        writeln!(out, "next: llamafur train {corpus}")?;
    }
    Ok(())
}
