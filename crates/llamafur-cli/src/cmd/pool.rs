//! `llamafur pool`: links worth judging, as a table to fill in.

use super::args::{HowArgs, ScorersArgs};
use super::overwrite::expect_free;
use crate::output::{Grid, OutputArgs, Render, counted, print, write_left_out};
use anyhow::{Result, bail};
use clap::Args;
use llamafur::corpus::Corpus;
use llamafur::engine::{Engine, EngineConf, PlaceSet};
use llamafur::progress::{Note, Progress};
use llamafur::score::{LeftOut, Scorer};
use llamafur_eval::judging::{pool_path, write_pool};
use llamafur_eval::pool::{POOLED, PoolConf, pool, write_table};
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Options of `pool`.
#[derive(Debug, Args)]
#[command(after_help = "\
N pages are drawn at random. Of each page's links in prose and captions (--where), every scorer contributes its
top tenth (--share), at least one. The table has a line for each of these links: source, target, class, judge, and what a judge
needs: the first paragraphs of both pages and the sentence that holds the link, if the corpus has text.
The lines of a page are together and in random order; nothing shows which scorer found them.
The scorer random contributes links drawn at random, not the top of its own ranking: that would make it
measure below chance.

Fill in the class: TE totally expected, E slightly expected, U slightly unexpected, TU totally
unexpected. If there are several judges, fill in their names and repeat a line for each judge: the last of a
link counts. Lines may be left empty. `llamafur evaluate --judgments` reads the table as it is.
Without --out the links are those that `llamafur serve DIR --judge` asks for, one after the other.

Examples:
  llamafur pool my.corpus --queries 50 --out to-judge.tsv
  llamafur pool my.corpus --queries 237 --min-links 10 --scorer llamafur --scorer aa --out to-judge.tsv",
mut_arg("scorer", |arg| arg.help(scorer_help())))]
pub struct PoolArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    /// How many pages to draw.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    queries: u32,
    /// The table to write: .tsv [default: judgments/pool.tsv in the corpus, the links that `llamafur serve --judge` asks for].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Draw only pages with at least so many links.
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    min_links: u32,
    /// The share of a page's links taken from the top of each ranking (α in the paper), above 0, at most 1.
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, allow_negative_numbers = true)]
    share: f64,
    /// Where links must be, on a wiki: all, or some of the places that `llamafur rank --help` lists, separated by commas.
    #[arg(long = "where", value_name = "PLACES", default_value_t)]
    places: PlaceSet,
    /// The seed of all random choices.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Replace an existing file, with the judgments in it.
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    scorers: ScorersArgs,
    #[command(flatten)]
    how: HowArgs,
    #[command(flatten)]
    output: OutputArgs,
}

fn scorer_help() -> String {
    format!(
        "A scorer, as `llamafur scorers` lists them, or a sum such as llamafur+aa; can be given several times [default: \
         {}; those of them whose input the corpus has]. With a model of another name: llamafur:MODEL",
        POOLED.join(", ")
    )
}

pub(super) fn run(args: &PoolArgs, progress: &mut dyn Progress) -> Result<()> {
    if let Some(out) = args.out.as_ref().filter(|out| out.extension().is_none_or(|end| end != "tsv")) {
        bail!("{}: the name must end in .tsv", out.display());
    }
    let conf = PoolConf::new(args.queries as usize).share(args.share)?.seed(args.seed).places(args.places);
    let conf = conf.min_links(args.min_links as usize);
    let corpus = Corpus::open(&args.corpus)?;
    let path = args.out.clone().unwrap_or_else(|| pool_path(&corpus));
    expect_free(&path, args.overwrite)?;
    let is_default = |scorer: &Scorer| POOLED.contains(&scorer.name);
    let (scorers, left_out) = args.scorers.open(&corpus, &args.how, is_default, progress)?;
    let pooled = pool(&Engine::new(&corpus, EngineConf::default()), &scorers, &conf)?;
    let names: Vec<String> = scorers.iter().map(|scorer| scorer.name().to_owned()).collect();
    if pooled.is_empty() {
        bail!("no page has {} or more links", args.min_links);
    }
    match &args.out {
        Some(out) => write_table(out, &corpus, &pooled, progress)?,
        None => write_pool(&corpus, &pooled, progress)?,
    }
    let report = PoolReport {
        file: path.display().to_string(),
        is_of_corpus: args.out.is_none(),
        queries: pooled.len(),
        queries_wanted: args.queries,
        min_links: args.min_links,
        links: pooled.iter().map(|page| page.targets.len()).sum(),
        scorers: names,
        left_out,
        has_text: corpus.has_text(),
        corpus: args.corpus.display().to_string(),
    };
    if let Some(note) = report.too_few_pages() {
        progress.note(Note::words(note));
    }
    print(&report, &args.output)
}

#[derive(Serialize)]
struct PoolReport {
    file: String,
    /// Number of pages drawn.
    queries: usize,
    /// Number of pages requested: more if too few have enough links.
    queries_wanted: u32,
    min_links: u32,
    links: usize,
    scorers: Vec<String>,
    /// Default scorers whose input the corpus lacks.
    left_out: Vec<LeftOut>,
    #[serde(skip)]
    is_of_corpus: bool,
    #[serde(skip)]
    has_text: bool,
    #[serde(skip)]
    corpus: String,
}

impl PoolReport {
    fn too_few_pages(&self) -> Option<String> {
        let PoolReport { queries, queries_wanted, min_links, .. } = *self;
        let enough = if min_links == 1 { "links".to_owned() } else { format!("{min_links} or more links") };
        let note =
            format!("only {queries} of the {queries_wanted} pages asked for: no other page has {enough}");
        (queries < queries_wanted as usize).then_some(note)
    }
}

impl Render for PoolReport {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let PoolReport { file, queries, links, scorers, .. } = self;
        let (links, pages) = (counted(*links as u64, "link"), counted(*queries as u64, "page"));
        writeln!(out, "{file}: {links} of {pages} to be judged, found by {}", scorers.join(", "))?;
        write_left_out(&self.left_out, out)?;
        if let Some(note) = self.too_few_pages() {
            writeln!(out, "{note}")?;
        }
        if !self.has_text {
            writeln!(out, "the corpus has no text: paragraphs and sentences are empty")?;
        }
        if self.is_of_corpus {
            return writeln!(out, "judge them: llamafur serve {} --judge", self.corpus);
        }
        writeln!(
            out,
            "fill in the class (TE, E, U, TU), then: llamafur evaluate {} --judgments {file}",
            self.corpus
        )
    }

    fn grid(&self) -> Grid {
        Grid::of("file queries queries_wanted links scorers", [self])
    }
}
