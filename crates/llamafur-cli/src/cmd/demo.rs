//! `llamafur demo`: all steps, from a dump to surprising links and their sentences, on a built-in encyclopedia.

use super::link_rows::percent_of;
use super::overwrite::OverwriteArgs;
use crate::output::{Grid, OutputArgs, Render, counted, print};
use anyhow::{Context, Result};
use clap::Args;
use llamafur::categories::Categories;
use llamafur::corpus::Corpus;
use llamafur::engine::{Engine, EngineConf, Order, RankConf, Ranking, RankingRow};
use llamafur::learn::{LearnConf, Method, Model, features, train_features};
use llamafur::progress::Silent;
use llamafur::storage::{Existing, Temporary};
use llamafur_eval::report::reasons;
use llamafur_import::wiki::{self, WikiConf};
use serde::Serialize;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Options of `demo`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  llamafur demo --out demo.corpus && llamafur rank demo.corpus \"Isaac Newton\"")]
pub struct DemoArgs {
    /// Keep the corpus and its model here, to continue with.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Keep the encyclopedia's dump here, to try `import wiki` on.
    #[arg(long, value_name = "FILE")]
    dump: Option<PathBuf>,
    #[command(flatten)]
    overwrite: OverwriteArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// The displayed pages.
const PAGES: [&str; 6] =
    ["Jupiter", "Kim Jong-il", "George Clooney", "Isaac Newton", "Iridium", "Magdalena River"];

/// Number of links shown on either side.
const LINKS: usize = 4;

/// Number of first links of a page among which an oddity counts as found.
const TOP: usize = 3;

/// The encyclopedia as the dump of a wiki.
const DUMP: &[u8] = include_bytes!("../../demo/encyclopedia.xml.zst");

/// The encyclopedia's oddities, true but surprising links: source and target, under a header.
const ODDITIES: &str = include_str!("../../demo/oddities.tsv");

/// Returns source and target of each oddity.
pub fn oddities() -> impl Iterator<Item = (&'static str, &'static str)> {
    ODDITIES.lines().skip(1).filter_map(|line| line.split_once('\t'))
}

/// Runs `demo`.
pub fn run(args: &DemoArgs) -> Result<()> {
    let (scratch, _registered) =
        Temporary::made(tempfile::tempdir).context("cannot make a temporary folder")?;
    let place = args.out.clone().unwrap_or_else(|| scratch.path().join("demo.corpus"));
    if let Some(path) = &args.dump {
        args.overwrite.check(path)?;
        write_dump(path)?;
    }
    let engine = make(scratch.path(), &place, args.overwrite.existing())?;
    let corpus = engine.corpus();
    let pages = PAGES.iter().map(|title| two_sides(&engine, title)).collect::<Result<_>>()?;
    let ranks = oddity_ranks(&engine)?;
    let showcase = Showcase {
        pages,
        num_pages: corpus.num_pages(),
        num_links: corpus.num_links(),
        num_categories: corpus.num_categories(),
        oddities: ranks.len(),
        oddities_on_top: ranks.iter().filter(|rank| **rank <= TOP).count(),
        kept: args.out.as_ref().map(|path| path.display().to_string()),
    };
    print(&showcase, &args.output)
}

/// Imports the encyclopedia from its dump, like any wiki, and trains the default learner.
///
/// # Errors
/// If a file cannot be written, or the place is taken.
pub fn make(scratch: &Path, place: &Path, existing: Existing) -> Result<Engine> {
    let dump = scratch.join("demo.xml");
    write_dump(&dump)?;
    wiki::import(&WikiConf::new([dump]).existing(existing), place, &mut Silent)?;
    let corpus = Corpus::open(place)?;
    let features = features::available(&corpus, Categories::all(&corpus), &mut Silent)?;
    // What was held out would not be shown, and the demo shall be quick.
    let conf = LearnConf::default().held_out(0.0).ensemble(1);
    let name = Model::default_name(Method::default());
    train_features(&features, name, &conf, &mut Silent)?.save(&corpus)?;
    Ok(Engine::new(&corpus, EngineConf::default()))
}

fn write_dump(path: &Path) -> Result<()> {
    let write = || zstd::stream::copy_decode(DUMP, fs::File::create(path)?);
    write().with_context(|| format!("{}: cannot be written", path.display()))
}

/// Returns the rank of each of the encyclopedia's oddities among the links of its page, from 1.
pub fn oddity_ranks(engine: &Engine) -> Result<Vec<usize>> {
    let ranks = oddities().map(|(source, target)| {
        let ranking = engine.rank(source, &RankConf::default().top(0))?;
        let place = ranking.links.iter().position(|link| link.target == target);
        Ok(place.with_context(|| format!("no link from {source} to {target}"))? + 1)
    });
    ranks.collect()
}

fn two_sides(engine: &Engine, title: &str) -> Result<TwoSides> {
    let ranking = engine.rank(title, &RankConf::default().order(Order::Oddity).top(0))?;
    let Ranking { page, num_links, links, .. } = ranking;
    let each = LINKS.min(links.len() / 2);
    let expected = links.iter().rev().take(each).cloned().collect();
    Ok(TwoSides { page, num_links, unexpected: links[..each].to_vec(), expected })
}

#[derive(Serialize)]
struct Showcase {
    pages: Vec<TwoSides>,
    num_pages: usize,
    num_links: usize,
    num_categories: usize,
    oddities: usize,
    oddities_on_top: usize,
    kept: Option<String>,
}

/// The most unexpected and most expected links of a page.
#[derive(Serialize)]
struct TwoSides {
    page: String,
    num_links: usize,
    unexpected: Vec<RankingRow>,
    expected: Vec<RankingRow>,
}

fn cell(link: &RankingRow) -> String {
    let odder_than = link.odder_than.map(|percent| format!(" (odder than {}%)", percent_of(percent)));
    let title = format!("{}{}", link.target, odder_than.unwrap_or_default());
    let reason = link.reasons.first().map(|reason| reason.text.clone()).unwrap_or_default();
    let lines = [title, link.snippet.clone().unwrap_or_default(), reason];
    lines.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

impl Render for Showcase {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let pages = counted(self.num_pages as u64, "page");
        let links = counted(self.num_links as u64, "link");
        let categories = counted(self.num_categories as u64, "category");
        writeln!(out, "An encyclopedia of {pages}, {links} and {categories}: which links are surprising?")?;
        writeln!(
            out,
            "Each with the percentage of all links that it is odder than, its sentence, and a reason that can be counted."
        )?;
        for page in &self.pages {
            writeln!(out, "\n{}, {}", page.page, counted(page.num_links as u64, "link"))?;
            let mut grid = Grid::new("most_unexpected most_expected");
            for (left, right) in page.unexpected.iter().zip(&page.expected) {
                grid.row([cell(left), cell(right)]);
            }
            grid.write_table("", out)?;
        }
        let Showcase { oddities, oddities_on_top, .. } = self;
        writeln!(
            out,
            "\n{oddities_on_top} of the {oddities} oddities in it are among the top {TOP} of their page."
        )?;
        match &self.kept {
            Some(path) => writeln!(out, "Next: llamafur rank {path} \"Albert Einstein\""),
            None => writeln!(out, "Keep it: llamafur demo --out demo.corpus"),
        }
    }

    fn grid(&self) -> Grid {
        let mut grid = Grid::new("page rank target unexpectedness reason snippet");
        for page in &self.pages {
            for link in page.unexpected.iter().chain(page.expected.iter().rev()) {
                grid.row([
                    page.page.clone(),
                    link.rank.to_string(),
                    link.target.clone(),
                    link.unexpectedness.map(|score| score.to_string()).unwrap_or_default(),
                    reasons(link),
                    link.snippet.clone().unwrap_or_default(),
                ]);
            }
        }
        grid
    }
}
