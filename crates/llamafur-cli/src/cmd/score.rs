//! `llamafur score`: the unexpectedness of every link, streamed to a file.

use super::args::{ScorerArgs, ThreadArgs};
use super::overwrite::OverwriteArgs;
use crate::output::{Grid, OutputArgs, Render, counted, print};
use crate::sink::{Sink, TableFile};
use anyhow::Result;
use clap::Args;
use llamafur::Error;
use llamafur::corpus::Corpus;
use llamafur::engine::{Engine, EngineConf};
use llamafur::graph::PageId;
use llamafur::progress::{Progress, Task};
use llamafur::score::Score;
use rayon::prelude::*;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Options of `score`.
#[derive(Debug, Args)]
#[command(after_help = "\
Columns: source, target, unexpectedness (empty where the scorer has no data). Links come page by
page, in the order of the titles.

Examples:
  llamafur score my.corpus --out scores.parquet
  llamafur score my.corpus --out scores.tsv --header && sort -t$'\\t' -k3,3gr scores.tsv | head")]
pub struct ScoreArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    /// The file to write: .tsv, .parquet or .arrow.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    overwrite: OverwriteArgs,
    #[command(flatten)]
    threads: ThreadArgs,
    #[command(flatten)]
    scorer: ScorerArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Pages scored at a time: enough work for all threads, little enough to hold.
const PAGES_AT_A_TIME: usize = 1 << 14;

/// Runs `score`.
pub(super) fn run(args: &ScoreArgs, progress: &mut dyn Progress) -> Result<()> {
    args.threads.apply()?;
    let kind = TableFile::of(&args.out, args.output.header)?;
    args.overwrite.check(&args.out)?;
    let engine = Engine::open(&args.corpus, EngineConf::default())?;
    let corpus = engine.corpus();
    let mut sink = Sink::create(&args.out, kind, &["source", "target"], Some("unexpectedness"))?;
    let scorer = args.scorer.prepare(&engine, progress)?;
    let mut scored = 0u64;
    progress.start(Task::Score, Some(corpus.num_links() as u64));
    let score_from = |first: usize| {
        let pages = first..(first + PAGES_AT_A_TIME).min(corpus.num_pages());
        let pages = pages.into_par_iter().map(|page| score_page(corpus, &*scorer, PageId(page as u32)));
        pages.collect::<Result<Vec<_>, Error>>()
    };
    // While some pages are written, the next ones are scored.
    let mut to_write = Vec::new();
    for first in (0..corpus.num_pages()).step_by(PAGES_AT_A_TIME) {
        let (next, written) =
            rayon::join(|| score_from(first), || write(&mut sink, std::mem::take(&mut to_write)));
        let (links, with_score) = written?;
        scored += with_score;
        progress.advance(links);
        to_write = next?;
    }
    scored += write(&mut sink, to_write)?.1;
    sink.finish()?;
    progress.finish();
    let links = corpus.num_links() as u64;
    let file = args.out.display().to_string();
    print(&Report { file, scorer: scorer.name().to_owned(), links, scored }, &args.output)
}

/// Writes the links of these pages; how many there were, and how many of them had a score.
fn write(sink: &mut Sink, pages: Vec<ScoredPage<'_>>) -> Result<(u64, u64)> {
    let (mut sources, mut targets, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    for page in pages {
        sources.extend(std::iter::repeat_n(page.title, page.targets.len()));
        targets.extend(page.targets);
        numbers.extend(page.scores);
    }
    let counts = (numbers.len() as u64, numbers.iter().flatten().count() as u64);
    sink.write(vec![sources, targets], Some(numbers))?;
    Ok(counts)
}

struct ScoredPage<'a> {
    title: &'a str,
    targets: Vec<&'a str>,
    scores: Vec<Option<f64>>,
}

fn score_page<'a>(corpus: &'a Corpus, scorer: &dyn Score, page: PageId) -> Result<ScoredPage<'a>, Error> {
    let links = corpus.links(page)?;
    Ok(ScoredPage {
        title: corpus.title(page)?,
        targets: links.iter().map(|&target| corpus.title(target)).collect::<Result<_, _>>()?,
        scores: scorer.score(page, links)?,
    })
}

#[derive(Serialize)]
struct Report {
    file: String,
    scorer: String,
    links: u64,
    scored: u64,
}

impl Render for Report {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let without = match self.links - self.scored {
            0 => String::new(),
            without => {
                format!(", {} of them without a score", counted(without, "link"))
            }
        };
        writeln!(out, "{}: {} by {}{without}", self.file, counted(self.links, "link"), self.scorer)
    }

    fn grid(&self) -> Grid {
        Grid::of("file scorer links scored", [self]).by_name()
    }
}
