//! `llamafur prepare`: computes the data that rankings need, once.

use super::args::ThreadArgs;
use crate::output::{Grid, OutputArgs, Render, counted, print};
use anyhow::Result;
use clap::Args;
use llamafur::corpus::Corpus;
use llamafur::engine::{Engine, EngineConf, PreparedFile, repair};
use llamafur::human_bytes;
use llamafur::progress::Progress;
use llamafur::score::ScoreConf;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Options of `prepare`.
#[derive(Debug, Args)]
#[command(after_help = "\
Makes all that rank, explain, category, top and score need and that depends on the whole graph: words,
places of links in the texts, neighbours, page vectors, means and deviations, indexes. After that every
command opens the corpus by mapping its files, whatever its size. A command that misses one of them makes
it too; files that are there already are read, left as they are if they are whole, and made again if not.
To free the space, remove the folder prepared of the corpus.

A run that was stopped goes on where it was.

Examples:
  llamafur prepare my.corpus
  llamafur prepare enwiki.corpus --memory 4GB")]
pub struct PrepareArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    /// Memory to use, about, in bytes or with a unit: 500MB, 4GB.
    #[arg(long, value_name = "SIZE", default_value = "2GB", value_parser = bytes)]
    memory: u64,
    /// The model that rankings use [default: llamafur].
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    #[command(flatten)]
    threads: ThreadArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Parses a number of bytes: `4GB`, `500 MB`, `1000000`.
fn bytes(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic()).trim_end();
    let unit = match text[digits.len()..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        other => return Err(format!("the unit {other} is none of kB, MB, GB and TB")),
    };
    let number: f64 = digits.parse().map_err(|_| "not a number of bytes, such as 500MB or 4GB".to_owned())?;
    let bytes = number * unit;
    if bytes.is_finite() && bytes >= LEAST { Ok(bytes as u64) } else { Err("must be at least 100MB".into()) }
}

/// Least amount of memory; with less, the work would pass over the corpus many times.
const LEAST: f64 = 1e8;

pub(super) fn run(args: &PrepareArgs, progress: &mut dyn Progress) -> Result<()> {
    args.threads.apply()?;
    let corpus = Corpus::open(&args.corpus)?;
    repair(&corpus, progress)?;
    let engine = Engine::new(&corpus, EngineConf::default().memory(args.memory));
    let conf = ScoreConf { model: args.model.clone(), ..ScoreConf::default() };
    let files = engine.prepare_all(&conf, progress)?;
    print(&Report { corpus: args.corpus.display().to_string(), files }, &args.output)
}

#[derive(Serialize)]
struct Report {
    corpus: String,
    files: Vec<PreparedFile>,
}

impl Render for Report {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let bytes = human_bytes(self.files.iter().map(|file| file.bytes).sum());
        let files = counted(self.files.len() as u64, "file");
        let new = self.files.iter().filter(|file| file.is_new).count();
        let new = if new == 0 { "all there before".to_owned() } else { format!("{new} of them new") };
        writeln!(out, "{}: prepared, {files} of {bytes}, {new}", self.corpus)?;
        writeln!(out, "next: llamafur rank {} PAGE", self.corpus)
    }

    fn grid(&self) -> Grid {
        Grid::of("name bytes is_new", &self.files)
    }
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn sizes_have_units() {
        assert_eq!(
            ["2GB", "500 mb", "1.5g", "200000000"].map(|text| bytes(text).unwrap()),
            [2_000_000_000, 500_000_000, 1_500_000_000, 200_000_000]
        );
        for wrong in ["", "GB", "1", "-2GB", "2XB", "nanGB", "infGB"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }
}
