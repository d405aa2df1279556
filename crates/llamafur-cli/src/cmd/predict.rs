//! `llamafur predict`: pages to which a page has no link although one would expect it.

use super::args::{ScoringArgs, TableArgs};
use crate::output::{Grid, Render, counted, print, say_taken, signed, thousands};
use crate::sink::{Sink, TableFile};
use anyhow::Result;
use clap::Args;
use llamafur::engine::{
    Engine, EngineConf, Lookup, PredictConf, PredictedLink, PredictionCounts, Predictions,
};
use llamafur::progress::Progress;
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Options of `predict`.
#[derive(Debug, Args)]
#[command(after_help = "\
Of a wiki, pages are looked for among those that the text names outside of its links: the words to be linked
and their sentence are shown. With --anywhere, and for other corpora, they are looked for in the whole graph.

With --all, every page is predicted for, and a table is written. Columns: source, target, words (empty with
--anywhere), expectedness. Pages come in the order of their titles, the most expected links first.

Examples:
  llamafur predict my.corpus Jupiter
  llamafur predict my.corpus Jupiter --anywhere --top 20 --scorer llamafur
  llamafur predict my.corpus --all --top 3 --out missing.parquet")]
pub struct PredictArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    /// The page, by its title; case and underscores do not matter unless two titles differ in them.
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    page: Option<String>,
    /// How many links of a page to show; 0 for all that were looked at.
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Look for pages in the whole graph.
    #[arg(long, conflicts_with = "named")]
    anywhere: bool,
    /// Look for pages among those that the text names; of a wiki the default.
    #[arg(long)]
    named: bool,
    /// Predict for every page, into a file.
    #[arg(long, requires = "out")]
    all: bool,
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    scoring: ScoringArgs,
}

impl PredictArgs {
    fn conf(&self) -> Result<PredictConf> {
        let conf = PredictConf::default().top(self.top);
        let conf = conf.scorer(self.scoring.scorer.name()).score(self.scoring.scorer.conf()?);
        Ok(match (self.anywhere, self.named) {
            (true, _) => conf.lookup(Lookup::Anywhere),
            (_, true) => conf.lookup(Lookup::Named),
            _ => conf,
        })
    }
}

pub(super) fn run(args: &PredictArgs, progress: &mut dyn Progress) -> Result<()> {
    args.scoring.threads()?;
    if args.page.is_some() {
        args.table.expect_none("with `--all`, which predicts for every page")?;
    }
    let table = args.table.file(&args.scoring.output)?;
    let engine = Engine::open(&args.corpus, EngineConf::default())?;
    if args.named {
        super::expect_text(engine.corpus())?;
    }
    let conf = args.conf()?;
    match (&args.page, table) {
        (Some(page), _) => {
            // A wrong title should come to light before the work.
            engine.page(page)?;
            engine.prepare_predictions(&conf, progress)?;
            let predictions = engine.predict(page, &conf)?;
            say_taken(page, &predictions.page);
            print(&Shown(predictions), &args.scoring.output)
        }
        (None, Some((out, kind))) => {
            let counts = write_all(&engine, &conf, out, kind, progress)?;
            print(&Report { file: out.display().to_string(), counts }, &args.scoring.output)
        }
        // The options say that it cannot be.
        (None, None) => Ok(()),
    }
}

fn write_all(
    engine: &Engine,
    conf: &PredictConf,
    out: &Path,
    kind: TableFile,
    progress: &mut dyn Progress,
) -> Result<PredictionCounts> {
    let corpus = engine.corpus();
    let mut sink = Sink::create(out, kind, &["source", "target", "words"], &["expectedness"])?;
    let counts = engine.predict_all::<anyhow::Error>(conf, progress, |pairs| {
        let mut texts: [Vec<&str>; 3] = Default::default();
        for pair in &pairs {
            texts[0].push(corpus.title(pair.source)?);
            texts[1].push(corpus.title(pair.target)?);
            texts[2].push(pair.words.as_deref().unwrap_or_default());
        }
        let numbers = pairs.iter().map(|pair| Some(pair.expectedness)).collect();
        sink.write(texts.to_vec(), vec![numbers])
    })?;
    sink.finish()?;
    Ok(counts)
}

/// The predictions for a page.
#[derive(Serialize)]
#[serde(transparent)]
struct Shown(Predictions);

/// Joins the reasons of a link into one line.
fn reasons(link: &PredictedLink) -> String {
    link.reasons.iter().map(|reason| &reason.text[..]).collect::<Vec<_>>().join("; ")
}

impl Render for Shown {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let Predictions { page, scorer, lookup, num_candidates, links, .. } = &self.0;
        let is_named = *lookup == Lookup::Named;
        let found = counted(*num_candidates as u64, "page");
        if links.is_empty() && is_named {
            return writeln!(
                out,
                "the text of {page} names no page that it does not link to; --anywhere looks in the whole graph"
            );
        }
        if links.is_empty() {
            return writeln!(out, "no page is near {page}");
        }
        let among = if is_named { "that the text names without a link" } else { "near it without a link" };
        writeln!(out, "{page}: {found} {among}, the most expected first, by {scorer}")?;
        let mut columns = vec!["#", "link_to", "expectedness"];
        columns.push(if is_named { "sentence" } else { "reason" });
        let mut grid = Grid::titled(columns);
        for link in links {
            let last = if is_named { link.snippet.clone().unwrap_or_default() } else { reasons(link) };
            grid.row([link.rank.to_string(), link.target.clone(), signed(link.expectedness), last]);
        }
        grid.write_table("# expectedness", out)
    }

    fn grid(&self) -> Grid {
        let mut grid = Grid::new("rank target expectedness words snippet reason");
        for link in &self.0.links {
            let text = |text: &Option<String>| text.clone().unwrap_or_default();
            grid.row([
                link.rank.to_string(),
                link.target.clone(),
                link.expectedness.to_string(),
                text(&link.words),
                text(&link.snippet),
                reasons(link),
            ]);
        }
        grid
    }
}

/// The result of writing a table.
#[derive(Serialize)]
struct Report {
    file: String,
    #[serde(flatten)]
    counts: PredictionCounts,
}

impl Render for Report {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let PredictionCounts { pages, pages_with_links, links } = self.counts;
        let (links, pages) = (counted(links, "link"), counted(pages, "page"));
        writeln!(out, "{}: {links} predicted for {} of {pages}", self.file, thousands(pages_with_links))
    }

    fn grid(&self) -> Grid {
        Grid::of("file pages pages_with_links links", [self]).by_name()
    }
}
