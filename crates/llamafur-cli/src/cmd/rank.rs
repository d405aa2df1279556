//! `llamafur rank`: the links of a page that are worth reading, each in its sentence and with its reasons.

use super::args::With;
use super::draft::{DraftArgs, say_account};
use super::link_rows::{RowArgs, write_rows};
use crate::output::{Grid, OutputArgs, Render, counted, print, say_taken, signed_by, thousands};
use anyhow::Result;
use clap::Args;
use llamafur::engine::{
    DraftAccount, DraftRanking, Engine, EngineConf, Order, RankConf, Ranking, RankingRow, SignalUnit,
};
use llamafur::progress::Progress;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Options of `rank`.
#[derive(Debug, Args)]
#[command(after_help = "\
Shown are the links that are surprising: odd, in prose or a caption, and in a sentence worth reading. Where nothing is surprising, \
that is said, with the three links that come closest. --top shows more, after the surprising ones.

How odd a link is, is said on the scale of the whole corpus: odder than so many percent of its links. By default that is decided by a \
blend of every signal whose input the corpus has; signals that are left out are listed. Reasons are counts that the corpus's tables \
have. Links of one sentence are one row.

With --draft, a text that is not in the corpus is ranked as if it were. Links and categories count as `llamafur import wiki` reads \
them; those that the corpus lacks are listed on stderr. For a corpus of tables, [[Title]] and [[Title|words]] are links and \
[[Category:Name]] is a category. A text under the title of a page of the corpus is a new version of it.

Examples:
  llamafur rank my.corpus Jupiter
  llamafur rank my.corpus Jupiter --top 10 --signals
  llamafur rank my.corpus Jupiter --top 10 --scorer llamafur
  llamafur rank my.corpus Jupiter --top 0 --where all
  llamafur rank my.corpus jupiter --top 3 --format json
  llamafur rank my.corpus --draft Io.wiki
  llamafur rank my.corpus --draft - --title Io < draft.txt")]
pub struct RankArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    /// The page, by its title; case and underscores do not matter unless two titles differ in them.
    #[arg(required_unless_present = "draft")]
    page: Option<String>,
    #[command(flatten)]
    draft: DraftArgs,
    /// Number of rows to show, also of links that are not surprising; 0 for all [default: the surprising ones; 10 in the order of oddity].
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Show what each signal of the blend or sum says of each link, as a bar.
    #[arg(long)]
    signals: bool,
    #[command(flatten)]
    rows: RowArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn run(args: &RankArgs, progress: &mut dyn Progress) -> Result<()> {
    let engine = Engine::open(&args.corpus, EngineConf::default())?;
    let draft = args.draft.read()?;
    // A wrong title should come to light before the work.
    args.page.as_ref().map(|page| engine.page(page)).transpose()?;
    draft.as_ref().map(|draft| engine.read_draft(draft)).transpose()?;
    let conf = args.rows.rank_conf()?.with(args.top, RankConf::top);
    args.rows.ranking.scorer.prepare_ranking(&engine, progress)?;
    let (ranking, draft) = match (&draft, &args.page) {
        (Some(draft), _) => {
            let DraftRanking { ranking, draft } = engine.rank_draft(draft, &conf)?;
            say_account(&ranking.page, &draft);
            (ranking, Some(draft))
        }
        (None, page) => {
            let asked = page.as_deref().unwrap_or_default();
            let ranking = engine.rank(asked, &conf)?;
            say_taken(asked, &ranking.page);
            (ranking, None)
        }
    };
    print(&Shown { signals: args.signals, has_top: args.top.is_some(), ranking, draft }, &args.output)
}

/// A ranking, and the parts of it to show.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    ranking: Ranking,
    #[serde(skip_serializing_if = "Option::is_none")]
    draft: Option<DraftAccount>,
    #[serde(skip)]
    signals: bool,
    /// True if rows that are not surprising were requested.
    #[serde(skip)]
    has_top: bool,
}

