//! `llamafur rank`: a page's links, the most unexpected first, each with its reason.

use super::args::ScorerArgs;
use crate::lookup;
use crate::output::{Grid, OutputArgs, Render, counted, print, signed, signed_by};
use anyhow::Result;
use clap::Args;
use llamafur::corpus::{Corpus, CorpusError, PageId};
use llamafur::explain::{Snippets, weighted_pairs};
use llamafur::matrix::Model;
use llamafur::progress::Progress;
use llamafur::score::{RankedLink, rank};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

/// Options of `rank`.
#[derive(Debug, Args)]
#[command(after_help = "\
By default links are ranked by a blend of all signals that the corpus has what they need for; what is
left out is said. Links without a score come last and say so.

Examples:
  llamafur rank my.corpus Jupiter
  llamafur rank my.corpus Jupiter --signals
  llamafur rank my.corpus Jupiter --scorer llamafur
  llamafur rank my.corpus jupiter --top 3 --snippets --format json")]
pub struct RankArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    /// The page, by its title; case and underscores do not matter unless two titles differ in them.
    page: String,
    /// How many links to show; 0 for all.
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Show the sentence behind each link, where the corpus has text.
    #[arg(long)]
    snippets: bool,
    /// Show what each signal of the blend or sum says of each link, as a bar and in standard deviations.
    #[arg(long)]
    signals: bool,
    #[command(flatten)]
    scorer: ScorerArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs `rank`.
pub fn run(args: &RankArgs, progress: &mut dyn Progress) -> Result<()> {
    let corpus = Corpus::open(&args.corpus)?;
    let page = lookup::page(&corpus, &args.page)?;
    // What cannot be shown should come to light before the work.
    let snippets = if args.snippets { Some(open_snippets(&corpus, page)?) } else { None };
    let scorer = args.scorer.open(&corpus, progress)?;
    let ranked = rank(&corpus, &*scorer, page)?;
    let shown = if args.top == 0 { ranked.len() } else { args.top.min(ranked.len()) };
    let title = corpus.title(page)?;
    let mut links = Vec::with_capacity(shown);
    let targets: Vec<PageId> = ranked[..shown].iter().map(|link| link.target).collect();
    let signals = scorer.signals(page, &targets)?;
    for (place, link) in ranked[..shown].iter().enumerate() {
        let mut shown = ShownLink::new(&corpus, scorer.model(), page, link)?;
        shown.rank = place + 1;
        let said = signals.iter().filter_map(|(name, scores)| Some((name.clone(), scores[place]?)));
        shown.signals.extend(said);
        if let Some(snippets) = &snippets {
            shown.snippet = snippets.get(link.target)?;
        }
        links.push(shown);
    }
    let method = scorer.model().map(|model| format!(" ({})", model.settings().method));
    let ranking = Ranking {
        page: title.to_owned(),
        scorer: scorer.name().to_owned(),
        links,
        num_links: ranked.len(),
        method: method.unwrap_or_default(),
        with_snippets: args.snippets,
        signals: args.signals.then(|| signals.into_iter().map(|(name, _)| name).collect()),
    };
    print(&ranking, &args.output)
}

fn open_snippets(corpus: &Corpus, page: PageId) -> Result<Snippets<'_>, CorpusError> {
    if !corpus.has_text() {
        let way_out = "import it again with `--text`, or leave out `--snippets`";
        return Err(CorpusError::Missing { path: corpus.path().into(), what: "text", way_out });
    }
    Snippets::new(corpus, page)
}

#[derive(Serialize)]
struct Ranking {
    page: String,
    scorer: String,
    links: Vec<ShownLink>,
    #[serde(skip)]
    num_links: usize,
    #[serde(skip)]
    method: String,
    #[serde(skip)]
    with_snippets: bool,
    /// The names of the signals, if they are to be shown.
    #[serde(skip)]
    signals: Option<Vec<String>>,
}

/// A signal for people: a bar from −3 to 3 standard deviations; a dot where there is nothing to go by.
fn bar(signal: Option<&f64>) -> char {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let height = |score: &f64| ((score + 3.0) / 6.0 * 8.0).floor().clamp(0.0, 7.0) as usize;
    signal.map_or('·', |score| BARS[height(score)])
}

/// Signals that are named beside the bars.
const NAMED: usize = 3;

/// A link as a ranking shows it.
#[derive(Serialize)]
pub(super) struct ShownLink {
    pub(super) rank: usize,
    pub(super) target: String,
    /// `null` where a page has no categories.
    pub(super) unexpectedness: Option<f64>,
    pub(super) explained: Option<bool>,
    pub(super) signals: BTreeMap<String, f64>,
    pub(super) reason: Option<Reason>,
    pub(super) snippet: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<&'static str>,
}

/// The category pair that says most about a link: the lightest of an unexplained one, the heaviest of another.
#[derive(Serialize)]
pub(super) struct Reason {
    source: String,
    target: String,
    weight: f64,
}

