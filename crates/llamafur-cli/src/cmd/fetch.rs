//! `llamafur fetch`: downloads a wiki's dump.

use super::args::With;
use crate::output::{Grid, OutputArgs, Render, print};
use anyhow::Result;
use clap::Args;
use llamafur::human_bytes;
use llamafur::progress::Progress;
use llamafur_import::fetch::{DEFAULT_BASE_URL, FetchConf, fetch};
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Options of `fetch`.
#[derive(Debug, Args)]
#[command(after_help = "\
A file gets its name when it is complete and its checksum is right. After an interruption, the same
command resumes the download.

Examples:
  llamafur fetch simplewiki
  llamafur fetch enwiki --date 20260901 --out dumps")]
pub struct FetchArgs {
    /// The wiki, by the name of its database: simplewiki, enwiki, dewiki, …
    #[arg(value_name = "WIKI")]
    wiki: String,
    /// The dump of this date, such as 20260901 [default: the newest that is complete].
    #[arg(long, value_name = "DATE")]
    date: Option<String>,
    /// The folder for the file.
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,
    /// A mirror to download from.
    #[arg(long, value_name = "URL", default_value = DEFAULT_BASE_URL)]
    base_url: String,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn run(args: &FetchArgs, progress: &mut dyn Progress) -> Result<()> {
    let conf = FetchConf::new(&args.wiki).out(&args.out).base_url(&args.base_url);
    let conf = conf.with(args.date.as_ref(), |conf, date| conf.date(date));
    let dump = fetch(&conf, progress)?;
    let file = dump.file.display().to_string();
    print(&FetchReport { wiki: dump.wiki, date: dump.date, file, bytes: dump.bytes }, &args.output)
}

#[derive(Serialize)]
struct FetchReport {
    wiki: String,
    date: String,
    file: String,
    bytes: u64,
}

impl Render for FetchReport {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let FetchReport { wiki, file, bytes, .. } = self;
        writeln!(out, "{file}: {}, checksum right", human_bytes(*bytes))?;
        writeln!(out, "next: llamafur import wiki {file} --out {wiki}.corpus")
    }

    fn grid(&self) -> Grid {
        Grid::of("file bytes", std::slice::from_ref(self))
    }
}
