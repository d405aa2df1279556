//! Errors of files of judgments.

use llamafur::{Error, Remedy};
use std::io;
use std::path::PathBuf;

/// The reason why judgments could not be read or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JudgmentError {
    /// The operating system refused, or the file is damaged.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error. Not the error's source: it is in the message already.
        cause: io::Error,
    },
    /// The file is larger than any table of judged links.
    #[error("{}: larger than {limit} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// A record is wrong.
    #[error("{}: line {line}: {problem}", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The problem. Not the error's source: it is in the message already.
        problem: RecordProblem,
    },
    /// A file of judgments was changed since it was written.
    #[error("{}: changed since it was written{}", path.display(), line.map(|line| format!(", from line {line} on")).unwrap_or_default())]
    Changed {
        /// The file.
        path: PathBuf,
        /// The first line that may have changed, from 1, if known.
        line: Option<usize>,
    },
    /// The file has no judged link.
    #[error("{}: no judged link: {records} records, none of which has a class", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// Number of records.
        records: u64,
    },
    /// No page can be measured.
    #[error(
        "{}: no page has both an expected and an unexpected judged link that the corpus has: {expected} pages have \
         only expected ones, {unexpected} only unexpected ones, and of {records} records {missing} name pages or \
         links that are not in the corpus", path.display()
    )]
    NoQueries {
        /// The file.
        path: PathBuf,
        /// Pages with expected links only.
        expected: usize,
        /// Pages with unexpected links only.
        unexpected: usize,
        /// Number of records.
        records: u64,
        /// Records of missing pages or links.
        missing: u64,
    },
    /// The corpus has no judgments.
    #[error("{}: the corpus has no judged links", corpus.display())]
    NoneKept {
        /// The folder of the corpus.
        corpus: PathBuf,
    },
    /// The corpus could not be read.
    #[error(transparent)]
    Corpus(#[from] Error),
}

/// The problem of a record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordProblem {
    /// Bytes that are not UTF-8.
    #[error("not UTF-8")]
    NotUtf8,
    /// Too few columns: the number found, the line's beginning, and the expected columns.
    #[error("{0} column{s} ({1:?}), expected {2}", s = if *.0 == 1 { "" } else { "s" })]
    Columns(usize, String, &'static str),
    /// The class is unknown.
    #[error("class {0:?}, expected TE, E, U or TU")]
    Class(String),
    /// The first line of a log is not its header.
    #[error("{0:?}, expected the columns of a log: judge, source, target, label")]
    Header(String),
    /// A line of a log does not consist of a judge, a source, a target and an optional label.
    #[error("{0:?}, expected judge, source, target and label, separated by tabs")]
    Entry(String),
    /// A relevance that is not a number.
    #[error(
        "relevance {0:?}, expected a whole number: 0 for expected, 1 for unexpected, 2 for totally unexpected, -1 for not \
         judged"
    )]
    Relevance(String),
}

impl JudgmentError {
    /// Returns the user's options to fix the problem.
    pub fn remedy(&self) -> Option<Remedy> {
        let advice = |words: &'static str| Some(Remedy::advice(words));
        match self {
            JudgmentError::Io { .. } => None,
            JudgmentError::Corpus(error) => error.remedy(),
            JudgmentError::Changed { path, .. } => {
                let sums = path.with_extension("sums");
                let sums = sums.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let meant = format!("remove {sums} beside it, if the change was meant");
                Some(Remedy::either([Remedy::advice("restore the file from a copy"), Remedy::advice(meant)]))
            }
            JudgmentError::TooLarge { .. } => advice("give a table with one judged link a line"),
            JudgmentError::Record { problem, .. } => match problem {
                RecordProblem::NotUtf8 => advice("save the file as UTF-8 text"),
                RecordProblem::Columns(..) => {
                    let forms = ["authors", "qrels"].map(String::from).into();
                    let form = Remedy::Set { setting: "judgments_form", to: forms };
                    Some(Remedy::either([Remedy::advice("correct the line"), form]))
                }
                RecordProblem::Class(_) => {
                    advice("correct the class, or leave it empty for a link that is not judged yet")
                }
                RecordProblem::Header(_) | RecordProblem::Entry(_) => {
                    advice("correct the line, or restore the file from a copy")
                }
                RecordProblem::Relevance(_) => advice("correct the relevance"),
            },
            JudgmentError::Empty { .. } => {
                Some(Remedy::either([Remedy::advice("fill in TE, E, U or TU"), Remedy::another("judgments")]))
            }
            JudgmentError::NoneKept { .. } => advice("give a file of judged links"),
            JudgmentError::NoQueries { .. } => advice("judge more links, or give the corpus that was judged"),
        }
    }
}
