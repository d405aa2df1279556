//! All figures of an evaluation, as every interface returns them.

use super::{Evaluation, PageFigures, by_page, remarks};
use crate::judgments::{Account, Counts, Judgments, Query};
use llamafur::Error;
use llamafur::corpus::Corpus;
use llamafur::score::LeftOut;
use serde::Serialize;

/// The measures of scorers, and the judgments that they are based on.
#[derive(Debug, Clone, Serialize)]
pub struct EvaluationReport {
    /// The measures.
    #[serde(flatten)]
    pub evaluation: Evaluation,
    /// Remarks on the trustworthiness of the figures.
    pub remarks: Vec<String>,
    /// Scorers whose input the corpus lacks.
    pub left_out: Vec<LeftOut>,
    /// Numbers of judgments, measured or not.
    pub counts: Counts,
    /// Counts of the records used and left out.
    pub account: Account,
    /// The measures of every page.
    pub pages: Vec<PageFigures>,
}

impl EvaluationReport {
    /// Creates a report of an evaluation on the queries of these judgments.
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
