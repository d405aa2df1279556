//! Rows of links for people: the link and its oddity, its sentence, its reasons.

use super::args::ScorerArgs;
use crate::output::Grid;
use anyhow::Result;
use clap::Args;
use llamafur::engine::{Order, PlaceSet, RankConf, RankingRow};
use llamafur::text::wikitext::Place;
use std::io::{self, Write};

/// Which links are ranked, and by what.
#[derive(Debug, Clone, Args)]
pub(super) struct RankingArgs {
    /// Where links must be, on a wiki: all, or some of prose, caption, list, hatnote, table, template, end-matter, reference and
    /// heading, separated by commas.
    #[arg(long = "where", value_name = "PLACES", default_value_t)]
    pub(super) places: PlaceSet,
    /// What comes first: worth (the rows worth reading) or oddity (the highest scores) [default: worth; oddity with --scorer].
    #[arg(long, value_name = "WHAT")]
    order: Option<Order>,
    #[command(flatten)]
    pub(super) scorer: ScorerArgs,
}

impl RankingArgs {
    /// Returns the order of the rows.
    pub(super) fn order(&self) -> Order {
        self.order.unwrap_or(self.scorer.order())
    }
}

/// Which links are ranked, and how their rows are shown.
#[derive(Debug, Clone, Args)]
pub(super) struct RowArgs {
    #[command(flatten)]
    pub(super) ranking: RankingArgs,
    /// Leave out the sentences.
    #[arg(long)]
    no_sentences: bool,
}

impl RowArgs {
    /// Returns the settings of a ranking.
    pub(super) fn rank_conf(&self) -> Result<RankConf> {
        let RankingArgs { places, scorer, .. } = &self.ranking;
        let conf = scorer.rank_conf()?.places(*places).order(self.ranking.order());
        Ok(conf.snippets(!self.no_sentences))
    }
}

/// Describes the oddity of a link.
fn oddity(link: &RankingRow) -> String {
    match link.odder_than {
        Some(percent) => format!("odder than {}% of all links", percent_of(percent)),
        None => link.note.clone().unwrap_or_default(),
    }
}

/// Formats a percentage with the significant digits: 99.8, 63.
pub(super) fn percent_of(percent: f64) -> String {
    match percent {
        low if low < 1.0 => "less than 1".to_owned(),
        high if high > 99.9 => format!("{:.2}", (high * 100.0).floor() / 100.0),
        high if high > 99.0 => format!("{:.1}", (high * 10.0).floor() / 10.0),
        other => format!("{:.0}", other.floor()),
    }
}

/// Returns the first line of a row: `source → target`, or the target alone.
fn head(source: Option<&str>, link: &RankingRow) -> String {
    let arrow = source.map(|source| format!("{source} → ")).unwrap_or_default();
    let place = match link.place {
        None | Some(Place::Prose) => String::new(),
        Some(place) => format!(", in a {}", place_in_words(place)),
    };
    format!("{arrow}{}: {}{place}", link.target, oddity(link))
}

fn place_in_words(place: Place) -> &'static str {
    match place {
        Place::Prose => "paragraph",
        Place::Caption => "caption",
        Place::List => "list",
        Place::Table => "table",
        Place::Template => "template",
        Place::Reference => "reference",
        Place::EndMatter => "list at the end",
        Place::Hatnote => "note at the head",
        Place::Heading => "heading",
    }
}

/// Returns the lines of a row.
pub(super) fn lines(source: Option<&str>, link: &RankingRow) -> Vec<String> {
    let mut lines = vec![head(source, link)];
    let section = link.section.as_ref().map(|section| format!(" ({section})")).unwrap_or_default();
    lines.extend(link.snippet.as_ref().map(|snippet| format!("“{snippet}”{section}")));
    lines.extend(link.reasons.iter().map(|reason| reason.text.clone()));
    if !link.also.is_empty() {
        lines.push(format!("Also in this sentence: {}", link.also.join(", ")));
    }
    lines
}

/// Writes rows one below the other, each with the text of `more` added.
pub(super) fn write_rows<'r>(
    rows: impl IntoIterator<Item = (Option<&'r str>, &'r RankingRow)>,
    more: impl Fn(&RankingRow) -> Option<String>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut grid = Grid::new("# link");
    for (source, link) in rows {
        let mut lines = lines(source, link);
        lines.extend(more(link));
        grid.row([link.rank.to_string(), lines.join("\n")]);
    }
    grid.write_table("#", out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_never_rounded_up() {
        assert_eq!(
            [0.0, 49.99, 98.9, 99.0, 99.87, 99.99].map(percent_of),
            ["less than 1", "49", "98", "99", "99.8", "99.99"]
        );
    }
}
