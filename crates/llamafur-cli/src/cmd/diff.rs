//! `llamafur diff`: the changes between two corpora of the same wiki.

use super::args::{ScoringArgs, With};
use super::link_rows::write_rows;
use crate::output::{Grid, Render, counted, print, signed_by, thousands};
use anyhow::Result;
use clap::{Args, ValueEnum};
use llamafur::engine::{
    CorpusDiff, DiffConf, DiffCounts, Engine, EngineConf, PageChange, Recategorised, TopLink,
};
use llamafur::progress::Progress;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Options of `diff`.
#[derive(Debug, Args)]
#[command(after_help = "\
New links come in the order of how unexpected they were to the older model and signals, with the newer page's sentence. Links \
that vanished come in the order of how expected they were, with the older page's sentence. Pages whose categories changed come \
in the order of how far they moved, from 0 to 2, as the older category matrix sees it.

Pages are the same if their titles are. A page whose older title now leads to a page that the older corpus does not have was \
moved. Links of new pages have no score and come last.

Examples:
  llamafur diff last-week.corpus this-week.corpus
  llamafur diff last-week.corpus this-week.corpus --category Planets --top 50
  llamafur diff old.corpus new.corpus --only new-links --top 0 --format tsv --header
  llamafur diff old.corpus new.corpus --top 0 --format json")]
pub struct DiffArgs {
    /// The older corpus, whose model scores the changes.
    #[arg(value_name = "OLD")]
    corpus: PathBuf,
    /// The newer corpus.
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// How many changes of each kind to show; 0 for all.
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Only changes of pages that are or were in this category.
    #[arg(long, value_name = "NAME")]
    category: Option<String>,
    /// Show only these kinds of changes, separated by commas [default: all].
    #[arg(long, value_enum, value_name = "KIND", value_delimiter = ',')]
    only: Vec<Kind>,
    /// Leave out the sentences.
    #[arg(long)]
    no_sentences: bool,
    #[command(flatten)]
    scoring: ScoringArgs,
}

/// A kind of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Links that the older corpus does not have.
    NewLinks,
    /// Links that the newer corpus does not have.
    VanishedLinks,
    /// Pages whose categories changed.
    Categories,
    /// Pages that came, went and moved.
    Pages,
}

pub(super) fn run(args: &DiffArgs, progress: &mut dyn Progress) -> Result<()> {
    args.scoring.threads()?;
    let open = |path: &PathBuf| Engine::open(path, EngineConf::default());
    let (old, new) = (open(&args.corpus)?, open(&args.new)?);
    let rank = args.scoring.scorer.rank_conf()?.top(args.top).snippets(!args.no_sentences);
    let conf = DiffConf::default().rank(rank).with(args.category.as_ref(), |conf, name| conf.category(name));
    let mut diff = old.diff(&new, &conf, progress)?;
    let is_shown = |kind| args.only.is_empty() || args.only.contains(&kind);
    if !is_shown(Kind::NewLinks) {
        diff.new_links.clear();
    }
    if !is_shown(Kind::VanishedLinks) {
        diff.vanished_links.clear();
    }
    if !is_shown(Kind::Categories) {
        diff.recategorised.clear();
    }
    if !is_shown(Kind::Pages) {
        [&mut diff.moved, &mut diff.came, &mut diff.went].into_iter().for_each(Vec::clear);
    }
    print(&Shown(diff), &args.scoring.output)
}

#[derive(Serialize)]
#[serde(transparent)]
struct Shown(CorpusDiff);

impl Shown {
    fn write_counts(&self, out: &mut dyn Write) -> io::Result<()> {
        let DiffCounts { pages, links, .. } = self.0.counts;
        let counts = self.0.counts;
        let from_to = |[old, new]: [u64; 2]| format!("{} → {}", thousands(old), thousands(new));
        let mut line = |name: &str, from_to: String, parts: &[(u64, &str)]| {
            let parts = parts.iter().filter(|(count, _)| *count > 0);
            let parts: Vec<String> =
                parts.map(|(count, what)| format!("{} {what}", thousands(*count))).collect();
            let said = if parts.is_empty() { "no change".to_owned() } else { parts.join(", ") };
            writeln!(out, "{name:<11} {from_to:<24} {said}")
        };
        line(
            "pages",
            from_to(pages),
            &[(counts.came, "came"), (counts.went, "went"), (counts.moved, "moved")],
        )?;
        let of_links = [
            (counts.new_links, "new"),
            (counts.new_links_of_new_pages, "new with a page that came"),
            (counts.vanished_links, "vanished"),
            (counts.links_of_gone_pages, "gone with a page that went"),
            (counts.retargeted_links, "lead to another page since their title does"),
        ];
        line("links", from_to(links), &of_links)?;
        let of_categories = [
            (counts.categories_came, "came"),
            (counts.categories_went, "went"),
            (
                counts.recategorised,
                if counts.recategorised == 1 { "page changed its own" } else { "pages changed theirs" },
            ),
        ];
        line("categories", String::new(), &of_categories)
    }

