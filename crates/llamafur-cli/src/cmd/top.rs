//! `llamafur top`: the most unexpected links of the whole graph.

use super::args::{ScoringArgs, With};
use super::rank::score;
use crate::output::{Grid, Render, print, thousands};
use anyhow::Result;
use clap::Args;
use llamafur::engine::{Engine, EngineConf, RankingRow, TopConf, TopLinks};
use llamafur::progress::Progress;
use llamafur_eval::report::reasons;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Options of `top`.
#[derive(Debug, Args)]
#[command(after_help = "\
Every link is scored once, on all cores. With a cleansed model, categories are its milestones.

Examples:
  llamafur top my.corpus
  llamafur top my.corpus --top 100 --per-page 1 --min-links 10 --snippets
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
    /// Show the sentence behind each link, where the corpus has text.
    #[arg(long)]
    snippets: bool,
    #[command(flatten)]
    scoring: ScoringArgs,
}

/// Runs `top`.
pub(super) fn run(args: &TopArgs, progress: &mut dyn Progress) -> Result<()> {
    args.scoring.threads()?;
    let engine = Engine::open(&args.corpus, EngineConf::default())?;
    if args.snippets {
        super::expect_text(engine.corpus())?;
    }
    let rank = args.scoring.scorer.rank_conf()?.top(args.top).snippets(args.snippets);
    let conf = TopConf::default()
        .rank(rank)
        .min_links(args.min_links)
        .per_page(args.per_page)
        .with(args.from_category.as_ref(), |conf, name| conf.from_category(name))
        .with(args.to_category.as_ref(), |conf, name| conf.to_category(name));
    let top = engine.top(&conf, progress)?;
    print(&Shown { snippets: args.snippets, top }, &args.scoring.output)
}

/// The links, and what of them is shown.
#[derive(Serialize)]
#[serde(transparent)]
struct Shown {
    top: TopLinks,
    #[serde(skip)]
    snippets: bool,
}

impl Render for Shown {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let TopLinks { scorer, num_links, links, .. } = &self.top;
        if links.is_empty() {
            return writeln!(out, "no link passes the filters and has a score");
        }
        let (shown, of) = (thousands(links.len() as u64), thousands(*num_links));
        writeln!(out, "The {shown} most unexpected of {of} links, by {scorer}")?;
        let mut columns = vec!["#", "page", "link_to", "unexpectedness", "reason"];
        columns.extend(self.snippets.then_some("sentence"));
        let mut grid = Grid::titled(columns);
        for link in links {
            let row = &link.link;
            let mut cells =
                vec![row.rank.to_string(), link.source.clone(), row.target.clone(), score(row), reasons(row)];
            cells.extend(self.snippets.then(|| row.snippet.clone().unwrap_or_default()));
            grid.row(cells);
        }
        grid.write_table("# unexpectedness", out)
    }

    fn grid(&self) -> Grid {
        let columns = ["rank", "source"]
            .into_iter()
            .chain(RankingRow::COLUMNS)
            .chain(self.snippets.then_some("snippet"));
        let mut grid = Grid::titled(columns);
        for link in &self.top.links {
            let mut row = vec![link.link.rank.to_string(), link.source.clone()];
            row.extend(link.link.fields());
            row.extend(self.snippets.then(|| link.link.snippet.clone().unwrap_or_default()));
            grid.row(row);
        }
        grid
    }
}
