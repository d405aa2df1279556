//! `llamafur top`: the most interesting links of the whole graph.

use super::args::{ThreadArgs, With};
use super::link_rows::{RowArgs, write_rows};
use crate::output::{Grid, OutputArgs, Render, print, thousands};
use anyhow::Result;
use clap::Args;
use llamafur::engine::{Engine, EngineConf, RankingRow, TopConf, TopLinks};
use llamafur::progress::Progress;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Options of `top`.
#[derive(Debug, Args)]
#[command(after_help = "\
Every link is scored once, on all cores. With a cleansed model, categories are its milestones.

Examples:
  llamafur top my.corpus
  llamafur top my.corpus --top 100 --per-page 1 --min-links 10
  llamafur top my.corpus --from-category Planets --to-category Animals")]
pub struct TopArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    /// How many links to show; 0 for all.
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Only links of pages in this category.
    #[arg(long, value_name = "NAME")]
    from_category: Option<String>,
    /// Only links to pages in this category.
    #[arg(long, value_name = "NAME")]
    to_category: Option<String>,
    /// Only pages with at least so many links.
    #[arg(long, value_name = "N", default_value_t = 0)]
    min_links: usize,
    /// At most so many links of the same page; 0 for any number.
    #[arg(long, value_name = "N", default_value_t = 0)]
    per_page: usize,
    #[command(flatten)]
    rows: RowArgs,
    #[command(flatten)]
    threads: ThreadArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn run(args: &TopArgs, progress: &mut dyn Progress) -> Result<()> {
    args.threads.apply()?;
    let engine = Engine::open(&args.corpus, EngineConf::default())?;
    let rank = args.rows.rank_conf()?.top(args.top);
    let conf = TopConf::default()
        .rank(rank)
        .min_links(args.min_links)
        .per_page(args.per_page)
        .with(args.from_category.as_ref(), |conf, name| conf.from_category(name))
        .with(args.to_category.as_ref(), |conf, name| conf.to_category(name));
    print(&Shown(engine.top(&conf, progress)?), &args.output)
}

#[derive(Serialize)]
#[serde(transparent)]
struct Shown(TopLinks);

impl Render for Shown {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let TopLinks { scorer, num_links, links, .. } = &self.0;
        if links.is_empty() {
            return writeln!(out, "no link passes the filters and has a score");
        }
        let (shown, of) = (thousands(links.len() as u64), thousands(*num_links));
        writeln!(out, "The first {shown} of {of} links, by {scorer}")?;
        write_rows(links.iter().map(|link| (Some(&link.source[..]), &link.link)), |_| None, out)
    }

    fn grid(&self) -> Grid {
        let mut grid = Grid::titled(["rank", "source"].into_iter().chain(RankingRow::COLUMNS));
        for link in &self.0.links {
            let mut row = vec![link.link.rank.to_string(), link.source.clone()];
            row.extend(link.link.fields());
            grid.row(row);
        }
        grid
    }
}
