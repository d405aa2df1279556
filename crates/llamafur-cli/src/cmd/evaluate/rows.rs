//! `llamafur evaluate --rows`: measures the first rows of a ranking on judged rows.

use super::EvaluateArgs;
use crate::output::{Grid, Render, counted, interval, print, signed, thousands, three};
use anyhow::{Result, bail};
use clap::Args;
use llamafur::corpus::Found;
use llamafur::engine::{Engine, EngineConf, RankConf, RankingRow};
use llamafur::progress::{Progress, Task};
use llamafur::worth::LEVEL;
use llamafur_eval::rows::{RowFigures, RowLabels, RowMeasure, ShownRow};
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

const DEFAULT_SCORER: &str = "blend";

/// The displayed name of each share, in the order of [`RowFigures::shares`].
const NAMES: [&str; 8] =
    ["A", "A or B", "D", "E", "pages with A", "A a page", "reason convinces (+)", "reason misleads (−)"];

/// Which judged rows, and how many rows of each page.
#[derive(Debug, Clone, Args)]
pub(super) struct RowsArgs {
    /// Measure what a reader sees first, on judged rows: page, target, letter (A to E), sign (+, 0, −) and judge; several
    /// files count as one.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["judgments", "judgments_form", "report"])]
    rows: Vec<PathBuf>,
    /// Number of rows of each page that are shown at most; 0 for all.
    #[arg(long, value_name = "N", default_value_t = 5, requires = "rows")]
    rows_shown: usize,
    /// The worth that a row must have to be shown; -inf shows the first rows of every page.
    #[arg(long, value_name = "WORTH", default_value_t = LEVEL, requires = "rows", allow_hyphen_values = true)]
    level: f64,
}

impl RowsArgs {
    /// Returns whether to measure rows instead of links.
    pub(super) fn is_asked(&self) -> bool {
        !self.rows.is_empty()
    }

    fn read(&self) -> Result<RowLabels> {
        let mut labels = RowLabels::default();
        for path in &self.rows {
            labels.read(llamafur_import::input::open(path)?, path)?;
        }
        labels.expect_rows()?;
        Ok(labels)
    }

    /// Returns the rows of these pages that a reader is shown.
    fn shown(
        &self,
        engine: &Engine,
        pages: &[&str],
        conf: RankConf,
        progress: &mut dyn Progress,
    ) -> Result<Vec<ShownRow>> {
        let conf = conf.top(self.rows_shown);
        let mut rows = Vec::new();
        for page in pages {
            let row = |target| ShownRow { page: (*page).to_owned(), target };
            let is_shown = |link: &RankingRow| link.worth.unwrap_or(f64::NEG_INFINITY) >= self.level;
            let links = engine.rank(page, &conf)?.links.into_iter();
            rows.extend(links.filter(is_shown).map(|link| row(link.target)));
            progress.advance(1);
        }
        Ok(rows)
    }
}

pub(super) fn run(args: &EvaluateArgs, progress: &mut dyn Progress) -> Result<()> {
    let asked = args.scorers.asked();
    args.how.check(asked)?;
    let labels = args.rows.read()?;
    let engine = Engine::open(&args.corpus, EngineConf::default())?;
    let (mut pages, mut missing_pages) = (Vec::new(), Vec::new());
    for page in labels.pages() {
        match engine.corpus().find_page(page)? {
            Found::One(_) => pages.push(page),
            _ => missing_pages.push(page.to_owned()),
        }
    }
    let files = names(&args.rows.rows);
    if pages.is_empty() {
        let [first, ..] = &missing_pages[..] else { return Ok(()) };
        bail!(
            "{files}: none of the pages is in the corpus, such as “{first}”; give the corpus that was judged"
        );
    }
    let score = args.how.conf();
    let mut scorers: Vec<String> = Vec::new();
    let default = [DEFAULT_SCORER.to_owned()];
    for name in if asked.is_empty() { &default[..] } else { asked } {
        let scorer = engine.prepare_ranking(name, &score, progress)?;
        if scorers.iter().all(|other| other != scorer.name()) {
            scorers.push(scorer.name().to_owned());
        }
    }
    let measure = RowMeasure::new(&labels, pages.iter().copied(), args.seed);
    let mut rows = Vec::with_capacity(scorers.len() + 1);
    progress.start(Task::MeasureScorers, Some((scorers.len() * pages.len()) as u64));
    for name in &scorers {
        let conf = RankConf::default().scorer(name).score(score.clone());
        rows.push(measure.of(name, args.rows.shown(&engine, &pages, conf, progress)?));
    }
    progress.finish();
    let most = if args.rows.rows_shown == 0 { usize::MAX } else { args.rows.rows_shown };
    rows.push(measure.chance(most));
    let report = RowsReport {
        pages: pages.len(),
        labels: labels.num_rows(),
        repeated: labels.num_repeated(),
        contradicted: labels.num_contradicted(),
        rows_shown: args.rows.rows_shown,
        level: Some(args.rows.level).filter(|level| level.is_finite()),
        missing_pages,
        rows,
        files,
    };
    print(&report, &args.output)
}

