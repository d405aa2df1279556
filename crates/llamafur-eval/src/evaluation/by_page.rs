//! The figures of every single page.

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
    /// Its title.
    pub page: String,
    /// Its judged links.
    pub judged: usize,
    /// Those of them that are unexpected.
    pub relevant: usize,
    /// Each scorer with its figures.
    pub scorers: Vec<(String, QueryMeasures)>,
}

/// The figures of every page, in the order of the queries that were evaluated.
///
/// # Errors
/// If a file is damaged.
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

/// The figures as tab-separated values: a line for each page and scorer.
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