/// Draws a signal as a bar from −3 to 3 standard deviations; a dot if there is no data.
fn bar(signal: Option<&f64>) -> char {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let height = |score: &f64| ((score + 3.0) / 6.0 * 8.0).floor().clamp(0.0, 7.0) as usize;
    signal.map_or('·', |score| BARS[height(score)])
}

impl Shown {
    /// Returns the names of the signals, in the order of the first link that has them.
    fn signal_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for name in self.ranking.links.iter().flat_map(|link| link.signals.keys()) {
            if !names.contains(&&name[..]) {
                names.push(name);
            }
        }
        names
    }

    fn signals_of(&self, link: &RankingRow, names: &[&str]) -> String {
        let shown = |name: &&str| match (self.ranking.signal_unit, link.signals.get(*name)) {
            (SignalUnit::StandardDeviations, signal) => bar(signal).to_string(),
            (SignalUnit::Raw, Some(signal)) => signed_by(3, *signal),
            (SignalUnit::Raw, None) => "·".to_owned(),
        };
        names.iter().map(shown).collect::<Vec<_>>().join(" ")
    }
}

impl Shown {
    /// Describes the number of links, and of surprising ones among them.
    fn heading(&self) -> String {
        let Ranking { page, scorer, method, num_links, num_ranked, num_surprising, order, .. } =
            &self.ranking;
        let links = counted(*num_links as u64, "link");
        let places = match num_ranked == num_links {
            true => String::new(),
            false => format!(", {} of them in the places that are ranked", thousands(*num_ranked as u64)),
        };
        let method = method.as_ref().map(|method| format!(" ({method})")).unwrap_or_default();
        match (num_surprising, order) {
            _ if self.ranking.links.is_empty() => format!("{page}: {links}{places}"),
            (_, Order::Oddity) => {
                format!("{page}: {links}{places}; the most unexpected first, by {scorer}{method}")
            }
            (0, _) if self.has_top => format!("{page}: {links}{places}; nothing is surprising"),
            (0, _) => format!("{page}: {links}{places}; nothing is surprising. What comes closest:"),
            (num, _) => format!("{page}: {links}{places}; {} surprising", are(*num)),
        }
    }
}

/// Returns `1 is`, `2 are`.
fn are(num: usize) -> String {
    if num == 1 { "1 is".to_owned() } else { format!("{} are", thousands(num as u64)) }
}

impl Render for Shown {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let ranking = &self.ranking;
        if ranking.num_links == 0 {
            return writeln!(out, "{} has no links", ranking.page);
        }
        writeln!(out, "{}", self.heading())?;
        if ranking.links.is_empty() {
            return Ok(());
        }
        let names = self.signal_names();
        let signals = |link: &RankingRow| self.signals.then(|| self.signals_of(link, &names));
        write_rows(ranking.links.iter().map(|link| (None, link)), signals, out)?;
        if !self.signals {
            return Ok(());
        }
        let names = names.join(", ");
        match self.ranking.signal_unit {
            SignalUnit::StandardDeviations => {
                writeln!(
                    out,
                    "Signals, in standard deviations from the mean of all links, ▁ −3 to █ 3: {names}"
                )
            }
            SignalUnit::Raw => writeln!(out, "Signals, as the scorer gives them: {names}"),
        }
    }

    fn grid(&self) -> Grid {
        let names = if self.signals { self.signal_names() } else { Vec::new() };
        let columns = ["rank"].into_iter().chain(RankingRow::COLUMNS);
        let mut grid = Grid::titled(columns.chain(names.iter().copied()));
        for link in &self.ranking.links {
            let mut row = vec![link.rank.to_string()];
            row.extend(link.fields());
            row.extend(
                names.iter().map(|name| link.signals.get(*name).map(f64::to_string).unwrap_or_default()),
            );
            grid.row(row);
        }
        grid
    }
}
