//! Links as tab-separated values, in the columns of the command line.

use crate::body::Body;
use llamafur::Error;
use llamafur::engine::{Ranking, RankingRow, TopLinks};

/// The content type of these answers.
pub(crate) const TYPE: &str = "text/tab-separated-values; charset=utf-8";

/// Writes a ranking.
pub(crate) fn ranking(ranking: &Ranking, body: &mut Body) -> Result<(), Error> {
    table(&["rank"], ranking.links.iter().map(|link| (None, link)), body)
}

/// Writes links of the whole graph.
pub(crate) fn top(top: &TopLinks, body: &mut Body) -> Result<(), Error> {
    let links = top.links.iter().map(|link| (Some(link.source.clone()), &link.link));
    table(&["rank", "source"], links, body)
}

fn table<'l>(
    first: &[&str],
    links: impl Iterator<Item = (Option<String>, &'l RankingRow)>,
    body: &mut Body,
) -> Result<(), Error> {
    let invalid = |error: csv::Error| Error::Invalid { what: "an answer", rule: error.to_string() };
    let mut writer =
        csv::WriterBuilder::new().delimiter(b'\t').quote_style(csv::QuoteStyle::Never).from_writer(body);
    let header = first.iter().copied().chain(RankingRow::COLUMNS);
    writer.write_record(header).map_err(invalid)?;
    for (before, link) in links {
        let rank = [link.rank.to_string()];
        let fields = rank.into_iter().chain(before).chain(link.fields());
        writer.write_record(fields.map(|field| field.replace(['\t', '\n', '\r'], " "))).map_err(invalid)?;
    }
    writer.flush().map_err(|error| invalid(error.into()))
}