/// Joins the names of files for people.
fn names(files: &[PathBuf]) -> String {
    files.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

#[derive(Serialize)]
struct RowsReport {
    /// Number of measured pages.
    pages: usize,
    /// Number of judged rows of all files.
    labels: usize,
    /// Number of lines that label a row again.
    repeated: usize,
    /// Number of these with another letter.
    contradicted: usize,
    /// Largest number of shown rows of each page; 0 for all.
    rows_shown: usize,
    /// The least worth of a shown row; `null` for any.
    level: Option<f64>,
    /// Pages with judged rows that the corpus lacks.
    missing_pages: Vec<String>,
    /// Figures of each scorer, and of chance at the end.
    rows: Vec<RowFigures>,
    #[serde(skip)]
    files: String,
}

impl Render for RowsReport {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let RowsReport { files, rows_shown, repeated, contradicted, missing_pages, .. } = self;
        let (labels, pages) = (counted(self.labels as u64, "judged row"), counted(self.pages as u64, "page"));
        let shown = match rows_shown {
            0 => "all rows of each page".to_owned(),
            1 => "the first row of each page".to_owned(),
            most => format!("the first {} rows of each page", thousands(*most as u64)),
        };
        let level = self
            .level
            .map(|level| format!(" that have a worth of {} or more", signed(level)))
            .unwrap_or_default();
        writeln!(out, "{files}: {labels}; {pages} measured, {shown}{level}")?;
        if let [first, ..] = &missing_pages[..] {
            let num = counted(missing_pages.len() as u64, "page");
            writeln!(out, "not in the corpus: {num}, such as {first}")?;
        }
        if *repeated > 0 {
            let (again, other) = (counted(*repeated as u64, "line"), thousands(*contradicted as u64));
            writeln!(out, "judged again: {again}, {other} with another letter; the first one counts")?;
        }
        writeln!(out)?;
        let [scorers @ .., chance] = &self.rows[..] else { return Ok(()) };
        let right = "value 95%_interval chance";
        let mut grid = Grid::new(&format!("scorer rows {right}"));
        for figures in scorers {
            for ((name, (_, share)), (_, chance)) in NAMES.iter().zip(figures.shares()).zip(chance.shares()) {
                grid.row([
                    figures.scorer.clone(),
                    (*name).to_owned(),
                    three(share.share),
                    share.ci95.map(interval).unwrap_or_default(),
                    three(chance.share),
                ]);
            }
        }
        grid.write_table(right, out)?;
        for RowFigures { scorer, shown, judged, unjudged, .. } in scorers {
            let rows = counted(*shown as u64, "row");
            write!(out, "{scorer} shows {rows}, {} of them judged", thousands(*judged as u64))?;
            match unjudged {
                0 => writeln!(out)?,
                _ => writeln!(
                    out,
                    "; the others count for nothing, so that pages with A and A a page are lower bounds"
                )?,
            }
        }
        Ok(())
    }

    fn grid(&self) -> Grid {
        let names = self.rows.first().map(RowFigures::shares).into_iter().flatten();
        let columns =
            names.flat_map(|(name, _)| [name.to_owned(), format!("{name}_low"), format!("{name}_high")]);
        let counts = ["scorer", "pages", "shown", "judged", "unjudged", "signed"].map(String::from);
        let mut grid = Grid::titled(counts.into_iter().chain(columns));
        for figures in &self.rows {
            let RowFigures { scorer, shown, judged, unjudged, signed, .. } = figures;
            let mut row = vec![scorer.clone()];
            row.extend([self.pages, *shown, *judged, *unjudged, *signed].map(|num| num.to_string()));
            let text = |number: Option<f64>| number.map(|number| number.to_string()).unwrap_or_default();
            for (_, share) in figures.shares() {
                row.push(text(share.share));
                row.extend([0, 1].map(|end| text(share.ci95.map(|ends| ends[end]))));
            }
            grid.row(row);
        }
        grid
    }
}
