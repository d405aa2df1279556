//! The measures of every single page.

use super::Evaluation;
use crate::judgments::Query;
use crate::measures::{Measure, QueryMeasures};
use llamafur::Error;
use llamafur::corpus::Corpus;
use serde::Serialize;
use std::fmt::Write;

/// The measures of scorers on one page.
#[derive(Debug, Clone, Serialize)]
pub struct PageFigures {
    /// The page's title.
    pub page: String,
    /// Number of judged links.
    pub judged: usize,
    /// Number of unexpected ones among them.
    pub relevant: usize,
    /// The measures of each scorer, by name.
    pub scorers: Vec<(String, QueryMeasures)>,
}

/// Returns the measures of every page, in the order of the evaluated queries.
pub fn by_page(
    corpus: &Corpus,
    queries: &[&Query],
    evaluation: &Evaluation,
) -> Result<Vec<PageFigures>, Error> {
    let page = |(place, query): (usize, &&Query)| {
        let of = |scorer: &super::Evaluated| (scorer.name.clone(), scorer.measures[place]);
        Ok(PageFigures {
            page: corpus.title(query.page)?.to_owned(),
            judged: query.links.len(),
            relevant: query.num_relevant(),
            scorers: evaluation.scorers.iter().map(of).collect(),
        })
    };
    queries.iter().enumerate().map(page).collect()
}

/// Formats the measures as tab-separated values: a line for each page and scorer.
pub fn by_page_table(pages: &[PageFigures]) -> String {
    let mut table = String::from("page\tjudged\trelevant\tscorer\tbpref\taverage_precision\tndcg\tauc\n");
    for PageFigures { page, judged, relevant, scorers } in pages {
        for (scorer, measures) in scorers {
            let figures = Measure::ALL.map(|measure| measures.get(measure).to_string()).join("\t");
            // Writing to a string cannot fail.
            let _ = writeln!(table, "{page}\t{judged}\t{relevant}\t{scorer}\t{figures}");
        }
    }
    table
}
