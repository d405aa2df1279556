//! `llamafur rank`: a page's links, the most unexpected first, each with its reasons.

use super::args::ScorerArgs;
use super::draft::{DraftArgs, say_account};
use crate::output::{Grid, OutputArgs, Render, counted, print, say_taken, signed, signed_by};
use anyhow::Result;
use clap::Args;
use llamafur::engine::{DraftAccount, DraftRanking, Engine, EngineConf, Ranking, RankingRow, SignalUnit};
use llamafur::progress::Progress;
use llamafur_eval::report::reasons;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Options of `rank`.
#[derive(Debug, Args)]
#[command(after_help = "\
By default links are ranked by a blend of every signal whose input the corpus has. Signals that are left out are listed. \
The reasons of a link are the signals that put it in its place, the strongest first: in the upper half of the ranking \
what makes it odd, in the lower half what makes it expected. Links without a score come last.

With --draft, a text that is not in the corpus is ranked as if it were. Links and categories count as `llamafur import wiki` reads \
them; those that the corpus lacks are listed on stderr. For a corpus of tables, [[Title]] and [[Title|words]] are links and \
[[Category:Name]] is a category. A text under the title of a page of the corpus is a new version of it.

Examples:
  llamafur rank my.corpus Jupiter
  llamafur rank my.corpus Jupiter --signals
  llamafur rank my.corpus Jupiter --scorer llamafur
  llamafur rank my.corpus jupiter --top 3 --snippets --format json
  llamafur rank my.corpus --draft Io.wiki --snippets
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
    /// How many links to show; 0 for all.
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Show the sentence behind each link, where the corpus has text.
    #[arg(long)]
    snippets: bool,
    /// Show what each signal of the blend or sum says of each link, as a bar.
    #[arg(long)]
    signals: bool,
    #[command(flatten)]
    scorer: ScorerArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs `rank`.
pub(super) fn run(args: &RankArgs, progress: &mut dyn Progress) -> Result<()> {
    let engine = Engine::open(&args.corpus, EngineConf::default())?;
    let draft = args.draft.read()?;
    // A wrong title should come to light before the work.
    args.page.as_ref().map(|page| engine.page(page)).transpose()?;
    draft.as_ref().map(|draft| engine.read_draft(draft)).transpose()?;
    if args.snippets && draft.is_none() {
        super::expect_text(engine.corpus())?;
    }
    let conf = args.scorer.rank_conf()?.top(args.top).snippets(args.snippets);
    args.scorer.prepare(&engine, progress)?;
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
    print(&Shown { snippets: args.snippets, signals: args.signals, ranking, draft }, &args.output)
}

/// A ranking, and what of it is shown.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    ranking: Ranking,
    #[serde(skip_serializing_if = "Option::is_none")]
    draft: Option<DraftAccount>,
    #[serde(skip)]
    snippets: bool,
    #[serde(skip)]
    signals: bool,
}

/// A signal for people: a bar from −3 to 3 standard deviations; a dot where there is no data.
fn bar(signal: Option<&f64>) -> char {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let height = |score: &f64| ((score + 3.0) / 6.0 * 8.0).floor().clamp(0.0, 7.0) as usize;
    signal.map_or('·', |score| BARS[height(score)])
}

/// The score of a link for people, or why it has none.
pub(super) fn score(link: &RankingRow) -> String {
    link.unexpectedness.map(signed).or(link.note.clone()).unwrap_or_default()
}

impl Shown {
    /// The names of the signals, in the order of the first link that has them.
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

impl Render for Shown {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let Ranking { page, scorer, method, num_links, .. } = &self.ranking;
        let method = method.as_ref().map(|method| format!(" ({method})")).unwrap_or_default();
        if *num_links == 0 {
            return writeln!(out, "{page} has no links");
        }
        let num_links = counted(*num_links as u64, "link");
        writeln!(out, "{page}: {num_links}, the most unexpected first, by {scorer}{method}")?;
        let names = self.signal_names();
        let mut columns = vec!["#", "link_to", "unexpectedness"];
        columns.extend(self.signals.then_some("signals"));
        columns.push("reason");
        columns.extend(self.snippets.then_some("sentence"));
        let mut grid = Grid::titled(columns);
        for link in &self.ranking.links {
            let mut fields = vec![link.rank.to_string(), link.target.clone(), score(link)];
            fields.extend(self.signals.then(|| self.signals_of(link, &names)));
            fields.push(reasons(link));
            fields.extend(self.snippets.then(|| link.snippet.clone().unwrap_or_default()));
            grid.row(fields);
        }
        grid.write_table("# unexpectedness", out)?;
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
        let columns =
            ["rank"].into_iter().chain(RankingRow::COLUMNS).chain(self.snippets.then_some("snippet"));
        let mut grid = Grid::titled(columns.chain(names.iter().copied()));
        for link in &self.ranking.links {
            let mut row = vec![link.rank.to_string()];
            row.extend(link.fields());
            row.extend(self.snippets.then(|| link.snippet.clone().unwrap_or_default()));
            row.extend(
                names.iter().map(|name| link.signals.get(*name).map(f64::to_string).unwrap_or_default()),
            );
            grid.row(row);
        }
        grid
    }
}
