//! `llamafur pool`: which links are worth judging, as a table to be filled in.

use super::args::{HowArgs, ScorersArgs};
use crate::output::{Grid, OutputArgs, Render, counted, print};
use anyhow::{Context, Result, bail};
use clap::Args;
use llamafur::corpus::PageText;
use llamafur::corpus::{AtomicFile, BLOCK, Corpus, PageId};
use llamafur::explain::first_paragraph;
use llamafur::progress::{Progress, Task};
use llamafur::score::Scorer;
use llamafur_eval::pool::{PoolConf, Pooled, pool};
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Options of `pool`.
#[derive(Debug, Args)]
#[command(after_help = "\
Of N random pages, the top tenth of each page's links (--share) by each scorer, at least one, united.
The table has a line for each: source, target, class, judge, and what one needs to judge them: the
first paragraphs of both pages and the sentence behind the link, where the corpus has text. The lines
of a page come together and in random order; nothing says which scorer found them. Unless scorers are
named, they are blend, llamafur, naive, aa, m2 and m4, as far as the corpus has what they need.

Fill in the class: TE totally expected, E slightly expected, U slightly unexpected, TU totally
unexpected; and, where there are several judges, their names. Lines may be left empty or doubled,
one for each judge. `llamafur evaluate --judgments` reads the table as it is.

Examples:
  llamafur pool my.corpus --queries 50 --out to-judge.tsv
  llamafur pool my.corpus --queries 237 --scorer llamafur --scorer aa --out to-judge.tsv")]
pub struct PoolArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    /// How many pages.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    queries: u32,
    /// The table to write: .tsv.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The share of a page's links taken from the top of each ranking (α in the paper), above 0, at most 1.
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, allow_negative_numbers = true)]
    share: f64,
    /// The seed of all random choices.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Write over an existing file, judgments in it included.
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    scorers: ScorersArgs,
    #[command(flatten)]
    how: HowArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// The scorers whose tops are judged unless others are asked for: the blend, and those that the paper compares. More would make
/// more to judge than anybody will.
const USUAL: [&str; 6] = ["blend", "llamafur", "naive", "aa", "m2", "m4"];

/// The columns of the table.
const COLUMNS: [&str; 7] =
    ["source", "target", "class", "judge", "source_paragraph", "target_paragraph", "snippet"];

/// Runs `pool`.
pub fn run(args: &PoolArgs, progress: &mut dyn Progress) -> Result<()> {
    let path = args.out.display();
    if args.out.extension().is_none_or(|extension| extension != "tsv") {
        bail!("{path}: the name must end in .tsv");
    }
    if args.out.exists() && !args.overwrite {
        bail!("{path}: exists, and may hold judgments; take another name, or --overwrite");
    }
    let conf = PoolConf::new(args.queries as usize).share(args.share)?.seed(args.seed);
    let corpus = Corpus::open(&args.corpus)?;
    let is_usual = |scorer: &Scorer| USUAL.contains(&scorer.name);
    let (scorers, _) = args.scorers.open(&corpus, &args.how, is_usual, progress)?;
    let pooled = pool(&corpus, &scorers, &conf)?;
    let names: Vec<String> = scorers.iter().map(|scorer| scorer.name().to_owned()).collect();
    write_table(args, &corpus, &pooled, progress)?;
    let report = Report {
        file: path.to_string(),
        queries: pooled.len(),
        links: pooled.iter().map(|page| page.targets.len()).sum(),
        scorers: names,
        asked_for: args.queries as usize,
        has_text: corpus.has_text(),
        corpus: args.corpus.display().to_string(),
    };
    print(&report, &args.output)
}

fn write_table(
    args: &PoolArgs,
    corpus: &Corpus,
    pooled: &[Pooled],
    progress: &mut dyn Progress,
) -> Result<()> {
    let mut writer =
        csv::WriterBuilder::new().delimiter(b'\t').from_writer(AtomicFile::create(&args.out, BLOCK)?);
    let mut write = |row: [&str; 7]| {
        // A line break within a field would be one within a line, which not every program reads.
        let row = row.map(|field| field.replace(['\t', '\n', '\r'], " "));
        writer.write_record(&row).with_context(|| args.out.display().to_string())
    };
    write(COLUMNS)?;
    let paragraph = |page: PageId| Ok::<_, anyhow::Error>(first_paragraph(corpus, page)?.unwrap_or_default());
    progress.start(Task::WritePages, Some(pooled.len() as u64));
    for Pooled { page, targets } in pooled {
        let (source, about) = (corpus.title(*page)?, paragraph(*page)?);
        let text = PageText::read(corpus, *page)?;
        for &target in targets {
            let snippet = text.sentence(target)?.unwrap_or_default();
            write([source, corpus.title(target)?, "", "", &about, &paragraph(target)?, &snippet])?;
        }
        progress.advance(1);
    }
    progress.finish();
    let file = writer.into_inner().map_err(|error| error.into_error());
    file.with_context(|| args.out.display().to_string())?.finish()?;
    Ok(())
}

#[derive(Serialize)]
struct Report {
    file: String,
    queries: usize,
    links: usize,
    scorers: Vec<String>,
    #[serde(skip)]
    asked_for: usize,
    #[serde(skip)]
    has_text: bool,
    #[serde(skip)]
    corpus: String,
}

impl Render for Report {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let Report { file, queries, links, scorers, .. } = self;
        let (links, pages) = (counted(*links as u64, "link"), counted(*queries as u64, "page"));
        writeln!(out, "{file}: {links} of {pages} to be judged, found by {}", scorers.join(", "))?;
        if *queries < self.asked_for {
            writeln!(out, "{} pages were asked for: no more have links", self.asked_for)?;
        }
        if !self.has_text {
            writeln!(out, "the corpus has no text, so paragraphs and sentences are empty")?;
        }
        writeln!(
            out,
            "fill in the class (TE, E, U, TU), then: llamafur evaluate {} --judgments {file}",
            self.corpus
        )
    }

    fn grid(&self) -> Grid {
        let mut grid = Grid::new(["file", "queries", "links", "scorers"]);
        grid.row([
            self.file.clone(),
            self.queries.to_string(),
            self.links.to_string(),
            self.scorers.join(","),
        ]);
        grid
    }
}
