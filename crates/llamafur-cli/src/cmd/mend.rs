//! `llamafur mend`: links that probably lead to the wrong page.

use super::args::{ScoringArgs, TableArgs};
use crate::output::{Grid, Render, counted, print, signed, thousands};
use crate::sink::{Sink, TableFile};
use anyhow::Result;
use clap::Args;
use llamafur::engine::{Engine, EngineConf, Mends, SuspiciousLink};
use llamafur::progress::Progress;
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Options of `mend`.
#[derive(Debug, Args)]
#[command(after_help = "\
A link is suspicious if it is odd, and a page of a similar title would be expected in its place: the same title
but for brackets, Mercury and Mercury (planet); the same by a redirect; another meaning on a disambiguation page.
The gain is how much less unexpected the better target is.

With --out, the suspicious links are written to a table, all of them unless --top says otherwise. Columns: source,
target, better, likeness, sentence, unexpectedness, better_unexpectedness, gain.

Examples:
  llamafur mend my.corpus
  llamafur mend my.corpus Mercury
  llamafur mend my.corpus --top 100 --format json
  llamafur mend my.corpus --out suspicious.tsv --header")]
pub struct MendArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    /// Only links of this page, by its title.
    #[arg(value_name = "PAGE")]
    page: Option<String>,
    /// How many links to show; 0 for all [default: 20, and all with --out].
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    scoring: ScoringArgs,
}

/// Default number of links shown.
const SHOWN: usize = 20;

pub(super) fn run(args: &MendArgs, progress: &mut dyn Progress) -> Result<()> {
    args.scoring.threads()?;
    let table = args.table.file(&args.scoring.output)?;
    let engine = Engine::open(&args.corpus, EngineConf::default())?;
    let top = args.top.unwrap_or(if table.is_some() { 0 } else { SHOWN });
    let conf = args.scoring.scorer.rank_conf()?.top(top).snippets(engine.corpus().has_text());
    let mends = match &args.page {
        Some(page) => engine.mend_page(page, &conf, progress)?,
        None => engine.mend(&conf, progress)?,
    };
    match table {
        Some((out, kind)) => {
            write(&mends, out, kind)?;
            let written = mends.links.len() as u64;
            let (links, suspicious) = (mends.num_links, mends.num_suspicious);
            let report = Report { file: out.display().to_string(), links, suspicious, written };
            print(&report, &args.scoring.output)
        }
        None => print(&Shown(mends), &args.scoring.output),
    }
}

fn write(mends: &Mends, out: &Path, kind: TableFile) -> Result<()> {
    let columns = ["source", "target", "better", "likeness", "sentence"];
    let numbers = ["unexpectedness", "better_unexpectedness", "gain"];
    let mut sink = Sink::create(out, kind, &columns, &numbers)?;
    // A tab or a line break within a sentence would break its row.
    let plain = |text: &Option<String>| text.as_deref().unwrap_or_default().replace(['\t', '\n', '\r'], " ");
    let sentences: Vec<String> = mends.links.iter().map(|link| plain(&link.snippet)).collect();
    let mut texts: Vec<Vec<&str>> = vec![Vec::new(); columns.len()];
    for (link, sentence) in mends.links.iter().zip(&sentences) {
        let row = [&link.source[..], &link.target[..], &link.better[..], link.likeness.name(), &sentence[..]];
        texts.iter_mut().zip(row).for_each(|(column, text)| column.push(text));
    }
    let of_links =
        |number: fn(&SuspiciousLink) -> f64| mends.links.iter().map(|link| Some(number(link))).collect();
    let scores = [of_links(|link| link.unexpectedness), of_links(|link| link.better_unexpectedness)];
    sink.write(texts, scores.into_iter().chain([of_links(|link| link.gain)]).collect())?;
    sink.finish()
}

/// Suspicious links.
#[derive(Serialize)]
#[serde(transparent)]
struct Shown(Mends);

impl Render for Shown {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let Mends { scorer, num_links, num_suspicious, links, .. } = &self.0;
        if *num_links == 0 {
            return writeln!(out, "no link leads to a page whose title another page shares");
        }
        let (looked, found) = (counted(*num_links, "link"), thousands(*num_suspicious));
        writeln!(out, "{found} suspicious of {looked} that another page's title fits, by {scorer}")?;
        if links.is_empty() {
            return Ok(());
        }
        let mut grid = Grid::new("# page link_to did_you_mean unexpectedness gain sentence");
        for link in links {
            grid.row([
                link.rank.to_string(),
                link.source.clone(),
                link.target.clone(),
                link.better.clone(),
                format!("{} → {}", signed(link.unexpectedness), signed(link.better_unexpectedness)),
                signed(link.gain),
                link.snippet.clone().unwrap_or_default(),
            ]);
        }
        grid.write_table("# unexpectedness gain", out)
    }

    fn grid(&self) -> Grid {
        let columns = "rank source target better likeness unexpectedness better_unexpectedness gain snippet";
        Grid::of(columns, &self.0.links)
    }
}

/// The result of writing a table.
#[derive(Serialize)]
struct Report {
    file: String,
    links: u64,
    suspicious: u64,
    written: u64,
}

impl Render for Report {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let (written, links) = (counted(self.written, "suspicious link"), counted(self.links, "link"));
        writeln!(out, "{}: {written} of {links} that another page's title fits", self.file)
    }

    fn grid(&self) -> Grid {
        Grid::of("file links suspicious written", [self]).by_name()
    }
}
