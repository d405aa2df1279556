//! Writes judgments and rankings in the formats of TREC, for trec_eval and similar programs.
//!
//! A line of qrels is `query 0 document relevance`, with relevance 0 for TE and E, 1 for U and 2 for TU, so that
//! trec_eval counts unexpected links as relevant. A line of a run is `query Q0 document rank score tag`. Queries and
//! documents are titles with underscores in place of spaces, as in the addresses of wikis.
//!
//! # Quirks
//! trec_eval breaks ties by name, we take them by expectation, so that figures differ where scores are tied.

use super::Evaluated;
use crate::judgments::Query;
use llamafur::Error;
use llamafur::corpus::Corpus;
use llamafur::graph::PageId;
use std::fmt::Write;

/// Returns a title as one word.
fn word(corpus: &Corpus, page: PageId) -> Result<String, Error> {
    Ok(corpus.title(page)?.split_ascii_whitespace().collect::<Vec<_>>().join("_"))
}

/// Formats the judged links of queries as qrels.
pub fn qrels(corpus: &Corpus, queries: &[&Query]) -> Result<String, Error> {
    let mut lines = String::new();
    for query in queries {
        let source = word(corpus, query.page)?;
        for link in &query.links {
            let target = word(corpus, link.target)?;
            // Writing to a string cannot fail.
            let _ = writeln!(lines, "{source} 0 {target} {}", link.class.gain());
        }
    }
    Ok(lines)
}

/// Formats the ranking of all links of the queries by a scorer, whose name is the tag. Links without a score come last,
/// with a score below all others.
pub fn run(corpus: &Corpus, pages: &[PageId], scorer: &Evaluated) -> Result<String, Error> {
    let mut lines = String::new();
    for (&page, links) in pages.iter().zip(&scorer.rankings) {
        let source = word(corpus, page)?;
        let lowest = links.iter().filter_map(|(_, score)| *score).fold(0.0, f64::min) - 1.0;
        let mut ranked: Vec<(f64, PageId)> =
            links.iter().map(|&(target, score)| (score.unwrap_or(lowest), target)).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (rank, (score, target)) in (1..).zip(ranked) {
            let _ = writeln!(lines, "{source} Q0 {} {rank} {score} {}", word(corpus, target)?, scorer.name);
        }
    }
    Ok(lines)
}
