//! `llamafur score`: the unexpectedness of every link, streamed to a file.

use super::args::ScoringArgs;
use super::overwrite::OverwriteArgs;
use crate::output::{Grid, Render, counted, print};
use crate::sink::{Encoded, Encoder, Sink, TableFile};
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
use std::ops::Range;
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
    scoring: ScoringArgs,
}

/// Limits of a part, which one thread scores and encodes: at most this many links, up to a page more; a small corpus is
/// split into `PARTS` parts of at least `FEWEST_IN_PART` links.
const LINKS_IN_PART: usize = 1 << 17;
const PARTS: usize = 64;
const FEWEST_IN_PART: usize = 1 << 12;

/// Number of parts of each thread in a round.
const PARTS_AHEAD: usize = 3;

pub(super) fn run(args: &ScoreArgs, progress: &mut dyn Progress) -> Result<()> {
    args.scoring.threads()?;
    let kind = TableFile::of(&args.out, args.scoring.output.header)?;
    args.overwrite.check(&args.out)?;
    let engine = Engine::open(&args.corpus, EngineConf::default())?;
    let corpus = engine.corpus();
    let mut sink = Sink::create(&args.out, kind, &["source", "target"], &["unexpectedness"])?;
    let scorer = args.scoring.scorer.prepare(&engine, progress)?;
    let (encoder, parts) = (sink.encoder(), parts(corpus)?);
    // Checked once, since most are written many times.
    let titles = (0..corpus.num_pages() as u32).into_par_iter().map(|page| corpus.title(PageId(page)));
    let titles = titles.collect::<Result<Vec<&str>, Error>>()?;
    let mut scored = 0u64;
    progress.start(Task::Score, Some(corpus.num_links() as u64));
    // While some parts are written, the next ones are scored.
    let mut to_write = Vec::new();
    for round in parts.chunks(PARTS_AHEAD * rayon::current_num_threads()).chain([&[][..]]) {
        let score = |pages: &Range<u32>| score_part((corpus, &titles), &*scorer, &encoder, pages.clone());
        let (next, written) = rayon::join(
            || round.par_iter().map(score).collect::<Result<Vec<Part>>>(),
            || write(&mut sink, std::mem::take(&mut to_write)),
        );
        let (links, with_score) = written?;
        scored += with_score;
        progress.advance(links);
        to_write = next?;
    }
    sink.finish()?;
    progress.finish();
    let links = corpus.num_links() as u64;
    let file = args.out.display().to_string();
    print(&Report { file, scorer: scorer.name().to_owned(), links, scored }, &args.scoring.output)
}

/// Returns ranges of consecutive pages whose links are a part.
fn parts(corpus: &Corpus) -> Result<Vec<Range<u32>>, Error> {
    let enough = (corpus.num_links() / PARTS).clamp(FEWEST_IN_PART, LINKS_IN_PART);
    let (mut parts, mut start, mut links) = (Vec::new(), 0, 0);
    for page in 0..corpus.num_pages() as u32 {
        links += corpus.links(PageId(page))?.len();
        if links >= enough {
            parts.push(start..page + 1);
            (start, links) = (page + 1, 0);
        }
    }
    parts.push(start..corpus.num_pages() as u32);
    Ok(parts)
}

/// Encoded links, their number, and the number of those with a score.
struct Part {
    rows: Encoded,
    links: u64,
    scored: u64,
}

fn score_part(
    (corpus, titles): (&Corpus, &[&str]),
    scorer: &dyn Score,
    encoder: &Encoder,
    pages: Range<u32>,
) -> Result<Part> {
    let (mut sources, mut targets, mut scores) = (Vec::new(), Vec::new(), Vec::new());
    for page in pages.map(PageId) {
        let links = corpus.links(page)?;
        sources.extend(std::iter::repeat_n(titles[page.index()], links.len()));
        targets.extend(links.iter().map(|target| titles[target.index()]));
        scores.extend(scorer.score(page, links)?);
    }
    let (links, scored) = (scores.len() as u64, scores.iter().flatten().count() as u64);
    Ok(Part { rows: encoder.encode(vec![sources, targets], vec![scores])?, links, scored })
}

/// Writes parts; returns the number of links, and of those with a score.
fn write(sink: &mut Sink, parts: Vec<Part>) -> Result<(u64, u64)> {
    let mut counts = (0, 0);
    for part in parts {
        sink.append(part.rows)?;
        counts = (counts.0 + part.links, counts.1 + part.scored);
    }
    Ok(counts)
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
