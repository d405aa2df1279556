//! All figures of an evaluation, as every interface gives them.

use super::{Evaluation, PageFigures, by_page, remarks};
use crate::judgments::{Account, Counts, Judgments, Query};
use llamafur::Error;
use llamafur::corpus::Corpus;
use llamafur::score::LeftOut;
use serde::Serialize;

/// The measures of scorers, and what they were measured on.
#[derive(Debug, Clone, Serialize)]
pub struct EvaluationReport {
    /// The measures.
    #[serde(flatten)]
    pub evaluation: Evaluation,
    /// What a reader should know before trusting the figures.
    pub remarks: Vec<String>,
    /// Scorers whose input the corpus lacks.
    pub left_out: Vec<LeftOut>,
    /// How many judgments there are, measured or not.
    pub counts: Counts,
    /// What became of every record.
    pub account: Account,
    /// The figures of every page.
    pub pages: Vec<PageFigures>,
}

impl EvaluationReport {
    /// A report of an evaluation on the queries of these judgments.
    ///
    /// # Errors
    /// If a file of the corpus is damaged.
    pub fn new(
        corpus: &Corpus,
        judgments: &Judgments,
        queries: &[&Query],
        evaluation: Evaluation,
        left_out: Vec<LeftOut>,
    ) -> Result<EvaluationReport, Error> {
        Ok(EvaluationReport {
            remarks: remarks(&evaluation),
            left_out,
            counts: judgments.counts(),
            account: judgments.account.clone(),
            pages: by_page(corpus, queries, &evaluation)?,
            evaluation,
        })
    }
}
