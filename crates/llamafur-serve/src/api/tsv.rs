//! Links as tab-separated values, in the columns of the command line.

use llamafur::engine::{Ranking, RankingRow, TopLinks};

/// The type of such an answer.
pub(crate) const TYPE: &str = "text/tab-separated-values; charset=utf-8";

/// A ranking.
pub(crate) fn ranking(ranking: &Ranking, snippets: bool) -> Vec<u8> {
    table(&["rank"], ranking.links.iter().map(|link| (None, link)), snippets)
}

/// Links of the whole graph.
pub(crate) fn top(top: &TopLinks, snippets: bool) -> Vec<u8> {
    table(&["rank", "source"], top.links.iter().map(|link| (Some(link.source.clone()), &link.link)), snippets)
}

fn table<'l>(
    first: &[&str],
    links: impl Iterator<Item = (Option<String>, &'l RankingRow)>,
    snippets: bool,
) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new()
        .delimiter(b'\t')
        .quote_style(csv::QuoteStyle::Never)
        .from_writer(Vec::new());
    let header = first.iter().copied().chain(RankingRow::COLUMNS).chain(snippets.then_some("snippet"));
    // Writing into memory does not fail.
    let _ = writer.write_record(header);
    for (before, link) in links {
        let snippet = snippets.then(|| link.snippet.clone().unwrap_or_default());
        let rank = [link.rank.to_string()];
        let fields = rank.into_iter().chain(before).chain(link.fields()).chain(snippet);
        let _ = writer.write_record(fields.map(|field| field.replace(['\t', '\n', '\r'], " ")));
    }
    writer.into_inner().unwrap_or_default()
}
