//! `llamafur vectors`: adds, lists and removes vectors of pages made by another program.

use super::overwrite::OverwriteArgs;
use crate::output::{Grid, OutputArgs, Render, counted, print, say, thousands};
use anyhow::Result;
use clap::{Args, Subcommand};
use llamafur::corpus::Corpus;
use llamafur::graph::PageId;
use llamafur::progress::Progress;
use llamafur::vectors::PageVectors;
use llamafur_import::vectors::{LeftOut, VectorsAccount, VectorsConf, read};
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// What to do with vectors.
#[derive(Debug, Subcommand)]
pub enum VectorsCommand {
    /// Bring vectors of the pages, such as embeddings of their texts.
    Add(AddArgs),
    /// List the vectors that were brought.
    List(ListArgs),
    /// Remove vectors.
    Remove(RemoveArgs),
}

/// Options of `vectors add`.
#[derive(Debug, Args)]
#[command(after_help = "\
The file is an array of NumPy (.npy) or a tensor (.safetensors) with a vector a row; --titles names the
pages. Titles are found as everywhere: through redirects, with underscores, in any case. Vectors are kept
beside the corpus, scaled to length 1, and scorers use them by their name: cosine:NAME, company:NAME,
peers:NAME.

Examples:
  llamafur vectors add my.corpus minilm.npy --titles titles.txt --name minilm
  llamafur rank my.corpus Jupiter --scorer cosine:minilm")]
pub struct AddArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    /// The vectors: .npy or .safetensors.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The name of the vectors.
    #[arg(long, value_name = "NAME")]
    name: String,
    /// The titles of the rows, one a line.
    #[arg(long, value_name = "FILE")]
    titles: PathBuf,
    /// The tensor of a .safetensors file [default: the only one of two dimensions].
    #[arg(long, value_name = "NAME")]
    tensor: Option<String>,
    #[command(flatten)]
    overwrite: OverwriteArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Options of `vectors list`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  llamafur vectors list my.corpus")]
pub struct ListArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
}

/// Options of `vectors remove`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  llamafur vectors remove my.corpus minilm")]
pub struct RemoveArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    /// The name of the vectors.
    #[arg(value_name = "NAME")]
    name: String,
}

pub(super) fn run(command: VectorsCommand, progress: &mut dyn Progress) -> Result<()> {
    match command {
        VectorsCommand::Add(args) => add(args, progress),
        VectorsCommand::List(args) => list(&args),
        VectorsCommand::Remove(args) => {
            let path = PageVectors::remove(&Corpus::open(&args.corpus)?, &args.name)?;
            say(&format!("{}: removed", path.display()));
            Ok(())
        }
    }
}

fn add(args: AddArgs, progress: &mut dyn Progress) -> Result<()> {
    let corpus = Corpus::open(&args.corpus)?;
    args.overwrite.check(&PageVectors::path(&corpus, &args.name)?)?;
    let AddArgs { file, titles, tensor, name, .. } = args;
    let conf = VectorsConf { file, titles, tensor };
    let (vectors, account) = read(&corpus, &conf, progress)?;
    let file = vectors.save(&corpus, &name)?.display().to_string();
    for (what, left_out) in [
        ("whose title is not in the corpus", &account.unknown),
        ("with a vector that is 0", &account.empty),
        ("under another title of a page that has one under its own", &account.other_titles),
    ] {
        if let LeftOut { rows: rows @ 1.., examples } = left_out {
            let more = if *rows > examples.len() as u64 { ", …" } else { "" };
            say(&format!("left out: {} {what}: {}{more}", counted(*rows, "row"), examples.join(", ")));
        }
    }
    print(&Added { name, file, corpus: args.corpus.display().to_string(), account }, &args.output)
}

#[derive(Serialize)]
struct Added {
    name: String,
    file: String,
    #[serde(skip)]
    corpus: String,
    #[serde(flatten)]
    account: VectorsAccount,
}

impl Render for Added {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let VectorsAccount { vectors, dimensions, pages, pages_without, .. } = self.account;
        let (vectors, pages) = (counted(vectors, "vector"), counted(pages, "page"));
        let dimensions = counted(dimensions as u64, "dimension");
        let without = thousands(pages_without);
        writeln!(out, "{}: {vectors} of {dimensions}; {pages} with a vector, {without} without", self.file)?;
        writeln!(out, "next: llamafur rank {} PAGE --scorer cosine:{}", self.corpus, self.name)
    }

    fn grid(&self) -> Grid {
        let columns = "name file vectors dimensions pages pages_without unknown=unknown.rows empty=empty.rows \
                       other_titles=other_titles.rows";
        Grid::of(columns, [self]).by_name()
    }
}

fn list(args: &ListArgs) -> Result<()> {
    let corpus = Corpus::open(&args.corpus)?;
    let kept = PageVectors::names(&corpus)?.into_iter().map(|name| {
        let vectors = PageVectors::open(&corpus, &name);
        let has_vector = |vectors: &PageVectors, page: u32| vectors.get(PageId(page)).is_some();
        let pages =
            |vectors| (0..corpus.num_pages() as u32).filter(|page| has_vector(vectors, *page)).count();
        Kept {
            name,
            dimensions: vectors.as_ref().ok().map(PageVectors::dimensions),
            pages: vectors.as_ref().ok().map(pages),
            problem: vectors.err().map(|error| error.to_string()),
        }
    });
    print(&List { vectors: kept.collect() }, &args.output)
}

#[derive(Serialize)]
struct List {
    vectors: Vec<Kept>,
}

/// Added vectors, or the reason why they cannot be opened.
#[derive(Serialize)]
struct Kept {
    name: String,
    dimensions: Option<usize>,
    pages: Option<usize>,
    problem: Option<String>,
}

impl Render for List {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        self.grid().write_table("dimensions pages", out)
    }

    fn grid(&self) -> Grid {
        Grid::of("name dimensions pages problem", &self.vectors)
    }
}