impl Reason {
    pub(super) fn shown(&self) -> String {
        format!("{} → {} ({})", self.source, self.target, signed(self.weight))
    }
}

impl ShownLink {
    /// A link with its reason, without rank, signals and snippet.
    pub(super) fn new(
        corpus: &Corpus,
        model: Option<&Model>,
        page: PageId,
        link: &RankedLink,
    ) -> Result<ShownLink, CorpusError> {
        Ok(ShownLink {
            rank: 0,
            target: corpus.title(link.target)?.to_owned(),
            unexpectedness: link.unexpectedness,
            explained: link.explained,
            signals: BTreeMap::new(),
            reason: model.map_or(Ok(None), |model| reason(corpus, model, page, link))?,
            snippet: None,
            note: link.unexpectedness.is_none().then_some(match model {
                Some(_) => "no categories",
                None => "nothing to go by",
            }),
        })
    }
}

impl ShownLink {
    /// The signals furthest from the mean, with their numbers.
    fn strongest(&self) -> String {
        let mut signals: Vec<(&String, &f64)> = self.signals.iter().collect();
        signals.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        let named =
            signals.iter().take(NAMED).map(|(name, score)| format!("{name} {}", signed_by(1, **score)));
        named.collect::<Vec<_>>().join(", ")
    }
}

fn reason(
    corpus: &Corpus,
    model: &Model,
    page: PageId,
    link: &RankedLink,
) -> Result<Option<Reason>, CorpusError> {
    let categories = model.categories(corpus);
    let (sources, targets) = (categories.of(page)?, categories.of(link.target)?);
    let pairs = weighted_pairs(model.matrix_rows(sources)?, sources, targets);
    let told = if link.explained == Some(true) { pairs.last() } else { pairs.first() };
    told.map(|pair| {
        Ok(Reason {
            source: categories.name(pair.source)?.to_owned(),
            target: categories.name(pair.target)?.to_owned(),
            weight: pair.weight,
        })
    })
    .transpose()
}

impl Render for Ranking {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let Ranking { page, scorer, method, .. } = self;
        let num_links = counted(self.num_links as u64, "link");
        if self.num_links == 0 {
            return writeln!(out, "{page}: no links");
        }
        writeln!(out, "{page}: {num_links}, the most unexpected first, by {scorer}{method}")?;
        if let Some(signals) = &self.signals {
            let mut grid = Grid::new(["#", "link_to", "unexpectedness", "signals", "the_strongest"]);
            for link in &self.links {
                let score = link.unexpectedness.map(signed).or(link.note.map(str::to_owned));
                let bars: Vec<String> =
                    signals.iter().map(|name| bar(link.signals.get(name)).to_string()).collect();
                let rank = link.rank.to_string();
                grid.row([
                    rank,
                    link.target.clone(),
                    score.unwrap_or_default(),
                    bars.join(" "),
                    link.strongest(),
                ]);
            }
            grid.write_table(&["#", "unexpectedness"], out)?;
            return writeln!(
                out,
                "Signals, in standard deviations from the mean of all links, ▁ −3 to █ 3: {}",
                signals.join(", ")
            );
        }
        let mut columns = vec!["#", "link_to", "unexpectedness", "category_pair_(weight)"];
        columns.extend(self.with_snippets.then_some("sentence"));
        let mut grid = Grid::new(columns);
        for link in &self.links {
            let score = link.unexpectedness.map(signed).or(link.note.map(str::to_owned));
            let reason = link.reason.as_ref().map(Reason::shown);
            let mut fields = vec![
                link.rank.to_string(),
                link.target.clone(),
                score.unwrap_or_default(),
                reason.unwrap_or_default(),
            ];
            fields.extend(self.with_snippets.then(|| link.snippet.clone().unwrap_or_default()));
            grid.row(fields);
        }
        grid.write_table(&["#", "unexpectedness"], out)
    }

    fn grid(&self) -> Grid {
        let mut columns = vec![
            "rank",
            "target",
            "unexpectedness",
            "explained",
            "source_category",
            "target_category",
            "weight",
        ];
        columns.extend(self.with_snippets.then_some("snippet"));
        let signals = self.signals.as_deref().unwrap_or_default();
        let columns = columns.into_iter().map(str::to_owned).chain(signals.iter().cloned());
        let mut grid = Grid::titled(columns);
        let text = |value: Option<String>| value.unwrap_or_default();
        for link in &self.links {
            let reason = link.reason.as_ref();
            let mut fields = vec![
                link.rank.to_string(),
                link.target.clone(),
                text(link.unexpectedness.map(|score| score.to_string())),
                text(link.explained.map(|explained| explained.to_string())),
                text(reason.map(|reason| reason.source.clone())),
                text(reason.map(|reason| reason.target.clone())),
                text(reason.map(|reason| reason.weight.to_string())),
            ];
            fields.extend(self.with_snippets.then(|| text(link.snippet.clone())));
            fields.extend(signals.iter().map(|name| text(link.signals.get(name).map(f64::to_string))));
            grid.row(fields);
        }
        grid
    }
}