    fn write_links(&self, heading: &str, links: &[TopLink], out: &mut dyn Write) -> io::Result<()> {
        if links.is_empty() {
            return Ok(());
        }
        writeln!(out, "\n{heading}")?;
        write_rows(links.iter().map(|link| (Some(&link.source[..]), &link.link)), |_| None, out)
    }

    fn write_categories(&self, out: &mut dyn Write) -> io::Result<()> {
        let (pages, all) = (&self.0.recategorised, self.0.counts.recategorised);
        if pages.is_empty() {
            return Ok(());
        }
        let first = ", those that moved furthest first";
        writeln!(out, "\n{}", heading("page", pages.len(), all, " with other categories", first))?;
        let mut grid = Grid::new("page distance added removed");
        for Recategorised { page, distance, added, removed } in pages {
            let distance = distance.map(|distance| signed_by(2, distance)).unwrap_or_default();
            grid.row([page.clone(), distance, added.join("; "), removed.join("; ")]);
        }
        grid.write_table("distance", out)
    }

    fn write_pages(&self, out: &mut dyn Write) -> io::Result<()> {
        let counts = &self.0.counts;
        let kinds = [
            (&self.0.moved, counts.moved, " that moved", "from"),
            (&self.0.came, counts.came, " that came", "title_led_to"),
            (&self.0.went, counts.went, " that went", "title_leads_to"),
        ];
        for (pages, all, what, other) in kinds {
            if pages.is_empty() {
                continue;
            }
            let first = ", those with the most links first";
            writeln!(out, "\n{}", heading("page", pages.len(), all, what, first))?;
            let has_other = pages.iter().any(|page| page.from.is_some() || page.to.is_some());
            let mut grid = Grid::titled(["page", "links"].into_iter().chain(has_other.then_some(other)));
            for PageChange { page, num_links, from, to } in pages {
                let mut row = vec![page.clone(), thousands(*num_links as u64)];
                row.extend(has_other.then(|| from.clone().or(to.clone()).unwrap_or_default()));
                grid.row(row);
            }
            grid.write_table("links", out)?;
        }
        Ok(())
    }
}

/// Returns `3 pages that came, the largest first`, or `10 of 345 pages that came, the largest first`.
fn heading(one: &str, shown: usize, all: u64, what: &str, first: &str) -> String {
    let num = match shown as u64 == all {
        true => counted(all, one),
        false => format!("{} of {}", thousands(shown as u64), counted(all, one)),
    };
    // One alone is in no order.
    format!("{num}{what}{}", if shown > 1 { first } else { "" })
}

impl Render for Shown {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let CorpusDiff { scorer, counts, new_links, vanished_links, .. } = &self.0;
        if counts.is_empty() {
            return writeln!(out, "no change");
        }
        self.write_counts(out)?;
        let all_new = counts.new_links + counts.new_links_of_new_pages;
        let by = format!(", by the older {scorer}");
        let new = heading("new link", new_links.len(), all_new, "", ", the most unexpected first");
        self.write_links(&format!("{new}{by}"), new_links, out)?;
        let (num, all) = (vanished_links.len(), counts.vanished_links);
        let vanished = heading("link", num, all, " that vanished", ", the most expected first");
        self.write_links(&vanished, vanished_links, out)?;
        self.write_categories(out)?;
        self.write_pages(out)
    }

    fn grid(&self) -> Grid {
        let mut grid = Grid::titled(CorpusDiff::COLUMNS);
        for ([change, page, other], score, [reason, snippet]) in self.0.rows() {
            let score = score.map(|score| score.to_string()).unwrap_or_default();
            grid.row([change, page, other, score, reason, snippet]);
        }
        grid
    }
}
