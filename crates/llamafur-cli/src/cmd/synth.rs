//! `llamafur synth`: a corpus from a known model.

use super::args::{ThreadArgs, With};
use super::overwrite::OverwriteArgs;
use crate::output::{Grid, OutputArgs, Render, counted, print, say, thousands, with_checksum};
use crate::sink::{Sink, TableFile};
use anyhow::Result;
use clap::Args;
use llamafur::categories::Categories;
use llamafur::corpus::Corpus;
use llamafur::graph::PageId;
use llamafur::progress::Progress;
use llamafur::storage::AtomicFile;
use llamafur_eval::synth::{SynthConf, Truth, TruthKind, synth};
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Options of `synth`.
#[derive(Debug, Args)]
#[command(after_help = "\
The corpus is made from a known category matrix, so that a learner can be measured by how well it finds
the matrix. Pages link to popular pages whose categories the matrix expects; a few planted links go where
it expects none. The same options give the same corpus, byte for byte.

Examples:
  llamafur synth --pages 10000 --links 240000 --categories 500 --out made.corpus
  llamafur synth --pages 20000 --links 500000 --categories 300 --full-rank --planted 100 \\
      --planted-out planted.tsv --out odd.corpus
  llamafur synth --pages 4514662 --links 110699703 --categories 20000 --out as-large-as-enwiki")]
pub struct SynthArgs {
    /// How many pages.
    #[arg(long, value_name = "N")]
    pages: usize,
    /// How many links, up to a quarter of the pairs of pages.
    #[arg(long, value_name = "N")]
    links: usize,
    /// How many categories.
    #[arg(long, value_name = "N")]
    categories: usize,
    /// Categories a page on average, 1 to 12 [default: 4, or half of the categories if that is less].
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    per_page: Option<f64>,
    /// Draw every cell of the true matrix independently.
    #[arg(long, conflicts_with = "true_rank")]
    full_rank: bool,
    /// The rank of the true matrix, 1 to 256 [default: 8].
    #[arg(long, value_name = "K")]
    true_rank: Option<usize>,
    /// Links planted where the true matrix expects none, at most one a page [default: a thousandth of the links].
    #[arg(long, value_name = "N")]
    planted: Option<usize>,
    /// The seed of all random choices.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The corpus to make.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    overwrite: OverwriteArgs,
    /// Write the planted links as a table: source, target; .tsv, .parquet or .arrow.
    #[arg(long, value_name = "FILE")]
    planted_out: Option<PathBuf>,
    #[command(flatten)]
    threads: ThreadArgs,
    #[command(flatten)]
    output: OutputArgs,
}

impl SynthArgs {
    fn conf(&self) -> SynthConf {
        let conf = SynthConf::default().pages(self.pages).links(self.links).categories(self.categories);
        let low_rank = self.true_rank.map(|rank| TruthKind::LowRank { rank });
        conf.seed(self.seed)
            .with(self.per_page, SynthConf::categories_per_page)
            .with(low_rank.or(self.full_rank.then_some(TruthKind::FullRank)), SynthConf::kind)
            .with(self.planted, SynthConf::planted)
    }
}

pub(super) fn run(args: &SynthArgs, progress: &mut dyn Progress) -> Result<()> {
    args.threads.apply()?;
    // A wrong name is reported before the work, not after.
    let kind = args.planted_out.as_ref().map(|path| TableFile::of(path, args.output.header)).transpose()?;
    args.planted_out.iter().try_for_each(|path| args.overwrite.check(path))?;
    let conf = args.conf();
    let started = Instant::now();
    let manifest = synth(&conf, &args.out, args.overwrite.existing(), progress)?;
    let seconds = started.elapsed().as_secs_f64();
    if let (Some(path), Some(kind)) = (&args.planted_out, kind) {
        write_planted(&Corpus::open(&args.out)?, path, kind)?.finish()?;
        say(&format!("{}: written", path.display()));
    }
    let report = SynthReport {
        pages: manifest.counts.pages,
        links: manifest.counts.links,
        categories: manifest.counts.categories,
        planted: conf.num_planted() as u64,
        seconds,
        links_per_second: manifest.counts.links as f64 / seconds.max(1e-9),
        corpus: args.out.display().to_string(),
        checksum: manifest.graph_checksum(),
    };
    print(&report, &args.output)
}

fn write_planted(corpus: &Corpus, path: &Path, kind: TableFile) -> Result<AtomicFile> {
    let planted = Truth::of(corpus)?.planted(&Categories::whole_graph(corpus)?);
    let titles = |pages: Vec<PageId>| pages.into_iter().map(|page| corpus.title(page)).collect();
    let (sources, targets) = planted.into_iter().unzip();
    let (sources, targets): (Result<_, _>, Result<_, _>) = (titles(sources), titles(targets));
    let mut sink = Sink::create(path, kind, &["source", "target"], &[])?;
    sink.write(vec![sources?, targets?], Vec::new())?;
    sink.close()
}

#[derive(Serialize)]
struct SynthReport {
    pages: u64,
    links: u64,
    categories: u64,
    planted: u64,
    seconds: f64,
    links_per_second: f64,
    corpus: String,
    checksum: String,
}

impl Render for SynthReport {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "{}, {} ({} planted) and {} in {:.2} s ({} links a second)",
            counted(self.pages, "page"),
            counted(self.links, "link"),
            thousands(self.planted),
            counted(self.categories, "category"),
            self.seconds,
            thousands(self.links_per_second as u64),
        )?;
        writeln!(out, "{}", with_checksum(&self.corpus, &self.checksum))?;
        writeln!(out, "next: llamafur train {}", self.corpus)
    }

    fn grid(&self) -> Grid {
        let columns = "pages links categories planted seconds links_per_second corpus checksum";
        Grid::of(columns, [self]).by_name()
    }
}
