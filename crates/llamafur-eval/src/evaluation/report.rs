//! All figures of an evaluation, as every interface gives them.

use super::{Evaluation, PageFigures, by_page, remarks};
use crate::judgments::{Account, Agreement, Counts, Judgments, Query};
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
    /// How far the judges agree, two at a time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agreement: Vec<Agreement>,
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
            agreement: judgments.agreement.clone(),
            pages: by_page(corpus, queries, &evaluation)?,
            evaluation,
        })
    }
}
