//! `llamafur fetch`: downloads a wiki's dump.

use super::args::With;
use crate::output::{Grid, OutputArgs, Render, print};
use anyhow::Result;
use clap::Args;
use llamafur::human_bytes;
use llamafur::progress::Progress;
use llamafur_import::fetch::{DEFAULT_BASE_URL, Dump, FetchConf, How, fetch};
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
  llamafur fetch enwiki --date 20260901 --out dumps --contact me@example.org")]
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
    /// A mail or web address for the server's operators [default: this program's].
    #[arg(long, value_name = "ADDRESS")]
    contact: Option<String>,
    /// Replace an existing file whose checksum differs.
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs `fetch`.
pub(super) fn run(args: &FetchArgs, progress: &mut dyn Progress) -> Result<()> {
    let conf = FetchConf::new(&args.wiki)
        .out(&args.out)
        .base_url(&args.base_url)
        .overwrite(args.overwrite)
        .with(args.date.as_ref(), |conf, date| conf.date(date))
        .with(args.contact.as_ref(), |conf, contact| conf.contact(contact));
    print(&FetchReport::new(fetch(&conf, progress)?), &args.output)
}

#[derive(Serialize)]
struct FetchReport {
    wiki: String,
    date: String,
    files: Vec<File>,
}

#[derive(Serialize)]
struct File {
    file: String,
    bytes: u64,
    how: &'static str,
}

impl FetchReport {
    fn new(dump: Dump) -> FetchReport {
        let how = match dump.how {
            How::Downloaded => "downloaded",
            How::Resumed => "resumed",
            How::AlreadyThere => "already there",
        };
        let file = File { file: dump.file.display().to_string(), bytes: dump.bytes, how };
        FetchReport { files: vec![file], wiki: dump.wiki, date: dump.date }
    }
}

impl Render for FetchReport {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        for File { file, bytes, how } in &self.files {
            writeln!(out, "{file}: {how}, {}, checksum right", human_bytes(*bytes))?;
        }
        let files: Vec<&str> = self.files.iter().map(|file| file.file.as_str()).collect();
        writeln!(out, "next: llamafur import wiki {} --out {}.corpus", files.join(" "), self.wiki)
    }

    fn grid(&self) -> Grid {
        Grid::of("file bytes how", &self.files)
    }
}
